"""Whose values these are: after odd plies, passes and extra turns, and with three players.

A search with the point of view wrong still returns plausible moves, so each game here has a known answer.
"""

import pytest

import branchwise as bw
from branchwise.core.tree.child_indices import children_of
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing import solve_actions
from support.rules import Kalah, Passing, Race

BOTH = pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "python"])


def planner(compiled, **settings):
    return bw.MCTS(seed=5, compiled=compiled, **settings)


@BOTH
@pytest.mark.parametrize(
    ("moves", "player", "winning"),
    [("a1 g1 b1 g2 c1 g3", 0, "d1"), ("a1 g1 b1 g2 c1 g3 e1", 1, "g4")],
)
def test_a_win_in_one_is_worth_one_to_the_player_to_move_at_both_parities(compiled, moves, player, winning):
    result = planner(compiled).search(ConnectFour.from_actions(moves.split()), simulations=3000)
    assert result.player == player
    assert result.action_text(result.best_action) == winning
    assert result.value == 1.0
    assert result.principal_variation == (result.best_action,)


@BOTH
def test_the_sum_of_values_belongs_to_the_mover_at_every_node(compiled):
    """In a zero-sum game of two in turn, what its children gained a node lost, but for its first playout."""
    result = planner(compiled, proofs=False).search(TicTacToe(), simulations=2000)
    nodes = result.tree._tree.nodes[: len(result.tree)]
    for node in nodes[1:]:
        if node["first"] >= 0:
            children = nodes[children_of(nodes, node[None])[0]]
            playout = node["value"] - (children["visits"] - children["value"]).sum()
            assert 0 <= playout <= 1
            assert node["visits"] == 1 + children["visits"].sum()


@BOTH
@pytest.mark.parametrize("first", [None, 0, 1])
def test_three_players_each_maximise_their_own_return(compiled, first):
    """With 4 to go the player to move cannot win alone; with 1 or 2 to go they win at once."""
    for missing, wins in ((1, {0, 1}), (2, {1})):
        state = Race(total=Race.goal - missing, mover=2 if first is None else first)
        result = planner(compiled).search(state, simulations=500)
        assert result.player == state.mover
        assert result.best_action in wins
        assert result.value == 1.0


@BOTH
def test_a_player_of_three_is_not_credited_with_an_opponents_win(compiled):
    """With 3 to go, adding 1 lets the next player win at once, adding 2 leaves them 1: they win too."""
    result = planner(compiled).search(Race(total=7, mover=1), simulations=4000)
    assert result.player == 1
    assert all(child.value < -0.9 for child in result.children)


@BOTH
@pytest.mark.parametrize("game", [Kalah, Passing])
@pytest.mark.parametrize("chips", [4, 5, 6, 7])
@pytest.mark.parametrize("mover", [0, 1])
def test_values_are_the_movers_even_after_an_extra_turn_or_a_pass(compiled, game, chips, mover):
    state = game(chips=chips, mover=mover)
    exact = solve_actions(state)
    result = planner(compiled).search(state, simulations=3000)
    best = max(exact.values())
    assert exact[result.best_action] == best
    if best == 1.0:
        assert result.value > 0.5
    else:
        assert result.value < 0.0


NIM_40 = Nim.configured(heaps=(40,))
WON = [n for n in range(1, 41) if n % 4]


@pytest.mark.parametrize("chips", [n for n in WON if n < 24])
def test_nim_is_played_perfectly_from_every_won_heap_up_to_23(chips):
    for seed in range(3):
        result = bw.MCTS(seed=seed).search(NIM_40(chips=[chips]), simulations=100_000)
        assert result.ended_by == "proven"
        assert (result.value, result.best_action + 1) == (1.0, chips % 4)


@pytest.mark.slow
@pytest.mark.parametrize("chips", [n for n in WON if n >= 24])
def test_nim_is_played_perfectly_from_every_won_heap_up_to_40(chips):
    """A tree has no notion that two ways lead to the same heap: its proof takes millions of simulations."""
    result = bw.MCTS(c=0.2, memory_mb=3000, seed=1).search(NIM_40(chips=[chips]), simulations=60_000_000)
    assert (result.value, result.best_action + 1) == (1.0, chips % 4)


def test_uniform_playouts_have_the_exact_values_of_tic_tac_toe():
    """X wins 737/1260 of uniformly random games, O 121/420."""
    n = 200_000
    result = bw.MCTS(c=1e6, max_depth=1, seed=3, playout="uniform", proofs=False).search(
        TicTacToe(), simulations=9 * n
    )
    rates = {}
    for child in result.children:
        assert abs(child.visits - n) < 100
        rates[result.action_text(child.action)] = child.value
    # value = wins - losses; from the exact win rates, by enumeration in plain Python
    exact = {action: uniform_value(TicTacToe(), action) for action in range(9)}
    for action, value in exact.items():
        error = (1.0 / n) ** 0.5
        assert abs(rates[TicTacToe().action_to_string(action)] - value) < 4 * error
    mean = sum(rates.values()) / 9
    assert abs(mean - (737 / 1260 - 121 / 420)) < 4 * (1.0 / (9 * n)) ** 0.5


_values: dict[object, float] = {}


def uniform_value(state, action=None):
    """Return the exact mean return of player 0 under uniformly random play."""
    if action is not None:
        state = state.copy()
        state.apply_action(action)
    if state.is_terminal():
        return state.returns()[0]
    if state not in _values:
        legal = state.legal_actions()
        _values[state.copy()] = sum(uniform_value(state, a) for a in legal) / len(legal)
    return _values[state]


def test_uniform_value_of_tic_tac_toe_is_the_published_one():
    assert uniform_value(TicTacToe()) == pytest.approx(737 / 1260 - 121 / 420)


def perfect_actions(state):
    exact = solve_actions(state)
    return [action for action, value in exact.items() if value == max(exact.values())]


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("opponent", ["random", "perfect"])
def test_tic_tac_toe_is_never_lost_at_1000_simulations(seat, opponent):
    import random

    source = random.Random(seat)
    bot = bw.load_bot("mcts(simulations=1000)", seed=seat)
    wins = 0
    for _ in range(60):
        state = TicTacToe()
        while not state.is_terminal():
            if state.current_player() == seat:
                action = bot.choose(state)
            else:
                choices = state.legal_actions() if opponent == "random" else perfect_actions(state)
                action = source.choice(choices)
            state.apply_action(action)
        assert state.returns()[seat] >= 0
        wins += state.returns()[seat] > 0
    assert wins == 0 if opponent == "perfect" else wins > 30
