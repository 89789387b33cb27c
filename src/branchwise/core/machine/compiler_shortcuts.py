"""Shortcuts through Numba's compiler, for as long as it compiles kernels and rules.

A first search spends most of its time in Numba's own Python code. The functions here return what Numba's
return, sooner:

- An operator of plain numbers is typed once; Numba tries a dozen templates at every use of it.
- Ufuncs of NumPy are considered only where an operand is an array.
- Registries are read again only after something was registered.
- The variables of a statement are listed without a call for each of its parts.
- Whether a function takes an argument `loc` is asked once for each function, and the order of the templates
  of a function or an attribute is found once.
- The place that an error message would name is noted without a generator.
- Locks announce nothing: only timers that nobody reads listen to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

from llvmlite.binding import ffi
from numba import types
from numba.core import base, compiler_lock, errors, ir, lowering, typeinfer, utils
from numba.core.types.functions import BaseFunction
from numba.core.typing import context as typing_context
from numba.core.typing.npydecl import NumpyRulesArrayOperator

_NUMBERS = {types.Integer, types.IntegerLiteral, types.Float, types.Boolean, types.BooleanLiteral}
"""Classes of the types of plain numbers."""


def _typing_operators_once(find: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `BaseFunction.get_call_type`: remember the types of operators of numbers.

    Other functions are typed every time: a function that Numba compiles for its arguments depends on the
    compiler's flags as well, and its own key tells it from an operator that Numba lowers itself.
    """

    @wraps(find)
    def get_call_type(function: Any, context: Any, args: Any, named: Any) -> Any:
        if named or not _NUMBERS.issuperset(map(type, args)):
            return find(function, context, args, named)
        known = function.__dict__.setdefault("_branchwise_known", {})
        signature = known.get((context, *args))
        if signature is None:
            signature = find(function, context, args, named)
            if function.get_impl_key(signature) is function.typing_key:
                known[context, *args] = signature
        return signature

    return get_call_type


def _skipping_ufuncs(find: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `NumpyRulesArrayOperator.generic`, which searches before it returns None for plain numbers."""

    @wraps(find)
    def generic(template: Any, args: Any, named: Any) -> Any:
        if _NUMBERS.issuperset(map(type, args)):
            return None
        return find(template, args, named)

    return generic


_registered: WeakKeyDictionary[Any, tuple[list[list[Any]], int]] = WeakKeyDictionary()
"""For each of Numba's contexts, the registries' lists, and how long they were when it last read them."""


def _refreshing_if_needed(read: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `refresh` of a context, which reads what was registered since the last time."""

    @wraps(read)
    def refresh(context: Any) -> None:
        lists, length = _registered.get(context, ([], -1))
        if sum(map(len, lists)) != length:
            read(context)
            lists = _lists_read_by(context)
            _registered[context] = lists, sum(map(len, lists))

    return refresh


def _lists_read_by(context: Any) -> list[list[Any]]:
    """Return the lists in all registries that a context reads, its typing context's included."""
    lists = [
        getattr(registry, name)
        for registry, loader in context._registries.items()
        for name in loader.registry_items
    ]
    typing = getattr(context, "typing_context", None)
    return lists if typing is None else lists + _lists_read_by(typing)


def _listed_at_once(listed: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `Inst._rec_list_vars`: look at the parts of a statement in one loop."""

    @wraps(listed)
    def list_variables(statement: Any, parts: Any) -> Any:
        if type(parts) is not dict:
            return listed(statement, parts)
        found = []
        for part in parts.values():
            kind = type(part)
            if kind is ir.Var:
                found.append(part)
            elif kind not in _WITHOUT_VARIABLES:
                found += listed(statement, part)
        return found

    return list_variables


class _ErrorContext:
    """Stands for `errors.new_error_context`: the place that the message of an error names."""

    __slots__ = ("_named", "_placed", "_text")

    def __init__(self, text: str, *placed: Any, **named: Any) -> None:
        self._text, self._placed, self._named = text, placed, named

    def __enter__(self) -> None:
        place = self._named.get("loc")
        if place is not None and not place.filename.startswith(_NUMBA):
            _seen_place.update(self._named)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is not None:
            with _numbas_context(self._text, *self._placed, **self._named):
                raise error


_numbas_context: Any = vars(errors)["new_error_context"]
_seen_place: dict[str, Any] = vars(errors)["loc_info"]
_NUMBA: str = vars(errors)["_numba_path"]

_order = utils.order_by_target_specificity


@lru_cache(maxsize=10_000)
def _known_order(target: Any, templates: tuple[Any, ...], key: str) -> list[Any]:
    ordered: list[Any] = _order(target, templates, key)
    return ordered


def _ordered_once(target: Any, templates: Any, fnkey: Any = "") -> Any:
    """Stands for `utils.order_by_target_specificity`; the templates of a key are always the same objects."""
    return _known_order(target, tuple(templates), str(fnkey)) if templates else []


_WITHOUT_VARIABLES = {
    ir.Loc, ir.Scope, ir.Const, ir.Global, ir.FreeVar, ir.Arg, str, int, bool, float, type(None)
}  # fmt: skip

_SILENT = SimpleNamespace(start_event=lambda kind: None, end_event=lambda kind: None)
"""Stands for Numba's events where its lock announces itself."""

_SHORTCUTS: tuple[tuple[Any, str, Any], ...] = (
    (BaseFunction, "get_call_type", _typing_operators_once(BaseFunction.get_call_type)),
    (NumpyRulesArrayOperator, "generic", _skipping_ufuncs(NumpyRulesArrayOperator.generic)),
    (base.BaseContext, "refresh", _refreshing_if_needed(base.BaseContext.refresh)),
    (
        typing_context.BaseContext,
        "refresh",
        _refreshing_if_needed(typing_context.BaseContext.refresh),
    ),
    (ir.Inst, "_rec_list_vars", _listed_at_once(ir.Inst._rec_list_vars)),
    (base, "_has_loc", lru_cache(maxsize=None)(base._has_loc)),
    (utils, "order_by_target_specificity", _ordered_once),
    (typing_context, "order_by_target_specificity", _ordered_once),
    (lowering, "new_error_context", _ErrorContext),
    (typeinfer, "new_error_context", _ErrorContext),
    (compiler_lock, "ev", _SILENT),
    (ffi.lib._lock, "_cblist", []),
)
"""What is replaced: an owner, the name of its attribute, and what stands there while code is compiled."""


@contextmanager
def shortcuts() -> Iterator[None]:
    """Return a context in which Numba takes the shortcuts; for the thread that holds its lock."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in _SHORTCUTS]
    try:
        for owner, name, shortcut in _SHORTCUTS:
            setattr(owner, name, shortcut)
        yield
    finally:
        for owner, name, replaced in before:
            setattr(owner, name, replaced)
