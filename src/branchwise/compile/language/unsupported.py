"""Constructs that rules cannot use, and their replacements: the table of docs/compiled-rules.md.

The rows are data, in `unsupported.json` beside this module, in the order of the guide.

Errors quote `write` of a row; tests compare the documented table with this one. A row is found by the source
line that does not compile, or by the compiler's message (`compile.language.numba_messages`).
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

from branchwise.game.kinds.corrections import syntax_of


@dataclass(frozen=True)
class Line:
    """The statement that a line of source belongs to, as rows examine it.

    nodes : the nodes of the statement; for a compound statement only those of its head.
    classes : names of the game's class and its base classes.   set_globals : names that the function declares
    `global`.   given : names of the function's arguments.
    """

    nodes: tuple[ast.AST, ...]
    classes: frozenset[str] = frozenset()
    set_globals: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()

    def of(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        return (node for node in self.nodes if isinstance(node, kinds))

    def calls(self) -> Iterator[tuple[str, ast.Call]]:
        """Yield each call, with the last part of the called name."""
        for node in self.nodes:
            if isinstance(node, ast.Call):
                if isinstance(node.func, ast.Name):
                    yield node.func.id, node
                elif isinstance(node.func, ast.Attribute):
                    yield node.func.attr, node

    def names(self, *names: str) -> bool:
        """Whether the line has one of `names`, alone or as an attribute."""
        return any(
            (isinstance(node, ast.Name) and node.id in names)
            or (isinstance(node, ast.Attribute) and node.attr in names)
            for node in self.nodes
        )

    def attributes_of(self, *names: str) -> bool:
        """Whether the line reads an attribute of one of the modules or classes `names`."""
        return any(dotted(node).rpartition(".")[0] in names for node in self.of(ast.Attribute))


@dataclass(frozen=True)
class Construct:
    """One row of the table, `unsupported.json`.

    name : its name in errors.   instead_of, write : the row's two columns, as in the docs.
    A line has it if it calls one of `calls`, reads an attribute of one of `modules`, has one of the nodes
    `syntax` of Python's `ast`, calls a function with one of its `named_arguments` (if none are listed, with
    any), or passes the `test`, one of TESTS. A row without any of these is found by the compiler's message.
    """

    name: str
    instead_of: str
    write: str
    calls: Sequence[str] = ()
    modules: Sequence[str] = ()
    syntax: Sequence[str] = ()
    named_arguments: Mapping[str, Sequence[str]] = field(default_factory=dict)
    test: str = ""

    def is_in(self, line: Line) -> bool:
        """Whether a line has it, as far as the line shows."""
        return (
            line.attributes_of(*self.modules)
            or any(type(node).__name__ in self.syntax for node in line.nodes)
            or any(name in self.calls or self._gives(name, call) for name, call in line.calls())
            or (self.test != "" and TESTS[self.test](line))
        )

    def _gives(self, name: str, call: ast.Call) -> bool:
        """Whether a call has one of the arguments that the row names for the function."""
        if name not in self.named_arguments:
            return False
        arguments = self.named_arguments[name]
        return any(not arguments or keyword.arg in arguments for keyword in call.keywords)

    @property
    def advice(self) -> str:
        """`write`, as quoted in an error."""
        return f"write {self.write.replace('`', '')}"


def dotted(node: ast.AST) -> str:
    """Return an expression's dotted name, or "" if it has none."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def _reduces_along_an_axis(line: Line) -> bool:
    return any(
        any(keyword.arg == "axis" for keyword in call.keywords)
        or (name in ("all", "any") and len(call.args) > 1)
        for name, call in line.calls()
    )


def _sets_by_a_test(line: Line) -> bool:
    return any(
        isinstance(node.ctx, ast.Store) and any(isinstance(n, ast.Compare) for n in ast.walk(node.slice))  # type: ignore[attr-defined]
        for node in line.of(ast.Subscript)
    )


def _unpacks_in_zip(line: Line) -> bool:
    return any(
        name == "zip" and any(isinstance(argument, ast.Starred) for argument in call.args)
        for name, call in line.calls()
    )


def _names_own_class(line: Line) -> bool:
    return line.attributes_of(*line.classes) or any(name in line.classes for name, _ in line.calls())


def _makes_a_container_of_an_array(line: Line) -> bool:
    return any(
        name == "tolist"
        or (name in ("tuple", "set", "frozenset") and call.args and not isinstance(call.args[0], ast.Tuple))
        for name, call in line.calls()
    )


def _converts_to_a_tuple(line: Line) -> bool:
    return any(
        name == "tuple" and call.args and isinstance(call.args[0], ast.GeneratorExp | ast.ListComp)
        for name, call in line.calls()
    )


def _unpacks_the_rest(line: Line) -> bool:
    return any(isinstance(node.ctx, ast.Store) for node in line.of(ast.Starred))  # type: ignore[attr-defined]


def _passes_a_dict(line: Line) -> bool:
    return any(keyword.arg is None for _, call in line.calls() for keyword in call.keywords)


def _sets_a_global(line: Line) -> bool:
    return any(
        isinstance(node.ctx, ast.Store) and node.id in line.set_globals  # type: ignore[attr-defined]
        for node in line.of(ast.Name)
    )


def draws(line: Line) -> bool:
    """Whether a line draws from Python's or NumPy's `random` instead of the rule's argument."""
    for node in line.of(ast.Attribute):
        owner, _, name = dotted(node).rpartition(".")
        if owner in ("np.random", "numpy.random", "secrets"):
            return True
        if owner == "random" and "random" not in line.given and name not in ("below", "share"):
            return True
    calls = ("randint", "randrange", "default_rng", *([] if "random" in line.given else ["shuffle"]))
    return any(
        name in calls and dotted(call.func).split(".")[0] not in line.given for name, call in line.calls()
    )


_TAKES_A_GENERATOR = ("any", "all", "sum", "min", "max", "next", "list", "sorted", "set", "tuple")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _keeps_a_generator(line: Line) -> bool:
    taken = {id(call.args[0]) for name, call in line.calls() if name in _TAKES_A_GENERATOR and call.args}
    return any(id(node) not in taken for node in line.of(ast.GeneratorExp))


def _keeps_a_function(line: Line) -> bool:
    keys = {
        id(keyword.value) for _, call in line.calls() for keyword in call.keywords if keyword.arg == "key"
    }
    return any(id(node) not in keys for node in line.of(ast.Lambda))


def _names_within(line: Line) -> bool:
    """Whether a line has a `:=` that cannot be replaced by an assignment before it."""
    around = line.of(*_COMPREHENSIONS, ast.IfExp, ast.Call, ast.Subscript, ast.Lambda, ast.AugAssign)
    return any(isinstance(part, ast.NamedExpr) for node in around for part in ast.walk(node))


def _reads_of_super(line: Line) -> bool:
    called = {id(call.func) for _, call in line.calls()}
    return any(
        isinstance(node.value, ast.Call) and dotted(node.value.func) == "super" and id(node) not in called  # type: ignore[attr-defined]
        for node in line.of(ast.Attribute)
    )


TESTS: dict[str, Callable[[Line], bool]] = {
    "converts_to_a_tuple": _converts_to_a_tuple,
    "draws": draws,
    "keeps_a_function": _keeps_a_function,
    "keeps_a_generator": _keeps_a_generator,
    "makes_a_container_of_an_array": _makes_a_container_of_an_array,
    "names_own_class": _names_own_class,
    "names_within": _names_within,
    "passes_a_dict": _passes_a_dict,
    "reads_of_super": _reads_of_super,
    "reduces_along_an_axis": _reduces_along_an_axis,
    "sets_a_global": _sets_a_global,
    "sets_by_a_test": _sets_by_a_test,
    "unpacks_in_zip": _unpacks_in_zip,
    "unpacks_the_rest": _unpacks_the_rest,
}
"""What rows of the table name as their `test`."""


def _read_table() -> dict[str, Construct]:
    file = resources.files(__package__) / "unsupported.json"
    rows = json.loads(file.read_text(encoding="utf-8"))
    return {name: Construct(**row) for name, row in rows.items()}


NAMED = _read_table()
"""The rows by the names that the code and the messages of `numba_messages` use."""
CONSTRUCTS = tuple(NAMED.values())


def found_in(line: Line) -> Construct | None:
    """Return the first construct of the table that a line has, or None."""
    return next((row for row in CONSTRUCTS if row.is_in(line)), None)


def line_at(source: str, number: int, classes: frozenset[str] = frozenset()) -> Line | None:
    """Return what stands at line `number` of a module's source, or None if there is no statement.

    Of several statements on the line it has all, and of an `except` the `try` as well.
    """
    around = [node for node in ast.walk(syntax_of(source)) if _covers(node, number)]
    statements = [node for node in around if isinstance(node, ast.stmt)]
    if not statements:
        return None
    shortest = min(_height(node) for node in statements)
    handled = {id(node) for node in around if isinstance(node, ast.ExceptHandler) and node.lineno == number}
    nodes: list[ast.AST] = []
    for statement in sorted(statements, key=lambda node: (_height(node), -node.lineno, -node.col_offset)):
        if _height(statement) == shortest:
            nodes += _of_statement(statement)
        elif isinstance(statement, ast.Try) and any(id(handler) in handled for handler in statement.handlers):
            nodes.append(statement)
    functions = [node for node in around if isinstance(node, ast.FunctionDef)]
    set_globals = {n for f in functions for g in ast.walk(f) if isinstance(g, ast.Global) for n in g.names}
    given = {argument.arg for function in functions for argument in function.args.args}
    return Line(tuple(nodes), classes, frozenset(set_globals), frozenset(given))


def lines_of(source: str, first: int, classes: frozenset[str] = frozenset()) -> Iterator[tuple[int, Line]]:
    """Yield (number, statement) for each line of the function that starts at line `first` of a module."""
    for function in ast.walk(syntax_of(source)):
        if isinstance(function, ast.FunctionDef):
            begins = min([function.lineno, *(d.lineno for d in function.decorator_list)])
            if begins == first or function.lineno == first:
                given = frozenset(argument.arg for argument in function.args.args)
                for node in ast.walk(function):
                    if isinstance(node, ast.stmt) and node is not function:
                        yield node.lineno, Line(tuple(_of_statement(node)), classes, given=given)


def _covers(node: ast.AST, number: int) -> bool:
    return "lineno" in node._attributes and node.lineno <= number <= (node.end_lineno or 0)  # type: ignore[attr-defined]


def _height(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno


def _of_statement(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield a statement and its own expressions, without those of statements inside it."""
    yield statement
    waiting: list[ast.AST] = [statement]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            within = isinstance(child, ast.stmt) and not isinstance(statement, ast.Match)
            if not within and not isinstance(child, ast.ExceptHandler):
                yield child
                waiting.append(child)
