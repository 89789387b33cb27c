"""The command tune for a game: what it shows and writes, how it goes on, and what it refuses."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.tuning.for_game import _Run
from branchwise.cli.tuning.tune_game import gain_text, tuned_words
from branchwise.rules.measured_files.digest import rules_digest
from branchwise.search.settings.tuned import TunedSettings

SUPPORT = Path(__file__).parents[1] / "support"


@pytest.fixture
def words(tmp_path):
    return [
        *("tune", f"{SUPPORT / 'tunable.py'}:Taught", "--simulations", "12", "--games", "60"),
        *("--final", "20", "--candidates", "4", "--vary", "playout=game", "--seed", "3", "-j", "1"),
        *("--store", tmp_path / "m.sqlite", "--output", tmp_path / "taught.json"),
    ]


def test_the_settings_found_are_shown_and_written(run, words, tmp_path):
    shown = run(*words)
    assert shown.code == 0
    assert "playout: default, game" in shown.out
    assert "the defaults have 12 simulations a move" in shown.out
    assert "The winner, in new games:" in shown.out
    assert f"written to {tmp_path / 'taught.json'}" in shown.out
    tuned = TunedSettings.from_json((tmp_path / "taught.json").read_text())
    assert tuned.settings == {"playout": "game"}
    told = f"playout=game: {gain_text(tuned)} Elo against the defaults in 20 new games"
    assert told in " ".join(shown.out.split())
    assert '--vary "playout=game" --simulations 12 --candidates 4 --games 60' in tuned.command

    (tmp_path / "taught.json").unlink()
    again = run("tune", "--resume", "--store", tmp_path / "m.sqlite", "-o", tmp_path / "b.json", "--json")
    found = json.loads(again.out)
    assert found["tuned"] == json.loads((tmp_path / "b.json").read_text())
    assert {**found["tuned"], "seconds": 0} == {**json.loads(tuned.to_json()), "seconds": 0}
    assert found["file"] == str(tmp_path / "b.json")
    assert found["simulations_of_defaults"] == 12
    assert found["races"] == []  # there was nothing to choose between
    assert found["final"]["games"] == 20
    assert found["final"]["settings"] == {"playout": "game"}
    assert "taught" in run("results", "--store", tmp_path / "m.sqlite").out


def test_the_opponent_of_a_race_is_shown(run, tmp_path):
    shown = run(
        *("tune", f"{SUPPORT / 'tunable.py'}:Taught", "--simulations", "12", "--games", "120"),
        *("--final", "40", "--candidates", "8", "--seed", "3", "-j", "1"),
        *("--store", tmp_path / "m.sqlite", "--output", tmp_path / "taught.json"),
    )
    first, second = shown.out.split("race 2")
    assert "against" not in first
    assert second.split("The winner")[0].split().count("playout=game") >= 3
    again = run("tune", "--resume", "--store", tmp_path / "m.sqlite", "-o", tmp_path / "b.json", "--json")
    first, second = json.loads(again.out)["races"]
    assert all("against" not in one for one in first)
    assert [one["against"] for one in second] == [{"playout": "game"}] * 3


def test_an_interruption_says_how_to_go_on_and_writes_nothing(run, words, tmp_path, monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(_Run, "_winner", interrupted)
    shown = run(*words)
    assert shown.code == 130
    places = f'--store "{tmp_path / "m.sqlite"}" --output "{tmp_path / "taught.json"}"'
    assert f"To continue: branchwise tune --resume 1 {places}" in shown.out
    assert not (tmp_path / "taught.json").exists()


def found(**changes):
    plain = TunedSettings(
        "nim", "", {"c": 0.2}, True, "elo", 50.2, 10.0, 90.4, 100, 1, 1, command="", seconds=0.0, versions={}
    )
    return replace(plain, **changes)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "c=0.2: +50 [+10, +90] Elo against the defaults in 100 new games"),
        ({"gain": None, "high": None}, "c=0.2: above +10 Elo against the defaults in 100 new games"),
        (
            {"confirmed": False, "low": -10.0},
            "the defaults stay: the best settings found, c=0.2, were not clearly better, +50 [-10, +90] Elo",
        ),
        ({"confirmed": False, "gain": None, "low": None, "high": -20.0}, "clearly better, below -20 Elo"),
        (
            {"unit": "return", "gain": 1.234, "low": 0.2, "high": 2.3},
            "c=0.2: 1.2 [0.2, 2.3] in mean return against the defaults",
        ),
    ],
)
def test_a_result_is_told_in_one_sentence(changes, told):
    assert told in tuned_words(found(**changes))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--bot", "mcts(c={c})"], "--vary is missing"),
        (["--against", "random"], "--bot is missing"),
        (["--openings", "file.txt"], "--openings cannot be used here"),
        (["--vary", "colour=red"], 'no setting "colour"'),
        (["--vary", "c=0.2", "--vary", "exploration=2.0"], "varies both c and exploration"),
        (["--simulations", "5", "--seconds", "1"], "either in simulations or in seconds"),
        (["--games", "5"], "5 games are too few"),
        (["--output", "/proc/no/such.json"], "the settings cannot be written to /proc/no/such.json"),
        (["--resume"], '"nim" is not the number of a tune'),
    ],
)
def test_bad_input_is_one_clear_error(run, more, told, tmp_path):
    shown = run("tune", "nim", *more, "--store", tmp_path / "m.sqlite")
    assert shown.code == 2
    assert told in shown.err


def test_options_of_one_kind_of_tuning_are_refused_by_the_other(run, tmp_path):
    bot = ["tune", "nim", "--bot", "flat(simulations={n})", "--vary", "n=1,2", "--against", "random"]
    shown = run(*bot, "--candidates", "4")
    assert (shown.code, "--candidates cannot be used here" in shown.err) == (2, True)
    shown = run("tune", "--resume", "--candidates", "4")
    assert "--candidates cannot be changed when resuming a tune" in shown.err
    shown = run("tune", "--resume", "--store", tmp_path / "none.sqlite")
    assert "there is no file" in shown.err


def test_a_game_in_a_file_gets_its_settings_beside_it(run, tmp_path):
    file = tmp_path / "chips.py"
    source = Path(bw.__file__).parent / "games" / "nim.py"
    file.write_text(source.read_text().replace("class Nim(", "class Chips("))
    words = ["--vary", "c=0.2", "--simulations", "5", "--games", "2", "-j", "1"]
    shown = run("tune", file, *words, "--store", tmp_path / "m.sqlite")
    assert shown.code == 0, shown.err
    place = tmp_path / "tuned" / "chips.json"
    assert f"written to {place}" in shown.out.replace("\n", "")
    assert bw.load_tuned(bw.load_game(f"{file}")).found == {"c": 0.2}


def test_the_bot_of_a_tuned_game_is_played_with_the_limits_given(run, tmp_path, monkeypatch):
    monkeypatch.setenv("BRANCHWISE_TUNED", str(tmp_path))
    digest = rules_digest(bw.load_game("nim"))
    (tmp_path / "nim.json").write_text(found(rules=digest).to_json())
    shown = run("play", "nim", "--opponent", "tuned", "--simulations", "5", "--seed", "1")
    assert shown.code == 0
    assert "tuned(simulations=5,seed=1) plays nim against itself" in shown.out
    shown = run("play", "nim(misere=True)", "--opponent", "tuned", "--simulations", "5")
    assert (shown.code, "has not been tuned; nim has" in shown.err) == (2, True)


def test_a_search_uses_the_settings_and_the_options_given_instead(run, tmp_path, monkeypatch):
    monkeypatch.setenv("BRANCHWISE_TUNED", str(tmp_path))
    digest = rules_digest(bw.load_game("nim"))
    known = {"selection": "ucb1", "c": 0.2, "proofs": False, "reuse": False}
    (tmp_path / "nim.json").write_text(found(rules=digest, found=known).to_json())
    words = ("search", "nim", "--tuned", "--simulations", "200", "--seed", "1")

    def children(*more):
        return json.loads(run(*words, "--json", *more).out)["children"]

    def expected(**given):
        result = bw.MCTS.for_game("nim", seed=1, **given).search(bw.load_game("nim")(), simulations=200)
        return json.loads(json.dumps(result.to_dict()))["children"]

    assert children() == expected() != expected(c=1.5)
    assert children("--c", "1.5") == children("--settings", "c=1.5") == expected(c=1.5)
    assert children("--proofs") == expected(proofs=True) != expected()
    assert json.loads(run(*words, "--json", "--c", "1.5").out)["tuned"] == {
        "selection": "ucb1",
        "proofs": False,
    }
    assert run(*words).out.splitlines()[0] == "tuned for nim: selection=ucb1, c=0.2, proofs=False"
    replaced = run(*words, "--no-proofs", "--settings", "selection=ucb1,c=1.5")
    assert replaced.out.splitlines()[0] == "the options given replace the settings tuned for nim"
    assert "tuned" not in json.loads(run("search", "nim", "--simulations", "9", "--json").out)


def test_a_search_says_that_tuning_has_found_nothing_better(run, tmp_path, monkeypatch):
    monkeypatch.setenv("BRANCHWISE_TUNED", str(tmp_path))
    digest = rules_digest(bw.load_game("nim"))
    known = found(rules=digest, found={"c": 0.2}, confirmed=False, low=-3.0)
    (tmp_path / "nim.json").write_text(known.to_json())
    shown = run("search", "nim", "--tuned", "--simulations", "20", "--seed", "1")
    assert shown.out.splitlines()[0] == "tuning nim found nothing better than the default settings"


def test_a_search_of_a_game_without_settings_is_refused_as_by_for_game(run, tmp_path, monkeypatch):
    monkeypatch.setenv("BRANCHWISE_TUNED", str(tmp_path))
    with pytest.raises(bw.SettingsError) as error:
        bw.MCTS.for_game("nim(heaps=(5,))")
    shown = run("search", "nim(heaps=(5,))", "--tuned")
    assert shown.code == 2
    assert error.value.problem in shown.err
    assert error.value.mend in shown.err
