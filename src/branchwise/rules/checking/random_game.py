"""Playing a game in plain Python with every state checked: random moves, or given ones."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Sequence
from typing import Any

from branchwise.common.errors import ActionError, BranchwiseError, LeaveRule
from branchwise.common.players import CHANCE, NO_ACTION
from branchwise.compile.stopping.time_limits import left_at
from branchwise.game.kinds.continuous_actions import box_of, has_box, samples_numbers
from branchwise.game.kinds.game_kinds import starts_at_random
from branchwise.game.kinds.random_numbers import Draws
from branchwise.game.rules_class import Game
from branchwise.rules.checking.contract import (
    check_draws,
    check_still_to_come,
    draw_number,
    draw_outcome,
    draw_vector,
    label_note,
    look,
    look_closely,
    play,
)
from branchwise.rules.checking.cross_check import (
    Mirror,
    Observation,
    compare,
    compare_drawn,
)
from branchwise.rules.checking.faults import Line
from branchwise.rules.checking.report import CheckReport
from branchwise.rules.facts.game_type import pays
from branchwise.rules.facts.outcomes_drawn import first_counter, outcome_of

_ACTIONS_TRIED = 16
_VECTORS_TRIED = 4
_COUNTED = 0.1
"""Share of the states with every check in which drawn actions are counted."""


class Extreme(Draws):
    """Draws that always choose the first of several actions, or the last; all else is random.

    Games that are played so reach what random ones hardly do: counts that only grow, long games.
    """

    def __init__(self, counter: int, *, last: bool) -> None:
        super().__init__(counter)
        self._last = last

    def below(self, bound: int) -> int:
        return bound - 1 if self._last else 0


def play_extreme_games(game: type[Game], source: str | None, end: float) -> None:
    """Play the games of the first and of the last legal action, until time `end` of `time.perf_counter`.

    Raises `GameError` at the first fault. That such a game has no end is none. Nothing is played where rules
    draw their actions: none of these is the first or the last.
    """
    if hasattr(game, "sample_action"):
        return
    for last in (False, True):
        line, report, moves = Line(game, source), CheckReport(game.name), Extreme(0, last=last)
        play_random_game(line, 0, report, moves=moves, longest=game.max_game_length - 1, end=end)


def play_random_game(
    line: Line,
    seed: int,
    report: CheckReport,
    *,
    moves: Draws | None = None,
    mirrors: Sequence[Mirror] = (),
    closely: float = 0.0,
    first: int = 0,
    longest: int | None = None,
    end: float | None = None,
) -> int:
    """Play one random game with checks and add it to the report; return how many states had every check.

    moves : chooses the moves; None: they are those that compiled code plays for the same seed.
    closely : share of states that get every check; above 0, so does the last state.   first : number of
    states at the start that get every check, whatever the share.   longest, end : a number of moves, and a
    time of `time.perf_counter`, at which the game is abandoned and not added. Raises `GameError` at the first
    fault.
    """
    moves = moves or Draws(first_counter(seed))
    checks = random.Random(f"checks of {seed}")
    state = _start(line)
    most_actions = looked_closely = 0
    while True:
        seen = _look(line, state, mirrors)
        drawn = checks.random() < closely
        if drawn or looked_closely < first or (closely and seen.terminal):
            looked_closely += 1
            look_closely(line, state, seen, _tried(line, state, seen, checks))
            if samples_numbers(line.game) and not seen.terminal and seen.player != CHANCE:
                _check_draws(line, state, seen, checks, mirrors)
            _add_note(line, state, seen, report)
        if seen.terminal or (line.game.horizon and len(line.actions) >= line.game.max_game_length):
            break
        if longest is not None and len(line.actions) >= longest:
            return looked_closely
        if end is not None and time.perf_counter() > end:
            return looked_closely
        most_actions = max(most_actions, len(seen.legal), *map(len, seen.choices or ()), 0)
        play(line, state, _drawn(line, state, seen, moves, mirrors))
    if pays(line.game) and seen.terminal:
        check_still_to_come(line)
    report.add([len(line.actions)], [line.returns if pays(line.game) else seen.returns], most_actions)
    return looked_closely


def _tried(line: Line, state: Game, seen: Observation, checks: random.Random) -> Sequence[Any]:
    """Return the actions that are tried where a state gets every check."""
    if has_box(line.game):
        if seen.terminal:
            return ()
        drawn = Draws(checks.getrandbits(64))
        return *box_of(state), *(draw_vector(line, state, drawn) for _ in range(_VECTORS_TRIED))
    if seen.choices is not None:
        drawn = Draws(checks.getrandbits(64))
        return list({_drawn_together(seen.choices, drawn): None for _ in range(_ACTIONS_TRIED)})
    return seen.legal if len(seen.legal) <= _ACTIONS_TRIED else checks.sample(seen.legal, _ACTIONS_TRIED)


def _drawn(line: Line, state: Game, seen: Observation, moves: Draws, mirrors: Sequence[Mirror]) -> Any:
    """Return the action to play, or the outcome that happens."""
    if has_box(line.game):
        start = moves.counter
        vector = draw_vector(line, state, moves)
        if hasattr(state, "sample_action"):
            compare_drawn(line, "sample_action", tuple(vector.tolist()), start, moves, mirrors)
        return vector
    if seen.player == CHANCE and seen.chances is None:
        drawn_from = line.random.counter
        outcome = draw_outcome(line, state)
        compare_drawn(line, "sample_outcome", outcome, drawn_from, line.random, mirrors)
        return outcome
    if seen.choices is not None:
        return _drawn_together(seen.choices, moves)
    if seen.chances is None:
        return seen.legal[moves.below(len(seen.legal))]
    return seen.legal[outcome_of(seen.chances, moves.uniform())]


def _drawn_together(choices: Sequence[Sequence[int]], moves: Draws) -> tuple[int, ...]:
    """Return a random action of each player, NO_ACTION for one without a choice."""
    return tuple(of_one[moves.below(len(of_one))] if of_one else NO_ACTION for of_one in choices)


def _check_draws(
    line: Line, state: Game, seen: Observation, checks: random.Random, mirrors: Sequence[Mirror]
) -> None:
    """Check the actions that the rules draw in a state."""
    drawn = Draws(checks.getrandbits(64))
    start = drawn.counter
    action = draw_number(line, state, seen.legal, drawn)
    compare_drawn(line, "sample_action", (action,), start, drawn, mirrors)
    if checks.random() < _COUNTED:
        check_draws(line, state, seen.legal, drawn)


def play_moves(line: Line, moves: Iterable[Any], mirrors: Sequence[Mirror] = ()) -> Game:
    """Play moves from the start with every check at every state, and return the final state.

    Raises `GameError` at the first fault of the rules, and `ActionError` for a move that is not legal.
    """
    state = _start(line)
    seen = _look_everywhere(line, state, mirrors)
    for move in moves:
        play(line, state, _wanted(line, state, move, seen.terminal))
        seen = _look_everywhere(line, state, mirrors)
    return state


def _start(line: Line) -> Game:
    """Return the start of the line, drawn from its random numbers if the start is random."""
    counter = line.random.counter
    try:
        state = line.game.new_initial_state(line.random)
        twin = line.game.new_initial_state(Draws(counter))
    except BranchwiseError:
        raise
    except Exception as error:
        raise line.raised("setup", error) from error
    except LeaveRule as left:
        raise line.raised("setup", left_at(left.__traceback__)) from None
    if state != twin:
        drawn = starts_at_random(line.game)
        raise line.fault(
            f"{line.game.__name__}.setup gave {state!r} and then {twin!r}"
            + (" for the same random numbers" if drawn else ""),
            "draw from the random that it is given"
            if drawn
            else "let every game start from the same state, or draw it: def setup(self, random)",
        )
    line.start = state.copy()
    return state


def _look(line: Line, state: Game, mirrors: Sequence[Mirror]) -> Observation:
    seen = look(line, state)
    for mirror in mirrors:
        compare(line, seen, mirror)
    return seen


def _look_everywhere(line: Line, state: Game, mirrors: Sequence[Mirror]) -> Observation:
    seen = _look(line, state, mirrors)
    tried = seen.legal if seen.choices is None else _tried(line, state, seen, random.Random(0))
    look_closely(line, state, seen, tried)
    return seen


def _add_note(line: Line, state: Game, seen: Observation, report: CheckReport) -> None:
    if report.notes or seen.choices is not None:
        return
    with line.calling("to_grid"):
        note = label_note(state, seen.legal)
    if note is not None:
        report.notes.append(note)


def _wanted(line: Line, state: Game, move: Any, over: bool) -> Any:
    """Return the number of the legal action `move`; raises `ActionError` if it is not legal."""
    problem, mend = f'"{move}" cannot be played: the game is over', None
    if not over:
        try:
            return state.check_action(move)
        except ActionError as error:
            problem, mend = error.problem, error.mend
        except Exception as error:
            raise line.raised("action_from_string", error) from error
    after = " ".join(line.spelt(line.actions)) or None
    raise ActionError(f"move {len(line.actions) + 1}: {problem}", after=after, mend=mend)
