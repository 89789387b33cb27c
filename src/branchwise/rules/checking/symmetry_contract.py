"""Checking the symmetries of a game: rules give the same for a position and for the position turned.

At each position of random games, whose turn it is, the end, returns and legal actions have to commute with
every symmetry, and two symmetries, one after the other, have to be one again. A turned copy is played along
for some moves, so that what a symmetry forgets to turn is found when it matters.
"""

from __future__ import annotations

import random
import time
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from branchwise.boards.layer import cells_of
from branchwise.boards.style import look_of
from branchwise.common.players import CHANCE, PROBABILITY_TOLERANCE
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.rules.checking.faults import Line
from branchwise.rules.facts.dice import Dice
from branchwise.rules.facts.facts import apply_legal

if TYPE_CHECKING:
    from branchwise.compile.queries.symmetries import CompiledSymmetries

_GAMES = 200
_MOVES = 400
_PAIRS = 4
"""Pairs of symmetries that are put together at each position."""
_CHANGED = 0.2
"""Share of positions at which another turned copy is played along."""
_TURN_ALL = "let symmetry turn every field that rules read, and symmetry_action the action in the same way"


class _Turned(NamedTuple):
    """What a symmetry makes of a state and of its legal actions, in their order."""

    k: int
    state: Any
    actions: tuple[int, ...]


def check_symmetries(game: type[Game], source: str | None, seed: int, end: float, *, compiled: bool) -> int:
    """Play random games and turn their positions; returns how many positions were turned.

    end : a time of `time.perf_counter` at which to stop.   compiled : whether the compiled form of the
    symmetries is compared with plain Python. Raises `GameError` at the first fault.
    """
    form = None
    if compiled:
        from branchwise.compile.queries.symmetries import CompiledSymmetries

        began = time.perf_counter()
        form = CompiledSymmetries(game)
        start = game.new_initial_state(Random(seed))
        form.turn(start, 0, start.legal_actions())
        end += time.perf_counter() - began  # compiling does not count
    check = _Check(game, source, form)
    for number in range(_GAMES):
        if time.perf_counter() >= end:
            break
        check.play(seed + number, end)
    return check.positions


class _Check:
    def __init__(self, game: type[Game], source: str | None, form: CompiledSymmetries | None) -> None:
        self._game, self._source, self._form = game, source, form
        self._all = range(game.symmetries)
        self._together = {pair: {*self._all} for pair in product(self._all, repeat=2)}
        """By pair: the symmetries that may be what two of them make together."""
        self.positions = 0

    def play(self, seed: int, end: float) -> None:
        """Play one random game, and check each position."""
        drawn, dice, chosen = Random(seed), Dice(seed), random.Random(seed)
        state: Any = self._game.new_initial_state(drawn)
        self._line = Line(self._game, self._source)
        self._line.start = state.copy()
        along: _Turned | None = None
        since = 0
        for _ in range(_MOVES):
            legal = () if state.is_terminal() else tuple(_choices(state))
            turned = [self._turn(state, legal, k) for k in self._all]
            for one in turned:
                self._compare(state, legal, one, "")
            if along is not None:
                along = along._replace(actions=turned[along.k].actions)
                self._compare(state, legal, along, f" before the last {since} moves")
            self.positions += 1
            if not legal or time.perf_counter() >= end:
                break
            for _ in range(_PAIRS):
                self._put_together(legal, turned, *chosen.choices(self._all, k=2))
            if along is None or chosen.random() < _CHANGED:
                along, since = chosen.choice(turned), 0
            move = dice.roll(state) if state.current_player() == CHANCE else chosen.choice(legal)
            paid = apply_legal(along.state, along.actions[legal.index(move)], drawn)
            if apply_legal(state, move, drawn) != paid:
                raise self._fault("apply_action", f"pays something else after symmetry({along.k})", move)
            self._line.actions.append(move)
            since += 1

    def _turn(self, state: Any, legal: tuple[int, ...], k: int) -> _Turned:
        """Return what symmetry k makes of a state."""
        before, twin, line = state.copy(), state.copy(), self._line
        actions = []
        for action in legal:
            with line.calling("symmetry_action", then=action):
                actions.append(int(state.symmetry_action(k, action)))
        with line.calling("symmetry"):
            twin.symmetry(k)
        if state != before:
            raise self._fault("symmetry_action", f"changes the state for symmetry {k}")
        if self._form is not None:
            other, others = self._form.turn(state, k, legal)
            if other != twin or others != actions:
                rule, mine, theirs = "symmetry_action", str(actions), str(others)
                if other != twin:
                    rule, mine, theirs = "symmetry", repr(twin), repr(other)
                raise self._fault(rule, f"gives {mine} for {k} in plain Python, but compiled {theirs}")
        return _Turned(k, twin, tuple(actions))

    def _compare(self, state: Any, legal: tuple[int, ...], turned: _Turned, when: str) -> None:
        """Raise `GameError` unless a state that was turned is one in which the turned actions are legal.

        when : it was turned, if moves were played since.
        """
        k, twin, actions = turned
        done = f"symmetry({k}){when}"
        if twin.is_terminal() != state.is_terminal():
            raise self._fault("symmetry", f"commutes not with the end: is_terminal differs after {done}")
        if state.is_terminal():
            if hasattr(state, "returns") and tuple(twin.returns()) != tuple(state.returns()):
                told = f"{tuple(state.returns())} become {tuple(twin.returns())}"
                raise self._fault("symmetry", f"changes who wins: the returns {told} by {done}")
            return
        mover = state.current_player()
        if twin.current_player() != mover:
            raise self._fault(
                "symmetry", f"changes whose turn it is: {mover} becomes {twin.current_player()} by {done}"
            )
        here, there = _choices(state), _choices(twin)
        for place, action in enumerate(legal):
            if k == 0 and actions[place] != action:
                told = f"makes {actions[place]} of {action} for symmetry 0, which has to be the identity"
                raise self._fault("symmetry_action", told, action)
            if actions[place] not in there:
                told = f"makes {actions[place]} of {action}, which is not legal after {done}"
                raise self._fault("symmetry_action", told, action)
            if actions[place] in actions[:place]:
                other = legal[actions.index(actions[place])]
                told = f"makes {actions[place]} of both {other} and {action} for symmetry {k}"
                raise self._fault("symmetry_action", told, action)
            if abs(here[action] - there[actions[place]]) > PROBABILITY_TOLERANCE:
                told = f"makes {actions[place]} of {action}, which has another chance after {done}"
                raise self._fault("symmetry_action", told, action)
        if len(there) > len(legal):
            extra = min(there.keys() - {*actions})
            raise self._fault("symmetry_action", f"makes {extra} of no action, but it is legal after {done}")

    def _put_together(self, legal: tuple[int, ...], turned: list[_Turned], first: int, second: int) -> None:
        """Raise `GameError` unless one symmetry has done all along what these two do, one after the other."""
        both = self._turn(turned[first].state, turned[first].actions, second)
        fit = self._together[first, second]
        fit &= {one.k for one in turned if one.actions == both.actions}
        if len(fit) < len(self._all) and look_of(self._game) is not None:
            cells = cells_of(both.state).tobytes()
            fit &= {k for k in fit if cells_of(turned[k].state).tobytes() == cells}
        if not fit:
            what = f"symmetry({first}) and then symmetry({second}) make {both.actions[0]} of {legal[0]}"
            raise self._line.fault(
                f"{what}, and turn the board, as none of the {len(self._all)} symmetries of "
                f"{self._game.__name__} does all the time",
                "let symmetries have what two of them make together, also what undoes each: a group",
                rule="symmetry",
            )

    def _fault(self, rule: str, told: str, then: int | None = None) -> Exception:
        mend = _TURN_ALL
        if told.startswith(("changes whose", "changes who wins")):
            mend = "leave out symmetries that exchange players, and let symmetry turn every field"
        return self._line.fault(f"{self._game.__name__}.{rule} {told}", mend, rule=rule, then=then)


def _choices(state: Any) -> dict[int, float]:
    """Return the legal actions, or the outcomes of chance with their probabilities."""
    if state.current_player() == CHANCE:
        return {int(outcome): float(odds) for outcome, odds in state.chance_outcomes()}
    return dict.fromkeys(map(int, state.legal_actions()), 0.0)
