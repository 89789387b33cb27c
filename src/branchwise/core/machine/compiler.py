"""Compiling kernels by Numba's compiler, without the passes that kernels do not need.

Numba generates machine code for every function that it compiles, with all callees inlined. Kernels
call each other many levels deep, so each was optimised again at every level above. Here a
kernel that only other kernels call stays unoptimised until an entry kernel is complete, which is optimised
once, as a whole. See `docs/decisions/0025-code-is-made-once.md`.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import FunctionType
from typing import Any, ClassVar

from llvmlite.binding import Linkage, parse_bitcode
from numba import _dynfunc, config, types
from numba.core import ir
from numba.core.analysis import dead_branch_prune
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import CompilerBase, Flags
from numba.core.compiler_lock import require_global_compiler_lock
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.environment import lookup_environment
from numba.core.errors import new_error_context  # type: ignore[attr-defined]
from numba.core.event import trigger_event
from numba.core.extending import intrinsic, overload
from numba.core.interpreter import (
    Interpreter,
    peep_hole_delete_with_exit,
    peep_hole_fuse_dict_add_updates,
)
from numba.core.ir_utils import build_definitions, check_and_legalize_ir
from numba.core.postproc import PostProcessor
from numba.core.rewrites.registry import rewrite_registry
from numba.core.ssa import reconstruct_ssa
from numba.core.typed_passes import (
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    FixupArgs,
    ReconstructSSA,
    TranslateByteCode,
)
from numba.cpython.builtins import do_minmax
from numba.np import arrayobj

from branchwise.common.gc_pause import rare_collections
from branchwise.core.machine.compiler_shortcuts import shortcuts

FULL = int(config.OPT)
"""LLVM's level of optimisation, Numba's setting."""
_OURS = "_ZN10branchwise"
_KERNELS = "_ZN10branchwise4core"
RARELY_RUN: list[str] = []
"""How symbols of kernels begin that stay out of the code of those that call them; see `kernel.rarely_run`."""
LEFT_TO_LLVM: list[str] = []
"""How symbols of kernels begin with which LLVM decides what is inlined; see `kernel.leave_to_llvm`."""
_ENVIRONMENT = "_ZN08NumbaEnv"
_CALL = re.compile(r'call [^@\n]*@"?([^"\s(]+)"?\(')
"""A call in LLVM's text; the group is the name of the function."""


class _Library(JITCodeLibrary):
    """The code of one function, before it is linked.

    level : LLVM's level of optimisation for the function alone.
    """

    level = FULL

    def _optimize_functions(self, ll_module: Any) -> None:
        """Optimise functions one by one; Numba would do the same with declarations, and slower."""
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager(opt=self.level)
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)


class InnerLibrary(_Library):
    """The code of one function that only compiled code calls; it is linked into its callers unoptimised.

    needs_address : whether it may be called by its address, like a recursive function.
    """

    needs_address = False
    _shared_module: Any

    @classmethod
    def restored(cls, codegen: Any, name: str, bitcode: bytes, needed: list[InnerLibrary]) -> InnerLibrary:
        """Return a library from stored bitcode; needed : libraries of the functions that it calls."""
        library = cls(codegen, name)
        library.enable_object_caching()
        library._final_module = parse_bitcode(bitcode)
        library._linking_libraries = needed
        library._finalized = True
        return library

    def finalize(self) -> None:
        """Finish the code; machine code is made only if an address is needed."""
        require_global_compiler_lock()
        if any(_calls_by_address(library) for library in (self, *linked(self))):
            self.needs_address = True
        if self.needs_address:
            _link_all(self)
            super().finalize()
            return
        self._raise_if_finalized()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = Linkage.linkonce_odr
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return the code with everything that it needs, for code that Numba links itself."""
        if self.needs_address or self._shared_module is not None:
            return super()._get_module_for_linking()
        whole = self._final_module.clone()
        for library in linked(self):
            whole.link_in(own_module(library), preserve=True)
        self._shared_module = whole
        return whole


class EntryLibrary(_Library):
    """The code of an entry kernel and of everything that it calls.

    owns_all : whether functions are this kernel's alone, so that LLVM inlines whatever is called once.
    """

    owns_all = True

    def finalize(self) -> None:
        """Link and optimise the code, and generate machine code."""
        _link_all(self)
        for function in self._final_module.functions:
            if function.is_declaration and function.name.startswith(_OURS):
                raise AssertionError(f"nothing that was linked defines {function.name}")
            if self.owns_all and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        if self.owns_all:
            _inline_first(self._final_module)
        super().finalize()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self._codegen.set_env(variable.name, environment)


def _link_all(library: Any) -> None:
    """Link everything that `library` needs, directly or indirectly."""
    needed = linked(library)
    module = library._final_module
    for one in needed:
        library._reload_init.update(one._reload_init)
        module.link_in(own_module(one), preserve=True)
    missing = _undefined(module)
    while missing:  # LLVM leaves out code that nothing referred to at its turn
        for one in needed:
            if missing.intersection(_defined(own_module(one))):
                module.link_in(own_module(one), preserve=True)
        before, missing = missing, _undefined(module)
        if missing == before:
            break
    library._linking_libraries = []


def _inline_first(module: Any) -> None:
    """Let LLVM inline kernels that are called once before it optimises anything.

    By itself it optimises a function again after each call that it inlines there, so code many calls deep is
    optimised many times: that takes twice the time, and the code is no faster. LLVM decides for the functions
    of the rules, because inlining them first slows down the playouts of some games, and for all functions of
    searches with listed outcomes of chance: Pig's search was a twentieth slower. What only steered searches
    run is never inlined, because other searches of short games were a fortieth slower with it.
    """
    for function in module.functions:
        if function.name.startswith(tuple(RARELY_RUN)) and not function.is_declaration:
            function.add_function_attribute("noinline")
            function.add_function_attribute("cold")
    if any(function.name.startswith(tuple(LEFT_TO_LLVM)) for function in module.functions):
        return
    calls = Counter(_CALL.findall(str(module)))
    for function in module.functions:
        if function.is_declaration or function.linkage != Linkage.internal or calls[function.name] != 1:
            continue
        noinline = any(b"noinline" in attributes for attributes in function.attributes)
        if function.name.startswith(_KERNELS) and not noinline:
            function.add_function_attribute("alwaysinline")


def symbol_of(*names: str) -> str:
    """Return how the symbols of a function, given by its dotted module and its name, or of a module's begin.

    >>> symbol_of("branchwise.core", "f")
    '_ZN10branchwise4core1f'
    """
    parts = [part for name in names for part in name.split(".")]
    return "_ZN" + "".join(f"{len(part)}{part}" for part in parts)


def _undefined(module: Any) -> set[str]:
    """Return the names of Branchwise's and Numba's functions that a module calls but does not define."""
    return {one.name for one in module.functions if one.is_declaration and one.name.startswith("_ZN")}


def _defined(module: Any) -> set[str]:
    return {one.name for one in module.functions if not one.is_declaration}


def own_module(library: Any) -> Any:
    """Return the code of a library without the kernels that it needs."""
    if isinstance(library, InnerLibrary) and not library.needs_address:
        return library._final_module
    return library._get_module_for_linking()


def linked(library: Any) -> dict[Any, None]:
    """Return the libraries that `library` needs, in a fixed order."""
    found: dict[Any, None] = {}
    waiting = [library]
    while waiting:
        for needed in waiting.pop()._linking_libraries:
            if needed not in found:
                found[needed] = None
                if isinstance(needed, InnerLibrary):
                    waiting.append(needed)
    return found


def _calls_by_address(library: Any) -> bool:
    """Whether the own code of a library calls functions by their addresses."""
    known: bool | None = getattr(library, "calls_by_address", None)
    if known is None:
        variables = library._final_module.global_variables
        known = any(variable.name.startswith(RuntimeLinker.PREFIX) for variable in variables)
        library.calls_by_address = known
    return known


def handle_for(library: InnerLibrary, fndesc: Any, environment: Any) -> Any:
    """Return Numba's handle for a function that only compiled code calls."""
    name = fndesc.qualname.split(".")[-1]
    return _dynfunc.make_function(fndesc.lookup_module(), name, "", 0, environment, (library,))


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerForLinking(NativeLowering):
    """Generates the code of a function, to be linked by other functions."""

    _name = "branchwise_lower_for_linking"
    _level = min(1, FULL)
    """Kernels are small, and optimised again where they are linked."""

    def run_pass(self, state: Any) -> bool:
        target = state.targetctx
        library = state.library = InnerLibrary(target.codegen(), state.func_id.func_qualname)
        library.enable_object_caching()
        library.level = self._level
        library.needs_address = self.needs_address(state.func_id.func)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        library._ensure_finalized()
        if library.needs_address:
            handle = target.get_executable(library, lowered.fndesc, lowered.env)
        else:
            handle = handle_for(library, lowered.fndesc, lowered.env)
        target.insert_user_function(handle, lowered.fndesc, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = lowered._replace(cfunc=handle)
        return True

    def needs_address(self, function: FunctionType) -> bool:
        """Whether a function may call itself, directly or through others."""
        return False


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerEntry(NativeLowering):
    """Generates the code of an entry kernel, and machine code for it and everything that it calls."""

    _name = "branchwise_lower_entry"
    _owns_all = True

    def run_pass(self, state: Any) -> bool:
        state.library = EntryLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.owns_all = self._owns_all
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerShortEntry(LowerEntry):
    """The same for a kernel that calls little: large functions stay apart and have more registers."""

    _name = "branchwise_lower_short_entry"
    _owns_all = False


@register_pass(mutates_CFG=True, analysis_only=False)
class WriteConstants(FunctionPass):
    """Replaces attributes that are constants of their types, and drops code that is then unreachable.

    So a search is compiled without parts that it does not use. Constants of a type are in `known_constants`.
    Code after `if argument is None` is dropped, too, if it does not apply.
    """

    _name = "branchwise_write_constants"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        function = state.func_ir
        known = {
            name: constants
            for name, kind in zip(function.arg_names, state.args, strict=True)
            if (constants := getattr(kind, "known_constants", None))
        }
        written = any(isinstance(kind, types.NoneType) for kind in state.args)
        if not known and not written:
            return False
        for block in function.blocks.values():
            for statement in block.find_insts(ir.Assign):
                value = statement.value
                if isinstance(value, ir.Expr) and value.op == "getattr" and value.value.name in known:
                    constants = known[value.value.name]
                    if value.attr in constants:
                        statement.value = ir.Const(constants[value.attr], value.loc)
                        written = True
        if written:
            function._definitions = build_definitions(function.blocks)
            dead_branch_prune(function, state.args)
        return written


@intrinsic
def _least(typing_context: Any, one: Any, other: Any) -> Any:
    """Return the smaller of two numbers."""
    return _extreme(typing_context, one, other, operator.lt)


@intrinsic
def _greatest(typing_context: Any, one: Any, other: Any) -> Any:
    """Return the larger of two numbers."""
    return _extreme(typing_context, one, other, operator.gt)


def _extreme(typing_context: Any, one: Any, other: Any, is_better: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return do_minmax(context, builder, list(signature.args), list(arguments), is_better)

    return typing_context.unify_types(one, other)(one, other), generate


_EXTREMES = (min, _least), (max, _greatest)


@register_pass(mutates_CFG=False, analysis_only=False)
class WriteExtremes(FunctionPass):
    """Writes `min` and `max` of two numbers in place; Numba would compile a function for their types."""

    _name = "branchwise_write_extremes"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        blocks = state.func_ir.blocks.values()
        calls = [call for block in blocks for call in block.find_exprs("call")]
        others = {call.func.name for call in calls if len(call.args) != 2 or call.kws or call.vararg}
        written = False
        for block in blocks:
            for statement in block.find_insts(ir.Assign):
                value = statement.value
                if not isinstance(value, ir.Global) or statement.target.name in others:
                    continue
                for builtin, extreme in _EXTREMES:
                    if value.value is builtin:
                        statement.value = ir.Global(value.name, extreme, value.loc)
                        written = True
        if written:
            state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return written


@register_pass(mutates_CFG=True, analysis_only=False)
class Rewrite(FunctionPass):
    """Numba's rewrites before types are inferred, without the lifetimes of variables after them."""

    _name = "branchwise_rewrite"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        blocks = state.func_ir.blocks
        for kind in rewrite_registry.rewrites["before-inference"]:
            rewrite = kind(state)
            waiting = list(blocks)
            while waiting:
                label = waiting.pop()
                if rewrite.match(state.func_ir, blocks[label], state.typemap, state.calltypes):
                    blocks[label] = rewrite.apply()
                    waiting.append(label)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class SingleAssignment(ReconstructSSA):
    """Lets every variable be assigned once; only generators need the lifetimes of variables then."""

    _name = "branchwise_single_assignment"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = reconstruct_ssa(state.func_ir)
        self._patch_locals(state)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        if state.func_ir.is_generator:
            PostProcessor(state.func_ir).run()
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class EndInference(PreLowerStripPhis):
    """Removes the nodes of static single assignment, and makes the code ready to be lowered.

    One pass in place of two of Numba's, each of which visits every use of every variable.
    """

    _name = "branchwise_end_inference"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        check_and_legalize_ir(state.func_ir, state.flags)
        return True


class _Interpreter(Interpreter):
    """Numba's reader of bytecode, for kernels, which have no `with` and make no dictionaries."""

    def post_process(self, peepholes: list[Any], func_ir: Any) -> Any:
        skipped = peep_hole_delete_with_exit, peep_hole_fuse_dict_add_updates
        return super().post_process([one for one in peepholes if one not in skipped], func_ir)


@register_pass(mutates_CFG=True, analysis_only=False)
class ReadByteCode(TranslateByteCode):
    """Translates the bytecode of a kernel."""

    _name = "branchwise_read_bytecode"

    def run_pass(self, state: Any) -> bool:
        state["func_ir"] = _Interpreter(state["func_id"]).interpret(state["bc"])
        return True


class _Passes(PassManager):
    """Runs passes without rebuilding and checking, after each, data that the next one rebuilds anyway."""

    def _runPass(self, index: int, one: Any, state: Any) -> None:  # noqa: N802 - Numba's name
        name = state.func_id.func_qualname
        one.analysis = self._analysis
        details = {"name": f"{one.name()} [{name}]", "qualname": name, "module": state.func_id.modname}
        with trigger_event("numba:run_pass", data=details), new_error_context("Pass {name}", name=one.name()):
            one.run_pass(state)


_FRONT = (
    (ReadByteCode, "analyzing bytecode"),
    (FixupArgs, "fix up args"),
    (WriteConstants, "write constants"),
    (WriteExtremes, "write min and max"),
    (Rewrite, "nopython rewrites"),
    (SingleAssignment, "ssa"),
    (NopythonTypeInference, "nopython frontend"),
    (EndInference, "end of inference"),
)
"""Numba's passes, except those for features that kernels do not use (closures, exceptions, lists, whole-array
expressions and annotations) and, but for the last, those that compute the lifetimes of variables."""


@cache
def _passes(lower: type) -> PassManager:
    manager = _Passes("nopython")
    for one, text in (*_FRONT, (lower, "native lowering"), (NoPythonBackend, "nopython mode backend")):
        manager.add_pass(one, text)
    manager.finalize()
    return manager


class _SharedFlags(Flags):
    """Flags with one object for each set of values, so that they are compared quickly.

    Numba looks up every operator of a function by the flags as well, and would compare them one by one.
    """

    _known: ClassVar[list[_SharedFlags]] = []

    @classmethod
    def like(cls, flags: Flags) -> _SharedFlags:
        """Return the object for these values."""
        values = flags.values()
        for known in cls._known:
            if known.values() == values:
                return known
        cls._known.append(cls(flags))
        return cls._known[-1]

    def __hash__(self) -> int:
        return _HASH_OF_FLAGS

    def __eq__(self, other: object) -> bool:
        return self is other if isinstance(other, _SharedFlags) else super().__eq__(other)

    def copy(self) -> Flags:
        return Flags(self)


_HASH_OF_FLAGS = hash(Flags())
"""Numba's hash of flags depends on the names alone."""


class _FlagsToShare:
    """Stands for the flags of a function until Numba copies them for everything that it compiles."""

    def __init__(self, state: Any) -> None:
        self._state, self._flags = state, state.flags

    def copy(self) -> Flags:
        self._state.flags = self._flags
        return _SharedFlags.like(self._flags)


class Compiler(CompilerBase):
    """Base class of all compilers of kernels and rules."""

    def _compile_core(self) -> Any:
        self.state.flags = _FlagsToShare(self.state)
        with rare_collections(), _short_words(), shortcuts():
            return super()._compile_core()


def _refuse_slice(shape: Any, room: Any) -> None:
    """Stands for `arrayobj.raise_with_shape_context`, which is called where shapes do not fit."""


@overload(_refuse_slice)
def _overload_refuse_slice(shape: Any, room: Any) -> Any:
    def refuse(shape: Any, room: Any) -> None:
        raise ValueError("an array is assigned to a slice of another shape")

    return refuse


@contextmanager
def _short_words() -> Iterator[None]:
    """Let Numba refuse an array that does not fit into a slice without a text about shapes.

    To compile such texts takes seconds. They are in the error that the same rule raises in plain Python.
    """
    before = arrayobj.raise_with_shape_context
    arrayobj.raise_with_shape_context = _refuse_slice
    try:
        yield
    finally:
        arrayobj.raise_with_shape_context = before


class InnerCompiler(Compiler):
    """Compiles functions that only compiled code calls."""

    def define_pipelines(self) -> list[Any]:
        return [_passes(LowerForLinking)]


class EntryCompiler(Compiler):
    """Compiles functions that Python calls."""

    def define_pipelines(self) -> list[Any]:
        return [_passes(LowerEntry)]


class ShortEntryCompiler(Compiler):
    """The same for functions that call little."""

    def define_pipelines(self) -> list[Any]:
        return [_passes(LowerShortEntry)]


def replace_pass(manager: Any, old: type, new: type) -> None:
    """Put the pass `new` in the place of `old`."""
    manager.passes = [(new, text) if found is old else (found, text) for found, text in manager.passes]
