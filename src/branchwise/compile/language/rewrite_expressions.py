"""Supporting more of Python in rules, by rewriting constructs that Numba lacks before it compiles them.

A function is rewritten only if it has one of these constructs; all others are compiled as they are:

- `any(...)`, `all(...)`, `sum(...)`, `min(...)`, `max(...)` and `next(...)` over a generator expression
  become a call of a new function with a loop; so do `max(items, key=lambda item: ...)`,
  `max(items, default=0)` and `x in self.legal_actions()`;
- `self.legal_actions()`, in plain Python a list, becomes a list unless it is only iterated over;
- `super().method(...)` becomes a call of the method of the next class, under a new name;
- `dtype=bool`, `int` and `float` become NumPy's types;
- `yield from` becomes a loop; `type(self).name` becomes `self.name`; keyword-only arguments become ordinary
  ones; `del name` is left out, `del items[0]` becomes `items.pop(0)`;
- `:=` in the test of an `if` or a `while`, and in simple statements, becomes an assignment before it;
- `board.flat[cell]` becomes `board.ravel()[cell]`, whose index is checked;
- an enumeration that is walked over becomes the tuple of its members; a member of a flag becomes its number.
"""

from __future__ import annotations

import ast
import dis
import enum
from collections.abc import Container, Mapping
from copy import copy
from types import CodeType, FunctionType
from typing import Any, TypeVar

import numpy as np
from numba import types
from numba.core import errors
from numba.core.extending import overload

from branchwise.core.machine.kernel import counting_kernel
from branchwise.game.kinds.game_kinds import written_rule
from branchwise.game.rules_class import Game

_Node = TypeVar("_Node", bound=ast.AST)

_LEGAL = "legal_actions"
_MOVER = "current_player"
_LOOPS = {
    "any": "for {target} in {iterable}:\n    if {item}: return True\nreturn False",
    "all": "for {target} in {iterable}:\n    if not {item}: return False\nreturn True",
    "sum": "total = 0\nfor {target} in {iterable}:\n    total += {item}\nreturn total",
    "sum_from": "total = default\nfor {target} in {iterable}:\n    total = total + {item}\nreturn total",
    "next": "for {target} in {iterable}:\n    return {item}\nraise StopIteration",
    "next_or": "for {target} in {iterable}:\n    return {item}\nreturn default",
    "contains": "for {target} in {iterable}:\n    if {item} == wanted: return True\nreturn False",
    "best": """
found = False
for {target} in {iterable}:
    value = {item}
    if not found:
        best = value
        found = True
    elif value {sign} best:
        best = value
if not found:
    raise ValueError("there is nothing to choose from")
return best
""",
}
_LOOPS["best_by"] = """
found = False
for {target} in {iterable}:
    value, key = {item}
    if not found:
        best, most = value, key
        found = True
    elif key {sign} most:
        best, most = value, key
if not found:
    raise ValueError("there is nothing to choose from")
return best
"""
_NOTHING = 'raise ValueError("there is nothing to choose from")'
for _kind in ("best", "best_by"):
    _LOOPS[f"{_kind}_or"] = _LOOPS[_kind].replace(_NOTHING, "return default")
_OWN_NAMES = ("total", "found", "value", "key", "best", "most", "default", "wanted")
_NUMPY_TYPES = {"bool": np.bool_, "int": np.int64, "float": np.float64}
_TAKES_LIST = ("list", "sorted", "set", "tuple", "frozenset", "enumerate", "zip", "len")
_PREFIX = "branchwise_"


@counting_kernel
def _any_of(items: Any) -> bool:
    found = False
    for item in items:
        if item:
            found = True
            break
    return found


@counting_kernel
def _all_of(items: Any) -> bool:
    found = True
    for item in items:
        if not item:
            found = False
            break
    return found


def _item(items: Any, place: int) -> Any:
    raise NotImplementedError  # only the compiled form below exists


@overload(_item)
def _overload_item(items: Any, place: int) -> Any:
    if isinstance(items, types.RangeType):

        def item(items: Any, place: int) -> Any:
            return items.start + place * items.step

    else:

        def item(items: Any, place: int) -> Any:
            return items[place]

    return item


@counting_kernel
def _reversed_items(items: Any) -> Any:
    for i in range(len(items) - 1, -1, -1):
        yield _item(items, i)


def _flat_items(array: Any) -> Any:
    raise NotImplementedError  # only the compiled form below exists


@overload(_flat_items, strict=False)
def _overload_flat_items(array: Any) -> Any:
    if isinstance(array, types.Array) and array.layout != "C":
        raise errors.TypingError("items of .flat cannot be taken by number")
    return lambda array: array.ravel()


STAND_INS: dict[str, Any] = {
    "any": _any_of,
    "all": _all_of,
    "reversed": _reversed_items,
    **{f"{_PREFIX}{name}": value for name, value in _NUMPY_TYPES.items()},
    f"{_PREFIX}array": np.array,
    f"{_PREFIX}flat": _flat_items,
}
"""Values, in compiled code, of names that are not global variables of the user's module."""


def super_name(owner: type, method: str) -> str:
    """Return the name in compiled states of `super().method`, as called in a method of `owner`."""
    return f"{_PREFIX}super_{len(owner.__mro__)}_{owner.__name__}_{method}"


def more_methods(game: type[Game]) -> dict[str, FunctionType]:
    """Return further methods of compiled states, besides the game's own.

    These are the class methods, whose `cls` is the state, because it has the class's constants, and the
    methods that `super()` leads to, by `super_name`.
    """
    found: dict[str, FunctionType] = {}
    owners = [owner for owner in game.__mro__ if owner not in (object, Game)]
    fields = {field.name for field in game._fields}
    for owner in reversed(owners):
        for name, value in vars(owner).items():
            if name != "configure" and isinstance(value, classmethod):
                function = value.__func__
                if isinstance(function, FunctionType) and not fields.intersection(function.__code__.co_names):
                    found[name] = function  # a class has the fields' initial values, a state the current ones
            else:
                found.pop(name, None)
    for place, owner in enumerate(owners):
        for above in owners[place + 1 :]:
            for name, value in vars(above).items():
                function = written_rule(value) if isinstance(value, FunctionType) else value
                if isinstance(function, FunctionType) and not name.startswith("__"):
                    found.setdefault(super_name(owner, name), function)
    return found


_HINTS = {"super", "type", "__class__", "flat", _LEGAL, *_NUMPY_TYPES}
_HINTING_OPERATIONS = {
    dis.opmap[name]
    for name in (
        "COPY",
        "DUP_TOP",
        "DELETE_FAST",
        "DELETE_DEREF",
        "DELETE_SUBSCR",
        "BUILD_LIST",
        "GET_YIELD_FROM_ITER",
    )
    if name in dis.opmap
}
_TRUTHS = {dis.opmap[name] for name in ("COMPARE_OP", "CONTAINS_OP", "IS_OP", "UNARY_NOT")}
"""The same for a rule that gives a number: operations whose result is a truth."""


def may_need_writing_out(function: FunctionType) -> bool:
    """Return whether a function may need rewriting; a quick test, so that sources are seldom read."""
    return _hints_at_writing_out(function.__code__, function.__globals__)


def _hints_at_writing_out(code: CodeType, names: Mapping[str, Any]) -> bool:
    nested = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return (
        code.co_kwonlyargcount > 0
        or not _HINTS.isdisjoint(code.co_names)
        or not _HINTING_OPERATIONS.isdisjoint(code.co_code[::2])
        or (code.co_name == _MOVER and not _TRUTHS.isdisjoint(code.co_code[::2]))
        or any(
            type(constant) is tuple and not {"default", "start"}.isdisjoint(constant)
            for constant in code.co_consts
        )
        or any(isinstance(names.get(name), enum.EnumType) for name in code.co_names)
        or any(
            one.co_name in ("<genexpr>", "<lambda>") or _hints_at_writing_out(one, names) for one in nested
        )
    )


def stand_ins(code: CodeType, known: Container[str]) -> dict[str, Any]:
    """Return the values for names in `code` that neither Numba nor the user's module knows."""
    return {name: value for name, value in STAND_INS.items() if name in code.co_names and name not in known}


def write_out(definition: ast.FunctionDef, function: FunctionType) -> list[ast.FunctionDef] | None:
    """Rewrite the constructs that Numba lacks in `definition`, the source of `function`, in place.

    Returns the definitions of the new functions that it then calls, or None if there was nothing to rewrite.
    """
    writer = _Writer(definition, function)
    writer.write()
    return writer.parts if writer.changed else None


class StatementRewriter(ast.NodeTransformer):
    """Rewrites each statement of a function into any number of them; leaves inner functions alone."""

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        written: list[ast.stmt] = []
        for statement in statements:
            found = self.visit(statement)
            written += found if isinstance(found, list) else [found]
            self.passed(statement)
        return written

    def passed(self, statement: ast.stmt) -> None:
        """Note a statement of a block that was rewritten."""

    def visit_While(self, node: ast.While) -> ast.AST:
        node.test = self.visit(node.test)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node


class _Writer(StatementRewriter):
    def __init__(self, definition: ast.FunctionDef, function: FunctionType) -> None:
        self.parts: list[ast.FunctionDef] = []
        self.changed = False
        self._definition = definition
        self._function = function
        code = function.__code__
        self._locals = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        arguments = definition.args.args
        self._self = arguments[0].arg if arguments else None

    def write(self) -> None:
        definition = self._definition
        if definition.args.kwonlyargs and self._keywords_can_be_ordinary():
            arguments = definition.args
            arguments.args += arguments.kwonlyargs
            arguments.defaults += [value for value in arguments.kw_defaults if value is not None]
            arguments.kwonlyargs, arguments.kw_defaults = [], []
            self.changed = True
        definition.body = self.block(definition.body)
        ast.fix_missing_locations(definition)

    def _keywords_can_be_ordinary(self) -> bool:
        arguments = self._definition.args
        given = [value is not None for value in arguments.kw_defaults]
        return arguments.vararg is None and (all(given) or not (any(given) or arguments.defaults))

    # --- statements -------------------------------------------------------------------------------------

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_Delete(self, node: ast.Delete) -> ast.AST | list[ast.stmt]:
        if all(isinstance(target, ast.Name) for target in node.targets):
            self.changed = True
            return ast.copy_location(ast.Pass(), node)
        if all(isinstance(t, ast.Subscript) and not isinstance(t.slice, ast.Slice) for t in node.targets):
            self.changed = True
            pops = [
                ast.Expr(ast.Call(ast.Attribute(target.value, "pop", ast.Load()), [target.slice], []))
                for target in node.targets
                if isinstance(target, ast.Subscript)
            ]
            return self.block([_placed(pop, node) for pop in pops])
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = self._walked(node.iter)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        return node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        before = self._named_first(node)
        node.test = self.visit(node.test)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        return [*self.block(before), node]

    def visit_While(self, node: ast.While) -> ast.AST:
        before = [] if node.orelse else self._named_first(node)
        if before:
            leave = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
            node.body = [*before, ast.copy_location(leave, node), *node.body]
            node.test = ast.copy_location(ast.Constant(value=True), node.test)
        return super().visit_While(node)

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        if isinstance(node.value, ast.GeneratorExp) and self._definition.name == _LEGAL:
            node.value = self._as_list(node.value)
        written = self.visit_Assign(node)
        if self._definition.name == _MOVER and isinstance(node.value, ast.Compare | ast.BoolOp | ast.UnaryOp):
            node.value = _placed(ast.Call(_load("int"), [node.value], []), node.value)  # a player is a number
            self.changed = True
        return written

    def visit_Assign(self, node: ast.Assign | ast.Return | ast.AugAssign | ast.Expr) -> list[ast.stmt]:
        """Visit a statement with a value; each `:=` in it that comes first becomes an assignment."""
        before = self._named_first(node)
        self.generic_visit(node)
        return [*self.block(before), node]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        """Visit `target += value`; Python reads the target before a `:=` in the value changes anything."""
        target = node.target
        named = {part.target.id for part in ast.walk(node.value) if isinstance(part, ast.NamedExpr)}
        if isinstance(target, ast.Name) and target.id not in named:
            return self.visit_Assign(node)
        if isinstance(target, ast.Attribute) and named and self._is_self(target.value):
            earlier = f"{_PREFIX}before_{node.lineno}_{node.col_offset}"
            read = ast.Attribute(_load(self._self), target.attr, ast.Load())
            first = _placed(ast.Assign([ast.Name(earlier, ast.Store())], read), node)
            changed = ast.BinOp(_load(earlier), node.op, node.value)
            rest = _placed(ast.Assign([target], changed), node)
            if self._before(node.value) is not None:
                return self.block([first, rest])
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        if isinstance(node.value, ast.YieldFrom) and isinstance(node.value.value, ast.GeneratorExp):
            loops = self._loops(node.value.value, ast.Expr(ast.Yield(node.value.value.elt)))
            if loops is not None:
                return self.block([_placed(loops, node)])
        if isinstance(node.value, ast.YieldFrom):
            before = self._named_first(node)
            self.changed = True
            item = f"{_PREFIX}item"
            body = ast.Expr(ast.Yield(_load(item)))
            walk = ast.For(ast.Name(item, ast.Store()), self._walked(node.value.value), [body], [])
            return [*self.block(before), _placed(walk, node)]
        return self.visit_Assign(node)

    def _loops(self, given: ast.GeneratorExp, inner: ast.stmt) -> ast.stmt | None:
        """Return the loops of a generator expression, or None if one of its names is already in use."""
        taken = {name for loop in given.generators for name in names_in(loop.target)}
        if taken & self._locals:
            return None
        self._locals |= taken
        return _nested(given.generators, inner)

    # --- := ---------------------------------------------------------------------------------------------

    def _named_first(
        self, node: ast.If | ast.While | ast.Return | ast.Assign | ast.AugAssign | ast.Expr
    ) -> list[ast.stmt]:
        """Remove each `:=` that a statement evaluates first; returns the assignments to put before it."""
        field = "test" if isinstance(node, ast.If | ast.While) else "value"
        value = getattr(node, field)
        if value is None or not any(isinstance(part, ast.NamedExpr) for part in ast.walk(value)):
            return []
        before = self._before(value)
        if before is None:
            return []
        statements, value = before
        setattr(node, field, value)
        self.changed = True
        return [_placed(statement, node) for statement in statements]

    def _before(self, value: ast.expr) -> tuple[list[ast.stmt], ast.expr] | None:
        """Return the assignments before `value` and the rest of it; None if the order would change."""
        if not any(isinstance(part, ast.NamedExpr) for part in ast.walk(value)):
            return [], value
        if isinstance(value, ast.BoolOp):
            return self._before_in_steps(value)
        if isinstance(value, ast.NamedExpr):
            inner = self._before(value.value)
            if inner is None:
                return None
            name = ast.Name(value.target.id, ast.Load())
            return [*inner[0], ast.Assign([ast.Name(value.target.id, ast.Store())], inner[1])], name
        if not isinstance(value, ast.UnaryOp | ast.Compare | ast.BinOp):
            return None
        first = "operand" if isinstance(value, ast.UnaryOp) else "left"
        if isinstance(value, ast.BinOp) and self._is_unchanged_by(value.left, value.right):
            first = "right"
        part: ast.expr = getattr(value, first)
        inner = self._before(part)
        others = [child for child in ast.iter_child_nodes(value) if child is not part]
        if inner is None or any(isinstance(p, ast.NamedExpr) for other in others for p in ast.walk(other)):
            return None
        twin = copy(value)
        setattr(twin, first, inner[1])
        return inner[0], twin

    def _is_unchanged_by(self, value: ast.expr, other: ast.expr) -> bool:
        """Whether `value` is a number or a local name that no `:=` in `other` sets."""
        named = {part.target.id for part in ast.walk(other) if isinstance(part, ast.NamedExpr)}
        is_local = isinstance(value, ast.Name) and (value.id in self._locals or value.id.startswith(_PREFIX))
        return isinstance(value, ast.Constant) or (is_local and value.id not in named)  # type: ignore[attr-defined]

    def _before_in_steps(self, value: ast.BoolOp) -> tuple[list[ast.stmt], ast.expr] | None:
        """The same for `and` and `or`, which evaluate a part only if the parts before it allow."""
        name = f"{_PREFIX}test_{value.lineno}_{value.col_offset}"
        statements: list[ast.stmt] = []
        into = statements
        for place, part in enumerate(value.values):
            inner = self._before(part)
            if inner is None:
                return None
            truth = ast.IfExp(inner[1], ast.Constant(value=True), ast.Constant(value=False))
            into += [*inner[0], ast.Assign([ast.Name(name, ast.Store())], truth)]
            if place < len(value.values) - 1:
                test: ast.expr = ast.Name(name, ast.Load())
                if isinstance(value.op, ast.Or):
                    test = ast.UnaryOp(ast.Not(), test)
                step = ast.If(test, [], [])
                into.append(step)
                into = step.body
        return statements, ast.Name(name, ast.Load())

    # --- expressions ------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name is not None and not self._is_builtin(name):
            name = None
        first = node.args[0] if node.args else None
        lifted = None
        if name == "len" and first is not None and self._enumeration(first):
            self.changed = True
            return ast.copy_location(ast.Constant(value=len(self._members(first))), node)
        if name in ("any", "all", "sum", "next") and isinstance(first, ast.GeneratorExp):
            lifted = self._lifted(node, name, first)
        elif name in ("min", "max") and first is not None and len(node.args) == 1:
            lifted = self._best(node, name, first)
        if lifted is not None:
            return lifted
        self._name_method_above(node)
        self._name_numpy_types(node)
        if name == "enumerate" and [keyword.arg for keyword in node.keywords] == ["start"]:
            self.changed = True
            node.args, node.keywords = [*node.args, node.keywords[0].value], []
        if name in _TAKES_LIST and name is not None:
            node.args = [self._as_list(arg) for arg in node.args]
        walked = name in (*_TAKES_LIST, "any", "all", "sum", "min", "max") and name != "len"
        node.args = [self._walked(arg) if walked else self.visit(arg) for arg in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        node.func = self.visit(node.func)
        if self._gives_actions(node):
            self.changed = True
            return _placed(ast.Call(_load("list"), [node], []), node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            container = node.comparators[0]
            if isinstance(container, ast.Call) and self._gives_actions(container):
                item = ast.Name(f"{_PREFIX}item", ast.Load())
                loop = ast.comprehension(ast.Name(item.id, ast.Store()), container, [], 0)
                given = _placed(ast.GeneratorExp(item, [loop]), node)
                assert isinstance(given, ast.GeneratorExp)
                call = self._part("contains", given, {"wanted": self.visit(node.left)}, node)
                if isinstance(node.ops[0], ast.NotIn):
                    call = _placed(ast.UnaryOp(ast.Not(), call), node)
                return call
        return self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        operand = node.operand
        if isinstance(node.op, ast.Not) and isinstance(operand, ast.Call) and self._gives_actions(operand):
            length = ast.Call(_load("len"), [self.visit(operand)], [])
            return _placed(ast.Compare(length, [ast.Eq()], [ast.Constant(value=0)]), node)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        owner = node.value
        kind = self._enumeration(owner)
        if kind is not None and issubclass(kind, enum.IntFlag) and node.attr in kind.__members__:
            self.changed = True
            return ast.copy_location(ast.Constant(value=int(kind[node.attr])), node)
        by_type = isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and owner.func.id == "type"
        of_self = by_type and len(owner.args) == 1 and self._is_self(owner.args[0])  # type: ignore[attr-defined]
        by_class = isinstance(owner, ast.Attribute) and owner.attr == "__class__"
        if of_self or (by_class and self._is_self(owner.value)):  # type: ignore[attr-defined]
            self.changed = True
            return ast.copy_location(
                ast.Attribute(_placed(_load(self._self), node), node.attr, node.ctx), node
            )
        return self.generic_visit(node)

    def _enumeration(self, node: ast.expr) -> Any:
        """Return the enumeration of the module that a name stands for, or None."""
        if not isinstance(node, ast.Name) or node.id in self._locals:
            return None
        found = self._function.__globals__.get(node.id)
        return found if isinstance(found, enum.EnumType) else None

    def _members(self, node: ast.expr) -> list[ast.expr]:
        """Return the members of the enumeration that a name stands for."""
        kind = self._enumeration(node)
        assert isinstance(node, ast.Name)
        return [
            ast.Constant(value=int(member))
            if issubclass(kind, enum.IntFlag)
            else ast.Attribute(_load(node.id), member.name, ast.Load())
            for member in kind
        ]

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        flat = isinstance(node.value, ast.Attribute) and node.value.attr == "flat"
        if flat and not isinstance(node.slice, ast.Slice | ast.List | ast.Tuple):
            self.changed = True
            array = node.value.value  # type: ignore[attr-defined]
            node.value = _placed(ast.Call(_load(f"{_PREFIX}flat"), [array], []), node.value)
        if isinstance(node.slice, ast.List) and node.slice.elts:
            self.changed = True
            node.slice = _placed(ast.Call(_load(f"{_PREFIX}array"), [node.slice], []), node.slice)
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self._walked(node.iter)
        node.ifs = [self.visit(test) for test in node.ifs]
        return node

    def _walked(self, node: ast.expr) -> ast.expr:
        """Visit an expression that is only iterated over, so that legal actions need not become a list."""
        if self._enumeration(node):
            self.changed = True
            return _placed(ast.Tuple(self._members(node), ast.Load()), node)
        if not (isinstance(node, ast.Call) and self._gives_actions(node)):
            visited: ast.expr = self.visit(node)
            return visited
        self._name_method_above(node)
        return node

    def _gives_actions(self, node: ast.Call) -> bool:
        function = node.func
        if not isinstance(function, ast.Attribute) or node.args or node.keywords:
            return False
        if function.attr != _LEGAL:
            return function.attr.startswith(f"{_PREFIX}super_") and function.attr.endswith(_LEGAL)
        return self._is_self(function.value) or self._method_above(node) is not None

    def _is_self(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self._self

    def _is_builtin(self, name: str) -> bool:
        return name not in self._locals and name not in self._function.__globals__

    def _method_above(self, node: ast.Call) -> str | None:
        """Return the name of the method that `super().method(...)` calls, or None for any other call."""
        function = node.func
        if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call)):
            return None
        call = function.value
        if not (isinstance(call.func, ast.Name) and call.func.id == "super" and self._is_builtin("super")):
            return None
        owner = self._owner(call)
        return None if owner is None else super_name(owner, function.attr)

    def _name_method_above(self, node: ast.Call) -> None:
        """Let a call of `super().method(...)` call that method by the name that it has in compiled states."""
        above = self._method_above(node)
        if above is not None:
            node.func = _placed(ast.Attribute(_load(self._self), above, ast.Load()), node)
            self.changed = True

    def _owner(self, call: ast.Call) -> type | None:
        """Return the class that contains a call of `super`."""
        found: object = None
        if not call.args:
            cells = zip(self._function.__code__.co_freevars, self._function.__closure__ or (), strict=True)
            found = next((cell.cell_contents for name, cell in cells if name == "__class__"), None)
        elif isinstance(call.args[0], ast.Name) and self._is_self(call.args[-1]):
            found = self._function.__globals__.get(call.args[0].id)
        return found if isinstance(found, type) else None

    def _name_numpy_types(self, node: ast.Call) -> None:
        function = node.func
        if not isinstance(function, ast.Attribute):
            return
        takes = function.attr in ("astype", "view")
        if isinstance(function.value, ast.Name):
            takes = takes or self._function.__globals__.get(function.value.id) is np
        for keyword in node.keywords:
            if keyword.arg == "dtype":
                keyword.value = self._numpy_type(keyword.value)
        if takes:
            node.args = [self._numpy_type(arg) for arg in node.args]

    def _numpy_type(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Name) and node.id in _NUMPY_TYPES and self._is_builtin(node.id):
            self.changed = True
            return ast.copy_location(_load(f"{_PREFIX}{node.id}"), node)
        return node

    def _as_list(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.GeneratorExp):
            return node
        self.changed = True
        return ast.copy_location(ast.ListComp(node.elt, node.generators), node)

    # --- parts ------------------------------------------------------------------------------------------

    def _lifted(self, node: ast.Call, name: str, given: ast.GeneratorExp) -> ast.expr | None:
        if not _can_be_lifted(given):
            return None
        more = [*node.args[1:], *(keyword.value for keyword in node.keywords if keyword.arg == "start")]
        if len(more) != len(node.args) - 1 + len(node.keywords):
            return None
        if len(more) == 1 and name in ("next", "sum"):
            kind = {"next": "next_or", "sum": "sum_from"}[name]
            return self._part(kind, given, {"default": self.visit(more[0])}, node)
        return None if more else self._part(name, given, {}, node)

    def _best(self, node: ast.Call, name: str, items: ast.expr) -> ast.expr | None:
        """Write out `max` and `min` of a generator expression, with `key=lambda item: ...`, or a default."""
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        key, default = given.pop("key", None), given.pop("default", None)
        if given or (key is not None and not (isinstance(key, ast.Lambda) and len(key.args.args) == 1)):
            return None
        if isinstance(items, ast.GeneratorExp) and key is None:
            loops = items
        elif key is not None or default is not None:
            item = key.args.args[0].arg if isinstance(key, ast.Lambda) else f"{_PREFIX}item"
            chosen: ast.expr = ast.Name(item, ast.Load())
            if isinstance(key, ast.Lambda):
                chosen = ast.Tuple([chosen, key.body], ast.Load())
            loop = ast.comprehension(ast.Name(item, ast.Store()), items, [], 0)
            loops = _placed(ast.GeneratorExp(chosen, [loop]), node)
        else:
            return None
        if key is None and not _can_be_lifted(loops):
            return None
        more = {} if default is None else {"default": self.visit(default)}
        return self._part(name, loops, more, node, by_key=key is not None)

    def _part(
        self,
        kind: str,
        given: ast.GeneratorExp,
        more: dict[str, ast.expr],
        place: ast.expr,
        *,
        by_key: bool = False,
    ) -> ast.expr:
        """Make the loop over a generator expression a new function, and return a call of it."""
        name = f"{_PREFIX}{kind}_{place.lineno}_{len(self.parts)}"
        sign = {"min": "<", "max": ">"}.get(kind, "")
        form = f"best{'_by' * by_key}{'_or' * ('default' in more)}" if sign else kind
        text = _LOOPS[form].format(target="target", iterable="iterable", item="ITEM", sign=sign)
        outer_locals = self._locals
        own = {n for loop in given.generators for n in names_in(loop.target)}
        read = {
            part.id for part in ast.walk(given) if isinstance(part, ast.Name) and part.id in outer_locals
        } - own
        parameters = sorted(read)
        reserved = {n: f"{_PREFIX}{n}" for n in _OWN_NAMES}
        body: list[ast.stmt] = []
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.For):
                inner = [_Renamed(reserved, given.elt).visit(s) for s in statement.body]
                body.append(_nested(given.generators, *inner))
            else:
                body.append(_Renamed(reserved, given.elt).visit(statement))
        definition = ast.parse(f"def {name}({', '.join([*parameters, *(reserved[m] for m in more)])}): pass")
        part = definition.body[0]
        assert isinstance(part, ast.FunctionDef)
        for statement in body:
            for node in ast.walk(statement):
                if "lineno" in node._attributes and not hasattr(node, "lineno"):
                    ast.copy_location(node, place)
        part.body = [_relocated(statement, place, given) for statement in body]
        ast.copy_location(part, place)
        self.parts.append(part)
        self._locals = {*parameters, *own, *reserved.values()}
        part.body = self.block(part.body)
        self._locals = outer_locals
        ast.fix_missing_locations(part)
        self.changed = True
        arguments: list[ast.expr] = [_load(n) for n in parameters]
        return _placed(ast.Call(_load(name), [*arguments, *more.values()], []), place)


def _can_be_lifted(given: ast.GeneratorExp) -> bool:
    """Whether a generator expression can become the loop of a function of its own."""
    within = any(isinstance(part, ast.NamedExpr | ast.Lambda) for part in ast.walk(given))
    return not within and not any(loop.is_async for loop in given.generators)


class _Renamed(ast.NodeTransformer):
    """Adds a prefix to the names of a new function, and inserts the item of the generator expression."""

    def __init__(self, names: dict[str, str], item: ast.expr) -> None:
        self._names, self._item = names, item

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "ITEM":
            return self._item
        return ast.Name(self._names.get(node.id, node.id), node.ctx)


def _nested(generators: list[ast.comprehension], *inner: ast.stmt) -> ast.stmt:
    """Return the loops of a comprehension around the statements `inner`."""
    body = list(inner)
    for loop in reversed(generators):
        for test in reversed(loop.ifs):
            body = [ast.If(test, body, [])]
        body = [ast.For(loop.target, loop.iter, body, [])]
    return body[0]


def _relocated(statement: ast.stmt, place: ast.AST, given: ast.GeneratorExp) -> ast.stmt:
    """Give nodes from a template the source location of the expression; other nodes keep theirs."""
    kept = {id(node) for node in ast.walk(given)}
    for node in ast.walk(statement):
        if "lineno" in node._attributes and id(node) not in kept:
            ast.copy_location(node, place)
    return statement


def _placed(node: _Node, place: ast.AST) -> _Node:
    """Give `node`, and all nodes inside it without a source location, the location of `place`."""
    for part in ast.walk(node):
        if "lineno" in part._attributes and not hasattr(part, "lineno"):
            ast.copy_location(part, place)
    return node


def _load(name: str | None) -> ast.expr:
    assert name is not None
    return ast.Name(name, ast.Load())


def names_in(target: ast.expr) -> set[str]:
    """Return the names that a target of an assignment or a loop contains."""
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
