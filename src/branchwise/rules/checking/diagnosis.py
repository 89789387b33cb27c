"""Finding the broken rule, and the moves that lead to it, when a search meets a fault of the rules.

The compiled search only records the kind of fault and its place in the tree. To name the moves, the rule
checker looks for the fault in games from the start; failing that, random play continues from the searched
position, in plain Python, until the fault occurs again.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from branchwise.common.errors import GameError, RuleLeftError
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.compile.states.stop_checks import place_of
from branchwise.core.machine.kernel_status import Status
from branchwise.game.kinds.corrections import line_text, source_line
from branchwise.game.kinds.random_numbers import Draws
from branchwise.game.rules_class import Game
from branchwise.rules.checking.fault_replay import Found, Trail, find_again, find_beside
from branchwise.rules.checking.faults import ENDLESS_MEND, Line, advice, shown, told_of, users_line
from branchwise.rules.facts.facts import GameFacts, action_text, apply_legal, copied, random_action
from branchwise.rules.facts.game_type import MEND_RETURNS, DeclaredReturns

_TRIES = 200
_CHECKED_GAMES = 500
_CHECKED_SECONDS = 3.0
_SECONDS = 2.0
"""Seconds to look for the moves after which the rules raised."""
_SECONDS_AFTER_A_WAIT = 0.7
"""The same after a rule that did not return."""

RULE_ERRORS = (
    ArithmeticError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    AssertionError,
    RecursionError,
    RuleLeftError,
)
"""Exceptions that faulty rules may raise, in plain Python or compiled; the last if they do not return."""

_FAULTS = {
    Status.NO_LEGAL_ACTION: (
        "{0}.legal_actions gave nothing, but is_terminal says that the game goes on",
        "let is_terminal be true there, or add an action that passes",
    ),
    Status.TOO_MANY_ACTIONS: (
        "{0}.legal_actions gave more actions than num_actions",
        "give each action once, and set num_actions to the number of distinct actions (65,535 at most)",
    ),
    Status.ACTION_OUT_OF_RANGE: (
        "{0}.legal_actions gave an action outside 0 to num_actions - 1",
        "number the actions from 0 to num_actions - 1",
    ),
    Status.PLAYER_OUT_OF_RANGE: (
        "{0}.current_player gave a player outside 0 to num_players - 1",
        "number the players from 0; chance and simultaneous moves are not planned for yet",
    ),
    Status.RETURN_OUT_OF_BOUNDS: (
        "{0}.returns gave a number outside min_return to max_return, or not one a player",
        "give one number a player, and set min_return and max_return to the game's bounds",
    ),
    Status.EVALUATION_OUT_OF_BOUNDS: (
        "{0}.evaluate gave a number outside min_return to max_return, or not one a player",
        "give one number a player, between min_return and max_return",
    ),
    Status.BAD_PRIOR: (
        "{0}.prior gave a weight that is negative or no number, or 0 for every legal action",
        "give each legal action a weight of at least 0, and one of them more; they need not add up to 1",
    ),
    Status.NET_INPUT_OUT_OF_RANGE: (
        "{0}.net_inputs yielded an index outside 0 to num_net_inputs - 1, or more indices than that",
        "yield each index at most once, from 0 to num_net_inputs - 1",
    ),
    Status.BAD_CODE: (
        "{0}.action_code gave a negative number",
        "give a whole number from 0 up; actions that should share what is learnt of them get the same one",
    ),
    Status.ILLEGAL_PLAYOUT_ACTION: (
        "{0}.playout_action gave an action that is not legal",
        "return one of legal_actions()",
    ),
    Status.SAMPLE_OUT_OF_RANGE: (
        "{0}.sample_action gave a number that is no action",
        "return one of legal_actions(), each with the same probability",
    ),
    Status.BAD_OUTCOME: (
        "{0}.chance_outcomes gave no outcome, one twice, or one outside 0 to num_outcomes - 1",
        "give each outcome once, numbered from 0",
    ),
    Status.BAD_PROBABILITY: (
        "{0}.chance_outcomes gave probabilities that do not add up to 1, or none from 0 to 1",
        "give every outcome with its probability, such as die, 1 / 6",
    ),
    Status.REWARD_IS_NO_NUMBER: (
        "the rewards of {0} are infinite or no numbers, or not one a player",
        "give one finite number a player",
    ),
    Status.OUTCOME_DIFFERS: (
        "the same random numbers led from one state of {0} to two different ones",
        "draw from the random that the rule is given, and keep in fields all that the rules remember",
    ),
    Status.BAD_BOX: (
        "{0} gave a box of actions without finite numbers, or with action_low above action_high",
        "give as many finite numbers each, none of action_low above that of action_high",
    ),
    Status.ACTION_OUTSIDE_BOX: (
        "{0}.sample_action gave an action outside the box from action_low to action_high, no vector, or a "
        "fraction where action_integer asks for whole numbers",
        "give one number for each side of the box, within it",
    ),
    Status.BAD_OBSERVATION: (
        "{0}.observe gave NaN, nothing, or more than 1,024 numbers",
        "return a number, or a tuple or an array of numbers",
    ),
    Status.BAD_DENSITY: (
        "{0}.observation_density gave a negative or infinite number, or NaN",
        "return a number from 0: how likely the observation is in this state",
    ),
    Status.NEVER_ENDS: (
        "a game of {0} went on for more than max_game_length moves",
        "set max_game_length, or let is_terminal end the game",
    ),
}


def fault_error(state: Any, facts: GameFacts, status: Status, path: list[int]) -> GameError:
    """Return the error for a fault met after the actions `path` from the root and random moves."""
    checked = _checked(state)
    if checked is not None:
        return checked
    if status is Status.NOT_CONSTANT_SUM:
        return _utility_error(state, facts, path)
    problem, mend = _FAULTS[status]
    if status is Status.NEVER_ENDS and (facts.num_outcomes > 0 or facts.samples):
        problem += ", outcomes of chance included"
    if facts.pays and status is Status.RETURN_OUT_OF_BOUNDS:
        problem = "rewards of {0} add up to a number outside min_return to max_return"
        mend = "let these be bounds of what is still to come in any state, or leave them out"
    moves = _moves_to_fault(state, facts, status, path)
    after = f"{moves} (from the state that was searched)" if moves else None
    return GameError(problem.format(type(state).__name__), after=after, mend=mend)


def _utility_error(state: Any, facts: GameFacts, path: list[int]) -> GameError:
    """Return the error for returns that contradict the utility, in a game that began with `path`."""
    declared = DeclaredReturns(state, facts)
    name, source = type(state).__name__, random.Random(0)
    until = time.perf_counter() + _SECONDS
    while True:
        moves, returns = _random_game(state, facts, path, source)
        problem = None if returns is None else declared.problem(returns)
        if problem is not None:
            told = f"{name}.returns gave {returns}, {problem}"
            break
        if time.perf_counter() > until:
            moves = moves[: len(path)]
            told = f"{name}.returns contradicts the utility of {facts.name} in some game"
            break
    return GameError(told, after=_after(moves), mend=MEND_RETURNS)


def _random_game(
    state: Any, facts: GameFacts, path: list[int], source: random.Random
) -> tuple[list[str], tuple[float, ...] | None]:
    """Play `path` and then at random; returns the moves, and the returns if the game comes to its end."""
    position, moves = copied(state), list[str]()
    try:
        while not position.is_terminal():
            if len(moves) >= facts.max_game_length:
                return moves, None
            at = len(moves)
            follows = at < len(path) and not facts.joint
            action = path[at] if follows else random_action(position, source)
            moves.append(action_text(position, action))
            apply_legal(position, action, Draws(0))
        return moves, None if facts.pays else tuple(map(float, position.returns()))
    except RULE_ERRORS:
        return moves, None


def check_line(state: Any, line: Sequence[int], seconds: float) -> None:
    """Raise `GameError` if plain Python cannot play a line that a compiled search found, or lines beside it.

    Compiled code cuts a number that is too large for its field. That may have made the line look good, or
    others look bad: so lines that differ in a few actions are played, too.
    seconds : that the check takes at most, about.
    """
    found = find_beside(state, line, (*RULE_ERRORS, GameError), seconds)
    if found is not None:
        raise _found_error(state, found)


def raised_error(state: Any, facts: GameFacts, error: Exception, trail: Trail | None = None) -> GameError:
    """Return the error for rules that raised an exception during a search, or that had to be left.

    trail : of the simulation in which it happened.
    """
    left = isinstance(error, RuleLeftError)
    found = (
        None
        if facts.dimensions or facts.joint
        else find_again(state, trail or Trail(), RULE_ERRORS, _SECONDS_AFTER_A_WAIT if left else _SECONDS)
    )
    if found is not None:
        return _found_error(state, found)
    if left:
        return GameError(
            f"the rules of {facts.name} do not end in some state{_where(state, error)}",
            mend=ENDLESS_MEND,
        )
    checked = _checked(state) or _wrong_answer(state, facts)
    if checked is not None:
        return checked
    told = f"the rules of {facts.name} raised {type(error).__name__} in a search: {error}"
    location = users_line(error)
    if location is None:
        return GameError(told, mend="search with MCTS(compiled=False) to see the line that raised it")
    return GameError(
        f"{told} ({location})",
        mend=advice(error) or "the rules have to work in every state that play can lead to",
    )


def _found_error(state: Any, found: Found) -> GameError:
    """Return the error for a fault that occurred again after some moves from `state`."""
    if isinstance(state, Game) and state == type(state)():
        line = Line(type(state))
        line.actions = found.actions
        return line.raised(found.method, found.error, then=found.then)
    moves: list[str] = []
    _replay(copied(state), found.actions, moves)
    problem, mend = told_of(f"{type(state).__name__}.{found.method}", found.error, found.then)
    return GameError(problem, after=_after(moves), mend=mend)


def _replay(position: Any, actions: Iterable[int], moves: list[str]) -> None:
    """Play actions on `position`, modified in place, and add their texts to `moves`."""
    for action in actions:
        moves.append(action_text(position, action))
        apply_legal(position, action, Draws(0))


def _after(moves: Sequence[str]) -> str:
    return f"{shown(moves)} (from the state that was searched)" if moves else "the state that was searched"


def _where(state: Any, error: Exception) -> str:
    """Return the line of the interrupted loop in compiled rules, in brackets, if known."""
    if not (isinstance(error, RuleLeftError) and isinstance(state, Game)):
        return ""
    location = place_of(error, compiled_type(type(state)).rules.codes)
    return "" if location is None else f" ({line_text(*location)})"


def _wrong_answer(state: Any, facts: GameFacts) -> GameError | None:
    """Return the error for the first invalid answer of the rules of a plain state; None without one."""
    if isinstance(state, Game):
        return None
    source = random.Random(0)
    until = time.perf_counter() + _CHECKED_SECONDS
    while time.perf_counter() < until:
        position = copied(state)
        moves: list[str] = []
        try:
            for _ in range(facts.max_game_length):
                if position.is_terminal() or time.perf_counter() > until:
                    break
                if not isinstance(position.current_player(), int | np.integer):
                    return _told_wrong(position, "current_player", "a player, counted from 0", moves)
                if not isinstance(position.legal_actions(), Iterable):
                    return _told_wrong(position, "legal_actions", "a list of actions", moves)
                action = source.choice(list(position.legal_actions()))
                _replay(position, [action], moves)
            told = "rewards" if facts.pays else "returns"
            if position.is_terminal() and not isinstance(getattr(position, told)(), Sequence | np.ndarray):
                return _told_wrong(position, told, f"{facts.num_players} numbers, one a player", moves)
        except RULE_ERRORS:
            return None
    return None


def _told_wrong(position: Any, method: str, wanted: str, moves: list[str]) -> GameError:
    rule = getattr(type(position), method)
    code = getattr(rule, "__code__", None)
    where = "" if code is None else source_line(code.co_filename, code.co_firstlineno)
    answer = getattr(position, method)()
    return GameError(
        f"{type(position).__name__}.{method} gave {answer!r}, not {wanted}{where}",
        after=f"{' '.join(moves)} (from the state that was searched)" if moves else None,
        mend=f"let every way through the method end in a return of {wanted}",
    )


def _checked(state: Any) -> GameError | None:
    """Return the first fault that the rule checker finds in games from the start, if any."""
    if not isinstance(state, Game):
        return None
    from branchwise.rules.checking.checker import check_game  # much to load, and most rules have no fault

    try:
        check_game(type(state), _CHECKED_GAMES, seconds=_CHECKED_SECONDS, compiled=False)
    except GameError as fault:
        return fault
    return None


def _moves_to_fault(state: Any, facts: GameFacts, status: Status, path: list[int]) -> str:
    """Return the moves after which the fault shows in plain Python, or those of the tree alone."""
    source = random.Random(0)
    if facts.dimensions or facts.joint:
        return ""  # a path in the tree has numbers of vectors, or of single players' actions
    for _ in range(_TRIES):
        moves: list[str] = []
        position = copied(state)
        try:
            _replay(position, path, moves)
            if _plays_into(position, facts, status, moves, source):
                return " ".join(moves)
        except (ArithmeticError, LookupError, ValueError, TypeError):
            break
    return " ".join(moves[: len(path)])


def _plays_into(
    position: Any, facts: GameFacts, status: Status, moves: list[str], source: random.Random
) -> bool:
    for _ in range(facts.max_game_length):
        if position.is_terminal():
            break
        legal = list(position.legal_actions())
        if _shows(position, legal, facts, status):
            return True
        if not legal:
            return False
        action = source.choice(legal)
        moves.append(action_text(position, action))
        apply_legal(position, action, Draws(0))
    else:
        return status is Status.NEVER_ENDS and _cut(moves)
    if facts.pays:
        return False
    return status is Status.RETURN_OUT_OF_BOUNDS and not _fits(position.returns(), facts)


def _cut(moves: list[str]) -> bool:
    """Shorten the moves of a game without end to its first twenty."""
    if len(moves) > 20:
        moves[20:] = ["..."]
    return True


def _shows(position: Any, legal: list[int], facts: GameFacts, status: Status) -> bool:
    if status is Status.NO_LEGAL_ACTION:
        return not legal
    if status is Status.TOO_MANY_ACTIONS:
        return len(legal) > facts.num_actions
    if status is Status.ACTION_OUT_OF_RANGE:
        return any(not 0 <= action < facts.num_actions for action in legal)
    if status is Status.PLAYER_OUT_OF_RANGE:
        return not 0 <= position.current_player() < facts.num_players
    if status is Status.EVALUATION_OUT_OF_BOUNDS:
        return not _fits(position.evaluate(), facts)
    return False


def _fits(numbers: Sequence[float], facts: GameFacts) -> bool:
    return len(numbers) == facts.num_players and all(
        facts.min_return <= number <= facts.max_return for number in numbers
    )
