"""Lines improved by the rules' own method: what becomes of them, and methods that are wrong."""

import pickle

import numpy as np
import pytest

import branchwise as bw
from support.puzzles import Stairs, Sum, small_arrays


class Digits(bw.Game):
    """Choose six digits from 0 to 3; each pays itself, so that the best line has 18. Codes tell all apart."""

    num_players = 1
    num_actions = 4
    max_game_length = 6

    count: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        for digit in range(4):
            yield digit

    def apply_action(self, action):
        self.count += 1
        return float(action)

    def is_terminal(self):
        return self.count == 6

    def action_code(self, action):
        return 4 * self.count + action

    def prior(self, action):
        return 1.0 + action

    def improve(self, line):
        """Raise the first digit that is less than 2 to 2."""
        better = list(line)
        for place, digit in enumerate(line):
            if digit < 2:
                better[place] = 2
                break
        return better


class Nobly(Digits):
    def improve(self, line):
        return (3,) * len(line)


class Unlikely(Digits):
    """Playouts never begin with 3, after which priors are of no use. The improved line does.

    It also begins with the only digit that it does not choose later.
    """

    useless = 0.0

    three: np.int8 = 0

    def apply_action(self, action):
        self.three |= self.count == 0 and action == 3
        return super().apply_action(action)

    def action_code(self, action):
        return action

    def prior(self, action):
        if self.three:
            return self.useless
        return 0.0 if self.count == 0 and action == 3 else 1.0

    def improve(self, line):
        return (3, 2, 1, 0, 2, 1) if sum(line) < 9 else line


class Overflowing(Unlikely):
    useless = 1.7e308


class Worse(Digits):
    def improve(self, line):
        return (0,) * len(line)


class Illegal(Digits):
    def improve(self, line):
        return (*line[:-1], 9)


class TooShort(Digits):
    def improve(self, line):
        return line[:-1]


class TooLong(Digits):
    max_game_length = 10

    def improve(self, line):
        return (*line, 1)


class FarTooLong(Digits):
    def improve(self, line):
        return (*line, 1)


class Nothing(Digits):
    def improve(self, line):
        line = sorted(line)


class Raises(Digits):
    def improve(self, line):
        return (1 / 0, *line)


class ChangesTheRoot(Digits):
    def improve(self, line):
        for action in line:
            self.apply_action(action)
        return line


PLANNERS = [
    bw.NRPA(level=2, iterations=3, improve=True, seed=1),
    bw.NRPA(level=1, iterations=3, improve=True, seed=1),
    bw.NestedSearch(level=1, playout="uniform", improve=True, seed=1),
]


def found(result):
    history = [improvement[1:] for improvement in result.history]
    return result.best_score, result.best_line, result.playouts, result.moves, result.runs, history


@pytest.mark.parametrize("planner", [*PLANNERS, bw.NestedSearch(level=2, improve=True, seed=1)])
def test_compiled_and_interpreted_searches_improve_alike(planner):
    results = []
    for compiled in (True, False):
        planner.compiled = compiled
        results.append(planner.search(Digits(), playouts=40))
    assert found(results[0]) == found(results[1])
    assert results[0].history[-1].score == results[0].best_score


@pytest.mark.parametrize("planner", PLANNERS)
def test_an_improved_line_counts(planner):
    planner.compiled = False
    assert planner.search(Nobly(), runs=1).best_line == (3,) * 6
    assert planner.search(ChangesTheRoot(), playouts=5).best_score > 0


def test_the_best_line_is_improved_at_the_end():
    """One playout is no complete call of level 1."""
    planner = bw.NRPA(level=2, iterations=50, seed=3, compiled=False)
    plain = planner.search(Nobly(), playouts=1)
    planner.improve = True
    assert plain.best_score < planner.search(Nobly(), playouts=1).best_score == 18.0
    improved = plain.improved()
    assert (improved.best_score, improved.playouts) == (18.0, 1)


def test_nrpa_adapts_to_improved_lines():
    """The first call of level 1 makes the best line likelier for all later ones."""
    planner = bw.NRPA(level=2, iterations=4, alpha=4.0, bias=0.0, improve=True, seed=1, compiled=False)
    state = Digits()
    plain, improved = 0.0, 0.0
    for seed in range(5):
        planner.seed = seed
        planner.improve = False
        plain += planner.search(state, runs=1).best_score
        planner.improve = True
        improved += planner.search(state, runs=1).best_score
    assert improved > plain


@pytest.mark.bounds
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("spare", [0.0, 0.5])
@pytest.mark.parametrize("game", [Unlikely, Overflowing])
def test_improved_lines_may_go_where_playouts_cannot(game, spare, compiled):
    planner = bw.NRPA(level=2, iterations=3, spare=spare, improve=True, seed=1, compiled=compiled)
    result = planner.search(game(), runs=4)
    assert (result.playouts, result.runs) == (36, 4)
    assert result.best_score >= 9.0


def test_a_run_that_ends_with_an_improvement_is_counted():
    planner = bw.NRPA(level=2, iterations=3, improve=True, seed=1, compiled=False)
    result = planner.search(Digits(), playouts=9)
    assert (result.playouts, result.runs) == (9, 1)
    assert planner.search(Digits(), runs=2).playouts == 18


@pytest.mark.parametrize("compiled", [True, False])
def test_arrays_that_are_full_change_nothing(monkeypatch, compiled):
    planner = bw.NRPA(level=2, iterations=4, improve=True, seed=4, compiled=compiled)
    roomy = found(planner.search(Digits(), runs=1))
    small_arrays(monkeypatch, moves=2)
    assert found(planner.search(Digits(), runs=1)) == roomy


@pytest.mark.parametrize(
    ("game", "told"),
    [
        (Worse, r"Worse\.improve gave a line with the score 0, and the given one has [1-9]"),
        (Illegal, r"Illegal\.improve gave a line that cannot be played: action 9, number 6 of the line"),
        (TooShort, r"TooShort\.improve gave a line that cannot be played: the line ends after 5 actions"),
        (TooLong, r"TooLong\.improve gave a line that cannot be played: action 1, number 7"),
        (FarTooLong, r"gave a line of 7 actions, but max_game_length is 6"),
        (Nothing, r"Nothing\.improve gave None, which is not a line of actions"),
        (Raises, r"Raises\.improve raised ZeroDivisionError: division by zero"),
        (Sum, "improve = True needs a method improve, which sum does not have"),
    ],
)
def test_a_wrong_improvement_is_one_clear_error(game, told):
    for planner in PLANNERS:
        planner.compiled = False
        with pytest.raises(bw.GameError, match=told):
            planner.search(game(), playouts=20)
    result = bw.NestedSearch(level=1, seed=1, compiled=False).search(game(), playouts=20)
    with pytest.raises(bw.GameError, match=told):
        result.improved()


def test_a_wrong_improvement_of_compiled_rules_is_one_clear_error():
    with pytest.raises(bw.GameError, match=r"Illegal\.improve gave a line that cannot be played"):
        bw.NRPA(level=1, iterations=3, improve=True, seed=1, threads=2).search(Illegal(), playouts=20)


def test_improve_is_a_setting():
    with pytest.raises(bw.SettingsError, match="improve = 'often' is unknown"):
        bw.NRPA(improve="often")
    planner = pickle.loads(pickle.dumps(bw.NestedSearch(improve=True)))
    assert planner.improve


# --- moves ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "planner", [bw.NRPA(level=2, iterations=5, seed=1), bw.NestedSearch(level=2, seed=1)]
)
def test_all_moves_that_were_played_are_counted(planner):
    counted = []

    class Counted(Stairs):
        def apply_action(self, action):
            counted.append(action)
            return super().apply_action(action)

    planner.compiled = False
    result = planner.search(Counted(), playouts=100)
    checked = len(result.best_line)
    assert len(counted) == result.moves + checked
    planner.compiled = True
    assert planner.search(Stairs(), playouts=100).moves == result.moves
