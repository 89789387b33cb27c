"""The contract that the rules of a game must keep, checked at one state.

`look` checks what every simulation relies on. `look_closely` checks the rest: copies, text forms, and that
the fields alone decide what happens next.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.boards.layer import NO_CELL, cells_of, has_layer, squares_of
from branchwise.boards.style import look_of
from branchwise.common.errors import ActionError, GameError
from branchwise.common.players import CHANCE, GREATEST_REWARD, PROBABILITY_TOLERANCE, SIMULTANEOUS
from branchwise.compile.language.unsupported import NAMED
from branchwise.game.kinds.continuous_actions import (
    SIDES,
    Vector,
    box_of,
    check_drawn,
    has_box,
    sample_vector,
)
from branchwise.game.kinds.game_kinds import has_chance, samples_outcomes
from branchwise.game.kinds.random_numbers import Draws
from branchwise.game.kinds.simultaneous_moves import check_joint_move, joint_text
from branchwise.game.rules_class import Game
from branchwise.rules.checking.cross_check import Box, Observation, difference
from branchwise.rules.checking.faults import Line
from branchwise.rules.facts.facts import apply_legal
from branchwise.rules.facts.game_type import MEND_RETURNS, MEND_REWARDS, pays

_NO_RETURN = "let every way through the method end in a return"
_ROUNDING = 1e-6
_MOST_COUNTED = 32
_MOST_OTHERS = 100
"""About how many actions that are not legal `is_legal` is asked about in a state."""
_DRAWS_EACH = 200
"""Draws for each legal action, where they are counted."""
_EXAMPLE = (1.0, -1.0, *(0.0,) * 98)


def play(line: Line, state: Game, action: Any) -> None:
    """Apply a legal action to `state`, modified in place, and append it to the line."""
    if line.actions and line.game.discount != 1.0 and state.current_player() != CHANCE:
        line.weight *= line.game.discount
    line.drawn_from = line.random.counter
    with line.calling(_rule_for(action), then=action):
        given = apply_legal(state, action, line.random)
    line.rewards = _rewards(line, given, action)
    if pays(line.game):
        line.returns = tuple(
            total + line.weight * reward for total, reward in zip(line.returns, line.rewards, strict=True)
        )
        line.paid.append((line.rewards, line.weight))
    line.actions.append(action)


def _rule_for(action: Any) -> str:
    """Return the rule that applies an action, or those of all players."""
    return "apply_actions" if type(action) is tuple else "apply_action"


def check_still_to_come(line: Line) -> None:
    """Raise `GameError` if more, or less, was still to come in a finished game than its bounds allow."""
    low, high = line.game.min_return, line.game.max_return
    for player in range(line.game.num_players):
        rest = 0.0
        for place in reversed(range(len(line.paid))):
            rewards, weight = line.paid[place]
            after = line.paid[place + 1][1] if place + 1 < len(line.paid) else weight
            rest = rewards[player] + (rest * after / weight if weight else 0.0)
            slack = _ROUNDING * max(1.0, abs(rest))
            if not low - slack <= rest <= high + slack:
                raise line.fault(
                    f"after {place} of these moves, rewards that add up to {rest:g} are still to come for "
                    f"player {player}, but min_return is {low:g} and max_return is {high:g}",
                    "let these be bounds of what is still to come in any state, or leave them out",
                )


def _rewards(line: Line, given: Any, action: Any) -> tuple[float, ...]:
    """Return what `apply_action` returned as one reward a player, or raise `GameError` if it is none."""
    players = line.game.num_players
    if given is None:
        return (0.0,) * players
    method = _rule_for(action)
    fault = partial(line.fault, rule=method, then=action)
    call = f"{_name(line, method)}({action})"
    if not pays(line.game):
        raise fault(
            f"{call} returned {_plain(given)!r}, but {line.game.__name__} has returns, which count at the "
            f"end alone",
            f"return nothing from {method}; or leave returns out, so that rewards count",
        )
    numbers = given if isinstance(given, tuple | list) or np.ndim(given) == 1 else (given,)
    if len(numbers) != players:
        raise fault(
            f"{call} returned {_plain(given)!r}, but num_players is {players}",
            "return a number" if players == 1 else f"return {players} numbers, one a player",
        )
    for reward in numbers:
        is_number = isinstance(reward, int | float | np.number | np.bool_)
        if not is_number or not abs(reward) <= GREATEST_REWARD:
            raise fault(
                f"{call} returned {_plain(given)!r}, which is no reward",
                f"return numbers from {-GREATEST_REWARD:g} to {GREATEST_REWARD:g}, or nothing for 0",
            )
    rewards = tuple(float(reward) for reward in numbers)
    problem = line.declared.reward_problem(rewards)
    if problem is not None:
        raise fault(f"{call} returned the rewards {rewards}, {problem}", MEND_REWARDS)
    return rewards


def look(line: Line, state: Game) -> Observation:
    """Return what the rules say of `state`; raise `GameError` if a search could not use it."""
    record = state.to_record()
    if _terminal(line, state):
        asked = ["is_terminal"]
        returns = (0.0,) * line.game.num_players  # rewards were compared as they were paid
        if not pays(line.game):
            asked.append("returns")
            returns = _numbers(line, state, "returns")
            _check_utility(line, returns)
        seen = Observation(True, returns=returns, record=record, rewards=line.rewards)
    else:
        _not_too_long(line)
        player = _player(line, state)
        chances, box, choices = None, None, None
        legal: tuple[int, ...] = ()
        if player == SIMULTANEOUS:
            choices = joint_choices(line, state)
        elif player == CHANCE and samples_outcomes(line.game):
            pass
        elif player == CHANCE:
            legal, chances = _outcomes(line, state)
        elif has_box(line.game):
            box = _box(line, state)
        else:
            legal = _legal(line, state, player if line.game._joint else None)
            if callable(getattr(line.game, "is_legal", None)):
                _check_legality(line, state, legal)
        asked = ["is_terminal", "current_player"]
        if line.game._joint:
            pass  # rules for several players have checks of their own
        elif has_box(line.game):
            asked += [side for side in SIDES if callable(getattr(line.game, side))]
        elif player != CHANCE or chances is not None:
            asked.append("legal_actions" if chances is None else "chance_outcomes")
        evaluation = None
        if hasattr(line.game, "evaluate"):
            asked.append("evaluate")
            evaluation = _numbers(line, state, "evaluate")
        seen = Observation(
            False,
            player,
            legal,
            chances,
            choices=choices,
            record=record,
            evaluation=evaluation,
            box=box,
            rewards=line.rewards,
        )
    if state.to_record().tobytes() != record.tobytes():
        for method in asked:
            twin = line.game.from_record(record)
            with line.calling(method):
                getattr(twin, method)()
            _check_unchanged(line, twin, record, _name(line, method))
        _check_unchanged(line, state, record, "asking for a state's facts")
    return seen


def look_closely(line: Line, state: Game, seen: Observation, tried: Sequence[Any]) -> None:
    """Check the rest of the contract at `state`; raise `GameError` if it is broken.

    seen : what `look` returned for this state.   tried : the legal actions to play, and whose names to write
    and read back; each takes some microseconds.
    """
    record = state.to_record()
    again = difference(seen, look(line, type(state).from_record(record)))
    if again is not None:
        raise line.fault(
            f"{_name(line, again.method)} gave {again.first} and then {again.second} for the same fields",
            "let what it gives follow from the fields alone: rules may not draw random numbers",
        )
    if not has_box(line.game):
        _check_board(line, state, seen.legal if seen.choices is None else ())
        _check_unchanged(line, state, record, _name(line, "board_cells or action_squares"))
    for method, show in (("__str__", str), ("to_svg", type(state).to_svg)):
        with line.calling(method):
            show(state)
        _check_unchanged(line, state, record, _name(line, method))
    if seen.choices is not None:
        for choice in seen.choices:
            _check_texts(line, state, choice)
        for joint in tried:
            _check_joint_text(line, state, joint)
    elif not seen.terminal and not has_box(line.game):
        _check_names(line, state, seen.legal, tried)
        _check_unchanged(line, state, record, _name(line, "action_to_string or action_from_string"))
    _check_copies(line, state)
    _check_unchanged(line, state, record, "copying a state")
    for action in tried:
        _try(line, state, record, action)


def _name(line: Line, method: str) -> str:
    return f"{line.game.__name__}.{method}"


def _terminal(line: Line, state: Game) -> bool:
    with line.calling("is_terminal"):
        over = state.is_terminal()
    if not isinstance(over, bool | np.bool_):
        raise line.fault(
            f"{_name(line, 'is_terminal')} gave {over!r}, not True or False",
            _NO_RETURN if over is None else "return a comparison, such as self.chips == 0",
            rule="is_terminal",
        )
    return bool(over)


def _not_too_long(line: Line) -> None:
    if len(line.actions) >= line.game.max_game_length and not line.game.horizon:
        raise line.fault(
            f"{line.game.__name__} is not over after {len(line.actions):,} moves, "
            f"but max_game_length is {line.game.max_game_length:,}"
            + (", which counts outcomes of chance, too" if has_chance(line.game) else ""),
            "let is_terminal end every game, or raise max_game_length if games are longer"
            + ("; a problem without an end needs a horizon" if pays(line.game) else ""),
        )


def _player(line: Line, state: Game) -> int:
    with line.calling("current_player"):
        player = state.current_player()
    last = line.game.num_players - 1
    if line.game._joint and player == SIMULTANEOUS:
        return SIMULTANEOUS
    if player == CHANCE and isinstance(player, int | np.integer):
        if hasattr(line.game, "chance_outcomes") or samples_outcomes(line.game):
            return CHANCE
        raise line.fault(
            f"{_name(line, 'current_player')} gave bw.CHANCE, but there is no method chance_outcomes",
            "add def chance_outcomes(self): yield pairs of outcome and probability, such as die, 1 / 6",
            rule="current_player",
        )
    if not isinstance(player, int | np.integer | np.bool_) or not 0 <= player <= last:
        raise line.fault(
            f"{_name(line, 'current_player')} gave {player!r}, but num_players is {last + 1}",
            _NO_RETURN if player is None else f"players are 0 to {last}" if last else "the only player is 0",
            rule="current_player",
        )
    return int(player)


def joint_choices(line: Line, state: Game) -> tuple[tuple[int, ...], ...]:
    """Return the legal actions of each player where all move at once; at least one has a choice."""
    choices = tuple(_actions(line, state, player) for player in range(line.game.num_players))
    if not any(choices):
        raise line.fault(
            f"{_name(line, 'legal_actions')} gave no action of any player where all move at once",
            "yield an action for at least one player, or let is_terminal return True here",
        )
    record = state.to_record()
    for player in range(line.game.num_players):
        state.legal_actions(player)
    _check_unchanged(line, state, record, _name(line, "legal_actions"))
    return choices


def _legal(line: Line, state: Game, player: int | None) -> tuple[int, ...]:
    """Return the legal actions of the player to move; player : as the rules are asked, None for no player."""
    actions = _actions(line, state, player)
    if not actions:
        method = _name(line, "legal_actions")
        raise line.fault(
            f"{method} gave no action in a state that is not over",
            "yield at least one action, if only a pass, or let is_terminal return True here",
        )
    return actions


def _actions(line: Line, state: Game, player: int | None) -> tuple[int, ...]:
    """Return what `legal_actions` gives, checked; player : whose, or None where the rule takes no player."""
    method = _name(line, "legal_actions")
    whose = () if player is None else (player,)
    actions = _first_of(line, state, "legal_actions", line.game.num_actions + 1, *whose)
    seen: set[int] = set()
    for action in actions:
        if not isinstance(action, int | np.integer) or isinstance(action, bool):
            raise line.fault(f"{method} gave {action!r}, which is no whole number", "yield whole numbers")
        if not 0 <= action < line.game.num_actions:
            raise line.fault(
                f"{method} gave action {action}, but num_actions is {line.game.num_actions}",
                f"actions are 0 to num_actions - 1, that is {line.game.num_actions - 1}",
            )
        if action in seen:
            raise line.fault(f"{method} gave action {action} twice", "yield each legal action once")
        seen.add(int(action))
    return tuple(int(action) for action in actions)


def _check_legality(line: Line, state: Game, legal: tuple[int, ...]) -> None:
    """Raise `GameError` unless `is_legal` tells the legal actions, and some of the others, apart."""
    record, yielded = state.to_record(), set(legal)
    others = range(0, line.game.num_actions, max(1, line.game.num_actions // _MOST_OTHERS))
    for action in (*legal, *(other for other in others if other not in yielded)):
        with line.calling("is_legal", then=action):
            told = state.is_legal(action)  # type: ignore[attr-defined]
        if bool(told) != (action in yielded):
            raise line.fault(
                f"{_name(line, 'is_legal')}({action}) gave {told!r}, but legal_actions "
                + ("yields the action" if action in yielded else "does not yield the action"),
                "return True for the actions that legal_actions yields, and for no other",
                rule="is_legal",
                then=action,
            )
    _check_unchanged(line, state, record, _name(line, "is_legal"))


def _box(line: Line, state: Game) -> Box:
    """Return the box of actions of `state`; raises `GameError` unless it has one."""
    for side in SIDES:
        if callable(getattr(line.game, side)):
            with line.calling(side):
                getattr(state, side)()
    try:
        low, high = box_of(state)
    except GameError as error:
        raise line.fault(error.problem, error.mend) from None
    if line.dimensions not in (0, low.size):
        raise line.fault(
            f"actions of {line.game.__name__} have {low.size} numbers here, and {line.dimensions} before",
            "let every action be a vector of the same length",
        )
    line.dimensions = low.size
    return tuple(low.tolist()), tuple(high.tolist())


def draw_vector(line: Line, state: Game, random: Draws) -> Vector:
    """Return an action of `state` as the rules draw one, or a uniformly random one."""
    if not hasattr(state, "sample_action"):
        return sample_vector(state, random)
    given, again = _drawn_twice(line, state, "sample_action", random)
    try:
        action, second = check_drawn(state, given), check_drawn(state, again)
    except GameError as error:
        raise line.fault(error.problem, error.mend, rule="sample_action") from None
    if not np.array_equal(action, second):
        raise _other_draw(line, "sample_action", given, again)
    return action


def draw_number(line: Line, state: Game, legal: Sequence[int], random: Draws) -> int:
    """Return a numbered action as the rules' `sample_action` draws it; legal : the legal actions."""
    action, again = _drawn_twice(line, state, "sample_action", random)
    if action != again:
        raise _other_draw(line, "sample_action", action, again, rule="sample_action")
    _check_legal_draw(line, action, legal)
    return int(action)


def _drawn_twice(line: Line, state: Game, rule: str, random: Draws) -> tuple[Any, Any]:
    """Return what a rule draws, and what it draws from the same random numbers again."""
    record, start = state.to_record(), random.counter
    with line.calling(rule):
        drawn = getattr(state, rule)(random), getattr(state, rule)(Draws(start))
    _check_unchanged(line, state, record, _name(line, rule))
    return drawn


def _other_draw(line: Line, method: str, first: Any, second: Any, *, rule: str | None = None) -> GameError:
    return line.fault(
        f"{_name(line, method)} gave {first!r} and then {second!r} for the same random numbers",
        "draw from the random that it is given alone, and keep nothing outside of the fields",
        rule=rule,
    )


def _check_legal_draw(line: Line, action: Any, legal: Collection[int]) -> None:
    if action not in legal:
        raise line.fault(
            f"{_name(line, 'sample_action')} gave {action!r}, which is not legal",
            "return one of legal_actions(), each with the same probability",
            rule="sample_action",
        )


def check_draws(line: Line, state: Game, legal: Sequence[int], random: Draws) -> None:
    """Raise `GameError` unless `sample_action` draws each of the legal actions equally often.

    By a chi-squared test, at a level at which a million checks of right rules raise no error. It says nothing
    of states with more actions than _MOST_COUNTED.
    """
    if len(legal) > _MOST_COUNTED:
        return
    counts = dict.fromkeys(legal, 0)
    for _ in range(_DRAWS_EACH * len(legal)):
        with line.calling("sample_action"):
            action = state.sample_action(random)  # type: ignore[attr-defined]
        _check_legal_draw(line, action, counts)
        counts[int(action)] += 1
    squares = sum((count - _DRAWS_EACH) ** 2 for count in counts.values()) / _DRAWS_EACH
    if unlikely(squares, len(legal) - 1):
        most, least = max(counts, key=counts.__getitem__), min(counts, key=counts.__getitem__)
        raise line.fault(
            f"{_name(line, 'sample_action')} draws action {most} {counts[most]} times and action {least} "
            f"{counts[least]} times, of {_DRAWS_EACH * len(legal)}",
            "give each legal action the same probability; a policy of playouts is playout_action",
            rule="sample_action",
        )


def unlikely(squares: float, freedom: int) -> bool:
    """Whether chance gives so large a sum of squares in less than one of a million chi-squared tests.

    Wilson, Hilferty, "The distribution of chi-square", 1931: the cube root is nearly normal.
    """
    if freedom < 1:
        return False
    return squares > freedom * (1 - 2 / (9 * freedom) + 8 * math.sqrt(2 / (9 * freedom))) ** 3


def _outcomes(line: Line, state: Game) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return the outcomes of chance and their probabilities."""
    method, last = _name(line, "chance_outcomes"), line.game.num_outcomes - 1
    fault = partial(line.fault, rule="chance_outcomes")
    pairs = _first_of(line, state, "chance_outcomes", last + 2)
    if not pairs:
        raise fault(
            f"{method} gave no outcome where chance is to move",
            "yield at least one outcome and its probability",
        )
    found: dict[int, float] = {}
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise fault(
                f"{method} gave {_plain(pair)!r}, no pair of an outcome and its probability",
                "yield pairs, such as die, 1 / 6",
            )
        outcome, probability = pair
        if not isinstance(outcome, int | np.integer) or isinstance(outcome, bool):
            raise fault(
                f"{method} gave the outcome {_plain(outcome)!r}, which is no whole number",
                "number the outcomes from 0",
            )
        if not 0 <= outcome <= last:
            raise fault(
                f"{method} gave outcome {outcome}, but num_outcomes is {last + 1}",
                f"outcomes are 0 to num_outcomes - 1, that is {last}",
            )
        if outcome in found:
            raise fault(f"{method} gave outcome {outcome} twice", "yield each outcome once")
        number = isinstance(probability, int | float | np.number) and not isinstance(probability, bool)
        if not number or not 0.0 <= probability <= 1.0 + PROBABILITY_TOLERANCE:
            raise fault(
                f"{method} gave outcome {outcome} the probability {_plain(probability)!r}",
                "yield a number from 0 to 1",
            )
        found[int(outcome)] = float(probability)
    total = math.fsum(found.values())
    if abs(total - 1.0) > PROBABILITY_TOLERANCE:
        raise fault(
            f"the probabilities that {method} gave add up to {total:.9g}, not to 1",
            "yield every outcome with its probability, or divide by their sum",
        )
    return tuple(found), tuple(found.values())


def draw_outcome(line: Line, state: Game) -> int:
    """Return an outcome that the rules draw."""
    method, last = _name(line, "sample_outcome"), line.game.num_outcomes - 1
    outcome, again = _drawn_twice(line, state, "sample_outcome", line.random)
    whole = isinstance(outcome, int | np.integer) and not isinstance(outcome, bool)
    if not whole or not 0 <= outcome <= last:
        raise line.fault(
            f"{method} gave {_plain(outcome)!r}, but num_outcomes is {last + 1}",
            f"outcomes are 0 to num_outcomes - 1, that is {last}",
            rule="sample_outcome",
        )
    if again != outcome:
        raise _other_draw(line, "sample_outcome", int(outcome), again)
    return int(outcome)


def _first_of(line: Line, state: Game, rule: str, limit: int, *given: int) -> list[Any]:
    """Return up to `limit` of what `rule` yields, so that a generator without end comes to light.

    given : its arguments.
    """
    give: Callable[..., Iterable[Any]] = getattr(type(state), rule)
    give = getattr(give, "__wrapped__", give)
    with line.calling(rule):
        found = give(state, *given)
    what = rule.split("_")[1]
    if not isinstance(found, Iterable):
        raise line.fault(
            f"{_name(line, rule)} gave {found!r}, not {what}",
            "yield each legal action, or return a list of them"
            if rule == "legal_actions"
            else "yield each outcome and its probability",
            rule=rule,
        )
    with line.calling(rule):
        return list(islice(found, limit))


def _numbers(line: Line, state: Game, rule: str) -> tuple[float, ...]:
    """Return the result of `returns` or `evaluate`: a finite number per player, within the game's bounds."""
    method = _name(line, rule)
    with line.calling(rule):
        numbers = getattr(state, rule)()
    players = line.game.num_players
    listed = isinstance(numbers, Sequence) or (isinstance(numbers, np.ndarray) and numbers.ndim == 1)
    if not listed or len(numbers) != players:
        raise line.fault(
            f"{method} gave {_plain(numbers)!r}, but num_players is {players}",
            f"{_NO_RETURN}, such as return {_EXAMPLE[:players]}"
            if numbers is None
            else f"return {players} numbers, one a player, in the order of the players: {_EXAMPLE[:players]}",
            rule=rule,
        )
    low, high = line.game.min_return, line.game.max_return
    for number in numbers:
        if not isinstance(number, int | float | np.number | np.bool_) or not math.isfinite(number):
            raise line.fault(
                f"{method} gave {_plain(numbers)!r}, which holds {_plain(number)!r}", "return finite numbers"
            )
        if not low <= number <= high:
            raise line.fault(
                f"{method} gave {_plain(numbers)!r}, but min_return is {low} and max_return is {high}",
                "scale it, or set min_return and max_return to the least and the most there can be",
            )
    return tuple(float(number) for number in numbers)


def _check_utility(line: Line, returns: tuple[float, ...]) -> None:
    problem = line.declared.problem(returns)
    if problem is not None:
        raise line.fault(f"{_name(line, 'returns')} gave {returns}, {problem}", MEND_RETURNS, rule="returns")


def _plain(value: Any) -> Any:
    """Return a NumPy value as a plain Python one, which reads better in an error."""
    if type(value) in (tuple, list):
        return type(value)(map(_plain, value))
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _check_unchanged(line: Line, state: Game, record: NDArray[Any], what: str) -> None:
    if state.to_record().tobytes() != record.tobytes():
        raise line.fault(f"{what} changes the fields", "only apply_action may change them")


def _check_joint_text(line: Line, state: Game, joint: tuple[int, ...]) -> None:
    """Raise `GameError` unless the text of a joint move reads back as the same move."""
    text = joint_text(state, joint)
    try:
        read: object = check_joint_move(state, text)
    except ActionError:
        read = "an error"
    if read != joint:
        raise line.fault(
            f"the text {text!r} of the joint move {joint} reads back as {read}",
            "give each action of a player a name of its own, without commas",
            rule="action_to_string",
        )


def _check_names(line: Line, state: Game, legal: Sequence[int], tried: Sequence[int]) -> None:
    names = _check_texts(line, state, legal)
    for action in tried:
        read: object
        try:
            read = state.action_from_string(names[action])
        except ActionError:
            read = "an error"
        except Exception as error:
            raise line.raised("action_from_string", error) from error
        if read != action:
            raise line.fault(
                f"{_name(line, 'action_from_string')}({names[action]!r}) gave {read}, "
                f"but that is the name of action {action}",
                "read what action_to_string writes, or leave action_from_string to Game",
            )


def _check_texts(line: Line, state: Game, legal: Sequence[int]) -> dict[int, str]:
    """Return the name of each legal action, a word of its own."""
    method = _name(line, "action_to_string")
    owners: dict[str, int] = {}
    names: dict[int, str] = {}
    for action in legal:
        with line.calling("action_to_string"):
            name = state.action_to_string(action)
        if not isinstance(name, str) or name.split() != [name]:
            raise line.fault(
                f"{method}({action}) gave {name!r}, which is no single word",
                "return a text without blanks: moves are listed with blanks between them",
            )
        if owners.setdefault(name.lower(), action) != action:
            raise line.fault(
                f"{method} gave {name!r} for both action {owners[name.lower()]} and action {action}",
                "give each legal action a name of its own; upper and lower case are the same",
            )
        names[action] = name
    return names


def _check_board(line: Line, state: Game, legal: Sequence[Any]) -> None:
    """Raise `GameError` if what a class says of its board is at fault in a state; legal : its actions.

    A class that says nothing is not judged: its board is a guess.
    """
    own = ("board_style", "board_cells", "action_squares")
    if all(getattr(type(state), name) is getattr(Game, name) for name in own):
        return
    with line.calling("board_style"):
        look = look_of(type(state))
    if look is None:
        return
    with line.calling("board_cells"):
        cells = cells_of(state)
    twin = type(state).from_record(state.to_record())
    for action in legal:
        with line.calling("action_squares"):
            path, again = squares_of(state, action), squares_of(twin, action)
        if path != again:
            raise line.fault(
                f"{line.game.__name__}.action_squares({action}) gave {list(path)} and then {list(again)} for "
                "the same fields",
                "let the squares follow from the fields and the action alone",
                rule="action_squares",
            )
        for square in path:
            row, column = divmod(square, look.columns)
            if cells[row, column, 1] == NO_CELL:
                raise line.fault(
                    f"{line.game.__name__}.action_squares({action}) gave {square}, row {row} and column "
                    f"{column}, where board_cells says that there is no cell",
                    "name squares that are there",
                    rule="action_squares",
                )


def _check_copies(line: Line, state: Game) -> None:
    game = type(state)
    ways: dict[str, Callable[[], Game]] = {
        "copy": state.copy,
        "from_record": lambda: game.from_record(state.to_record()),
        "from_json": lambda: game.from_json(state.to_json()),
    }
    for method, way in ways.items():
        with line.calling(method):
            twin = way()
        if twin is state or twin != state:
            how = "the state itself" if twin is state else f"{twin!r} for {state!r}"
            raise line.fault(
                f"{_name(line, method)} gave {how}, not an equal state of its own",
                f"leave {method} to Game, and equality too",
            )
        with line.calling("__hash__"):
            same = hash(twin) == hash(state)
        if not same:
            raise line.fault(f"{_name(line, '__hash__')} differs for equal states", "leave __hash__ to Game")


def _try(line: Line, state: Game, record: NDArray[Any], action: Any) -> None:
    """Play a legal action on two copies of `state`; they must agree, and `state` must not change."""
    first, second = state.copy(), type(state).from_record(record)
    given: list[Any] = []
    rule = _rule_for(action)
    start = line.random.counter
    for twin in (first, second):
        with line.calling(rule, then=action):
            given.append(apply_legal(twin, action, Draws(start)))
    if state.to_record().tobytes() != record.tobytes():
        raise line.fault(
            f"{_name(line, rule)}({action}) on a copy changes the state that was copied",
            "leave copy to Game: each state needs arrays of its own",
            then=action,
        )
    if _rewards(line, given[0], action) != _rewards(line, given[1], action):
        raise line.fault(
            f"{_name(line, rule)}({action}) returned {_plain(given[0])!r} and then {_plain(given[1])!r} for "
            f"the same fields{line.drawing(rule)}",
            "let the reward follow from the action and the fields alone",
            then=action,
        )
    if first != second:
        raise line.fault(
            f"{_name(line, rule)}({action}) gave {first!r} and then {second!r} for the same fields"
            f"{line.drawing(rule)}",
            f"let the outcome follow from the fields and the action alone; {NAMED['random'].advice}"
            if line.drawing(rule)
            else "let the outcome follow from the action and the fields alone",
            then=action,
        )


def label_note(state: Game, legal: Iterable[int]) -> str | None:
    """Return one sentence on how the names of moves and the labels of cells disagree, or None if they agree.

    A move may be named after any cell that stands for it, or after that cell's column. A picture that the
    class draws itself may have labels that name no moves, but no move may be named after another move's cell.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> label_note(ConnectFour(), range(7)) is None
    True
    """
    grid = state.to_grid()
    if grid is None:
        return None
    cells: dict[int, list[str]] = {}
    columns: dict[int, set[str]] = {}
    owners: dict[str, int | None] = {}
    for number, (row, row_label) in enumerate(zip(grid.cells, grid.row_labels, strict=False)):
        for place, cell in enumerate(row):
            column_label = grid.column_label(number, place)
            label = f"{column_label}{row_label}"
            owners[label.lower()] = cell.action
            if cell.action is not None:
                cells.setdefault(cell.action, []).append(label)
                columns.setdefault(cell.action, set()).add(column_label.lower())
    drawn_by_default = type(state).to_grid is Game.to_grid and not has_layer(type(state))
    other_notation = None
    for action in legal:
        if action not in cells:
            continue
        name = state.action_to_string(action)
        written = name.lower()
        if written in (label.lower() for label in cells[action]) or written in columns[action]:
            continue
        told = f'the move "{name}" stands for the cell that the picture labels {cells[action][0]}'
        if written in owners:
            bottom = "; the picture numbers rows from the bottom" if drawn_by_default else ""
            return (
                f"{told}, and the picture labels another cell {written}{bottom}: "
                "let action_to_string write the picture's labels, or draw other ones in to_grid"
            )
        if drawn_by_default and other_notation is None:
            other_notation = (
                f"{told}, which numbers rows from the bottom: "
                "let action_to_string write these labels, or draw other ones in to_grid"
            )
    return other_notation
