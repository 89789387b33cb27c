"""The command train: what it shows and writes, and what it refuses."""

import json

import pytest

from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.networks.network_file import save_network
from support.nets import curve_point, random_network, write_checkpoint

WORDS = ("train", "tic_tac_toe", "--rounds", "2", "--seed", "1", "--threads", "1", "--memory", "16")


def test_a_training_is_shown_and_its_network_can_play(run, tmp_path):
    file = tmp_path / "t.bwnet"
    shown = run(*WORDS, "--file", file, "--games", "4")
    assert shown.code == 0
    assert "positions" in shown.out
    assert "100%" in shown.out
    assert f"written to {file}" in shown.out
    assert "orth it" in shown.out.splitlines()[-1]  # Worth it, Not worth it, Not shown to be worth it
    bots = f'mcts(network="{file}",simulations=20)', "random"
    match = run("match", "tic_tac_toe", *bots, "--games", "2", "-j", "1", "--store", tmp_path / "m")
    assert match.code == 0
    again = run(*WORDS, "--file", file)
    assert again.code == 2
    assert "exists already" in again.err


def test_ctrl_c_says_how_to_go_on(run, tmp_path, monkeypatch):
    def give_up(*_, **__):
        raise KeyboardInterrupt

    file = tmp_path / "t.bwnet"
    for where, told in (
        ("branchwise.learning.train._Run._warm_up", ""),
        ("branchwise.learning.train._Run._save", ""),
        ("branchwise.learning.train.save_network", f'--rounds 2 --memory 16 --file "{file}" --resume'),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(where, give_up)
            shown = run(*WORDS, "--file", file)
        assert shown.code == 130
        assert ("To continue" in shown.err) == bool(told)
        assert told in shown.err
    monkeypatch.setattr("branchwise.learning.train.closing_match", give_up)
    shown = run(*WORDS, "--file", file, "--resume")
    assert f"The match was given up; the network is written to {file}" in shown.err
    assert [one.name for one in tmp_path.iterdir()] == ["t.bwnet"]


def test_json_has_the_curve_and_nothing_else(run, tmp_path):
    shown = run(*WORDS, "--file", tmp_path / "t.bwnet", "--games", "0", "--json")
    told = json.loads(shown.out)
    assert told["lead"] is None
    assert told["file"] == str(tmp_path / "t.bwnet")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--minutes", "0.05"), "minutes"),
        (("--resume",), "no training to resume"),
        (("--games", "-1"), "games"),
        (("--file", "/proc/nothing/t.bwnet"), "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_refused_at_once(run, tmp_path, monkeypatch, words, error):
    monkeypatch.chdir(tmp_path)
    shown = run("train", "tic_tac_toe", *words)
    assert shown.code == 2
    assert error in shown.err
    assert not list(tmp_path.glob("*.bwnet*"))


def test_a_full_disk_is_one_clear_error(run, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full)
    shown = run(*WORDS, "--file", tmp_path / "t.bwnet")
    assert shown.code == 2
    assert "No space left on device" in shown.err
    assert not list(tmp_path.iterdir())


def test_the_curve_of_a_training_is_drawn(run, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    curve = [curve_point(0.1, (50.0, -20.0, 120.0)), curve_point(1.0, (float("inf"), 300.0, float("inf")))]
    save_network(random_network(TicTacToe), tmp_path / "t.v2.bwnet", notes={"curve": curve})
    shown = run("figure", "t.v2.bwnet", "--output", "figures")
    assert shown.code == 0
    names = ["t-v2-dark.png", "t-v2-dark.svg", "t-v2.csv", "t-v2.png", "t-v2.svg"]
    assert sorted(file.name for file in (tmp_path / "figures").iterdir()) == names
    assert "120.0,1000,9000,inf,300.0,inf," in (tmp_path / "figures/t-v2.csv").read_text()
    write_checkpoint(tmp_path / "new.bwnet", "tic_tac_toe", curve[:1])
    assert "10% over" in _text_of(run("figure", "new.bwnet", "--json"), tmp_path / "new.svg")


def _text_of(shown, file):
    assert str(file.name) in json.loads(shown.out)["files"]
    return file.read_text()


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("none.bwnet",), "there is no network none.bwnet, and no training that will write it"),
        (("empty.bwnet",), "empty.bwnet has no curve yet"),
        (("damaged.bwnet",), "damaged.bwnet is no network, or a damaged one"),
        (("whole.bwnet", "--games", "4"), "takes no --games"),
    ],
)
def test_a_curve_that_cannot_be_drawn_is_one_clear_error(run, tmp_path, monkeypatch, words, error):
    monkeypatch.chdir(tmp_path)
    save_network(random_network(TicTacToe), tmp_path / "empty.bwnet")
    save_network(random_network(TicTacToe), tmp_path / "whole.bwnet", notes={"curve": [curve_point(1.0)]})
    (tmp_path / "damaged.bwnet").write_bytes(b"PK")
    shown = run("figure", *words)
    assert shown.code == 2
    assert error in " ".join(shown.err.split())
    assert not list(tmp_path.glob("*.svg"))
