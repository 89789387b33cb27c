"""`Belief`: particles that follow the real problem by rejection or by weights."""

import copy
import pickle
from contextlib import suppress

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.nim import Nim
from branchwise.problems.light_dark import LightDark
from branchwise.problems.pocman import Pocman
from branchwise.problems.rock_sample import BAD, GOOD, RockSample
from branchwise.problems.tiger import LEFT, NOTHING, RIGHT, Tiger
from support.observing import AtTheEnd, Probe, Row

MICRO = Pocman.configured(maze="micro")
"""Twice north of the start there are ways east, south and west, and the ghost may be close by."""


class Unweighted(Tiger):
    """Tiger without a density: by rejection."""

    observation_density = None


class Exact(AtTheEnd):
    """The bit is seen for sure."""

    def observe(self, action, random):
        return self.bit


class Jittered(LightDark):
    def jitter(self, random):
        self.place += random.below(3) - 1


def is_left(state):
    return state.tiger == 0


# --- the right probabilities ------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [Tiger, Unweighted])
def test_a_belief_is_that_of_bayes(game):
    belief = bw.Belief(game, particles=20_000, seed=1)
    for seen, net in ((LEFT, 1), (LEFT, 2), (RIGHT, 1), (LEFT, 2), (LEFT, 3)):
        belief.update("listen", seen)
        exact = 0.85**net / (0.85**net + 0.15**net)
        assert belief.mean(is_left) == pytest.approx(exact, abs=0.02)
    belief.update("open-right", NOTHING)
    assert belief.mean(is_left) == pytest.approx(0.5, abs=0.02)
    assert belief.left == 20_000
    assert len(belief.history) == 6


def test_given_states_and_weights_are_the_belief_without_any_noise():
    belief = bw.Belief(Tiger, [Tiger(tiger=0), Tiger(tiger=1)], weights=[3, 1], seed=1)
    assert belief.weights.tolist() == [0.75, 0.25]
    assert belief.mean(is_left) == 0.75
    assert belief.effective_size == pytest.approx(1 / (0.75**2 + 0.25**2))


def test_a_density_of_a_pair_and_chance_after_the_action_are_followed():
    """Number n is uniform from -2 to 2, then goes up with probability 3/4: P(n > 0 | seen) by hand."""
    belief = bw.Belief(Probe, particles=20_000, seed=1)
    belief.update(0, (1, True))
    chance = dict.fromkeys(range(-3, 4), 0.0)
    for before in range(-2, 3):
        chance[before + 1] += 0.75 / 5
        chance[before - 1] += 0.25 / 5
    above = sum(chance[n] for n in (1, 2, 3))
    for number in (1, 2, 3):
        found = belief.mean(lambda state, n=number: state.number == n)
        assert found == pytest.approx(chance[number] / above, abs=0.02)


def test_resampling_keeps_the_mean_and_the_number_of_particles():
    belief = bw.Belief(LightDark, particles=2000, seed=1)
    belief.update("+10", 9.0)
    assert len(belief) == 2000
    assert belief.effective_size == pytest.approx(2000)
    weighed = [
        np.exp(-0.5 * ((9.0 - p) / (abs(p - 10) + 0.001)) ** 2) / (abs(p - 10) + 0.001)
        for p in range(-20, 41)
    ]
    exact = np.average(range(-20, 41), weights=weighed)
    assert belief.mean(lambda state: state.place) == pytest.approx(exact, abs=0.6)


def test_readings_of_a_rock_add_up():
    belief = bw.Belief(RockSample, particles=5000, seed=1)
    for seen in (GOOD, BAD, GOOD):
        belief.update("check-3", seen)
    assert belief.mean(lambda state: state.is_good(3)) == pytest.approx(RockSample.accuracy[6, 0], abs=0.03)
    assert belief.mean(lambda state: state.is_good(4)) == pytest.approx(0.5, abs=0.03)


# --- the same, compiled or not ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "steps"),
    [
        (Tiger, [("listen", LEFT), ("listen", LEFT), ("open-right", NOTHING)]),
        (Probe, [(0, (1, True)), (1, (2, True))]),
        (RockSample, [("check-1", GOOD), ("north", 0), ("check-2", BAD)]),
        (MICRO, [("north", 336), ("north", 992)]),
        (Jittered, [("+10", 9.0), ("-1", 7.5)]),
    ],
    ids=lambda value: value.name if isinstance(value, type) else "",
)
def test_compiled_and_plain_updates_give_the_same_particles(game, steps):
    beliefs = [bw.Belief(game, particles=200, seed=5, compiled=compiled) for compiled in (True, False)]
    for action, seen in steps:
        for belief in beliefs:
            belief.update(action, seen)
    assert beliefs[0].records.tobytes() == beliefs[1].records.tobytes()
    assert beliefs[0].weights.tolist() == beliefs[1].weights.tolist()
    assert beliefs[0].left == beliefs[1].left


def test_the_same_seed_gives_the_same_belief_and_another_seed_another():
    def places(seed):
        belief = bw.Belief(LightDark, particles=500, seed=seed)
        belief.update("+10", 3.0)
        return belief.records["place"].tolist()

    assert places(1) == places(1) != places(2)


def test_copies_go_their_own_ways_and_pickles_go_on_alike():
    belief = bw.Belief(Tiger.configured(accuracy=0.7), particles=300, seed=1)
    twin, other, stored = belief.copy(), copy.deepcopy(belief), pickle.loads(pickle.dumps(belief))
    for one in (twin, other, stored):
        assert one.game is belief.game
        one.update("listen", LEFT)
    assert twin.weights.tolist() == other.weights.tolist() == stored.weights.tolist()
    assert belief.history == ()
    assert set(belief.weights.tolist()) == {1 / 300}


def test_jitter_moves_copies_alone():
    belief = bw.Belief(Jittered, [Jittered(place=-10), Jittered(place=0), Jittered(place=0)] * 30, seed=1)
    belief.update("+10", 0.0)
    places = set(belief.records["place"].tolist())
    assert places == {-1, 0, 1}
    assert belief.left == 30


# --- nothing fits -----------------------------------------------------------------------------------------


def test_without_a_particle_that_fits_all_begin_again_at_the_start():
    """Both particles drawn have the bit 0; of those drawn anew, some have 1."""
    found = None
    for seed in range(20):
        belief = bw.Belief(Exact, particles=2, seed=seed)
        bits = belief.records["bit"].tolist()
        belief.update(2, 1 - bits[0])
        if len(set(bits)) == 1 and belief.left:
            found = belief
    assert found is not None
    assert found.restarts == 1
    assert set(found.records["bit"].tolist()) == {found.history[0][1]}


@pytest.mark.parametrize("compiled", [True, False])
def test_an_observation_that_nothing_fits_is_ignored_and_said(compiled):
    belief = bw.Belief(Exact, [Exact(bit=0)] * 3, seed=1, compiled=compiled)
    belief.update(2, 1)
    assert (belief.left, belief.restarts, len(belief)) == (0, 1, 3)
    assert belief.records["looks"].tolist() == [1, 1, 1]
    assert belief.history == ((2, 1),)
    assert "3 particles, 0 left" in repr(belief)
    belief.update(2, 0)
    assert belief.left == 3


class Fuse(bw.Game):
    """Look, which never gives the same twice, or pull: a problem with the bit is over then."""

    num_players = 1
    num_actions = 2
    max_game_length = 50

    bit: bool = False
    over: bool = False

    def setup(self, random):
        self.bit = random.uniform() < 0.5

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.over = action == 1 and self.bit
        return -1.0

    def is_terminal(self):
        return self.over

    def observe(self, action, random):
        return random.below(2**30)


def test_particles_in_which_the_problem_is_over_although_it_goes_on_begin_again():
    """Both particles drawn have the bit, and what was seen before fits none; of those drawn anew, one may."""
    found = []
    for seed in range(20):
        belief = bw.Belief(Fuse, particles=2, seed=seed, attempts=1, compiled=False)
        belief.update(0, 5)
        assert (belief.left, belief.restarts) == (0, 1)
        if all(belief.records["bit"]):
            with suppress(bw.GameError):  # if both drawn anew have the bit, too
                belief.update(1, 7)
                found.append(belief)
    assert found
    for belief in found:
        assert (belief.left, belief.restarts) == (0, 3)
        assert belief.history == ((0, 5), (1, 7))
        assert np.sum(belief.weights[~belief.records["bit"]]) == pytest.approx(1.0)


def test_few_attempts_leave_few_particles_which_copies_fill_up():
    belief = bw.Belief(Row, particles=300, seed=1, attempts=1)
    seen = belief.states[0].observe(0, bw.Random(1))
    belief.update(0, seen)
    assert 0 < belief.left < 300
    assert len(belief) == 300
    assert belief.effective_size == pytest.approx(300)


def test_a_problem_that_is_over_in_every_particle_is_one_clear_error():
    belief = bw.Belief(LightDark, particles=50, seed=1)
    with pytest.raises(bw.GameError, match="is over after stop in every particle"):
        belief.update("stop", 0.0)
    assert belief.history == ()


# --- wrong input ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bw.Belief(Nim), "nim has no observe"),
        (lambda: bw.Belief(Tiger()), "is no rules class"),
        (lambda: bw.Belief(Tiger, particles=0), "particles"),
        (lambda: bw.Belief(Tiger, particles=[]), "at least one"),
        (lambda: bw.Belief(Tiger, particles=[Unweighted()]), "states of tiger"),
        (lambda: bw.Belief(Tiger, particles=3, weights=[1, 1, 1]), "weights are of given states"),
        (lambda: bw.Belief(Tiger, particles=[Tiger()], weights=[0.0]), "at least one above 0"),
        (lambda: bw.Belief(Tiger, particles=[Tiger()], weights=[1.0, 2.0]), "not 1 numbers"),
        (lambda: bw.Belief(LightDark, particles=[LightDark(stopped=True)]), "over in some"),
        (lambda: bw.Belief(Tiger, seed=1.5), "seed"),
    ],
)
def test_a_belief_of_nothing_sensible_is_one_clear_error(make, message):
    with pytest.raises(bw.BranchwiseError, match=message):
        make()


@pytest.mark.parametrize(
    ("action", "seen", "message"),
    [
        (7, LEFT, "action 7 is not legal here"),
        ("sing", LEFT, "sing"),
        ("listen", "left", "is no observation"),
        ("listen", None, "is no observation"),
        ("listen", float("nan"), "is no observation"),
        ("listen", (1, 2), "has 2 numbers, but Tiger.observe gives 1"),
        ("listen", (), "is no observation"),
    ],
)
def test_an_impossible_update_changes_nothing(action, seen, message):
    belief = bw.Belief(Tiger, particles=10, seed=1)
    with pytest.raises(bw.BranchwiseError, match=message):
        belief.update(action, seen)
    assert belief.history == ()


def test_a_density_that_is_no_density_is_named():
    faulty = type("Faulty", (Tiger,), {"observation_density": lambda self, action, seen: float("nan")})
    with pytest.raises(bw.GameError, match=r"observation_density (gave a negative|says nan)"):
        bw.Belief(faulty, particles=10, seed=1).update("listen", LEFT)
