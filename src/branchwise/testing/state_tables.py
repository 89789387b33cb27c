"""Tables of the exact values of states: listed in plain Python, or by compiled rules where they are many.

Values are player 0's. States that compare by content are recognised, with the number of decisions left before
a horizon; others are listed once for each way that leads to them. `compile.queries.graph_values` computes the
values in both cases, as it does for `branchwise.solve`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from branchwise.common.errors import GameError, SettingsError
from branchwise.common.players import CHANCE, TERMINAL
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts, action_text, copied
from branchwise.testing.state_interface import State, UnsolvableError, table_key
from branchwise.testing.successors import (
    Step,
    decisions_left,
    discount_after,
    endless,
    final_return,
    for_player,
    mover,
    solvable_facts,
    steps,
)

if TYPE_CHECKING:
    from branchwise.compile.queries.exact import ExactStates, FaultyStateError
    from branchwise.core.exact.reachable_states import Reached

NO_HORIZON = -1
MOST_STATES = 2_000_000
"""Maximum number of states to list in plain Python."""
_FEW_STATES = 2_000
"""States to list in plain Python before compiling the rules; they take a fraction of a second."""


class ExactValues:
    """Values of states for the player to move; where chance is to move, for player 0."""

    def value(self, state: State) -> float:
        """Return the value of `state`, which must not be over, for the player to move."""
        facts = solvable_facts(state)
        value = self._first_players(state, facts, facts.horizon or NO_HORIZON)
        return for_player(mover(state, facts), value)

    def action_values(self, state: State) -> dict[int, float]:
        """Return the value of each legal action, or outcome, of `state` for the player to move.

        Its reward is part of it.
        """
        facts = solvable_facts(state)
        player = mover(state, facts)
        left = decisions_left(player, facts.horizon or NO_HORIZON)

        def value(step: Step) -> float:
            ahead = self._first_players(step.after, facts, left)
            return for_player(player, step.reward + discount_after(step.after, facts) * ahead)

        return {step.action: value(step) for step in steps(state, facts)}

    def by_name(self, state: State) -> dict[str, float]:
        """Return the same as `action_values`, by the names of the actions."""
        return {action_text(state, action): value for action, value in self.action_values(state).items()}

    def _first_players(self, state: State, facts: GameFacts, left: int) -> float:
        """Return player 0's value of `state` with `left` decisions before the horizon."""
        raise NotImplementedError


class StateTable:
    """Player 0's values of all states reachable from the solved ones, of one game.

    compiled : True lists states by compiled rules, False in plain Python. None: in plain Python if there are
    few, or if the rules do not compile. Raises `SettingsError` for states that cannot be solved compiled, and
    `GameError` for rules that do not compile.
    """

    def __init__(self, state: State, facts: GameFacts, compiled: bool | None) -> None:
        self.facts = facts
        self._values = np.zeros(0)
        self._may_compile = compiled is None and _has_rules_to_compile(state)
        most = _FEW_STATES if self._may_compile else MOST_STATES
        self._states: ExactStates | PlainStates = _compiled(state) if compiled else PlainStates(facts, most)

    def __len__(self) -> int:
        return len(self._values)

    def value(self, state: State, left: int = NO_HORIZON) -> float | None:
        """Return the value of `state` with `left` decisions before the horizon; None if it is unknown."""
        place = self._states.find(cast(Any, state), left)
        return float(self._values[place]) if 0 <= place < len(self) else None

    def solve(
        self, state: State, left: int = NO_HORIZON, *, tolerance: float = 0.0, cycles: bool = True
    ) -> float:
        """Return the value of `state`, and note those of all states reachable from it.

        tolerance : maximum error of a value, as for `graph_values.settled`.   cycles : False raises
        `UnsolvableError` if play can return to a state.   This table must not be used after an error.
        """
        from branchwise.compile.queries.graph_values import CycleError, NotSettledError, settled

        facts = self.facts
        place = self._add(state, left)
        bounds = (facts.min_return, facts.max_return) if facts.is_bounded else None
        args = self._states.graph(), self._values, facts.discount, bounds, tolerance
        try:
            found = settled(*args, alone=facts.num_players == 1, cycles=cycles)
        except CycleError:
            raise UnsolvableError(
                f"{facts.name} can return to a state, so that expectimax would never end",
                mend="value_iteration takes such games",
            ) from None
        except NotSettledError as error:
            raise endless(facts, error.apart) from None
        self._values = found.values[:, 0]
        return float(self._values[place])

    def _add(self, state: State, left: int) -> int:
        """List all states that can be reached from `state`; returns its number."""
        from branchwise.compile.queries import exact  # Numba takes half a second to load

        try:
            return self._states.add(cast(Any, state), left)
        except exact.FaultyStateError as fault:
            raise explained(fault, self.facts) from fault.__cause__
        except exact.TooManyStatesError:
            if not self._may_compile:
                most = exact.MOST_STATES if isinstance(self._states, exact.ExactStates) else MOST_STATES
                raise UnsolvableError(f"{self.facts.name} has more than {most:,} reachable states") from None
        self._may_compile = False
        self._values = np.zeros(0)
        try:
            self._states = _compiled(state)
        except GameError:
            self._states = PlainStates(self.facts, MOST_STATES)
        return self._add(state, left)


def _has_rules_to_compile(state: State) -> bool:
    """Whether `state` is of a `Game` whose states are equal by all their fields."""
    kind = type(state)
    return isinstance(state, Game) and kind.__eq__ is Game.__eq__ and kind.__hash__ is Game.__hash__


def _compiled(state: State) -> ExactStates:
    from branchwise.compile.queries.exact import ExactStates

    if not _has_rules_to_compile(state):
        raise SettingsError(
            f"a {type(state).__name__} cannot be solved compiled",
            mend="only a Game with the equality that every Game has can; leave out compiled=True",
        )
    return ExactStates(type(cast(Game, state)))


class PlainStates:
    """States listed in plain Python in the order in which they are found, and the steps between them.

    most : maximum number of states.
    """

    def __init__(self, facts: GameFacts, most: float = np.inf) -> None:
        self.facts, self._most = facts, most
        self.states: list[Any] = []
        self.left: list[int] = []
        self.players: list[int] = []
        self.final: list[float] = []
        self.first = [0]
        self.steps: list[tuple[Any, float, float]] = []
        """The action or outcome of each, its probability, and player 0's reward."""
        self.targets: list[int] = []
        self._places: dict[tuple[Any, int], int] = {}

    def find(self, state: State, left: int) -> int:
        """Return the number of a state with `left` decisions before the horizon, or -1."""
        return self._places.get((table_key(state), left), -1)

    def add(self, state: State, left: int, *, seconds: float = np.inf) -> int:
        """List all states that can be reached from `state`, and return the number of it.

        seconds : of processor time.   Raises `TooManyStatesError`.
        """
        from branchwise.compile.queries.exact import TooManyStatesError

        self._by_content = table_key(state) is not None
        place = self._place(copied(state), left)
        deadline = time.thread_time() + seconds
        while len(self.players) < len(self.states):
            if len(self.states) > self._most or time.thread_time() > deadline:
                raise TooManyStatesError(len(self.states), len(self.players))
            self._look(len(self.players))
        return place

    def _look(self, number: int) -> None:
        """List the steps of a state, the first whose steps are not listed."""
        state, left = self.states[number], self.left[number]
        is_over = state.is_terminal()
        player = TERMINAL if is_over else mover(state, self.facts)
        cut_off = left == 0 and player != CHANCE
        self.players.append(TERMINAL if cut_off else player)
        self.final.append(self.final_return(state) if is_over else 0.0)
        after_left = decisions_left(player, left)
        for action, chance, reward, after in () if is_over or cut_off else steps(state, self.facts):
            self.steps.append((action, chance, reward))
            self.targets.append(self._place(after, after_left))
        self.first.append(len(self.targets))

    def final_return(self, state: Any) -> float:
        """Return player 0's return in a finished state."""
        return final_return(state, self.facts)

    def _place(self, state: State, left: int) -> int:
        """Return the number of a state, a new one if it was not seen before."""
        new = len(self.states)
        place = self._places.setdefault((state, left), new) if self._by_content else new
        if place == new:
            self.states.append(state)
            self.left.append(left)
        return place

    def graph(self) -> Reached:
        """Return the states and steps, without the actions."""
        from branchwise.compile.queries.graph_values import new_graph

        return new_graph(
            players=self.players,
            final=np.array(self.final)[:, None],
            first=self.first,
            actions=np.zeros(len(self.targets)),
            targets=self.targets,
            chances=[chance for _, chance, _ in self.steps],
            rewards=np.array([reward for *_, reward in self.steps if self.facts.pays])[:, None],
        )


def explained(fault: FaultyStateError, facts: GameFacts) -> Exception:
    """Return the error of the rules in plain Python at the state where compiled rules failed."""
    try:
        if fault.state.is_terminal():
            final_return(fault.state, facts)
        else:
            list(steps(fault.state, facts))
    except Exception as error:
        return error
    return UnsolvableError(
        f"the rules of {facts.name} are at fault where they are compiled, and not in plain Python",
        after=repr(fault.state),
        mend="check the rules: branchwise check",
    )
