"""Calling kernels from Python; their code is loaded or compiled when it is first needed.

Numba's message about rules that it cannot compile becomes one sentence about the user's line; see
`compile.language.numba_messages`.
"""

from __future__ import annotations

import traceback
from functools import partial
from pathlib import Path
from typing import Any

from numba import types
from numba.core.errors import NumbaError, UnsupportedBytecodeError

from branchwise.common.errors import GameError, RuleLeftError, SettingsError
from branchwise.compile.code.announcements import announce, note
from branchwise.compile.code.cache import KernelCache
from branchwise.compile.code.compile_thread import Job, current_job
from branchwise.compile.code.kernel_bundle import BundleCache, flush
from branchwise.compile.language.numba_messages import explain, rule_at
from branchwise.compile.states.native_types import NativeRecords, ObjectType, StateType
from branchwise.compile.stopping.time_limits import KERNEL_CALLERS, begin, end
from branchwise.core.machine.kernel import ENTRY_KERNELS, INNER_KERNELS, Kernel
from branchwise.core.machine.stop_flags import LEAVE_RULE
from branchwise.game.rules_class import Game


def call(kernel: Kernel, *args: Any) -> Any:
    """Call an entry kernel; `args` can contain `NativeRecords`.

    Raises `GameError` if the rules of the state's game cannot be compiled, `SettingsError` if the search's
    selection rule cannot, with Numba's own text as the cause.
    """
    work = begin()
    try:
        return kernel(*args)
    except Exception as error:
        if not isinstance(error, NumbaError | UnsupportedBytecodeError) and not _is_numbas(error):
            raise  # raised by the rules
        objects = [a._numba_type_ for a in args if hasattr(a, "_numba_type_")]
        states = [found for found in objects if isinstance(found, StateType)]
        failed = _failed_rule(objects, error)
        if failed is not None:
            raise failed from error
        if not states:
            raise
        raise compile_error(states[0].rules.game, error) from error
    except KeyboardInterrupt as interrupt:
        if work.requests & LEAVE_RULE:  # Ctrl-C came before the rule's own error
            interrupt.__context__ = RuleLeftError("a rule", 0)
        raise
    finally:
        end(work)


KERNEL_CALLERS.add(call.__code__)


def is_loaded(kernel: Kernel, native: NativeRecords, *parameters: types.Type) -> bool:
    """Whether the code of an entry kernel is ready for a search and parameters of these types."""
    return (native._numba_type_, *parameters) in kernel.overloads


def load(kernel: Kernel, native: NativeRecords, *parameters: types.Type) -> None:
    """Load or compile an entry kernel for a search and parameters of these types, without calling it.

    Raises what `call` raises if the selection rule cannot be compiled.
    """
    if is_loaded(kernel, native, *parameters):
        return
    compile_now = partial(kernel.compile, (native._numba_type_, *parameters))
    try:
        if current_job() is None:
            Job(compile_now).run()
        else:
            compile_now()
    except (NumbaError, UnsupportedBytecodeError) as error:
        failed = _failed_rule([native._numba_type_], error)
        if failed is None:
            raise
        raise failed from error


def _is_numbas(error: Exception) -> bool:
    """Whether Numba raised the error while compiling."""
    *_, (frame, _line) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__", "")).startswith("numba.")


def compile_error(game: type[Game], error: Exception) -> GameError:
    """Return an error that names the line that cannot be compiled, if it is known."""
    told = explain(error, game)
    slowly = "; or search the rules as they are, slowly, with MCTS(compiled=False)"
    return GameError(
        f"{rule_at(game, told.places)} cannot be compiled{told.where}: {told.meaning}",
        mend=told.mend + (slowly if told.mend.startswith("write ") else ""),
    )


def _failed_rule(objects: list[ObjectType], error: Exception) -> SettingsError | None:
    """Return the error for a user's selection rule among searches; None if the rule is not the cause."""
    for one in objects:
        score = getattr(one.table, "score", None)
        if score is None:
            continue
        told = explain(error)
        code = score.__code__
        lines = range(code.co_firstlineno, max((n for *_, n in code.co_lines() if n), default=0) + 1)
        file, line = told.places[-1] if told.places else ("", 0)
        if line in lines and Path(file).name == Path(code.co_filename).name:
            return SettingsError(
                f"the selection rule {score.__name__} cannot be compiled{told.where}: {told.meaning}",
                mend="write it with numbers and the functions of math",
            )
    return None


def keep_on_disk() -> None:
    """Give every kernel defined so far its cache on disk, and compile entry kernels in a thread."""
    for kernel in ENTRY_KERNELS:
        if not isinstance(kernel._cache, KernelCache):
            kernel._cache = KernelCache(kernel, announce, _complete)
            kernel._compile_for_args = partial(_compiled, kernel)
    for kernel in INNER_KERNELS:
        if not isinstance(kernel._cache, BundleCache):
            kernel._cache = BundleCache(kernel)


def _complete(kernel: str, state: StateType | None, seconds: float) -> None:
    """Store the kernels and the time of a finished compile."""
    note(kernel, state, seconds)
    flush()


def _compiled(kernel: Kernel, *args: Any) -> Any:
    """Load or compile a kernel for these arguments; called by Numba if it has no code for them yet."""
    compile_now = partial(type(kernel)._compile_for_args, kernel, *args)
    return compile_now() if current_job() is not None else Job(compile_now).run()
