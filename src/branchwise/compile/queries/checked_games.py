"""Running the compiled form of a game for the rule checker, beside plain Python or alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import BranchwiseError, RuleLeftError
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.checking.checked_box_games import GIVEN, BoxSight, observe_in_box
from branchwise.core.checking.checked_games import (
    COUNT,
    DRAW,
    GAME,
    MOVES,
    NUM_FACTS,
    PLAYER,
    SAMPLE,
    START,
    TERMINAL,
    WIDEST,
    Games,
    Sight,
    observe,
)
from branchwise.core.machine.kernel_status import DONE
from branchwise.core.numbers.random_streams import NUM_STREAMS, PLAYOUT_STREAM
from branchwise.game.kinds.continuous_actions import box_size, whole_of
from branchwise.game.kinds.random_numbers import Draws
from branchwise.game.rules_class import Game

keep_on_disk()


class PlayedGames:
    """Statistics of random games, up to the first that broke a rule."""

    def __init__(self, games: Games, facts: NDArray[np.int64], faulty: bool) -> None:
        done = int(facts[GAME])
        self.count = done
        """Games that ended without a fault."""
        self.lengths: list[int] = games.lengths[:done].tolist()
        self.returns: list[tuple[float, ...]] = [tuple(row) for row in games.returns[:done].tolist()]
        self.most_actions = int(facts[WIDEST])
        """The largest number of legal actions in one state."""
        self.fault_after: int | None = int(facts[MOVES]) if faulty else None
        """Number of moves after which the next game broke a rule; None if none did."""


class CompiledRules:
    """A state with compiled rules, and their answers there; what `CompiledState` and joint states share.

    game : the rules.   sight : memory for the answers, as in `core.observe.Sight`.
    """

    def __init__(self, game: type[Game], sight: Any) -> None:
        self._game = game
        self._states = NativeRecords(compiled_type(game, watched=True))
        self._sight = sight

    def sample_outcome(self, random: Draws) -> int:
        """Return an outcome drawn by the rules; the state does not change."""
        self._draw(SAMPLE, random)
        return int(self._sight.actions[0])

    def _draw(self, action: int, random: Draws | None) -> None:
        """Let the rules answer after an action, or a draw, for which they draw from `random`."""
        if random is not None:
            self._sight.streams[PLAYOUT_STREAM] = random.counter
        self._answer(action)
        if random is not None:
            random.counter = int(self._sight.streams[PLAYOUT_STREAM])

    def _answer(self, action: int) -> None:
        """Apply an action, go to the start or draw, and write the rules' answers to `sight`."""
        raise NotImplementedError

    @property
    def terminal(self) -> bool:
        return bool(self._sight.facts[TERMINAL])

    @property
    def player(self) -> int:
        """The player to move; undefined when the game is over."""
        return int(self._sight.facts[PLAYER])

    @property
    def legal(self) -> tuple[int, ...]:
        """Legal actions of the player to move, in the order of the rules; undefined when the game is over.

        Empty if actions are continuous, or where all move at once.
        """
        return tuple(self._sight.actions[: self._sight.facts[COUNT]].tolist())

    @property
    def chances(self) -> tuple[float, ...]:
        """Probabilities of the outcomes in `legal`; undefined unless chance is to move."""
        return tuple(self._sight.chances[: self._sight.facts[COUNT]].tolist())

    @property
    def returns(self) -> tuple[float, ...]:
        """One number a player; undefined before the game is over."""
        return tuple(self._sight.returns.tolist())

    @property
    def rewards(self) -> tuple[float, ...]:
        """Rewards of the last action, one number a player."""
        return tuple(self._sight.rewards[: self._game.num_players].tolist())

    @property
    def evaluation(self) -> tuple[float, ...]:
        """One number a player, by default the middle of the bounds; undefined when the game is over."""
        return tuple(self._sight.evaluation.tolist())

    @property
    def record(self) -> NDArray[Any]:
        """The fields, shape (), as from `Game.to_record`."""
        record: NDArray[Any] = self._states.records[0:1].copy().reshape(())
        return record


class CompiledState(CompiledRules):
    """A state of `game` with compiled rules, at first the initial state.

    Raises `GameError` if the rules cannot be compiled. Actions are not checked: apply only legal ones.

    >>> from branchwise.games.nim import Nim
    >>> state = CompiledState(Nim)
    >>> state.apply(2)
    >>> state.player, state.legal, state.record["chips"]
    (1, (0, 1, 2), array([18], dtype=int16))
    """

    def __init__(self, game: type[Game]) -> None:
        self._dimensions = box_size(game)
        super().__init__(game, _box_sight(game) if self._dimensions else _plain_sight(game))
        self._start = NativeRecords(compiled_type(game, watched=True))
        self.was_left = False
        """Whether the last games ended because a rule did not come to an end."""
        self._no_games = self._room_for(np.zeros(0, np.uint64))
        self.start()

    def start(self, state: Game | None = None) -> None:
        """Go to the initial state, or to `state`, at which later games then begin, too."""
        self._start.records[0] = (state or self._game()).to_record()
        self._states.records[0] = self._start.records[0]
        self._observe(START, self._no_games)

    def apply(self, action: Any, random: Draws | None = None) -> None:
        """Play a legal action, a number or a vector; random : source of a simulator's random numbers."""
        if self._dimensions:
            self._sight.vector[:] = action
            action = GIVEN
        self._draw(action, random)

    def sample_action(self, random: Draws) -> tuple[float, ...]:
        """Return an action that the rules' `sample_action` draws, a number as (number,); the state stays."""
        if not self._dimensions:
            self._draw(DRAW, random)
            return (int(self._sight.actions[0]),)
        self._draw(SAMPLE, random)
        return tuple(self._sight.vector.tolist())

    def _answer(self, action: int) -> None:
        self._observe(action, self._no_games)

    def play(self, counters: NDArray[np.uint64]) -> PlayedGames:
        """Play a random game from the start for each of `counters`, until one breaks a rule.

        An exception of the rules counts as a fault. The state stays as the last game left it.
        """
        games = self._room_for(counters)
        self.was_left = False
        try:
            faulty = self._observe(START, games) != DONE
        except BranchwiseError:
            raise
        except Exception as error:  # the same game in plain Python shows what it is, and where
            faulty = True
            self.was_left = isinstance(error, RuleLeftError)
        return PlayedGames(games, self._sight.facts, faulty)

    def _observe(self, action: int, games: Games) -> int:
        kernel = observe_in_box if self._dimensions else observe
        return int(call(kernel, self._states, self._start, action, self._sight, games))

    def _room_for(self, counters: NDArray[np.uint64]) -> Games:
        players = self._game.num_players
        return Games(counters, np.zeros(counters.size, np.int64), np.zeros((counters.size, players)))

    @property
    def box(self) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """The least and the greatest numbers of a continuous action; without meaning once the game is over.

        None where actions are numbered.
        """
        if not self._dimensions:
            return None
        return tuple(self._sight.low.tolist()), tuple(self._sight.high.tolist())

    @property
    def legal(self) -> tuple[int, ...]:
        return () if self._dimensions else super().legal


def _plain_sight(game: type[Game]) -> Sight:
    players, distinct = game.num_players, max(game.num_actions, game.num_outcomes)
    return Sight(
        facts=np.zeros(NUM_FACTS, np.int64),
        actions=np.zeros(distinct, np.int32),
        chances=np.zeros(distinct, np.float64),
        returns=np.zeros(players, np.float64),
        rewards=np.zeros(2 * players, np.float64),
        evaluation=np.zeros(players, np.float64),
        stamps=np.zeros(distinct, np.int64),
        streams=np.zeros(NUM_STREAMS, np.uint64),
    )


def _box_sight(game: type[Game]) -> BoxSight:
    vector, numbers = np.zeros(box_size(game)), np.zeros(game.num_players)
    return BoxSight(
        facts=np.zeros(NUM_FACTS, np.int64),
        vector=vector,
        low=vector.copy(),
        high=vector.copy(),
        whole=whole_of(game, vector.size),
        returns=numbers,
        rewards=np.zeros(2 * numbers.size),
        evaluation=numbers.copy(),
        streams=np.zeros(NUM_STREAMS, np.uint64),
    )
