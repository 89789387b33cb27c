"""Dice: outcomes as a game lists them, from a stream that no search knows."""

from collections import Counter

import pytest

import branchwise as bw
from branchwise.core.numbers.random_streams import NUM_STREAMS, new_streams
from branchwise.game.kinds.random_numbers import Draws
from branchwise.rules.facts.dice import Dice, rolled
from support.pig import Pig


class Table:
    """A state that lists what it is given."""

    def __init__(self, *pairs):
        self.pairs = pairs

    def chance_outcomes(self):
        return self.pairs


def test_same_seed_rolls_the_same_and_another_one_does_not():
    state = Pig.from_actions("roll")
    one, same, other = ([dice.roll(state) for _ in range(40)] for dice in (Dice(3), Dice(3), Dice(4)))
    assert one == same != other
    assert [Dice().roll(state) for _ in range(40)] != [Dice().roll(state) for _ in range(40)]


def test_outcomes_come_as_often_as_their_probabilities_say():
    dice = Dice(1)
    counts = Counter(dice.roll(Table((7, 0.5), (2, 0.0), (4, 0.3), (9, 0.2))) for _ in range(20_000))
    assert counts.keys() == {7, 4, 9}
    for outcome, chance in ((7, 0.5), (4, 0.3), (9, 0.2)):
        assert counts[outcome] / 20_000 == pytest.approx(chance, abs=0.02)


def test_a_roll_is_one_draw_however_many_outcomes_there_are():
    """So that the dice of two games that differ for a while are the same again."""
    one, other = Dice(5), Dice(5)
    one.roll(Table((0, 1.0)))
    other.roll(Table(*((face, 1 / 36) for face in range(36))))
    state = Pig.from_actions("roll")
    assert [one.roll(state) for _ in range(20)] == [other.roll(state) for _ in range(20)]


def test_dice_do_not_draw_what_a_search_of_the_same_seed_draws():
    state, seed = Pig.from_actions("roll"), 11
    dice = Dice(seed)
    real = [dice.roll(state) for _ in range(60)]
    streams = new_streams(seed)[:NUM_STREAMS]
    for counter in (seed, *map(int, streams)):
        draws = Draws(counter)
        imagined = [int(draws.uniform() * 6) for _ in range(200)]
        assert not any(imagined[at : at + 12] == real[:12] for at in range(180))


@pytest.mark.parametrize(
    "pairs",
    [(), ((0, 0.5), (1, 0.4)), ((0, 1.5), (1, -0.5)), ((0, float("nan")), (1, 1.0)), ((0, 0.9), (1, 0.2))],
)
def test_probabilities_that_are_none_are_refused(pairs):
    with pytest.raises(bw.GameError, match=r"Table.chance_outcomes gave the probabilities"):
        Dice(1).roll(Table(*pairs))


def test_a_state_without_outcomes_is_refused():
    with pytest.raises(bw.GameError, match="has no chance_outcomes"):
        Dice(1).roll(object())


def test_rolled_is_where_a_player_decides():
    state = Pig.from_actions("roll")
    after = rolled(state, 2)
    assert after.current_player() in (0, 1)
    assert state == Pig.from_actions("roll")
    assert rolled(Pig()) == Pig()
