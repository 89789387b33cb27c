"""Trees of continuous actions in files: read as they were written, and never believed."""

import json
import struct
import zlib
from hashlib import sha256

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import TreeFileError
from support.boxes import Duel, Gears, Gusts, Peak, TwoSteps


def tree_of(game, **settings):
    return bw.MCTS(seed=1, **settings).search(game(), simulations=300).tree


@pytest.mark.parametrize(
    ("game", "settings"),
    [(Peak, {}), (TwoSteps, {}), (Duel, {}), (Gears, {}), (Gusts, {}), (Gusts, {"open_loop": False})],
)
def test_a_tree_is_read_as_it_was_written(tmp_path, game, settings):
    tree = tree_of(game, **settings)
    tree.save(tmp_path / "a.tree")
    again = bw.load_tree(tmp_path / "a.tree", game=game)
    assert again.facts == tree.facts
    assert again.to_dict(top=None, depth=None) == renumbered(tree)
    assert again.to_text() == tree.to_text()
    best = tree.root.children[0]
    assert again.find([best.action]).action.tobytes() == best.action.tobytes()
    again.save(tmp_path / "b.tree")
    assert (tmp_path / "a.tree").read_bytes() == (tmp_path / "b.tree").read_bytes()


def renumbered(tree):
    """Return what a tree tells, with its nodes numbered as in a file: children beside one another."""
    from branchwise.core.tree.child_indices import compacted
    from branchwise.search.tree.view import SearchTree

    together = compacted(tree.reader.tree)
    twin = SearchTree(together, tree.state, tree.facts, tree.seed, tree.simulations, tree.seconds)
    return twin.to_dict(top=None, depth=None)


def test_a_table_has_the_same_vectors_and_json_holds_them(tmp_path):
    tree = tree_of(Peak)
    tree.save(tmp_path / "a.tree")
    again = bw.load_tree(tmp_path / "a.tree", game=Peak)
    for name in ("action_0", "action_1", "visits", "value"):
        mine, theirs = (np.sort(part.to_table()[name]) for part in (tree, again))
        np.testing.assert_array_equal(mine, theirs)
    assert np.isnan(again.to_table()["action_0"][0])
    told = json.loads(json.dumps(again.to_dict()))
    assert told["nodes"][0]["action"] is None
    assert told["nodes"][1]["action"] == tree.root.children[0].action.tolist()


def test_without_its_rules_moves_are_shown_by_their_numbers(tmp_path):
    tree = tree_of(Peak)
    tree.save(tmp_path / "a.tree")
    again = bw.load_tree(tmp_path / "a.tree")
    assert again.state is None
    assert [*map(float, again.drawing().nodes[1].text.split(","))] == pytest.approx(
        tree.root.children[0].action.tolist(), rel=1e-3
    )


_FRONT = struct.Struct("<8sII")


def rewritten(file, change, columns=None):
    """Write a file again after `change` of its head, and of the bytes of its columns by their names."""
    content = file.read_bytes()
    magic, version, size = _FRONT.unpack(content[: _FRONT.size])
    head = json.loads(content[_FRONT.size : _FRONT.size + size])
    body, parts, begin = zlib.decompress(content[_FRONT.size + size : -32]), {}, 0
    for column in head["columns"]:
        length = int(np.dtype(column["dtype"]).itemsize * np.prod(column["shape"]))
        parts[column["array"], column["field"]] = bytearray(body[begin : begin + length])
        begin += length
    change(head, parts)
    encoded = json.dumps(head).encode()
    front = _FRONT.pack(magic, version, len(encoded)) + encoded
    front += zlib.compress(b"".join(map(bytes, parts.values())))
    file.write_bytes(front + sha256(front).digest())


def widen(head, parts):
    next(c for c in head["columns"] if c["array"] == "vectors")["shape"][1] = 1
    parts["vectors", None] = parts["vectors", None][::2]


def flatten(head, parts):
    shape = next(c for c in head["columns"] if c["array"] == "vectors")["shape"]
    shape[:] = [shape[0] * shape[1]]


def put(number):
    def change(head, parts):
        vectors = parts["vectors", None]
        vectors[16:24] = struct.pack("<d", number)

    return change


def leave_out(head, parts):
    head["columns"] = [c for c in head["columns"] if c["array"] != "vectors"]
    del parts["vectors", None]


def with_facts(**facts):
    return lambda head, parts: head["facts"].update(facts)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (widen, "its actions are of another length than its game's"),
        (flatten, "its column vectors has no shape"),
        (leave_out, "its actions are of another length than its game's"),
        (put(1.5), "an action is outside its box"),
        (put(float("nan")), "an action is no vector of numbers"),
        (put(float("inf")), "an action is no vector of numbers"),
        (with_facts(low=[2.0, 0.0]), "its box of actions is impossible"),
        (with_facts(low=[0.0]), "its box of actions is impossible"),
        (with_facts(low="ab"), "its box of actions is impossible"),
        (with_facts(low=[0.0, "x"]), "its box is impossible"),
        (with_facts(whole=[True]), "which numbers of its actions are whole is impossible"),
        (with_facts(whole=[1, 0]), "which numbers of its actions are whole is impossible"),
        (with_facts(whole=[True, False]), "an action has a fraction in place of a whole number"),
    ],
)
def test_a_damaged_file_is_one_clear_error(tmp_path, change, told):
    file = tmp_path / "a.tree"
    tree_of(Peak).save(file)
    rewritten(file, change)
    with pytest.raises(TreeFileError, match=told):
        bw.load_tree(file, game=Peak)


def test_a_file_from_before_whole_numbers_is_read(tmp_path):
    file = tmp_path / "a.tree"
    tree_of(Peak).save(file)
    rewritten(file, lambda head, parts: head["facts"].pop("whole"))
    assert bw.load_tree(file, game=Peak).facts.whole == (False, False)


def test_a_file_that_is_written_again_unchanged_is_read(tmp_path):
    file = tmp_path / "a.tree"
    tree_of(Peak).save(file)
    rewritten(file, lambda head, parts: None)
    assert len(bw.load_tree(file, game=Peak)) == len(tree_of(Peak))
