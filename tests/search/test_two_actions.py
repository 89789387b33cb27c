"""Games with at most two actions, whose playouts list them in registers instead of in memory."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.games.pig import Pig
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing.reference import ReferencePlanner

SETTINGS = {"c": 1.0, "repeat": 1, "playout": "uniform", "proofs": False}


class Forks(bw.Game):
    """Twelve moves to the left or right. Both are legal in either order, or only one of the two."""

    num_players = 2
    num_actions = 2
    utility = "zero_sum"
    max_game_length = 12

    path: np.int32 = 1

    def current_player(self):
        return self.path.bit_length() % 2

    def legal_actions(self):
        place = self.path % 5
        if place == 0:
            yield 1
            yield 0
            return
        if place == 1:
            yield 0
        if place < 3:
            yield 1
        else:
            for action in range(2):
                if place == 3 or action == 0:
                    yield action

    def apply_action(self, action):
        self.path = 2 * self.path + action

    def is_terminal(self):
        return self.path >= 2**12

    def returns(self):
        return (1.0, -1.0) if self.path % 7 < 3 else (-1.0, 1.0)


class Tolls(bw.Game):
    """The same for one player, who is paid for each move."""

    num_players = 1
    num_actions = 2
    discount = 0.9
    max_game_length = 12
    min_return, max_return = 0.0, 12.0

    path: np.int32 = 1

    legal_actions = Forks.legal_actions
    is_terminal = Forks.is_terminal

    def current_player(self):
        return 0

    def apply_action(self, action):
        self.path = 2 * self.path + action
        return self.path % 7 / 7.0


def nodes_of(result):
    return result.tree._tree.nodes[: len(result.tree)].tolist()


@pytest.mark.parametrize("start", [Forks, Tolls])
def test_compiled_and_interpreted_searches_build_the_same_tree(start):
    found = [
        bw.MCTS(seed=7, compiled=how, **SETTINGS).search(start(), simulations=600) for how in (True, False)
    ]
    assert nodes_of(found[0]) == nodes_of(found[1])
    assert found[0].moves == found[1].moves


def test_the_reference_builds_the_same_tree():
    result = bw.MCTS(seed=5, **SETTINGS).search(Forks(), simulations=400)
    reference = ReferencePlanner(seed=5, c=1.0).search(Forks(), simulations=400)
    assert {c.action: c.visits for c in result.children} == {c.action: c.visits for c in reference.children}
    values = {c.action: c.value / c.visits for c in reference.children}
    assert all(c.value == pytest.approx(values[c.action]) for c in result.children)


@pytest.mark.parametrize(
    ("given", "message"), [(0, "gave nothing"), (3, "gave more actions than num_actions")]
)
def test_a_list_that_only_a_random_game_finds_wrong_is_an_error(given, message):
    class Wrong(Forks):
        COUNT = given
        RARE = 0b1_10111010011  # one game in two thousand, so that games before the search miss it

        def legal_actions(self):
            count = self.COUNT if self.path == self.RARE else 2
            for place in range(count):
                yield place % 2

    with pytest.raises(bw.GameError, match=message):  # the weight spreads simulations evenly
        bw.MCTS(seed=1, **{**SETTINGS, "c": 100.0}).search(Wrong(), simulations=50_000)


def test_only_games_with_two_actions_list_them_in_registers():
    listed = {game: "draw_from_few" in compiled_type(game).rules.internal for game in (Pig, Forks, TicTacToe)}
    assert listed == {Pig: True, Forks: True, TicTacToe: False}


def test_rules_without_source_list_two_actions_in_memory():
    found = {}
    exec("def legal_actions(self):\n    yield 1\n    yield 0", found)
    game = type("Unwritten", (Forks,), {"legal_actions": found["legal_actions"]})
    assert "draw_from_few" not in compiled_type(game).rules.internal
    chosen = bw.MCTS(seed=1, compiled=True, **SETTINGS).search(game(), simulations=50)
    assert chosen.ended_by == "simulations"
