"""Where a game stands in OpenSpiel: the state, what was paid, what is to be drawn, what players have seen.

What rules draw at random comes from a seed. OpenSpiel's games in Python have no random numbers of their own,
so chance gives the seed, in `SEED_LENGTH` outcomes, each one of `SEED_PARTS`.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from branchwise.common.players import CHANCE, NO_ACTION, TERMINAL
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.interop.shared.episode import legal_of
from branchwise.interop.shared.recall import Recall
from branchwise.rules.facts.dice import possible_outcomes, sampled_outcome
from branchwise.rules.facts.facts import GameFacts, apply_legal, reward_of

SEED_LENGTH, SEED_PARTS = 4, 256
_START = -1
"""What waits for a seed at the start, in place of an action."""


class Position:
    """A state with what OpenSpiel asks besides. Copies share it until one of them changes.

    state : of the game.   draws_start : whether it is to be drawn first.   hides : whether information is
    hidden, so that what players have seen is needed.
    """

    def __init__(
        self, state: Game, facts: GameFacts, *, draws_start: bool = False, hides: bool = False
    ) -> None:
        self.state = state
        self.facts = facts
        self.decisions = 0
        self.last = [0.0] * facts.num_players
        """What each player was paid for the last decision and the chance after it."""
        self.total = [0.0] * facts.num_players
        self._hides = hides
        self.recall = Recall(state) if hides and not draws_start else None
        self._waiting = _START if draws_start else None
        """The action whose result is to be drawn."""
        self._seed: tuple[int, ...] = ()
        self._is_shared = False
        self._player: int | None = None
        """What `player` gives, once it is known."""

    def __deepcopy__(self, memo: object) -> Position:
        self._is_shared = True
        return self

    def to_change(self) -> Position:
        """Return the position that its owner may change: this one, or a copy if others have it, too."""
        if not self._is_shared:
            return self
        twin = copy(self)
        twin.last, twin.total, twin._is_shared = list(self.last), list(self.total), False
        if self.recall is None:  # with it, every move makes a copy
            twin.state = self.state.copy()
        return twin

    @property
    def player(self) -> int:
        """The player to move, CHANCE, or SIMULTANEOUS; TERMINAL if the game is over.

        One that pays on the way is also over by its length.
        """
        if self._player is None:
            facts = self.facts
            if self._waiting is not None:
                self._player = CHANCE
            elif self.state.is_terminal() or (facts.pays and self.decisions >= facts.max_game_length):
                self._player = TERMINAL
            else:
                self._player = int(self.state.current_player())
        return self._player

    @property
    def has_begun(self) -> bool:
        """Whether the start is known, so that there is something to see."""
        return self._waiting != _START

    @property
    def _gives_seed(self) -> bool:
        """Whether chance gives a seed now."""
        return self._waiting is not None or (self.facts.samples and self.player == CHANCE)

    def outcomes(self) -> list[tuple[int, float]]:
        """Return what chance can do, with probabilities."""
        if self._gives_seed:
            return [(part, 1 / SEED_PARTS) for part in range(SEED_PARTS)]
        return sorted(possible_outcomes(self.state))

    def apply(self, action: int) -> None:
        """Apply an action of a player, or an outcome of chance."""
        gives_seed, player = self._gives_seed, self.player
        self._player = None
        if gives_seed:
            self._seed += (action,)
            if len(self._seed) == SEED_LENGTH:
                self._draw(Random(int.from_bytes(bytes(self._seed), "little")))
            return
        if player != CHANCE:
            self._begin_decision()
        if self.facts.simulates:
            self._waiting = action
        else:
            self._move(action)

    def apply_joint(self, actions: list[int]) -> None:
        """Apply a joint move; the action of a player without a choice is ignored."""
        chosen = enumerate(actions)
        joint = tuple(one if legal_of(self.state, player) else NO_ACTION for player, one in chosen)
        self._begin_decision()
        self._player = None
        self._move(joint)

    def undrawn(self) -> str:
        """Return what is known of a seed that chance gives now, as text; empty at other times."""
        waits = "" if self._waiting is None else f" for {self._waiting}"
        return f"seed {list(self._seed)}{waits}" if self._gives_seed else ""

    def _begin_decision(self) -> None:
        self.decisions += 1
        self.last = [0.0] * self.facts.num_players

    def _draw(self, random: Random) -> None:
        """Let the rules draw what waits for it."""
        action, self._waiting, self._seed = self._waiting, None, ()
        if action == _START:
            self.state = type(self.state).new_initial_state(random)
            self.recall = Recall(self.state) if self._hides else None
        else:
            self._move(sampled_outcome(self.state, random) if action is None else action, random)

    def _move(self, action: Any, random: Random | None = None) -> None:
        if self.recall is not None:
            self.state = self.state.copy()  # the recall keeps the other one
        given = apply_legal(self.state, action, random)
        self.recall = self.recall and Recall(self.state, self.recall, action)
        if self.facts.pays:
            for player, reward in enumerate(reward_of(self.state, given, self.facts)):
                self.last[player] += reward
                self.total[player] += reward
        elif self.state.is_terminal():
            self.last = self.total = [float(value) for value in self.state.returns()]
