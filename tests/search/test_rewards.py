"""Searches of games that pay on the way: exact values, compiled against interpreted, bad rewards."""

import json
import math

import numpy as np
import pytest

import branchwise as bw
from branchwise.testing import Expectimax, check_game, value_iteration
from branchwise.testing.reference import ReferencePlanner
from support.paying import Auction, Corridor, Duel, Gifts, Treadmill, Wheel
from support.rows import bounded, slow
from support.trees import all_facts

SETTINGS = [
    {},
    {"proofs": False},
    {"selection": "rave"},
    {"selection": "ucb1_tuned"},
    {"playout": "mast"},
    {"playout": "nst"},
    {"playout": "last_good_reply"},
    {"transpositions": True},
    {"transpositions": True, "proofs": False},
    {"scale": "bounds"},
    {"backup": "power"},
    {"backup": "max"},
    {"backup": "max", "transpositions": True},
    {"repeat": 1},
    {"playouts": 3},
    {"widening": 2.0},
]

ALL = [Corridor, Auction, Wheel, Treadmill, Duel]
SOLVABLE = [Corridor, Auction, Wheel, Treadmill]

TOGETHER = [
    (Wheel, {"selection": "rave", "playout": "nst", "backup": "power", "widening": 2.0}),
    (Auction, {"selection": "ucb1_tuned", "playout": "mast", "scale": "bounds", "proofs": False}),
    (Wheel, {"transpositions": True, "backup": "power", "playout": "last_good_reply", "playouts": 3}),
    (Duel, {"backup": "max", "repeat": 1}),
]
"""Each of the settings in as few compositions as possible, since each composition is compiled for itself."""

PAIRS = [bounded(Wheel, {}), *((game, {}) for game in ALL if game is not Wheel)]
PAIRS += [bounded(game, settings) for game, settings in TOGETHER]
PAIRS += [slow(game, settings) for settings in SETTINGS[1:] for game in (Auction, Wheel)]
PAIRS += [slow(Duel, {"transpositions": True}), slow(Duel, {"backup": "power", "transpositions": True})]
PAIRS += [slow(Treadmill, {"playout": "mast"})]


# --- exact values ---------------------------------------------------------------------------------------


def test_exact_values_are_those_worked_out_by_hand():
    assert Expectimax().value(Corridor()) == pytest.approx(-1 - 0.9 + 0.81 * 10)
    assert Expectimax().value(Treadmill()) == 9.0  # 3, a step for nothing, 3, a step for nothing, 3
    first_chip = Expectimax().value(Auction(taken=[True] * 5 + [False], moves=5))
    assert first_chip == -3.0
    last_turn = Wheel(turns=3, purse=2)
    assert Expectimax().value(last_turn) == pytest.approx(-2 + 0.4 * 6.25)
    before_it = Wheel(turns=2, purse=0)
    assert Expectimax().value(before_it) == pytest.approx(0.4 * 0.25 + 0.5 * 0.4 * 0.25)


@pytest.mark.parametrize("game", [Corridor, Auction, Wheel])
def test_value_iteration_and_expectimax_agree(game):
    assert value_iteration(game()).value(game()) == pytest.approx(Expectimax().value(game()), abs=1e-8)
    exact = Expectimax().action_values(game())
    assert value_iteration(game()).action_values(game()) == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize(
    ("game", "transpositions", "compiled"),
    [
        *((game, False, None) for game in SOLVABLE),
        *((Wheel, transpositions, False) for transpositions in (False, True)),
        (Wheel, True, None),
        *(slow(game, False, False) for game in (Corridor, Auction, Treadmill)),
        *(
            slow(game, True, compiled)
            for game in (Corridor, Auction, Treadmill)
            for compiled in (None, False)
        ),
    ],
)
def test_a_small_problem_is_solved_with_its_exact_value(game, transpositions, compiled):
    state = Corridor(steps=12) if game is Corridor else game()
    planner = bw.MCTS(seed=1, transpositions=transpositions, compiled=compiled)
    result = planner.search(state, simulations=6000)
    exact = Expectimax().action_values(state)
    best = max(exact.values())
    assert result.ended_by == "proven"
    assert result.value == pytest.approx(best, rel=1e-6)
    assert exact[result.best_action] == pytest.approx(best)


def test_with_a_horizon_equal_states_share_a_node_after_as_many_decisions():
    """Two states of the treadmill, tired or not, after each number of decisions; of 63 nodes in the tree."""
    tree = bw.MCTS(seed=1, transpositions=True, proofs=False).search(Treadmill(), simulations=500).tree
    by_state, waiting = {}, [((), tree.root)]
    while waiting:
        line, node = waiting.pop()
        tired = False
        for action in line:
            tired = action == 1 and not tired
        stands_for_it = tree.reader.links[node.index]
        assert by_state.setdefault((len(line), tired), stands_for_it) == stands_for_it
        waiting += [((*line, child.action), child) for child in node.children]
    assert len(set(by_state.values())) == len(by_state) == 1 + 2 * Treadmill.horizon


@pytest.mark.parametrize(
    ("game", "proofs"),
    [
        *((game, True) for game in SOLVABLE),
        (Wheel, False),
        *(slow(game, False) for game in (Corridor, Auction, Treadmill)),
    ],
)
def test_values_come_close_to_the_exact_ones(game, proofs):
    result = bw.MCTS(seed=2, proofs=proofs).search(game(), simulations=30_000)
    exact = Expectimax().action_values(game())
    low, high = result.scale
    assert result.value == pytest.approx(max(exact.values()), abs=0.03 * (high - low))
    assert exact[result.best_action] == pytest.approx(max(exact.values()))


@pytest.mark.parametrize("moves", [[], [0], [2], [5, 0], [2, 4], [0, 1, 2]], ids=str)
def test_each_player_of_two_looks_for_their_own_rewards(moves):
    """From positions of both parities, and with the same player to move twice."""
    state = Auction.from_actions(moves)
    exact = Expectimax().action_values(state)
    for settings in ({}, {"proofs": False}):
        result = bw.MCTS(seed=3, **settings).search(state, simulations=20_000)
        assert result.player == state.mover
        assert exact[result.best_action] == pytest.approx(max(exact.values()))
        assert result.value == pytest.approx(max(exact.values()), abs=0.15)


def best(state):
    """Return what each player gets if everyone takes what is best for them."""
    if state.is_terminal():
        return (0.0,) * state.num_players
    mover, found = state.current_player(), None
    for action in (0, 1):
        after = state.copy()
        paid = after.apply_action(action)
        total = tuple(now + state.discount * later for now, later in zip(paid, best(after), strict=True))
        if found is None or total[mover] > found[mover]:
            found = total
    return found


@pytest.mark.parametrize("moves", [[], [0], [1], [0, 1], [1, 1, 0]], ids=str)
@pytest.mark.parametrize("settings", [{}, slow({"proofs": False}), {"transpositions": True}], ids=str)
def test_each_of_three_players_looks_for_their_own_rewards(moves, settings):
    state = Gifts.from_actions(moves)
    result = bw.MCTS(seed=1, **settings).search(state, simulations=20_000)
    assert result.player == state.mover
    assert result.value == pytest.approx(best(state)[state.mover], abs=0.05)


def test_without_a_constant_sum_each_player_takes_what_is_best_for_them():
    """The exact values come from the last move backwards; each player takes what is best for them."""

    for moves in ([], [1], [1, 1], [1, 1, 1], [0, 1]):
        state = Duel.from_actions(moves)
        exact = best(state)[state.mover]
        for settings in ({}, {"transpositions": True}):
            result = bw.MCTS(seed=1, **settings).search(state, simulations=20_000)
            assert all(child.proven is None for child in result.children) or len(moves) == 3
            assert result.value == pytest.approx(exact, abs=0.1)


def test_a_discount_counts_decisions_and_not_outcomes():
    class TwoDice(Wheel):
        """The wheel turns twice for each stake, the first time for nothing."""

        num_outcomes = 2
        max_game_length = 12
        turned: bool = False

        def apply_action(self, action):
            if self.stake >= 0 and not self.turned:
                self.turned = True
                return 0.0
            self.turned = False
            if self.stake < 0:
                self.stake = action
                self.purse -= action
                return -1.0 * action
            stake = self.stake
            self.stake = -1
            self.turns += 1
            if action:
                self.purse += 3 * stake
                return 3.0 * stake + 0.25
            return None

    assert Expectimax().value(TwoDice()) == pytest.approx(Expectimax().value(Wheel()))
    result = bw.MCTS(seed=1, transpositions=True).search(TwoDice(), simulations=20_000)
    assert result.ended_by == "proven"
    assert result.value == pytest.approx(Expectimax().value(Wheel()), rel=1e-6)


@pytest.mark.parametrize(
    ("game", "transpositions"),
    [
        *((game, False) for game in (Corridor, Auction, Wheel)),
        (Wheel, True),
        *(slow(game, True) for game in (Corridor, Auction)),
    ],
)
def test_every_bound_in_a_tree_holds(game, transpositions):
    """Each node's bounds enclose the exact worth of the move into it, for the player who chose it."""
    exact = Expectimax()
    result = bw.MCTS(seed=4, transpositions=transpositions).search(game(), simulations=700)
    waiting = [(child, game(), 0) for child in result.tree.root.children]
    solved = 0
    seen = set()
    while waiting:
        node, state, mover = waiting.pop()
        by_chance = state.current_player() == bw.CHANCE
        mover = mover if by_chance else state.current_player()
        if transpositions and (state, node.action) in seen:
            continue
        seen.add((state, node.action))
        worth = exact.action_values(state)[node.action]
        worth = -worth if by_chance and mover == 1 else worth
        lower, upper = node.bounds
        assert lower <= worth + 1e-5
        assert upper >= worth - 1e-5
        solved += node.proven is not None
        after = state.copy()
        after.apply_action(node.action)
        if not after.is_terminal():
            waiting += [(child, after, mover) for child in node.children]
    assert solved > 10


# --- one tree, however it is built ----------------------------------------------------------------------


@pytest.mark.parametrize(("game", "settings"), PAIRS, ids=str)
def test_compiled_and_interpreted_searches_build_the_same_tree(game, settings):
    compiled = bw.MCTS(seed=3, **settings).search(game(), simulations=250)
    plain = bw.MCTS(seed=3, compiled=False, **settings).search(game(), simulations=250)
    assert compiled.simulations == plain.simulations
    assert all_facts(compiled.tree.root) == all_facts(plain.tree.root)


@pytest.mark.parametrize("game", [Auction, Treadmill])
def test_code_that_comes_later_carries_on_with_the_same_tree(game):
    later = bw.MCTS(seed=3, compiled="meanwhile").search(game(), simulations=250)
    assert all_facts(later.tree.root) == all_facts(bw.MCTS(seed=3).search(game(), simulations=250).tree.root)


@pytest.mark.parametrize("game", [Corridor, Auction, Treadmill, Duel])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_tree_is_that_of_the_reference(game, seed):
    settings = {"repeat": 1, "playout": "uniform", "proofs": False, "scale": "seen"}
    result = bw.MCTS(seed=seed, c=0.7, **settings).search(game(), simulations=400)
    reference = ReferencePlanner(seed=seed, c=0.7, scale="seen").search(game(), 400)
    waiting = [(result.tree.root, reference)]
    while waiting:
        mine, theirs = waiting.pop()
        assert mine.visits == theirs.visits
        if mine.value is not None:
            assert mine.action == theirs.action
            assert mine.value == pytest.approx(theirs.mean)
        children = sorted(mine.children, key=lambda child: child.index)
        waiting += zip(children, theirs.children, strict=True)


@pytest.mark.parametrize(
    ("game", "parallel"),
    [
        (Auction, "leaf"),
        (Auction, "root"),
        slow(Auction, "tree"),
        slow(Wheel, "leaf"),
        (Wheel, "root"),
        (Wheel, "tree"),
    ],
)
def test_threads_search_games_that_pay(game, parallel):
    result = bw.MCTS(seed=1, threads=2, parallel=parallel, proofs=False).search(game(), simulations=30_000)
    exact = Expectimax().action_values(game())
    assert result.simulations >= 30_000
    assert exact[result.best_action] == pytest.approx(max(exact.values()))
    low, high = result.scale
    assert result.value == pytest.approx(max(exact.values()), abs=0.05 * (high - low))


# --- reuse, files, foreign states -----------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [None, False], ids=["compiled", "python"])
@pytest.mark.parametrize(
    ("game", "moves", "settings"),
    [
        (Corridor, [1], {}),
        (Auction, [2, 0], {}),
        (Auction, [2, 0], {"transpositions": True}),
        (Wheel, [2, 1], {}),
    ],
    ids=str,
)
def test_what_is_kept_of_a_tree_is_worth_what_is_still_to_come(game, moves, settings, compiled):
    planner, state = bw.MCTS(seed=1, compiled=compiled, **settings), game()
    planner.search(state, simulations=3000)
    for move in moves:
        assert planner.advance(move)
        state.apply_action(move)
    result = planner.search(state, simulations=3000)
    exact = Expectimax().action_values(state)
    assert result.value == pytest.approx(max(exact.values()), abs=0.2)
    for child in result.children:
        assert child.lower - 1e-5 <= exact[child.action] <= child.upper + 1e-5


def test_nothing_is_kept_where_the_horizon_moves_on():
    planner, state = bw.MCTS(seed=1), Treadmill()
    planner.search(state, simulations=3)
    assert not planner.advance(1)
    state.apply_action(1)
    assert planner.search(state, simulations=1000).value == Expectimax().value(state)


@pytest.mark.parametrize("settings", [{}, {"transpositions": True}], ids=str)
def test_a_tree_with_rewards_is_saved_and_loaded(tmp_path, settings):
    tree = bw.MCTS(seed=1, **settings).search(Wheel(), simulations=60).tree
    tree.save(tmp_path / "wheel.tree")
    loaded = bw.load_tree(tmp_path / "wheel.tree", game=Wheel)
    assert all_facts(loaded.root) == all_facts(tree.root)
    assert loaded.facts == tree.facts
    assert loaded.to_text() == tree.to_text()
    assert loaded.to_svg() == tree.to_svg()


class Foreign:
    """The corridor with the methods of another library: `rewards` gives those of the last move."""

    num_players, num_actions, discount = 1, 2, 0.9

    def __init__(self, state=None, last=0.0):
        self.inner, self.last = state or Corridor(), last

    def clone(self):
        return Foreign(self.inner.copy(), self.last)

    def apply_action(self, action):
        self.last = float(self.inner.apply_action(action))

    def rewards(self):
        return [self.last]

    def current_player(self):
        return self.inner.current_player()

    def legal_actions(self):
        return self.inner.legal_actions()

    def is_terminal(self):
        return self.inner.is_terminal()


def test_other_state_objects_are_asked_for_their_rewards():
    foreign = bw.MCTS(seed=3).search(Foreign(), simulations=250)
    mine = bw.MCTS(seed=3).search(Corridor(), simulations=250)
    assert all_facts(foreign.tree.root) == all_facts(mine.tree.root)


# --- bad input ------------------------------------------------------------------------------------------


def returning(value, base=Corridor, **constants):
    """Return a class whose third move returns `value`."""

    def apply_action(self, action):
        self.place += 2 * action - 1
        self.steps += 1
        if self.steps == 3:
            return value
        return -1.0

    return type("Broken", (base,), {"apply_action": apply_action, **constants})


BAD = {
    "returned inf": returning(math.inf),
    "returned nan": returning(math.nan),
    "returned 1e+308": returning(1e308),
    "returned (1.0, 2.0), but num_players is 1": returning((1.0, 2.0)),
}


@pytest.mark.parametrize("way", ["search", "interpreted", "check"])
@pytest.mark.parametrize(("told", "game"), BAD.items(), ids=["infinite", "nan", "huge", "two"])
def test_bad_rewards_are_one_clear_error(told, game, way):
    with pytest.raises(bw.GameError) as caught:
        if way == "check":
            check_game(game, games=50)
        bw.MCTS(seed=1, compiled=None if way == "search" else False).search(game(), simulations=100)
    assert "Broken.apply_action" in caught.value.problem
    assert told in caught.value.problem
    assert caught.value.after is not None
    assert len(caught.value.after.split()) == 2  # the moves that lead there


def test_rewards_beside_returns_are_one_clear_error():
    class Both(returning(1.0)):
        min_return, max_return = -1.0, 1.0

        def returns(self):
            return (0.0,)

    for ask in (lambda: check_game(Both, games=20), lambda: bw.MCTS().search(Both(), simulations=100)):
        with pytest.raises(bw.GameError, match="has returns, which count at the end alone") as caught:
            ask()
        assert "leave returns out" in caught.value.mend


def test_rewards_that_are_not_zero_sum_are_a_fault():
    class Generous(Auction):
        def apply_action(self, action):
            self.taken[action] = True
            self.moves += 1
            self.mover = 1 - self.mover
            return (1.0, 1.0)

    with pytest.raises(bw.GameError, match="must add up to 0"):
        check_game(Generous, games=10)


@pytest.mark.parametrize("discount", [-0.1, 1.5, math.nan, "half", True])
def test_a_discount_is_from_0_to_1(discount):
    with pytest.raises(bw.GameError, match="discount"):
        bw.MCTS().search(type("Odd", (Corridor,), {"discount": discount})(), simulations=1)


@pytest.mark.parametrize("horizon", [-1, 2.5, True])
def test_a_horizon_is_a_whole_number(horizon):
    with pytest.raises(bw.GameError, match="horizon"):
        type("Odd", (Corridor,), {"horizon": horizon})()


def test_a_problem_without_an_end_needs_a_horizon():
    endless = type("Endless", (Treadmill,), {"horizon": 0})
    with pytest.raises(bw.GameError, match="not over after 50 moves") as caught:
        check_game(endless, games=2)
    assert "needs a horizon" in caught.value.mend
    slow = type("Slow", (endless,), {"max_game_length": 10**9})
    with pytest.raises(bw.GameError, match="was not over after") as caught:
        check_game(slow, games=2, seconds=0.3)
    assert "needs a horizon" in caught.value.mend
    report = check_game(Treadmill, games=20)
    assert (report.shortest, report.longest) == (50, 50)


def test_a_discount_or_horizon_needs_rewards():
    from branchwise.games.tic_tac_toe import TicTacToe

    for constant in ({"discount": 0.5}, {"horizon": 4}):
        with pytest.raises(bw.GameError, match="but it has returns"):
            type("Odd", (TicTacToe,), constant)()


def test_settings_that_rewards_do_not_go_with_are_refused():
    with pytest.raises(bw.GameError, match="moves that win"):
        bw.MCTS(playout="decisive").search(Corridor(), simulations=10)


def test_bounds_of_what_is_still_to_come_are_checked_and_used():
    class Bounded(Corridor):
        min_return, max_return = -20.0, 10.0

    solved = bw.MCTS(seed=1).search(Bounded(), simulations=3000)
    assert Expectimax().value(Bounded()) == pytest.approx(solved.value, abs=0.1)
    assert np.isfinite([bound for child in solved.children for bound in (child.lower, child.upper)]).all()

    class Wrong(Corridor):
        min_return, max_return = -2.0, 1.0

    for settings in ({}, {"compiled": False}):
        with pytest.raises(bw.GameError, match=r"still to come for player 0, but min_return is -2"):
            bw.MCTS(seed=1, **settings).search(Wrong(), simulations=3000)


def test_trees_without_bounds_are_json():
    tree = bw.MCTS(seed=1).search(Corridor(), simulations=50).tree
    told = json.loads(json.dumps(tree.to_dict(), allow_nan=False))
    assert {node["upper"] for node in told["nodes"]} >= {None}


@pytest.mark.parametrize("game", ALL)
def test_the_checker_plays_in_step_with_compiled_code(game):
    report = check_game(game, games=60)
    assert report.games == report.compared == 60


@pytest.mark.parametrize("settings", [{}, {"compiled": False}], ids=str)
def test_rules_that_raise_where_rewards_are_paid_are_reported_with_the_method_that_did(settings):
    class Breaking(Corridor):
        rows: bw.Array[np.int8, 3] = 0

        def apply_action(self, action):
            self.place += 2 * action - 1
            self.steps += 1
            if self.steps > 17 and self.place == 2:
                self.rows[self.steps - 15] = 1
            return -1.0

    with pytest.raises(bw.GameError, match="apply_action") as caught:
        bw.MCTS(seed=1, **settings).search(Breaking(), simulations=20_000)
    assert "index" in caught.value.problem
