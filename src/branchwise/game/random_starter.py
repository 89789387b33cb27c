"""Drawing who starts: the variant of a game in which chance first decides which player has which side.

A side is a player's number in the game's own rules. In such a variant, as hex(random_starter=True), chance
moves first. Its outcome is the player who gets the side that starts; the others follow in turn. The fields of
the game come first in a state of the variant, so that its rules run on the same memory: in plain Python on an
object that shares the fields, compiled on the same record (`compile.states.native_types`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.drawing.grid import Cell, Grid, grid_svg
from branchwise.game.kinds.continuous_actions import has_box
from branchwise.game.kinds.game_kinds import (
    REQUIRED_RULES,
    has_chance,
    is_simulator,
    pays_rewards,
    samples_outcomes,
    starts_at_random,
)
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.kinds.random_numbers import Random

OPTION = "random_starter"
INNER = "inner_state"
"""Attribute of a state of the variant: the same state in the game's own rules."""

_FIELD = "starter"
_FIRST = "first_side"
_PASSED_ON = ("playout_action", "is_legal", "sample_action", "prior", "evaluate")
"""Optional rules that the variant has if the game has them."""

COMPILED_RULES = (*REQUIRED_RULES, *_PASSED_ON, "returns", "chance_outcomes")
"""The rules of the variant that are compiled; the game's own are reached through `inner_state`."""


class _Rules:
    """The rules of a variant; `inner_state` follows the game's own rules, in which players are sides."""

    def current_player(self: Any) -> Any:
        if self.starter < 0:
            return CHANCE
        side = self.inner_state.current_player()
        return side if side < 0 else (side + self.starter - self.first_side) % self.num_players

    def legal_actions(self: Any) -> Any:
        yield from self.inner_state.legal_actions()

    def apply_action(self: Any, action: int) -> None:
        if self.starter < 0:
            self.starter = action
        else:
            self.inner_state.apply_action(action)

    def is_terminal(self: Any) -> Any:
        return self.starter >= 0 and self.inner_state.is_terminal()

    def returns(self: Any) -> tuple[float, ...]:
        return _by_player(self, self.inner_state.returns())

    def evaluate(self: Any) -> tuple[float, ...]:
        values = [float(value) for value in self.inner_state.evaluate()]
        if self.starter < 0:
            return (sum(values) / len(values),) * len(values)
        return _by_player(self, values)

    def prior(self: Any, action: int) -> Any:
        return self.inner_state.prior(action)

    def playout_action(self: Any, random: Any) -> Any:
        return self.inner_state.playout_action(random)

    def is_legal(self: Any, action: int) -> Any:
        return self.inner_state.is_legal(action)

    def sample_action(self: Any, random: Any) -> Any:
        return self.inner_state.sample_action(random)

    def action_to_string(self: Any, action: int) -> str:
        return f"player{action}" if self.starter < 0 else self.inner_state.action_to_string(action)

    def action_from_string(self: Any, text: str) -> int:
        if self.starter < 0:
            return int(self._read_starter(text))
        return int(self.inner_state.action_from_string(text))

    def to_grid(self: Any) -> Grid | None:
        grid: Grid | None = self.inner_state.to_grid()
        if grid is None:
            return None
        return replace(
            grid, cells=tuple(tuple(_recoloured(self, cell) for cell in row) for row in grid.cells)
        )

    def to_svg(self: Any) -> Any:
        if self.starter >= 0:
            return type(self)._inner.to_svg(self)
        grid = self.to_grid()
        return None if grid is None else grid_svg(grid)


def _outcomes(self: Any) -> Any:
    for player in range(self.num_players):
        yield player, 1 / self.num_players


def _outcomes_and_later_ones(self: Any) -> Any:
    if self.starter < 0:
        for player in range(self.num_players):
            yield player, 1 / self.num_players
    else:
        yield from self.inner_state.chance_outcomes()


def _setup(self: Any) -> None:
    self.inner_state.setup()


def _random_setup(self: Any, random: Any) -> None:
    self.inner_state.setup(random)


def _inner_state(self: Any) -> Any:
    """The same state in the game's own rules; it shares the fields."""
    state = object.__new__(type(self)._inner)
    object.__setattr__(state, "__dict__", self.__dict__)
    return state


def _player(state: Any, side: int) -> int:
    player: int = (side + state.starter - state.first_side) % state.num_players
    return player


def _by_player(state: Any, values: Any) -> tuple[float, ...]:
    """Return one number a player, given one number a side."""
    places = (state.starter - state.first_side) % state.num_players
    turned = [float(value) for value in values]
    return (*turned[-places:], *turned[:-places]) if places else tuple(turned)


def _recoloured(state: Any, cell: Cell) -> Cell:
    """Return a cell with players in place of sides; before the draw, one that is nobody's."""
    if state.starter < 0:
        return replace(cell, owner=None, action=None)
    return cell if cell.owner is None else replace(cell, owner=_player(state, cell.owner))


def draws_starter(game: type[Any]) -> bool:
    """Whether chance decides who starts, so that no piece on the board belongs to one player in all games.

    >>> from branchwise.games.nim import Nim
    >>> draws_starter(Nim), draws_starter(Nim.configured(random_starter=True))
    (False, True)
    """
    return game._inner is not None


def takes_random_starter(game: type[Any]) -> bool:
    """Whether a game has the option, or is such a variant.

    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> from branchwise.games.nim import Nim
    >>> takes_random_starter(Nim), takes_random_starter(KuhnPoker)
    (True, False)
    """
    return draws_starter(game) or _refusal(game) is None


def check_class(cls: type[Any]) -> None:
    """Raise `GameError` for a class, other than a variant, that takes the place of the option."""
    if cls._inner is not None:
        raise GameError(
            f"{cls.__name__} derives from {cls._inner.name} with a random starter",
            mend=f"derive it from {cls._inner.__name__}, then use {cls.__name__}.configured({OPTION}=True)",
        )
    if cls.__dict__.get(OPTION) is True:
        raise GameError(
            f"{cls.__name__}.{OPTION} = True in the class draws no starter",
            mend=f"leave it out, and use {cls.__name__}.configured({OPTION}=True)",
        )


def variant_body(game: type[Any], reading: Callable[[Any, str], int]) -> dict[str, Any]:
    """Return the content of the class with a random starter, which derives from `game`.

    reading : of an action from its text, as of any game; it reads the outcomes that name the starter.

    Raises `GameError` for a game that has none.
    """
    refusal = _refusal(game)
    if refusal is not None:
        raise GameError(f"{game.name} takes no random starter: {refusal[0]}", mend=refusal[1])
    rules = {
        name: rule
        for name, rule in vars(_Rules).items()
        if callable(rule) and (name not in _PASSED_ON or hasattr(game, name))
    }
    if hasattr(game, "setup"):
        rules["setup"] = _random_setup if starts_at_random(game) else _setup
    return {
        **rules,
        "chance_outcomes": _outcomes_and_later_ones if has_chance(game) else _outcomes,
        INNER: property(_inner_state),
        "__annotations__": {_FIELD: np.int8},
        _FIELD: -1,
        "configure": classmethod(_configure),
        "_inner": game,
        "_read_starter": reading,
    }


def _configure(cls: Any) -> None:
    """Set what the draw changes; all other constants are inherited."""
    game = cls._inner
    cls.num_outcomes = max(game.num_outcomes, game.num_players)
    cls.max_game_length = game.max_game_length + 1
    cls.symmetries = 1
    cls.first_side = max(int(game.new_initial_state(Random(0)).current_player()), 0)


def _refusal(game: type[Any]) -> tuple[str, str] | None:
    """Return why a game takes no random starter, and what to do instead; None if it takes one."""
    if game.num_players < 2:
        return "it has one player", "leave the option out"
    if game._joint:
        return "all players move at once in it", "leave the option out"
    if hides_information(game):
        return "what a player sees in it belongs to a side", "let chance decide who starts in the rules"
    if pays_rewards(game):
        return "it pays rewards on the way", "give the class a method returns"
    if is_simulator(game) or samples_outcomes(game):
        return "its rules draw what happens", "draw who starts in setup(self, random)"
    if has_box(game):
        return "its actions are vectors, which outcomes of chance are not", "leave the option out"
    for name in (INNER, _FIELD, _FIRST):
        if hasattr(game, name):
            return f"it has an attribute {name} of its own", "rename the attribute"
    return None
