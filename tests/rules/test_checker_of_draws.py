"""The checker plays rules that draw what happens in both forms in step, with the same random numbers."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.rules.checking.cross_check import CompiledMirror
from branchwise.rules.checking.faults import Line
from branchwise.rules.checking.random_game import play_random_game
from branchwise.testing import CheckReport, Observation, check_game, replay_moves
from support.simulators import Dash, Deck, Doors, Drift, Machines, SampledPig, Shutters

GAMES = [Drift, Machines, SampledPig, Shutters, Doors, Deck, Dash]


def wraps(number):
    """Whether a number, of 1 at least, becomes 0 when it is shifted far; a Python number grows instead."""
    big = number << 62
    return big * 4 == 0


@pytest.mark.parametrize("game", GAMES)
def test_compiled_games_are_those_of_plain_python(game):
    seeds = [0, 1, -5, 2**70 + 3, *range(10, 26)]
    played = CompiledMirror(game).play(seeds)
    assert played.fault_after is None
    for seed, length, returns in zip(seeds, played.lengths, played.returns, strict=True):
        line, report = Line(game, seed=seed), CheckReport(game.name)
        play_random_game(line, seed, report)
        assert length == len(line.actions)
        assert returns == pytest.approx(next(iter(report.results)))


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_compared_with_compiled_code_and_every_state_is_the_same(game):
    report = check_game(game, games=15, seconds=None)
    assert (report.games, report.compared, report.mirror) == (15, 15, "compiled code")


class OtherState(Dash):
    def apply_action(self, action, random):
        self.places[self.mover] += 2 if action == 0 or wraps(self.mover + 1) else random.below(6)
        self.mover = 1 - self.mover


class OtherReward(Drift):
    def apply_action(self, action, random):
        self.place += action - 1 + 0.3 * random.normal()
        self.steps += 1
        return -1.0 if wraps(self.steps) else -2.0


class MoreNumbers(Dash):
    def apply_action(self, action, random):
        self.places[self.mover] += 2 if action == 0 else random.below(6)
        if not wraps(self.mover + 1):
            random.uniform()
            random.normal()
        self.mover = 1 - self.mover


class OtherOutcome(SampledPig):
    def sample_outcome(self, random):
        face = random.below(6)
        return 0 if wraps(self.mover + 1) else 1 + face % 5


class MoreNumbersForAnOutcome(SampledPig):
    def sample_outcome(self, random):
        face = random.below(6)
        return face if wraps(self.mover + 1) else face + 0 * random.below(6)


@pytest.mark.parametrize(
    ("game", "told"),
    [
        (OtherState, "OtherState.apply_action differs: Python has places = "),
        (
            OtherReward,
            r"OtherReward.apply_action differs: Python has rewards \(-2.0,\), compiled code has rewards",
        ),
        (
            MoreNumbers,
            "apply_action differs: Python has drawn [23] random numbers, compiled code has drawn [01] ",
        ),
        (OtherOutcome, "OtherOutcome.sample_outcome differs: Python has [1-5], compiled code has 0"),
        (
            MoreNumbersForAnOutcome,
            "sample_outcome differs: Python has drawn 2 random numbers, .* drawn 1 random",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_difference_between_the_forms_is_reported(game, told):
    with pytest.raises(bw.GameError, match=told) as caught:
        check_game(game, games=30)
    assert caught.value.after is not None
    check_game(game, games=30, compiled=False)


def test_a_fault_of_a_simulator_is_found_again_by_its_seed():
    """Its moves alone do not tell what came of them."""

    class Stumbling(Dash):
        def apply_action(self, action, random):
            self.places[self.mover] += 2 if action == 0 else random.below(6)
            self.mover = 1 - self.mover if self.places[self.mover] != 7 else 2

    with pytest.raises(bw.GameError, match="current_player gave 2, but num_players is 2") as caught:
        check_game(Stumbling, games=5000)
    command = caught.value.replay
    assert "games=1, seed=" in command
    seed = int(command.rpartition("seed=")[2].rstrip(")"))
    with pytest.raises(bw.GameError) as again:
        check_game(Stumbling, games=1, seed=seed, compiled=False)
    assert (again.value.problem, again.value.after) == (caught.value.problem, caught.value.after)


def test_an_outcome_out_of_range_is_found_in_compiled_games():
    class Rare(SampledPig):
        def sample_outcome(self, random):
            return 6 if random.below(3000) == 0 else random.below(6)

    with pytest.raises(bw.GameError, match="sample_outcome gave 6, but num_outcomes is 6"):
        check_game(Rare, games=20_000)


def test_a_line_of_moves_is_played_in_step():
    assert replay_moves(Dash, ["0", "1", "0"]).places[0] == 4
    with pytest.raises(bw.GameError, match="apply_action differs"):
        replay_moves(OtherState, ["1"] * 5)


# --- another implementation -----------------------------------------------------------------------------


class Twin:
    """Dash, once more; draws as the game does, or something else."""

    label = "twin"

    def __init__(self, faces=6):
        self.faces = faces

    def start(self):
        self.places, self.mover = [0, 0], 0

    def apply(self, action, random):
        self.places[self.mover] += 2 if action == 0 else random.below(self.faces)
        self.mover = 1 - self.mover

    def observation(self):
        if max(self.places) >= 12:
            return Observation(True, returns=(1.0, -1.0) if self.places[0] >= 12 else (-1.0, 1.0))
        record = np.zeros((), Dash().to_record().dtype)
        record["places"], record["mover"] = self.places, self.mover
        return Observation(False, self.mover, (0, 1), record=record)


def test_another_implementation_of_a_simulator_draws_the_same_numbers():
    report = check_game(Dash, games=40, mirror=Twin(), compiled=False)
    assert (report.games, report.compared) == (40, 40)
    with pytest.raises(bw.GameError, match=r"apply_action differs: Python has places = .*, twin has places"):
        check_game(Dash, games=40, mirror=Twin(faces=5), compiled=False)


@pytest.mark.parametrize("items", [["a", "b"], 6], ids=str)
def test_a_choice_among_items_is_told_that_choice_takes_weights(items):
    with pytest.raises(TypeError, match=r"choice takes weights and returns an index; items\[random.below"):
        bw.Random(1).choice(items)
