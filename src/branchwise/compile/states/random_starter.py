"""Compiled methods of games with a random starter: the game's own on the same record, turned to players.

The rules of such a variant (`branchwise.game.random_starter`) list moves and give returns by side. In
compiled code these methods replace them: one call of the game's own method, and its numbers moved to the
players in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba import njit

from branchwise.core.machine.kernel import INNER
from branchwise.core.simulation.playout import draw_from_few

if TYPE_CHECKING:
    from branchwise.compile.states.native_types import Rules


@njit(**INNER)
def _turn(values: Any, places: int) -> None:
    """Move the numbers of a float64 array `places` further on, from its end to its front."""
    last = values.size - 1
    for _ in range(places):
        moved = values[last]
        for i in range(last, 0, -1):
            values[i] = values[i - 1]
        values[0] = moved


@njit(**INNER)
def _fill_legal_actions(self: Any, actions: Any) -> Any:
    return self.inner_state.fill_legal_actions(actions)


@njit(**INNER)
def _write_returns(self: Any, out: Any) -> None:
    self.inner_state.write_returns(out)
    _turn(out, (self.starter - self.first_side) % self.num_players)


@njit(**INNER)
def _write_evaluation(self: Any, out: Any) -> None:
    self.inner_state.write_evaluation(out)
    if self.starter < 0:
        out[:] = out.sum() / out.size
    else:
        _turn(out, (self.starter - self.first_side) % self.num_players)


def starter_methods(game: Rules) -> dict[str, Any]:
    """Return the methods of the states of a variant with a random starter; game : the game's own rules."""
    methods = {
        "fill_legal_actions": _fill_legal_actions,
        "write_returns": _write_returns,
        "write_evaluation": _write_evaluation,
    }
    if "draw_from_few" in game.internal:
        methods["draw_from_few"] = draw_from_few
    return methods
