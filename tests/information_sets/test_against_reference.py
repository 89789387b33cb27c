"""The compiled searches come to the same numbers as the readable ones, to the last bit."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.core.information_sets.multi_observer import TOTAL, VISITS
from branchwise.core.information_sets.outcome_sampling import BASELINE, REGRET, STRATEGY
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.information_sets.consistent_histories import KnownRoutes
from branchwise.information_sets.knowledge import knowledge_of
from branchwise.information_sets.starts import ends_of
from branchwise.rules.facts.facts import facts_of
from branchwise.search.settings.budget import Budget
from branchwise.testing.information_set_reference import ReferenceMOISMCTS, ReferenceOOS
from support.hiding import Glimpse, Told
from support.rows import slow


def known(game, moves, player):
    return bw.Playthrough(game(), moves).information_state(player)


TARGETS = [
    None,
    (KuhnPoker, "J K bet", 1),
    (KuhnPoker, "Q J pass bet", 0),
    (LeducPoker, "Ja Qa raise", 1),
    (LeducPoker, "Ka Qb raise call Kb", 0),
]


def sampled(game, target, simulations, **settings):
    """Return the table of compiled outcome sampling."""
    planner = bw.OOS(**settings)
    table = planner._new_table(game, settings["seed"])
    planner._run(table, KnownRoutes(game, table.facts, target), Budget(simulations))
    return table


def rows_of(table, states):
    return table.rows(np.array([knowledge_of(state)[-1] for state in states], np.uint64))


@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize(
    "settings", [{}, {"baseline_step": 0.0, "exploration": 0.3, "targeting": 0.5}], ids=str
)
def test_outcome_sampling_is_that_of_plain_python_to_the_last_bit(target, settings):
    game = LeducPoker if target is None else target[0]
    to = None if target is None else known(*target)
    for seed in (1, -7):
        search = ReferenceOOS(game, seed=seed, **settings)
        search.run(120, to)
        table = sampled(game, to, 120, seed=seed, **settings)
        assert len(table) == len(search.table) > 5
        for row, numbers in zip(rows_of(table, search.table), search.table.values(), strict=True):
            assert row[:, REGRET].tolist() == numbers.regrets
            assert row[:, STRATEGY].tolist() == numbers.strategies
            assert row[:, BASELINE].tolist() == numbers.baselines
        assert any(any(numbers.regrets) for numbers in search.table.values())


@pytest.mark.parametrize("target", TARGETS[1:], ids=str)
def test_multiple_observer_search_is_that_of_plain_python_to_the_last_bit(target):
    game, to = target[0], known(*target)
    for seed in (3, -4):
        search = ReferenceMOISMCTS(to, c=0.9, seed=seed)
        search.run(150)
        planner = bw.MOISMCTS(c=0.9, seed=seed)
        table = planner._new_table(game, seed)
        routes = KnownRoutes(game, table.facts, to)
        planner._run(table, ends_of(routes), Budget(150))
        assert len(table) == len(search.table)
        for row, numbers in zip(rows_of(table, search.table), search.table.values(), strict=True):
            assert row[:, [VISITS, TOTAL]].tolist() == numbers
        result = planner.search(to, simulations=150)
        visits = [visits for visits, _ in search.table[to]]
        assert result.policy() == {a: v / sum(visits) for a, v in zip(to.legal, visits, strict=True)}
        assert result.visits == sum(visits)


@pytest.mark.parametrize("game", [slow(Told), Glimpse], ids=lambda game: game.__name__)
def test_searches_in_parts_are_the_same_as_in_one(game):
    whole = sampled(game, None, 500, seed=5)
    planner = bw.OOS(seed=5)
    table = planner._new_table(game, 5)
    routes = KnownRoutes(game, facts_of(game()), None)
    for count in (1, 7, 92, 400):
        planner._run(table, routes, Budget(count))
    assert len(whole) == len(table)
    assert np.array_equal(whole.sets.numbers, table.sets.numbers)
    assert np.array_equal(whole.sets.keys, table.sets.keys)
