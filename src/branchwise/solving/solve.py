"""`solve`: exact values and an optimal policy, where the states or the histories of a game can be listed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.argument_checks import number
from branchwise.common.players import TERMINAL
from branchwise.game.kinds.continuous_actions import has_box
from branchwise.game.kinds.game_kinds import is_partially_observed
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.rules_class import Game
from branchwise.problems.decision_process import DecisionProcess
from branchwise.rules.facts.facts import GameFacts, check_is_state, facts_of
from branchwise.solving.state_policy import StatePolicy
from branchwise.testing.state_interface import UnsolvableError
from branchwise.testing.state_tables import NO_HORIZON, explained
from branchwise.testing.successors import check_listable, endless

if TYPE_CHECKING:
    from branchwise.core.exact.reachable_states import Reached
    from branchwise.equilibrium.policy import Policy

TOLERANCE = 1e-10
"""Maximum error of a value where it is found by iteration."""
MOST_BYTES = 8 * 2**30
_ROUNDING = 1e-9
_NOTHING = 1e-12
"""Relative difference of values that counts as none when an action is chosen."""


@dataclass(frozen=True)
class Solution:
    """What `solve` found.

    values : what each player can expect from the start on.   policy : a `StatePolicy`, or with hidden
    information a `Policy`.   states : number of states, or of histories, that were listed.   method : how, in
    words.   seconds : of processor time, compiling included.   exploitability : with hidden information,
    measured by best responses; else None.
    """

    name: str
    values: tuple[float, ...]
    policy: StatePolicy | Policy
    states: int
    method: str
    seconds: float
    exploitability: float | None = None

    @property
    def value(self) -> float:
        """What player 0 can expect."""
        return self.values[0]

    def __str__(self) -> str:
        """Return one line about the values and one about how they were found."""
        values = [f"{round(value, 6) + 0.0:.6f}" for value in self.values]
        told = ", ".join(f"player {player} {value}" for player, value in enumerate(values))
        value = f"value {values[0]}" if len(values) == 1 else told
        what = "states" if self.exploitability is None else "histories"
        text = f"{self.name}: solved exactly, {value}\n"
        text += f"{self.states:,} {what}, {self.seconds:.2f} s, {self.method}"
        return text if self.exploitability is None else f"{text}\nexploitability {self.exploitability:.1e}"

    def to_dict(self) -> dict[str, Any]:
        """Return the values, without the policy, for JSON."""
        told = "values", "states", "method", "seconds", "exploitability"
        return {"game": self.name, **{name: getattr(self, name) for name in told}}


def solve(game: type[Game] | Game, *, seconds: float = 1.0) -> Solution:
    """Return exact values and an optimal policy of a game whose states can be listed.

    game : a rules class, solved from its start; or a state, solved from there. The rules are compiled.
    seconds : of processor time for listing states, compiling excluded. Values of the listed states take
    longer only where they have to be iterated.

    One player gets the best expected return, and two the value of their game if their returns always add up
    to the same. Other games are solved by backward induction, where each player takes the best action, if no
    state can come again. Where two players move at once, each such state is a matrix game; where players do
    not see everything, a linear programme over sequences of actions gives an equilibrium. These two need
    SciPy: `pip install branchwise[equilibrium]`. Play of one player that never ends is worth its rewards.

    Raises `UnsolvableError` for a game that is too large, with how far the listing got, and for one of
    another kind; both tell what to use instead.

    >>> import branchwise as bw
    >>> found = bw.solve(bw.load_game("frozen_lake"))
    >>> round(found.value, 9), found.states
    (0.823529412, 60)
    """
    number("seconds", seconds, 0.0, 1e9, above=True)
    state = game() if isinstance(game, type) and issubclass(game, Game) else game
    check_is_state(state)
    if not isinstance(state, Game):
        raise UnsolvableError(
            f"a {type(state).__name__} is no state of a branchwise.Game",
            mend="branchwise.testing.value_iteration solves states of other classes, in plain Python",
        )
    started = time.process_time()
    found = _found(state, isinstance(game, type), seconds)
    return Solution(**found, name=state.name, seconds=time.process_time() - started)


def _found(state: Game, from_start: bool, seconds: float) -> dict[str, Any]:
    """Return the parts of a solution by name."""
    kind = type(state)
    facts = facts_of(state, joint=True)
    check_solvable(state, facts)
    if hides_information(kind):
        from branchwise.solving.sequence_form import equilibrium

        if not from_start and state != kind():
            raise UnsolvableError(
                f"{facts.name} has hidden information, and is solved from its start", mend="give the class"
            )
        return equilibrium(kind, seconds)
    if isinstance(state, DecisionProcess):
        from branchwise.solving.process_graph import process_graph

        graph, records, start = process_graph(state)
        return _solved_states(_Listed(kind, graph, records, state.to_record(), start), facts)
    from branchwise.compile.queries.exact import ExactStates, FaultyStateError, TooManyStatesError

    try:
        if facts.joint:
            from branchwise.solving.joint_values import solved_jointly

            return solved_jointly(state, facts, seconds)
        states = ExactStates(kind, facts.num_players)
        states.add(state, facts.horizon or NO_HORIZON, seconds=seconds, most_bytes=MOST_BYTES)
    except FaultyStateError as fault:
        raise explained(fault, facts) from fault.__cause__
    except TooManyStatesError as error:
        alone = facts.num_players == 1 and not facts.num_outcomes
        instead = "branchwise optimise, or bw.MCTS" if alone else "bw.MCTS, or its bot mcts"
        raise UnsolvableError(
            f"{facts.name} is too large to be solved in {seconds:g} s: {error.states:,} states were found, "
            f"and {error.states - error.looked_at:,} of them were still to be looked at",
            mend=f"use {instead}; or give more seconds",
        ) from None
    return _solved_states(_Listed(kind, states.graph(), states.records()), facts)


def check_solvable(state: Game, facts: GameFacts) -> None:
    """Raise `UnsolvableError` for a kind of game whose states or histories cannot be listed."""
    kind = type(state)
    if is_partially_observed(kind):
        raise UnsolvableError(f"{facts.name} is partially observed", mend="use the bot pomcp")
    if has_box(kind):
        raise UnsolvableError(f"actions of {facts.name} are continuous", mend="use bw.MCTS, or fewer actions")
    check_listable(state, facts)


class _Listed(NamedTuple):
    """Listed states of a class, and the steps between them.

    records : their content.   common : a record with the fields that `records` leave out; None if there are
    none.   start : the number of the state to begin in.
    """

    kind: type[Game]
    graph: Reached
    records: NDArray[Any]
    common: NDArray[Any] | None = None
    start: int = 0


def _solved_states(listed: _Listed, facts: GameFacts) -> dict[str, Any]:
    """Return the parts of a solution of listed states."""
    from branchwise.compile.queries import graph_values

    graph = listed.graph
    bounds = (facts.min_return, facts.max_return) if facts.is_bounded else None
    alone = facts.num_players == 1
    total = 0.0 if alone else _sum_of_two(graph)
    try:
        if total is None:
            found = graph_values.settled_for_all(graph, facts.discount)
            values, judged, method = found.values, graph, "backward induction"
        else:
            judged = graph._replace(final=graph.final[:, :1].copy(), rewards=graph.rewards[:, :1].copy())
            found = graph_values.settled(
                judged, np.zeros(0), facts.discount, bounds, TOLERANCE, alone=alone, exact=True
            )
            values = found.values if alone else np.hstack((found.values, total - found.values))
            method = "value iteration" if found.has_cycle else "backward induction"
    except graph_values.CycleError:
        raise UnsolvableError(
            f"returns of {facts.name} do not always add up to the same, and play can return to a state",
            mend="use bw.MCTS",
        ) from None
    except graph_values.NotSettledError:
        raise endless(facts) from None
    sizes = (np.abs(array).max(initial=0.0) for array in (graph.final, graph.rewards, found.values))
    slack = max(_NOTHING * (1.0 + max(sizes)), 4.0 * TOLERANCE if found.has_cycle and not alone else 0.0)
    gains = graph_values.gains_of(judged, found.values, facts.discount)
    if total is not None and not alone:
        gains = np.hstack((gains, total - gains))
    chosen = graph_values.choices(judged, found, gains, slack, alone=alone)
    return {
        "values": tuple(values[listed.start].tolist()),
        "policy": _policy_of(listed, values, gains, chosen),
        "states": len(values),
        "method": method,
    }


def _sum_of_two(graph: Reached) -> float | None:
    """Return what the returns of two players always add up to; None if there are more, or it varies."""
    if graph.final.shape[1] != 2:
        return None
    if graph.rewards.size:
        return 0.0 if np.abs(graph.rewards.sum(axis=1)).max() <= _ROUNDING else None
    sums = graph.final[graph.players == TERMINAL].sum(axis=1)
    return float(sums[0]) if sums.size and np.ptp(sums) <= _ROUNDING else None


def _policy_of(
    listed: _Listed, values: NDArray[np.float64], gains: NDArray[np.float64], chosen: NDArray[np.int64]
) -> StatePolicy:
    """Return the policy for the states that are not over."""
    graph, counts = listed.graph, np.diff(listed.graph.first)
    going_on = graph.players != TERMINAL
    movers = np.repeat(graph.players, counts)
    steps = np.flatnonzero(movers >= 0)
    arrays = {
        "left": graph.left[going_on],
        "players": graph.players[going_on],
        "values": values[going_on],
        "starts": np.concatenate(([0], np.cumsum(np.where(graph.players >= 0, counts, 0)[going_on]))),
        "actions": graph.actions[steps],
        "owners": movers[steps],
        "gains": gains[steps, movers[steps]],
        "shares": np.isin(steps, chosen),
    }
    return StatePolicy.of_records(listed.kind, listed.records[going_on], arrays, listed.common)
