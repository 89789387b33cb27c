"""Preparing a rules class for the compiler: its compilable methods and its fingerprint."""

from __future__ import annotations

import builtins
import dis
import inspect
import linecache
import logging
import math
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from types import CellType, CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any, cast
from uuid import uuid4

from numba import njit
from numba.core.dispatcher import Dispatcher

import branchwise.compile.language.integers  # noqa: F401 - gives compiled numbers methods
from branchwise.common.errors import GameError
from branchwise.compile.language.division import may_divide_by_zero
from branchwise.compile.language.numba_messages import drawing_error
from branchwise.compile.language.processor_instructions import instruction_for
from branchwise.compile.language.rewrite_expressions import more_methods, stand_ins
from branchwise.compile.language.rewrite_generators import PUT, buffer_form, written_out
from branchwise.compile.sources.code_origin import is_users
from branchwise.compile.sources.fingerprint import (
    Fingerprint,
    UnfitForCacheError,
    code_names,
    module_attributes,
    reached_globals,
)
from branchwise.compile.sources.outside_values import Reads, content, frozen
from branchwise.compile.states.methods.all_games import STATE_METHODS, write_evaluation, write_middle
from branchwise.compile.states.methods.applying import (
    JOINT_METHODS,
    REWARD_METHODS,
    SIMULATOR_METHODS,
    write_nothing,
)
from branchwise.compile.states.methods.chance import CHANCE_METHODS, draw_among_few
from branchwise.compile.states.methods.continuous_actions import box_methods
from branchwise.compile.states.methods.legal_actions import fill_from_generator, fill_of_player, put
from branchwise.compile.states.methods.net_inputs import fill_from_inputs, write_array_cells, write_cells
from branchwise.compile.states.methods.observations import OBSERVING_METHODS
from branchwise.compile.states.methods.player_views import OWN_VIEW_METHODS, VIEW_METHODS
from branchwise.compile.states.native_types import Rules, StateType, object_type
from branchwise.compile.states.random_starter import starter_methods
from branchwise.compile.states.randomness import DRAWING_METHODS
from branchwise.compile.states.stop_checks import CALLS_ITSELF, ORIGINAL_NAME, WATCHES_STORES, GuardedCompiler
from branchwise.core.machine.kernel import INNER
from branchwise.core.machine.two_action_list import ROOM
from branchwise.core.simulation.playout import draw_from_few
from branchwise.game.definition.requirements import require_rules
from branchwise.game.kinds.continuous_actions import has_box
from branchwise.game.kinds.game_kinds import (
    OPTIONAL_RULES,
    REQUIRED_RULES,
    STANDARD_CONSTANTS,
    has_chance,
    is_partially_observed,
    is_simulator,
    pays_rewards,
    samples_outcomes,
)
from branchwise.game.kinds.hidden_information import has_rule
from branchwise.game.kinds.simultaneous_moves import takes_turns
from branchwise.game.random_starter import COMPILED_RULES
from branchwise.game.rules_class import Game, rule_functions

_log = logging.getLogger("branchwise")
_FEW = 16
"""Maximum length of a list of outcomes of chance that is always read to its end."""

_METHODS = (FunctionType, property, staticmethod, classmethod)
_OPTIONS = {**INNER, "boundscheck": True, "error_model": "python", "pipeline_class": GuardedCompiler}
"""Compiler options for rules: unlike kernels, they check every array index and every division."""
_KEPT_OPTIONS = ("error_model", "fastmath", "inline")


_translating = threading.RLock()
"""Held while source is parsed: in Python 3.11, `ast.parse` can fail if several threads call it at once."""


def compiled_type(game: type[Game], *, watched: bool = False) -> StateType:
    """Return the type of the states of `game` in compiled code, without compiling anything.

    A method, a helper, a constant or an array that was changed since the last call, as in a notebook, gives a
    new type. Raises `GameError` if the class is not a complete game.
    watched : whether its rules raise OverflowError for a number that does not fit its field, as for the rule
    checker; in a search they cut it.
    """
    name = "_watched_type" if watched else "_state_type"
    known: StateType | None = game.__dict__.get(name)
    if known is None or not known.rules.is_current():
        with _translating:
            known = game.__dict__.get(name)
            if known is None or not known.rules.is_current():
                require_rules(game)
                rules = _rules(game, watched)
                known = object_type(StateType, rules)
                setattr(game, name, known)
                known.rules.reads = rules.reads
    return known


def translated(function: FunctionType, fingerprint: str) -> Any:
    """Return a compilable twin of a user function outside a game's rules, such as a selection rule.

    fingerprint : of the function and everything it is compiled with. Division by zero gives infinity or NaN.
    """
    waiting, seen = [function], {function}
    while waiting:
        one = waiting.pop()
        _refuse_sets(one, one.__code__)
        called = set(_functions_named(one)) - seen
        waiting += called
        seen |= called
    with _translating:
        return _Translation(fingerprint).function(function, {"error_model": "numpy"})


def _rules(game: type[Game], watched: bool) -> Rules:
    functions = {**rule_functions(game), **more_methods(game)}
    if has_box(game):
        del functions["legal_actions"]
    if game._joint and not takes_turns(game):
        del functions["apply_action"]
    inner = None if game._inner is None else compiled_type(game._inner, watched=watched)
    if inner is not None:
        functions = {name: rule for name, rule in functions.items() if name in COMPILED_RULES}
    fingerprint, fit_for_cache, reads = _fingerprint(game, functions, inner)
    fingerprint += "w" * watched
    rules = Rules(
        game=game,
        name=game.name,
        label=re.sub(r"\W+", "_", game.name)[:40],
        fingerprint=fingerprint,
        fit_for_cache=fit_for_cache,
        dtype=game._dtype,
        constants={name: frozen(value) for name, value in game.constants().items()},
        reads=reads,
        inner=inner,
    )
    translate = _Translation(fingerprint, rules.constants, watched=watched)
    for name, function in _reached_methods(functions).items():
        _refuse_named_extras(game, name, _plain(function))
    for name, function in functions.items():
        if isinstance(function, staticmethod):
            rules.statics[name] = translate.function(function.__func__)
        elif isinstance(function, property):
            if function.fget is not None:
                rules.properties[name] = translate.function(function.fget)
        else:
            rules.methods[name] = translate.function(function)
    listed = functions.get("legal_actions")
    observed = is_partially_observed(game)
    draws = observed or is_simulator(game) or samples_outcomes(game) or has_rule(game, "determinize")
    draws = draws or not functions.keys().isdisjoint(("playout_action", "sample_action"))
    rules.internal.update(STATE_METHODS)
    rules.internal.update(VIEW_METHODS)
    for is_of_kind, more in (
        *((has_rule(game, name), methods) for name, methods in OWN_VIEW_METHODS.items()),
        (has_chance(game), CHANCE_METHODS),
        (has_chance(game) and game.num_outcomes <= _FEW, {"draw_outcome": draw_among_few}),
        (pays_rewards(game), REWARD_METHODS),
        (game._joint, JOINT_METHODS),
        (is_simulator(game), SIMULATOR_METHODS),
        *((observed and name in functions, methods) for name, methods in OBSERVING_METHODS.items()),
        (draws, DRAWING_METHODS),
    ):
        if is_of_kind:
            rules.internal.update(more)
    if listed is None:
        rules.internal.update(box_methods(functions, [*rules.internal]))
    bounded = math.isfinite(game.max_return - game.min_return)
    without = write_middle if bounded and not pays_rewards(game) else write_nothing
    rules.internal["write_evaluation"] = write_evaluation if "evaluate" in functions else without
    if listed is not None:
        filled = buffer_form(listed)
        whole = fill_of_player if game._joint else fill_from_generator
        name = "fill_actions_of" if game._joint else "fill_legal_actions"
        if filled is None:
            rules.internal[name] = whole
        else:
            rules.listing[name] = translate.function(filled)
        if filled is not None and not game._joint and game.num_actions <= ROOM:
            rules.internal["draw_from_few"] = draw_from_few
    rules.internal["write_cells"] = write_cells if "board_cells" in functions else write_array_cells
    if "net_inputs" in functions:
        filled = buffer_form(functions["net_inputs"])
        if filled is None:
            rules.internal["fill_net_inputs"] = fill_from_inputs
        else:
            rules.listing["fill_net_inputs"] = translate.function(filled)
    rules.codes = translate.codes
    if inner is not None:
        rules.internal.update(starter_methods(inner.rules))
        rules.codes = {**inner.rules.codes, **rules.codes}
    return rules


def _refuse_named_extras(game: type[Game], name: str, function: FunctionType) -> None:
    """Raise `GameError` for `def rule(**options)`, as in decorators, which compiled code does not support."""
    if function.__code__.co_flags & inspect.CO_VARKEYWORDS:
        file, line = function.__code__.co_filename, function.__code__.co_firstlineno
        decorated = hasattr(function, "__wrapped__")
        what = f"what decorates {game.__name__}.{name}" if decorated else f"{game.__name__}.{name}"
        raise GameError(
            f"{what} takes any named arguments (**), which compiled rules cannot "
            f"({Path(file).name}, line {line}: {linecache.getline(file, line).strip()})",
            mend="write out the arguments that the rule takes, such as (self, action)",
        )


def _fingerprint(
    game: type[Game], functions: dict[str, Any], inner: StateType | None
) -> tuple[str, bool, Reads]:
    """Return the fingerprint, whether it covers all that the rules depend on, and the values read for it."""
    owners = [owner for owner in game.__mro__ if owner not in (object, Game)]
    reached = _reached_methods(functions)
    read = set(STANDARD_CONSTANTS).union(*(code_names(_plain(f).__code__) for f in reached.values()))
    constants = {name: value for name, value in sorted(game.constants().items()) if name in read}
    fingerprint = Fingerprint()
    if inner is not None:
        fingerprint.add_text(inner.rules.fingerprint)
    watched = {name for owner in owners for name, value in vars(owner).items() if _may_be_read(name, value)}
    for owner in owners:
        fingerprint.reads.add_names(vars(owner), watched)
    unfit = None
    try:
        fingerprint.add(
            (
                (game.__name__, game._dtype),
                tuple(sorted(reached.items())),
                tuple(constants.items()),
                "legal_actions" in functions and buffer_form(functions["legal_actions"]) is not None,
            )
        )
    except UnfitForCacheError as error:
        unfit = error
    drawing = drawing_error(game, fingerprint.reads.functions)
    if drawing is not None:
        raise drawing
    for function in fingerprint.reads.functions:
        _refuse_sets(function, function.__code__)
    if unfit is not None:
        _log.info("%s is compiled in every process: its rules read %s", game.name, unfit)
        fingerprint.add_text(f"unfit {uuid4()}")
        return fingerprint.text(), False, fingerprint.reads
    return fingerprint.text(), inner is None or inner.rules.fit_for_cache, fingerprint.reads


def _may_be_read(name: str, value: Any) -> bool:
    """Whether rules may read an attribute of the class: all except those of Branchwise and Python."""
    return name[0] != "_" or (name[:2] != "__" and isinstance(value, _METHODS))


def _plain(function: Any) -> FunctionType:
    if isinstance(function, staticmethod):
        function = function.__func__
    elif isinstance(function, property):
        function = function.fget
    return cast(FunctionType, function)


def _reached_methods(functions: dict[str, Any]) -> dict[str, Any]:
    """Return the methods that compiled code may call: the rules, and all methods that those name."""
    reached: dict[str, Any] = {}
    waiting = [name for name in (*REQUIRED_RULES, *OPTIONAL_RULES) if name in functions]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached[name] = functions[name]
            function = _plain(functions[name])
            compiled, parts = written_out(function)
            for one in (function, compiled, *parts.values()):
                waiting += sorted(_names(one, set()) & functions.keys())
    return reached


def _functions_named(function: FunctionType) -> list[FunctionType]:
    """Return the user functions that `function` may call: global, from a module, or captured."""
    captured = [content(cell) for cell in function.__closure__ or ()]
    found: list[FunctionType] = []
    for value in [value for _, value in reached_globals(function)] + captured:
        values = [value]
        if isinstance(value, ModuleType) and is_users(value):
            values = [getattr(value, name) for name in module_attributes(function, value)]
        plain = [v.py_func if isinstance(v, Dispatcher) else v for v in values]
        found += [v for v in plain if isinstance(v, FunctionType) and is_users(v)]
    return found


def _reaches(function: FunctionType, target: FunctionType, seen: set[int]) -> bool:
    """Whether a call of `function` may lead to a call of `target`."""
    for called in _functions_named(function):
        if called is target:
            return True
        if id(called) not in seen:
            seen.add(id(called))
            if _reaches(called, target, seen):
                return True
    return False


def _names(function: FunctionType, seen: set[int]) -> set[str]:
    """Return every name that `function` and the functions it may call look up."""
    names = set(code_names(function.__code__))
    for called in _functions_named(function):
        if id(called) not in seen:
            seen.add(id(called))
            names |= _names(called, seen)
    return names


def _refuse_sets(function: FunctionType, code: CodeType) -> None:
    """Raise `GameError` for a function that makes a set, which would crash the interpreter when compiled."""
    line = code.co_firstlineno
    for nested in code.co_consts:
        if isinstance(nested, CodeType):
            _refuse_sets(function, nested)
    for instruction in dis.get_instructions(code):
        line = instruction.starts_line or line
        builds = instruction.opname in ("BUILD_SET", "SET_ADD", "SET_UPDATE")
        calls = instruction.opname == "LOAD_GLOBAL" and instruction.argval == "set"
        if builds or (calls and "set" not in function.__globals__):
            file = code.co_filename
            raise GameError(
                f"{function.__qualname__} cannot be compiled ({Path(file).name}, line {line}: "
                f"{linecache.getline(file, line).strip()}): compiled rules cannot use a set",
                mend="write a tuple, (0, 2, 6, 8); or bits of a number: 1 << cell & corners; or compare the "
                "values: mark in x; or search the rules as they are, slowly, with MCTS(compiled=False)",
            )


class _Translation:
    """Makes compilable twins of plain functions and of all helpers that they reach.

    A twin's qualified name includes the fingerprint, so that the symbols of two versions of the same rules
    never collide in one process.
    """

    def __init__(
        self,
        fingerprint: str,
        constants: Mapping[str, Any] = MappingProxyType({}),
        *,
        watched: bool = False,
    ) -> None:
        self._fingerprint = fingerprint
        self._constants = constants
        self._watched = watched
        self._twins: dict[int, Any] = {}
        self._doubles: dict[tuple[int, int], ModuleType] = {}
        self.codes: dict[str, CodeType] = {}

    def function(self, original: Any, options: Mapping[str, Any] | None = None) -> Any:
        """Return the twin of `original`, compiled on first use."""
        if id(original) in self._twins:
            return self._twins[id(original)]
        instruction = instruction_for(original)
        if instruction is not None:
            return instruction
        written, parts = written_out(original)
        known: dict[str, Any] = {"__builtins__": builtins, PUT: put}
        known |= stand_ins(written.__code__, original.__globals__)
        twin = FunctionType(
            written.__code__,
            known,
            original.__name__,
            written.__defaults__,
            tuple(CellType(self._value(original, c.cell_contents)) for c in written.__closure__ or ()),
        )
        twin.__kwdefaults__ = written.__kwdefaults__
        twin.__qualname__ = f"{original.__qualname__}_{self._fingerprint}"
        twin.__module__ = __name__
        self.codes[original.__qualname__] = written.__code__
        setattr(twin, ORIGINAL_NAME, original.__qualname__)
        setattr(twin, CALLS_ITSELF, _reaches(original, original, set()))
        setattr(twin, WATCHES_STORES, self._watched)
        safe = {} if may_divide_by_zero(written.__code__, self._constants) else {"error_model": "numpy"}
        dispatcher = njit(**{**_OPTIONS, **safe, **(options or {})})(twin)
        self._twins[id(original)] = dispatcher
        for name, value in reached_globals(original):
            known[name] = self._value(original, value)
        known |= {name: self.function(part) for name, part in parts.items()}
        return dispatcher

    def _value(self, reader: FunctionType, value: Any) -> Any:
        """Return the value that `reader` gets in place of a global or captured `value`."""
        if isinstance(value, Dispatcher):
            options = {k: v for k, v in value.targetoptions.items() if k in _KEPT_OPTIONS}
            return self.function(value.py_func, options)
        if isinstance(value, FunctionType) and is_users(value):
            return self.function(value)
        if isinstance(value, ModuleType) and is_users(value):
            return self._double(reader, value)
        return frozen(value)

    def _double(self, reader: FunctionType, module: ModuleType) -> ModuleType:
        """Return a copy of a user's module for `reader`, with only the attributes that it may read."""
        key = id(reader), id(module)
        if key not in self._doubles:
            double = self._doubles[key] = ModuleType(module.__name__)
            for attribute in module_attributes(reader, module):
                setattr(double, attribute, self._value(reader, getattr(module, attribute)))
        return self._doubles[key]
