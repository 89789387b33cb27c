"""Trees in files: what is saved comes back, and nothing else is taken for a tree."""

import hashlib
import json
import os
import pickle
import struct
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import branchwise as bw
from branchwise.core.tree.node_fields import NODE, new_tree
from branchwise.games import GAMES
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.search.tree import tree_file
from branchwise.search.tree.tree_file import MAGIC, VERSION
from support.rules import Race
from support.trees import made_tree, random_trees

FRONT = 16
NODES = 5


def saved(tree, path):
    tree.save(path)
    return path.read_bytes()


def same(one, other):
    tables = one.to_table(), other.to_table()
    return list(tables[0]) == list(tables[1]) and all(
        np.array_equal(tables[0][name], tables[1][name], equal_nan=True) for name in tables[0]
    )


def sealed(front, content):
    """Return a file of these parts with the checksum that they need."""
    return front + content + hashlib.sha256(front + content).digest()


def rewritten(data, change_head=lambda head: None, change_columns=lambda columns: columns):
    """Return a file with another head or other columns, and with sums that fit."""
    size = struct.unpack_from("<I", data, 12)[0]
    head = json.loads(data[FRONT : FRONT + size])
    columns = zlib.decompress(data[FRONT + size : -32])
    changed = change_head(head)
    encoded = json.dumps(head if changed is None else changed).encode()
    front = struct.pack("<8sII", MAGIC, VERSION, len(encoded))
    return sealed(front, encoded + zlib.compress(change_columns(columns)))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The file of a tree of five nodes; their children: [[1, 2], [3, 4], [], [], []]."""
    tree = made_tree([[1, 2], [3, 4], [], [], []], visits=[9, 6, 2, 3, 2], means=[0, 0.5, -1, 0, 0.25])
    return saved(tree, tmp_path_factory.mktemp("trees") / "made.tree")


@pytest.fixture
def load(tmp_path):
    """Load what is given as the content of a file."""

    def load(content, **options):
        path = tmp_path / "given.tree"
        path.write_bytes(content)
        return bw.load_tree(path, **options)

    return load


# --- what is saved ----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [TicTacToe, Nim.configured(heaps=(3, 4)), Race], ids=lambda game: game.name)
def test_a_tree_comes_back_as_it_was(game, tmp_path):
    result = bw.MCTS(seed=3).search(game(), simulations=800)
    path = tmp_path / "one.tree"
    result.tree.save(path)
    known = None if game is Race else game
    tree = bw.load_tree(path, game=Race if game is Race else None)
    assert same(tree, result.tree)
    assert tree.facts == result.facts
    assert tree.state == result.state
    assert (tree.seed, tree.simulations, tree.seconds) == (3, result.simulations, result.tree.seconds)
    assert tree.to_svg() == result.tree.to_svg()
    assert tree.to_text(line=True) == result.tree.to_text(line=True)
    assert known is None or type(tree.state) is game


@given(tree=random_trees())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_tree_comes_back_as_it_was(tree, tmp_path):
    tree.save(tmp_path / "any.tree")
    assert same(tree, bw.load_tree(tmp_path / "any.tree"))


def test_only_nodes_in_use_are_saved(tmp_path):
    roomy = bw.MCTS(seed=1, memory_mb=64).search(Nim(), seconds=0.01).tree
    assert len(saved(roomy, tmp_path / "roomy.tree")) < 40 * len(roomy) + 2000


def test_arrays_that_some_searches_keep_are_saved_with_the_nodes(tmp_path):
    kept = made_tree([[1, 2], [], []], priors=[0, 0.75, 0.25])
    kept.save(tmp_path / "kept.tree")
    loaded = bw.load_tree(tmp_path / "kept.tree")
    assert same(loaded, kept)
    assert list(loaded.to_table()["prior"]) == [0, 0.75, 0.25]
    made_tree([[1, 2], [], []]).save(tmp_path / "plain.tree")
    assert "prior" not in bw.load_tree(tmp_path / "plain.tree").to_table()


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    tree = made_tree([[1], []])
    path = tmp_path / "kept.tree"
    before = saved(tree, path)

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tree_file, "_write", fail)
    with pytest.raises(OSError, match=r"No space left on device: '.*kept\.tree'"):
        tree.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["kept.tree"]
    with pytest.raises(FileNotFoundError):
        tree.save(tmp_path / "nowhere" / "kept.tree")


def test_a_tree_of_a_game_that_is_not_known_shows_numbers_until_its_game_is_given(tmp_path):
    result = bw.MCTS(seed=1).search(Race(), simulations=100)
    result.tree.save(tmp_path / "race.tree")
    assert bw.load_tree(tmp_path / "race.tree").state is None
    assert bw.load_tree(tmp_path / "race.tree", game=Race).state == Race()
    with pytest.raises(bw.GameError, match="a state of race, not of nim"):
        bw.load_tree(tmp_path / "race.tree", game=Nim)


def test_a_tree_of_other_rules_by_the_same_name_is_still_shown(tmp_path, monkeypatch, caplog):
    result = bw.MCTS(seed=1).search(Race(), simulations=100)
    result.tree.save(tmp_path / "race.tree")

    class Other(Race):
        name = "race"
        laps: np.int8 = 3

    monkeypatch.setitem(GAMES.registered, "race", Other)
    tree = bw.load_tree(tmp_path / "race.tree")
    assert tree.state is None
    assert "moves are shown by number" in caplog.text
    assert tree.to_text()


# --- what is refused --------------------------------------------------------------------------------


def test_a_file_cut_short_anywhere_is_refused(data, load):
    for length in range(len(data)):
        with pytest.raises(bw.TreeFileError, match=r"is damaged|is not a search tree"):
            load(data[:length])


def test_a_file_with_any_bit_turned_is_refused(data, load):
    for position in range(len(data)):
        with pytest.raises(bw.TreeFileError):
            load(data[:position] + bytes([data[position] ^ 1 << position % 8]) + data[position + 1 :])


def test_a_file_with_something_after_its_end_is_refused(data, load):
    with pytest.raises(bw.TreeFileError, match="checksum does not match"):
        load(data + b"\0")


FOREIGN = {
    "empty": b"",
    "text": b"connect_four: player 0 to move",
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(64),
    "pickle": pickle.dumps({"nodes": [1, 2, 3]}),
    "zeros": bytes(4096),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_foreign_file_is_refused(kind, load):
    with pytest.raises(bw.TreeFileError, match=r"given\.tree is not a search tree") as caught:
        load(FOREIGN[kind])
    assert caught.value.mend == "give a file that SearchTree.save wrote"


def test_a_file_of_a_later_version_says_so(data, load):
    later = struct.pack("<8sI", MAGIC, VERSION + 1) + data[12:]
    with pytest.raises(
        bw.TreeFileError, match=f"has version {VERSION + 1} of the format.* reads version {VERSION}"
    ):
        load(later)


def test_a_file_that_is_missing_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        bw.load_tree(tmp_path / "nothing.tree")
    with pytest.raises(IsADirectoryError):
        bw.load_tree(tmp_path)


def test_a_tree_larger_than_its_memory_is_refused(data, load):
    with pytest.raises(bw.TreeFileError, match=r"more than memory_mb = 0\.0001"):
        load(data, memory_mb=0.0001)
    assert len(load(data, memory_mb=None)) == NODES
    with pytest.raises(bw.SettingsError, match="memory_mb = 0"):
        load(data, memory_mb=0)


# --- files made by hand, with sums that fit ---------------------------------------------------------


def node_field(name):
    """Return where the column of a field begins among the columns, and its type."""
    start = new_tree(1).counters.nbytes  # which come first
    for field in NODE.names:
        if field == name:
            return start, NODE[field]
        start += NODES * NODE[field].itemsize
    raise KeyError(name)


def with_field(name, node, value):
    start, dtype = node_field(name)

    def change(columns):
        found = np.frombuffer(columns, dtype, NODES, start).copy()
        found[node] = value
        return columns[:start] + found.tobytes() + columns[start + found.nbytes :]

    return change


def test_hand_made_files_are_made_as_real_ones_are(data, load):
    assert same(load(rewritten(data)), load(data))
    changed = load(rewritten(data, change_columns=with_field("visits", 2, 77)))
    assert changed.to_table()["visits"].tolist() == [9, 6, 77, 3, 2]


BAD_NODES = {
    "children beyond the end": ("first", 0, 4),
    "children far beyond the end": ("first", 0, 2**31 - 1),
    "more children than nodes": ("count", 0, 65_535),
    "no children where there are some": ("count", 0, 0),
    "children of two nodes that overlap": ("first", 0, 2),
    "negative visits": ("visits", 3, -1),
    "a value that is no number": ("value", 1, np.nan),
    "an endless value": ("value", 1, np.inf),
    "an endless bound": ("lower", 1, -np.inf),
    "a bound that is no number": ("upper", 0, np.nan),
    "a player that is not there": ("player", 0, 2),
    "a player below all": ("player", 1, -5),
}


@pytest.mark.parametrize("fault", BAD_NODES)
def test_impossible_nodes_are_refused(fault, data, load):
    with pytest.raises(bw.TreeFileError, match=r"given\.tree is damaged: "):
        load(rewritten(data, change_columns=with_field(*BAD_NODES[fault])))


def test_a_circle_of_nodes_is_shown_to_an_end(data, load):
    def circle(columns):
        return with_field("count", 3, 2)(with_field("first", 3, 3)(with_field("first", 1, 3)(columns)))

    tree = load(rewritten(data, change_columns=circle))
    assert len(list(tree.walk())) == len(tree.to_table()["index"]) == NODES
    assert tree.to_text(depth=None)
    assert len(list(tree.root.line())) <= NODES


def set_to(*path_and_value):
    *path, last, value = path_and_value

    def change(head):
        for step in path:
            head = head[step]
        head[last] = value

    return change


BAD_HEADS = {
    "no object": lambda head: [1, 2],
    "nothing in it": lambda head: {},
    "no columns": set_to("columns", None),
    "columns of nothing": set_to("columns", [None]),
    "columns that are strange": set_to("columns", 0, {"array": [], "field": {}, "dtype": 1, "shape": 2}),
    "a column missing": lambda head: head["columns"].pop(),
    "a column twice": lambda head: head["columns"].append(head["columns"][-1]),
    "a column of objects": set_to("columns", 1, "dtype", "|O"),
    "a column of records": set_to("columns", 1, "dtype", "V9999999999"),
    "a column of another type": set_to("columns", 1, "dtype", "<i8"),
    "a column that is longer": set_to("columns", 1, "shape", [NODES + 1]),
    "a column of more axes": set_to("columns", 1, "shape", [NODES, 1]),
    "a column of negative length": set_to("columns", 1, "shape", [-NODES]),
    "a column of length true": set_to("columns", 1, "shape", [True]),
    "unknown column": set_to("columns", 1, "field", "__class__"),
    "more counters": set_to("columns", 0, "shape", [5]),
    "too few nodes": set_to("nodes", NODES - 1),
    "no nodes": set_to("nodes", 0),
    "nodes beyond all": set_to("nodes", 10**30),
    "half a node": set_to("nodes", 2.5),
    "no name of a game": set_to("facts", "name", 7),
    "an endless name": set_to("facts", "name", "(" * 100_000),
    "facts of nothing": set_to("facts", []),
    "no players": set_to("facts", "num_players", 0),
    "bounds the wrong way round": set_to("facts", "min_return", 2.0),
    "endless bounds": set_to("facts", "max_return", float("inf")),
    "bounds that are no numbers": set_to("facts", "max_return", float("nan")),
    "bounds in words": set_to("facts", "max_return", "one"),
    "a seed in words": set_to("seed", "seven"),
    "time that is true": set_to("seconds", True),
}


@pytest.mark.parametrize("fault", BAD_HEADS)
def test_impossible_heads_are_refused(fault, data, load):
    def change(head):
        changed = BAD_HEADS[fault](head)
        return changed if fault in ("no object", "nothing in it") else None

    with pytest.raises(bw.TreeFileError, match=r"given\.tree is damaged: "):
        load(rewritten(data, change_head=change))


@pytest.mark.parametrize(
    "head",
    [b"\xff\xfe\xfd", b"{", b"[" * 200_000, b'{"nodes": ' + b"9" * 10_000 + b"}", b'"' + b"a" * 10_000],
    ids=["no text", "unfinished", "nested", "long number", "unfinished string"],
)
def test_heads_that_are_no_json_are_refused(head, data, load):
    size = struct.unpack_from("<I", data, 12)[0]
    front = struct.pack("<8sII", MAGIC, VERSION, len(head))
    with pytest.raises(bw.TreeFileError, match="its head is not JSON"):
        load(sealed(front, head + data[FRONT + size : -32]))


def test_columns_of_another_length_are_refused(data, load):
    for change in (lambda c: c + b"\0", lambda c: c[:-1], lambda c: b"", lambda c: c + bytes(10_000_000)):
        with pytest.raises(bw.TreeFileError, match="than its nodes"):
            load(rewritten(data, change_columns=change))


def test_columns_that_are_no_stream_are_refused(data, load):
    size = struct.unpack_from("<I", data, 12)[0]
    for packed in (b"", b"garbage", zlib.compress(b"")[:-1], data[FRONT + size : -32] + b"\0"):
        with pytest.raises(bw.TreeFileError, match=r"given\.tree is damaged"):
            load(sealed(data[: FRONT + size], packed))


def test_a_claim_of_billions_of_nodes_takes_no_memory(data, load):
    def claim(head):
        head["nodes"] = 2**31 - 1
        for column in head["columns"][1:]:
            column["shape"] = [2**31 - 1]

    with pytest.raises(bw.TreeFileError, match="shorter than its nodes"):
        load(rewritten(data, change_head=claim))


def test_nothing_in_a_file_is_run(data, load, tmp_path, monkeypatch):
    """Not even rules that lie on this machine, if the file only names theirs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trap.py").write_text("raise SystemExit('run')")
    for name in (
        "trap.py",
        "./trap.py:Game",
        f"{tmp_path}/trap.py",
        "trap:Game",
        "trap.py(a=1)",
        "os:system",
    ):

        def change(head, name=name):
            head["facts"]["name"] = name
            head["state"] = json.dumps({"game": name, "fields": {}})

        assert load(rewritten(data, change_head=change)).state is None


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("nim", '{"game": "nim", "fields": {"chips": [99999]}}'),
        ("nim", "[" * 100_000),
        ("nim(heaps=" + "(" * 300, "{}"),
        ("nim(heaps=[3])", "{}"),
        ("connect_four(rows=1000000)", "{}"),
        ("nowhere", "{}"),
        ("", "{}"),
        ("nim", 7),
    ],
)
def test_a_state_that_cannot_be_had_leaves_the_tree(name, state, data, load, caplog):
    def change(head):
        head["facts"]["name"], head["state"] = name, state

    tree = load(rewritten(data, change_head=change))
    assert tree.state is None
    assert tree.to_text()


def use(tree):
    """Read a tree in every way there is."""
    for show in (tree.to_text, tree.to_svg, tree.to_dot, tree.to_dict, tree._repr_html_):
        show()
    tree.to_text(line=True)
    tree.to_table(moves=True)
    tree.to_table(top=2, min_visits=1)
    assert sum(1 for _ in tree.walk()) <= len(tree)


CHANGES = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=6)
FUZZ = settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def changed_at(content, changes):
    found = bytearray(content)
    for position, value in changes:
        found[position % len(found)] = value
    return bytes(found)


@given(CHANGES)
@FUZZ
def test_columns_changed_at_random_are_refused_or_can_be_read(data, load, changes):
    try:
        tree = load(rewritten(data, change_columns=lambda columns: changed_at(columns, changes)))
    except bw.TreeFileError:
        return
    use(tree)


@given(CHANGES)
@FUZZ
def test_heads_changed_at_random_are_refused_or_can_be_read(data, load, changes):
    size = struct.unpack_from("<I", data, 12)[0]
    head = changed_at(data[FRONT : FRONT + size], changes)
    try:
        tree = load(sealed(data[:FRONT], head + data[FRONT + size : -32]))
    except bw.TreeFileError:
        return
    use(tree)


@given(st.binary(max_size=200), st.booleans())
@FUZZ
def test_random_files_are_refused(data, load, content, with_magic):
    with pytest.raises(bw.TreeFileError):
        load(sealed(data[:12], content) if with_magic else content)
