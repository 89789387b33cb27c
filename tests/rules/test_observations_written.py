"""Observations in records: what a planner knew can be read back, and is checked against the rules."""

import json
import pickle
from functools import cache

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import ActionError, GameError
from branchwise.game.kinds.random_numbers import Random
from branchwise.rules.knowledge.planner_history import History
from support.observing import AtTheEnd, Probe, Row

TIGER = bw.load_game("tiger")


@cache
def episode(game, seed, moves=12):
    """Play legal actions at random."""
    world, choice = Random(seed), np.random.default_rng(seed)
    played = bw.Playthrough(game.new_initial_state(world), random=world)
    while not played.is_over and played.ply < moves:
        played.play(int(choice.choice(played.state.legal_actions())))
    return played


def changed(played, **parts):
    """Return the text of a record with other parts; a part that is None is left out."""
    content = {**played.to_dict(), **parts}
    return json.dumps({name: value for name, value in content.items() if value is not None})


def again(played, **parts):
    return bw.Playthrough.from_json(changed(played, **parts), type(played.start))


GAMES = [TIGER, bw.load_game("rock_sample"), bw.load_game("light_dark"), bw.load_game("pocman(maze='micro')")]


@pytest.mark.parametrize("game", [*GAMES, Probe, Row, AtTheEnd], ids=lambda game: game.name)
@pytest.mark.parametrize("seed", range(4))
def test_a_record_gives_back_what_the_planner_knew(game, seed):
    played = episode(game, seed)
    copy = bw.Playthrough.from_json(played.to_json(), game)
    assert copy.state == played.state
    for ply in range(played.ply, -1, -1):
        played.go_to(ply)
        copy.go_to(ply)
        assert copy.shown(0) == played.shown(0)
        assert repr(copy.shown(0)) == repr(played.shown(0))
        assert copy.observed == played.observed
    played.go_to(played.length)
    copy.go_to(copy.length)
    assert copy.to_json() == played.to_json()


def test_the_observations_are_those_that_were_drawn():
    played = bw.Playthrough(TIGER(tiger=1), [0, 0, 1, 0], random=Random(4))
    content = played.to_dict()
    assert content["observations"] == [seen for _, seen in played.shown(0).events]
    assert content["observations"][2] == 0  # a door tells nothing
    assert set(content["observations"][:2]) <= {1, 2}


def test_there_is_none_while_chance_is_to_move_and_after_the_end():
    played = bw.Playthrough(Probe(number=1), random=Random(1))
    for action in (0, 1, 2):
        played.play(action)
    first, second, last = played.to_dict()["observations"]
    assert (first, last) == (None, None)
    assert second[1] is True
    assert played.observed is None
    assert played.shown(0).events == ((0, tuple(second)),)


def test_pairs_and_arrays_are_tuples_of_plain_numbers():
    for game, kinds in ((Probe, (int, bool)), (Row, (float, float))):
        played = bw.Playthrough(game(number=1), [0, 1], random=Random(1))
        ((_, seen),) = played.shown(0).events
        assert tuple(map(type, seen)) == kinds
        assert len({played.shown(0), played.copy().shown(0)}) == 1  # can be hashed


def test_moves_taken_back_are_written_with_their_own_observations():
    played = bw.Playthrough(TIGER(), [0, 0, 0, 0], random=Random(8))
    whole = played.to_dict()["observations"]
    played.undo(2)
    assert played.to_dict()["observations"] == whole[:2]
    played.redo()
    assert played.to_dict()["observations"] == whole[:3]
    played.play(1)
    assert played.to_dict()["observations"] == [*whole[:3], 0]


def test_an_episode_goes_on_from_its_record():
    played = again(episode(TIGER, 3))
    count = len(played.shown(0).events)
    played.play(0)
    assert len(played.shown(0).events) == count + 1
    assert again(played).shown(0) == played.shown(0)


def test_a_belief_can_be_made_from_a_record():
    played = bw.Playthrough(TIGER(), [0, 0, 0], random=Random(5))
    known = again(played).shown(0)
    assert isinstance(known, History)
    beliefs = [bw.Belief(TIGER, particles=200, seed=1) for _ in range(2)]
    for belief, history in zip(beliefs, (known, played.shown(0)), strict=True):
        for action, seen in history.events:
            belief.update(action, seen)
    assert str(beliefs[0]) == str(beliefs[1])


# --- records without them ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "moves"), [(TIGER, [0, 0, 1, 0]), (Probe, [0, 1, 0, 0])], ids=["tiger", "probe"]
)
def test_a_record_of_an_earlier_version_is_read_but_does_not_say_what_the_planner_knew(game, moves):
    played = bw.Playthrough(game(), moves, random=Random(2))
    old = again(played, observations=None)
    assert old.state == played.state
    assert old.actions == played.actions
    assert old.paid == played.paid
    with pytest.raises(
        GameError, match=f"this {game.name} record does not tell what was observed after move"
    ):
        old.shown(0)
    assert "observations" not in old.to_dict()
    assert "observations" not in pickle.loads(pickle.dumps(old)).to_dict()
    assert changed(old) == changed(played, observations=None)
    old.go_to(0)
    assert old.shown(0).events == ()
    old.play(1)  # other moves have observations of their own
    if not old.is_chance:
        assert len(old.shown(0).events) == 1


# --- records with others ----------------------------------------------------------------------------------


def tiger(*observations):
    played = bw.Playthrough(TIGER(tiger=1), [0, 1], random=Random(4))
    return again(played, observations=list(observations))


@pytest.mark.parametrize(
    ("observations", "message"),
    [
        ((0, 0), "0 cannot be observed after move 1 of this tiger record: by observation_density it has no"),
        ((1, 2), "2 cannot be observed after move 2 of this tiger record: by observation_density"),
        (("left", 0), "left cannot be observed after move 1 .* it is no number and no list of numbers"),
        ((None, 0), "None cannot be observed after move 1 .* it is no number"),
        (([1], 0), r"\[1\] cannot be observed after move 1 .* an observation is like [12]"),
        (([], 0), r"\[\] cannot be observed after move 1"),
        (({}, 0), "{} cannot be observed after move 1"),
        ((1,), "this tiger record does not tell what was observed after move 2"),
    ],
)
def test_observations_that_cannot_be_are_refused(observations, message):
    with pytest.raises(GameError, match=message):
        tiger(*observations)


def test_every_observation_that_can_be_is_read():
    assert [tiger(seen, 0).shown(0).events[0] for seen in (1, 2)] == [(0, 1), (0, 2)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[0, True], [0, True], None], "after move 1 .* nothing is observed there"),
        ([None, [0, True, 1], None], "after move 2 .* an observation is like"),
        ([None, 1, None], "after move 2 .* an observation is like"),
        ([None, [1, True], 0], "after move 3 .* nothing is observed there"),
        ([None, [0, False], None], "after move 2 .* by observation_density it has no chance"),
        (7, "does not tell what was observed after move 1"),
    ],
)
def test_observations_in_the_wrong_place_or_form_are_refused(given, message):
    played = bw.Playthrough(Probe(number=1), [0, 1, 2], random=Random(1))
    with pytest.raises(GameError, match=message):
        again(played, observations=given)


def test_an_illegal_move_changes_nothing():
    played = bw.Playthrough(TIGER(), [0], random=Random(1))
    before = played.to_json()
    with pytest.raises(ActionError):
        played.play_written(9, {"tiger": 1}, [0.0], 1)
    with pytest.raises(GameError):
        played.play_written(0, {"tiger": 1}, [0.0], 0)
    assert played.to_json() == before
