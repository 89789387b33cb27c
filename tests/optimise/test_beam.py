"""Beam NRPA: the recursion of the textbook, what a beam consists of, one line as NRPA, settings."""

import pickle

import numpy as np
import pytest

import branchwise as bw
from branchwise.core.lines.solution_lines import UNIFORM
from branchwise.optimise import nrpa
from branchwise.optimise.walkers.policy_walker import PolicyWalker
from branchwise.optimise.walkers.problem import problem_facts
from support.puzzles import Stairs, Sum, Textbook, found, small_arrays
from support.rows import bounded

WEAK_SCHUR = "weak_schur(parts=3)"


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("game", [bounded(Stairs), Sum])
@pytest.mark.parametrize("beam", [(3, 1), (1, 3), (2, 4)])
def test_beam_nrpa_is_the_textbooks_recursion(game, beam, compiled):
    for seed in range(3):
        textbook = Textbook(game(), seed)
        score, line = textbook.beam_nrpa(4, 0.7, beam)[0]
        planner = bw.NRPA(level=2, iterations=4, alpha=0.7, beam=beam, seed=seed, compiled=compiled)
        result = planner.search(game())
        if result.ended_by == "best possible":
            assert result.best_score == game.max_return == score
        else:
            assert (result.best_score, result.playouts) == (pytest.approx(score), textbook.playouts)
            assert list(result.best_line) == line


def test_the_textbooks_beam_of_one_line_is_its_nrpa():
    for seed in range(5):
        one, other = Textbook(Stairs(), seed), Textbook(Stairs(), seed)
        assert one.nrpa(2, 5, 1.0) == other.beam_nrpa(5, 1.0, (1, 1))[0]


@pytest.mark.parametrize("settings", [{}, {"playouts": 3}, {"repetitions": 2}, {"improve": True}])
def test_a_beam_of_one_line_is_nrpa(monkeypatch, settings):
    trip = bw.load_game("tsp(cities=8)")()
    planner = bw.NRPA(level=3, iterations=6, seed=3, compiled=False, **settings)
    without = found(planner.search(trip, playouts=500))
    monkeypatch.setattr(nrpa, "PolicyWalker", lambda *args, **options: _with_beam(*args, **options))
    assert found(planner.search(trip, playouts=500)) == without


def _with_beam(*args, beam, **options):
    assert beam is None
    return PolicyWalker(*args, beam=(1,) * options["top"], **options)


@pytest.mark.parametrize("game", [Stairs, Sum])
@pytest.mark.parametrize(
    "planner",
    [
        bw.NRPA(level=3, iterations=4, beam=(3, 2, 1), seed=5),
        bw.NRPA(level=2, iterations=5, beam=4, playouts=3, repetitions=2, bias=0.5, seed=5),
    ],
)
def test_compiled_and_interpreted_beams_are_the_same(planner, game):
    plain = pickle.loads(pickle.dumps(planner))
    plain.compiled = False
    assert found(planner.search(game(), playouts=300)) == found(plain.search(game(), playouts=300))


@pytest.mark.bounds
def test_arrays_that_are_full_change_nothing(monkeypatch):
    state = bw.load_game(WEAK_SCHUR)()
    planner = bw.NRPA(level=2, iterations=12, beam=3, seed=4)
    roomy = found(planner.search(state, playouts=800))
    small_arrays(monkeypatch, moves=4)
    assert found(planner.search(state, playouts=800)) == roomy
    planner.compiled = False
    assert found(planner.search(state, playouts=800)) == roomy


def test_a_beam_has_different_lines_in_order_and_loses_no_row():
    state = bw.load_game(WEAK_SCHUR)()
    walker = PolicyWalker(
        state,
        problem_facts(state, "NRPA"),
        top=2,
        way=UNIFORM,
        runs=2,
        helpers=0,
        seed=1,
        thread=0,
        compiled=True,
        improver=None,
        iterations=6,
        coding=0,
        each=1,
        most_repeats=0,
        alpha=1.0,
        bias=1.0,
        spare=0.0,
        clamp=460.0,
        beam=(4, 3),
        sweeps=None,
        memory_mb=64,
    )
    walker.prepare()
    most = 0
    while not walker.is_over:
        walker.run(1)
        beam, lines = walker._beam, walker.lines
        free = beam.free[1 : beam.free[0] + 1].tolist()
        used = [row for level in (1, 2) for row in beam.rows[level, : beam.counts[level]].tolist()]
        if walker.task.facts[3] == 0:  # in the middle of a run
            assert sorted([*free, *used, int(walker._policy.rows[0])]) == list(range(1 + 4 + 3))
        for level in (1, 2):
            rows = beam.rows[level, : beam.counts[level]]
            scores = lines.score[rows]
            assert (np.diff(scores[np.isfinite(scores)]) <= 0).all()
            lengths = lines.length[rows]
            kept = {tuple(lines.actions[r, :n].tolist()) for r, n in zip(rows, lengths, strict=True)}
            assert len(kept) == len(rows) <= beam.widths[level]
            weights = beam.weights[level, : beam.widths[level]].tolist()
            starts = walker._policy.starts
            assert sorted(weights) == list(range(starts[level], starts[level + 1]))
            most = max(most, len(rows))
    assert most == 4


def test_a_beam_is_improved_by_the_rules():
    trip = bw.load_game("tsp(cities=30)")()
    plain = bw.NRPA(level=2, iterations=6, beam=2, seed=1, compiled=False)
    improving = bw.NRPA(level=2, iterations=6, beam=2, improve=True, seed=1, compiled=False)
    assert improving.search(trip, runs=1).best_score > plain.search(trip, runs=1).best_score


def test_a_result_names_its_beam():
    state = bw.load_game("left_move(moves=8)")()
    result = bw.NRPA(level=2, iterations=5, beam=(4, 1), seed=1, compiled=False).search(state)
    assert result.method == "nrpa(level=2,iterations=5,beam=4/1)"


@pytest.mark.parametrize(
    ("beam", "told"),
    [
        (0, "beam = 0 is outside its range"),
        (True, "beam = True is not a whole number"),
        (1.5, "beam = 1.5 is not a whole number"),
        ("4", "beam = '4' is not a whole number"),
        (None, "beam = None is not a whole number"),
        ((4, 1), "is not one number for each of the levels 1 to 3"),
        ((4, 0, 1), "beam = 0 is outside its range"),
        (1001, "beam = 1001 is outside its range"),
    ],
)
def test_beams_that_make_no_sense_are_refused(beam, told):
    with pytest.raises(bw.SettingsError, match=told):
        bw.NRPA(level=3, beam=beam)


def test_the_memory_of_a_beam_is_limited():
    state = bw.load_game("left_move(moves=60)")()
    with pytest.raises(bw.SettingsError, match="need more than 2 MB"):
        bw.NRPA(level=2, beam=200, memory_mb=2, seed=1, compiled=False).search(state)
