"""Policies as files, tables and pictures, the bot that plays them, and the command."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import branchwise as bw
from branchwise.cli.app import app
from branchwise.common import array_files
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.nim import Nim
from branchwise.games.rock_paper_scissors import RockPaperScissors
from branchwise.problems.frozen_lake import FrozenLake
from branchwise.rules.playthrough.joint_choice import JointChoice


@pytest.fixture(scope="module")
def lake():
    return bw.solve(FrozenLake).policy


def same(one, other):
    for row in range(len(one)):
        state = one.state(row)
        assert other.value(state) == one.value(state)
        if state.current_player() == 0:
            assert other[state] == one[state]
            assert other.action_values(state) == one.action_values(state)
    return True


def test_a_file_that_would_fill_the_memory_is_refused_before(tmp_path, monkeypatch):
    path = tmp_path / "large.npz"
    np.savez_compressed(path, about=np.zeros(2**20))
    assert path.stat().st_size < 2**14
    monkeypatch.setattr(array_files, "MOST_BYTES", 2**20)
    with pytest.raises(bw.SettingsError, match=r"more than 1,048,576"):
        bw.StatePolicy.load(path)
    with pytest.raises(bw.GameError, match=r"more than 1,048,576"):
        bw.from_matrices(str(path), discount=0.9)
    with pytest.raises(bw.SettingsError, match=r"more than 1,048,576"):
        bw.Policy.load(path, KuhnPoker)


@pytest.mark.parametrize("ending", ["npz", "json"])
def test_a_policy_that_was_saved_is_the_same_when_loaded(lake, tmp_path, ending):
    path = tmp_path / f"lake.{ending}"
    lake.save(path)
    assert same(lake, bw.StatePolicy.load(path))
    known = bw.solve(KuhnPoker).policy
    path = tmp_path / f"kuhn.{ending}"
    known.save(path)
    assert np.array_equal(bw.Policy.load(path, KuhnPoker).probabilities, known.probabilities)
    assert {file.name for file in tmp_path.iterdir()} == {f"lake.{ending}", f"kuhn.{ending}"}


def test_a_policy_of_tables_is_saved_with_them(tmp_path):
    chances = np.array([[[0.5, 0.5], [0.0, 1.0]]])
    state = bw.from_matrices(chances, [1.0, 2.0], discount=0.5)
    policy = bw.solve(state).policy
    policy.save(tmp_path / "p.npz")
    again = bw.StatePolicy.load(tmp_path / "p.npz", type(state))
    assert again.value(state) == policy.value(state)
    with pytest.raises(bw.GameError, match="has no such state"):
        again.value(bw.from_matrices(chances, [1.0, 3.0], discount=0.5))


def test_a_damaged_file_and_one_of_another_game_are_refused(lake, tmp_path):
    path = tmp_path / "lake.npz"
    lake.save(path)
    whole = path.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], b"not a file", whole[:-30]):
        path.write_bytes(damaged)
        with pytest.raises(bw.SettingsError, match="is no policy that was saved"):
            bw.StatePolicy.load(path)
    with pytest.raises(bw.SettingsError, match="cannot be read"):
        bw.StatePolicy.load(tmp_path / "nothing.npz")
    path = tmp_path / "lake.json"
    lake.save(path)
    content = json.loads(path.read_text())
    with pytest.raises(bw.SettingsError, match="is a policy of frozen_lake"):
        bw.StatePolicy.load(path, Nim)
    for name, value in (
        ("starts", [0, 1]),
        ("values", [[0.0]]),
        ("players", "x"),
        ("shares", [float("nan")] * len(content["shares"])),
        ("each place", [0, 1]),
        ("each wings", [0] * len(content["players"])),
    ):
        path.write_text(json.dumps({**content, name: value}))
        with pytest.raises(bw.SettingsError, match=r"is damaged|is no policy"):
            bw.StatePolicy.load(path)
    path.write_text(json.dumps({**content, "digest": "0"}))
    with pytest.raises(bw.SettingsError, match="rules of frozen_lake that have changed"):
        bw.StatePolicy.load(path)
    with pytest.raises(bw.SettingsError, match="is no policy"):
        bw.Policy.load(path, KuhnPoker)


def test_an_array_of_objects_is_never_unpickled(tmp_path):
    path = tmp_path / "bad.npz"
    np.savez(path, about=np.array([{"format": 1}], dtype=object))
    with pytest.raises(bw.SettingsError, match="is no policy that was saved"):
        bw.StatePolicy.load(path)


def test_a_file_that_cannot_be_written_leaves_what_was_there(lake, tmp_path, monkeypatch):
    path = tmp_path / "lake.npz"
    path.write_text("before")

    def full(*args, **named):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(bw.SettingsError, match="cannot be written: No space left"):
        lake.save(path)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["before"]
    with pytest.raises(bw.SettingsError, match="does not end in"):
        lake.save(tmp_path / "lake.pickle")
    with pytest.raises(bw.SettingsError, match="cannot be written"):
        lake.save(tmp_path / "no" / "lake.json")


def test_tables_have_a_row_for_each_state_in_which_somebody_chooses(lake, tmp_path):
    lake.save(tmp_path / "lake.csv")
    rows = list(csv.DictReader((tmp_path / "lake.csv").read_text().splitlines()))
    assert len(rows) == 11
    for row in rows:
        state = FrozenLake(place=int(row["place"]))
        assert int(row["action"]) == lake[state]
        assert row["name"] == state.action_to_string(lake[state])
        assert float(row["value"]) == lake.value(state)
    lake.save(tmp_path / "lake.svg")
    picture = (tmp_path / "lake.svg").read_text()
    assert len(re.findall("<title>", picture)) == 11
    assert "0.824" in picture
    with pytest.raises(bw.SettingsError, match="do not have two coordinates"):
        bw.solve(bw.load_game("tic_tac_toe").from_actions("b2 a1 c1")).policy.save(tmp_path / "t.svg")


def test_states_that_are_over_or_of_another_game_have_no_action(lake):
    with pytest.raises(bw.GameError, match="has no such state") as caught:
        lake[FrozenLake(place=15)]
    assert caught.value.mend == "it is over"
    with pytest.raises(bw.GameError, match="not for a Nim"):
        lake[Nim()]
    with pytest.raises(bw.GameError, match="chance is to move"):
        lake[FrozenLake(heading=1)]
    assert FrozenLake(place=1) in lake
    assert FrozenLake(place=15) not in lake


def test_the_bot_plays_the_policy_in_every_kind_of_game(tmp_path):
    assert bw.load_bot("optimal").choose(Nim(chips=6)) == 1
    known = bw.Playthrough(KuhnPoker(), "J K bet").information_state(1)
    assert bw.load_bot("optimal", seed=1).choose(known) == 1
    bot = bw.load_bot("optimal", seed=1)
    drawn = [bot.choose(JointChoice(RockPaperScissors(), 1)) for _ in range(300)]
    assert min(drawn.count(action) for action in range(3)) > 60
    bw.solve(Nim).policy.save(tmp_path / "nim.npz")
    bot = bw.load_bot(f"optimal(policy='{tmp_path / 'nim.npz'}')")
    assert bot.choose(Nim(chips=7)) == 2
    assert str(tmp_path) in repr(bot)
    with pytest.raises(bw.SettingsError, match="is a policy of nim"):
        bot.choose(FrozenLake())
    with pytest.raises(bw.BranchwiseError, match="too large"):
        bw.load_bot("optimal(seconds=0.02)").check_game(bw.load_game("connect_four"))


# --- the command ----------------------------------------------------------------------------------------


def solve(*arguments, code=0):
    done = CliRunner().invoke(app, ["solve", *arguments])
    assert done.exit_code == code, done.output
    return done.output


def test_the_command_shows_the_value_and_the_policy(tmp_path):
    shown = solve("frozen_lake", "--rows", "2", "--output", str(tmp_path / "lake.json"))
    assert "frozen_lake: solved exactly, value 0.823529" in shown
    assert len(re.findall(r"^ +\d+ +0 +\w+ +1 +0\.82", shown, re.MULTILINE)) == 2
    assert same(bw.solve(FrozenLake).policy, bw.StatePolicy.load(tmp_path / "lake.json"))
    told = json.loads(solve("nim", "--moves", "0", "--json"))
    assert (told["values"], told["states"], told["moves"]) == ([1.0, -1.0], 40, ["0"])
    assert "exploitability 0.0e+00" in solve("kuhn_poker", "--rows", "1")
    shown = solve("rock_paper_scissors")
    assert "paper" in shown
    assert " 0.000000" in shown
    assert "-0.000000" not in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("connect_four", "--seconds", "0.02"), "too large to be solved in 0.02 s"),
        (("hearts",), "is for 4 players"),
        (("frozen_lake", "--seconds", "0"), "seconds"),
        (("frozen_lake", "--rows", "-1"), "rows"),
        (("frozen_lake", "--output", "."), "is a folder"),
        (("frozen_lake", "--output", "lake.txt"), "does not end in"),
        (("frosen_lake",), "did you mean"),
        (("decision_process(file='nothing.csv')",), "cannot be read"),
    ],
)
def test_bad_input_is_one_clear_error(arguments, told):
    assert told in solve(*arguments, code=2)
