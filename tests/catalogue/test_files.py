"""Games and bots in files: each with the helpers beside it, and errors that name the line."""

import importlib
import os
import pickle
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.play.participants import game_text, participants
from branchwise.bots.strength.levels_file import ladder_places
from branchwise.catalogue.files import file_module
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe

RULES = """
import numpy as np
import branchwise as bw
{imports}

class Take(bw.Game):
    num_players = 2
    num_actions = 3
    chips: np.int8 = 21
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for action in range(min(helper.MOST, self.chips)):
            yield action

    def apply_action(self, action):
        self.chips -= action + 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)
"""


@pytest.fixture
def write(tmp_path):
    """Write files by path below a new folder; returns the path of the last."""

    def write(**files):
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__', '/').replace('/init', '/__init__')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        return path

    return write


def bot(statement, choice):
    return f"""
import branchwise as bw
{statement}

class Mine(bw.Bot):
    def choose(self, state):
        return {choice}
"""


def chosen(path):
    return bw.load_bot(str(path)).choose(Nim())


@pytest.mark.parametrize(
    ("statement", "choice"),
    [
        ("import helper", "helper.A"),
        ("import helper as other", "other.A"),
        ("from helper import A", "A"),
        ("from helper import *", "A"),
        ("from . import helper", "helper.A"),
        ("from .helper import A", "A"),
        ("", "__import__('helper').A"),
        ("import importlib; helper = importlib.import_module('helper')", "helper.A"),
        ("import sys, os; sys.path.insert(0, os.path.dirname(__file__)); import helper", "helper.A"),
    ],
)
def test_two_bots_have_each_the_helper_beside_it(write, statement, choice, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    first = write(a__helper="A = 1", a__bot=bot(statement, choice))
    second = write(b__helper="A = 2", b__bot=bot(statement, choice))
    assert [chosen(first), chosen(second), chosen(first)] == [1, 2, 1]


def test_a_helper_that_is_imported_when_it_is_needed_is_the_one_beside(write):
    late = bot("", "late()") + "\ndef late():\n    import helper\n    return helper.A\n"
    bots = [write(**{f"{n}__helper": f"A = {n!r}", f"{n}__bot": late}) for n in "ab"]
    assert [chosen(path) for path in bots] == ["a", "b"]


def test_packages_beside_a_file_import_each_other_and_what_is_beside_them(write):
    paths = []
    for n in "ab":
        path = write(
            **{
                f"{n}__helper": f"A = {n!r}",
                f"{n}__tools__init": "from .deep.sub import B\nimport tools.deep.sub as again",
                f"{n}__tools__deep__init": "",
                f"{n}__tools__deep__sub": "import helper\nfrom ... import helper as up\nB = helper.A + up.A",
                f"{n}__bare__part": "from helper import A",
                f"{n}__bot": bot(
                    "import tools\nimport tools.deep.sub\nimport bare.part\nfrom bare import part",
                    "(tools.B, tools.deep.sub.B, tools.again.B, bare.part.A, part.A)",
                ),
            }
        )
        paths.append(path)
    assert [chosen(path) for path in paths] == [("aa", "aa", "aa", "a", "a"), ("bb", "bb", "bb", "b", "b")]


def test_a_helper_may_import_the_file_and_be_called_like_a_module_of_python(write):
    path = write(
        statistics="import bot\ndef mean():\n    return bot.MEAN",
        json__other="",  # a folder that is no package hides nothing
        branchwise="raise RuntimeError('not this one')",
        bot="MEAN = 5\nimport json\n" + bot("import statistics", "statistics.mean() + len(json.dumps([]))"),
    )
    assert chosen(path) == 7


def test_what_the_program_imports_from_there_itself_is_the_same_module(write, monkeypatch):
    path = write(shared_helper="A = 1", shared_bot=bot("import shared_helper", "shared_helper"))
    monkeypatch.syspath_prepend(str(path.parent))
    helper = importlib.import_module("shared_helper")
    assert chosen(path) is helper
    own = importlib.import_module("shared_bot")
    assert type(bw.load_bot(str(path))) is own.Mine
    for name in ("shared_helper", "shared_bot"):
        del sys.modules[name]


def test_no_plain_name_is_left_behind(write):
    before = set(sys.modules)
    chosen(write(left_helper="A = 1", left=bot("import left_helper", "left_helper.A")))
    assert not {"left", "left_helper"} & (set(sys.modules) - before)


def test_rules_are_fingerprinted_with_their_own_helper_and_alike_in_every_process(write):
    paths = [
        write(**{f"{n}__helper": f"MOST = {n}", f"{n}__take": RULES.format(imports="import helper")})
        for n in (2, 3)
    ]
    prints = [compiled_type(bw.load_game(str(path))).rules.fingerprint for path in paths]
    assert len(set(prints)) == 2
    code = (
        "import sys, branchwise as bw\nfrom branchwise.compile.states.prepared_rules import compiled_type\n"
        "print(*[compiled_type(bw.load_game(path)).rules.fingerprint for path in sys.argv[:0:-1]])"
    )
    command = [sys.executable, "-c", code, *map(str, paths)]
    assert subprocess.check_output(command, text=True).split() == prints[::-1]


def test_states_of_a_game_in_a_file_are_unpickled_anywhere(write):
    path = write(
        **{"some.dir__helper": "MOST = 2", "some.dir__take-2": RULES.format(imports="import helper")}
    )
    state = bw.load_game(str(path))(chips=1)
    assert pickle.loads(pickle.dumps(state)) == state
    code = "import pickle, sys\nprint(pickle.load(sys.stdin.buffer).legal_actions())"
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(state), capture_output=True)
    assert done.stdout.decode() == "[0]\n", done.stderr.decode()


def test_processes_search_by_the_helper_of_their_own_game(write):
    for most in (1, 2):
        path = write(
            **{f"{most}__helper": f"MOST = {most}", f"{most}__take": RULES.format(imports="import helper")}
        )
        state = bw.load_game(str(path))(chips=5)
        with bw.MCTS(threads=2, compiled=False, proofs=False, seed=1) as planner:
            assert len(planner.search(state, simulations=20).children) == most
    assert game_text(type(state)) == f"{path}:Take"


def test_an_edit_is_seen_after_a_reload_however_quick_it_was(write):
    path = write(helper="MOST = 2", take=RULES.format(imports="import helper"))
    game = bw.load_game(str(path))
    stamp = os.stat(path)
    path.write_text(path.read_text().replace("chips: np.int8 = 21", "chips: np.int8 = 17"))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert bw.load_game(str(path)) is game
    module = importlib.reload(sys.modules[game.__module__])
    assert bw.load_game(str(path)) is module.Take
    assert module.Take().chips == 17
    assert not (path.parent / "__pycache__").exists()


def test_a_file_that_failed_is_read_again_with_its_helpers(write):
    path = write(helper="MOST = 2", take=RULES.format(imports="import helper\nhelper.LEAST"))
    with pytest.raises(bw.GameError, match="LEAST"):
        bw.load_game(str(path))
    write(helper="MOST = 1\nLEAST = 0")
    assert bw.load_game(str(path))().legal_actions() == [0]


FAULTS = {
    "a name": ("x = 1\nnp.zeros(3)\n", "NameError: name 'np' is not defined (mine.py, line 2: np.zeros(3))"),
    "syntax": ("def f(:\n", "cannot be run: SyntaxError: invalid syntax (mine.py, line 1: def f(:)"),
    "a field": (
        "import branchwise as bw\n\nclass Mine(bw.Game):\n    cells: str = 'x'\n",
        "mine.py, line 4: cells: str = 'x')",
    ),
    "a variant": (
        "from branchwise.games import Nim\nNim.configured(heaps='x')\n",
        "takes a tuple, not 'x' (mine.py, line 2: Nim.configured(heaps='x'))",
    ),
    "a helper": (
        "import broken\n",
        "ZeroDivisionError: division by zero (broken.py, line 2: A = 1 / 0)",
    ),
    "an exit": (
        "import sys\nsys.exit()\n",
        "ends the program when it is loaded (mine.py, line 2: sys.exit())",
    ),
    "a missing module": (
        "import nowhere_at_all\n",
        "No module named 'nowhere_at_all' (mine.py, line 1: import",
    ),
    "a missing relative": ("from . import gone\n", "cannot import name 'gone'"),
    "its own error": ("import branchwise as bw\nbw.load_game('x')\n", 'UnknownNameError: no game "x"'),
}


@pytest.mark.parametrize(("text", "problem"), FAULTS.values(), ids=FAULTS)
def test_what_goes_wrong_while_a_file_is_loaded_is_reported_with_its_line_and_cause(write, text, problem):
    path = write(broken="\nA = 1 / 0", mine=text)
    for load in (bw.load_game, bw.load_bot):
        with pytest.raises(bw.GameError) as caught:
            load(str(path))
        assert problem in caught.value.problem
        assert caught.value.problem.count(", line ") <= 1
        assert (caught.value.mend is None) == problem.startswith("takes a tuple")
        assert "branchwise.catalogue.files" not in str(caught.value)


def test_a_module_that_fails_is_reported_with_its_line_too(write, monkeypatch):
    path = write(failing_module="import math\nmath.sqrt(-1)")
    monkeypatch.syspath_prepend(str(path.parent))
    with pytest.raises(bw.GameError, match=r"ValueError: .* \(failing_module.py, line 2: math.sqrt\(-1\)\)"):
        bw.load_game("failing_module:Game")


EMPTY = {
    "nothing": ("x = 1", "defines no game", "write class MyGame(bw.Game): ... in it"),
    "imports": (
        "from branchwise.games import Nim, ConnectFour\nimport branchwise as bw\nGame = bw.Game",
        "it only imports Nim, ConnectFour",
        "mine.py:Nim, or write class MyGame(bw.Game)",
    ),
    "no base": (
        "class Go:\n    def legal_actions(self): ...",
        "Go does not derive from branchwise.Game",
        "write class Go(bw.Game):",
    ),
    "several": (
        "import branchwise as bw\nclass One(bw.Game): ...\nclass Two(bw.Game): ...",
        "contains 2 games: One, Two",
        "mine.py:Two",
    ),
}


@pytest.mark.parametrize(("text", "problem", "mend"), EMPTY.values(), ids=EMPTY)
def test_a_file_without_one_game_of_its_own_says_what_to_write(write, text, problem, mend):
    path = write(mine=text)
    with pytest.raises(bw.UnknownNameError) as caught:
        bw.load_game(str(path))
    assert problem in caught.value.problem
    assert mend in caught.value.mend


def test_a_file_that_only_imports_bots_says_so():
    with pytest.raises(bw.UnknownNameError, match="defines no bot"):
        bw.load_bot(str(Path(__file__).parents[1] / "support" / "rules.py"))


def test_ctrl_c_while_a_file_is_loaded_leaves_nothing_of_it(write):
    path = write(mine="raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        file_module(path)
    time.sleep(0)
    path.write_text("A = 1")
    assert file_module(path).A == 1


# --- files that options name ------------------------------------------------------------------------------

HEAPS = """
from pathlib import Path
import numpy as np
import branchwise as bw
from branchwise.games.nim import Nim

class Heap(Nim):
    file = "heap.txt"

    @classmethod
    def configure(cls):
        cls.heaps = (int(Path(cls.file).read_text()),)
        super().configure()
"""


@pytest.fixture
def heaps(tmp_path, monkeypatch):
    """Write a game that reads a file beside it, and stand in another folder with a file of the same name."""
    for folder, chips in (("game", "5"), ("here", "7")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "heap.txt").write_text(chips)
    (tmp_path / "game" / "heap.py").write_text(HEAPS)
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "game" / "heap.py"


def test_a_file_named_in_a_class_is_beside_the_file_of_the_class(heaps):
    game = bw.load_game(f"{heaps}:Heap")
    assert game.heaps == (5,)
    assert game.file == str(heaps.with_name("heap.txt"))


def test_a_file_that_a_user_names_is_where_the_user_stands_and_stays_there(heaps, tmp_path, monkeypatch):
    game = bw.load_game(f"{heaps}:Heap(file='heap.txt')")
    assert game.heaps == (7,)
    stored = game_text("../game/heap.py:Heap(file='heap.txt')")
    monkeypatch.chdir(tmp_path)
    assert stored == game_text(game) == f"{heaps}:Heap(file={str(tmp_path / 'here' / 'heap.txt')!r})"
    assert bw.load_game(stored) is game
    assert pickle.loads(pickle.dumps(game())).heaps == (7,)


def test_a_file_that_a_bot_of_a_match_reads_is_kept_with_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "levels.json").write_text(ladder_places(TicTacToe)[-1].read_text())
    (bot,) = participants(["level(level=1,file='levels.json')"], TicTacToe)
    assert f"file={str(tmp_path / 'levels.json')!r}" in bot.spec
