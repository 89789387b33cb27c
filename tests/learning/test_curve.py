"""The curve of a training: in its network, and in its checkpoint while it goes on."""

import json
import os

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import SettingsError
from branchwise.games.connect_four import ConnectFour
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.learning.curve import curves_of, read_curve
from branchwise.learning.recipe import Recipe
from branchwise.learning.train import checkpoint_of
from branchwise.networks.network_file import save_network
from support.nets import curve_point, random_network, write_checkpoint

CURVE = [curve_point(0.1, (50.0, -20.0, 120.0)), curve_point(0.2)]


def learn(file, rounds, **options):
    return bw.train(
        "tic_tac_toe",
        rounds=rounds,
        seed=1,
        threads=1,
        memory_mb=16,
        file=file,
        games=0,
        recipe=Recipe(simulations=8),
        **options,
    )


def test_a_training_has_its_curve_while_it_goes_on_and_afterwards(tmp_path):
    file = tmp_path / "t.bwnet"

    def stop(state):
        if state.round == 3:
            raise KeyboardInterrupt

    with (
        pytest.MonkeyPatch.context() as patch,
        pytest.raises(KeyboardInterrupt),
    ):
        patch.setattr("branchwise.learning.train.SAVED_SECONDS", 0.0)
        learn(file, 4, progress=stop)
    so_far = read_curve(file)
    assert not so_far.is_complete
    assert so_far.game == "tic_tac_toe"
    assert [one.round for one in so_far.points] == [2]  # nothing is trained in the first round
    training = learn(file, 4, resume=True)
    curve = read_curve(file)
    assert curve.is_complete
    assert [one.round for one in curve.points] == [2, 3, 4]
    assert curve.points[-1] == training.curve[-1]
    assert curve.points[-1].share == 1.0
    assert any(one.playouts for one in curve.points)


def test_trainings_of_a_game_are_found_the_latest_first(tmp_path):
    network = random_network(TicTacToe)
    old = save_network(network, tmp_path / "old.bwnet", notes={"curve": CURVE})
    os.utime(old, (1000, 1000))
    save_network(network, tmp_path / "plain.bwnet")
    save_network(random_network(ConnectFour), tmp_path / "other.bwnet", notes={"curve": CURVE})
    write_checkpoint(tmp_path / "new.bwnet", "tic_tac_toe", CURVE)
    os.utime(checkpoint_of(tmp_path / "new.bwnet"), (9e9, 9e9))
    (tmp_path / "damaged.bwnet").write_bytes(b"PK")
    (tmp_path / "empty.bwnet.training").mkdir()
    found = curves_of("tic_tac_toe", tmp_path)
    assert [(one.file.name, len(one.points), one.is_complete) for one in found] == [
        ("new.bwnet", 2, False),
        ("plain.bwnet", 0, True),
        ("old.bwnet", 2, True),
    ]


def test_a_network_counts_more_than_what_is_left_of_its_training(tmp_path):
    file = save_network(random_network(TicTacToe), tmp_path / "t.bwnet", notes={"curve": CURVE})
    write_checkpoint(file, "tic_tac_toe", [])
    assert len(read_curve(file).points) == 2


@pytest.mark.parametrize(
    "curve", [3, [3], [{}], [{**CURVE[0], "share": "much"}], [{**CURVE[0], "playouts": [1, 2, 3]}]]
)
def test_a_curve_that_is_none_is_one_clear_error(tmp_path, curve):
    file = save_network(random_network(TicTacToe), tmp_path / "t.bwnet", notes={"curve": curve})
    with pytest.raises(SettingsError, match=r"the curve of .*t.bwnet cannot be read"):
        read_curve(file)


@pytest.mark.parametrize("told", ["{", "[]", "{}", json.dumps({"name": "nim", "curve": [{}]})])
def test_a_checkpoint_that_is_none_is_one_clear_error(tmp_path, told):
    write_checkpoint(tmp_path / "t.bwnet", "tic_tac_toe", [])
    np.savez(checkpoint_of(tmp_path / "t.bwnet"), told=np.array(told))
    with pytest.raises(SettingsError, match=r"the curve of .*t.bwnet cannot be read"):
        read_curve(tmp_path / "t.bwnet")


def test_files_that_are_not_there_or_not_whole(tmp_path):
    file = tmp_path / "t.bwnet"
    with pytest.raises(SettingsError, match=r"there is no network .*, and no training"):
        read_curve(file)
    write_checkpoint(file, "tic_tac_toe", CURVE)
    content = checkpoint_of(file).read_bytes()
    for length in (0, 10, len(content) // 2, len(content) - 1):
        checkpoint_of(file).write_bytes(content[:length])
        with pytest.raises(SettingsError, match="cannot be read"):
            read_curve(file)
