"""Playouts in several threads at each bottom step: what is searched, determinism, faults, stopping."""

import os
import signal
import threading

import pytest

import branchwise as bw
from support.puzzles import Lottery, Stairs, Textbook, Trap, found, score_of, small_arrays

WEAK_SCHUR = "weak_schur(parts=3)"
PLANNERS = [
    bw.NRPA(level=2, iterations=10, threads=3, parallel="leaf", seed=1),
    bw.NestedSearch(level=2, threads=3, parallel="leaf", seed=1),
]


# --- what is searched ---------------------------------------------------------------------------------------


@pytest.mark.bounds
@pytest.mark.parametrize("threads", [2, 5])
def test_nrpa_is_the_textbooks_with_several_playouts_at_each_step(threads):
    for seed in range(3):
        textbook = Textbook(Stairs(), seed, helpers=threads - 1)
        score, line = textbook.nrpa(2, 4, 0.7)
        planner = bw.NRPA(level=2, iterations=4, alpha=0.7, threads=threads, parallel="leaf", seed=seed)
        result = planner.search(Stairs())
        assert (result.best_score, result.playouts) == (pytest.approx(score), textbook.playouts)
        assert list(result.best_line) == line
        assert (result.playouts, result.runs) == (16 * threads, 1)


def test_beam_nrpa_is_the_textbooks_with_several_playouts_at_each_step():
    for seed in range(3):
        textbook = Textbook(Stairs(), seed, helpers=1)
        score, line = textbook.beam_nrpa(4, 0.7, (3, 2))[0]
        planner = bw.NRPA(
            level=2, iterations=4, alpha=0.7, beam=(3, 2), threads=2, parallel="leaf", seed=seed
        )
        result = planner.search(Stairs())
        assert (result.best_score, result.playouts) == (pytest.approx(score), textbook.playouts)
        assert list(result.best_line) == line


@pytest.mark.bounds
@pytest.mark.parametrize("threads", [2, 5])
def test_nested_search_is_the_textbooks_with_several_playouts_at_each_step(threads):
    for seed in range(3):
        textbook = Textbook(Stairs(), seed, helpers=threads - 1)
        score, line = textbook.nested(2)
        planner = bw.NestedSearch(level=2, playout="uniform", threads=threads, parallel="leaf", seed=seed)
        result = planner.search(Stairs())
        assert (result.best_score, result.playouts) == (pytest.approx(score), textbook.playouts)
        assert list(result.best_line) == line


@pytest.mark.bounds
@pytest.mark.parametrize("threads", [2, 5])
def test_all_threads_play_samples(threads):
    for seed in range(3):
        textbook = Textbook(Lottery(), seed, helpers=threads - 1, width=(2,), samples=(3,))
        score, line = textbook.nested(2)
        planner = bw.NestedSearch(level=2, width=2, samples=3, threads=threads, parallel="leaf", seed=seed)
        result = planner.search(Lottery())
        assert (result.best_score, result.playouts) == (score, textbook.playouts)
        assert list(result.best_line) == line


@pytest.mark.parametrize("planner", PLANNERS)
def test_the_same_seed_gives_the_same_line(planner):
    state = bw.load_game(WEAK_SCHUR)()
    first = found(planner.search(state, playouts=1500))
    for _ in range(5):
        assert found(planner.search(state, playouts=1500)) == first
    assert first[2] == 1500


@pytest.mark.parametrize("playout", ["game", "prior"])
def test_playouts_follow_the_rules_and_are_the_same_every_time(playout):
    planner = bw.NestedSearch(level=1, playout=playout, threads=2, parallel="leaf", seed=2)
    one, two = planner.search(Stairs(), runs=3), planner.search(Stairs(), runs=3)
    assert found(one) == found(two)
    assert score_of(Stairs(), one.best_line) == pytest.approx(one.best_score)


@pytest.mark.parametrize("planner", PLANNERS)
def test_arrays_that_are_full_change_nothing(monkeypatch, planner):
    state = bw.load_game(WEAK_SCHUR)()
    roomy = found(planner.search(state, playouts=600))
    small_arrays(monkeypatch, moves=4)
    assert found(planner.search(state, playouts=600)) == roomy


def test_many_short_searches_with_more_threads_than_cores_leave_no_thread_behind():
    state = bw.load_game(WEAK_SCHUR)()
    planner = bw.NRPA(level=2, iterations=3, threads=7, parallel="leaf", seed=1)
    first = found(planner.search(state))
    running = threading.active_count()
    for _ in range(40):
        assert found(planner.search(state)) == first
    assert first[2] == 63
    assert threading.active_count() == running


# --- budgets and stopping -----------------------------------------------------------------------------------


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_step_is_not_cut_short(planner):
    state = bw.load_game(WEAK_SCHUR)()
    for playouts, played in ((1, 3), (3, 3), (100, 102)):
        result = planner.search(state, playouts=playouts)
        assert (result.playouts, result.ended_by) == (played, "playouts")


def test_a_level_that_repeats_its_line_ends_in_the_middle_of_a_step():
    state = bw.load_game(WEAK_SCHUR)()
    planner = bw.NRPA(level=2, iterations=30, repetitions=2, threads=4, parallel="leaf", seed=1)
    one, two = planner.search(state, runs=2), planner.search(state, runs=2)
    assert found(one) == found(two)
    assert one.runs == 2
    assert one.playouts < 2 * 4 * 900
    assert one.playouts % 4 == 0


def test_lines_are_improved_by_the_rules():
    planner = bw.NRPA(level=2, iterations=2, improve=True, threads=3, parallel="leaf", seed=1)
    one, two = planner.search(Trap(), runs=2), planner.search(Trap(), runs=2)
    assert found(one) == found(two)
    assert (one.playouts, one.runs) == (24, 2)
    planner.improve = False
    assert one.best_score > planner.search(Trap(), runs=2).best_score


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_search_can_be_stopped_and_tells_what_it_has(planner):
    seen = []

    def stop(result):
        seen.append(result.best_score)
        planner.stop()

    result = planner.search(bw.load_game(WEAK_SCHUR)(), seconds=60, progress=stop)
    assert (result.ended_by, len(seen)) == ("stopped", 1)
    assert result.best_score >= seen[0] > 0


@pytest.mark.parametrize("planner", PLANNERS)
def test_ctrl_c_keeps_the_best_line(planner):
    state = bw.load_game(WEAK_SCHUR)()
    planner.search(state, playouts=10)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        result = planner.search(state, seconds=60)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert result.ended_by == "interrupted"
    assert score_of(state, result.best_line) == result.best_score > 0
    assert found(planner.search(state, playouts=300)) == found(planner.search(state, playouts=300))


# --- faults -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "told"), [(1, "IndexError"), (2, "inf")])
@pytest.mark.parametrize("planner", PLANNERS)
def test_a_fault_is_told_with_the_moves_of_the_thread_that_met_it(planner, kind, told):
    for trap in (37, 148, 223):
        with pytest.raises(bw.GameError, match=told) as caught:
            planner.search(Trap(trap=trap, kind=kind), seconds=60)
        *moves, last = f"{trap:08b}"
        if kind == 1:
            assert f"Trap.apply_action({last}) raised IndexError" in str(caught.value)
        else:
            moves.append(last)
        assert f"after: {' '.join(moves)} (from the state that was searched)" in str(caught.value)
    assert planner.search(Trap(trap=0, kind=0), playouts=300).best_score > 0


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_rule_that_does_not_end_in_any_thread_is_left(planner):
    with pytest.raises(bw.GameError, match="does not end"):
        planner.search(Trap(trap=254, kind=3), seconds=0.5)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: bw.NRPA(threads=2, parallel="tree"), "parallel = 'tree' is unknown"),
        (lambda: bw.NestedSearch(parallel="leaf"), 'parallel="leaf" is given with one thread'),
        (lambda: bw.NRPA(threads=2, parallel="leaf", compiled=False).search(Stairs()), "stay in Python"),
    ],
)
def test_settings_that_make_no_sense_are_refused(make, told):
    with pytest.raises(bw.SettingsError) as caught:
        make()
    assert told in str(caught.value)
