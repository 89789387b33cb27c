"""Playouts whose moves are drawn by the rules' `sample_action`, without a list of all."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import GameError
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing import check_game, expectimax, solve_actions
from branchwise.testing.reference import ReferencePlanner
from support.rules import Race
from support.sampling import Collector, Drawn


def nodes_of(result):
    return result.tree._tree.nodes[: len(result.tree)].tolist()


@pytest.mark.parametrize("start", [Drawn, Collector])
def test_compiled_and_interpreted_searches_build_the_same_tree(start):
    found = [bw.MCTS(seed=7, compiled=how).search(start(), simulations=600) for how in (True, False)]
    assert nodes_of(found[0]) == nodes_of(found[1])
    assert found[0].moves == found[1].moves


def test_the_reference_builds_the_same_tree():
    result = bw.MCTS(seed=5, c=1.0, repeat=1, playout="uniform", proofs=False).search(
        Drawn(), simulations=400
    )
    reference = ReferencePlanner(seed=5, c=1.0).search(Drawn(), simulations=400)
    assert {c.action: c.visits for c in result.children} == {c.action: c.visits for c in reference.children}
    values = {c.action: c.value / c.visits for c in reference.children}
    assert all(c.value == pytest.approx(values[c.action]) for c in result.children)


def test_playouts_ask_for_no_list_of_moves():
    asked = []

    class Counting(Drawn):
        def legal_actions(self):
            asked.append(self.taken)
            for cell in range(9):
                if not self.taken >> cell & 1:
                    yield cell

    planner = bw.MCTS(seed=1, compiled=False, proofs=False)
    result = planner.search(Counting(), simulations=100)
    expanded = sum(node["first"] >= 0 for node in result.tree._tree.nodes[: len(result.tree)])
    assert len(asked) <= expanded + 5
    assert result.moves > 4 * len(asked)


@pytest.mark.parametrize("moves", ["", "a1 b2", "a1 b2 c3"])
def test_values_come_to_the_exact_ones_at_both_parities(moves):
    state = Drawn.from_actions(moves.split())
    exact = solve_actions(TicTacToe.from_actions(moves.split()))
    result = bw.MCTS(seed=2).search(state, simulations=30_000)
    assert exact[result.best_action] == max(exact.values())
    assert result.value == max(exact.values())


def test_values_with_dice_and_rewards_come_to_the_exact_ones():
    exact = expectimax(Collector())
    errors = []
    for simulations in (300, 10_000):
        result = bw.MCTS(seed=3, proofs=False).search(Collector(), simulations=simulations)
        errors.append(abs(result.value - exact))
    assert errors[1] < 0.05 * 40
    assert errors[1] < errors[0]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("wrong", [9, -1])
def test_a_number_that_is_no_action_is_an_error(compiled, wrong):
    class Wrong(Drawn):
        GIVEN = wrong
        LAST = 0b111101111  # rarely reached, so the games before a search do not find it

        def sample_action(self, random):
            while True:
                cell = random.below(9)
                if not self.taken >> cell & 1:
                    return self.GIVEN if self.taken == self.LAST else cell

    with pytest.raises(GameError, match="sample_action gave") as caught:
        bw.MCTS(seed=1, compiled=compiled).search(Wrong(), simulations=5000)
    assert "each with the same probability" in str(caught.value)


def test_an_exception_of_the_rule_is_reported_with_the_moves_before_it():
    class Raising(Drawn):
        def sample_action(self, random):
            table = np.zeros(4)
            return int(table[self.taken % 16])  # beyond the end after some moves

    with pytest.raises(GameError, match="sample_action"):
        bw.MCTS(seed=1).search(Raising(), simulations=200)


def test_other_arguments_are_an_error():
    with pytest.raises(GameError, match="sample_action has other arguments than the rule"):

        class Odd(Drawn):
            def sample_action(self):
                return 0

        bw.MCTS().search(Odd(), simulations=1)


# --- the checker --------------------------------------------------------------------------------------------


def test_right_rules_pass():
    for game in (Drawn, Collector):
        assert check_game(game, games=30, seconds=None).compared


class Unfair(Drawn):
    def sample_action(self, random):
        cell = random.below(9)
        while self.taken >> cell & 1:
            cell = (cell + 1) % 9  # cells after taken ones come more often
        return cell


class Illegal(Drawn):
    def sample_action(self, random):
        return random.below(9)


class Changing(Drawn):
    def sample_action(self, random):
        self.won = False
        self.taken |= 1 << 8
        return 0 if not self.taken & 1 else 1


@pytest.mark.parametrize(
    ("game", "told"),
    [
        (Unfair, r"sample_action draws action \d \d+ times and action \d \d+ times"),
        (Illegal, "sample_action gave . which is not legal|sample_action gave ., which is not legal"),
        (Changing, "sample_action"),
    ],
)
def test_wrong_rules_are_found(game, told):
    with pytest.raises(GameError, match=told):
        check_game(game, games=60, seconds=None)


class Endless(Drawn):
    def sample_action(self, random):
        while True:
            cell = random.below(9)
            if not self.taken >> cell & 1 and self.taken & 7 != 7:
                return cell


def test_a_rule_that_never_returns_is_left_and_named():
    with pytest.raises(
        GameError, match=r"(Endless\.sample_action does|rules of endless do) not end"
    ) as caught:
        bw.MCTS(seed=1).search(Endless(), seconds=0.5)
    assert "test_sampled_moves.py, line" in str(caught.value)


@pytest.mark.parametrize("parallel", ["tree", "leaf"])
def test_threads_draw_moves_each_from_its_own_numbers(parallel):
    result = bw.MCTS(seed=1, threads=2, parallel=parallel).search(Drawn(), simulations=30_000)
    assert result.ended_by == "proven"
    assert result.value == 0.0


def test_three_players_are_each_credited_with_their_own_returns():
    class Draw(Race):
        def sample_action(self, random):
            return random.below(2)

    for mover in range(3):
        compiled, plain = (
            bw.MCTS(seed=3, compiled=how).search(Draw(total=Race.goal - 2, mover=mover), simulations=500)
            for how in (True, False)
        )
        assert nodes_of(compiled) == nodes_of(plain)
        assert (compiled.player, compiled.best_action, compiled.value) == (mover, 1, 1.0)
