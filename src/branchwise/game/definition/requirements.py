"""Checking and completing a class of rules, when it is defined and before its first state."""

from __future__ import annotations

import inspect
import math
from functools import cached_property
from typing import Any

import numpy as np

from branchwise.common.errors import GameError
from branchwise.game.definition.names import RULES
from branchwise.game.kinds import continuous_actions
from branchwise.game.kinds.corrections import class_line
from branchwise.game.kinds.game_kinds import (
    OBSERVING_RULES,
    REQUIRED_RULES,
    has_chance,
    is_partially_observed,
    is_simulator,
    num_arguments,
    pays_rewards,
    said_utility,
    samples_outcomes,
)
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.kinds.simultaneous_moves import takes_turns


def refuse_hidden_state(cls: type[Any]) -> None:
    """Raise `GameError` for attributes that would store data in a state outside its fields."""
    for name, value in vars(cls).items():
        if name == "__init__":
            raise GameError(
                f"{cls.__name__} has an __init__, but states are also made without it, from records and as "
                f"copies{class_line(cls, name)}",
                mend="declare fields in the class, count: np.int8 = 0, and complete the start position in a "
                "method setup(self)",
            )
        if isinstance(value, cached_property):
            raise GameError(
                f"{cls.__name__}.{name} is a cached_property, which would store its value in the state "
                f"outside the fields{class_line(cls, name)}",
                mend="make it a property, or a constant of the class",
            )


_OUTCOMES_ARE_NUMBERED = (
    "but its actions are vectors, which outcomes are not",
    "draw what happens in def apply_action(self, action, random)",
)
_ACTIONS_ARE_NUMBERED = (
    "which is for numbered actions; its own are vectors",
    "leave it out; sample_action(self, random) says which actions are worth trying",
)
_NOT_FOR_VECTORS = {
    **dict.fromkeys(("chance_outcomes", "sample_outcome"), _OUTCOMES_ARE_NUMBERED),
    **dict.fromkeys(("prior", "action_code", "playout_action", "is_legal"), _ACTIONS_ARE_NUMBERED),
}
"""By rule: why a class with continuous actions cannot have it, and what to do instead."""


def give_box(cls: type[Any]) -> None:
    """Make `legal_actions` of a class with continuous actions raise an error."""
    if continuous_actions.has_box(cls):
        if inspect.getattr_static(cls, "legal_actions", None) not in (None, continuous_actions.refused_list):
            raise GameError(
                f"{cls.__name__} has legal_actions, but also action_low or action_high, for actions that are "
                "vectors",
                mend="leave out one of them",
            )
        if getattr(cls, "num_actions", 0):
            raise GameError(
                f"{cls.__name__} has num_actions, but also action_low or action_high, for actions that are "
                "vectors",
                mend="leave num_actions out",
            )
        for rule, (why, mend) in _NOT_FOR_VECTORS.items():
            if callable(getattr(cls, rule, None)):
                raise GameError(f"{cls.__name__} has {rule}, {why}", mend=mend)
        cls.num_actions = 0
        cls.legal_actions = continuous_actions.refused_list


def protect_arrays(cls: type[Any]) -> None:
    """Make constant arrays of the class read-only: a state may change only its fields."""
    fields = {field.name for field in cls._fields}
    for name, value in list(vars(cls).items()):
        is_constant = isinstance(value, np.ndarray) and name not in fields and name[0] != "_"
        if is_constant and value.flags.writeable:
            constant = value.view()
            constant.flags.writeable = False
            setattr(cls, name, constant)


def set_bounds(cls: type[Any], root: type[Any]) -> None:
    """Make missing bounds of a problem that pays rewards infinite; root : `Game` itself."""
    if not pays_rewards(cls):
        return
    for name, bound in (("min_return", -math.inf), ("max_return", math.inf)):
        if not any(name in vars(owner) for owner in cls.__mro__ if owner is not root):
            setattr(cls, name, bound)


def require_rules(cls: type[Any]) -> None:
    """Raise `GameError` unless a class has all required methods and constants."""
    for method in REQUIRED_RULES:
        if not callable(getattr(cls, method, None)):
            raise GameError(f"{cls.__name__} has no method {method}", mend=f"add {RULES[method].written}")
    if cls._joint:
        _check_joint(cls)
    if not callable(getattr(cls, "returns", None)) and not pays_rewards(cls):
        raise GameError(
            f"{cls.__name__} has no method returns, and its apply_action returns no reward",
            mend=f"add {RULES['returns'].written}; or return a reward from apply_action",
        )
    _check_box(cls)
    _check_observing(cls)
    _check_symmetries(cls)
    for constant in ("num_players", "num_actions", "max_game_length"):
        if constant == "num_actions" and continuous_actions.has_box(cls):
            continue
        value = getattr(cls, constant, None)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            problem = "is missing" if value is None else f"is {value!r}"
            raise GameError(
                f"{cls.__name__}.{constant} {problem}",
                mend=f"give the class a line {constant} = a whole number from 1",
            )
    if (has_chance(cls) or samples_outcomes(cls)) and cls.num_outcomes < 1:
        rule = "chance_outcomes" if has_chance(cls) else "sample_outcome"
        raise GameError(
            f"{cls.__name__} has {rule}, but its num_outcomes is {cls.num_outcomes!r}",
            mend="give the class a line num_outcomes = the number of distinct outcomes, such as 6 for a die",
        )
    if not cls.min_return < cls.max_return:
        raise GameError(
            f"{cls.__name__}: min_return {cls.min_return} is not below max_return {cls.max_return}"
        )
    _check_discount_and_horizon(cls)
    _check_utility(cls)
    if not cls._fields:
        raise GameError(
            f"{cls.__name__} has no fields, so it has no state",
            mend="annotate the attributes that change in a game: chips: np.int8 = 21",
        )
    cls._complete = True


def _check_joint(cls: type[Any]) -> None:
    """Raise `GameError` for rules that cannot be combined with players who move at once."""
    if getattr(cls, "num_players", 2) == 1:
        raise GameError(
            f"{cls.__name__} has apply_actions, but only one player", mend="write apply_action instead"
        )
    for has_rule, what in (
        (continuous_actions.has_box(cls), "continuous actions"),
        (is_simulator(cls), "an apply_action that draws at random"),
        (hasattr(cls, "sample_action"), "sample_action"),
        (hasattr(cls, "playout_action"), "playout_action"),
        (callable(getattr(cls, "is_legal", None)), "is_legal"),
    ):
        if has_rule:
            raise GameError(
                f"{cls.__name__} has {what}, which cannot be combined with players who move at once",
                mend="leave it out; let chance move where the rules draw at random",
            )
    if not takes_turns(cls) and (has_chance(cls) or samples_outcomes(cls)):
        raise GameError(
            f"{cls.__name__} has chance, but no method apply_action",
            mend="add def apply_action(self, outcome): change the fields",
        )


def _check_box(cls: type[Any]) -> None:
    """Raise `GameError` for an invalid box, if it does not depend on the state."""
    if not continuous_actions.has_box(cls):
        if getattr(cls, continuous_actions.WHOLE, None) is not None:
            raise GameError(
                f"{cls.__name__} has action_integer, but neither action_low nor action_high",
                mend="give the bounds of each number of an action",
            )
        return
    if not continuous_actions.box_varies(cls):
        continuous_actions.box_of(object.__new__(cls))
    else:
        continuous_actions.whole_of(cls, None)


def _check_observing(cls: type[Any]) -> None:
    """Raise `GameError` for a partially observed problem that is not one of a single planner."""
    density = num_arguments(cls, "observation_density")
    if not is_partially_observed(cls):
        if density == OBSERVING_RULES["observation_density"]:
            raise GameError(
                f"{cls.__name__} has observation_density, but no observe"
                f"{class_line(cls, 'observation_density')}",
                mend=f"write {RULES['observe'].written}",
            )
        return
    if cls.num_players != 1:
        raise GameError(
            f"{cls.__name__} has observe, which is for problems of one player, but num_players is "
            f"{cls.num_players}",
            mend="with several players, declare hidden fields, bw.Private and bw.Secret, or write "
            "observation(self, player)",
        )
    if hides_information(cls):
        raise GameError(
            f"{cls.__name__} has observe, so its player sees no field, but it also declares what is hidden",
            mend="leave out bw.Private, bw.Secret, observation and determinize",
        )
    if continuous_actions.has_box(cls):
        raise GameError(
            f"{cls.__name__} has observe and continuous actions, which Branchwise does not plan for yet",
            mend="number the actions: give the class num_actions and legal_actions",
        )


def _check_symmetries(cls: type[Any]) -> None:
    """Raise `GameError` for symmetries that are no number, without their rules, or of an unfit game."""
    count = cls.symmetries
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise GameError(
            f"{cls.__name__}.symmetries is {count!r}",
            mend="give their number, the identity included, such as 8 for a square board; 1 for no other",
        )
    if count == 1:
        return
    for rule in ("symmetry", "symmetry_action"):
        if not callable(getattr(cls, rule, None)):
            raise GameError(
                f"{cls.__name__} has symmetries, but no method {rule}", mend=f"add {RULES[rule].written}"
            )
    for has, what in (
        (cls._joint, "its players move at once"),
        (hides_information(cls) or is_partially_observed(cls), "its players do not see everything"),
        (continuous_actions.has_box(cls), "its actions are vectors"),
        (is_simulator(cls) or samples_outcomes(cls), "its rules draw what happens"),
    ):
        if has:
            raise GameError(f"{cls.__name__} has symmetries, but {what}", mend="leave symmetries out")


def _check_discount_and_horizon(cls: type[Any]) -> None:
    """Raise `GameError` for an invalid discount or horizon."""
    discount, horizon = cls.discount, cls.horizon
    number = isinstance(discount, int | float) and not isinstance(discount, bool)
    if not number or not 0.0 <= discount <= 1.0:
        raise GameError(
            f"{cls.__name__}.discount is {discount!r}",
            mend="give a number from 0 to 1: the weight of a reward one decision later",
        )
    if isinstance(horizon, bool) or not isinstance(horizon, int) or horizon < 0:
        raise GameError(
            f"{cls.__name__}.horizon is {horizon!r}",
            mend="give a whole number of decisions, or 0 for no horizon",
        )
    for name, plain in (("discount", 1.0), ("horizon", 0)):
        if getattr(cls, name) != plain and not pays_rewards(cls):
            raise GameError(
                f"{cls.__name__} has a {name}, but it has returns, which count at the end alone",
                mend=f"leave {name} out; or leave returns out, and return rewards from apply_action",
            )


def _check_utility(cls: type[Any]) -> None:
    """Raise `GameError` for a `utility` that cannot be true of any returns within the game's bounds."""
    said = said_utility(cls)
    if said in ("zero_sum", "constant_sum") and cls.num_players == 1:
        raise GameError(
            f'{cls.__name__}.utility is "{said}", but there is only one player',
            mend='say "general_sum", or leave it out',
        )
    if said == "zero_sum" and cls.num_players == 2 and cls.min_return != -cls.max_return:
        raise GameError(
            f'{cls.__name__}.utility is "zero_sum", but returns lie between {cls.min_return:g} and '
            f"{cls.max_return:g}",
            mend="returns that add up to 0 need bounds -x and x; if they always add up to another number, "
            'say "constant_sum"',
        )
