"""An episode of a game, stepped decision by decision, as environments for learners see it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.boxes import refuse
from branchwise.draws import Random
from branchwise.errors import GameError
from branchwise.game import Game
from branchwise.games import load_game
from branchwise.players import CHANCE
from branchwise.rules.dice import Dice
from branchwise.rules.facts import GameFacts, apply_legal, reward_of


class Episode:
    """One episode. A step is a decision with the outcomes of chance that follow it, and their rewards.

    Rewards are not discounted. A game with `returns` pays them with its last step.

    game : the class.   facts : those of its states.   random : source of everything that is random.
    """

    def __init__(self, game: type[Game], facts: GameFacts, random: np.random.Generator) -> None:
        self._random = random
        self._facts = facts
        self._is_random = facts.num_outcomes > 0 or facts.simulates
        self.state = game.new_initial_state(Random(self._draw()))
        """The current state, in which a player is to move, or which is over."""
        self.moves = 0
        """Decisions and outcomes of chance so far."""
        self._owed = self._let_chance_happen()  # paid with the first step

    def step(self, action: Any) -> NDArray[np.float64]:
        """Take an action, and return the rewards, one a player. Raises `ActionError` if it is illegal."""
        checked = self.state.check_action(action)
        paid = self.wait()
        random = Random(self._draw()) if self._is_random else None
        paid += self._paid(apply_legal(self.state, checked, random))
        paid += self._let_chance_happen()
        if self.state.is_terminal() and not self._facts.pays:
            paid += self.state.returns()
        return paid

    def wait(self) -> NDArray[np.float64]:
        """Let a step pass in which nothing is done, and return the rewards that are still owed."""
        self.moves += 1
        paid, self._owed = self._owed, np.zeros(self._facts.num_players)
        return paid

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(self.state.is_terminal())

    @property
    def is_truncated(self) -> bool:
        """Whether the episode ends because of its length, `max_game_length` moves, outcomes included."""
        return not self.is_over and self.moves >= self.state.max_game_length

    def mask(self) -> NDArray[np.int8]:
        """Return 1 for each legal action, else 0; raises `GameError` for continuous actions."""
        return action_mask(self.state)

    def _draw(self) -> int:
        return int(self._random.integers(2**63))

    def _let_chance_happen(self) -> NDArray[np.float64]:
        """Draw outcomes of chance until a player is to move, and return their rewards."""
        paid = np.zeros(self._facts.num_players)
        dice: Dice | None = None
        while not self.state.is_terminal() and self.state.current_player() == CHANCE:
            dice = dice or Dice(self._draw())
            paid += self._paid(apply_legal(self.state, dice.roll(self.state)))
            self.moves += 1
        return paid

    def _paid(self, given: object) -> NDArray[np.float64]:
        if not self._facts.pays:
            return np.zeros(self._facts.num_players)
        return np.array(reward_of(self.state, given, self._facts))


def action_mask(state: Game) -> NDArray[np.int8]:
    """Return 1 for each action that is legal in a state, else 0; all 0 if the game is over.

    Raises `GameError` for continuous actions, which have no mask.
    """
    refuse(type(state), "have no mask")
    mask = np.zeros(state.num_actions, np.int8)
    if not state.is_terminal():
        mask[state.legal_actions()] = 1
    return mask


def game_class(game: str | type[Game], kind: str) -> type[Game]:
    """Return the class of a game given by name or as a class; raises `GameError` for anything else.

    kind : what else the caller might be thought to accept, for the error.
    """
    rules = load_game(game) if isinstance(game, str) else game
    if not (isinstance(rules, type) and issubclass(rules, Game)):
        raise GameError(f"{game!r} is no game", mend=f'give a class, or a name such as "{kind}"')
    return rules
