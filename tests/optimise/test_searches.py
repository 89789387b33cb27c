"""Nested search and NRPA: the recursions of textbooks, published results, budgets, threads, stopping."""

import itertools
import os
import pickle
import signal
import threading

import pytest

import branchwise as bw
from support.puzzles import Fork, Lottery, Stairs, Sum, Textbook, found, score_of, small_arrays

WEAK_SCHUR = "weak_schur(parts=3)"


# --- what is searched ---------------------------------------------------------------------------------------


@pytest.mark.bounds
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("game", [Stairs, Sum])
def test_nrpa_is_the_textbooks_recursion(game, compiled):
    for seed in range(3):
        textbook = Textbook(game(), seed)
        score, line = textbook.nrpa(2, 4, 0.7)
        result = bw.NRPA(level=2, iterations=4, alpha=0.7, seed=seed, compiled=compiled).search(game())
        if result.ended_by == "best possible":
            assert result.best_score == game.max_return == score
        else:
            assert (result.best_score, result.playouts) == (pytest.approx(score), textbook.playouts)
            assert result.best_score == pytest.approx(score_of(game(), line))


@pytest.mark.bounds
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("spare", [0.4, 1.0])
@pytest.mark.parametrize("game", [Sum, Fork])
def test_sparing_is_the_textbooks_recursion(game, spare, compiled, monkeypatch):
    small_arrays(monkeypatch, 2)
    differ = False
    for seed in range(5):
        textbook, plain = Textbook(game(), seed, spare=spare), Textbook(game(), seed)
        textbook.nrpa(3, 4, 0.7)
        plain.nrpa(3, 4, 0.7)
        planner = bw.NRPA(level=3, iterations=4, alpha=0.7, spare=spare, seed=seed, compiled=compiled)
        history = [(each.playouts, each.score) for each in planner.search(game()).history]
        assert history == [(count, pytest.approx(score)) for count, score in textbook.improvements]
        differ |= textbook.improvements != plain.improvements
    assert differ


@pytest.mark.bounds
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("game", [Sum, Fork])
def test_clamped_weights_are_the_textbooks(game, compiled):
    differ = False
    for seed in range(5):
        textbook, plain = Textbook(game(), seed, clamp=0.5), Textbook(game(), seed)
        textbook.nrpa(3, 4, 0.7)
        plain.nrpa(3, 4, 0.7)
        planner = bw.NRPA(level=3, iterations=4, alpha=0.7, clamp=0.5, seed=seed, compiled=compiled)
        history = [(each.playouts, each.score) for each in planner.search(game()).history]
        assert history == [(count, pytest.approx(score)) for count, score in textbook.improvements]
        differ |= textbook.improvements != plain.improvements
    assert differ


@pytest.mark.bounds
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("game", [Stairs, Sum, Fork])
def test_nested_search_is_the_textbooks_recursion(game, compiled):
    for seed in range(3):
        textbook = Textbook(game(), seed)
        score, line = textbook.nested(2)
        result = bw.NestedSearch(level=2, playout="uniform", seed=seed, compiled=compiled).search(game())
        assert result.best_score == pytest.approx(score)
        assert list(result.best_line) == line
        assert result.playouts == textbook.playouts or result.ended_by == "best possible"


@pytest.mark.bounds
@pytest.mark.parametrize("compiled", [True, False])
def test_nested_search_tries_actions_with_enough_prior(compiled):
    found = {}
    for share in (0.0, 0.6, 2 / 3, 0.7, 1.0):  # priors are 2 and 3
        for seed in range(3):
            textbook = Textbook(Stairs(), seed, min_prior=share)
            score, line = textbook.nested(2)
            planner = bw.NestedSearch(
                level=2, playout="uniform", min_prior=share, seed=seed, compiled=compiled
            )
            result = planner.search(Stairs())
            assert result.best_score == pytest.approx(score)
            assert list(result.best_line) == line
            assert result.playouts == textbook.playouts
            found.setdefault(share, []).append(result.playouts)
    assert found[0.0] == found[0.6] == found[2 / 3]
    assert found[0.7] == found[1.0] < found[0.0]


@pytest.mark.bounds
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("game", "level", "width", "samples"),
    [
        (Stairs, 2, 1, 3),
        (Fork, 2, 1, 3),
        (Lottery, 2, 2, 3),
        (Lottery, 3, 3, 2),
        (Lottery, 3, (2, 3), (4, 1)),
    ],
)
def test_nested_search_chooses_actions_by_samples(game, level, width, samples, compiled):
    for seed in range(3):
        planner = bw.NestedSearch(
            level=level, playout="uniform", width=width, samples=samples, seed=seed, compiled=compiled
        )
        textbook = Textbook(game(), seed, width=planner.width, samples=planner.samples)
        score, line = textbook.nested(level)
        result = planner.search(game())
        assert result.best_score == pytest.approx(score)
        assert list(result.best_line) == line
        assert result.playouts == textbook.playouts


def test_enough_width_for_all_actions_changes_nothing():
    every = found(bw.NestedSearch(level=3, seed=4).search(Lottery()))
    assert every == found(bw.NestedSearch(level=3, width=5, seed=4).search(Lottery()))
    assert every != found(bw.NestedSearch(level=3, width=4, seed=4).search(Lottery()))


@pytest.mark.parametrize("game", [Stairs, Sum])
@pytest.mark.parametrize(
    "planner",
    [
        bw.NRPA(level=3, iterations=4, seed=5),
        bw.NRPA(level=2, iterations=5, playouts=3, repetitions=2, bias=0.5, seed=5),
        bw.NRPA(level=2, iterations=5, bias=0.0, seed=5),
        bw.NRPA(level=2, iterations=5, beam=2, spare=0.3, seed=5),
        bw.NestedSearch(level=3, seed=5),
        bw.NestedSearch(level=3, width=1, samples=2, seed=5),
    ],
)
def test_compiled_and_interpreted_searches_are_the_same(planner, game):
    plain = pickle.loads(pickle.dumps(planner))
    plain.compiled = False
    assert found(planner.search(game(), playouts=200)) == found(plain.search(game(), playouts=200))


@pytest.mark.parametrize("playout", ["game", "prior"])
def test_playouts_follow_the_rules(playout):
    compiled, plain = (
        bw.NestedSearch(level=1, playout=playout, seed=2, compiled=how).search(Stairs(), runs=3)
        for how in (True, False)
    )
    uniform = bw.NestedSearch(level=1, playout="uniform", seed=2).search(Stairs(), runs=3)
    assert found(compiled) == found(plain)
    assert compiled.history != uniform.history


@pytest.mark.bounds
def test_arrays_that_are_full_change_nothing(monkeypatch):
    state = bw.load_game(WEAK_SCHUR)()
    planner = bw.NRPA(level=2, iterations=20, seed=4)
    roomy = found(planner.search(state))
    small_arrays(monkeypatch, moves=4)
    assert found(planner.search(state)) == roomy
    assert found(bw.NestedSearch(level=2, seed=4).search(state)) == found(
        bw.NestedSearch(level=2, seed=4).search(state)
    )
    planner.compiled = False
    assert found(planner.search(state)) == roomy


def test_a_repeated_line_ends_a_level_early():
    state = bw.load_game(WEAK_SCHUR)()
    whole = bw.NRPA(level=2, iterations=30, seed=1).search(state)
    short = bw.NRPA(level=2, iterations=30, repetitions=2, seed=1).search(state)
    assert short.runs == whole.runs == 1
    assert short.playouts < whole.playouts == 900


def test_several_playouts_before_each_adaptation():
    state = bw.load_game(WEAK_SCHUR)()
    assert bw.NRPA(level=2, iterations=5, playouts=3, seed=1).search(state).playouts == 75


# --- published results --------------------------------------------------------------------------------------


def test_left_moves_are_found_by_nrpa_of_level_2():
    state = bw.load_game("left_move")()
    for seed in range(10):
        assert bw.NRPA(level=2, iterations=50, seed=seed).search(state).best_score == 60


@pytest.mark.parametrize(("level", "mean"), [(1, 42.5), (2, 50.0)])
def test_nested_search_comes_as_far_on_left_moves_as_published(level, mean):
    state = bw.load_game("left_move")()
    scores = [bw.NestedSearch(level=level, seed=seed).search(state).best_score for seed in range(40)]
    assert sum(scores) / 40 == pytest.approx(mean, abs=1.5)


def test_the_longest_snake_in_six_dimensions_is_found():
    state = bw.load_game("snake_in_the_box(dimension=6)")()
    result = bw.NRPA(level=3, seed=1).search(state, playouts=1_000_000)
    assert (result.best_score, result.ended_by) == (26, "best possible")


@pytest.mark.slow
def test_nested_search_finds_the_longest_snake_in_seven_dimensions():
    state = bw.load_game("snake_in_the_box(dimension=7)")()
    result = bw.NestedSearch(level=3, seed=5).search(state, playouts=10_000_000)
    assert (result.best_score, result.ended_by) == (50, "best possible")
    corners = [0]
    for action in result.best_line:
        corners.append(corners[-1] ^ (1 << action))
    for (i, one), (j, other) in itertools.combinations(enumerate(corners), 2):
        assert ((one ^ other).bit_count() == 1) == (j == i + 1)


@pytest.mark.parametrize(("parts", "number"), [(1, 2), (3, 23), (4, 66)])
def test_weak_schur_numbers_are_reached(parts, number):
    state = bw.load_game(f"weak_schur(parts={parts})")()
    assert bw.NRPA(level=3, seed=0).search(state, playouts=60_000).best_score == number


@pytest.mark.slow
def test_the_record_of_five_weak_schur_parts_is_reached_from_a_solution_with_four():
    four, five = (bw.load_game(f"weak_schur(parts={parts})")() for parts in (4, 5))
    first = bw.NestedSearch(level=3, playout="prior", seed=5).search(four, playouts=500_000)
    for action in first.best_line:
        five.apply_action(action)
    rest = bw.NestedSearch(level=4, playout="prior", seed=5).search(five, playouts=1_000_000)
    line = first.best_line + rest.best_line
    assert len(line) == first.best_score + rest.best_score == 196
    for part in range(5):
        members = {number for number, chosen in enumerate(line, 1) if chosen == part}
        assert not any(one + other in members for one, other in itertools.combinations(members, 2))


# --- budgets, threads, stopping -----------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_line():
    state = bw.load_game(WEAK_SCHUR)()
    planner = bw.NRPA(level=3, iterations=10, seed=8)
    one, two = planner.search(state, playouts=700), planner.search(state, playouts=700)
    assert found(one) == found(two)
    assert (one.playouts, one.ended_by, one.seed) == (700, "playouts", 8)
    planner.seed = 9
    assert found(planner.search(state, playouts=700)) != found(one)


def test_threads_search_alone_and_the_best_line_counts():
    state = bw.load_game(WEAK_SCHUR)()
    planner = bw.NRPA(level=2, iterations=10, threads=3, seed=8)
    one, two = planner.search(state, playouts=1000), planner.search(state, playouts=1000)
    assert (one.best_score, one.best_line, one.playouts) == (two.best_score, two.best_line, 1000)
    alone = bw.NRPA(level=2, iterations=10, seed=8).search(state, playouts=334)
    assert one.best_score >= alone.best_score


def test_without_a_limit_each_thread_makes_one_run():
    state = bw.load_game(WEAK_SCHUR)()
    result = bw.NRPA(level=2, iterations=5, threads=2, seed=1).search(state)
    assert (result.runs, result.playouts, result.ended_by) == (2, 50, "runs")
    assert bw.NRPA(level=1, iterations=5, threads=4, seed=1).search(state, runs=3).playouts == 15


def test_a_budget_of_seconds_is_kept():
    result = bw.NRPA(level=4, seed=1).search(bw.load_game(WEAK_SCHUR)(), seconds=0.2)
    assert result.ended_by == "seconds"
    assert 0.2 <= result.seconds < 20.0  # on a busy machine, too


def test_a_search_can_be_stopped_and_tells_what_it_has():
    planner = bw.NRPA(level=5, seed=1)
    seen = []

    def stop(result):
        seen.append(result.best_score)
        planner.stop()

    result = planner.search(bw.load_game(WEAK_SCHUR)(), seconds=60, progress=stop)
    assert (result.ended_by, len(seen)) == ("stopped", 1)
    assert result.best_score >= seen[0] > 0


@pytest.mark.parametrize(("threads", "compiled"), [(1, True), (2, True), (1, False)])
def test_ctrl_c_keeps_the_best_line(threads, compiled):
    planner = bw.NRPA(level=5, threads=threads, seed=1, compiled=compiled)
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
    assert result.history[-1].score == result.best_score
    assert score_of(state, result.best_line) == result.best_score > 0


# --- results ------------------------------------------------------------------------------------------------


def test_a_result_is_a_value():
    state = bw.load_game("left_move(moves=8)")()
    result = bw.NestedSearch(level=1, seed=1, compiled=False).search(state)
    assert pickle.loads(pickle.dumps(result)).best_line == result.best_line
    assert result.end.is_terminal()
    assert len(result.best_moves) == 8
    assert [h.score for h in result.history] == sorted({h.score for h in result.history})
    assert result.history[-1].score == result.best_score
    told = result.to_dict()
    assert told["best_moves"] == list(result.best_moves)
    assert told["history"][-1]["score"] == told["best_score"]
    assert str(result).startswith("left_move(moves=8): score ")


def test_a_search_begins_where_it_is_told_to():
    state = bw.load_game("left_move")()
    state.apply_action(1)
    result = bw.NRPA(level=2, iterations=50, seed=1).search(state)
    assert (result.best_score, len(result.best_line)) == (59, 59)
    assert state.made == 1
