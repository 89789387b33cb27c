"""Values of the states of a graph, whether compiled rules listed it, plain Python, or a table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import TERMINAL
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.stopping.time_slices import run_in_slices
from branchwise.core.exact.end_components import leave_out
from branchwise.core.exact.reachable_states import NO_HORIZON, NO_ROOM, Reached
from branchwise.core.exact.state_values import (
    GROUP,
    GROUPS,
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


_KINDS: dict[str, type] = {
    "players": np.int8,
    "final": np.float64,
    "first": np.int64,
    "actions": np.int32,
    "targets": np.int32,
    "chances": np.float64,
    "rewards": np.float64,
}


def new_graph(**arrays: Any) -> Reached:
    """Return a graph of states and steps, without a horizon; arrays : those in `_KINDS`, as in `Reached`."""
    size, nothing = len(arrays["players"]), np.zeros(0)
    return Reached(
        facts=np.zeros(3, np.int64),
        table=np.zeros(0, np.int32),
        left=np.full(size, NO_HORIZON, np.int32),
        moves=np.zeros(0, np.int32),
        odds=nothing,
        numbers=nothing,
        **{name: np.asarray(arrays[name], kind) for name, kind in _KINDS.items()},
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
    place = None
    if groups.facts[MAY_STAY] and alone and discount == 1.0:
        stays = graph.rewards.size > 0 and (bounds is None or bounds[0] <= 0.0 <= bounds[1])
        graph, place = _put_together(graph, groups, len(known), stays=stays)
        groups = grouped(graph, len(known)) if place is not None else groups
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
    return Settled((found if place is None else found[place])[:, None], own_order, has_cycle)


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

    Among equally good ones it leads towards an end; for one player alone, to the soonest.
    """
    size = len(graph.players)
    chosen, ends = np.full(size, -1, np.int64), np.zeros(size, np.bool_)
    call(choose, graph, found.order, gains, slack, ends, chosen)
    if not (alone and found.has_cycle and ends.all()):
        return chosen
    sources = np.repeat(np.arange(size), np.diff(graph.first))
    best = np.full(size, -np.inf)
    np.maximum.at(best, sources, gains[:, 0])
    decides = graph.players[sources] >= 0
    good = np.flatnonzero(~decides | (gains[:, 0] >= best[sources] - slack))
    quickest = new_graph(
        players=graph.players,
        final=np.zeros((size, 1)),
        first=np.concatenate(([0], np.cumsum(np.bincount(sources[good], minlength=size)))),
        actions=(),
        targets=graph.targets[good],
        chances=graph.chances[good],
        rewards=np.where(decides[good], -1.0, 0.0)[:, None],
    )
    times = settled(quickest, np.zeros(0), 1.0, None, _OF_A_DECISION, alone=True, exact=True)
    soonest = choices(quickest, times, gains_of(quickest, times.values, 1.0), _OF_A_DECISION, alone=False)
    return np.where(soonest < 0, -1, good[soonest])


def gains_of(graph: Reached, values: NDArray[np.float64], discount: float) -> NDArray[np.float64]:
    """Return the reward for each step with the value after it, [E, V]."""
    factors = np.where(graph.players[graph.targets] >= 0, discount, 1.0)
    ahead: NDArray[np.float64] = factors[:, None] * values[graph.targets]
    return ahead + graph.rewards if graph.rewards.size else ahead


def _put_together(
    graph: Reached, groups: Groups, known: int, *, stays: bool
) -> tuple[Reached, NDArray[np.int64] | None]:
    """Return the graph in which each component where the player can stay for nothing is one state.

    Also returns the place of each state in it; None if there is no such component.   stays : whether staying
    for ever is allowed, for a return of 0.
    """
    size = len(graph.players)
    order = groups.order[: size - known]
    component = _labels(groups, size)
    removed = int(call(leave_out, graph, order, component))
    if removed == len(order):
        return graph, None
    sources = np.repeat(np.arange(size), np.diff(graph.first[: size + 1]))
    steps = len(sources)
    targets = graph.targets[:steps]
    while True:
        inner = (component[sources] == component[targets]) & (component[sources] >= 0)
        if graph.rewards.size:
            inner &= graph.rewards[:steps, 0] == 0.0
        if not inner.any():
            return graph, None
        count = np.bincount(sources[inner], minlength=size)
        part = new_graph(
            players=graph.players,
            final=graph.final,
            first=np.concatenate(([0], np.cumsum(count))),
            actions=(),
            targets=targets[inner],
            chances=graph.chances[:steps][inner],
            rewards=graph.rewards[:0],
        )
        finer = _labels(grouped(part, known), size)
        finer[component < 0] = -1
        if removed == 0 and len(np.unique(finer)) == len(np.unique(component)):
            break
        component = finer
        removed = int(call(leave_out, graph, order, component))
    inside = component >= 0
    _, leaders, number = np.unique(component[inside], return_index=True, return_inverse=True)
    leaders = np.flatnonzero(inside)[leaders]
    place = np.arange(size)
    place[inside] = leaders[number]
    leaves = ~inner
    ends = leaders if stays else leaders[:0]
    by = np.concatenate((place[sources[leaves]], ends))
    in_order = np.argsort(by, kind="stable")
    more = len(ends)
    players = graph.players[:size].copy()
    players[inside] = TERMINAL
    players[leaders] = 0
    if not stays and (np.bincount(by, minlength=size)[leaders] == 0).any():
        raise NotSettledError(np.inf)

    def joined(array: NDArray[Any], value: float) -> NDArray[Any]:
        rows = array[:steps][leaves]
        return np.concatenate((rows, np.full((more, *rows.shape[1:]), value, rows.dtype)))[in_order]

    rewards = joined(graph.rewards, 0.0) if graph.rewards.size else graph.rewards
    reduced = new_graph(
        players=np.append(players, TERMINAL),
        final=np.vstack((graph.final[:size], np.zeros((1, graph.final.shape[1])))),
        first=np.concatenate(([0], np.cumsum(np.bincount(by, minlength=size + 1)))),
        actions=(),
        targets=np.concatenate((place[targets[leaves]], np.full(more, size)))[in_order],
        chances=joined(graph.chances, 1.0),
        rewards=rewards,
    )
    return reduced, place


def _labels(groups: Groups, size: int) -> NDArray[np.int64]:
    """Return the number of each state's group; -1 of a state alone, from which no step leads to itself."""
    labels = np.full(size, -1, np.int64)
    count = int(groups.facts[GROUPS])
    starts = groups.start[: count + 1]
    labels[groups.order[: starts[-1]]] = np.repeat(np.arange(count), np.diff(starts))
    return labels


def grouped(graph: Reached, known: int) -> Groups:
    """Return the groups of the states of a graph, of which the first `known` already have values."""
    used = len(graph.players)

    def numbers(kind: Any, more: int = 0) -> NDArray[Any]:
        return np.zeros(used + more, kind)

    groups = Groups(
        facts=np.zeros(8, np.int64),
        number=numbers(np.int32),
        low=numbers(np.int32),
        placed=numbers(np.bool_),
        path=numbers(np.int32),
        step=numbers(np.int64),
        waiting=numbers(np.int32),
        order=numbers(np.int32),
        start=numbers(np.int32, 1),
    )
    groups.number[:known] = 1
    groups.placed[:known] = True
    groups.facts[0] = known
    run_in_slices(lambda steps: int(call(group, graph, groups, steps)))
    return groups
