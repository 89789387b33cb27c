"""Kernels that know no game are compiled once for all games, and never stale."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from numba import int64

from branchwise.compile.code import kernel_bundle
from branchwise.compile.code.kernel_bundle import BundleCache
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.simulation.simulate import back_up, evaluate, select
from branchwise.core.tree.children import take
from branchwise.games import load_game
from branchwise.rules.facts.facts import game_facts
from branchwise.search.composition.composition import Composition
from branchwise.search.settings.settings import Settings
from support.written_games import run, write_game

COMPILED = """
import sys
from numba.core import event
import branchwise as bw
from branchwise.core.machine import compiler
class Note(event.Listener):
    names = []
    def on_start(self, e): Note.names.append(e.data["dispatcher"].py_func.__qualname__)
    def on_end(self, e): pass
event.register("numba:compile", Note())
mark, inlined = compiler._inline_first, []
def noted(module):
    mark(module)
    inlined.extend(one.name for one in module.functions if any(b"alwaysinline" in a for a in one.attributes))
compiler._inline_first = noted
result = bw.MCTS(seed=1).search(bw.load_game(sys.argv[1])(), simulations=50)
print(result.best_action, result.value, len(inlined), *Note.names)
"""
FOUND = [["0", "1.0"], ["0", "0.5"]]
TREE_KERNELS = {"select", "best_child", "grow", "enter", "back_up", "advanced", "draw_below"}


@pytest.fixture(scope="module")
def place_of_games(tmp_path_factory):
    return tmp_path_factory.mktemp("games")


@pytest.fixture(scope="module")
def games(place_of_games):
    """Two games of the same form, whose returns differ."""
    return [write_game(place_of_games, "tiny"), write_game(place_of_games, "other", stake=0.5)]


@pytest.fixture(scope="module")
def first(place_of_games, games):
    """Return what the first search of all finds and compiles; it leaves a cache beside the games."""
    return searched(place_of_games, games[0])


@pytest.fixture
def folder(tmp_path, place_of_games, first):
    """A folder with the cache that the first search has left."""
    shutil.copytree(place_of_games / "cache", tmp_path / "cache")
    return tmp_path


def searched(folder, game):
    """Return the result of a search in a separate process, and the functions that it compiles."""
    found, _, compiled = compiled_search(folder, game)
    return found, compiled


def compiled_search(folder, game):
    """Search in a separate process.

    Returns: the result; how many functions are marked to be inlined first; which functions are compiled.
    """
    words = run(folder / "cache", COMPILED, game).stdout.split()
    return words[:2], int(words[2]), set(words[3:])


def test_second_game_compiles_no_kernel_of_the_tree_again(folder, games, first):
    found, compiled = first
    assert found == FOUND[0]
    assert compiled > TREE_KERNELS
    found, inlined_first, compiled = compiled_search(folder, games[1])
    assert found == FOUND[1]
    assert inlined_first > 30
    assert "run_simulations" in compiled
    assert not compiled & TREE_KERNELS


def test_a_generator_that_two_games_use_is_compiled_for_each(tmp_path):
    """The one behind `reversed` was kept in the bundle, and Numba cannot call a generator read from there."""
    for stake in (1.0, 0.5):
        game = write_game(tmp_path, "turned", stake=stake)
        game.write_text(game.read_text().replace("worth(self.chosen)", "sum(reversed([self.chosen, 0]))"))
        found, _ = searched(tmp_path, game)
        assert found == ["1", str(stake)]


def test_damaged_bundle_is_compiled_and_written_anew(folder, games):
    bundles = list((folder / "cache").glob("kernels-*.bin"))
    assert len(bundles) == 2
    for file in bundles:
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 0xFF
        file.write_bytes(content)
    found, compiled = searched(folder, games[1])
    assert found == FOUND[1]
    assert compiled > TREE_KERNELS
    for file in (folder / "cache").glob("run_simulations-*.bin"):
        file.unlink()
    found, compiled = searched(folder, games[0])
    assert found == FOUND[0]
    assert not compiled & TREE_KERNELS


def test_bundle_that_lacks_what_a_kernel_calls_is_of_no_use(folder, games):
    (common,) = (file for file in (folder / "cache").glob("kernels-*.bin") if "search" not in file.name)
    common.unlink()
    found, compiled = searched(folder, games[1])
    assert found == FOUND[1]
    assert {"grow", "advanced"} <= compiled
    assert "back_up" not in compiled


def test_what_another_process_compiles_meanwhile_is_found(tmp_path):
    mine, theirs = (kernel_bundle._Bundle(tmp_path / "kernels.bin") for _ in range(2))
    mine.add("grow", b"mine")
    assert mine.find("select") is theirs.find("grow") is None
    theirs.add("grow", b"theirs")
    theirs.add("select", b"theirs")
    theirs.flush()
    assert (mine.find("grow"), mine.find("select")) == (b"mine", b"theirs")


def place(kernel, *more, game="tic_tac_toe", proofs=True, **settings):
    state = load_game(game)()
    composition = Composition(state, game_facts(state), Settings(**settings), proofs=proofs, in_python=False)
    codegen = kernel.targetctx.codegen()
    return BundleCache(kernel)._place((composition.native, *more), codegen)


def test_searches_share_the_kernels_that_cannot_reach_where_they_differ():
    assert place(select) == place(select, game="connect_four")
    assert place(select) == place(select, playout="uniform")
    assert place(back_up, int64, int64) == place(back_up, int64, int64, playout="uniform")
    assert place(select) == place(select, halving=True)
    for selection in ("ucb1_tuned", "puct", "rave", "thompson"):
        assert place(take, int64) == place(take, int64, selection=selection)


def test_searches_do_not_share_kernels_that_reach_where_they_differ():
    kernels = [
        place(select),
        place(select, proofs=False),
        place(select, selection="puct"),
        place(select, transpositions=True),
        place(select, repeat=1),
    ]
    assert len(set(kernels)) == len(kernels)
    assert place(evaluate) != place(evaluate, playout="uniform")


def test_searches_do_not_share_kernels_whose_fields_lie_elsewhere():
    state = load_game("tic_tac_toe")()
    search = Composition(state, game_facts(state), Settings(), proofs=True).native.table
    before = kernel_bundle._reached(take, search)
    moved = np.dtype([("more", np.int64), *((name, search.dtype[name]) for name in search.dtype.names)])
    assert kernel_bundle._reached(take, replace(search, dtype=moved)) != before
    more = np.dtype([*((name, search.dtype[name]) for name in search.dtype.names), ("more", np.int64)])
    assert kernel_bundle._reached(take, replace(search, dtype=more)) == before


def test_an_edit_of_a_kernels_source_changes_its_place(monkeypatch):
    before = place(select)
    monkeypatch.setattr(kernel_bundle, "toolchain_fingerprint", lambda: "other sources")
    assert place(select).bundle != before.bundle


def test_own_rules_that_differ_share_no_kernel():
    def plain(child, parent, options):
        return child.value

    def other(child, parent, options):
        return child.value + 1

    assert place(select, selection=plain) != place(select, selection=other)
    assert place(select, selection=plain) != place(select)


def test_kernels_of_a_game_are_not_kept_in_bundles():
    assert place(evaluate, compiled_type(load_game("nim"))) is None


def test_a_full_bundle_keeps_the_kernels_in_use(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_bundle, "_MOST_KERNELS", 3)
    file = tmp_path / "kernels.bin"
    first = kernel_bundle._Bundle(file)
    for name in ("shared", "old", "older"):
        first.add(name, name.encode())
    first.flush()

    second = kernel_bundle._Bundle(file)
    assert second.find("shared") == b"shared"
    second.add("new", b"new")
    second.flush()

    third = kernel_bundle._Bundle(file)
    assert {name for name in ("shared", "old", "older", "new") if third.find(name)} == {
        "shared",
        "older",
        "new",
    }
