"""Actions given to a state from Python are checked; those of rules and searches are not."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.game.kinds.game_kinds import written_rule
from branchwise.game.rules_class import rule_functions
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing import perft


class Ladder(bw.Game):
    """Go up by 1 or 2 rungs of `top`; a rule looks ahead with moves that are not legal."""

    num_players = 2
    num_actions = 3  # 2: a move that is never legal
    top = 7

    rung: np.int16 = 0
    mover: np.int8 = 0
    jumps: np.int16 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for action in range(3):
            trial = self.copy()
            trial.apply_action(action)
            if trial.jumps == self.jumps and trial.rung <= self.top:
                yield action

    def apply_action(self, action):
        if action == 2:
            self.jumps += 1
            self.apply_action(1)
        else:
            self.rung += action + 1
            self.mover = 1 - self.mover

    def is_terminal(self):
        return self.rung == self.top

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)

    def evaluate(self):
        trials = [self.copy() for _ in range(2)]
        _jump_all(trials)
        return (0.0, 0.0)

    @property
    def after_jump(self):
        twin = self.copy()
        twin.apply_action(2)
        return twin.rung


def _jump_all(states):
    for state in states:
        state.apply_action(2)


class Steep(Ladder):
    """A ladder whose rungs count twice."""

    def apply_action(self, action):
        super().apply_action(action)
        self.jumps += 0


class Steeper(Steep):
    """A game that inherits `apply_action`."""

    top = 9


class Climbing:
    """Rules that are no game by themselves."""

    def apply_action(self, action):
        self.rung += action + 1
        self.mover = 1 - self.mover

    def legal_actions(self):
        yield from range(min(2, self.top - self.rung))


class Climb(Climbing, Ladder):
    """A ladder whose rules of moving come from a class that is no game."""


BAD = [99, -1, "b2", 4, None, 1.0, 10**30, np.int64(4), [0]]


@pytest.mark.parametrize("action", BAD, ids=repr)
def test_an_action_that_is_not_legal_is_refused_and_changes_nothing(action):
    state = TicTacToe.from_actions("b2 a1")
    before = state.copy()
    with pytest.raises(bw.ActionError) as caught:
        state.apply_action(action)
    assert state == before
    assert caught.value.mend is not None
    assert isinstance(caught.value, ValueError)


def test_the_error_tells_the_action_what_is_legal_and_how_to_give_a_text():
    state = TicTacToe.from_actions("a1 b1 c1 a2 b2")
    with pytest.raises(bw.ActionError) as caught:
        state.apply_action(4)
    assert caught.value.problem == "action 4 is not legal here"
    assert caught.value.mend == "legal actions are 0 (a3) 1 (b3) 2 (c3) 5 (c2)"
    with pytest.raises(bw.ActionError, match=r"action 9 .*: the actions of tic_tac_toe are 0 to 8"):
        state.apply_action(9)
    with pytest.raises(bw.ActionError, match=r"state\.play\('c2'\) takes the text of a move"):
        state.apply_action("c2")


def test_no_action_is_applied_after_the_end():
    over = TicTacToe.from_actions("a1 a2 b1 b2 c1")
    for wrong in (lambda: over.apply_action(8), lambda: over.play("c3"), lambda: over.play(8)):
        with pytest.raises(bw.ActionError, match="the game is over"):
            wrong()


def test_a_number_of_numpy_reaches_the_rules_as_one_of_python():
    class Shift(Nim):
        def apply_action(self, action):
            assert type(action) is int
            super().apply_action(action)

    Shift().apply_action(np.int8(1))


def test_play_takes_a_move_as_text_or_number_and_gives_its_number():
    state = ConnectFour()
    assert [state.play("D1"), state.play("d2"), state.play(2), state.play("3")] == [3, 3, 2, 3]
    assert state == ConnectFour.from_actions(["d1", "d2", 2, 3]) == ConnectFour.from_actions("d1 d2 c1 d3")
    with pytest.raises(bw.ActionError, match='"d1" is not a legal move here'):
        state.play("d1")


@pytest.mark.parametrize(
    "game", [Ladder, Steep, Steeper, Ladder.configured(top=11), Climb], ids=lambda g: g.name
)
def test_rules_may_look_ahead_by_actions_that_are_not_legal(game):
    state = game()
    assert state.legal_actions() == [0, 1]
    state.apply_action(1)
    assert state.rung == 2
    if game is not Climb:
        assert state.evaluate() == (0.0, 0.0)
        assert state.after_jump == 4
    for illegal in (2, 3):
        with pytest.raises(bw.ActionError):
            state.apply_action(illegal)
    assert state.rung == 2


def test_a_rule_put_in_later_is_found_by_search_and_state_alike():
    class Own(Nim):
        pass

    class Other(Nim):
        def legal_actions(self):
            for action in range(min(2, self.chips)):
                twin = self.copy()
                twin.apply_action(action)
                yield action

    Own.legal_actions = Other.legal_actions
    state = Own(chips=5)
    with pytest.raises(bw.ActionError):
        state.apply_action(2)
    state.apply_action(1)
    assert state.chips == 3


def test_searches_in_plain_python_and_perft_call_the_rule_as_it_was_written(monkeypatch):
    checked = []
    check = Nim.check_action
    monkeypatch.setattr(Nim, "check_action", lambda self, a: checked.append(a) or check(self, a))
    for playout in ("uniform", "decisive"):
        bw.MCTS(compiled=False, seed=1, playout=playout).search(Nim(chips=9), simulations=20)
    assert perft(Nim(chips=9), 4) == 66
    assert checked == []
    Nim(chips=9).apply_action(0)
    assert checked == [0]


def test_a_look_at_an_action_is_no_part_of_the_rules_that_are_compiled():
    functions = rule_functions(Steep)
    assert functions["apply_action"] is written_rule(Steep.apply_action)
    assert written_rule(Steep.apply_action).__code__.co_name == "apply_action"
    assert "super().apply_action" in inspect.getsource(Steep.apply_action)
    assert inspect.signature(Steep.apply_action).parameters.keys() == {"self", "action"}

    class Plain(Nim):
        pass

    for game in (Nim, Plain):
        compiled = compiled_type(game).rules.methods
        assert "check_action" not in compiled
        assert compiled["apply_action"].py_func.__code__ is written_rule(Nim.apply_action).__code__


def test_copies_and_pickles_of_a_state_look_at_actions_too():
    for twin in (copy.deepcopy(Nim()), pickle.loads(pickle.dumps(Nim())), Nim.from_json(Nim().to_json())):
        with pytest.raises(bw.ActionError):
            twin.apply_action(7)


OVER = TicTacToe.from_actions("a1 a2 b1 b2 c1")
BOTS = [
    "random",
    "human",
    "flat(simulations=10)",
    "mcts(simulations=10)",
    "mcts(simulations=10,random_moves=1.0)",
    "minimax(depth=2)",
    "level(level=1)",
    "engine(command='no_such_engine')",
]


@pytest.mark.parametrize("text", BOTS)
def test_no_bot_chooses_after_the_end_of_a_game(text):
    with pytest.raises(bw.ActionError, match="the game is over: there is nothing to choose"):
        bw.load_bot(text).choose(OVER)
    with pytest.raises(bw.GameError, match="TicTacToe is a class, not a state"):
        bw.load_bot(text).choose(TicTacToe)
