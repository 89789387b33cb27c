"""Selection rules by name and of one's own, and what is said of bad ones."""

import math
from types import SimpleNamespace

import pytest

import branchwise as bw
from branchwise.core.simulation import selection_rules
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.rules.facts.facts import game_facts
from branchwise.search.composition import composition, search_type
from branchwise.search.settings.selection import BUILT_IN, find_rule
from branchwise.search.settings.settings import Settings


def confident(child, parent, options):
    return child.value + options.c * math.sqrt(parent.log_visits * child.inverse_visits)


def spread(child, parent, options):
    return child.value + options.hope * child.variance + options.c * math.sqrt(child.inverse_visits)


def test_a_rule_of_ones_own_is_compiled_in_and_searches_as_the_built_in_one():
    mine = bw.MCTS(selection=confident, c=0.7, seed=1).search(TicTacToe(), simulations=2000)
    theirs = bw.MCTS(seed=1).search(TicTacToe(), simulations=2000)
    assert [c.visits for c in mine.children] == [c.visits for c in theirs.children]
    assert mine.simulations == 2000


def test_uct_is_another_word_for_ucb1():
    assert find_rule("uct") is find_rule("ucb1")
    assert find_rule("uct(c=0.5)").c == 0.5
    one, other = (bw.MCTS(selection=name, seed=1, compiled=False) for name in ("uct", "ucb1"))
    found = [planner.search(TicTacToe(), simulations=40) for planner in (one, other)]
    assert [child.visits for child in found[0].children] == [child.visits for child in found[1].children]
    assert bw.load_bot("mcts(selection=uct,simulations=5)").options()["selection"] == "uct"


def test_a_rule_has_the_statistics_kept_that_it_reads():
    rule = bw.SelectionRule(spread, options={"hope": 0.5})
    assert rule.needs == {"squares"}
    result = bw.MCTS(selection=rule, seed=1).search(TicTacToe(), simulations=300)
    assert result.tree._tree.squares[: len(result.tree)].sum() > 0
    assert find_rule("rave").needs == {"amaf"}


def test_options_of_a_rule_change_the_search_without_a_new_rule():
    trees = [
        bw.MCTS(selection=f"rave(bias={bias})", seed=1).search(Nim(), simulations=400) for bias in (0.0, 1.0)
    ]
    assert [c.visits for c in trees[0].children] != [c.visits for c in trees[1].children]


HOPE = 0.5


def hope(child):
    return HOPE * child.value


def hopeful(child, parent, options):
    return hope(child) + options.c * math.sqrt(child.inverse_visits)


def type_of(**settings):
    """What machine code belongs to; nothing is compiled."""
    state = TicTacToe()
    facts = game_facts(state)
    return composition.Composition(state, facts, Settings(**settings), proofs=True).native


def test_a_rule_of_ones_own_has_new_code_as_soon_as_anything_it_reaches_is_edited(monkeypatch):
    first = type_of(selection=hopeful)
    assert type_of(selection=hopeful) is first
    with monkeypatch.context() as edit:
        edit.setitem(globals(), "HOPE", 0.25)
        constant = type_of(selection=hopeful)
        edit.setitem(globals(), "hope", lambda child: HOPE + child.value)
        helper = type_of(selection=hopeful)
        edit.setattr(hopeful, "__code__", spread.__code__)
        rule = bw.SelectionRule(hopeful, options={"hope": 0.5})
        body = type_of(selection=rule)
    assert len({first, constant, helper, body}) == 4
    assert type_of(selection=hopeful) is first


def test_the_composition_of_a_built_in_rule_is_looked_at_once(monkeypatch):
    ways = ({}, {"c": 0.1}, {"selection": "rave"}, {"playouts": 2}, {"playout": "mast"}, {"first_play": 1})
    kinds = [type_of(**settings) for settings in ways]
    assert kinds[0] is kinds[1]
    assert len(set(kinds)) == 5

    def refused():
        raise AssertionError("looked at again")

    monkeypatch.setattr(search_type, "Fingerprint", refused)
    assert [type_of(**settings) for settings in ways] == kinds


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_rule_tells_its_source(name):
    assert find_rule(name).score.__doc__.count("20") >= 1


def test_sp_mcts_adds_the_deviation_of_results_and_a_doubt_that_visits_remove():
    parent = SimpleNamespace(log_visits=math.log(100))
    child = SimpleNamespace(value=0.4, inverse_visits=1 / 16, variance=0.09)
    options = SimpleNamespace(c=0.5, doubt=1.12)
    explored = 0.5 * math.sqrt(math.log(100) / 16)
    assert selection_rules.sp_mcts(child, parent, options) == pytest.approx(0.4 + explored + 0.4)


def test_a_rule_without_a_number_is_refused_at_once():
    with pytest.raises(bw.SettingsError, match="nothing returns NaN"):

        def nothing(child, parent, options):
            return math.nan

        bw.MCTS(selection=nothing)


def test_a_rule_that_raises_or_takes_other_arguments_is_refused_at_once():
    with pytest.raises(bw.SettingsError, match="raises"):
        bw.MCTS(selection=lambda child: 1.0)
    with pytest.raises(bw.SettingsError, match="raises AttributeError"):
        bw.MCTS(selection=lambda child, parent, options: child.worth)


def test_a_rule_that_gives_no_number_only_in_a_search_ends_it_with_an_error():
    def sometimes(child, parent, options):
        return math.nan if child.visits == 5 else child.value

    for compiled in (None, False):
        with pytest.raises(bw.SettingsError, match="sometimes returned NaN as a score"):
            bw.MCTS(selection=sometimes, seed=1, compiled=compiled).search(TicTacToe(), simulations=1000)


def test_a_rule_that_cannot_be_compiled_shows_its_line():
    def worded(child, parent, options):
        return float(f"{child.value:.2f}")

    with pytest.raises(bw.SettingsError, match=r"worded cannot be compiled \(test_selection.py, line \d+"):
        bw.MCTS(selection=worded).search(TicTacToe(), simulations=10)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("ucb", 'did you mean "ucb1"'),
        ("rave(bais=1)", 'did you mean "bias"'),
        (3, "is not a selection rule"),
    ],
)
def test_unknown_rules_and_options_offer_the_nearest(given, words):
    with pytest.raises(bw.BranchwiseError, match=words):
        bw.MCTS(selection=given)


@pytest.mark.parametrize(
    "settings",
    [
        {"implicit_minimax": 0.2, "transpositions": True},
        {"implicit_minimax": 0.5, "threads": 2},
        {"transpositions": True, "threads": 2},
        {"transpositions": True, "selection": "ucb1_tuned"},
        {"widening_power": 0.3},
        {"power": 3.0},
        {"halving": True, "early_stop": True},
        {"threads": 0},
        {"threads": 1000},
        {"threads": 2, "parallel": "leaf", "playout": "mast"},
        {"parallel": "root"},
        {"parallel": "both", "threads": 2},
        {"playout": "mast+decisive"},
        {"playout": "uniform(epsilon=0.1)"},
        {"playout": "mast(epsilon=2)"},
        {"playouts": 0},
        {"cutoff": -1},
        {"choice": "luck"},
        {"first_play": "father"},
        {"implicit_minimax": 2},
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused_at_construction(settings):
    with pytest.raises(bw.BranchwiseError):
        bw.MCTS(**settings)


def test_leaves_are_not_shared_among_threads_where_the_playouts_of_the_game_learn():
    class Learning(TicTacToe):
        playout = "decisive+mast"

    planner = bw.MCTS(threads=2, parallel="leaf")
    with pytest.raises(bw.SettingsError, match=r"the game's playouts, \"decisive\+mast\", which learn"):
        planner.search(Learning(), simulations=10)
    assert planner.settings.policy("decisive").urgent == "decisive"


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"selection": "progressive_bias"}, "evaluate"),
        ({"implicit_minimax": 0.5}, "evaluate"),
        ({"cutoff": 3}, "evaluate"),
        ({"playout": "game"}, "playout_action"),
    ],
)
def test_settings_name_the_rule_that_a_game_lacks(settings, rule):
    with pytest.raises(bw.GameError, match=f"nim does not have: {rule}"):
        bw.MCTS(**settings).search(Nim(), simulations=10)


class WildEvaluation(TicTacToe):
    name = "wild_evaluation"

    def evaluate(self):
        return (3.0, -3.0)


class NegativePrior(TicTacToe):
    name = "negative_prior"

    def prior(self, action):
        return 1.0 - action


class IllegalPlayout(TicTacToe):
    name = "illegal_playout"

    def playout_action(self, random):
        return 0


@pytest.mark.parametrize("compiled", [None, False])
@pytest.mark.parametrize(
    ("game", "settings", "words"),
    [
        (WildEvaluation, {"cutoff": 1}, "evaluate gave"),
        (NegativePrior, {"selection": "puct"}, "prior gave"),
        (IllegalPlayout, {"playout": "game"}, "playout_action gave an action that is not legal"),
    ],
    ids=["evaluate", "prior", "playout_action"],
)
def test_optional_rules_that_break_their_contract_are_named(game, settings, words, compiled):
    with pytest.raises(bw.GameError, match=words):
        bw.MCTS(seed=1, compiled=compiled, **settings).search(game(), simulations=300)
