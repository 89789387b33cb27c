"""Searches in the background, clocks, and the ways to end or divide a search."""

import time

import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.search.run import run


def test_a_running_search_gives_results_at_any_moment_and_stops():
    thinking = bw.MCTS(seed=1).start(ConnectFour())
    counts = [thinking.result().simulations for _ in range(5)]
    assert counts == sorted(counts)
    assert thinking.is_running
    final = thinking.stop()
    assert final.ended_by == "stopped"
    assert final.simulations >= counts[-1]
    assert not thinking.is_running
    assert thinking.result() is final


def test_a_running_search_ends_at_its_limit():
    thinking = bw.MCTS(seed=1).start(ConnectFour(), simulations=5000)
    assert thinking.wait().simulations == 5000
    plain = bw.MCTS(seed=1).search(ConnectFour(), simulations=5000)
    assert [c.visits for c in thinking.result().children] == [c.visits for c in plain.children]


def test_a_planner_does_one_search_at_a_time():
    planner = bw.MCTS(seed=1)
    thinking = planner.start(ConnectFour())
    with pytest.raises(bw.SettingsError, match="searching already"):
        planner.search(Nim(), simulations=10)
    with pytest.raises(bw.SettingsError, match="searching already"):
        planner.advance(0)
    thinking.stop()
    assert planner.search(Nim(), simulations=10).simulations == 10


def test_a_fault_in_the_background_is_raised_where_the_result_is_asked_for():
    class Endless(TicTacToe):
        name = "endless_in_background"
        max_game_length = 3

        def is_terminal(self):
            return False

    thinking = bw.MCTS(seed=1, compiled=False).start(Endless(), simulations=100)
    with pytest.raises(bw.GameError):
        thinking.wait()


def test_a_finished_game_is_refused_at_the_start_of_a_background_search():
    over = Nim(chips=[0])
    with pytest.raises(bw.GameError, match="over"):
        bw.MCTS().start(over)


def test_a_clock_never_runs_out():
    for increment in (0.0, 2.0):
        left = 10.0
        for _ in range(500):
            spent = bw.Clock(left, increment).seconds
            assert 0 < spent < left
            left = left - spent + increment
            if left < 1e-6:
                break
    assert bw.Clock(1000).seconds < 60


def test_a_search_keeps_to_its_clock():
    bw.MCTS(seed=1).search(ConnectFour(), simulations=10)
    result = bw.MCTS(seed=1).search(ConnectFour(), clock=bw.Clock(4.0))
    assert result.ended_by == "seconds"
    assert result.seconds == pytest.approx(bw.Clock(4.0).seconds, abs=0.5)


def test_a_bot_shares_its_clock_out_over_a_game():
    bot = bw.load_bot("mcts(clock=2,increment=0.01)", seed=1)
    bot.choose(ConnectFour())
    bot.new_game()
    state, started = ConnectFour(), time.perf_counter()
    while not state.is_terminal():
        state.apply_action(bot.choose(state))
    assert 0.5 < time.perf_counter() - started < 10


@pytest.mark.parametrize("text", ["mcts(clock=1,simulations=5)", "mcts(increment=1)", "mcts(clock=-1)"])
def test_limits_of_a_bot_that_contradict_each_other_are_refused(text):
    with pytest.raises(bw.SettingsError):
        bw.load_bot(text)


def test_a_search_whose_leader_cannot_be_caught_stops_early_with_the_same_move():
    state = ConnectFour.from_actions(["a1", "g1", "b1", "g2", "c1", "g3"])
    plain = bw.MCTS(seed=4, proofs=False).search(state, simulations=50_000)
    early = bw.MCTS(seed=4, proofs=False, early_stop=True).search(state, simulations=50_000)
    assert early.ended_by == "decided"
    assert early.simulations < 50_000
    assert early.best_action == plain.best_action


@pytest.mark.parametrize("compiled", [None, False], ids=["compiled", "python"])
def test_halving_spends_its_budget_and_ends_with_two_candidates(compiled):
    result = bw.MCTS(seed=1, halving=True, compiled=compiled, proofs=False).search(
        ConnectFour(), simulations=2000
    )
    assert result.simulations == 2000
    visits = sorted((child.visits for child in result.children), reverse=True)
    assert abs(visits[0] - visits[1]) <= 3  # one in each of the three rounds
    assert visits[1] > visits[2] > 0


def test_halving_compares_the_same_actions_in_all_trees():
    settings = {"seed": 1, "halving": True, "proofs": False}
    result = bw.MCTS(**settings, threads=2, parallel="root").search(ConnectFour(), simulations=2000)
    visits = sorted((child.visits for child in result.children), reverse=True)
    assert abs(visits[0] - visits[1]) <= 12
    assert visits[1] > 2 * visits[2] > 0


@pytest.mark.parametrize("settings", [{"halving": True}, {"early_stop": True}], ids=str)
def test_the_same_budget_of_simulations_gives_the_same_tree_at_any_speed(settings, monkeypatch):
    def visits():
        result = bw.MCTS(seed=1, proofs=False, **settings).search(ConnectFour(), simulations=20_000)
        return [(child.action, child.visits) for child in result.children]

    expected = visits()
    monkeypatch.setattr(run, "_CHUNK_SECONDS", 1e-4)
    assert visits() == expected


def test_halving_keeps_to_seconds_and_finds_a_win():
    state = ConnectFour.from_actions(["a1", "g1", "b1", "g2", "c1", "g3"])
    result = bw.MCTS(seed=1, halving=True, proofs=False).search(state, seconds=0.2)
    assert result.action_text(result.best_action) == "d1"


@pytest.mark.parametrize("choice", ["visits", "value", "secure"])
def test_the_best_action_has_most_of_what_is_chosen_by(choice):
    result = bw.MCTS(seed=1, choice=choice, proofs=False).search(ConnectFour(), simulations=500)
    key = {
        "visits": lambda c: c.visits,
        "value": lambda c: c.value,
        "secure": lambda c: c.lower_bound,
    }[choice]
    assert key(result.children[0]) == max(key(child) for child in result.children)


def test_a_bot_with_a_temperature_varies_its_moves_but_takes_a_proven_win():
    firsts = {
        bw.load_bot("mcts(simulations=100,temperature=2)", seed=s).choose(ConnectFour()) for s in range(12)
    }
    assert len(firsts) > 2
    state = ConnectFour.from_actions(["a1", "g1", "b1", "g2", "c1", "g3"])
    wins = {bw.load_bot("mcts(simulations=100,temperature=5)", seed=s).choose(state) for s in range(8)}
    assert wins == {3}


@pytest.mark.bounds
def test_the_quickest_win_and_the_longest_loss_come_first():
    # with 21 chips lost ones are multiples of 4; at 5, taking one leaves 4
    result = bw.MCTS(seed=1).search(Nim(chips=[7]), simulations=20_000)
    assert result.ended_by == "proven"
    assert result.children[0].moves_to_end == 3
    assert len(result.principal_variation) == 3
    lost = bw.MCTS(seed=1).search(Nim(chips=[8]), simulations=20_000)
    assert lost.value == -1
    assert lost.children[0].moves_to_end == max(c.moves_to_end for c in lost.children) == 4


def test_pondering_continues_from_the_position_that_the_opponent_leaves():
    bot = bw.load_bot("mcts(seconds=0.05)", seed=1)
    state = ConnectFour()
    state.apply_action(bot.choose(state))
    bot.ponder(state)
    time.sleep(0.3)
    state.apply_action(3)
    bot.choose(state)
    assert bot.result.tree.root.visits > bot.result.simulations
