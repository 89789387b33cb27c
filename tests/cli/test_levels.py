"""`branchwise levels`, `calibrate` and `play --level`."""

import json

import pytest

import branchwise as bw
from branchwise.arena.tuning.calibrate import Calibration


@pytest.fixture(autouse=True)
def own(tmp_path, monkeypatch):
    """The folder of a user's own levels, empty."""
    monkeypatch.setenv("BRANCHWISE_LEVELS", str(tmp_path / "own"))
    return tmp_path / "own"


def test_levels_are_listed(run):
    ladder = bw.load_ladder("tic_tac_toe")
    shown = run("levels", "tic_tac_toe")
    assert shown.code == 0
    for level in ladder.levels:
        assert f"{level.bot} " in shown.out
        assert f"{level.elo:+.0f} [{level.low:+.0f}, {level.high:+.0f}]" in shown.out
    assert ladder.command in shown.out
    assert json.loads(run("levels", "tic_tac_toe", "--json").out) == json.loads(ladder.to_json())


def test_play_at_a_level_plays_its_bot(run):
    words = ("play", "tic_tac_toe", "--seed", "3")
    shown = run(*words, "--level", "3")
    assert "level(level=3,seed=3) plays tic_tac_toe" in shown.out
    played = json.loads(run(*words, "--level", "1", "--json").out)
    assert played["bot"] == "level(level=1,seed=3)"
    bot, state, actions = bw.level_bot("tic_tac_toe", 1, seed=3), bw.load_game("tic_tac_toe")(), []
    while not state.is_terminal():
        actions.append(bot.choose(state))
        state.apply_action(actions[-1])
    assert played["actions"] == actions


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["play", "nim", "--level", "0"], "level = 0 is outside its range"),
        (["play", "nim", "--level", "11"], "level = 11 is outside its range"),
        (["play", "nim(misere=true)", "--level", "3"], 'branchwise calibrate "nim(misere=True)"'),
        (
            ["play", "nim", "--level", "3", "--seconds", "1"],
            "--seconds and --level both set the bot's strength",
        ),
        (["play", "nim", "--level", "3", "--opponent", "random"], "--opponent and --level both set"),
        (["play", "nim", "--levels", "nim.json"], "--levels is given without a level"),
        (["play", "nim", "--level", "3", "--levels", "none.json"], "cannot read the levels in none.json"),
        (["play", "nim(heaps=(3,4))", "--opponent", "level(level=3)"], "have not been measured"),
        (["levels", "nim(heaps=(3,4))"], "those of nim have, but its rules differ"),
        (["levels", "nimm"], 'no game "nimm"; did you mean "nim"?'),
        (["match", "nim(heaps=(3,4))", "level(level=3)", "random"], "have not been measured"),
        (["calibrate", "nim", "--most", "5"], "most = 5 is outside its range"),
        (["calibrate", "nim", "--games", "7"], "leave the seats uneven"),
        (["calibrate", "nimm"], 'no game "nimm"; did you mean "nim"?'),
    ],
)
def test_what_makes_no_sense_is_reported(run, words, told):
    shown = run(*words)
    assert shown.code == 2
    assert told in shown.err
    assert "Traceback" not in shown.err


def test_levels_that_cannot_be_written_are_reported_before_any_game(run, tmp_path):
    (tmp_path / "file").write_text("")
    shown = run(
        "calibrate", "nim", "-o", tmp_path / "file" / "nim.json", "--store", tmp_path / "matches.sqlite"
    )
    assert shown.code == 2
    assert "cannot be written to" in shown.err
    assert not (tmp_path / "matches.sqlite").exists()


def test_calibrate_interrupted_tells_all_that_the_next_one_needs(run, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Calibration, "run", interrupted)
    shown = run("calibrate", "nim", "-o", tmp_path / "mine.json", "--store", tmp_path / "own.sqlite")
    assert shown.code == 130
    words = f'--output "{tmp_path / "mine.json"}" --store "{tmp_path / "own.sqlite"}"'
    assert (
        f"To continue: branchwise calibrate nim --most 10000 --games 60 --rounds 2 --seed 1 {words}"
        in shown.err
    )


def test_what_calibrate_has_measured_is_what_play_plays(run, tmp_path, own):
    words = ["calibrate", "nim", "--most", "32", "--games", "6", "--rounds", "1", "-j", "1", "--json"]
    shown = run(*words, "--store", tmp_path / "matches.sqlite")
    assert shown.code == 0, shown.err
    measured = json.loads(shown.out)
    assert measured.pop("file") == str(own / "nim.json")
    assert measured == json.loads((own / "nim.json").read_text())
    assert measured["command"] == "branchwise calibrate nim --most 32 --games 6 --rounds 1 --seed 1"
    assert json.loads(run("levels", "nim", "--json").out) == measured
    assert run("play", "nim", "--level", "10", "--json").code == 0
    elsewhere = tmp_path / "mine.json"
    (own / "nim.json").rename(elsewhere)
    assert json.loads(run("levels", "nim", "--json").out) != measured
    assert json.loads(run("levels", "nim", "--json", "--levels", elsewhere).out) == measured
    played = json.loads(run("play", "nim", "--level", "10", "--json", "--levels", elsewhere).out)
    assert played["bot"] == f"level(level=10,file={str(elsewhere)!r})"
