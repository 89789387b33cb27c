"""Running the compiled form of a game in which players move at once, for the rule checker."""

from __future__ import annotations

from typing import Any

import numpy as np

from branchwise.common.players import SIMULTANEOUS
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.queries.checked_games import CompiledRules
from branchwise.core.checking.checked_games import NUM_FACTS, START
from branchwise.core.checking.checked_joint_games import TOGETHER, JointSight, observe_joint
from branchwise.core.numbers.random_streams import NUM_STREAMS
from branchwise.game.rules_class import Game

keep_on_disk()


class CompiledJointState(CompiledRules):
    """A state of `game` with compiled rules, at first the initial state; see `observe.CompiledState`.

    >>> from branchwise.games.rock_paper_scissors import RockPaperScissors
    >>> state = CompiledJointState(RockPaperScissors)
    >>> state.choices
    ((0, 1, 2), (0, 1, 2))
    >>> state.apply((0, 1))
    >>> state.terminal, state.returns
    (True, (-1.0, 1.0))
    """

    box = None
    was_left = False

    def __init__(self, game: type[Game]) -> None:
        players, distinct = game.num_players, max(game.num_actions, game.num_outcomes)
        sight = JointSight(
            facts=np.zeros(NUM_FACTS, np.int64),
            joint=np.zeros(players, np.int64),
            counts=np.zeros(players, np.int64),
            choices=np.zeros((players, distinct), np.int32),
            actions=np.zeros(distinct, np.int32),
            chances=np.zeros(distinct),
            returns=np.zeros(players),
            rewards=np.zeros(players),
            evaluation=np.zeros(players),
            streams=np.zeros(NUM_STREAMS, np.uint64),
        )
        super().__init__(game, sight)
        self.start()

    def start(self, state: Game | None = None) -> None:
        """Go to the initial state, or to `state`."""
        self._states.records[0] = (state or self._game()).to_record()
        self._answer(START)

    def apply(self, action: Any) -> None:
        """Apply a legal action or outcome, or a tuple with one action a player."""
        if type(action) is tuple:
            self._sight.joint[:] = action
            action = TOGETHER
        self._answer(action)

    def _answer(self, action: int) -> None:
        call(observe_joint, self._states, action, self._sight)

    @property
    def choices(self) -> tuple[tuple[int, ...], ...] | None:
        """The legal actions of each player where all move at once; else None."""
        if self.terminal or self.player != SIMULTANEOUS:
            return None
        sight = self._sight
        return tuple(tuple(row[:n].tolist()) for row, n in zip(sight.choices, sight.counts, strict=True))
