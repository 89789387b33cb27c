"""Finding the settings of MCTS that suit a game: those that win most games against the defaults.

Candidates are drawn from a space of settings and race: all play the defaults from the same openings, and
each round keeps the better half (`tune.race`). The few that are left, with variants and combinations of them,
race again from zero, so a good combination need not be drawn at once. This is iterated racing [LopezIbanez16]
with sequential halving [Karnin13]. Candidates that win nearly all games against the defaults cannot be told
apart by such games. Then the second race is against the best of the first, or whichever candidate has beaten
that one as clearly by then.

The best of many candidates owes part of its score to luck. So its strength is measured by new games from new
openings, which have no part in any choice. Only if the interval of these games lies above the defaults are
the settings used. Equal candidates therefore pass at most about one time in 40.

[LopezIbanez16] Lopez-Ibanez and others, "The irace package: iterated racing for automatic algorithm
configuration", Operations Research Perspectives 3, 2016. [Karnin13] as in `tune`.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from branchwise.arena.match_conditions import MAX_GAMES
from branchwise.arena.match_result import COMPLETE, INTERRUPTED, Standing
from branchwise.arena.play.participants import game_text
from branchwise.arena.schedule.match_games import derived_seed
from branchwise.arena.schedule.pairings import GAUNTLET, ROUND_ROBIN
from branchwise.arena.statistics.elo import EloDifference, elo_difference
from branchwise.arena.statistics.means import Mean, Returns
from branchwise.arena.statistics.score import Score
from branchwise.arena.store.entries import versions
from branchwise.arena.tournament import Tournament
from branchwise.arena.tournament_result import TournamentResult
from branchwise.arena.tuning.series import Experiment, Series
from branchwise.arena.tuning.space import Candidate, Declared, Space
from branchwise.arena.tuning.speed import Speeds
from branchwise.arena.tuning.tune import halving, race
from branchwise.common.argument_checks import number, whole_number
from branchwise.common.errors import SettingsError
from branchwise.game.rules_class import Game
from branchwise.games import load_game
from branchwise.rules.facts.game_type import game_type
from branchwise.rules.measured_files.digest import rules_digest
from branchwise.search.settings.tuned import ELO, RETURN, TunedSettings

DEFAULT_SECONDS = 0.02
DEFAULT_CANDIDATES = 16
DEFAULT_GAMES = 900
KEPT_BACK = 3
"""One game in this many measures the winner."""
SURVIVORS = 4
"""How many candidates of the first race enter the second."""
CLEAR = 0.8
"""Points per game that a candidate needs to become the opponent of the others."""
LEAST_SIMULATIONS = 8
CONFIRMATION = "confirmation"


@dataclass(frozen=True)
class Trial:
    """A candidate with the results of its games in one race.

    settings : that differ from the defaults.   simulations : of a move.   rounds : how many it played.
    score : against the defaults, or against `rival`, in a game of two.   gaps : in a game for one player: by
    how much its return exceeded the defaults', for each start.   rival : settings of its latest opponent that
    differ from the defaults; `score` has only games against that one.
    """

    settings: Mapping[str, Any]
    simulations: int
    rounds: int = 0
    score: Score = field(default_factory=Score)
    gaps: Returns = field(default_factory=Returns)
    rival: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the settings as they are written in a bot's text."""
        return settings_text(self.settings)

    @property
    def games(self) -> int:
        """How many games it played."""
        return self.gaps.games or self.score.games

    @property
    def mean(self) -> float:
        """Points per game, or the mean difference in return."""
        return self.gaps.mean if self.gaps.games else self.score.mean

    @property
    def gain(self) -> EloDifference | Mean | None:
        """How much better it was than its opponent: in Elo, or in mean return; None if one failed alone."""
        return self.gaps.known if self.gaps.games else elo_difference(self.score)

    def with_games(self, score: Score, gaps: Returns) -> Trial:
        """Return the same with the games of one more round."""
        return replace(self, rounds=self.rounds + 1, score=self.score + score, gaps=self.gaps + gaps)


def settings_text(settings: Mapping[str, Any]) -> str:
    """Return settings as they are written in a bot's text."""
    return ",".join(f"{name}={value}" for name, value in settings.items())


@dataclass(frozen=True)
class TuningProgress:
    """Progress of a tuning: what is being done, and the standing of the games, if games are played."""

    words: str
    standing: Standing | None = None


@dataclass(frozen=True)
class TuningResult:
    """The result of a tuning.

    id : number in the store, or None.   reference : text form by which any process can load the game.
    of_defaults : simulations of a move of the defaults; 0 if that was not yet measured.   races : the
    candidates of each race, first by the number of rounds, then by score. These games chose between them, so
    the best of them look better than they are.   final : the winner with the games that measured it; None if
    these are not complete.   tuned : what goes into the game's file; None if the tuning was interrupted.
    ended_by : "games" or "interrupted".
    """

    id: int | None
    game: str
    reference: str
    of_defaults: int
    races: tuple[tuple[Trial, ...], ...] = field(repr=False)
    final: Trial | None
    tuned: TunedSettings | None
    ended_by: str = COMPLETE


class Tuning(Experiment[TuningProgress, TuningResult]):
    """A search for the settings of MCTS that suit a game.

    In a game of two, candidates play the defaults; in the second race, the best of the first one if that won
    80 % of its games or more, and then whichever wins as many against it. In a game for one player,
    candidates and defaults play the same starts, and mean returns are compared; games of the defaults do not
    count as `games`.

    game : text form, or a class that other processes can find; see `Match`.   space : settings to vary, by
    name or as texts such as "c=0.25:2:8"; None: those that the game declares as `tuning`, or the usual ones
    (see `Space`).
    simulations : of a move, the same for all candidates.   seconds : of a move instead: the speed of each
    candidate is measured in processor time first, and it gets the simulations that take as long as those of
    the defaults. None for both: 0.02 seconds.
    candidates : how many are drawn, from 1.   games : in all.   final : games that measure the winner; None:
    a third, or all if there is only one candidate.   openings_depth, concurrency : as in `Match`.   seed : of
    candidates, openings and bots.

    >>> import branchwise as bw
    >>> tuning = bw.Tuning("nim", space=["c=0.2,5.0"], simulations=30, games=24, final=4, seed=1)
    >>> result = tuning.run()
    >>> result.tuned.games, [len(race) for race in result.races]
    (4, [2])
    """

    kind = "tuning"

    def __init__(
        self,
        game: str | type[Game],
        *,
        space: Declared | None = None,
        simulations: int | None = None,
        seconds: float | None = None,
        candidates: int = DEFAULT_CANDIDATES,
        games: int = DEFAULT_GAMES,
        final: int | None = None,
        openings_depth: int | None = None,
        concurrency: int | None = None,
        seed: int = 1,
    ) -> None:
        self.game = game_text(game)
        self._rules = rules = load_game(self.game)
        self._named = game if isinstance(game, str) else rules.name
        _check_game(rules)
        self._together = 1 if rules.num_players == 1 else 2
        if simulations is not None and seconds is not None:
            raise SettingsError("a move has a limit either in simulations or in seconds")
        whole_number("simulations", simulations, 1, 2**31 - 1, optional=True)
        if seconds is not None:
            number("seconds", seconds, 0.0, 1e6, above=True)
        whole_number("candidates", candidates, 1, 1000)
        whole_number("games", games, 1, MAX_GAMES)
        whole_number("final", final, self._together, MAX_GAMES, optional=True)
        whole_number("seed", seed, -(2**127), 2**127)
        self.simulations = simulations
        self.seconds = DEFAULT_SECONDS if simulations is None and seconds is None else seconds
        self.candidates, self.games, self.seed = int(candidates), int(games), int(seed)
        self._openings_depth = openings_depth
        self._concurrency = concurrency
        self.space = Space.of(rules) if space is None else Space.declared(rules, space)
        self._given = space is not None
        self._first = self.space.candidates(self.candidates, random.Random(self._seed_of("candidates")))
        if not self._first:
            raise SettingsError(f"no settings of the space can be combined for {rules.name}")
        share = games if self._only_one else games // KEPT_BACK
        self.final = max(share // self._together, 1) * self._together if final is None else int(final)
        self._check_final()
        self._budgets()
        self._tournament(
            self._first, [LEAST_SIMULATIONS] * len(self._first), _defaults(8), self._together, "check"
        )

    def __repr__(self) -> str:
        return f"<Tuning of {self._rules.name}, {len(self._first):,} candidates, {self.games:,} games>"

    @property
    def command(self) -> str:
        """The command that repeats this tuning."""
        name = self._named
        words = ["branchwise tune", f'"{name}"' if set(name) & set("( ") else name]
        if self._given:
            for setting, values in self.space.to_json().items():
                listed = ",".join("none" if value is None else str(value) for value in values)
                words.append(f'--vary "{setting}={listed}"')
        words.append(
            f"--seconds {self.seconds:g}" if self.simulations is None else f"--simulations {self.simulations}"
        )
        words.append(f"--candidates {self.candidates} --games {self.games} --final {self.final}")
        if self._openings_depth is not None:
            words.append(f"--openings-depth {self._openings_depth}")
        return " ".join([*words, f"--seed {self.seed}"])

    def settings(self) -> dict[str, Any]:
        """Return all settings that decide how the games are played, as values for JSON."""
        return {
            "game": self.game,
            "named": self._named,
            "space": self.space.to_json(),
            "given": self._given,
            "simulations": self.simulations,
            "seconds": self.seconds,
            "candidates": self.candidates,
            "games": self.games,
            "final": self.final,
            "openings_depth": self._openings_depth,
            "seed": self.seed,
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, concurrency: int | None = None) -> Tuning:
        """Return the tuning that has these `settings`."""
        given = dict(settings)
        named, was_given = given.pop("named"), given.pop("given")
        tuning = cls(given.pop("game"), concurrency=concurrency, **given)
        tuning._named, tuning._given = named, was_given
        return tuning

    def _play(self, series: Series, progress: Callable[[TuningProgress], object] | None) -> TuningResult:
        return _Run(self, series, progress or (lambda _: None)).play()

    @property
    def _only_one(self) -> bool:
        """Whether there is only one candidate, so that no race is needed."""
        return len(self._first) == 1 and not self._num_variants

    def _check_final(self) -> None:
        """Raise `SettingsError` unless the games that measure the winner are paired and leave others."""
        if self.final % self._together:
            raise SettingsError(
                f"final = {self.final} leaves a game without its partner", mend="an even number"
            )
        if self.final > self.games or (self.final == self.games and not self._only_one):
            raise SettingsError(f"final = {self.final} of {self.games} games leaves none to choose by")

    def _budgets(self) -> tuple[int, int]:
        """Return the games of the two races; raises `SettingsError` if they are too few."""
        if self._only_one:
            return 0, 0
        games = self.games - self.final
        first = 0 if len(self._first) <= SURVIVORS else games // 2
        most = min(len(self._first), SURVIVORS) + self._num_variants
        try:
            if first:
                halving(len(self._first), first, self._together, SURVIVORS)
            halving(max(most, 2), games - first, self._together)
        except SettingsError as error:
            raise SettingsError(
                f"{self.games:,} games are too few for {len(self._first)} candidates",
                mend=f"fewer candidates, or {2 * self.games:,} games and more",
            ) from error
        return first, games - first

    @property
    def _num_variants(self) -> int:
        """How many variants of the survivors enter the second race; none if the first had all candidates."""
        return 0 if self.space.lists(self.candidates) else -(-self.candidates // 4)

    def _seed_of(self, *parts: int | str) -> int:
        return derived_seed(self.seed, "tuning", *parts)

    def _tournament(
        self, settings: Sequence[Candidate], simulations: Sequence[int], opponent: str, games: int, seed: str
    ) -> Tournament:
        """Return the tournament of candidates against an opponent."""
        bots = [opponent]
        bots += [self.space.text(one, count) for one, count in zip(settings, simulations, strict=True)]
        return Tournament(
            self.game,
            bots,
            format=ROUND_ROBIN if self._together == 1 else GAUNTLET,
            games=games,
            openings_depth=self._openings_depth,
            concurrency=self._concurrency,
            seed=self._seed_of(seed),
        )


class _Run:
    """One run of a tuning: its races, speeds measured so far, and results."""

    def __init__(self, tuning: Tuning, series: Series, progress: Callable[[TuningProgress], object]) -> None:
        self._tuning = tuning
        self._series = series
        self._progress = progress
        self._speeds: Speeds | None = None
        self._defaults = 0
        self._simulations: dict[Candidate, int] = {}
        self._races: list[dict[Candidate, Trial]] = []
        self._seconds = 0.0

    def play(self) -> TuningResult:
        final, tuned, ended_by = None, None, COMPLETE
        try:
            winner = self._winner()
            final = self._confirmed(winner)
            tuned = self._found(final)
        except KeyboardInterrupt:
            ended_by = INTERRUPTED
        races = tuple(
            tuple(sorted(trials.values(), key=lambda one: (-one.rounds, -one.mean if one.games else 0.0)))
            for trials in self._races
        )
        return TuningResult(
            self._series.id,
            self._tuning._rules.name,
            self._tuning.game,
            self._defaults,
            races,
            final,
            tuned,
            ended_by,
        )

    def _winner(self) -> Candidate:
        """Return the candidate that is left after the races."""
        tuning = self._tuning
        first, second = tuning._budgets()
        left = tuning._first
        if first:
            left = self._race(left, first, SURVIVORS)
        source = random.Random(tuning._seed_of("variants"))
        variants = tuning.space.variants(left, tuning._num_variants, tuning._first, source)
        others = [*left[1:], *variants]
        if not others:
            return left[0]
        if first and tuning._together == 2 and self._races[0][left[0]].mean >= CLEAR:
            return self._contest(left[0], others, second)
        return self._race([left[0], *others], second, 1)[0]

    def _race(self, candidates: Sequence[Candidate], games: int, keep: int) -> list[Candidate]:
        """Return the `keep` candidates that are left of a race against the defaults, best first."""
        self._begin_race(candidates)
        rounds = halving(len(candidates), games, self._tuning._together, keep)

        def play(number: int, left: Sequence[int], games: int) -> list[Score | Returns]:
            played = self._round([candidates[at] for at in left], games, number, len(rounds))
            return [score if score.games else gaps for score, gaps in played]

        return [candidates[at] for at in race(len(candidates), rounds, play, keep)]

    def _contest(self, rival: Candidate, candidates: Sequence[Candidate], games: int) -> Candidate:
        """Return the candidate that is left of a race against a rival, or that rival.

        A candidate that clearly beats the rival takes its place for the rounds that follow: the interval of
        its score must lie above one half.
        """
        self._begin_race(candidates, rival)
        trials = self._races[-1]
        rounds = halving(len(candidates), games)
        left = list(candidates)
        for at, a_round in enumerate(rounds):
            self._round(left, a_round.games, at, len(rounds), rival)
            left.sort(key=lambda one: -trials[one].mean)
            is_last = at + 1 == len(rounds)
            left = left[: 1 if is_last else rounds[at + 1].settings]
            best = trials[left[0]]
            if len(left) > 1 and best.mean >= CLEAR and best.score.interval()[0] > 0.5:
                rival = left.pop(0)
                for one in left:
                    trials[one] = self._trial(one, rival, trials[one].rounds)
        return left[0] if trials[left[0]].mean > 0.5 else rival

    def _begin_race(self, candidates: Sequence[Candidate], rival: Candidate | None = None) -> None:
        """Begin a race against a rival; None: the defaults."""
        number = len(self._races) + 1
        for at, candidate in enumerate(candidates):
            self._measure(candidate, f"race {number}: speed {at + 1} of {len(candidates)}")
        self._races.append({one: self._trial(one, rival) for one in candidates})

    def _trial(self, candidate: Candidate, rival: Candidate | None, rounds: int = 0) -> Trial:
        """Return a candidate without games against a rival."""
        settings = self._tuning.space.settings
        known = {} if rival is None else settings(rival)
        return Trial(settings(candidate), self._simulations[candidate], rounds, rival=known)

    def _round(
        self, left: Sequence[Candidate], games: int, number: int, rounds: int, rival: Candidate | None = None
    ) -> list[tuple[Score, Returns]]:
        """Play a round of the latest race, and return the results of the candidates left."""
        at, trials = len(self._races) - 1, self._races[-1]
        words = f"race {at + 1}, round {number + 1} of {rounds}, {len(left)} candidates"
        played = self._played(left, games, f"{at}/{number}", words, rival)
        for one, (score, gaps) in zip(left, played, strict=True):
            trials[one] = trials[one].with_games(score, gaps)
        return played

    def _confirmed(self, winner: Candidate) -> Trial:
        """Return the winner with new games from new openings."""
        tuning = self._tuning
        self._measure(winner, "speed of the winner")
        trial = Trial(tuning.space.settings(winner), self._simulations[winner])
        ((score, gaps),) = self._played([winner], tuning.final, CONFIRMATION, f"measuring {trial}")
        return trial.with_games(score, gaps)

    def _played(
        self,
        candidates: Sequence[Candidate],
        games: int,
        key: str,
        words: str,
        rival: Candidate | None = None,
    ) -> list[tuple[Score, Returns]]:
        """Return the results of each candidate against the defaults, or a rival."""
        tuning = self._tuning
        counts = [self._simulations[one] for one in candidates]
        opponent = _defaults(self._defaults)
        if rival is not None:
            opponent = tuning.space.text(rival, self._simulations[rival])
        tournament = tuning._tournament(candidates, counts, opponent, games, key)
        result = self._series.play_tournament(
            key, tournament, lambda standing: self._progress(TuningProgress(words, standing))
        )
        if result.ended_by == INTERRUPTED:
            raise KeyboardInterrupt
        self._seconds += sum(record.seconds for record in result.records)
        opponent, *bots = result.bots
        return [_outcome(result, bot, opponent) for bot in bots]

    def _measure(self, candidate: Candidate, words: str) -> None:
        """Find how many simulations a candidate has for a move."""
        tuning = self._tuning
        if tuning.simulations is not None:
            self._defaults = self._simulations[candidate] = tuning.simulations
            return
        if candidate in self._simulations:
            return
        self._progress(TuningProgress(words))
        assert tuning.seconds is not None
        pace = self._series.number("speed", lambda: self._speedometer().of_defaults())
        self._defaults = max(LEAST_SIMULATIONS, round(tuning.seconds * pace))
        settings = {k: v for k, v in tuning.space.settings(candidate).items() if k != "reuse"}
        key = f"ratio {json.dumps(settings)}"
        ratio = self._series.number(key, lambda: self._speedometer().ratio(settings))
        self._simulations[candidate] = max(1, round(self._defaults * ratio))

    def _speedometer(self) -> Speeds:
        if self._speeds is None:
            tuning = self._tuning
            assert tuning.seconds is not None
            self._speeds = Speeds(tuning._rules, tuning.seconds, tuning._seed_of("speed"))
        return self._speeds

    def _found(self, final: Trial) -> TunedSettings:
        """Return what goes into the game's file."""
        tuning = self._tuning
        gain, low, high = _numbers(final.gain)
        return TunedSettings(
            game=tuning._rules.name,
            rules=rules_digest(tuning._rules),
            found=dict(final.settings),
            confirmed=low is not None and low > 0,
            unit=RETURN if tuning._together == 1 else ELO,
            gain=gain,
            low=low,
            high=high,
            games=final.games,
            simulations=final.simulations,
            of_defaults=self._defaults,
            command=tuning.command,
            seconds=round(self._seconds, 1),
            versions=versions(),
        )


def _defaults(simulations: int) -> str:
    return f"mcts(simulations={simulations})"


def _outcome(result: TournamentResult, bot: str, opponent: str) -> tuple[Score, Returns]:
    if result.players == 1:
        return Score(), result.gaps(bot, opponent)
    return result.score(bot, opponent), Returns()


def _numbers(gain: EloDifference | Mean | None) -> tuple[float | None, float | None, float | None]:
    """Return a figure and the ends of its interval as they are written in a file."""
    if gain is None:
        return None, None, None
    if isinstance(gain, EloDifference):
        ends = (gain.value, gain.low, gain.high)
        return tuple(round(end, 1) if math.isfinite(end) else None for end in ends)  # type: ignore[return-value]
    known = (gain.mean, gain.low, gain.high)
    return tuple(None if end is None else float(f"{end:.6g}") for end in known)  # type: ignore[return-value]


def _check_game(game: type[Game]) -> None:
    """Raise `SettingsError` for a game in which settings cannot be compared."""
    players = game.num_players
    if players > 2:
        raise SettingsError(
            f"{game.name} has {players} players; settings are compared in games of two, or of one",
            mend='compare settings in a tournament: bw.Tournament(game, ["mcts(c=0.5)", "mcts(c=1.0)", ...])',
        )
    if game._joint:
        raise SettingsError(
            f"players of {game.name} move at once; settings are compared in games whose players move in turn",
            mend='compare settings in a match: bw.Match(game, ["mcts(joint=exp3)", '
            '"mcts(joint=regret_matching)"])',
        )
    if players == 2 and game_type(game).utility == "identical":
        raise SettingsError(
            f"both players of {game.name} get the same return, so neither of two settings can win",
            mend="compare their mean returns: bw.Sweep, or bw.Match with the same bot twice",
        )
