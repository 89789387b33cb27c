"""Rewriting rules before they are compiled: `legal_actions`, and what `rewrite_expressions` rewrites.

The generator `legal_actions` becomes a function that fills a buffer, because a compiled generator runs at
about half the speed. `yield x` becomes a guarded write, so that rules that yield too many actions never write
past the buffer's end; the function returns how many were yielded. The write is a call of
`compile.states.native_types.put`, which does not check the index again as rules do.

A CPU cannot predict whether a cell is empty. So `if test: yield x` becomes code without a jump if x is plain
arithmetic: x is always written to the next entry of the buffer, and the test adds 0 or 1 to the count.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from branchwise.compile.language.rewrite_expressions import (
    StatementRewriter,
    may_need_writing_out,
    names_in,
    write_out,
)
from branchwise.game.kinds.corrections import syntax_of

PUT = "branchwise_put"
"""Name of `compile.states.native_types.put` in rewritten code."""
_BUFFER = "branchwise_buffer"
_COUNT = "branchwise_count"
_ITEM = "branchwise_item"
_STEP = "branchwise_step"


def buffer_form(generator: FunctionType) -> FunctionType | None:
    """Return `generator` as a function that takes a buffer as a further argument and returns the count.

    Returns None, and the generator itself must be compiled, if the source is not available, differs from the
    running code (because the file was edited or the code rewritten), or uses `yield` in a way that has no
    such form.
    """
    definition = _definition(generator)
    if definition is None:
        return None
    parts = write_out(definition, generator) if may_need_writing_out(generator) else None
    try:
        rewritten = _compiled(_YieldToBuffer().rewrite(definition), generator)
    except _NoBufferFormError:
        return None
    if rewritten is None or not set(rewritten.co_freevars) <= set(generator.__code__.co_freevars):
        return None
    filled = _with_code(generator, rewritten)
    _written_out[filled] = None, _functions(parts or [], generator)
    return filled


_Parts = dict[str, FunctionType]
_written_out: WeakKeyDictionary[FunctionType, tuple[FunctionType | None, _Parts]] = WeakKeyDictionary()
"""The function to compile in its place, None for itself, and the new functions that it calls, by name."""
_sources: WeakKeyDictionary[FunctionType, tuple[CodeType, Any, Any]] = WeakKeyDictionary()
"""The original of a rewritten function; IPython's autoreload, for one, replaces a function's code."""


def written_out(function: FunctionType) -> tuple[FunctionType, _Parts]:
    """Return the function to compile in place of `function`, and the new functions that it calls, by name.

    Returns the function itself if there is nothing to rewrite, or if its source is missing.
    """
    source = (function.__code__, function.__defaults__, function.__kwdefaults__)
    before = _sources.get(function, source)
    known = _written_out.get(function)
    if known is None or any(one is not other for one, other in zip(before, source, strict=True)):
        known = _written_out[function] = _write_out(function)
    _sources[function] = source
    written, parts = known
    return (function if written is None else written), parts


def _write_out(function: FunctionType) -> tuple[FunctionType | None, _Parts]:
    if not may_need_writing_out(function):
        return None, {}
    definition = _definition(function)
    parts = None if definition is None else write_out(definition, function)
    if definition is None or parts is None:
        return None, {}
    rewritten = _compiled(definition, function)
    if rewritten is None or not set(rewritten.co_freevars) <= set(function.__code__.co_freevars):
        return None, {}
    return _with_code(function, rewritten), _functions(parts, function)


def _functions(parts: list[ast.FunctionDef], original: FunctionType) -> _Parts:
    """Return the new functions of a rewritten one; they can call each other."""
    functions: _Parts = {}
    for part in parts:
        code = _compiled(part, original)
        assert code is not None
        functions[part.name] = _with_code(original, code, defaults=False)
    for function in functions.values():
        _written_out[function] = None, functions
    return functions


def _with_code(original: FunctionType, code: CodeType, *, defaults: bool = True) -> FunctionType:
    """Return a copy of `original` with other code."""
    closure = original.__closure__ or ()
    cells: dict[str, CellType] = dict(zip(original.__code__.co_freevars, closure, strict=True))
    function = FunctionType(
        code, original.__globals__, code.co_name, None, tuple(cells[name] for name in code.co_freevars)
    )
    function.__module__ = original.__module__
    function.__qualname__ = original.__qualname__
    if defaults:
        function.__defaults__, function.__kwdefaults__ = original.__defaults__, original.__kwdefaults__
        if code.co_kwonlyargcount == 0 and original.__kwdefaults__:
            names = original.__code__.co_varnames[original.__code__.co_argcount :]
            given = tuple(original.__kwdefaults__[n] for n in names if n in original.__kwdefaults__)
            function.__defaults__, function.__kwdefaults__ = (original.__defaults__ or ()) + given, None
    return function


def _definition(function: FunctionType) -> ast.FunctionDef | None:
    """Return the source of a function from its file, or None if it differs from the running code."""
    try:
        lines, start = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        return None
    definition.decorator_list = []
    ast.increment_lineno(tree, max(start - 1, 0))
    written = _compiled(definition, function)
    return definition if written is not None and _same_code(written, function.__code__) else None


class _NoBufferFormError(Exception):
    pass


class _YieldToBuffer(StatementRewriter, ast.NodeTransformer):
    def __init__(self) -> None:
        self._bound: set[str] = set()  # local names that have a value here on all paths

    def rewrite(self, definition: ast.FunctionDef) -> ast.FunctionDef:
        self._bound = {argument.arg for argument in definition.args.args}
        definition.args.args.append(ast.arg(_BUFFER))
        definition.body = [
            *ast.parse(f"{_COUNT} = 0").body,
            *self.block(definition.body),
            *ast.parse(f"return {_COUNT}", mode="exec").body,
        ]
        return ast.fix_missing_locations(definition)

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        outside = set(self._bound)
        rewritten = super().block(statements)
        self._bound = outside
        return rewritten

    def passed(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Assign):
            self._bound |= {name for target in statement.targets for name in names_in(target)}

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = self.visit(node.iter)
        outside = set(self._bound)
        self._bound |= names_in(node.target)
        node.body = self.block(node.body)
        self._bound = outside
        node.orelse = self.block(node.orelse)
        return node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        node.test = self.visit(node.test)
        only = node.body[0] if len(node.body) == 1 and not node.orelse else None
        if isinstance(only, ast.Expr) and isinstance(only.value, ast.Yield):
            value = only.value.value
            if value is not None and self._is_plain_arithmetic(value):
                return _emit(node, value, node.test)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        return node

    def _is_plain_arithmetic(self, value: ast.expr) -> bool:
        """Whether `value` can always be computed: integer arithmetic that cannot fail."""
        if isinstance(value, ast.BinOp):
            plain = isinstance(value.op, ast.Add | ast.Sub | ast.Mult)
            return plain and self._is_plain_arithmetic(value.left) and self._is_plain_arithmetic(value.right)
        if isinstance(value, ast.Attribute):
            return isinstance(value.value, ast.Name) and value.value.id == "self" and "self" in self._bound
        if isinstance(value, ast.Name):
            return value.id in self._bound
        return isinstance(value, ast.Constant) and type(value.value) is int

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        if isinstance(node.value, ast.Yield):
            if node.value.value is None:
                raise _NoBufferFormError
            return _emit(node, node.value.value)
        if isinstance(node.value, ast.YieldFrom):
            loop = ast.For(
                ast.Name(_ITEM, ast.Store()),
                node.value.value,
                _emit(node, ast.Name(_ITEM, ast.Load())),
                [],
            )
            return [ast.copy_location(loop, node)]
        return self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is not None:
            raise _NoBufferFormError
        return ast.copy_location(ast.Return(ast.Name(_COUNT, ast.Load())), node)

    def visit_Yield(self, node: ast.Yield) -> ast.AST:
        raise _NoBufferFormError

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        raise _NoBufferFormError


def _emit(place: ast.stmt, value: ast.expr, test: ast.expr | None = None) -> list[ast.stmt]:
    """Return statements that write `value` to the buffer's next entry and keep it if `test` is true."""
    kept = 1 if test is None else _STEP
    guard, count = _placed(
        f"if {_COUNT} < {_BUFFER}.size:\n    {PUT}({_BUFFER}, {_COUNT}, 0)\n{_COUNT} += {kept}", place
    )
    assert isinstance(guard, ast.If)
    written = guard.body[0]
    assert isinstance(written, ast.Expr)
    assert isinstance(written.value, ast.Call)
    written.value.args[2] = value
    if test is None:
        return [guard, count]
    no_step, step = _placed(f"{_STEP} = 0\nif 0:\n    {_STEP} = 1", place)
    assert isinstance(step, ast.If)
    step.test = test
    return [no_step, step, guard, count]


def _placed(source: str, place: ast.stmt) -> list[ast.stmt]:
    """Return the statements of `source` with the source location of `place`."""
    statements = ast.parse(source).body
    for statement in statements:
        for node in ast.walk(statement):
            if "lineno" in node._attributes:
                ast.copy_location(node, place)
    return statements


def _compiled(definition: ast.FunctionDef, original: FunctionType) -> CodeType | None:
    """Compile one function definition with the free variables of `original` still free."""
    free = original.__code__.co_freevars
    name = definition.name
    body: list[ast.stmt] = [definition, *ast.parse(f"return {name}").body]
    outer = ast.parse(f"def outer({', '.join(free)}): pass")
    assert isinstance(outer.body[0], ast.FunctionDef)
    outer.body[0].body = body
    file = original.__code__.co_filename
    names = _imported_names(file, len(linecache.getlines(file)))
    outer.body[:0] = [ast.parse(f"import {name}").body[0] for name in names]
    module = compile(outer, file, "exec", dont_inherit=True)
    return _nested(_nested(module, "outer"), name)


@lru_cache(maxsize=64)
def _imported_names(file: str, _length: int) -> tuple[str, ...]:
    """Return the names that a module imports, because Python compiles calls of these differently."""
    names: set[str] = set()
    waiting: list[ast.AST] = [syntax_of("".join(linecache.getlines(file)))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            waiting += ast.iter_child_nodes(node)
    return tuple(sorted(names - {"*"}))


def _nested(code: CodeType | None, name: str) -> CodeType | None:
    if code is None:
        return None
    found = [c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name]
    return found[0] if len(found) == 1 else None


def _same_code(one: CodeType, other: CodeType) -> bool:
    """Whether two code objects are equal except for their source locations."""
    mine = (one.co_code, one.co_names, one.co_varnames, one.co_freevars, len(one.co_consts))
    theirs = (other.co_code, other.co_names, other.co_varnames, other.co_freevars, len(other.co_consts))
    return mine == theirs and all(
        _same_code(a, b)
        if isinstance(a, CodeType) and isinstance(b, CodeType)
        else type(a) is type(b) and a == b
        for a, b in zip(one.co_consts, other.co_consts, strict=True)
    )
