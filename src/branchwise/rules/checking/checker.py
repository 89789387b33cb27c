"""The rule checker: plays random games of a rules class and finds the first fault in its rules.

At every state it checks that the player to move, the legal actions, the end of the game and the returns are
values that a search can use, and that asking for them changes nothing. At many states it also checks that
copies are equal and independent, that every text form reads back, and that the fields alone decide what each
action does.

A few games are played in plain Python first, because it reports faults best. Then all games are played
compiled, which takes moments. Last, some of them are played in both forms in step, and the forms must agree
on everything: the games that stand out by their result or length, and as many others as time allows. A
mirror, which is another implementation of the same rules, is always played in step with plain Python.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain, islice
from typing import TYPE_CHECKING

from branchwise.common.argument_checks import number, whole_number
from branchwise.common.errors import GameError, RuleLeftError, SettingsError
from branchwise.compile.stopping.time_limits import PATIENCE, Limits, RulesInPython, current_limits, limited
from branchwise.game.kinds.continuous_actions import box_size
from branchwise.game.kinds.game_kinds import is_partially_observed, pays_rewards
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.rules_class import Game
from branchwise.rules.checking.cross_check import CompiledMirror, Mirror
from branchwise.rules.checking.faults import Line
from branchwise.rules.checking.hidden_contract import check_hidden_information
from branchwise.rules.checking.observing_contract import check_observations
from branchwise.rules.checking.random_game import play_extreme_games, play_moves, play_random_game
from branchwise.rules.checking.report import CheckReport
from branchwise.rules.checking.symmetry_contract import check_symmetries
from branchwise.rules.facts.game_type import DeclaredReturns

if TYPE_CHECKING:
    from branchwise.compile.queries.checked_games import PlayedGames

GAMES = 100_000
"""Default number of random games in a check."""
GAMES_IN_PYTHON = 2000
"""Default number in plain Python alone; also the maximum of games that are played in both forms in step."""

_FIRST_GAMES = 20
_FIRST_SECONDS = 2.0
_DEALING_SECONDS = 5.0
_TURNING_SECONDS = 2.0
_EXTREME_SECONDS = 1.0
_COMPILED_SHARE = 0.5
_GAMES_LOOKED_AT_CLOSELY = 10
_STATES_LOOKED_AT_CLOSELY = 300
_SHARE_LOOKED_AT_CLOSELY = 0.05
_SLICE_SECONDS = 0.1
_LARGEST_SLICE = 20_000
_RESULTS_COMPARED = 20
_SHORTER_SECONDS = 0.3
_REPLAY_PATIENCE = 3.0
"""Seconds allowed for one call of a rule while a given line of moves is played."""


def check_game(
    game: type[Game],
    games: int | None = None,
    *,
    seconds: float | None = 30.0,
    seed: int = 0,
    compiled: bool = True,
    mirror: Mirror | None = None,
    source: str | None = None,
) -> CheckReport:
    """Play random games and return a report, or raise `GameError` at the first fault of the rules.

    The error names the method, the moves that lead to the fault, a way to mend it, and a command that
    reproduces it. An exception that the rules raised is its cause. Other games are searched for a moment for
    the same fault; the error is that of the shortest game.

    games : how many, at least 1; by default 100,000, or 2,000 if `compiled` is false.
    seconds : stop sooner, at about this time, to which compiling does not count; above 0, or None for no
    limit. Compiled games take at most half of it; the rest is for the games in step, up to 2,000 of them.
    seed : any integer; the same seed plays the same games.
    compiled : false to play in plain Python alone and compile nothing.
    mirror : a second implementation to compare with.
    source : the game's name on the command line, for the command; derived from the class by default.

    >>> from branchwise.games.nim import Nim
    >>> report = check_game(Nim, games=50)
    >>> report.games, report.compared, report.longest <= 21
    (50, 50, True)
    """
    if not (isinstance(game, type) and issubclass(game, Game)):
        raise SettingsError(f"{game!r} is no rules class", mend="give the class itself: check_game(Nim)")
    if games is None:
        games = GAMES if compiled else GAMES_IN_PYTHON
    whole_number("games", games, 1, 2**63)
    if seconds is not None:
        number("seconds", seconds, 0.0, 1e9, above=True)
    if compiled:  # imported before the time limit on rules starts, which would interrupt a slow import
        import branchwise.compile.queries.checked_games
        import branchwise.rules.checking.before_compiling  # noqa: F401
    with _from_now(seconds), RulesInPython():
        check = _Check(game, games, seed, source, [] if mirror is None else [mirror])
        report = check.play_in_both_forms(seconds) if compiled else check.play_plain(seconds)
    if not report.games:
        raise GameError(
            f"the first game of {game.__name__} was not over after {seconds:g} s",
            mend="give more seconds, let is_terminal end the game, or set a smaller max_game_length"
            + ("; a problem without an end needs a horizon" if pays_rewards(game) else ""),
        )
    return report


def replay_moves(
    game: type[Game],
    moves: Iterable[int | str],
    *,
    compiled: bool = True,
    mirror: Mirror | None = None,
    source: str | None = None,
) -> Game:
    """Play one line of moves with every check at every state, and return the final state.

    moves : from the start, each a number or its text.   compiled, mirror, source : as in `check_game`.
    Raises `GameError` at the first fault of the rules, and `ActionError` for a move that is not legal.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> replay_moves(ConnectFour, "d d c".split()).current_player()
    1
    """
    moves = list(moves)
    with limited(Limits(patience=_REPLAY_PATIENCE)), RulesInPython():
        state = play_moves(Line(game, source), moves, [] if mirror is None else [mirror])
        if compiled:
            play_moves(Line(game, source), moves, [CompiledMirror(game)])
    return state


class _Check:
    """The games of one check, determined by its seed."""

    def __init__(
        self, game: type[Game], games: int, seed: int, source: str | None, mirrors: Sequence[Mirror]
    ) -> None:
        self._game, self._games, self._seed, self._source = game, games, seed, source
        self._mirrors = mirrors
        self._declared = DeclaredReturns(game, game)

    def _new_report(self, compared_with: str | None) -> CheckReport:
        return CheckReport(self._game.name, compared_with, dimensions=box_size(self._game))

    def play_plain(self, seconds: float | None) -> CheckReport:
        """Make every check in plain Python alone."""
        report = self.play_in_python(min(self._games, GAMES_IN_PYTHON), seconds)
        return self.with_deals(report, seconds, False)

    def play_in_both_forms(self, seconds: float | None) -> CheckReport:
        """Make every check with the compiled form of the game beside plain Python."""
        from branchwise.rules.checking.before_compiling import note_sound

        game, games = self._game, self._games
        if game._joint:  # its random games are played in both forms in step
            both = _Check(game, games, self._seed, self._source, [CompiledMirror(game), *self._mirrors])
            with _from_now(seconds):
                report = both.play_in_python(min(games, GAMES_IN_PYTHON), seconds)
            note_sound(game)
            return report
        few = _FIRST_SECONDS if seconds is None else min(_FIRST_SECONDS, seconds / 4)
        first = self.with_deals(self.play_in_python(min(games, _FIRST_GAMES), few), seconds, True)
        left = None if seconds is None else max(seconds - first.seconds, seconds / 4)
        form = CompiledMirror(game)
        with _from_now(left):
            report = self.play_compiled(form, left)
        report.seconds += first.seconds
        report.deals = first.deals
        report.observations = first.observations
        report.symmetries, report.turned = first.symmetries, first.turned
        report.notes = first.notes or report.notes
        note_sound(game)
        return report

    def play_in_python(self, games: int, seconds: float | None) -> CheckReport:
        """Play the first games in plain Python."""
        report = self._new_report(_labels(self._mirrors))
        started = time.perf_counter()
        looked_closely = 0
        for index, seed in enumerate(islice(self._seeds(), games)):
            early = index < _GAMES_LOOKED_AT_CLOSELY
            first = max(_STATES_LOOKED_AT_CLOSELY - looked_closely, 0) if early else 0
            closely = 1.0 if self._games == 1 else _SHARE_LOOKED_AT_CLOSELY
            looked_closely += self._play(seed, report, self._mirrors, closely, first)
            report.seconds = time.perf_counter() - started
            if seconds is not None and report.seconds >= seconds:
                break
        if self._games > 1:
            end = time.perf_counter() + min(_EXTREME_SECONDS, report.seconds)
            play_extreme_games(self._game, self._source, end)
            report.seconds = time.perf_counter() - started
        report.compared = report.games if self._mirrors else 0
        return report

    def with_deals(self, report: CheckReport, seconds: float | None, compiled: bool) -> CheckReport:
        """Add the checks of hidden information or of symmetries to a report, for a game that has any."""
        started = time.perf_counter()
        most = _TURNING_SECONDS if self._game.symmetries > 1 else _DEALING_SECONDS
        some = most if seconds is None else min(most, seconds / 4)
        given = self._game, self._source, self._seed, started + some
        if is_partially_observed(self._game):  # such a game has no hidden fields
            report.observations = check_observations(*given, compiled=compiled)
        elif hides_information(self._game):
            report.deals = check_hidden_information(*given, compiled=compiled)
        elif self._game.symmetries > 1:
            report.turned = check_symmetries(*given, compiled=compiled)
            report.symmetries = self._game.symmetries
        report.seconds += time.perf_counter() - started
        return report

    def play_compiled(self, form: CompiledMirror, seconds: float | None) -> CheckReport:
        """Play all games compiled, then some of them in step with plain Python."""
        mirrors = [form, *self._mirrors]
        report = self._new_report(_labels(mirrors))
        started = time.perf_counter()
        standing_out = _StandingOut()
        seeds = islice(self._seeds(), self._games)
        size = 16
        while batch := list(islice(seeds, size)):
            began = time.perf_counter()
            played = form.play(batch)
            if played.fault_after is not None:
                self._tell_fault(form, batch[played.count], played.fault_after, seeds)
            report.add(played.lengths, played.returns, played.most_actions)
            self._check_utility(form, batch, played)
            standing_out.note(batch, played.lengths, played.returns)
            now = time.perf_counter()
            if now - began < _SLICE_SECONDS / 2:
                size = min(2 * size, _LARGEST_SLICE)
            if seconds is not None and now - started >= _COMPILED_SHARE * seconds:
                break
        in_step = CheckReport(self._game.name)
        chosen = standing_out.seeds()
        others = (seed for seed in islice(self._seeds(), report.games) if seed not in chosen)
        for seed in islice(chain(chosen, others), GAMES_IN_PYTHON):
            self._play(seed, in_step, mirrors, _SHARE_LOOKED_AT_CLOSELY)
            if seconds is not None and time.perf_counter() - started >= seconds:
                break
        report.compared, report.notes = in_step.games, in_step.notes
        report.seconds = time.perf_counter() - started
        return report

    def _seeds(self) -> Iterator[int]:
        """Yield the seeds of the games without end, beginning with that of the check."""
        yield self._seed
        source = random.Random(f"games of {self._seed}")
        while True:
            yield source.getrandbits(32)

    def _play(
        self, seed: int, report: CheckReport, mirrors: Sequence[Mirror], closely: float, first: int = 0
    ) -> int:
        """Play one game and return as `play_random_game`; if it has a fault, raise that of a shorter game."""
        line = Line(self._game, self._source, seed, self._declared)
        try:
            end = current_limits().end
            return play_random_game(
                line, seed, report, mirrors=mirrors, closely=closely, first=first, end=end
            )
        except GameError as error:
            found = error
            if isinstance(error.__cause__, RuleLeftError):
                raise  # searching for a shorter game would take as long again
        moves = len(line.actions)
        until = time.perf_counter() + _SHORTER_SECONDS
        for other in islice(self._seeds(), 1, self._games):
            if not moves or time.perf_counter() > until:
                break
            line = Line(self._game, self._source, other, self._declared)
            ignored = CheckReport(self._game.name)
            try:
                play_random_game(
                    line, other, ignored, mirrors=mirrors, closely=closely, first=first, longest=moves - 1
                )
            except GameError as error:
                found, moves = error, len(line.actions)
        raise found

    def _check_utility(self, form: CompiledMirror, batch: Sequence[int], played: PlayedGames) -> None:
        """Raise the error for the shortest game in a batch whose returns contradict the utility, if any."""
        wrong = {returns for returns in set(played.returns) if self._declared.problem(returns)}
        if wrong:
            games = (game for game, returns in enumerate(played.returns) if returns in wrong)
            game = min(games, key=played.lengths.__getitem__)
            self._tell_fault(form, batch[game], played.lengths[game], iter(()))

    def _tell_fault(self, form: CompiledMirror, seed: int, moves: int, others: Iterator[int]) -> None:
        """Raise the error for a compiled game that broke a rule, or for a shorter one of `others`."""
        until = time.perf_counter() + (0.0 if form.was_left else _SHORTER_SECONDS)
        for other in others:
            if not moves or time.perf_counter() > until:
                break
            played = form.play([other])
            if played.fault_after is not None and played.fault_after < moves:
                seed, moves = other, played.fault_after
        line = Line(self._game, self._source, seed, self._declared)
        play_random_game(line, seed, CheckReport(self._game.name), mirrors=[form, *self._mirrors])
        raise line.fault(
            f"the compiled rules of {self._game.name} broke a rule in a game that plain Python plays well",
            "search with MCTS(compiled=False), and report this",
        )


def _from_now(seconds: float | None) -> AbstractContextManager[Limits]:
    """Give rules `seconds` from now, however long compiling took."""
    end = None if seconds is None else time.perf_counter() + seconds
    return limited(Limits(end, patience=PATIENCE if seconds is None else min(PATIENCE, seconds / 2)))


class _StandingOut:
    """The seeds of games that stand out: the shortest, the longest, and the first with each result."""

    def __init__(self) -> None:
        self._results: dict[tuple[float, ...], int] = {}
        self._shortest: tuple[int, int] | None = None
        self._longest: tuple[int, int] | None = None

    def note(
        self, seeds: Sequence[int], lengths: Sequence[int], results: Iterable[tuple[float, ...]]
    ) -> None:
        for seed, length, result in zip(seeds, lengths, results, strict=False):
            if result not in self._results and len(self._results) < _RESULTS_COMPARED:
                self._results[result] = seed
            if self._shortest is None or length < self._shortest[0]:
                self._shortest = length, seed
            if self._longest is None or length > self._longest[0]:
                self._longest = length, seed

    def seeds(self) -> list[int]:
        ends = [end[1] for end in (self._shortest, self._longest) if end is not None]
        return [*dict.fromkeys([*ends, *self._results.values()])]


def _labels(mirrors: Iterable[Mirror]) -> str | None:
    return " and ".join(mirror.label for mirror in mirrors) or None
