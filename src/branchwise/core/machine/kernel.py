"""How core kernels are compiled.

A kernel is a plain function over arrays and a state; it knows no particular game. Called with another
game's state it is specialised again, because the game is part of the state's type. Kernels release the
interpreter lock, return statuses and never raise.

A simulation is written once, in two kinds of kernels. A *text* touches the state; it is compiled for the
rules of a `Game`, and run by the interpreter for any other state object. A *phase* touches only the search
and its tree; texts call it, compiled, in both cases.

The loops in which searches spend most of their time read arrays by `np.uint64(index)`. A signed index may be
negative, and testing for that at every level took a tenth of a long search of a small game.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import numba
from numba import types
from numba.core.dispatcher import Dispatcher

from branchwise.core.machine.compiler import (
    LEFT_TO_LLVM,
    RARELY_RUN,
    EntryCompiler,
    InnerCompiler,
    ShortEntryCompiler,
    symbol_of,
)

Kernel = Any
"""A compiled function; called like the function it was made from."""

ENTRY_KERNELS: list[Kernel] = []
"""Kernels that Python calls; `compile.code.cache` keeps their machine code on disk."""

INNER_KERNELS: list[Kernel] = []
"""Kernels that only kernels call; `compile.code.kernel_bundle` keeps those that know no game."""

TEXTS: set[Kernel] = set()
"""Kernels whose `py_func` runs as it is where rules stay in Python."""


class Phase(NamedTuple):
    """A phase as interpreted texts call it."""

    entry: Kernel
    parameters: tuple[types.Type, ...]
    """Types of its arguments besides the search."""


PHASES: dict[Kernel, Phase] = {}

INNER = {
    "nogil": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": InnerCompiler,
    "forceinline": False,
    "_nrt": True,
}
"""Options for functions that only compiled code calls; wrappers for others take a quarter of the time.

All are given, because a function takes those that are not from whichever function calls it.
"""

UNCOUNTED = {"_nrt": False}
"""Options for code that makes no arrays and calls nothing that returns new ones: it counts no references.

The arrays that it works on are held by Python as long as it runs.
"""
INNER_UNCOUNTED = {**INNER, **UNCOUNTED}


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile `function` on first use, for calls from other kernels."""
    return _inner(function, UNCOUNTED)


def counting_kernel(function: Callable[..., Any]) -> Kernel:
    """Do the same with a function that rules may call with lists or arrays that they have made."""
    return _inner(function, {})


def inlined_kernel(function: Callable[..., Any]) -> Kernel:
    """Do the same with a short function whose calls would take as long as itself."""
    return _inner(function, {**UNCOUNTED, "forceinline": True})


def rarely_run(compiled: Kernel) -> Kernel:
    """Keep a kernel that few searches run out of the code of those that call it, which all searches run."""
    RARELY_RUN.append(symbol_of(compiled.__module__, compiled.__name__))
    return compiled


def leave_to_llvm(module: str) -> None:
    """Let LLVM decide what is inlined in searches that use any kernel of `module`."""
    LEFT_TO_LLVM.append(symbol_of(module))


def _inner(function: Callable[..., Any], options: dict[str, bool]) -> Kernel:
    compiled = _without_literals(numba.njit(error_model="numpy", **{**INNER, **options})(function))
    INNER_KERNELS.append(compiled)
    return compiled


def _without_literals(compiled: Kernel) -> Kernel:
    """Type literal arguments as ordinary numbers, so that each kernel is compiled once."""
    of_types = compiled.get_call_template

    def get_call_template(args: Any, named: dict[str, Any]) -> Any:
        plain = tuple(types.unliteral(argument) for argument in args)
        return of_types(plain, {name: types.unliteral(argument) for name, argument in named.items()})

    compiled.get_call_template = get_call_template
    return compiled


def entry_kernel(function: Callable[..., Any], pipeline: type = EntryCompiler) -> Kernel:
    """Compile `function` on first use, for calls from Python."""
    options = {"nogil": True, "no_cfunc_wrapper": True, "pipeline_class": pipeline, **UNCOUNTED}
    compiled = numba.njit(error_model="numpy", **options)(function)
    ENTRY_KERNELS.append(compiled)
    return compiled


def short_entry_kernel(function: Callable[..., Any]) -> Kernel:
    """The same for a function that calls little besides the rules: rules with much code are not inlined."""
    return entry_kernel(function, ShortEntryCompiler)


def text(function: Callable[..., Any]) -> Kernel:
    """Compile `function` on first use; it may be interpreted as well.

    It reaches kernels through its arguments alone, as in `search.select(search)`, so that an interpreted
    search can give it others.
    """
    compiled = kernel(function)
    TEXTS.add(compiled)
    return compiled


def phase(*parameters: types.Type) -> Callable[[Callable[..., Any]], Kernel]:
    """Compile a function on first use, for calls from texts, compiled or interpreted.

    parameters : types of its arguments besides the search.
    """

    def compile_twice(function: Callable[..., Any]) -> Kernel:
        compiled = kernel(function)
        PHASES[compiled] = Phase(entry_kernel(function), parameters)
        return compiled

    return compile_twice


COMPILED_PHASES: set[Kernel] = set()
"""Phases that are compiled even where others are still interpreted."""


def compiled_phase(*parameters: types.Type) -> Callable[[Callable[..., Any]], Kernel]:
    """Do the same as `phase` with a function whose sums must have the same bits everywhere."""

    def compile_always(function: Callable[..., Any]) -> Kernel:
        compiled = phase(*parameters)(function)
        COMPILED_PHASES.add(compiled)
        return compiled

    return compile_always


@cache
def kernels_of(module: ModuleType) -> dict[str, Kernel]:
    """Return the texts and phases that a module defines, by their names; do not change the result.

    Under these names others call them; those that are never called are never compiled.
    """
    found = {name: value for name, value in vars(module).items() if isinstance(value, Dispatcher)}
    return {
        name: kernel
        for name, kernel in found.items()
        if (kernel in TEXTS or kernel in PHASES) and kernel.__module__ == module.__name__
    }
