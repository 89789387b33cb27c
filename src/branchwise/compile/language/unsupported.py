"""Constructs that rules cannot use, and their replacements: the table of docs/compiled-rules.md.

Errors quote `write` of a row; tests compare the documented table with this one. A row is found by the source
line that does not compile, or by the compiler's message (`compile.language.numba_messages`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

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
    """One row of the table.

    name : its name in errors.   instead_of, write : the row's two columns, as in the docs.
    is_in : tells whether a line has it; None if only the compiler's message shows it.
    """

    name: str
    instead_of: str
    write: str
    is_in: Callable[[Line], bool] | None = None

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


def _calls(*names: str) -> Callable[[Line], bool]:
    return lambda line: any(name in names for name, _ in line.calls())


def _has(*kinds: type[ast.AST]) -> Callable[[Line], bool]:
    return lambda line: any(line.of(*kinds))


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


def _gives(name: str, *arguments: str) -> Callable[[Line], bool]:
    """Whether a line calls a function with a named argument, of `arguments` if there are any."""
    return lambda line: any(
        called == name and any(not arguments or keyword.arg in arguments for keyword in call.keywords)
        for called, call in line.calls()
    )


def _unpacks_in(name: str) -> Callable[[Line], bool]:
    """Whether a line calls a function with `*values`."""
    return lambda line: any(
        called == name and any(isinstance(argument, ast.Starred) for argument in call.args)
        for called, call in line.calls()
    )


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


def _draws(line: Line) -> bool:
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


CONSTANT = Construct(
    "a list, dict or set of anything but numbers as a constant",
    "a constant or a module's variable that is an empty list, or a list, a dict or a set of anything but "
    'numbers: `NAMES = ["X", "O"]`',
    "numbers, or tuples and lists of numbers: `STEPS = [1, -1]`, `PAIRS = [(0, 1), (1, 0)]`, "
    "`WORTH = {1: 3}`; `action_to_string` may use all of Python",
)
FROZEN = Construct(
    "this use of a list, dict or set that is a constant",
    "`STEPS * 2`, `STEPS == [1, -1]`, `STEPS[::2]`, `CORNERS & EDGES` of lists or sets that are constants",
    "a loop over the constant, or an array in its place: `STEPS = np.array([1, -1])`",
)
CHANGING = Construct(
    "a list, dict, set or array without a type that changes in a game",
    "a list, dict, set or array of the class that changes in a game: `history = []` and "
    "`self.history.append(a)`",
    "an array field and a count: `history: bw.Array[np.int8, 9] = 0`, `count: np.int8 = 0`",
)
RAGGED = Construct(
    "tuples of different lengths",
    "tuples of different lengths in one table or one variable: `((0, 1, 2), (3, 4))`",
    "tuples of one length, an array padded with -1, `np.array([[0, 1, 2], [3, 4, -1]])`, or, as a constant, "
    "a list of lists: `[[0, 1, 2], [3, 4]]`",
)
SEVERAL_KINDS = Construct(
    "a variable of several kinds",
    "a variable, a list item or a method's result that is a number on one path, and `None`, a text, a "
    "list or a tuple on another: `best = None`",
    "one kind of value on all paths: `best = -1` for none, always a tuple",
)
ARRAY_AS_A_WHOLE = Construct(
    "an array field set as a whole",
    "`self.board = board`, where `board` is a new array",
    "`self.board[:] = board`",
)
OWN_CLASS = Construct(
    "the class by its name",
    "the class by its name: `MyGame.rows`, `MyGame.fits(self, a)`, `Base.apply_action(self, action)`",
    "`self.rows`, `self.fits(a)`, `super().apply_action(action)`",
    lambda line: line.attributes_of(*line.classes) or any(n in line.classes for n, _ in line.calls()),
)
CLASS_WITHIN = Construct(
    "a class inside the class",
    "a class inside the class, such as an enum: `self.Mark.EMPTY`",
    "the class at the top of the module: `Mark.EMPTY`",
)
OWN_OBJECT = Construct(
    "an object of a class",
    "an object of your own class, such as a dataclass, or a tuple of these",
    "a tuple, a `NamedTuple`, or separate numbers",
)
ENUM = Construct(
    "a class of an enumeration, called or indexed",
    '`Kind(2)`, `Kind["PAWN"]`, `kind.name` of an enumeration',
    "a member, `Kind.PAWN`, or the number itself, which equals the member of an `IntEnum`",
)
EMPTY_DICT = Construct(
    "a dict that is read before it has a key",
    "a dict that begins empty and is read first: `count = {}`, `count[k] = count.get(k, 0) + 1`",
    "an array: `count = np.zeros(9, np.int64)`, `count[k] += 1`",
)
NDITER = Construct("np.nditer", "`for x in np.nditer(board):`", "`for x in board.flat:`", _calls("nditer"))
LISTS_IN_DICT = Construct(
    "a dict of lists that begin empty",
    "a dict of lists that begin empty: `groups = {1: [], 2: []}`",
    "a list for each key, or an array with a row for each: `groups = np.zeros((2, 9), np.int8)`",
)
SUM_OF_ROWS = Construct(
    "sum(...) of the rows of an array",
    "`sum(board)` of an array with rows",
    "`board.sum(axis=0)`, or `board.sum()` for one number",
)
PRODUCT = Construct(
    "a product of arrays of whole numbers",
    "`VALUES @ row`, `np.dot(a, b)`, of whole numbers",
    "`(VALUES * row).sum()` for one number, a loop over the rows for several; or arrays of floats of one "
    "type",
)
TEXT = Construct(
    "parsing of text",
    "parsing of text: `line.split()`, `int(line[0])`",
    "numbers in tuples or arrays; `action_to_string` may use all of Python",
    _calls("split", "join", "format", "strip"),
)
NUMBER_OF_ARRAY = Construct(
    "an array where a number belongs",
    "`int(x)`, `if x:`, `x and y` of an array with several elements",
    "one element, `int(x[0, 1])`, or a number made of all: `x.sum()`, `x.any()`, `x.all()`",
)
METHOD_CALLS_ITSELF = Construct(
    "a method that calls itself",
    "a method that calls itself",
    "a loop, or a function of the module; a function may call itself, but is compiled again in every process",
)
ENDLESS_RECURSION = Construct(
    "a recursion without a base case",
    "a function whose recursion has no base case",
    "a path that returns a value without a further call",
)
INNER_CALLS_ITSELF = Construct(
    "a function inside a rule that calls itself",
    "a function inside a rule that calls itself",
    "a loop, or a function of the module",
)
COPY_OF_STATE = Construct(
    "a copy of the state",
    "a copy of the state in a rule: `self.copy()`, `copy.deepcopy(self)`",
    "a look at the fields without playing the move, or a copy of one array: `self.board.copy()`",
    _calls("deepcopy", "clone"),
)
CACHED = Construct(
    "a cached function",
    "`functools.cache`, `lru_cache`, `cached_property`",
    "a table computed once: `TABLE = np.array([f(a) for a in range(9)])`",
)
RANDOM = Construct(
    "random numbers in a rule",
    "`random` or `np.random` in a rule, or a generator of the module: `RNG = np.random.default_rng(1)`",
    "`random.below(n)` and others in a method that is given `random`: `playout_action`, `sample_outcome`, or "
    "`apply_action` of a simulator; dice are outcomes of chance: `chance_outcomes`",
    _draws,
)
CLOCK = Construct(
    "the clock in a rule",
    "the clock in a rule: `time.time()`",
    "a field: the result of a rule depends only on the fields",
    lambda line: line.attributes_of("time", "datetime") or _calls("perf_counter", "monotonic")(line),
)
NOT_IN_NUMPY = Construct(
    "a function of NumPy that compiled code does not have",
    "a function or method of NumPy that compiled code does not have",
    "a loop over the array",
)
UNKNOWN = Construct(
    "something that compiled code does not have",
    "any other object or function of Python that compiled code does not have",
    "numbers, tuples, NumPy arrays, loops, and methods and functions made of them",
)

CONSTRUCTS: tuple[Construct, ...] = (
    CONSTANT,
    FROZEN,
    CHANGING,
    RAGGED,
    SEVERAL_KINDS,
    ARRAY_AS_A_WHOLE,
    OWN_CLASS,
    CLASS_WITHIN,
    OWN_OBJECT,
    ENUM,
    METHOD_CALLS_ITSELF,
    ENDLESS_RECURSION,
    INNER_CALLS_ITSELF,
    COPY_OF_STATE,
    CACHED,
    RANDOM,
    CLOCK,
    Construct(
        "try and except",
        "`try: ... except IndexError: ...`",
        "a test beforehand: `if 0 <= i < len(self.board):`",
        _has(ast.Try),
    ),
    Construct(
        "with", "`with ...:`", "only the statements, with a test where something may fail", _has(ast.With)
    ),
    Construct(
        "match on more than a number",
        "`match` on a tuple, a list or an object: `match self.won, self.mover:`",
        "`if` and `elif`, or `match` on one number",
        _has(ast.MatchSequence, ast.MatchMapping, ast.MatchClass),
    ),
    Construct(
        "a variable of the module that a rule sets",
        "a variable of the module that a rule sets: `global calls`",
        "a field: `calls: np.int32 = 0`",
        _sets_a_global,
    ),
    Construct(
        "arguments from a dict",
        "arguments from a dict: `self.put(**place)`",
        "the arguments one by one: `self.put(row=row, column=column)`",
        _passes_a_dict,
    ),
    Construct(
        "an unpacking with a star",
        "an unpacking with a star: `first, *rest = cells`",
        "indices and slices: `first, rest = cells[0], cells[1:]`",
        _unpacks_the_rest,
    ),
    Construct(
        ":= in this place",
        "`:=` in a comprehension, in an argument or in a branch of `a if test else b`",
        "an assignment beforehand",
        _names_within,
    ),
    Construct(
        "itertools",
        "`itertools`: `for row, column in itertools.product(range(3), range(3)):`",
        "nested loops: `for row in range(3):`, `for column in range(3):`",
        lambda line: (
            line.attributes_of("itertools")
            or _calls("product", "permutations", "combinations", "chain", "islice", "groupby", "pairwise")(
                line
            )
        ),
    ),
    Construct(
        "map, filter or reduce",
        "`map(...)`, `filter(...)`, `functools.reduce(...)`",
        "a loop, or a comprehension: `[f(a) for a in actions if a > 0]`",
        _calls("map", "filter", "reduce"),
    ),
    Construct(
        "a container of collections",
        "`collections.deque`, `Counter`, `defaultdict`, `bytearray`",
        "a list with `append` and `pop`, or an array: `counts = np.zeros(3, np.int64)`",
        lambda line: (
            line.attributes_of("collections") or _calls("deque", "Counter", "defaultdict", "bytearray")(line)
        ),
    ),
    Construct(
        "a key of sorted that reads a variable",
        "`sorted(cells, key=lambda c: self.worth(c))`",
        "tuples that begin with the key: `sorted([(self.worth(c), c) for c in cells])`; for the first or the "
        "last alone, `min` and `max` with the same key",
        lambda line: _gives("sorted", "key")(line) or _gives("sort", "key")(line),
    ),
    Construct(
        "zip of the rows of an array",
        "`zip(*board)`",
        "a loop over the columns: `for column in board.T:`",
        _unpacks_in("zip"),
    ),
    Construct(
        "zip with strict",
        "`zip(a, b, strict=True)`",
        "`zip(a, b)`, after a test of the lengths if they may differ",
        _gives("zip"),
    ),
    Construct(
        "print with more than values",
        '`print(x, end="")`',
        "`print(x)`, or nothing: rules run thousands of times a second",
        _gives("print"),
    ),
    LISTS_IN_DICT,
    Construct(
        "this function of Python's library",
        "`statistics.mean(xs)`, `math.isclose(a, b)`, `functools.partial`, `operator.itemgetter`, others of "
        "Python's library",
        "the same in numbers, loops and methods: `sum(xs) / len(xs)`, `abs(a - b) < 1e-9`",
        lambda line: (
            line.attributes_of(
                "statistics", "functools", "operator", "typing", "fractions", "decimal", "string"
            )
            or _calls("isclose", "dist", "partial", "itemgetter", "cast", "Fraction", "Decimal")(line)
        ),
    ),
    Construct(
        "a function about objects or files",
        "`setattr(self, name, value)`, `vars(self)`, `id(x)`, `open(file)`, `input()`, `os.environ`",
        "`self.name = value`; what a file says, read into an array at the top of the module",
        lambda line: (
            line.attributes_of("os", "sys")
            or _calls("setattr", "vars", "id", "open", "input", "eval", "exec", "dir", "callable", "hash")(
                line
            )
        ),
    ),
    Construct(
        "np.unravel_index",
        "`np.unravel_index(action, (3, 3))`, `np.ravel_multi_index((row, column), (3, 3))`",
        "`divmod(action, 3)`, `row * 3 + column`",
        _calls("unravel_index", "ravel_multi_index"),
    ),
    NDITER,
    Construct("x.item(...)", "`board.item(4)`", "`board.flat[4]`", _calls("item")),
    SUM_OF_ROWS,
    Construct(
        "tuple(...) of a generator or a list",
        "`tuple(... for p in range(2))`, whose length is unknown before it runs",
        "a list, `[... for p in range(2)]`, or the tuple in full, `(a, b)`",
        _converts_to_a_tuple,
    ),
    Construct(
        "a list, tuple or set made of an array",
        "`x.tolist()`, `tuple(x)`, `set(x)` of an array",
        "the array itself: `x[0]`, `(x == y).all()`, `mark in x`",
        _makes_a_container_of_an_array,
    ),
    NUMBER_OF_ARRAY,
    PRODUCT,
    EMPTY_DICT,
    Construct(
        "an import in a rule",
        "`import math` in a method",
        "the import at the top of the module",
        _has(ast.Import, ast.ImportFrom),
    ),
    Construct(
        "a NumPy function along an axis",
        "NumPy's `all`, `any` and others with `axis`: `np.all(self.board == mark, axis=1)`",
        "a loop over the rows, or over the columns of `self.board.T`: "
        "`any((row == mark).all() for row in self.board)`",
        _reduces_along_an_axis,
    ),
    Construct(
        "np.trace",
        "`np.trace(x)`, `x.trace()`",
        "`sum(x[i, i] for i in range(3))`",
        _calls("trace"),
    ),
    Construct("x.diagonal()", "`x.diagonal()`", "`np.diag(x)`", _calls("diagonal")),
    Construct(
        "cells set by a mask",
        "cells set by a mask: `self.board[self.board == 1] = 0`",
        "a loop over the cells with an `if`",
        _sets_by_a_test,
    ),
    Construct("bin(...)", '`bin(x).count("1")`', "`x.bit_count()`", _calls("bin", "hex", "oct")),
    TEXT,
    Construct(
        "a generator that is stored or passed on",
        "a generator expression that is stored, passed on or inside a `lambda`: "
        "`cells = (a for a in actions)`",
        "a list: `cells = [a for a in actions]`; `any`, `all`, `sum`, `min`, `max` and `next` may take a "
        "generator",
        _keeps_a_generator,
    ),
    Construct(
        "a lambda or a function inside a rule",
        "a `lambda` or a function inside a rule that is stored or passed on",
        "a method, or a function of the module",
        _keeps_a_function,
    ),
    Construct(
        "super() of a property",
        "`super().name` of a property",
        "a method: `super().name()`",
        _reads_of_super,
    ),
    NOT_IN_NUMPY,
    UNKNOWN,
)


def found_in(line: Line) -> Construct | None:
    """Return the first construct of the table that a line has, or None."""
    return next((row for row in CONSTRUCTS if row.is_in is not None and row.is_in(line)), None)


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
