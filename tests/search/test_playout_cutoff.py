"""Games that say after how many moves playouts are evaluated."""

import pytest

import branchwise as bw
from branchwise.arena.tuning.space import Space
from branchwise.games.tic_tac_toe import TicTacToe


class Evaluated(TicTacToe):
    name = "evaluated"
    playout = "uniform"

    def evaluate(self):
        return (0.25, -0.25)


class CutOff(Evaluated):
    name = "cut_off"
    playout_cutoff = 2


def tree(game, compiled, **settings):
    result = bw.MCTS(seed=4, compiled=compiled, **settings).search(game(), simulations=200)
    return [(child.visits, child.value) for child in result.children]


@pytest.mark.parametrize("compiled", [True, False])
def test_a_games_cutoff_is_that_of_a_planner_without_playout_and_cutoff(compiled):
    of_game, whole = tree(CutOff, compiled), tree(Evaluated, compiled)
    assert of_game == tree(Evaluated, compiled, cutoff=2) != whole
    assert tree(CutOff, compiled, cutoff=0) == tree(Evaluated, compiled, cutoff=0) != of_game
    assert tree(CutOff, compiled, playout="uniform") == whole


def values(states):
    return [state.evaluate() for state in states]


def test_other_playouts_and_evaluators_are_as_without_it():
    for settings in ({"playout": "mast"}, {"evaluator": values}):
        assert tree(CutOff, False, **settings) == tree(Evaluated, False, **settings)


def test_it_is_inherited_by_variants_and_no_option():
    class Sized(bw.games.load_game("mnk")):
        playout_cutoff = 3

        def evaluate(self):
            return (0.0, 0.0)

    assert Sized.configured(rows=4).playout_cutoff == 3
    assert "playout_cutoff" not in Sized.constants()


def test_it_may_have_a_type_as_other_constants():
    class Typed(Evaluated):
        playout: str = "uniform"
        playout_cutoff: int = 2

    assert {field.name for field in Typed._fields} == {field.name for field in Evaluated._fields}
    assert tree(Typed, False) == tree(CutOff, False)


def test_tuning_does_not_try_it_again():
    assert Space.of(Evaluated).values["cutoff"] == (0, 4, 12)

    class FourMoves(CutOff):
        playout_cutoff = 4

    assert Space.of(FourMoves).values["cutoff"] == (0, 12)


def test_a_game_without_evaluate_cannot_have_one():
    class Blind(TicTacToe):
        name = "blind"
        playout_cutoff = 0

    with pytest.raises(bw.GameError, match="playout_cutoff needs a rule that blind does not have: evaluate"):
        bw.MCTS(compiled=False).search(Blind(), simulations=10)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (-1, "the game's playout_cutoff = -1 is outside its range"),
        (2.5, "the game's playout_cutoff = 2.5 is not a whole number"),
        (True, "the game's playout_cutoff = True is not a whole number"),
        ("4", "the game's playout_cutoff = '4' is not a whole number"),
    ],
)
def test_what_is_no_number_of_moves_is_refused(value, words):
    class Odd(Evaluated):
        playout_cutoff = value

    with pytest.raises(bw.SettingsError, match=words):
        bw.MCTS(compiled=False).search(Odd(), simulations=10)
    assert bw.MCTS(compiled=False, cutoff=1).search(Odd(), simulations=10).simulations == 10
