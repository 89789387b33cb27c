"""The rule checker: plays random games of a rules class and finds the first fault in its rules.

At every state: the player to move, the legal actions, the end of the game and the returns are such as a
search can work with, and asking for them changes nothing. At many: copies are equal and independent, every
text form reads back, and the fields alone decide what each action does. With a mirror, a second
implementation of the same rules, both are played in step and must agree on everything.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from branchwise.errors import ActionError, BranchwiseError, SettingsError
from branchwise.game import Game
from branchwise.ranges import number, whole_number
from branchwise.testing.contract import look, look_closely, play
from branchwise.testing.faults import Line
from branchwise.testing.mirror import Mirror, Observation, compare

_GAMES_LOOKED_AT_CLOSELY = 10
_SHARE_LOOKED_AT_CLOSELY = 0.05
_ACTIONS_TRIED = 16


@dataclass
class CheckReport:
    """What the rule checker saw of a game without finding a fault."""

    game: str
    """Text form of the game."""
    mirror: str | None = None
    """What the rules were compared with, if anything."""
    games: int = 0
    moves: int = 0
    """Moves of all games together."""
    shortest: int = 0
    """Moves of the shortest game."""
    longest: int = 0
    """Moves of the longest game."""
    most_actions: int = 0
    """The most legal actions in one state."""
    results: Counter[tuple[float, ...]] = field(default_factory=Counter)
    """How many games ended with these returns, one number a player."""
    seconds: float = 0.0

    def __str__(self) -> str:
        compared = f", in step with {self.mirror}" if self.mirror else ""
        shares = [
            f"({', '.join(f'{number:g}' for number in returns)}) {count / self.games:.1%}"
            for returns, count in self.results.most_common(5)
        ]
        more = f" and {len(self.results) - 5} more" if len(self.results) > 5 else ""
        return "\n".join(
            [
                f"{self.game}: no fault in {self.games:,} random games, {self.moves:,} moves{compared}",
                f"  length: {self.shortest} to {self.longest} moves, mean {self.moves / self.games:.1f}",
                f"  actions: up to {self.most_actions} in one state",
                f"  returns: {'; '.join(shares)}{more}",
            ]
        )


def check_game(
    game: type[Game],
    games: int = 1000,
    *,
    seconds: float | None = None,
    seed: int = 0,
    mirror: Mirror | None = None,
    source: str | None = None,
) -> CheckReport:
    """Play random games and return what was seen, or raise `GameError` at the first fault of the rules.

    The error names the method, the moves that lead to the fault, how to mend it, and a command that shows
    it again. What a method of the rules raises is its cause.

    games : how many, from 1.   seconds : stop sooner, after this time and the game under way; above 0.
    seed : any integer; the same seed plays the same games.   mirror : a second implementation to compare.
    source : how to name the game on the command line, for the command; found out if it is not given.

    >>> from branchwise.games.nim import Nim
    >>> report = check_game(Nim, games=20)
    >>> report.games, report.longest <= 21
    (20, True)
    """
    if not (isinstance(game, type) and issubclass(game, Game)):
        raise SettingsError(f"{game!r} is no rules class", mend="give the class itself: check_game(Nim)")
    whole_number("games", games, 1, 2**63)
    if seconds is not None:
        number("seconds", seconds, 0.0, 1e9, above=True)
    report = CheckReport(game.name, None if mirror is None else mirror.label)
    seeds = random.Random(f"games of {seed}")
    started = time.perf_counter()
    for index in range(games):
        game_seed = seeds.getrandbits(32) if index else seed
        line = Line(game, source, game_seed)
        closely = 1.0 if index < _GAMES_LOOKED_AT_CLOSELY else _SHARE_LOOKED_AT_CLOSELY
        play_random_game(line, game_seed, report, mirror=mirror, closely=closely)
        report.seconds = time.perf_counter() - started
        if seconds is not None and report.seconds >= seconds:
            break
    return report


def replay_moves(
    game: type[Game],
    moves: Iterable[int | str],
    *,
    mirror: Mirror | None = None,
    source: str | None = None,
) -> Game:
    """Play one line of moves with every check at every state, and return the state it leads to.

    moves : from the start, each a number or its text.   mirror, source : as in `check_game`.
    Raises `GameError` at the first fault of the rules, and `ActionError` for a move that is not legal.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> replay_moves(ConnectFour, "d d c".split()).current_player()
    1
    """
    line = Line(game, source)
    state = _start(line)
    seen = _look_everywhere(line, state, mirror)
    for move in moves:
        play(line, state, _wanted(line, state, move, seen.terminal))
        seen = _look_everywhere(line, state, mirror)
    return state


def play_random_game(
    line: Line, seed: int, report: CheckReport, *, mirror: Mirror | None = None, closely: float = 0.0
) -> None:
    """Play one random game, checking the share `closely` of its states in full, and add it to the report.

    Raises `GameError` at the first fault.
    """
    moves = random.Random(f"moves of {seed}")
    checks = random.Random(f"checks of {seed}")
    state = _start(line)
    while True:
        seen = _look(line, state, mirror)
        if checks.random() < closely:
            few = len(seen.legal) <= _ACTIONS_TRIED
            look_closely(line, state, seen, seen.legal if few else checks.sample(seen.legal, _ACTIONS_TRIED))
        if seen.terminal:
            break
        report.most_actions = max(report.most_actions, len(seen.legal))
        play(line, state, moves.choice(seen.legal))
    length = len(line.actions)
    report.shortest = min(report.shortest, length) if report.games else length
    report.longest = max(report.longest, length)
    report.moves += length
    report.games += 1
    report.results[seen.returns] += 1


def _start(line: Line) -> Game:
    try:
        state, twin = line.game(), line.game()
    except BranchwiseError:
        raise
    except Exception as error:
        raise line.raised("setup", error) from error
    if state != twin:
        raise line.fault(
            f"{line.game.__name__}.setup gave {state!r} and then {twin!r}",
            "let every game start from the same state; chance belongs in chance_outcomes",
        )
    return state


def _look(line: Line, state: Game, mirror: Mirror | None) -> Observation:
    seen = look(line, state)
    if mirror is not None:
        compare(line, seen, mirror)
    return seen


def _look_everywhere(line: Line, state: Game, mirror: Mirror | None) -> Observation:
    seen = _look(line, state, mirror)
    look_closely(line, state, seen, seen.legal)
    return seen


def _wanted(line: Line, state: Game, move: int | str, over: bool) -> int:
    """Return the number of the legal action `move`; raises `ActionError` if there is none."""
    problem, mend = f'"{move}" cannot be played: the game is over', None
    if not over:
        try:
            return state.check_action(move)
        except ActionError as error:
            problem, mend = error.problem, error.mend
        except Exception as error:
            raise line.raised("action_from_string", error) from error
    after = " ".join(line.spelt(line.actions)) or None
    raise ActionError(f"move {len(line.actions) + 1}: {problem}", after=after, mend=mend)
