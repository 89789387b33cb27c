"""Proven values: equal to the exact solver's, never wrong, and used."""

import time

import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing import Solver, exact_value
from support.rows import slow
from support.rules import Kalah, Passing, Race
from support.sums import General, Undeclared

SMALL = [
    TicTacToe,
    Nim,
    Nim.configured(heaps=(2, 3, 3), max_take=0),
    Nim.configured(heaps=(1, 2, 3), max_take=0, misere=True),
    ConnectFour.configured(rows=4, columns=3, in_a_row=3),
    Kalah,
    Passing,
]
LIKE_OTHERS = (SMALL[2], SMALL[4])
"""Several heaps and four in a row are proven elsewhere, too; here only the slow tests compile them."""


@pytest.mark.parametrize(
    ("game", "compiled"),
    [
        *((game, False) for game in SMALL),
        *((slow if game in LIKE_OTHERS else pytest.param)(game, True) for game in SMALL),
    ],
    ids=lambda value: getattr(value, "name", "compiled" if value else "python"),
)
def test_a_solved_root_has_the_exact_value(game, compiled):
    result = bw.MCTS(seed=2, compiled=compiled).search(game(), simulations=100_000)
    assert result.ended_by == "proven"
    assert result.simulations < 100_000
    assert result.value == result.tree.root.proven == exact_value(game())


def test_tic_tac_toe_is_proven_a_draw_within_100_000_simulations():
    for seed in range(5):
        for c in (0.5, 1.0, 1.4):
            result = bw.MCTS(seed=seed, c=c).search(TicTacToe(), simulations=100_000)
            assert (result.ended_by, result.value) == ("proven", 0.0)


@pytest.mark.bounds
@pytest.mark.parametrize("game", [TicTacToe, Kalah, Passing, Nim], ids=lambda game: game.name)
def test_every_bound_in_the_tree_holds(game):
    """Each node's bounds enclose the exact value, for the player who moved into it."""
    solver = Solver()
    result = bw.MCTS(seed=4).search(game(), simulations=1500)
    waiting = [(result.tree.root, game())]
    solved = 0
    while waiting:
        node, state = waiting.pop()
        for child in node.children:
            after = state.copy()
            after.apply_action(child.action)
            if after.is_terminal():
                exact = after.returns()[state.current_player()]
            else:
                exact = solver.solve(after)
                if after.current_player() != state.current_player():
                    exact = -exact
            lower, upper = child.bounds
            assert lower <= exact <= upper
            solved += child.proven is not None
            waiting.append((child, after))
    assert solved > 50


def test_a_win_in_one_is_proven_by_the_first_simulation():
    state = ConnectFour.from_actions(["a1", "g1", "b1", "g2", "c1", "g3"])
    result = bw.MCTS(seed=1).search(state, simulations=1000)
    assert (result.ended_by, result.simulations, result.value) == ("proven", 1, 1.0)
    assert result.action_text(result.best_action) == "d1"


@pytest.mark.parametrize("simulations", [40, 100, 1000, 10_000])
def test_a_win_within_five_plies_is_played_at_every_budget_from_its_proof_on(simulations):
    """Two open in the middle of the bottom row: b1 or e1 makes two threats."""
    state = ConnectFour.from_actions(["c1", "c2", "d1", "d2"])
    for seed in range(5):
        result = bw.MCTS(seed=seed).search(state, simulations=100_000)
        assert (result.ended_by, result.value) == ("proven", 1.0)
        needed = result.simulations
        if simulations >= needed:
            again = bw.MCTS(seed=seed).search(state, simulations=simulations)
            assert again.children[0].proven == 1.0


def test_a_proven_loss_is_not_chosen_while_anything_else_is_there():
    """The opponent threatens d1; every other move loses at once."""
    state = ConnectFour.from_actions(["g1", "a1", "g2", "b1", "f1", "c1"])
    for simulations in (20, 50, 200, 2000):
        result = bw.MCTS(seed=3).search(state, simulations=simulations)
        assert result.action_text(result.best_action) == "d1"


def test_with_three_players_only_a_win_in_one_is_proven():
    won = bw.MCTS(seed=1).search(Race(total=9, mover=1), simulations=1000)
    assert (won.ended_by, won.value) == ("proven", 1.0)
    open_game = bw.MCTS(seed=1).search(Race(total=5), simulations=3000)
    assert open_game.ended_by == "simulations"
    assert all(child.proven is None for child in open_game.children)


class Shared(Kalah):
    """Both players get what the last one took: returns that do not add up to the same."""

    def returns(self):
        return (1.0, 1.0) if self.last == 0 else (-1.0, 1.0)


@pytest.mark.parametrize("compiled", [True, False])
def test_returns_that_do_not_add_up_are_searched_without_proofs(compiled):
    result = bw.MCTS(seed=1, compiled=compiled).search(Shared(), simulations=500)
    assert result.ended_by == "simulations"
    assert all(child.proven is None for child in result.children)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_search_begun_again_without_proofs_ends_in_time(compiled):
    planner = bw.MCTS(seed=1, compiled=compiled)
    planner.search(Shared(), seconds=0.01)  # compiled by now
    started = time.perf_counter()
    result = planner.search(Shared(), seconds=0.2)
    assert result.ended_by == "seconds"
    assert 0.2 <= result.seconds <= time.perf_counter() - started < 20  # on a busy machine, too


naps = []


class Sleepy(Kalah):
    """The first game, with which the search with proofs ends, takes longer than the whole limit."""

    def returns(self):
        if not naps:
            naps.append(time.sleep(0.1))
        return (1.0, 1.0)


def test_the_seconds_of_a_search_count_from_its_first_start():
    naps.clear()
    result = bw.MCTS(seed=1, compiled=False).search(Sleepy(), seconds=0.05)
    assert (result.ended_by, result.simulations) == ("seconds", 1)
    assert result.seconds >= 0.1


@pytest.mark.parametrize("proofs", [True, False], ids=["proofs", "no proofs"])
@pytest.mark.parametrize(
    "settings",
    [{}, {"transpositions": True}, {"backup": "max"}, {"backup": "power"}, {"implicit_minimax": 0.5}],
    ids=str,
)
def test_a_search_relies_on_no_sum_that_is_not_there(settings, proofs):
    """Whether the game declares that there is none or not, the values are the same, and both players' own."""
    values = [
        {child.action: (child.visits, child.value) for child in result.children}
        for game in (Undeclared, General)
        for result in [bw.MCTS(seed=1, proofs=proofs, **settings).search(game(), simulations=400)]
    ]
    assert values[0] == values[1]
    result = bw.MCTS(seed=1, proofs=proofs, **settings).search(Undeclared(moves=2), simulations=400)
    assert (result.best_action, result.value) == (0, 1.0)


class Solitaire(Nim):
    """One player: clear the heap in as few moves as can be."""

    num_players = 1
    utility = "general_sum"

    def current_player(self):
        return 0

    def returns(self):
        return (self.mover * 2.0 - 1.0,)


def test_one_player_proves_the_best_it_can_reach():
    result = bw.MCTS(seed=1).search(Solitaire(chips=[7]), simulations=5000)
    assert (result.ended_by, result.value) == ("proven", 1.0)


def test_proofs_can_be_switched_off():
    result = bw.MCTS(seed=1, proofs=False).search(TicTacToe(), simulations=50_000)
    assert result.ended_by == "simulations"
    assert result.simulations == 50_000
    assert "proven" not in str(result)


def test_the_table_shows_what_is_proven():
    text = str(bw.MCTS(seed=1).search(TicTacToe(), simulations=100_000))
    assert "proven +0" in text.splitlines()[0]
    assert "proven" in text.splitlines()[1]


@pytest.mark.parametrize("chips", range(1, 41))
def test_transpositions_prove_every_heap_of_nim(chips):
    state = Nim.configured(heaps=(40,))(chips=[chips])
    result = bw.MCTS(seed=1, transpositions=True).search(state, simulations=1000)
    assert result.ended_by == "proven"
    assert result.value == (-1 if chips % 4 == 0 else 1)


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "python"])
def test_a_graph_is_searched_no_deeper_than_allowed_by_any_way(compiled):
    """A state expanded near the root can be reached again by a longer way."""
    planner = bw.MCTS(seed=1, transpositions=True, max_depth=4, compiled=compiled, proofs=False)
    result = planner.search(Nim(), simulations=3000)
    path = planner._states.session.runner.searches[0].visit.levels
    assert result.simulations == 3000
    assert len(path) == 6
    assert sum(child.visits for child in result.children) == 3000


@pytest.mark.bounds
@pytest.mark.parametrize("heaps", [(3, 4, 5, 0), (1, 4, 5, 0), (7, 8, 9, 10)])
def test_transpositions_prove_nim_with_several_heaps(heaps):
    game = Nim.configured(heaps=(7, 8, 9, 10), max_take=0)
    result = bw.MCTS(seed=1, transpositions=True).search(game(chips=heaps), simulations=200_000)
    assert result.ended_by == "proven"
    lost = 0
    for heap in heaps:
        lost ^= heap
    assert result.value == (-1 if lost == 0 else 1)  # Bouton 1901


def test_transpositions_prove_connect_four_on_four_by_four_a_draw():
    game = ConnectFour.configured(rows=4, columns=4)
    result = bw.MCTS(seed=1, transpositions=True).search(game(), simulations=300_000)
    assert (result.ended_by, result.value) == ("proven", 0.0)


@pytest.mark.slow
def test_transpositions_prove_connect_four_on_five_by_five_a_draw():
    game = ConnectFour.configured(rows=5, columns=5)
    planner = bw.MCTS(seed=1, transpositions=True, c=0.3, memory_mb=8000)
    result = planner.search(game(), simulations=40_000_000)
    assert (result.ended_by, result.value) == ("proven", 0.0)
