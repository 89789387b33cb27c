"""Compiled code on disk: never stale, never another game's, and never compiled twice.

All kernels are kept in one way. The quickest to compile stands for them, that of minimax, but where it
matters that a search has several.
"""

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from branchwise.compile.code.cache import _lock
from branchwise.compile.code.compile_thread import Job
from support.written_games import GAME, HELPER, run, write_game

SCRIPTED = """
import sys, logging
from numba.core import event
import branchwise as bw
class Count(event.Listener):
    starts = 0
    def on_start(self, e): Count.starts += 1
    def on_end(self, e): pass
event.register("numba:compile", Count())
for place in sys.argv[1:]:
    game = bw.load_game(place)
    {choice}
print("compiled", Count.starts)
"""
BY_SEARCH = SCRIPTED.format(
    choice="""result = bw.MCTS(seed=1).search(game(), simulations=50)
    print(result.best_action, result.value)"""
)
BY_MINIMAX = SCRIPTED.format(
    choice="""bot = bw.load_bot("minimax(depth=2)")
    print(bot.choose(game()), bot.value)"""
)


def search(cache: Path, *places: object) -> list[str]:
    return run(cache, BY_SEARCH, *places).stdout.splitlines()


def choose(cache: Path, *places: object) -> list[str]:
    return run(cache, BY_MINIMAX, *places).stdout.splitlines()


@pytest.fixture(scope="module")
def searches(tmp_path_factory):
    """A folder of compiled code, and what two processes said that searched the same game in turn."""
    folder = tmp_path_factory.mktemp("searches")
    game = write_game(folder, "tiny")
    return folder / "cache", [run(folder / "cache", BY_SEARCH, game) for _ in range(2)]


@pytest.fixture(scope="module")
def chosen(tmp_path_factory):
    """A folder of compiled code, with that of minimax for the game `tiny` alone."""
    folder = tmp_path_factory.mktemp("chosen")
    first, compiled = choose(folder / "cache", write_game(folder, "tiny"))
    assert first == "0 1.0"
    assert compiled != "compiled 0"
    return folder / "cache"


@pytest.fixture
def cache(chosen, tmp_path):
    """A copy of that folder."""
    return shutil.copytree(chosen, tmp_path / "cache")


def test_second_process_compiles_nothing(searches):
    _, (first, second) = searches
    assert first.stdout.startswith("0 1.0\ncompiled ")
    assert first.stdout != "0 1.0\ncompiled 0\n"
    assert "compiling tiny, once" in first.stderr
    assert second.stdout == "0 1.0\ncompiled 0\n"
    assert second.stderr == ""


def test_code_for_other_settings_of_numba_is_not_used(tmp_path):
    game = write_game(tmp_path, "tiny")
    for settings in ({"NUMBA_OPT": "1"}, {"NUMBA_BOUNDSCHECK": "1"}, {}):
        first = run(tmp_path / "cache", BY_MINIMAX, game, **settings)
        assert "compiling tiny, once" in first.stderr
    again = run(tmp_path / "cache", BY_MINIMAX, game)
    assert again.stdout.endswith("compiled 0\n")


def test_editing_a_helper_recompiles(cache, tmp_path):
    game = write_game(tmp_path, "tiny", best=1)
    assert choose(cache, game)[0] == "1 1.0"


def test_editing_a_constant_recompiles(cache, tmp_path):
    game = write_game(tmp_path, "tiny", stake=0.5)
    assert choose(cache, game)[0] == "0 0.5"


SET_ANEW = """
import inspect, sys
import branchwise as bw
game = bw.load_game(sys.argv[1])
consts = inspect.unwrap(game.returns).__globals__["worth"].__globals__["kept"].consts
def value():
    bot = bw.load_bot("minimax(depth=2)")
    bot.choose(game())
    return bot.value
values = [value()]
consts.K = 0.5
values.append(value())
consts.TABLE[0] = 0.5
print(*values, value())
"""


def test_edit_beyond_a_module_is_seen_in_this_process_and_the_next(tmp_path):
    game = write_game(tmp_path, "tiny")
    (tmp_path / "kept").mkdir()
    consts = tmp_path / "kept" / "consts.py"
    source = "import enum\nimport numpy as np\nK = 1.0\nTABLE = np.ones(1)\n"
    source += "class Best(enum.IntEnum):\n    MOVE = {}\n"
    consts.write_text(source.format(0))
    (tmp_path / "tiny_help.py").write_text(
        "import kept.consts\n\n\ndef worth(action):\n"
        "    worth = kept.consts.K * kept.consts.TABLE[0]\n"
        "    return worth if action == kept.consts.Best.MOVE else -worth\n"
    )
    assert run(tmp_path / "cache", SET_ANEW, game).stdout.split() == ["1.0", "0.5", "0.25"]
    assert choose(tmp_path / "cache", game) == ["0 1.0", "compiled 0"]
    consts.write_text(source.format(1))
    assert choose(tmp_path / "cache", game)[0] == "1 1.0"


def test_editing_a_comment_compiles_nothing(cache, tmp_path):
    game = write_game(tmp_path, "tiny")
    game.write_text("# a comment\n" + game.read_text())
    assert choose(cache, game)[1] == "compiled 0"


def test_two_versions_of_a_game_do_not_share_code(searches, tmp_path):
    """Both loaded from the cache into one process, in which compiled symbols could collide."""
    cache = shutil.copytree(searches[0], tmp_path / "cache")  # which has the kernels that know no game
    places = []
    for version, best, stake in (("one", 0, 1.0), ("two", 1, 0.5)):
        folder = tmp_path / version
        folder.mkdir()
        places.append(write_game(folder, "tiny", best=best, stake=stake))
        (folder / "tiny_help.py").rename(folder / f"tiny_help_{version}.py")
        text = places[-1].read_text().replace("tiny_help", f"tiny_help_{version}")
        places[-1].write_text(text)
    for place in places:
        search(cache, place)
    assert search(cache, *places) == ["0 1.0", "1 0.5", "compiled 0"]


def test_function_that_calls_itself_works_in_every_process(tmp_path):
    game = write_game(tmp_path, "tiny")
    (tmp_path / "tiny_help.py").write_text(
        "def down(n):\n    return 1.0 if n < 1 else down(n - 1)\n\n\n"
        "def worth(action):\n    return down(4) if action == 0 else -down(3)\n"
    )
    for _ in range(2):  # the code on disk lacks the function, so none may be kept
        assert choose(tmp_path / "cache", game)[0] == "0 1.0"


def test_damaged_file_is_compiled_anew(cache, tmp_path):
    game = write_game(tmp_path, "tiny")
    kept = list(cache.glob("*.bin"))
    assert kept
    for file in kept:
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 0xFF
        file.write_bytes(content[: len(content) - 7])
    first, compiled = choose(cache, game)
    assert first == "0 1.0"
    assert compiled != "compiled 0"
    assert choose(cache, game)[1] == "compiled 0"


def test_folder_that_cannot_be_written_is_reported_once_and_all_works(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    game = write_game(tmp_path, "tiny")
    done = run(blocked / "cache", BY_MINIMAX, game, game)
    assert done.stdout.startswith("0 1.0\n0 1.0\n")
    assert done.stderr.count("cannot be kept") == 1
    assert "BRANCHWISE_CACHE_DIR" in done.stderr


def test_cache_forgets_what_was_not_used_for_longest(tmp_path, monkeypatch):
    from branchwise.compile.code import cache

    monkeypatch.setattr(cache, "MAX_FILES", 10)
    for age, name in enumerate("abcdefghijk"):
        (tmp_path / f"{name}.bin").touch()
        os.utime(tmp_path / f"{name}.bin", (1000 - age, 1000 - age))
    (tmp_path / "notes.txt").touch()
    for kept in ("abcdefghi", "abcdefghi"):  # with room for the next files
        cache.prune(tmp_path)
        assert sorted(file.stem for file in tmp_path.glob("*.bin")) == list(kept)
    (tmp_path / "j.bin").touch()
    cache.prune(tmp_path)
    assert len(list(tmp_path.iterdir())) == 11


def test_unfinished_files_are_removed_when_their_process_must_have_ended(tmp_path):
    from branchwise.compile.code import cache

    for name, age in (("old", 7200), ("new", 60)):
        (tmp_path / f".writing-{name}").touch()
        since = time.time() - age
        os.utime(tmp_path / f".writing-{name}", (since, since))
    cache.prune(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [".writing-new"]


def test_nothing_forks_after_compiling(monkeypatch):
    import branchwise as bw

    def refuse():
        raise AssertionError("a process was forked")

    monkeypatch.setattr(os, "fork", refuse)
    nim = bw.load_game("nim")
    assert bw.MCTS(seed=1).search(nim(), simulations=10).simulations == 10


SCRIPT = """
{game}
if __name__ == "__main__":
    from numba.core import event
    with event.install_recorder("numba:compile") as recorder:
        action = bw.load_bot("minimax(depth=2)").choose(Tiny())
    print(action, "compiled", len(recorder.buffer) > 0)
"""


def test_game_in_a_script_is_compiled_once(tmp_path):
    (tmp_path / "tiny_help.py").write_text(HELPER.format(best=1))
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(game=GAME.format(helpers="tiny_help", stake=1.0)))
    environment = {**os.environ, "BRANCHWISE_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, str(script)]
    outputs = [
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert outputs == ["1 compiled True\n", "1 compiled False\n"]


PRINT_BEST = "print(bw.load_bot('minimax(depth=2)').choose(Tiny()))"


@pytest.mark.parametrize("best", [0, 1])
def test_game_without_source_works(tmp_path, best):
    """A class made by exec or typed at a prompt, without source text."""
    source = GAME.replace("from {helpers} import worth", HELPER.format(best=best)).format(stake=1.0)
    code = f"SOURCE = {source!r}\nexec(SOURCE)\n{PRINT_BEST}"
    assert run(tmp_path / "cache", code).stdout == f"{best}\n"


def test_game_typed_at_a_prompt_works(tmp_path):
    source = GAME.replace("from {helpers} import worth", HELPER.format(best=1)).format(stake=1.0)
    typed = source.replace("\n\n", "\n").replace("\nclass", "\n\nclass").replace("\nimport", "\n\nimport")
    typed += f"\n{PRINT_BEST}\n"
    environment = {**os.environ, "BRANCHWISE_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-i", "-q"],
        input=typed,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1\n" in done.stdout, done.stderr


NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
def cell(text):
    done = shell.run_cell(text)
    if not done.success:
        raise SystemExit("cell failed")
cell("import numpy as np, branchwise as bw")
cell(HELPER % 0)
cell(CLASS)
cell("first = bw.load_bot('minimax(depth=2)').choose(Tiny())")
cell(HELPER % 1)
cell("second = bw.load_bot('minimax(depth=2)').choose(Tiny())")
cell("print(first, second)")
cell("import inspect; from branchwise.compile.language.rewrite_generators import buffer_form")
cell("print(buffer_form(inspect.unwrap(Tiny.legal_actions)) is not None)")
"""


def test_game_in_a_notebook_cell_follows_an_edited_helper(tmp_path):
    pytest.importorskip("IPython")
    helper = HELPER.replace("{best}", "%d")
    game = GAME[GAME.index("class Tiny") :].format(stake=1.0)
    code = f"HELPER = {helper!r}\nCLASS = {game!r}\n" + NOTEBOOK
    assert run(tmp_path / "cache", code, IPYTHONDIR=str(tmp_path)).stdout.splitlines()[-2:] == ["0 1", "True"]


def test_a_kernel_that_another_process_compiles_is_waited_for(tmp_path):
    file, first, second = tmp_path / "kernel.bin", Job(int), Job(int)
    assert not _lock(file, first)
    waits = ThreadPoolExecutor(1).submit(_lock, file, second)
    time.sleep(0.2)
    assert not waits.done()
    first.holds.close()
    assert waits.result(5)
    second.holds.close()
    assert not [*tmp_path.iterdir()]
