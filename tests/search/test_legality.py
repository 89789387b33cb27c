"""Rules with `is_legal`, by which the choices of `playout_action` are checked."""

import pytest

import branchwise as bw
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.problems.same_game import SameGame
from branchwise.testing import check_game
from support.rows import slow


class Untold(TicTacToe):
    name = "untold"
    playout = "game"

    def playout_action(self, random):
        action = random.below(9)
        while self.taken >> action & 1:
            action = (action + 1) % 9
        return action


class Told(Untold):
    name = "told"

    def is_legal(self, action):
        return not self.taken >> action & 1


def children(game, **settings):
    found = bw.MCTS(seed=3, proofs=False, **settings).search(game(), simulations=1500)
    return [(child.action, child.visits, child.value) for child in found.children]


def without_it(game, monkeypatch):
    """Return a class of the same rules without `is_legal`."""
    for owner in game.__mro__:
        if "is_legal" in vars(owner):
            monkeypatch.delattr(owner, "is_legal")
    untold = type("Untold", (game,), {"__module__": __name__})
    assert not hasattr(untold, "is_legal")
    return untold


@pytest.mark.parametrize("compiled", [None, False])
@pytest.mark.parametrize("playout", ["game", "game(epsilon=0.5)", "decisive+game"])
def test_the_tree_is_the_same_without_it(playout, compiled):
    told, untold = (children(game, playout=playout, compiled=compiled) for game in (Told, Untold))
    assert told == untold


@pytest.mark.parametrize(
    "name",
    [
        "connect_four(rows=4,columns=4,in_a_row=3)",
        slow("othello(size=4)"),
        slow("breakthrough(rows=5,columns=4)"),
        slow("breakthrough(rows=6,columns=4,knightthrough=True)"),
        slow("go(size=5)"),
        slow("atari_go(size=5)"),
        slow("hex(size=4,swap=True)"),
        slow("havannah(size=3)"),
        slow("y(size=5)"),
    ],
)
def test_the_trees_of_games_are_the_same_without_it(name, monkeypatch):
    game = bw.load_game(name)
    told = children(game, playout="game")
    assert children(without_it(game, monkeypatch), playout="game") == told


@pytest.mark.parametrize("compiled", [None, False])
def test_nested_search_finds_the_same_without_it(compiled, monkeypatch):
    game = SameGame.configured(rows=6, columns=6)
    planner = bw.NestedSearch(level=1, playout="game", seed=1, compiled=compiled)
    told = planner.search(game(), playouts=200)
    untold = planner.search(without_it(game, monkeypatch)(), playouts=200)
    assert (told.best_line, told.best_score) == (untold.best_line, untold.best_score)


class Taken(Told):
    name = "taken"

    def playout_action(self, random):
        return 0


class Beyond(Told):
    name = "beyond"

    def playout_action(self, random):
        return 9 if self.taken else 0


@pytest.mark.parametrize("compiled", [None, False])
@pytest.mark.parametrize("game", [Taken, Beyond])
def test_a_choice_that_is_not_legal_is_named(game, compiled):
    with pytest.raises(
        bw.GameError, match=f"{game.__name__}.playout_action gave an action that is not legal"
    ):
        bw.MCTS(seed=1, compiled=compiled).search(game(), simulations=300)


class Lax(Told):
    name = "lax"

    def is_legal(self, action):
        return True


class Strict(Told):
    name = "strict"

    def is_legal(self, action):
        return action != 8 and not self.taken >> action & 1


class Marking(Told):
    name = "marking"

    def is_legal(self, action):
        legal = not self.taken >> action & 1
        self.taken |= 1 << action
        return legal


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (Lax, r"Lax.is_legal\(\d\) gave True, but legal_actions does not yield the action"),
        (Strict, r"Strict.is_legal\(8\) gave False, but legal_actions yields the action"),
        (Marking, "is_legal"),
    ],
)
def test_a_wrong_answer_is_found_before_a_search_and_by_check(game, words):
    with pytest.raises(bw.GameError, match=words):
        bw.MCTS(seed=1).search(game(), simulations=300)
    with pytest.raises(bw.GameError, match=words):
        check_game(game, games=20, seed=1)


def test_other_arguments_are_refused():
    with pytest.raises(bw.GameError, match="is_legal has other arguments than the rule"):

        class Twofold(Untold):
            def is_legal(self, board, cell):
                return True
