"""Histories that look to a player as the present does: all of them, with the right probabilities."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.equilibrium.game_tree import game_tree
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.liars_dice import LiarsDice
from branchwise.information_sets import consistent_histories as module
from branchwise.information_sets.consistent_histories import KnownRoutes
from branchwise.information_sets.knowledge import knowledge_of
from branchwise.rules.facts.facts import facts_of
from branchwise.testing.information_set_reference import Position, routes_to
from support.hiding import Glimpse, Peek, Told

SMALL = [KuhnPoker, Peek, Told, Glimpse, LiarsDice.configured(faces=3)]


def ends_of(routes):
    """Return the probability of each state at an end."""
    shares = np.diff(np.concatenate([[0.0], routes.shares]))
    found = {}
    for end, share in enumerate(shares / routes.shares[-1]):
        state = routes.state(end)
        found[state] = found.get(state, 0.0) + share
    return found


def expected(game, known):
    """Return the same by the readable reference."""
    found = {}
    for route in routes_to(known, Position.start(game)):
        here, share = Position.start(game), 1.0
        for place, odds in route:
            share *= odds
            here = here.after(here.moves()[place][0])
        found[here.state] = found.get(here.state, 0.0) + share
    total = sum(found.values())
    return {state: share / total for state, share in found.items()}


@pytest.mark.parametrize("game", [*SMALL, LeducPoker], ids=lambda game: game.name)
def test_what_a_player_knows_has_the_hash_of_compiled_rules(game):
    tree = game_tree(game)
    keys = tree.histories.arrays.known[tree.examples, tree.owners]
    for known, key in list(zip(tree.information_states, keys, strict=True))[::3]:
        assert knowledge_of(known)[-1] == key


@pytest.mark.parametrize("game", SMALL, ids=lambda game: game.name)
def test_all_histories_of_an_information_set_are_found(game):
    tree = game_tree(game)
    facts = facts_of(game())
    for number in range(0, len(tree.examples), max(1, len(tree.examples) // 12)):
        known = tree.information_states[number]
        routes = KnownRoutes(game, facts, known)
        assert routes.is_complete
        assert len(routes) == np.sum(tree.sets == number)
        mine, theirs = ends_of(routes), expected(game, known)
        assert mine.keys() == theirs.keys()
        for state, share in theirs.items():
            assert mine[state] == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize(("game", "moves", "player"), [(LeducPoker, "Ja Qa raise", 1), (Told, [3], 1)])
def test_drawn_histories_have_the_same_distribution(monkeypatch, game, moves, player):
    monkeypatch.setattr(module, "MOST_LOOKED", 3)
    monkeypatch.setattr(module, "_SLICE", 2)
    known = bw.Playthrough(game(), moves).information_state(player)
    routes = KnownRoutes(game, facts_of(game()), known, seed=4)
    assert not routes.is_complete
    assert routes.routes.drawn.sum() == module.MOST_DRAWN
    found, wanted = ends_of(routes), expected(game, known)
    assert found.keys() == wanted.keys()
    squares = sum((found[state] - share) ** 2 / share for state, share in wanted.items()) * module.MOST_DRAWN
    assert squares < len(wanted) - 1 + 5 * np.sqrt(2 * len(wanted))


def test_drawn_histories_guide_outcome_sampling(monkeypatch):
    monkeypatch.setattr(module, "MOST_LOOKED", 3)
    monkeypatch.setattr(module, "_SLICE", 2)
    known = bw.Playthrough(LeducPoker(), "Ja Qa raise call Kb raise").information_state(1)
    for planner in (bw.OOS(seed=1), bw.MOISMCTS(seed=1)):
        result = planner.search(known, simulations=20_000)
        assert not result.is_complete
        assert "(a sample)" in str(result)
        assert result.visits > 10_000


def test_no_history_is_found_for_what_cannot_have_happened():
    known = bw.Playthrough(Told(), [3]).information_state(1)
    event = known.events[0]
    never = type(known)(**{**known.__dict__, "events": (type(event)(seen=7), *known.events[1:])})
    routes = KnownRoutes(Told, facts_of(Told()), never)
    assert len(routes) == 0
    assert bw.MOISMCTS().search(never, simulations=10).simulations == 0
