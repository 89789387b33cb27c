"""Declarations of partially observed problems: `observe` and `observation_density`."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import GameError
from branchwise.game.kinds.game_kinds import is_partially_observed
from branchwise.rules.facts.game_type import game_type


class Coin(bw.Game):
    """Guess a coin that was tossed at the start."""

    num_players = 1
    num_actions = 2

    side: np.int8 = 0
    is_over: bool = False

    def setup(self, random):
        self.side = random.below(2)

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.is_over = True
        return 1.0 if action == self.side else 0.0

    def is_terminal(self):
        return self.is_over


class Seen(Coin):
    def observe(self, action, random):
        return self.side


def test_a_class_with_observe_is_partially_observed():
    assert is_partially_observed(Seen)
    assert not is_partially_observed(Coin)
    assert game_type(Seen).information == "imperfect"
    assert game_type(Coin).information == "perfect"


def test_a_state_of_a_partially_observed_problem_is_not_searched_unless_asked_to_see_everything():
    with pytest.raises(GameError, match="hidden information \\(its method observe\\)"):
        bw.MCTS(compiled=False).search(Seen(), simulations=10)
    planner = bw.MCTS(compiled=False, perfect_information=True)
    assert planner.search(Seen(side=1), simulations=10).best_action == 1


def density(self, action, seen):
    return 1.0


def density_of_all(self, seen):
    return 1.0


def own_observation(self, player):
    yield self.side


@pytest.mark.parametrize(
    ("base", "members", "message"),
    [
        (Seen, {"observation_density": density_of_all}, "observation_density has other arguments"),
        (Coin, {"observation_density": density}, "has observation_density, but no observe"),
        (Seen, {"num_players": 2}, "for problems of one player, but num_players is 2"),
        (Seen, {"observation": own_observation}, "also declares what is hidden"),
    ],
)
def test_a_contradictory_declaration_is_one_clear_error(base, members, message):
    with pytest.raises(GameError, match=message):
        type("Wrong", (base,), members)()


def test_continuous_actions_of_a_partially_observed_problem_are_refused():
    class Leap(bw.Game):
        num_players = 1
        action_low, action_high = (-1.0,), (1.0,)

        place: float = 0.0

        def current_player(self):
            return 0

        def apply_action(self, action):
            self.place += action[0]
            return -abs(self.place)

        def is_terminal(self):
            return False

        def observe(self, action, random):
            return self.place + random.normal()

    with pytest.raises(GameError, match="observe and continuous actions"):
        Leap()
