"""An episode of a game, stepped decision by decision, as environments for learners see it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.game.kinds.continuous_actions import refuse
from branchwise.game.kinds.game_kinds import is_partially_observed
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.games import load_game
from branchwise.rules.facts.dice import Dice
from branchwise.rules.facts.facts import GameFacts, apply_legal, facts_of, reward_of


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
        """Take an action, and return the rewards, one a player. Raises `ActionError` if it is illegal.

        Where all players move at once, it is a tuple with an action of each.
        """
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

    def mask(self, player: int | None = None) -> NDArray[np.int8]:
        """Return 1 for each legal action of the player to move, or of `player`, else 0; see `action_mask`."""
        return action_mask(self.state, player)

    def choosing(self) -> list[int]:
        """Return the players who have to choose an action now: one, or all with a choice; none at the end."""
        if self.is_over or self.is_truncated:
            return []
        mover = self.state.current_player()
        if mover != SIMULTANEOUS:
            return [mover]
        return [player for player in range(self._facts.num_players) if legal_of(self.state, player)]

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


def action_mask(state: Game, player: int | None = None) -> NDArray[np.int8]:
    """Return 1 for each action that is legal in a state, else 0; all 0 if the game is over.

    player : whose actions, where all players move at once.   Raises `GameError` for continuous actions, which
    have no mask.
    """
    refuse(type(state), "have no mask")
    mask = np.zeros(state.num_actions, np.int8)
    if not state.is_terminal():
        mask[legal_of(state, player)] = 1
    return mask


def legal_of(state: Game, player: int | None) -> list[int]:
    """Return the legal actions of the player to move, or of `player` where all players move at once."""
    rules: Any = state
    legal: list[int] = (
        rules.legal_actions(player) if state._joint and player is not None else rules.legal_actions()
    )
    return legal


def episode_facts(game: type[Game], library: str) -> GameFacts:
    """Return the facts of a game that is to be one of another library; raises `GameError` if it cannot be.

    library : its name.
    """
    if is_partially_observed(game):
        raise GameError(
            f"{game.name} is partially observed: its planner sees what its method observe draws, which "
            f"Branchwise does not show to {library}",
            mend="search it with bw.MCTS, which keeps a belief, or let the bot pomcp play it",
        )
    return facts_of(game.new_initial_state(Random(0)), joint=True)


def game_class(game: str | type[Game], kind: str) -> type[Game]:
    """Return the class of a game given by name or as a class; raises `GameError` for anything else.

    kind : what else the caller might be thought to accept, for the error.
    """
    rules = load_game(game) if isinstance(game, str) else game
    if not (isinstance(rules, type) and issubclass(rules, Game)):
        raise GameError(f"{game!r} is no game", mend=f'give a class, or a name such as "{kind}"')
    return rules
