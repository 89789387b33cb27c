"""Comparisons: methods find what is known to be best, equal seeds give equal runs, errors come first."""

import math
import random
import signal
import subprocess
import sys
from importlib.util import find_spec

import pytest

import branchwise as bw
from branchwise.compare.comparison import MethodSummary, compare
from branchwise.compare.line_vectors import Decoder
from branchwise.compare.methods import METHODS, run_method
from branchwise.compare.run import Better, Budget, EnoughError, MethodRun, Record
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.optimise.walkers.problem import problem_facts, replayed
from branchwise.problems.sliding_puzzle import SlidingPuzzle

LIBRARIES = {"annealing": "simanneal", "genetic": "pygad"}


def method(text, *more):
    """A method for a parametrised test; skipped where its library is missing."""
    library = LIBRARIES.get(text)
    missing = library is not None and find_spec(library) is None
    return pytest.param(text, *more, marks=pytest.mark.skipif(missing, reason=f"needs {library}"))


def lefts(moves=6):
    return bw.load_game(f"left_move(moves={moves})")()


def puzzle(tiles=(1, 2, 3, 0, 4, 5)):
    """A puzzle that takes two slides."""
    return bw.load_game("sliding_puzzle(rows=2,columns=3)").from_board(tiles)


@pytest.mark.parametrize(
    "text", [method(text) for text in ("mcts", "nrpa(level=1)", "nested", "bfs", "dfs", *LIBRARIES)]
)
def test_every_method_finds_the_best_line_of_left_moves(text):
    found = run_method(text, lefts(), Budget(steps=3000), seed=1, compiled=False)
    assert found.best_score == 6.0
    assert found.best_line == (0,) * 6
    assert found.is_optimal
    assert found.steps <= 3000


@pytest.mark.parametrize("text", [method(text) for text in METHODS])
def test_every_method_finds_the_shortest_way_of_a_small_puzzle(text):
    found = run_method(text, puzzle(), Budget(steps=1500), seed=1, compiled=False)
    assert found.best_score == -2.0
    assert replayed(puzzle(), problem_facts(puzzle(), text), found.best_line).end.is_terminal()
    assert found.is_optimal == (text in ("bfs", "astar"))


@pytest.mark.parametrize("text", [method(text) for text in ("mcts", "nrpa", "nested", *LIBRARIES)])
def test_the_same_seed_gives_the_same_run(text):
    state = bw.load_game("weak_schur(parts=2)")()
    one, two = (run_method(text, state, Budget(steps=40), seed=3, compiled=False) for _ in range(2))
    assert (one.best_line, one.steps, one.best_score) == (two.best_line, two.steps, two.best_score)
    assert [better[1:] for better in one.history] == [better[1:] for better in two.history]


def test_annealing_leaves_the_random_numbers_of_others_and_ctrl_c_alone():
    pytest.importorskip("simanneal")
    handler = signal.getsignal(signal.SIGINT)
    random.seed(5)
    expected = random.Random(5).random()
    run_method("annealing", lefts(20), Budget(steps=60), seed=1)
    assert random.random() == expected
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.parametrize("text", [method(text) for text in METHODS])
def test_a_run_ends_with_its_seconds(text):
    state = bw.load_game("sliding_puzzle(rows=4,columns=4)").new_initial_state(bw.Random(1))
    found = run_method(text, state, Budget(seconds=0.2), seed=1, compiled=False)
    assert found.ended_by == "seconds"
    assert found.steps > 0


def test_shares_choose_among_the_legal_actions():
    state = puzzle((1, 0, 3, 4, 2, 5))
    facts = problem_facts(state, "test")
    decoder = Decoder(state, facts, "test")
    legal = list(state.legal_actions())
    assert len(legal) == 3
    for share, place in ((0.0, 0), (0.34, 1), (0.99, 2), (1.0, 2)):
        record = Record(Budget(steps=1), math.inf)
        decoder.score([share] * decoder.length, record)
        assert record.line[0] == legal[place]
        assert decoder.used == len(record.line) <= decoder.length
        with pytest.raises(EnoughError, match="steps"):
            decoder.score([share] * decoder.length, record)


@pytest.mark.parametrize("text", [method(text) for text in METHODS if text != "mcts"])
def test_states_are_counted_alike_whatever_enters_them(text):
    """Each applied action enters a state; the best line is played again when a run or an optimiser ends."""
    entered, state = counted(SlidingPuzzle)
    found = run_method(text, state, Budget(steps=60), seed=1, compiled=False)
    again = 2 if text in ("nrpa", "nested", "late_acceptance", "portfolio") else 1
    assert len(entered) == found.entered + again * len(found.best_line)
    assert 0 < found.history[-1].entered <= found.entered


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        (SlidingPuzzle, {}),
        (SlidingPuzzle, {"proofs": False}),
        (SlidingPuzzle, {"cutoff": 4}),
        (TicTacToe, {"playout": "uniform"}),
        (TicTacToe, {"playout": "decisive"}),
        (TicTacToe, {"playout": "anti_decisive", "proofs": False}),
        (TicTacToe, {"open_loop": True}),
    ],
)
def test_mcts_counts_the_states_that_it_enters(game, settings):
    entered, state = counted(game)
    planner = bw.MCTS(seed=1, compiled=False, **settings)
    for simulations in (100, 50):
        result = planner.search(state, simulations=simulations)
        assert len(entered) == result.moves > simulations
        entered.clear()


def counted(game):
    """Return a list to which each applied action is added, and a state of the game that does so."""
    entered = []

    class Counted(game):
        def apply_action(self, action):
            entered.append(action)
            return super().apply_action(action)

    if game is SlidingPuzzle:
        return entered, Counted.from_board([1, 2, 3, 4, 5, 6, 0, 7, 8])
    return entered, Counted()


@pytest.mark.parametrize("settings", [{}, {"proofs": False, "transpositions": True}])
def test_compiled_and_interpreted_searches_enter_as_many_states(settings):
    compiled, plain = (
        bw.MCTS(seed=3, compiled=how, **settings).search(lefts(), simulations=60).moves
        for how in (True, False)
    )
    assert compiled == plain > 60


# --- what is told of runs ---------------------------------------------------------------------------


def made_up(seed, *history, steps=100, seconds=1.0):
    found = tuple(Better(*better, 7 * better[1]) for better in history)
    score = found[-1].score if found else None
    return MethodRun("mcts", seed, score, (0,), steps, 7 * steps, seconds, found, "steps")


def test_a_curve_has_the_mean_of_the_best_scores_so_far():
    runs = made_up(0, (0.1, 10, 1.0), (0.3, 30, 5.0)), made_up(1, (0.2, 20, 3.0))
    one = MethodSummary("mcts", "simulations", runs)
    assert [(point.at, point.mean.mean) for point in one.curve("steps")] == [(20, 2.0), (30, 4.0), (100, 4.0)]
    assert [point.at for point in one.curve("seconds")] == [0.2, 0.3, 1.0]
    assert [(p.at, p.mean.mean) for p in one.curve("entered")] == [(140, 2.0), (210, 4.0), (700, 4.0)]
    assert (one.best, one.mean.mean, one.steps_to_best, one.entered_to_best) == (5.0, 4.0, 25.0, 175.0)
    (low, high) = one.mean.low, one.mean.high
    assert low < 3.0 < 5.0 < high


def test_without_a_line_in_every_run_there_is_no_mean():
    one = MethodSummary("mcts", "simulations", (made_up(0, (0.1, 10, 1.0)), made_up(1)))
    assert one.mean is None
    assert one.curve("steps") == []
    assert one.best == 1.0


def test_long_histories_are_thinned():
    history = [(number / 1000, number, float(number)) for number in range(1, 1000)]
    points = MethodSummary("mcts", "simulations", (made_up(0, *history, steps=2000),)).curve("steps")
    assert len(points) <= 41
    assert (points[0].at, points[-1].at, points[-1].mean.mean) == (1, 2000, 999.0)


def test_methods_that_draw_nothing_run_once():
    told = []
    result = compare(
        lefts(),
        ["dfs", "nrpa(level=1)"],
        steps=50,
        seeds=3,
        compiled=False,
        progress=lambda *at: told.append(at),
    )
    assert [len(one.runs) for one in result.methods] == [1, 3]
    assert [at[0] for at in told] == ["dfs", *["nrpa(level=1)"] * 3]
    assert {row["by"] for row in result.rows()} == {"seconds", "states", "playouts", "states entered"}
    assert result.to_dict()["methods"][0]["is_optimal"]


# --- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "text", "told"),
    [
        ("left_move", "mtcs", 'no method "mtcs"; did you mean "mcts"?'),
        ("left_move", "nrpa(levle=2)", 'no setting of nrpa "levle"; did you mean "level"?'),
        ("left_move", "nrpa(seed=2)", 'no setting of nrpa "seed"'),
        ("left_move", "bfs(max_states=2)", 'no setting of bfs "max_states"'),
        ("left_move", "astar", "astar needs a method heuristic, which left_move does not have"),
        ("nim", "bfs", "nim is for 2 players"),
        ("racetrack", "mcts", "chance"),
        ("frozen_lake", "nrpa", "chance"),
    ],
)
def test_a_method_that_cannot_run_is_one_clear_error_before_anything_runs(game, text, told):
    state = bw.load_game(game).new_initial_state(bw.Random(1))
    ran = []
    with pytest.raises(bw.BranchwiseError) as caught:
        compare(state, ["dfs", text], steps=10, progress=lambda *at: ran.append(at))
    assert told in str(caught.value)
    assert not ran


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({}, "a comparison needs a limit"),
        ({"seconds": 0.0}, "seconds = 0.0 is outside its range"),
        ({"steps": 0}, "steps = 0 is outside its range"),
        ({"steps": 1, "seeds": 0}, "seeds = 0 is outside its range"),
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(limits, told):
    with pytest.raises(bw.SettingsError, match=told):
        compare(lefts(), ["dfs"], **limits)
    with pytest.raises(bw.SettingsError, match="given twice"):
        compare(lefts(), ["dfs", "dfs"], steps=1)


@pytest.mark.parametrize(("text", "library"), LIBRARIES.items())
def test_without_its_library_it_is_said_what_to_install(text, library):
    code = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "from branchwise.cli.app import app\n"
        f"app(['compare', 'left_move', '--methods', 'dfs,{text}'], prog_name='branchwise')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert 'mend: pip install "branchwise[compare]"' in done.stderr
    assert "Traceback" not in done.stderr


class Endless(SlidingPuzzle):
    """A puzzle whose lines may go on for ever."""

    @classmethod
    def configure(cls):
        cls.horizon = 0
        cls.max_game_length = 30


@pytest.mark.parametrize("text", [method(text) for text in ("mcts", *LIBRARIES)])
def test_a_line_that_does_not_end_is_one_clear_error(text):
    state = Endless.from_board([8, 7, 6, 5, 4, 3, 2, 1, 0])
    with pytest.raises(bw.GameError, match="max_game_length"):
        run_method(text, state, Budget(steps=5000), seed=1, compiled=False)
