"""Matches against OpenSpiel's search: the same rules on both sides, limits, and results that are kept."""

import importlib
import json
import random
from pathlib import Path
from types import SimpleNamespace

import pytest

import branchwise as bw

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def opponents():
    pytest.importorskip("pyspiel")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("opponents")


@pytest.fixture(scope="module")
def kept_matches():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("kept_matches")


@pytest.mark.parametrize("name", ["othello", "hex", "breakthrough", "amazons", "dots_and_boxes"])
def test_every_action_is_translated_and_back(opponents, name):
    pyspiel = pytest.importorskip("pyspiel")
    ours, theirs = opponents.GAMES[name]
    state, other = bw.load_game(ours)(), pyspiel.load_game(theirs).new_initial_state()
    assert opponents.spiel_name(type(state)) == theirs
    rng = random.Random(1)
    while not state.is_terminal():
        actions = state.legal_actions()
        translated = [opponents.spiel_action(state, action, other) for action in actions]
        assert sorted(translated) == other.legal_actions()
        assert [opponents.our_action(state, action, other) for action in translated] == actions
        number = rng.randrange(len(actions))
        state.apply_action(actions[number])
        other.apply_action(translated[number])
    assert other.is_terminal()
    assert list(state.returns()) == other.returns()


def test_go_ends_as_in_openspiel_when_a_position_is_repeated(opponents):
    pyspiel = pytest.importorskip("pyspiel")
    game, theirs = opponents.SpielGo.configured(size=4), pyspiel.load_game("go(board_size=4)")
    repeated = 0
    for seed in range(60):
        rng = random.Random(seed)
        state, other = game(), theirs.new_initial_state()
        while not state.is_terminal():
            assert not other.is_terminal()
            assert state.legal_actions() == other.legal_actions()
            action = rng.choice(state.legal_actions()[:-1] or state.legal_actions())  # no early passes
            state.apply_action(action)
            other.apply_action(action)
        assert other.is_terminal()
        assert list(state.returns()) == other.returns()
        repeated += state.repeated
    assert 0 < repeated < 60


def test_openspiels_search_follows_a_game_and_takes_a_win(opponents):
    bot = opponents.OpenSpielBot(simulations=1000, seed=3)
    state, moves, rng = bw.load_game("breakthrough")(), [], random.Random(1)
    assert bot.choose(state, None, moves) in state.legal_actions()
    while not any(wins_at_once(state, action) for action in state.legal_actions()):
        moves.append(rng.choice(state.legal_actions()))
        state.apply_action(moves[-1])
    assert wins_at_once(state, bot.choose(state, None, moves))
    assert 0 < bot.result.simulations <= 1000


def wins_at_once(state, action):
    after = state.copy()
    after.apply_action(action)
    return after.is_terminal()


def test_only_searches_without_a_limit_are_limited(opponents):
    limited = opponents.limited
    assert limited("mcts", simulations=7) == "mcts(simulations=7)"
    assert limited("mcts(seconds=2)", simulations=7) == "mcts(seconds=2)"
    assert limited("gtp(command='gnugo --mode gtp')", seconds=1) == "gtp(command='gnugo --mode gtp')"
    assert limited(opponents.OPEN_SPIEL, simulations=7) == f"{opponents.OPEN_SPIEL}(simulations=7)"


def test_positions_to_measure_in_are_from_the_whole_of_a_game(opponents):
    positions = opponents.positions_of_play("hex(size=4)", seed=1)
    assert positions[0] == (bw.load_game("hex(size=4)")(), [])
    assert [len(moves) for _, moves in positions] == sorted({len(moves) for _, moves in positions})
    for state, moves in positions:
        assert not state.is_terminal()
        assert len(moves) == int((state.board[: state.cells] > 0).sum())


def test_a_program_has_its_own_limits_and_is_not_measured(opponents):
    contest = opponents.Contest("tic_tac_toe", "mcts(playout=uniform)", "random", 0.01, False)
    ours, theirs = opponents.simulations_in(contest)
    assert ours > 0
    assert theirs is None


def test_matches_in_a_file_are_continued_and_added_up(kept_matches, tmp_path):
    path = tmp_path / "rows.json"
    first = {"game": "hex", "seed": 1, "pairs": [0, 0, 1, 0, 4], "drawn_pairs": 0, "singles": [0, 0, 0]}
    rows = kept_matches.Rows(path)
    for row in (first, {**first, "seed": 2}, {**first, "game": "y"}):
        rows.add({**row, "plies": 9, "took": 1.0})
    again = kept_matches.Rows(path)
    assert again.all == rows.all == json.loads(path.read_text())
    assert again.contests() == [{"game": "hex"}, {"game": "y"}]
    assert [row["seed"] for row in again.of({"game": "hex"})] == [1, 2]
    assert (again.left({"game": "hex"}, 24), again.left({"game": "y"}, 4)) == (4, 0)
    assert (again.next_seed({"game": "hex"}), again.next_seed({"game": "go"})) == (3, 1)
    again.add({**first, "seed": 101, "plies": 9, "took": 1.0})
    assert (again.next_seed({"game": "hex"}, 7), again.next_seed({"game": "go"}, 7)) == (102, 7)
    again.all.pop()
    total = kept_matches.total(again.of({"game": "hex"}))
    assert (total.wins, total.draws, total.losses) == (18, 0, 2)


def test_a_match_that_is_interrupted_ends_the_run_and_does_not_count(kept_matches, monkeypatch):
    result = SimpleNamespace(ended_by="interrupted", records=[], faults=list)
    monkeypatch.setattr(bw.Match, "run", lambda self: result)
    with pytest.raises(KeyboardInterrupt):
        kept_matches.play("tic_tac_toe", ["random", "random"], games=2, seed=1, openings_depth=0)


def test_a_match_is_played_in_pairs_and_a_fault_ends_the_run(kept_matches, tmp_path):
    row = kept_matches.play("tic_tac_toe", ["minimax(depth=9)", "random"], games=4, seed=1, openings_depth=0)
    assert sum(row["pairs"]) == 2
    assert row["seed"] == 1
    broken = tmp_path / "broken.py"
    broken.write_text(
        "import branchwise as bw\nclass Broken(bw.Bot):\n    def choose(self, state):\n        return -1\n"
    )
    with pytest.raises(SystemExit, match="lost by a fault"):
        kept_matches.play("tic_tac_toe", ["random", f"{broken}:Broken"], games=2, seed=1, openings_depth=0)
