"""Turning the generator `legal_actions` into a function that fills a buffer.

Compiled as a generator it would run at about half the speed. `yield x` becomes a guarded write, so rules
that yield too much never write past the buffer's end; the function returns how much was yielded.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from types import CodeType, FunctionType

_BUFFER = "branchwise_buffer"
_COUNT = "branchwise_count"
_ITEM = "branchwise_item"


def buffer_form(generator: FunctionType) -> FunctionType | None:
    """Return `generator` as a function with one more argument, the buffer, that returns the count.

    None if its source cannot be had, is no longer what runs (the file was edited, or something rewrote
    the code), or uses `yield` in a way that has no such form; the generator itself must then be compiled.
    """
    try:
        lines, start = inspect.getsourcelines(generator)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef) or definition.decorator_list:
        return None
    ast.increment_lineno(tree, max(start - 1, 0))
    written = _compiled(definition, generator)
    if written is None or not _same_code(written, generator.__code__):
        return None
    try:
        rewritten = _compiled(_YieldToBuffer().rewrite(definition), generator)
    except _NoBufferFormError:
        return None
    if rewritten is None or rewritten.co_freevars != generator.__code__.co_freevars:
        return None
    return FunctionType(
        rewritten,
        generator.__globals__,
        generator.__name__,
        generator.__defaults__,
        generator.__closure__,
    )


class _NoBufferFormError(Exception):
    pass


class _YieldToBuffer(ast.NodeTransformer):
    def rewrite(self, definition: ast.FunctionDef) -> ast.FunctionDef:
        definition.args.args.append(ast.arg(_BUFFER))
        definition.body = [
            *ast.parse(f"{_COUNT} = 0").body,
            *(statement for old in definition.body for statement in _as_list(self.visit(old))),
            *ast.parse(f"return {_COUNT}", mode="exec").body,
        ]
        return ast.fix_missing_locations(definition)

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

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node


def _emit(place: ast.stmt, value: ast.expr) -> list[ast.stmt]:
    template = f"if {_COUNT} < {_BUFFER}.size:\n    {_BUFFER}[{_COUNT}] = 0\n{_COUNT} += 1"
    guard, step = ast.parse(template).body
    assert isinstance(guard, ast.If)
    assert isinstance(guard.body[0], ast.Assign)
    guard.body[0].value = value
    for statement in (guard, step):
        for node in ast.walk(statement):
            if "lineno" in node._attributes and node is not value:
                ast.copy_location(node, place)
    return [guard, step]


def _as_list(visited: ast.AST | list[ast.stmt]) -> list[ast.stmt]:
    return visited if isinstance(visited, list) else [visited]  # type: ignore[list-item]


def _compiled(definition: ast.FunctionDef, original: FunctionType) -> CodeType | None:
    """Compile one function definition with the free variables of `original` still free."""
    free = original.__code__.co_freevars
    if "__class__" in free:
        return None
    name = definition.name
    body: list[ast.stmt] = [definition, *ast.parse(f"return {name}").body]
    outer = ast.parse(f"def outer({', '.join(free)}): pass")
    assert isinstance(outer.body[0], ast.FunctionDef)
    outer.body[0].body = body
    module = compile(outer, original.__code__.co_filename, "exec", dont_inherit=True)
    return _nested(_nested(module, "outer"), name)


def _nested(code: CodeType | None, name: str) -> CodeType | None:
    if code is None:
        return None
    found = [c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name]
    return found[0] if len(found) == 1 else None


def _same_code(one: CodeType, other: CodeType) -> bool:
    """Whether two code objects do the same, wherever they were written."""
    mine = (one.co_code, one.co_names, one.co_varnames, one.co_freevars, len(one.co_consts))
    theirs = (other.co_code, other.co_names, other.co_varnames, other.co_freevars, len(other.co_consts))
    return mine == theirs and all(
        _same_code(a, b)
        if isinstance(a, CodeType) and isinstance(b, CodeType)
        else type(a) is type(b) and a == b
        for a, b in zip(one.co_consts, other.co_consts, strict=True)
    )
