"""`bw.train`: learning a network for a game from its rules alone."""

from __future__ import annotations

import json
import math
import os
import secrets
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from branchwise.arena.match_result import MatchResult
from branchwise.arena.play.participants import game_text
from branchwise.arena.runner import Progress as MatchProgress
from branchwise.arena.statistics.elo import EloDifference
from branchwise.common.argument_checks import number, whole_number
from branchwise.common.array_files import read_arrays
from branchwise.common.errors import SettingsError
from branchwise.common.processes import replacing, try_lock
from branchwise.compile.stopping.time_limits import Limits, limited
from branchwise.core.networks import self_play
from branchwise.core.networks.self_play import Orders
from branchwise.core.numbers.random_streams import new_streams
from branchwise.game.rules_class import Game
from branchwise.games import load_game
from branchwise.learning.crew import Crew, Played, Worker
from branchwise.learning.learner import LEAST_MEMORY_MB, Learner
from branchwise.learning.recipe import ANYWHERE, Promise, Recipe
from branchwise.learning.strength import closing_match, duel, verdict
from branchwise.networks.inputs import Inputs
from branchwise.networks.network import Network
from branchwise.networks.network_file import save_network
from branchwise.rules.measured_files.digest import rules_digest
from branchwise.search.planner import MCTS

LEAST_MINUTES = 0.1
SAVED_SECONDS = 5.0
"""Seconds between checkpoints: at most this and one round are lost with the process."""
_REPORTS = 10
"""How often strength is measured during a training."""
_DUEL_GAMES, _DUEL_SIMULATIONS, _DUEL_SHARE, _DUEL_SECONDS = 60, 100, 0.04, 0.3
_POSITIONS = 1024
"""Positions of a round, about, where rounds are counted."""
_MOST_GAMES = 100_000
_ROUND_SECONDS = 0.25, 2.0
_STATE = "state.npz"


@dataclass(frozen=True)
class Progress:
    """A training after a round.

    share : of the training that is over.   seconds : spent on it.   games, positions, simulations : so far.
    speed : games a second in this round.   proven : share of this round's positions with exact values.
    policy_error, value_error : share of positions proven before the search at which the network's first move
    loses value, or its value has the wrong sign.   value_loss, policy_loss : of the last training.
    playouts, earlier : the lead at equal simulations over playouts, and over the network at the last report;
    None between reports.
    """

    round: int
    share: float
    seconds: float
    games: int
    positions: int
    simulations: int
    speed: float
    proven: float
    policy_error: float
    value_error: float
    value_loss: float
    policy_loss: float
    playouts: EloDifference | None = None
    earlier: EloDifference | None = None

    @property
    def is_report(self) -> bool:
        """Whether strength was measured."""
        return self.playouts is not None


@dataclass(frozen=True)
class Training:
    """What a training brought: the network, its file, its curve, and the match against playouts."""

    network: Network
    file: Path | None
    curve: tuple[Progress, ...]
    match: MatchResult | None

    @property
    def lead(self) -> EloDifference | None:
        """The lead over playouts at equal time."""
        return self.match.elo() if self.match is not None and self.match.records else None

    def __str__(self) -> str:
        """Say whether it was worth it."""
        return "No match was played." if self.lead is None else verdict(self.lead)


def train(
    game: str | type[Game],
    *,
    minutes: float = 10.0,
    rounds: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    file: str | Path | None = None,
    resume: bool = False,
    memory_mb: float = 512,
    games: int = 100,
    recipe: Recipe | None = None,
    progress: Callable[[Progress], object] | None = None,
    match_progress: MatchProgress | None = None,
) -> Training:
    """Learn a network for a game by self-play, and play a match with it.

    game : text form or class, for two players who take turns and see everything, without chance.
    minutes : how long it learns, besides compiling and the match.   rounds : learn for this many, of about
    1,000 positions, instead; then the same seed gives the same network, to the bit, for any threads.
    threads : None: all cores.   file : where the network is written; until then, a folder beside it with
    ".training" at the end of its name keeps checkpoints.   resume : go on from the last of these.
    memory_mb : for the latest positions, which are trained on again and again.
    recipe : None: by the time given.
    games : of the match against playouts at 10 ms a move, 0 for none; it needs a file.
    progress : called after each round; match_progress : during the match.

    Raises `GameError` where networks do not apply, and `SettingsError`.
    """
    number("minutes", minutes, LEAST_MINUTES, 1e6)
    whole_number("rounds", rounds, 1, 10**9, optional=True)
    whole_number("threads", threads, 1, 256, optional=True)
    whole_number("games", games, 0, 100_000)
    number("memory_mb", memory_mb, LEAST_MEMORY_MB, 1e6)
    whole_number("seed", seed, -(2**63), 2**63 - 1, optional=True)
    name = game_text(game)
    inputs = Inputs.of(load_game(name))
    target = None if file is None else Path(file).expanduser()
    with ExitStack() as closing:
        plan = _Plan(name, minutes, rounds, secrets.randbits(31) if seed is None else seed, memory_mb)
        folder = _Folder(target, closing, resume=resume)
        stored = folder.read()
        if stored is not None:
            plan = plan.of_stored(stored[0], has_seed=seed is not None)
        usual = Recipe.of_time(minutes, rounds) if stored is None else stored[0]["recipe"]
        run = _Run(inputs, plan, threads or _cores(), recipe or usual, folder, stored)
        closing.callback(run.crew.close)
        run.to_end(progress)
        if target is not None:
            notes = {
                "text": name,
                "seed": plan.seed,
                "minutes": plan.minutes,
                "rounds": plan.rounds,
                "curve": stored_curve(run.curve),
            }
            save_network(run.learner.network, target, met=run.learner.met, notes=notes)
        folder.remove()
    match = None
    if target is not None and games:
        match = closing_match(name, target, games, plan.seed, threads or _cores(), match_progress)
    return Training(run.learner.network, target, tuple(run.curve), match)


def checkpoint_of(file: Path) -> Path:
    """Return where the training that is to write a network keeps its last checkpoint."""
    return file.with_name(file.name + ".training") / _STATE


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class _Plan:
    """What has to be the same when a training goes on; minutes may be more."""

    game: str
    minutes: float
    rounds: int | None
    seed: int
    memory_mb: float

    def of_stored(self, told: dict[str, Any], *, has_seed: bool) -> _Plan:
        """Return this plan with the stored seed, or raise `SettingsError` if it is another training."""
        for what in ("game", "memory_mb", "rounds", *(["seed"] if has_seed else [])):
            if told.get(what) != getattr(self, what):
                raise SettingsError(
                    f"the training to resume has {what} {told.get(what)}, not {getattr(self, what)}",
                    mend="give the same, or begin another training with another file",
                )
        return replace(self, seed=told["seed"])


class _Folder:
    """Checkpoints of a training beside its file; there are none without a file."""

    def __init__(self, target: Path | None, closing: ExitStack, *, resume: bool) -> None:
        self.path = None if target is None else checkpoint_of(target).parent
        if self.path is None:
            if resume:
                raise SettingsError("there is nothing to resume without a file", mend="give its file")
            return
        if resume and not (self.path / _STATE).exists():
            raise SettingsError(f"there is no training to resume in {self.path}", mend="leave out resume")
        if not resume:
            for there, mend in (
                (self.path / _STATE, "resume it, or delete it"),
                (target, "name another file"),
            ):
                if there is not None and there.exists():
                    raise SettingsError(f"{there} exists already", mend=mend)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = closing.enter_context((self.path / "lock").open("ab"))
        except OSError as error:
            raise SettingsError(
                f"{self.path} cannot be written: {error}", mend="name another file"
            ) from error
        if not try_lock(lock):
            raise SettingsError(f"another process is training in {self.path}", mend="name another file")
        closing.callback(self._leave)

    def read(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Return what the last checkpoint says, and its arrays; None if there is none."""
        if self.path is None or not (self.path / _STATE).exists():
            return None
        try:
            arrays = read_arrays(self.path / _STATE)
            told = dict(json.loads(str(arrays.pop("told"))))
            told["recipe"] = Recipe.of_stored(told["recipe"])
            if self._sizes() != told.get("sizes"):
                raise ValueError("the files beside it are not those that it was written with")
            return told, arrays
        except Exception as error:
            raise SettingsError(
                f"{self.path / _STATE} cannot be read: {error}", mend=f"delete {self.path}, and begin again"
            ) from error

    def write(self, told: dict[str, Any], arrays: dict[str, Any]) -> None:
        """Replace the last checkpoint, all of it or nothing."""
        assert self.path is not None
        try:
            with replacing(self.path / _STATE) as part, open(part, "wb") as out:
                np.savez(out, told=np.array(json.dumps({**told, "sizes": self._sizes()})), **arrays)
        except OSError as error:
            raise SettingsError(
                f"{self.path} cannot be written: {error}",
                mend="make room and resume: the checkpoint before is still there",
            ) from error

    def remove(self) -> None:
        """Delete the checkpoints of a training that is complete."""
        if self.path is not None:
            shutil.rmtree(self.path, ignore_errors=True)

    def _sizes(self) -> dict[str, int]:
        """Return the size of each file beside the checkpoint."""
        assert self.path is not None
        files = [file for file in self.path.iterdir() if file.name[0] != "." and file.name != _STATE]
        return {file.name: file.stat().st_size for file in files}

    def _leave(self) -> None:
        """Delete the folder if nothing can be resumed in it."""
        if self.path is not None and not (self.path / _STATE).exists():
            self.remove()


@dataclass
class _Totals:
    """Counts of a training so far."""

    round: int = 0
    games: int = 0
    positions: int = 0
    simulations: int = 0
    seconds: float = 0.0
    aim: int = _POSITIONS
    """Positions of the next round, about."""
    lengths: list[float] = field(default_factory=lambda: [8.0, 8.0])
    """Positions of a game in the last round from a part of the game, and in the last one from anywhere."""
    reports: int = 0


@dataclass
class _Round:
    """What one round brings."""

    played: list[Played | None]
    losses: tuple[float, float] = (float("nan"), float("nan"))
    duels: list[EloDifference | None] = field(default_factory=lambda: [None, None])


class _Run:
    """A training under way."""

    def __init__(
        self,
        inputs: Inputs,
        plan: _Plan,
        threads: int,
        recipe: Recipe,
        folder: _Folder,
        stored: tuple[dict[str, Any], dict[str, Any]] | None,
    ) -> None:
        self._game, self._plan, self._recipe, self._folder = inputs.game, plan, recipe, folder
        self._playing, self._earlier = (Network.initial(inputs, plan.seed, recipe.widths) for _ in range(2))
        learning = Network.initial(inputs, plan.seed, recipe.widths)
        self.learner = Learner(learning, inputs, recipe, plan.seed, plan.memory_mb, folder.path)
        self.crew = Crew(inputs.game, self._playing, recipe.simulations, threads)
        self._promise = Promise(self.crew.workers[0].moves)
        self._lengths = self.crew.workers[0].random_lengths(plan.seed)
        self.curve: list[Progress] = []
        self._totals = _Totals()
        if stored is not None:
            self._restore(*stored)
        self._saved = time.perf_counter()

    @property
    def _share(self) -> float:
        """Share of the training that is over."""
        if self._plan.rounds is not None:
            return self._totals.round / self._plan.rounds
        return self._totals.seconds / (60.0 * self._plan.minutes)

    def to_end(self, progress: Callable[[Progress], object] | None) -> None:
        """Learn until the time, or the number of rounds, is over."""
        with limited(Limits()):
            self._warm_up()
            while self._share < 1.0:
                self._play_round()
                if progress is not None:
                    progress(self.curve[-1])
                late = time.perf_counter() - self._saved > SAVED_SECONDS or self.learner.is_due
                if self._folder.path is not None and (late or self._totals.round == 1):
                    self._save()

    def _warm_up(self) -> None:
        """Compile what the training needs, so that no time of it is spent on that."""
        idle = self._orders([0], 0)[0]._replace(simulations=2)
        self.crew.workers[0].play(idle, self._promise.table)
        for player in self._players(0):
            player.search(self._game(), simulations=1)

    def _players(self, seed: int) -> list[MCTS]:
        """Return searches with the network, with playouts, and with the network at the last report."""
        return [MCTS(network=network, seed=seed) for network in (self._playing, None, self._earlier)]

    def _play_round(self) -> None:
        began = time.perf_counter()
        totals, share = self._totals, self._share
        np.copyto(self._playing.weights, self.learner.network.weights)
        random = np.random.default_rng([abs(self._plan.seed), totals.round])
        games = min(max(round(totals.aim / totals.lengths[_kind(totals.round)]), 4), _MOST_GAMES)
        reach = self._promise.reach
        starts = self._recipe.starts(share, totals.round, games, self._lengths, reach, random)
        orders = self._orders(starts, totals.round)
        promising = self._promise.table
        found = _Round([None] * len(orders))

        def learn(worker: Worker) -> None:
            found.losses = self.learner.train(share)

        def measure(worker: Worker) -> None:
            seconds = max(_DUEL_SHARE * 60.0 * self._plan.minutes / _REPORTS, _DUEL_SECONDS)
            start, seed = self._game(), totals.round
            ours, *others = self._players(seed)
            found.duels = [
                duel(start, (ours, other), _DUEL_SIMULATIONS, games=_DUEL_GAMES, seconds=seconds, seed=seed)
                for other in others
            ]

        def play(number: int) -> Callable[[Worker], None]:
            def play_one(worker: Worker) -> None:
                found.played[number] = worker.play(orders[number], promising)

            return play_one

        is_report = int(share * _REPORTS) > totals.reports
        tasks = [learn, *([measure] if is_report else []), *map(play, range(len(orders)))]
        self.crew.run(tasks)
        if is_report:
            totals.reports = int(share * _REPORTS)
            np.copyto(self._earlier.weights, self._playing.weights)
        self._take(found, time.perf_counter() - began)

    def _orders(self, starts: list[int], number: int) -> list[Orders]:
        streams = new_streams(self._plan.seed, 1 + number)
        counters = streams[0] + np.arange(len(starts), dtype=np.uint64) * streams[1]
        turns = self._game.symmetries
        return [self._recipe.orders(*one, turns) for one in zip(counters, starts, strict=True)]

    def _take(self, found: _Round, seconds: float) -> None:
        """Add what a round brought to the window and the counts."""
        if not self.learner.is_finite:
            raise SettingsError(
                f"weights of the network became infinite or no numbers in round {self._totals.round}",
                mend="resume from the last checkpoint, or begin again with another seed",
            )
        totals = self._totals
        counts = np.zeros(7, np.int64)
        self._promise.begin_round()
        for game in found.played:
            assert game is not None
            counts += game.counts
            self._promise.add(game.tries, game.proofs)
            if game.counts[self_play.POSITIONS]:
                self.learner.add(game.words, int(game.counts[self_play.POSITIONS]))
        totals.lengths[_kind(totals.round)] = max(int(counts[self_play.POSITIONS]) / len(found.played), 0.5)
        totals.round += 1
        totals.games += len(found.played)
        totals.positions += int(counts[self_play.POSITIONS])
        totals.simulations += int(counts[self_play.SIMULATIONS])
        totals.seconds += seconds
        tested = max(int(counts[self_play.TESTED]), 1)
        self.curve.append(
            Progress(
                totals.round,
                min(self._share, 1.0),
                totals.seconds,
                totals.games,
                totals.positions,
                totals.simulations,
                len(found.played) / seconds,
                int(counts[self_play.PROVEN_POSITIONS]) / max(int(counts[self_play.POSITIONS]), 1),
                int(counts[self_play.POLICY_ERRORS]) / tested,
                int(counts[self_play.VALUE_ERRORS]) / tested,
                *found.losses,
                *found.duels,
            )
        )
        if self._plan.rounds is None:
            least, most = _ROUND_SECONDS
            aim = min(max(60.0 * self._plan.minutes / 200.0, least), most)
            totals.aim = min(max(int(totals.aim * min(max(aim / seconds, 0.5), 2.0)), 64), 2**20)

    def _save(self) -> None:
        told = {**asdict(self._plan), "totals": asdict(self._totals), "recipe": asdict(self._recipe)}
        told |= {
            "name": self._game.name,
            "rules": rules_digest(self._game),
            "curve": stored_curve(self.curve),
        }
        promise = {
            "tries": self._promise.tries,
            "proofs": self._promise.proofs,
            "earlier": self._earlier.weights,
        }
        self._folder.write(told, {**self.learner.arrays(), **promise})
        self._saved = time.perf_counter()

    def _restore(self, told: dict[str, Any], arrays: dict[str, Any]) -> None:
        if told.get("rules") != rules_digest(self._game):
            raise SettingsError(
                f"the rules of {self._game.name} have changed since {self._folder.path} was written",
                mend="delete it, and begin again",
            )
        try:
            self.learner.restore(arrays)
            self._promise.tries[:], self._promise.proofs[:] = arrays["tries"], arrays["proofs"]
            self._earlier.weights[:] = arrays["earlier"]
            self._totals = _Totals(**told["totals"])
            same = told["recipe"] == self._recipe
        except (KeyError, ValueError, TypeError) as error:
            raise SettingsError(
                f"the checkpoint in {self._folder.path} is of another network: {error}",
                mend="delete it, or use the version of Branchwise and of the rules that wrote it",
            ) from error
        if not same:
            raise SettingsError("the training to resume has another recipe", mend="give the same")
        self.curve = [_progress_of(one) for one in told["curve"]]


def stored_curve(curve: Sequence[Progress]) -> list[dict[str, Any]]:
    """Return what files keep of a curve: reports, the first round of each hundredth, and the last one.

    Rounds in which nothing was trained, and losses are unknown, are left out.
    """
    kept: list[dict[str, Any]] = []
    hundredth = -1
    for one in curve:
        is_new = int(100 * one.share) > hundredth
        if (is_new or one.is_report or one is curve[-1]) and math.isfinite(one.value_loss):
            kept.append(asdict(one))
            hundredth = int(100 * one.share)
    return kept


def _progress_of(told: dict[str, Any]) -> Progress:
    for name in ("playouts", "earlier"):
        told[name] = None if told[name] is None else EloDifference(**told[name])
    return Progress(**told)


def _kind(number: int) -> bool:
    return number % ANYWHERE == 0
