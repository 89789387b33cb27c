"""Networks as files: exact but for the rows, refused for other games, and never trusted."""

import io
import json
import zipfile

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import SettingsError
from branchwise.games.connect_four import ConnectFour
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.networks.inputs import Inputs
from branchwise.networks.network import Network
from branchwise.networks.network_file import STEP, load_network, read_notes, save_network
from support.nets import random_network, random_states

NETWORK = random_network(TicTacToe)


@pytest.fixture
def file(tmp_path):
    return save_network(NETWORK, tmp_path / "net.bwnet", notes={"seed": 5, "curve": [[1, 0.5]]})


def members(file):
    with zipfile.ZipFile(file) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


def rewritten(file, **changed):
    """Write a file again with other members, by their names before the dot; None leaves one out."""
    kept = members(file)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, content in kept.items():
            content = changed.get(name.partition(".")[0], content)
            if content is not None:
                whole.writestr(name, content)


def test_a_network_is_read_as_it_was_written_but_for_rounded_rows(file):
    network = load_network(file, TicTacToe)
    assert network is load_network(file, TicTacToe)
    for name, part in network.parts.items():
        if name != "rows":
            assert (part == NETWORK.parts[name]).all()
    assert (np.abs(network.rows - NETWORK.rows) <= 0.501 * STEP).all()
    assert read_notes(file)["curve"] == [[1, 0.5]]
    again = save_network(network, file.with_name("again.bwnet"))
    assert (load_network(again, TicTacToe).weights == network.weights).all()


def test_rows_with_large_numbers_are_rounded_more(file):
    large = random_network(TicTacToe)
    large.rows[0, :3] = 1000.0, -1000.0, 0.5
    network = load_network(save_network(large, file), TicTacToe)
    assert network.rows[0, :3] == pytest.approx([1000.0, -1000.0, 0.5], abs=0.501 * 1000.0 / 32_000)
    assert (np.abs(network.rows - large.rows) <= 0.501 * 1000.0 / 32_000).all()


def test_rows_that_were_never_met_are_left_out(file):
    met = np.arange(len(NETWORK.rows)) % 4 == 0
    small = save_network(NETWORK, file.with_name("small.bwnet"), met=met)
    network = load_network(small, TicTacToe)
    initial = Network.initial(Inputs.of(TicTacToe), NETWORK.seed)
    assert (network.rows[~met] == initial.rows[~met]).all()
    assert (network.rows[met] != initial.rows[met]).any()
    assert small.stat().st_size < file.stat().st_size


def test_searches_and_bots_take_a_file(file):
    result = bw.MCTS(network=file, seed=1).search(TicTacToe(), simulations=100)
    same = bw.MCTS(network=str(file), seed=1).search(TicTacToe(), simulations=100)
    other = bw.MCTS(network=load_network(file, TicTacToe), seed=1).search(TicTacToe(), simulations=100)
    assert [c.visits for c in result.children] == [c.visits for c in same.children]
    assert [c.visits for c in result.children] == [c.visits for c in other.children]
    text = f"mcts(simulations=100,network='{file}')"
    bot = bw.load_bot(text, seed=3)
    assert str(bot) == f"mcts(simulations=100,selection='puct',network='{file}',seed=3)"
    assert bw.load_bot(str(bot)).choose(TicTacToe()) == bot.choose(TicTacToe())


def test_the_bot_net_plays_the_policy(file):
    network = load_network(file, TicTacToe)
    bot = bw.load_bot(f"net(file='{file}')")
    for state in random_states(TicTacToe, 3):
        _, policy = network.evaluate(state)
        assert bot.choose(state) == max(policy, key=policy.get)
    drawn = bw.load_bot(f"net(file='{file}',temperature=1)", seed=1)
    assert len({drawn.choose(TicTacToe()) for _ in range(60)}) > 2
    with pytest.raises(SettingsError, match="is for tic_tac_toe, not for connect_four"):
        bot.choose(ConnectFour())


def test_a_file_of_another_game_variant_or_version_is_refused(file):
    with pytest.raises(SettingsError, match=r"is for tic_tac_toe, not for connect_four\n.*branchwise train"):
        bw.MCTS(network=file).search(ConnectFour(), simulations=1)
    for name, what in (("rules", "the rules of this game have"), ("inputs", "what a network sees")):
        said = json.loads(members(file)["net.json"])
        rewritten(file, net=json.dumps({**said, name: "0" * 16}))
        with pytest.raises(SettingsError, match=what):
            load_network(file, TicTacToe)
        rewritten(file, net=json.dumps(said))
    rewritten(file, net=json.dumps({**said, "format": 99}))
    with pytest.raises(SettingsError, match="has the format 99"):
        load_network(file, TicTacToe)


def test_a_network_is_found_beside_the_rules(file, tmp_path, monkeypatch):
    monkeypatch.setenv("BRANCHWISE_NETS", str(tmp_path / "nets"))
    (tmp_path / "nets").mkdir()
    file.rename(tmp_path / "nets" / "mine.bwnet")
    assert load_network("mine.bwnet", TicTacToe).inputs.name == "tic_tac_toe"
    bots = "mcts(simulations=5,network='mine.bwnet')", "random"
    assert bw.Match(TicTacToe, bots, games=2).run().faults() == []
    with pytest.raises(SettingsError, match="there is no network"):
        load_network(tmp_path / "mine.bwnet", TicTacToe)


def packed(**arrays):
    with io.BytesIO() as out:
        np.savez(out, **arrays)
        return out.getvalue()


def _lying_head():
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f4", "fortran_order": False, "shape": (10**11,)})
    with io.BytesIO() as out:
        with zipfile.ZipFile(out, "w") as whole:
            whole.writestr("rows.npy", head.getvalue() + b"\0" * 64)
        return out.getvalue()


def _bomb():
    with io.BytesIO() as out:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as whole:
            whole.writestr("rows.npy", b"\0" * 2**28 + b"\0")
        return out.getvalue()


@pytest.mark.parametrize(
    "changed",
    [
        {"net": b"{"},
        {"net": b"[]"},
        {"net": b'{"format": 4}'},
        {"net": None},
        {"weights": None},
        {"weights": b"PK"},
        {"weights": packed(rows=np.array([{}], object))},
        {"weights": packed(rows=np.zeros((1, 32), np.int8))},
        {"weights": packed(met=[10**6], rows=np.zeros((2, 1, 32), np.int8), step=1.0)},
        {"weights": _lying_head()},
        {"weights": _bomb()},
    ],
)
def test_damaged_and_malicious_files_are_one_clear_error(file, changed):
    rewritten(file, **changed)
    with pytest.raises(SettingsError, match="is no network, or a damaged one"):
        load_network(file, TicTacToe)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, None),
        (
            {"step": np.ones((10**4, 1, 1), np.float32)},
            "rows have the shape",
        ),  # NumPy would make as many copies
        ({"rows": np.zeros((2, 1, 32), np.int8)}, "rows have the shape"),
        ({"rows": np.zeros((2, 2, 16), np.int8)}, "rows have the shape"),
        ({"rows": np.zeros((2, 2, 32))}, "rows have the shape"),
        ({"met": np.array([0, 10**6])}, "there are other rows"),
        ({"step": np.float32(np.nan)}, "some are no numbers"),
        ({"value": np.full(16, np.nan, np.float32)}, "some are no numbers"),
        ({"value": np.zeros(3, np.float32)}, "value has the shape"),
    ],
)
def test_arrays_that_do_not_fit_are_told(file, changed, told):
    """All arrays are there, and one of them is changed."""
    rows = {"met": np.arange(2), "rows": np.zeros((2, 2, 32), np.int8), "step": np.float32(1.0)}
    parts = {name: part for name, part in NETWORK.parts.items() if name != "rows"}
    rewritten(file, weights=packed(**{**parts, **rows, **changed}))
    if told is None:
        assert not load_network(file, TicTacToe).rows[:2].any()
    else:
        with pytest.raises(SettingsError, match=told):
            load_network(file, TicTacToe)


@pytest.mark.parametrize("part", ["rows", "value"])
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_not_written(file, part, number):
    broken, before = random_network(TicTacToe), file.read_bytes()
    broken.parts[part].flat[3] = number
    with pytest.raises(SettingsError, match=r"some weights of Network\(.* are no numbers"):
        save_network(broken, file)
    assert file.read_bytes() == before


def test_files_that_are_not_there_or_not_whole(file, tmp_path):
    with pytest.raises(SettingsError, match="there is no network"):
        load_network(tmp_path / "none.bwnet", TicTacToe)
    content = file.read_bytes()
    for length in (0, 10, len(content) // 2, len(content) - 1):
        file.write_bytes(content[:length])
        with pytest.raises(SettingsError, match="is no network, or a damaged one"):
            load_network(file, TicTacToe)
    with pytest.raises(SettingsError, match="cannot be written"):
        save_network(NETWORK, tmp_path / "nowhere" / "net.bwnet")
