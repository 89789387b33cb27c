"""Tuned settings: their file, what is refused, and the planners made from them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.games.nim import Nim
from branchwise.search.settings.tuned import TUNABLE, TunedSettings, tuned_places
from support.tuned import tuned_settings

OF_NIM = tuned_settings(
    Nim,
    "nim",
    found={"selection": "rave(bias=0.2)", "c": 0.15, "proofs": False, "reuse": False},
    gain=80.5,
    low=21.0,
    high=140.2,
    games=200,
    simulations=90,
    seconds=12.5,
    versions={"branchwise": "0.1.0"},
)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The folder of a user's own settings."""
    monkeypatch.setenv("BRANCHWISE_TUNED", str(tmp_path / "own"))
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


@pytest.fixture
def nim(own):
    (own / "nim.json").write_text(OF_NIM.to_json())
    return own / "nim.json"


def test_what_was_written_is_read():
    again = TunedSettings.from_json(OF_NIM.to_json())
    assert again == OF_NIM
    assert again.settings == OF_NIM.found
    unknown = replace(OF_NIM, gain=None, high=None)
    assert TunedSettings.from_json(unknown.to_json()) == unknown


# --- planners ---------------------------------------------------------------------------------------


def test_a_planner_for_a_game_has_its_settings_without_those_of_the_bot(nim):
    planner = bw.MCTS.for_game("nim", seed=3)
    assert planner.settings.changed == {
        "selection": "rave(bias=0.2)",
        "c": 0.15,
        "proofs": False,
        "seed": 3,
    }
    assert bw.MCTS.for_game(Nim, seed=3).settings == planner.settings
    plain = bw.MCTS(selection="rave(bias=0.2)", c=0.15, proofs=False, seed=3)
    state = Nim.from_actions("1 2")
    assert str(planner.search(state, simulations=200).children) == str(
        plain.search(state, simulations=200).children
    )


def test_a_state_stands_for_its_game_and_other_objects_have_no_settings(nim):
    assert (
        bw.MCTS.for_game(Nim.from_actions("1 2"), seed=3).settings == bw.MCTS.for_game("nim", seed=3).settings
    )
    with pytest.raises(bw.SettingsError, match="has tuned settings, and dict is not one"):
        bw.MCTS.for_game({})


def test_given_settings_take_precedence(nim):
    assert bw.MCTS.for_game("nim", c=0.4, proofs=True).settings.changed == {
        "selection": "rave(bias=0.2)",
        "c": 0.4,
    }


def test_a_weight_found_for_one_rule_is_not_used_with_another(nim):
    assert bw.MCTS.for_game("nim", selection="puct").settings.changed == {
        "selection": "puct",
        "proofs": False,
    }
    assert bw.MCTS.for_game("nim", selection="puct", c=2.0).settings.c == 2.0
    assert bw.MCTS.for_game("nim", selection="rave(bias=0.2)").settings.c == 0.15


def test_settings_that_were_not_confirmed_are_not_used(own):
    unsure = replace(OF_NIM, confirmed=False, low=-3.0)
    (own / "nim.json").write_text(unsure.to_json())
    assert bw.MCTS.for_game("nim").settings == bw.MCTS().settings
    assert bw.load_tuned("nim").found == OF_NIM.found


def test_an_unknown_override_is_refused_as_a_planner_refuses_it(nim):
    with pytest.raises(TypeError, match="explore"):
        bw.MCTS.for_game("nim", explore=1.0)
    with pytest.raises(bw.SettingsError, match="c = -1 is outside its range"):
        bw.MCTS.for_game("nim", c=-1)


# --- where the file is ------------------------------------------------------------------------------


def test_a_game_in_a_file_has_its_settings_beside_it(tmp_path):
    file = tmp_path / "taking.py"
    file.write_text(Path(nim_file()).read_text().replace("class Nim(", "class Taking("))
    game = bw.load_game(f"{file}:Taking")
    with pytest.raises(bw.SettingsError, match="taking has not been tuned") as told:
        bw.MCTS.for_game(game)
    assert told.value.mend == (
        f'branchwise tune "{file}:Taking"; or use the defaults: bw.MCTS(), the bot mcts'
    )
    place = tmp_path / "tuned" / "taking.json"
    assert tuned_places(game) == [place]
    place.parent.mkdir()
    place.write_text(replace(OF_NIM, game="taking").to_json())
    assert bw.MCTS.for_game(game).settings.c == 0.15


def nim_file():
    return tuned_places(Nim)[1].parents[1] / "nim.py"


def test_a_variant_does_not_have_the_settings_of_its_game(nim):
    with pytest.raises(bw.SettingsError, match=r"nim.misere=True. has not been tuned; nim has, but its"):
        bw.MCTS.for_game("nim(misere=True)")
    with pytest.raises(bw.SettingsError, match=r"has the settings of nim, not of nim.misere=True."):
        bw.MCTS.for_game("nim(misere=True)", file=nim)


@pytest.mark.parametrize("game", ["kuhn_poker", "goofspiel", "tiger"])
def test_where_settings_cannot_be_compared_tuning_is_not_offered(own, game):
    with pytest.raises(bw.SettingsError, match=f"{game} has not been tuned: settings are compared") as told:
        bw.MCTS.for_game(game)
    assert told.value.mend == "use the defaults"


def test_a_file_can_be_named(nim, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(replace(OF_NIM, found={"c": 0.9}).to_json())
    assert bw.MCTS.for_game("nim", file=other).settings.changed == {"c": 0.9}
    with pytest.raises(bw.SettingsError, match="cannot read the tuned settings in"):
        bw.MCTS.for_game("nim", file=tmp_path / "none.json")


def test_settings_of_rules_that_have_changed_are_refused(own):
    (own / "nim.json").write_text(replace(OF_NIM, rules="0" * 16).to_json())
    with pytest.raises(bw.SettingsError, match="rules of nim have changed since it was tuned") as told:
        bw.MCTS.for_game("nim")
    assert told.value.mend == 'branchwise tune "nim"'


# --- damaged files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: c.update(format=2), "has format 2, but this version reads 1"),
        (lambda c: c.pop("format"), "has no tuned settings: KeyError"),
        (lambda c: c.pop("low"), "has no tuned settings: KeyError: 'low'"),
        (lambda c: c.update(gain="much"), "TypeError: gain is not of type float"),
        (lambda c: c.update(confirmed=1), "TypeError: confirmed is not of type bool"),
        (lambda c: c.update(low=-1.0), "confirmed does not agree with low"),
        (lambda c: c.update(low=None), "confirmed does not agree with low"),
        (lambda c: c.update(unit="points"), "unit is 'points'"),
        (lambda c: c["found"].update(selecton="puct"), 'no setting "selecton"; did you mean "selection"'),
        (lambda c: c["found"].update(selection="best"), 'no selection rule "best"'),
        (lambda c: c["found"].update(c=-0.5), "c = -0.5 is outside its range"),
        (lambda c: c["found"].update(c=[0.5]), r"TypeError: c is \[0.5\]"),
        (lambda c: c["found"].update(reuse=2), "reuse is 2, not true or false"),
        (lambda c: c["found"].update(threads=64), "threads is not a setting to tune"),
        (lambda c: c["found"].update(widening_power=0.3), "widening_power is given without widening"),
        (lambda c: c.update(found=["c"]), "TypeError: found is not of type dict"),
        (lambda c: c.update(versions={"numba": 1}), "versions are texts"),
    ],
)
def test_a_damaged_file_is_one_clear_error_that_names_it(own, change, told):
    content = json.loads(OF_NIM.to_json())
    change(content)
    (own / "nim.json").write_text(json.dumps(content))
    with pytest.raises(bw.SettingsError, match=told) as caught:
        bw.MCTS.for_game("nim")
    assert str(caught.value).startswith(str(own / "nim.json"))
    assert caught.value.mend == "tune the game again: branchwise tune"


@pytest.mark.parametrize("text", ["", "settings", "[]", "null", '{"format": 1}', OF_NIM.to_json()[:-20]])
def test_other_texts_are_refused(own, text):
    (own / "nim.json").write_text(text)
    with pytest.raises(bw.SettingsError, match="has no tuned settings"):
        bw.load_tuned("nim")


def test_all_settings_may_be_tuned_but_those_of_the_machine_and_the_report():
    assert {"selection", "c", "playout", "proofs", "implicit_minimax", "widening", "reuse"} <= set(TUNABLE)
    assert not {"seed", "threads", "memory_mb", "evaluator", "compiled", "perfect_information"} & set(TUNABLE)
