"""Fingerprints: every edit that machine code depends on changes them, in another process and in this one."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.states.prepared_rules import compiled_type

RULES = '''
import numpy as np
import branchwise as bw
{imports}


class Tiny(bw.Game):
    """One move, whose worth is `{worth}`."""

    num_players = 2
    num_actions = 2
    table = np.array([1.0, 2.0])
    chosen: np.int8 = -1

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.chosen = action

    def is_terminal(self):
        return self.chosen >= 0

    def returns(self):
        value = {worth}
        return (value, -value)
'''


@pytest.fixture
def rules(tmp_path, monkeypatch):
    """Return a function that rebuilds a game's rules from source files, as another process would."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def rules(imports: str, worth: str, **files: str):
        sources = {**files, "tiny_rules": RULES.format(imports=imports, worth=worth)}
        for name, source in sources.items():
            file = tmp_path / (name.replace(".", "/") + ".py")
            file.parent.mkdir(exist_ok=True)
            file.write_text(source)
        for name in {*sources, *(name.partition(".")[0] for name in sources)}:
            monkeypatch.setitem(sys.modules, name, None)
            del sys.modules[name]
        importlib.invalidate_caches()
        game = importlib.import_module("tiny_rules").Tiny
        return compiled_type(game).rules

    return rules


ENUM = """
from enum import Enum, IntEnum
class Piece(IntEnum):
    RED = {red}
    BLUE = 5
class Kind(Enum):
    {order}
"""
IN_TWO_LEVELS = (
    "K = {k}\ndef half(x):\n    return x * {factor}\nimport numpy as np\nTABLE = np.array([{item}, 2.0])\n"
)
NAMED = (
    "from collections import namedtuple\nPair = namedtuple('Pair', '{fields}'{more})\nPAIR = Pair(1.0, 2.0)\n"
)
NAMED_CLASS = (
    "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: float = 1.0\n    b: float = {default}\n"
)
JITCLASS = """
from numba.experimental import jitclass
from numba import float64, int64
FACTOR = {factor}
@jitclass([("x", {kind})])
class Purse:
    def __init__(self, x):
        self.x = x
    def worth(self):
        return self.x * {times} * FACTOR
    @property
    def twice(self):
        return self.x * {twice}
"""
NJIT = "from numba import njit\n@njit\ndef worth(x):\n    return x * {factor}\n"
CLOSURE = """
import consts
def make(module, factor):
    def worth(x, *, scale={scale}):
        return x * module.K * factor * scale
    return worth
worth = make(consts, {factor})
"""

ENUMS = {"red": 1, "order": "A = 1; B = 2"}
LEVELS = {"k": 1.0, "factor": 2, "item": 1.0}
PURSE = {"factor": 1, "kind": "float64", "times": 1.0, "twice": 2}
FIELDS = {"fields": "a b", "more": ""}

EDITS = {
    "value of an IntEnum": ("import help", "help.Piece.RED * 1.0", ENUM, ENUMS, {"red": 2}),
    "value of an Enum": (
        "from help import Kind",
        "1.0 if Kind.A == Kind.B else 0.5",
        ENUM,
        ENUMS,
        {"order": "A = 1; B = 1"},
    ),
    "order of an Enum": (
        "from help import Kind",
        "Kind.A.value * 1.0",
        ENUM,
        ENUMS,
        {"order": "B = 2; A = 1"},
    ),
    "member imported by name": (
        "from help import Piece\nRED = Piece.RED",
        "RED * 1.0",
        ENUM,
        {"red": 1, "order": "A = 1"},
        {"red": 3},
    ),
    "constant two levels away": ("import pkg.help", "pkg.help.K", IN_TWO_LEVELS, LEVELS, {"k": 0.5}),
    "function two levels away": (
        "import pkg.help",
        "pkg.help.half(1.0)",
        IN_TWO_LEVELS,
        LEVELS,
        {"factor": 3},
    ),
    "array two levels away": (
        "import pkg.help",
        "pkg.help.TABLE[0]",
        IN_TWO_LEVELS,
        LEVELS,
        {"item": 7.0},
    ),
    "module under another name": (
        "import pkg.help as h",
        "h.K",
        IN_TWO_LEVELS,
        LEVELS,
        {"k": 0.5},
    ),
    "order of a named tuple's fields": ("from help import PAIR", "PAIR.a", NAMED, FIELDS, {"fields": "b a"}),
    "defaults of a named tuple": (
        "from help import Pair",
        "Pair(1.0).b",
        NAMED,
        {"fields": "a b", "more": ", defaults=[1.0]"},
        {"more": ", defaults=[2.0]"},
    ),
    "default of a NamedTuple class": (
        "from help import Pair",
        "Pair().b",
        NAMED_CLASS,
        {"default": 1.0},
        {"default": 2.0},
    ),
    "method of a jitclass": (
        "from help import Purse",
        "Purse(1.0).worth()",
        JITCLASS,
        PURSE,
        {"times": 2.0},
    ),
    "property of a jitclass": (
        "from help import Purse",
        "Purse(1.0).twice",
        JITCLASS,
        PURSE,
        {"twice": 3},
    ),
    "field of a jitclass": (
        "from help import Purse",
        "Purse(1.0).worth()",
        JITCLASS,
        PURSE,
        {"kind": "int64"},
    ),
    "global of a jitclass's method": (
        "from help import Purse",
        "Purse(1.0).worth()",
        JITCLASS,
        PURSE,
        {"factor": 2},
    ),
    "value in a dict": ("from help import T", "T[1] * 1.0", "T = {{1: {v}}}\n", {"v": 1}, {"v": 2}),
    "key of a dict": ("from help import T", "T[1] * 1.0", "T = {{1: 1, {k}: 3}}\n", {"k": 5}, {"k": 6}),
    "item of a list": ("from help import T", "T[1][0] * 1.0", "T = [[1], [{i}]]\n", {"i": 1}, {"i": 2}),
    "item of a set": ("from help import T", "1.0 * (1 in T)", "T = {{1, {i}}}\n", {"i": 4}, {"i": 5}),
    "order of a set": (
        "from help import T",
        "1.0 * (1 in T)",
        "T = set([{items}])\n",
        {"items": "8, 0"},
        {"items": "0, 8"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_edit_shows_in_the_next_process(rules, name):
    imports, worth, source, first, changed = EDITS[name]
    place = "pkg.help" if "pkg" in imports else "help"
    before, again, after = (
        rules(imports, worth, **{place: source.format(**values)})
        for values in (first, first, {**first, **changed})
    )
    assert before.fit_for_cache
    assert before.fingerprint == again.fingerprint
    assert before.fingerprint != after.fingerprint


@pytest.mark.parametrize("name", ["colorsys", "queue", "code"])
def test_compiled_helper_may_be_named_like_a_module_of_the_standard_library(rules, name):
    before, again, after = (
        rules(f"import {name}", f"{name}.worth(1.0)", **{name: NJIT.format(factor=factor)})
        for factor in (1.0, 1.0, 2.0)
    )
    assert before.fit_for_cache
    assert before.fingerprint == again.fingerprint
    assert before.fingerprint != after.fingerprint


@pytest.mark.parametrize("changed", [{"factor": 3}, {"scale": 2}, {"k": 4}])
def test_edit_of_what_a_function_captured_shows(rules, changed):
    def made(*, factor=1, scale=1, k=1):
        files = {"consts": f"K = {k}\n", "help": CLOSURE.format(factor=factor, scale=scale)}
        return rules("from help import worth", "worth(1.0)", **files)

    before, again, after = made(), made(), made(**changed)
    assert before.fit_for_cache
    assert before.fingerprint == again.fingerprint
    assert before.fingerprint != after.fingerprint


UNKNOWN = {
    "an object of a class": "class A:\n    K = 1\nTHING = A()\n",
    "a class": "class THING:\n    K = 1\n",
    "a dictionary of objects": "THING = {'K': object()}\n",
    "a partial function": "from functools import partial\nTHING = partial(max, 1)\n",
    "an array of objects": "import numpy as np\nTHING = np.array([None, {}], dtype=object)\n",
    "a number with a class of its own": "class N(int):\n    pass\nTHING = N(1)\n",
    "a ufunc of a user's": "import numpy as np\nTHING = np.frompyfunc(abs, 1, 1)\n",
    "a vectorized function": "from numba import vectorize\n@vectorize\ndef THING(x):\n    return x + 1\n",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_of_an_unknown_kind_is_not_kept_on_disk(rules, name):
    source = UNKNOWN[name]
    assert not rules("from help import THING", "THING", help=source).fit_for_cache
    assert not rules("import pkg.help", "pkg.help.THING", **{"pkg.help": source}).fit_for_cache


def test_ordinary_tools_are_fit_for_the_cache(rules):
    worth = (
        "math.sqrt(max(1.0, np.sum(self.table))) + np.int8(1) + abs(floor(1.5)) + nb.int32(2) + add(1, 2) "
        "+ np.linalg.norm(self.table) + amax(self.table) + len(WORDS[0])"
    )
    imports = (
        "import math\nimport numba as nb\nfrom math import floor\nfrom operator import add\n"
        "from numpy import amax, int8\nfrom numba import prange\n"
        "WORDS = ('one', b'two', None, 1.5, int8(3))\n"
    )
    assert rules(imports, worth).fit_for_cache


def test_global_that_shares_its_name_with_a_field_alone_is_not_read(rules):
    assert rules("chosen = object()", "self.chosen * 1.0").fit_for_cache


def test_modules_that_refer_to_each_other_are_read_once(rules):
    files = {
        "pkg.one": "K = 1.0\nfrom pkg import two\n",
        "pkg.two": "from pkg import one\n",
        "pkg.__init__": "",
    }
    made = rules("import pkg.one", "pkg.one.two.one.K", **files)
    assert made.fit_for_cache


# --- in one process --------------------------------------------------------------------------------------


def is_noticed(edit) -> bool:
    """Check that the rules are rebuilt after `edit`, and only then."""
    game = sys.modules["tiny_rules"].Tiny
    before = compiled_type(game)
    assert compiled_type(game) is before
    edit()
    after = compiled_type(game)
    assert compiled_type(game) is after
    return after is not before


def test_constant_of_a_module_that_is_set_anew_is_noticed(rules):
    rules("import pkg.help", "pkg.help.K", **{"pkg.help": "K = 1.0\n"})
    assert is_noticed(lambda: setattr(sys.modules["pkg.help"], "K", 0.5))


def test_array_that_is_edited_in_place_is_noticed(rules):
    source = "import numpy as np\nA = np.array([1.0, 2.0])\nB = (np.array([1.0]), 1)\n"
    rules("from help import A\nimport help", "A[0] + help.B[0][0] + self.table[0]", help=source)
    helper = sys.modules["help"]
    for array in (helper.A, helper.B[0]):
        assert is_noticed(lambda array=array: array.__setitem__(0, 9.0))
    assert not is_noticed(lambda: helper.A.__setitem__(0, 9.0))


def test_array_edited_after_the_rules_were_made_is_compiled_as_it_was(rules):
    made = rules(
        "from help import A", "A[0] + self.table[0]", help="import numpy as np\nA = np.array([1.0])\n"
    )
    sys.modules["help"].A[0] = 5.0
    assert made.methods["returns"].py_func.__globals__["A"][0] == 1.0


def test_name_that_comes_to_hide_a_builtin_is_noticed(rules):
    rules("", "abs(-1.0)")
    assert is_noticed(lambda: setattr(sys.modules["tiny_rules"], "abs", lambda x: 7.0))


def test_code_that_is_replaced_within_a_function_is_noticed(rules):
    """As IPython's autoreload does it."""
    rules("from help import worth", "worth(1.0)", help="def worth(x):\n    return x\n")
    helper = sys.modules["help"].worth
    assert is_noticed(lambda: setattr(helper, "__code__", (lambda x: x + 1).__code__))


def test_code_that_is_replaced_is_written_out_anew(rules):
    source = "def worth(x):\n    return {} * any(y > x for y in (1.0, 2.0))\n"
    both = source.format(1.0) + source.replace("worth", "other").format(2.0)

    def code_compiled():
        rules = compiled_type(sys.modules["tiny_rules"].Tiny).rules
        return rules.methods["returns"].py_func.__globals__["worth"].py_func.__code__

    rules("from help import worth", "worth(1.0)", help=both)
    helpers = sys.modules["help"]
    before = code_compiled()
    helpers.worth.__code__ = helpers.other.__code__
    after = code_compiled()
    assert (1.0 in before.co_consts, 2.0 in after.co_consts) == (True, True)
    assert after != helpers.worth.__code__  # it was rewritten


def test_variable_that_a_function_captured_is_noticed(rules):
    source = (
        "def make():\n    k = 1.0\n    def worth():\n        return k\n"
        "    def put(x):\n        nonlocal k\n        k = x\n    return worth, put\nworth, put = make()\n"
    )
    rules("from help import worth", "worth()", help=source)
    assert is_noticed(lambda: sys.modules["help"].put(2.0))


def test_method_that_comes_to_hide_an_inherited_one_is_noticed(rules):
    rules("class Mixed:\n    def worth(self):\n        return 1.0\n", "self.worth()")
    module = sys.modules["tiny_rules"]
    helped = type("Helped", (module.Mixed, module.Tiny), {})
    module.Tiny = helped
    assert is_noticed(lambda: setattr(module.Mixed, "worth", lambda self: 2.0))
    assert is_noticed(lambda: setattr(helped, "worth", lambda self: 3.0))


def test_values_set_back_give_the_same_code_again(rules):
    rules("import help", "help.K", help="K = 1000.5\n")
    game, helper = sys.modules["tiny_rules"].Tiny, sys.modules["help"]
    before = compiled_type(game)
    helper.K = 2.5
    assert compiled_type(game) is not before
    helper.K = float("1000.5")
    assert compiled_type(game) is before
    assert before.rules.is_current()


def test_jitclass_whose_methods_read_something_else_now_is_refused(rules):
    source = JITCLASS.format(factor=1, kind="float64", times=1.0, twice=2)
    rules("from help import Purse", "Purse(1.0).worth()", help=source)
    sys.modules["help"].FACTOR = 2
    with pytest.raises(bw.GameError, match=r"jitclass Purse .* has changed"):
        compiled_type(sys.modules["tiny_rules"].Tiny)


def test_jitclass_compiled_before_it_was_seen_is_not_kept_on_disk(rules):
    source = JITCLASS.format(factor=1, kind="float64", times=1.0, twice=2) + "Purse(1.0).worth()\n"
    assert not rules("from help import Purse", "Purse(1.0).worth()", help=source).fit_for_cache


def test_selection_rule_follows_what_it_reads(rules):
    from branchwise.compile.sources.fingerprint import Fingerprint

    def text(factor):
        rules("import pkg.help", "1.0", **{"pkg.help": f"K = {factor}\n"})
        module = sys.modules["tiny_rules"]
        exec("def score(child, parent, options):\n    return child.value * pkg.help.K", vars(module))
        fingerprint = Fingerprint()
        fingerprint.add(module.score)
        return fingerprint.text()

    assert text(1.0) == text(1.0) != text(2.0)


def test_users_module_is_reported_by_its_file(tmp_path):
    from branchwise.compile.sources.code_origin import is_users

    spec = importlib.util.spec_from_file_location("statistics", tmp_path / "statistics.py")
    Path(spec.origin).write_text("def mean(x):\n    return x\n")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert is_users(module)
    assert is_users(module.mean)
    statistics = importlib.import_module("statistics")
    assert not any(map(is_users, (statistics, statistics.mean, np, np.linalg, np.int8, int, sys, importlib)))
    assert is_users(bw)


def test_packages_within_the_folder_of_the_library_are_the_toolchain(monkeypatch):
    """In a virtual environment `platstdlib` is the folder above `site-packages`, so NumPy lies within it."""
    from branchwise.compile.sources import code_origin

    above = Path(np.__path__[0]).resolve().parents[1]
    monkeypatch.setattr(code_origin, "_library_folders", lambda: (str(above),))
    code_origin._is_file_of_the_toolchain.cache_clear()
    try:
        assert not code_origin.is_users(np.linalg)
        assert code_origin._is_file_of_the_toolchain(str(above / "queue.py"))
        assert not code_origin._is_file_of_the_toolchain(str(above / "site-packages" / "queue.py"))
    finally:
        code_origin._is_file_of_the_toolchain.cache_clear()
