"""What a class may define under a name with a meaning: a rule, a constant or a method of every game."""

import re

import pytest

import branchwise as bw
from branchwise.game.definition.names import RULES
from branchwise.game.kinds.game_kinds import NET_CONSTANTS, PLAYOUT_CONSTANTS, STANDARD_CONSTANTS
from support.rules import Kalah, Race
from support.trees import same_arrays

CONSTANTS = sorted(
    {*STANDARD_CONSTANTS, *PLAYOUT_CONSTANTS, *NET_CONSTANTS, "random_starter", "name", "board_style"}
    - RULES.keys()
)
OF_GAMES = {name: value for name, value in vars(bw.Game).items() if not name.startswith("__")}


def defined(name, value, annotation=None):
    """Return the error of a class that has the value, and the annotation, under a name."""
    body = {name: value} if annotation is None else {name: value, "__annotations__": {name: annotation}}
    with pytest.raises(bw.GameError) as caught:
        type("Taken", (Kalah,), body)
    assert f"Taken.{name} " in caught.value.problem
    assert caught.value.mend
    return caught.value


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_a_method_with_the_arguments_of_the_rule(name):
    for value in (lambda self, a, b, c: 0, lambda: 0, lambda self, a=1, b=2, c=3: 0):
        assert "has other arguments than the rule of that name" in defined(name, value).problem
    mend = defined(name, property(lambda self: 0)).mend
    assert re.match(rf"write def {name}\(self.*\): .*; or give yours another name", mend)
    defined(name, staticmethod(lambda: 0))
    if name not in ("action_low", "action_high"):
        defined(name, 3)
        defined(name, 3, annotation=int)


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_constant_is_no_method_and_no_property(name):
    for value in (lambda self: 2, property(lambda self: 2), classmethod(lambda cls: 2), int):
        assert "but it is a constant of every game" in defined(name, value).problem


@pytest.mark.parametrize("name", sorted(OF_GAMES.keys() - {*CONSTANTS, *STANDARD_CONSTANTS, *RULES}))
def test_a_method_of_every_game_keeps_its_arguments_and_other_attributes_are_taken(name):
    defined(name, lambda self, a, b, c: 0)
    defined(name, 3)
    defined(name, property(lambda self: 0))
    if callable(OF_GAMES[name]) and not name.startswith("_"):
        same = type("Same", (Kalah,), {name: lambda self, *given: OF_GAMES[name](self, *given)})
        assert bw.MCTS(seed=1, compiled=False).search(same(), simulations=20).simulations == 20


def test_a_base_that_is_no_game_is_looked_at_too():
    mixin = type("Mixin", (), {"copy": lambda self, board: board})
    with pytest.raises(bw.GameError, match=r"Mixed.copy has other arguments"):
        type("Mixed", (mixin, Kalah), {})


def test_a_default_value_makes_no_simulator():
    class Undoing(Kalah):
        def apply_action(self, action, undo=False):
            super().apply_action(-action if undo else action)

    assert bw.game_type(Undoing) == bw.game_type(Kalah)
    assert bw.MCTS(seed=1, compiled=False).search(Undoing(), simulations=50).simulations == 50


# --- what a subclass puts in place of another kind -----------------------------------------------------


class ByProperty(Race):
    goal = property(lambda self: 2 + self.total // 100)


class ByNumber(Race):
    goal = 2


class Helped(Race):
    def goal_of(self):
        return 10

    def is_terminal(self):
        return self.total >= self.goal_of()


def test_a_property_in_place_of_a_constant_counts_in_both_forms():
    expected = bw.MCTS(seed=1, compiled=False).search(ByNumber(), simulations=100)
    for compiled in (True, False):
        found = bw.MCTS(seed=1, compiled=compiled).search(ByProperty(), simulations=100)
        assert same_arrays(found, expected)
    assert "goal" not in ByProperty.constants()
    with pytest.raises(bw.UnknownNameError):
        ByProperty.configured(goal=5)


def test_a_constant_in_place_of_a_method_is_no_method():
    class Numbered(Helped):
        goal_of = 2

        def is_terminal(self):
            return self.total >= self.goal_of

    found = bw.MCTS(seed=1, compiled=True).search(Numbered(), simulations=100)
    assert same_arrays(found, bw.MCTS(seed=1, compiled=False).search(ByNumber(), simulations=100))


@pytest.mark.parametrize("value", [property(lambda self: 3), lambda self: 3])
def test_a_field_cannot_become_a_method_or_a_property(value):
    with pytest.raises(bw.GameError, match=r"Counted\.total is a field of a base class"):
        type("Counted", (Race,), {"total": value})


# --- names of other libraries' states ----------------------------------------------------------------


def test_helpers_may_have_the_names_of_openspiels_methods():
    class Named(Kalah):
        def get_game(self, a, b):
            return a

        def get_type(self, a, b):
            return a

        def history(self, a, b):
            return a

        def rewards(self, a, b):
            return a

    assert bw.game_type(Named) == bw.game_type(Kalah)
    bot = bw.load_bot("mcts(simulations=20)")
    assert bot.choose(Named()) in (0, 1, 2)
    planner = bw.MCTS(seed=1, compiled=False)
    for _ in range(2):
        assert planner.search(Named(), simulations=20).simulations == 20
