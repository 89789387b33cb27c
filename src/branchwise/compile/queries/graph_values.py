"""Values of the states of a graph, whether compiled rules listed it, plain Python, or a table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE, TERMINAL
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.stopping.time_slices import run_in_slices
from branchwise.core.exact.end_components import leave_out
from branchwise.core.exact.reachable_states import NO_HORIZON, NO_ROOM, Reached
from branchwise.core.exact.state_values import (
    GROUP,
    LONGEST,
    MAY_STAY,
    Groups,
    Values,
    choose,
    group,
    settle,
    settle_for_all,
)
from branchwise.core.machine.kernel_status import DONE

keep_on_disk()

_OF_A_DECISION = 1e-3
"""Difference of expected times to an end that counts as none, in decisions."""
_SLOW = 1e-4
"""Required change of a sweep, as a share of the tolerance, if neither bounds nor a discount are known."""
LARGEST_SOLVED = 1000
"""Most states of a group whose values are computed by linear equations."""


class NotSettledError(Exception):
    """Values in a group of states that can reach one another did not converge."""

    def __init__(self, apart: float) -> None:
        super().__init__("play can go on for ever")
        self.apart = apart
        """Gap between the bounds of a value; infinite without bounds."""


class CycleError(Exception):
    """Play can return to a state."""


class Settled(NamedTuple):
    """Values of N states.

    values : float64 [N, V], those of player 0, or of all.   order : int32 [N], most states after those that
    they lead to; without the states whose values were known.   has_cycle : whether play can return to a
    state.
    """

    values: NDArray[np.float64]
    order: NDArray[np.int32]
    has_cycle: bool


_WHOLE = {"players": np.int8, "first": np.int64, "actions": np.int32, "targets": np.int32}
"""The types of arrays of whole numbers."""


def new_graph(**arrays: Any) -> Reached:
    """Return a graph of states and steps, without a horizon.

    arrays : players, final, first, actions, targets, chances and rewards, as in `Reached`.
    """
    nothing = np.zeros(0)
    return Reached(
        facts=np.zeros(3, np.int64),
        table=np.zeros(0, np.int32),
        left=np.full(len(arrays["players"]), NO_HORIZON, np.int32),
        moves=np.zeros(0, np.int32),
        odds=nothing,
        numbers=nothing,
        **{name: np.asarray(array, _WHOLE.get(name, np.float64)) for name, array in arrays.items()},
    )


def _sources_of(graph: Reached) -> NDArray[np.int64]:
    """Return the state from which each step leads, [E]."""
    return np.repeat(np.arange(len(graph.players)), np.diff(graph.first))


def _with_steps(graph: Reached, kept: NDArray[np.int64], sources: NDArray[np.int64]) -> Reached:
    """Return the graph with the steps `kept` alone, which come state by state; sources : of all steps."""
    counts = np.bincount(sources[kept], minlength=len(graph.players))
    return graph._replace(
        first=np.concatenate(([0], np.cumsum(counts))),
        targets=graph.targets[kept],
        chances=graph.chances[kept],
        rewards=graph.rewards[kept] if graph.rewards.size else graph.rewards,
    )


def settled(
    graph: Reached,
    known: NDArray[np.float64],
    discount: float,
    bounds: tuple[float, float] | None,
    tolerance: float,
    *,
    alone: bool,
    cycles: bool = True,
    exact: bool = False,
) -> Settled:
    """Return player 0's values of the states of a graph.

    known : values of its first states.   bounds : of future returns; None if there are none.   tolerance :
    maximum error of a value; without bounds and with a discount of 1 it is not sure, see
    `core.exact.state_values.settle`.   alone : whether only player 0 and chance move. Then play may go
    on for ever, and is worth the rewards on the way.   cycles : False raises `CycleError` if play can return
    to a state.   exact : whether values in cycles of at most LARGEST_SOLVED states are exact up to rounding,
    if one player is alone. Raises `NotSettledError`.
    """
    if bounds is None:
        tolerance *= 1.0 - discount or _SLOW
    groups = grouped(graph, len(known))
    has_cycle = bool(groups.facts[LONGEST] > 0)
    if has_cycle and not cycles:
        raise CycleError
    own_order = groups.order[: len(graph.players) - len(known)]
    place: slice | NDArray[np.int64] = slice(None)
    if groups.facts[MAY_STAY] and alone and discount == 1.0:
        stays = graph.rewards.size > 0 and (bounds is None or bounds[0] <= 0.0 <= bounds[1])
        graph, place = _put_together(graph, groups, len(known), stays=stays)
        groups = grouped(graph, len(known))
    used = len(graph.players)
    low = np.zeros(used) if bounds is None else np.full(used, bounds[0])
    high = np.zeros(0) if bounds is None else np.full(used, bounds[1])
    low[: len(known)] = known
    high[: len(known)] = known[: len(high)]
    values = Values(np.zeros(2, np.int64), low, high, np.zeros(1), np.zeros((0, 1)), np.zeros(0, np.int64))
    largest = LARGEST_SOLVED if alone else 0

    def settle_some(most: int) -> int:
        return int(call(settle, graph, groups, values, discount, tolerance, largest, exact, most))

    while (status := run_in_slices(settle_some)) == NO_ROOM:
        begin, end = groups.start[values.facts[GROUP] :][:2]
        size = int(end - begin)
        values = values._replace(matrix=np.zeros((size, size + 1)), policy=np.zeros(size, np.int64))
    if status != DONE:
        raise NotSettledError(np.inf if bounds is None else float(np.max(high - low)))
    found = low if bounds is None else (low + high) / 2.0
    return Settled(found[place][:, None], own_order, has_cycle)


def settled_for_all(graph: Reached, discount: float) -> Settled:
    """Return all players' values by backward induction; raises `CycleError` if a state can come again."""
    groups = grouped(graph, 0)
    if groups.facts[LONGEST] > 0:
        raise CycleError
    values = np.zeros_like(graph.final)
    call(settle_for_all, graph, groups.order, values, discount)
    return Settled(values, groups.order, False)


def choices(
    graph: Reached, found: Settled, gains: NDArray[np.float64], slack: float, *, alone: bool
) -> NDArray[np.int64]:
    """Return the step that the player to move takes in each state, -1 where no player is to move.

    gains : float64 [E, players], what each can expect after each step.   slack : difference of gains that
    counts as none.   Among equally good steps a player takes one that leads towards an end; a player alone,
    to the soonest.
    """
    size = len(graph.players)
    chosen, ends, good = np.full(size, -1), np.zeros(size, np.bool_), np.zeros(len(gains), np.bool_)
    call(choose, graph, found.order, gains, slack, good, ends, chosen)
    if not (alone and found.has_cycle and ends.all()):
        return chosen
    sources = _sources_of(graph)
    costs = np.where(graph.players[sources] == CHANCE, 0.0, -1.0)
    paid = graph._replace(final=np.zeros_like(graph.final), rewards=costs[:, None])
    kept = np.flatnonzero(good)
    quickest = _with_steps(paid, kept, sources)
    times = settled(quickest, np.zeros(0), 1.0, None, _OF_A_DECISION, alone=True, exact=True)
    soonest = choices(quickest, times, gains_of(quickest, times.values, 1.0), _OF_A_DECISION, alone=False)
    return np.where(soonest < 0, -1, kept[soonest])


def gains_of(graph: Reached, values: NDArray[np.float64], discount: float) -> NDArray[np.float64]:
    """Return the reward for each step with the value after it, [E, V]."""
    factors = np.where(graph.players[graph.targets] >= 0, discount, 1.0)
    ahead: NDArray[np.float64] = factors[:, None] * values[graph.targets]
    return ahead + graph.rewards if graph.rewards.size else ahead


def _put_together(
    graph: Reached, groups: Groups, known: int, *, stays: bool
) -> tuple[Reached, NDArray[np.int64]]:
    """Return the graph in which each component where the player can stay for nothing is one state.

    Also returns the place of each state in it.   stays : whether staying for ever is allowed, for a return of
    0: then one of the steps inside leads to an end, which is added behind all states.
    """
    size, sources = len(graph.players), _sources_of(graph)
    is_free = graph.rewards[:, 0] == 0.0 if graph.rewards.size else np.ones(len(sources), np.bool_)
    order, before = groups.order[: size - known], 0
    while True:
        component = np.minimum(groups.number, 0)
        call(leave_out, graph, order, component)
        inner = is_free & (component[sources] < 0) & (component[sources] == component[graph.targets])
        inside = np.flatnonzero(inner)
        if len(inside) == before:
            break
        before = len(inside)
        groups = grouped(_with_steps(graph, inside, sources), known)
    if not inside.size:
        return graph, np.arange(size)
    # All states of a component have a step inside; its first one stands for staying.
    _, firsts, numbers = np.unique(component[sources[inside]], return_index=True, return_inverse=True)
    staying = inside[firsts]
    leaders = sources[staying]
    place = np.arange(size)
    place[sources[inside]] = leaders[numbers]
    players = np.where(component < 0, TERMINAL, graph.players)
    players[leaders] = 0
    sources, targets, chances = place[sources], place[graph.targets], graph.chances.copy()
    if stays:
        inner[staying], targets[staying], chances[staying] = False, size, 1.0
    kept = np.flatnonzero(~inner)
    kept = kept[np.argsort(sources[kept], kind="stable")]
    if not np.isin(leaders, sources[kept]).all():
        raise NotSettledError(np.inf)
    joined = graph._replace(
        players=np.append(players, np.int8(TERMINAL)),
        final=np.vstack((graph.final, np.zeros((1, graph.final.shape[1])))),
        targets=targets.astype(np.int32),
        chances=chances,
    )
    return _with_steps(joined, kept, sources), place


def grouped(graph: Reached, known: int) -> Groups:
    """Return the groups of the states of a graph, of which the first `known` already have values."""
    size = len(graph.players)
    number, low, path, waiting, order = (np.zeros(size, np.int32) for _ in range(5))
    placed, step, start = np.zeros(size, np.bool_), np.zeros(size, np.int64), np.zeros(size + 1, np.int32)
    groups = Groups(np.zeros(8, np.int64), number, low, placed, path, step, waiting, order, start)
    groups.number[:known] = 1
    groups.placed[:known] = True
    groups.facts[0] = known
    run_in_slices(lambda steps: int(call(group, graph, groups, steps)))
    return groups
