"""Numbers from users: only those that are optional may be None."""

import math

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.argument_checks import whole_number
from branchwise.games.nim import Nim
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.move_limit import Limit


@pytest.mark.parametrize("value", [1, 3, np.int8(2)])
def test_whole_numbers_within_their_range_are_taken(value):
    whole_number("games", value, 1, 3)
    whole_number("games", value, 1, 3, optional=True)


@pytest.mark.parametrize("optional", [True, False])
@pytest.mark.parametrize("value", [0, 4, 2.0, "2", True])
def test_others_are_refused(value, optional):
    with pytest.raises(bw.SettingsError, match=r"^games = "):
        whole_number("games", value, 1, 3, optional=optional)


def test_only_an_optional_number_may_be_none():
    whole_number("games", None, 1, 3, optional=True)
    with pytest.raises(bw.SettingsError, match="games = None is not a whole number"):
        whole_number("games", None, 1, 3)


def test_a_limit_may_be_a_float_without_a_fraction():
    limit = Budget(simulations=1e3, max_nodes=2.0)
    assert limit == Budget(simulations=1000, max_nodes=2)
    assert type(limit.simulations) is type(limit.max_nodes) is int
    assert Limit(nodes=1e6).nodes == 1_000_000
    assert bw.Match("nim", ["random", "random"], games=4e0, simulations=1e1).games == 4
    assert bw.MCTS(seed=1).search(Nim(), simulations=5e1, seconds=None).simulations == 50
    for given in (0.5, 1e3 + 0.1, math.inf, math.nan):
        with pytest.raises(bw.SettingsError, match=r"simulations = .* is not a whole number"):
            Budget(simulations=given)


@pytest.mark.parametrize("name", ["threads", "playouts", "repeat", "batch_size"])
def test_a_setting_of_a_search_without_such_a_default_is_not_none(name):
    with pytest.raises(bw.SettingsError, match=f"{name} = None is not a whole number"):
        bw.MCTS(**{name: None})


def test_settings_that_are_none_by_default_stay_so():
    assert bw.MCTS(seed=None, max_depth=None, cutoff=None).settings == bw.MCTS().settings
