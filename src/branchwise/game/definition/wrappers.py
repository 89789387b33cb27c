"""Wrapping rules for callers: lists in place of generators, and checked actions."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from numbers import Real
from types import CodeType, FunctionType
from typing import Any, cast

from branchwise.common.errors import ActionError
from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.game.kinds import continuous_actions
from branchwise.game.kinds.game_kinds import has_chance, num_arguments, samples_outcomes, written_rule
from branchwise.game.kinds.simultaneous_moves import check_joint_move, listing, refused_action


def wrap_rules(cls: type[Any], root: type[Any]) -> None:
    """Make `legal_actions` and `chance_outcomes` return lists, and `apply_action` check its argument.

    A number that `returns` or `evaluate` gives for the only player becomes a tuple. Rules of a base class
    that is no `Game` are wrapped in the class that inherits them.
    root : `Game` itself.
    """
    wrappers: list[tuple[str, Callable[[FunctionType], FunctionType]]] = [
        ("legal_actions", _giving_a_list),
        ("apply_action", partial(_checking, root=root)),
    ]
    if has_chance(cls):
        wrappers[0] = ("legal_actions", partial(_giving_outcomes_too, has_outcomes=True))
        wrappers.append(("chance_outcomes", _giving_a_list))
    elif samples_outcomes(cls):
        wrappers[0] = ("legal_actions", partial(_giving_outcomes_too, has_outcomes=False))
    if cls._joint:
        wrappers[0] = ("legal_actions", partial(listing, has_outcomes=has_chance(cls)))
        wrappers.append(("apply_actions", partial(_checking_all, root=root)))
    if getattr(cls, "num_players", None) == 1:
        wrappers += [(rule, partial(_giving_one, root=root)) for rule in ("returns", "evaluate")]
    if cls.observation is not root.observation and num_arguments(cls, "observation") == 1:
        wrappers.append(("observation", _giving_a_tuple))
    for name, wrapped in wrappers:
        written = inspect.getattr_static(cls, name, None)
        if written in (continuous_actions.refused_list, refused_action):
            continue
        if isinstance(written, FunctionType) and written_rule(written) is written:
            method = wrapped(written)
            method.__wrapped__ = method._written = written  # type: ignore[attr-defined]
            method.__doc__ = written.__doc__
            method.__name__ = name
            method.__qualname__ = written.__qualname__
            method.__module__ = written.__module__
            setattr(cls, name, method)


def _giving_a_list(written: FunctionType) -> FunctionType:
    def listed(self: Any) -> list[Any]:
        return list(written(self))

    return cast(FunctionType, listed)


def _giving_one(written: FunctionType, root: type[Any]) -> FunctionType:
    def numbers(self: Any) -> Any:
        found = written(self)
        if not isinstance(found, Real) or self.num_players != 1:
            return found
        # Rules that call each other get the same as in compiled form.
        return found if _is_within_rules(type(self), root) else (float(found),)

    return cast(FunctionType, numbers)


def _giving_a_tuple(written: FunctionType) -> FunctionType:
    def observation(self: Any, player: int) -> tuple[float, ...]:
        return tuple(written(self, player))

    return cast(FunctionType, observation)


def _giving_outcomes_too(written: FunctionType, has_outcomes: bool) -> FunctionType:
    def legal_actions(self: Any) -> list[int]:
        if self.current_player() == CHANCE:
            return [outcome for outcome, _ in self.chance_outcomes()] if has_outcomes else []
        return list(written(self))

    return cast(FunctionType, legal_actions)


def _checking(written: FunctionType, root: type[Any]) -> FunctionType:
    def apply_action(self: Any, action: int, *random: Any) -> Any:
        game = type(self)
        # Skip the check if an overriding method called this one by `super()`, or if a rule looks ahead.
        if game.apply_action is apply_action and not _is_within_rules(game, root):
            if isinstance(action, str) and not continuous_actions.has_box(game):
                raise ActionError(
                    f'apply_action takes the number of an action, not the text "{action}"',
                    mend=f"state.play({action!r}) takes the text of a move",
                )
            if game._joint and self.current_player() == SIMULTANEOUS and not self.is_terminal():
                raise ActionError(
                    f"all players of {self.name} move at once here",
                    mend="state.apply_actions(actions) takes one action a player",
                )
            action = self.check_action(action)
        return written(self, action, *random)

    return cast(FunctionType, apply_action)


def _checking_all(written: FunctionType, root: type[Any]) -> FunctionType:
    def apply_actions(self: Any, actions: Any) -> Any:
        game = type(self)
        if game.apply_actions is apply_actions and not _is_within_rules(game, root):
            actions = check_joint_move(self, actions)
        return written(self, actions)

    return cast(FunctionType, apply_actions)


def _is_within_rules(game: type[Any], root: type[Any]) -> bool:
    """Whether a method of the game, or the check of an action, is on the call stack.

    Rules may look ahead with illegal moves, and may find the legal moves by trying them.
    """
    codes = _rule_codes(game, root)
    frame = sys._getframe(2)
    while frame is not None:
        if id(frame.f_code) in codes:
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def _rule_codes(game: type[Any], root: type[Any]) -> Collection[int]:
    """Return the ids of the code objects of all methods of the game, and of the check of an action."""
    known: dict[int, CodeType] | None = game.__dict__.get("_codes")
    if known is None:
        methods = [root.check_action, root._legal_pairs]
        for owner in game.__mro__:
            if owner not in (object, root):
                methods += vars(owner).values()
        known = {id(code): code for method in methods for code in _codes(method)}
        game._codes = known  # keeps the code objects alive, so that no other gets the same id
    return known.keys()


def trust_rules(game: type[Any], root: type[Any], methods: Iterable[Any]) -> None:
    """Let methods outside the game, the rules of a variant that follows it, apply actions unchecked."""
    _rule_codes(game, root)
    game._codes = game._codes | {id(code): code for method in methods for code in _codes(method)}


def _codes(value: Any) -> Iterator[CodeType]:
    """Yield the code of a method or property, of the function it decorates, and of inner functions."""
    if isinstance(value, CodeType):
        yield value
        for constant in value.co_consts:
            if isinstance(constant, CodeType):
                yield from _codes(constant)
    elif isinstance(value, FunctionType):
        yield from _codes(value.__code__)
        yield from _codes(getattr(value, "__wrapped__", None))
    elif isinstance(value, classmethod | staticmethod):
        yield from _codes(value.__func__)
    elif isinstance(value, property):
        for function in (value.fget, value.fset, value.fdel):
            yield from _codes(function)
