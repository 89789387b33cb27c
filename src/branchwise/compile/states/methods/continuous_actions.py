"""Continuous actions: their bounds, drawing them, applying them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from numba import njit

from branchwise.compile.states.methods.returned_numbers import store_rewards, storing_vector
from branchwise.core.machine.kernel import INNER

_store_low = storing_vector("action_low")
_store_high = storing_vector("action_high")
_store_action = storing_vector("sample_action")


@njit(**INNER)
def _write_box(self, low, high):
    """Write the bounds of an action in this state into `low` and `high`, float64; NaN if they are invalid."""
    self.write_low(low)
    self.write_high(high)


@njit(**INNER)
def _write_low(self, out):
    _store_low(self, out, self.action_low())


@njit(**INNER)
def _write_high(self, out):
    _store_high(self, out, self.action_high())


@njit(**INNER)
def _write_same_low(self, out):
    _store_low(self, out, self.action_low)


@njit(**INNER)
def _write_same_high(self, out):
    _store_high(self, out, self.action_high)


@njit(**INNER)
def _draw_action(self, random, out):
    """Write an action drawn by the rules into `out`, float64; NaN if it has another length."""
    _store_action(self, out, self.sample_action(random))


@njit(**INNER)
def _apply_vector_for_rewards(self, action, out, start):
    """Apply a continuous action and write its rewards to `out`, float64, from `start` on."""
    store_rewards(self, out, start, self.apply_action(action))


@njit(**INNER)
def _apply_vector_randomly(self, action, random):
    """Apply a continuous action of a simulator; random : source of its random numbers."""
    self.apply_action(action, random)


@njit(**INNER)
def _apply_vector_randomly_for_rewards(self, action, random, out, start):
    """The same, and write its rewards to `out`, float64, from `start` on."""
    store_rewards(self, out, start, self.apply_action(action, random))


BOX_METHODS = {
    "apply_for_rewards": _apply_vector_for_rewards,
    "apply_randomly": _apply_vector_randomly,
    "apply_randomly_for_rewards": _apply_vector_randomly_for_rewards,
}
"""Methods for games with continuous actions, in place of those of the same names."""


def box_methods(methods: Collection[str], known: Collection[str]) -> dict[str, Any]:
    """Return the additional and different methods of rules with continuous actions.

    methods : those of the rules' class.   known : the compiled methods so far.
    """
    found = {
        **{name: method for name, method in BOX_METHODS.items() if name in known},
        "write_box": _write_box,
        "write_low": _write_low if "action_low" in methods else _write_same_low,
        "write_high": _write_high if "action_high" in methods else _write_same_high,
    }
    if "sample_action" in methods:
        found["draw_action"] = _draw_action
    return found
