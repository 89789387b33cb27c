"""The space of settings: what is declared, what is refused, and the candidates drawn from it."""

import random
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.tuning.space import EXPLORATION, Space
from branchwise.games.breakthrough import Breakthrough
from branchwise.games.connect_four import ConnectFour
from branchwise.games.mnk import MNK
from branchwise.games.nim import Nim
from branchwise.networks.network_file import save_network
from branchwise.problems.pendulum import Pendulum
from support.nets import random_network
from support.tunable import Misled, Taught

ALL = [ConnectFour, Breakthrough, MNK, Pendulum]


def drawn(space, count=40, seed=1):
    return space.candidates(count, random.Random(seed))


# --- usual spaces -----------------------------------------------------------------------------------


def test_the_usual_space_has_what_the_kind_of_game_has():
    assert set(Space.of(MNK).values) == {"selection", EXPLORATION, "playout", "proofs", "reuse"}
    extra = {"implicit_minimax", "cutoff", "widening"}
    assert set(Space.of(Breakthrough).values) == {*Space.of(MNK).values, *extra}
    assert set(Space.of(Pendulum).values) == {
        *("selection", EXPLORATION, "proofs", "reuse", "widening", "refinement")
    }
    assert "game" not in " ".join(Space.of(MNK).values["playout"])
    assert "uniform" in Space.of(ConnectFour).values["playout"]
    assert "game" not in Space.of(ConnectFour).values["playout"]  # its default


@pytest.mark.parametrize("game", ALL, ids=lambda game: game.__name__)
def test_every_candidate_can_be_searched_with(game):
    space = Space.of(game)
    candidates = drawn(space)
    assert len(candidates) == len(set(candidates)) == 40
    for one in candidates:
        assert one
        bot = bw.load_bot(space.text(one, 50), seed=1)
        assert bot.options()["simulations"] == 50


def test_candidates_are_the_same_for_the_same_seed():
    space = Space.of(ConnectFour)
    assert drawn(space, seed=5) == drawn(space, seed=5) != drawn(space, seed=6)


def test_candidates_change_one_setting_and_then_more_with_the_stated_probability():
    space = Space.of(Breakthrough)
    lengths = [len(space.candidates(1, random.Random(seed))[0]) for seed in range(1000)]
    assert set(lengths) >= {1, 2, 3, 4}
    assert 480 < lengths.count(1) < 620  # half, and those that change the same setting again
    assert lengths.count(2) > lengths.count(3) > lengths.count(4)


def test_values_of_all_settings_are_equally_likely():
    space = Space.of(MNK)
    drawn = [space.candidates(1, random.Random(seed))[0] for seed in range(2000)]
    alone = [one[0] for one in drawn if len(one) == 1]
    counts = {value: alone.count(value) for value in set(alone)}
    assert len(counts) == sum(len(values) for values in space.values.values())
    assert max(counts.values()) < 2 * min(counts.values())


def test_exploration_means_multiples_of_the_rules_own_weight():
    space = Space.of(ConnectFour)
    assert space.settings(((EXPLORATION, 0.5),)) == {"c": 0.35}
    assert space.settings((("selection", "rave"), (EXPLORATION, 0.5))) == {"selection": "rave", "c": 0.15}
    assert space.settings((("selection", "rave"),)) == {"selection": "rave"}


# --- declared spaces --------------------------------------------------------------------------------


def test_a_game_declares_its_own_space():
    space = Space.of(Taught)
    assert space.values == {"playout": ("game", "decisive"), "c": (0.5, 0.9)}
    assert space.size == 9
    assert len(drawn(space, 16)) == 8
    assert "tuning" not in Taught.constants()
    assert Space.from_json(Taught, space.to_json()) == space


def test_values_are_words_numbers_truth_values_and_nothing():
    given = {"proofs": [True, False], "cutoff": [None, 4], "selection": "puct(c_base=500)"}
    space = Space.declared(Breakthrough, given)
    assert space.values == {"proofs": (False,), "cutoff": (4,), "selection": ("puct(c_base=500)",)}
    by_text = Space.declared(
        Breakthrough, ["proofs=true,false", "cutoff=none,4", "selection=puct(c_base=500)"]
    )
    assert by_text == space


def test_a_network_is_a_setting(tmp_path):
    file = save_network(random_network(ConnectFour), tmp_path / "c4.bwnet")
    space = Space.declared(ConnectFour, [f"network={file}"])
    (candidate,) = space.candidates(4, random.Random(1))
    assert space.text(candidate, 50) == f"mcts(simulations=50,network='{file}')"
    for game, wrong, told in (
        (MNK, file, "is for connect_four, not for mnk"),
        (ConnectFour, tmp_path / "none.bwnet", "there is no network"),
    ):
        with pytest.raises(bw.SettingsError, match=told):
            Space.declared(game, [f"network={wrong}"])


def test_a_value_that_needs_another_setting_is_possible_with_it():
    space = Space.declared(Breakthrough, {"widening": [2.0], "widening_power": [0.3]})
    assert drawn(space, 10) == [(("widening", 2.0),), (("widening", 2.0), ("widening_power", 0.3))]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"explor": [1.0]}, 'no setting "explor"; did you mean "exploration"'),
        ({"threads": [2]}, "threads is not a setting to tune"),
        ({"c": [0.5], EXPLORATION: [2.0]}, "varies both c and exploration"),
        ({"c": [-1.0, 0.2]}, "has c = -1.0, which is not possible: c = -1.0 is outside its range"),
        ({"selection": ["best"]}, 'selection = best, which is not possible: no selection rule "best"'),
        ({"playout": ["game"]}, 'playout = game, which is not possible: playout="game" needs a rule'),
        ({"cutoff": [4]}, "cutoff needs a rule that nim does not have: evaluate"),
        ({"reuse": ["sometimes"]}, "reuse is true or false"),
        ({"proofs": [True]}, "has nothing to choose from"),
        ({}, "has nothing to choose from"),
        ({"widening_power": [0.3]}, "widening_power is given without widening"),
        (["c"], 'cannot read "c"'),
        ({"c": []}, "c has no values"),
    ],
)
def test_a_space_that_makes_no_sense_is_refused(given, told):
    with pytest.raises(bw.BranchwiseError) as caught:
        Space.declared(Nim, given)
    assert told in str(caught.value)


def test_the_class_is_named_if_its_space_is_wrong():
    with pytest.raises(bw.UnknownNameError, match='no setting "explorration"'):
        Space.of(Misled)
    file = Path(__file__).parents[2] / "support/tunable.py"
    with pytest.raises(bw.UnknownNameError):
        bw.Tuning(f"{file}:Misled")


def test_an_option_called_tuning_is_no_space():
    class Tuned(Nim):
        tuning = 3

    assert Space.of(Tuned) == Space(Tuned, Space.of(Nim).values)
    assert Tuned.constants()["tuning"] == 3


# --- variants ---------------------------------------------------------------------------------------


def test_variants_change_one_setting_or_join_two_candidates_and_are_new():
    space = Space.of(ConnectFour)
    first = drawn(space, 12)
    found = space.variants(first[:3], 9, first, random.Random(1))
    assert len(found) == len(set(found)) == 9
    assert not set(found) & set(first)
    joined = {tuple(sorted({**dict(a), **dict(b)}.items())) for a in first[:3] for b in first[:3]}
    kinds = set()
    for one in found:
        changes = [
            sum(dict(one).get(name) != dict(of).get(name) for name in space.values) for of in first[:3]
        ]
        is_joined = tuple(sorted(one)) in joined
        assert min(changes) == 1 or is_joined
        kinds.add(is_joined)
    assert kinds == {True, False}


def test_a_small_space_has_only_the_variants_that_it_has():
    space = Space.of(Taught)
    known = drawn(space, 16)
    assert space.variants(known[:2], 8, known, random.Random(1)) == []
    assert space.variants([], 8, known, random.Random(1)) == []
