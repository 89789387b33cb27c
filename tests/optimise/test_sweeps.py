"""Sweeps of NRPA: the textbook's local search, threads, priors, limits, faults, settings."""

import itertools
import pickle
import threading

import pytest

import branchwise as bw
from support.puzzles import Lottery, Ring, Stairs, Textbook, Trap, found, score_of, small_arrays

MORPION = "morpion(by_point=False)"
"""One variant for all tests, compiled once."""


class Unlikely(Trap):
    """A bit is never 1 in playouts, and sweeps are by their policy."""

    def prior(self, action):
        return 1.0 - action


@pytest.mark.bounds
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("sweeps", [(0, 3, 0), (1, 0, 2)])
@pytest.mark.parametrize("game", [Stairs, Lottery, Ring])
def test_sweeps_are_the_textbooks_recursion(game, sweeps, compiled, monkeypatch):
    small_arrays(monkeypatch, 2)
    differ = False
    for seed in range(5):
        textbook, plain = Textbook(game(), seed, sweeps=sweeps), Textbook(game(), seed)
        for _ in range(2):  # the second run must not know weights of the first
            textbook.nrpa(3, 4, 0.7)
            plain.nrpa(3, 4, 0.7)
        planner = bw.NRPA(level=3, iterations=4, alpha=0.7, sweeps=sweeps, seed=seed, compiled=compiled)
        result = planner.search(game(), runs=2)
        history = [(each.playouts, each.score) for each in result.history]
        assert history == [(count, pytest.approx(score)) for count, score in textbook.improvements]
        assert result.playouts == textbook.playouts or result.ended_by == "best possible"
        differ |= textbook.playouts != plain.playouts
    assert differ


@pytest.mark.parametrize("sweeps", [(2, 0), (1, 3)])
def test_sweeps_are_the_textbooks_with_playouts_of_several_threads(sweeps):
    for seed in range(3):
        textbook = Textbook(Lottery(), seed, helpers=2, sweeps=sweeps)
        score, _ = textbook.nrpa(2, 4, 0.7)
        planner = bw.NRPA(
            level=2, iterations=4, alpha=0.7, sweeps=sweeps, threads=3, parallel="leaf", seed=seed
        )
        result = planner.search(Lottery())
        assert (result.best_score, result.playouts) == (score, textbook.playouts)


@pytest.mark.bounds
@pytest.mark.parametrize("game", [Stairs, Lottery, Ring])
@pytest.mark.parametrize(
    "planner",
    [
        bw.NRPA(level=2, iterations=4, sweeps=(1, 2), spare=0.3, clamp=1.0, seed=5),
        bw.NRPA(level=3, iterations=5, sweeps=1, playouts=2, repetitions=2, bias=0.5, seed=5),
        bw.NRPA(level=2, iterations=4, sweeps=2, bias=0.0, seed=5),
    ],
)
def test_compiled_and_interpreted_sweeps_are_the_same(planner, game):
    plain = pickle.loads(pickle.dumps(planner))
    plain.compiled = False
    assert found(planner.search(game(), playouts=300)) == found(plain.search(game(), playouts=300))


@pytest.mark.bounds
def test_arrays_that_are_full_change_nothing(monkeypatch):
    state = bw.load_game(MORPION)()
    planner = bw.NRPA(level=2, iterations=3, sweeps=(0, 2), seed=4)
    roomy = found(planner.search(state, runs=2))
    small_arrays(monkeypatch, moves=4)
    assert found(planner.search(state, runs=2)) == roomy
    planner.compiled = False
    assert found(planner.search(state, runs=2)) == roomy
    assert score_of(state, roomy[1]) == roomy[0]


def test_a_sweep_finds_the_best_of_independent_choices():
    result = bw.NRPA(level=1, iterations=1, sweeps=1, seed=1).search(Trap())
    assert (result.best_score, result.playouts, result.runs) == (8.0, 9, 1)


def test_sweeps_begin_anew_along_the_line_that_they_found():
    state = bw.load_game(MORPION)()
    scores = [
        [
            bw.NRPA(level=2, iterations=10, sweeps=(0, n), seed=seed).search(state).best_score
            for seed in range(8)
        ]
        for n in (0, 2, 20)
    ]
    for less, more in itertools.pairwise(scores):
        assert sum(less) < sum(more)


@pytest.mark.slow
def test_a_game_of_morpion_as_long_as_the_documentation_says_is_found():
    state = bw.load_game(MORPION)()
    planner = bw.NRPA(level=4, iterations=35, spare=0.4, sweeps=(0, 7, 0, 0), seed=36)
    result = planner.search(state, playouts=1_300_000)
    assert score_of(state, result.best_line) == result.best_score == 168


def test_actions_without_prior_are_not_tried():
    plain, swept = (
        bw.NRPA(level=1, iterations=3, sweeps=n, seed=1, compiled=n > 0).search(Unlikely()) for n in (0, 5)
    )
    assert plain.best_score == swept.best_score == 0.0
    assert plain.playouts == swept.playouts == 3


@pytest.mark.parametrize("playouts", [1, 7, 100, 333])
def test_a_budget_ends_in_the_middle_of_a_sweep(playouts):
    planner = bw.NRPA(level=2, iterations=3, sweeps=4, seed=3)
    whole = planner.search(Lottery(), playouts=333)
    result = planner.search(Lottery(), playouts=playouts)
    assert (result.playouts, result.ended_by) == (playouts, "playouts")
    assert [each[1:] for each in result.history] == [
        each[1:] for each in whole.history if each.playouts <= playouts
    ]


def test_lines_are_swept_and_then_improved():
    planner = bw.NRPA(level=2, iterations=1, sweeps=(1, 0), improve=True, seed=1)
    assert planner.search(Trap(), runs=2).best_score == 8.0
    state = bw.load_game("tsp(cities=20)")()
    one, two = (
        bw.NRPA(level=2, iterations=3, sweeps=1, improve=True, seed=1).search(state, runs=2) for _ in range(2)
    )
    assert found(one) == found(two)
    assert score_of(state, one.best_line) == pytest.approx(one.best_score)


@pytest.mark.parametrize("threads", [1, 2])
def test_long_sweeps_can_be_stopped(threads):
    planner = bw.NRPA(level=1, iterations=1, sweeps=1_000_000, threads=threads, seed=1)
    state = bw.load_game(MORPION)()
    planner.search(state, playouts=10)
    timer = threading.Timer(0.3, planner.stop)
    timer.start()
    result = planner.search(state, seconds=60)
    timer.join()
    assert (result.ended_by, result.runs) == ("stopped", 0)
    assert score_of(state, result.best_line) == result.best_score > 0


@pytest.mark.parametrize("options", [{}, {"compiled": False}, {"threads": 3, "parallel": "leaf"}])
def test_a_fault_in_a_sweep_is_told_with_its_moves(options):
    planner = bw.NRPA(level=1, iterations=1, sweeps=1, seed=1, **options)
    first = planner.search(Trap(), playouts=1).best_line
    changed = [1 - first[0], *first[1:]]
    trap = int("".join(map(str, changed)), 2)
    with pytest.raises(bw.GameError) as caught:
        planner.search(Trap(trap=trap, kind=1))
    *moves, last = map(str, changed)
    assert f"Trap.apply_action({last}) raised IndexError" in str(caught.value)
    assert f"after: {' '.join(moves)} (from the state that was searched)" in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"sweeps": -1}, "sweeps = -1 is outside its range"),
        ({"sweeps": 1.5}, "sweeps = 1.5 is not a whole number"),
        ({"sweeps": None}, "sweeps = None is not a whole number"),
        ({"sweeps": (0, 7)}, "is not one number for each of the levels 1 to 3"),
        ({"sweeps": (0, 7, -1)}, "sweeps = -1 is outside its range"),
        ({"sweeps": 1_000_001}, "sweeps = 1000001 is outside its range"),
        ({"sweeps": 1, "beam": (2, 1, 1)}, "leave out beam or sweeps"),
    ],
)
def test_sweeps_that_make_no_sense_are_refused(settings, told):
    with pytest.raises(bw.SettingsError, match=told):
        bw.NRPA(level=3, **settings)


def test_a_result_names_its_sweeps():
    state = bw.load_game("left_move(moves=8)")()
    result = bw.NRPA(level=2, iterations=5, sweeps=(0, 1), seed=1, compiled=False).search(state)
    assert result.method == "nrpa(level=2,iterations=5,sweeps=0/1)"
