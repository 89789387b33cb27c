"""Simulations of a closed loop with drawn outcomes, reported one by one."""

import math
from collections import Counter

import pytest

import branchwise as bw
from branchwise.common.players import TERMINAL
from branchwise.games.pig import Pig
from branchwise.pictures.simulation_report import PHASES
from branchwise.rules.facts.facts import apply_legal, game_facts
from branchwise.search.trace.tree_snapshots import moments
from support.dice import CoinTicTacToe
from support.paying import Wheel
from support.rows import slow
from support.simulators import Doors, Drift, Machines, Offers, SampledPig, Shutters

CLOSED = {"open_loop": False}
SOME = {"outcome_widening": 2.0}
CASES = [
    (Machines, CLOSED),
    (Drift, SOME),
    (SampledPig, CLOSED),
    (CoinTicTacToe, SOME),
    slow(Doors, CLOSED),
    slow(Shutters, CLOSED),
    slow(Offers, SOME),
    slow(Wheel, {**SOME, "scale": "seen"}),
]
ALL = [case.values if hasattr(case, "values") else case for case in CASES]


def start(problem):
    return CoinTicTacToe.from_actions([0]) if problem is CoinTicTacToe else problem()


def reported(problem, settings, simulations, **options):
    return list(bw.MCTS(seed=5, **settings).steps(start(problem), simulations=simulations, **options))


def draws_of(simulation):
    return [choice for choice in simulation.choices if choice.is_chance]


# --- the tree -------------------------------------------------------------------------------------------


def test_stepping_builds_the_tree_of_the_compiled_search():
    assert_steps_build_the_tree(Drift, SOME, compiled=True)


@pytest.mark.parametrize(("problem", "settings"), ALL, ids=str)
def test_stepping_builds_the_tree_of_the_search(problem, settings):
    """Of the interpreted search; tests of searches find that the compiled one builds the same."""
    assert_steps_build_the_tree(problem, settings, compiled=False)


@pytest.mark.parametrize(
    ("problem", "settings"),
    [
        (Drift, {"outcome_widening": 1.0, "outcome_widening_power": 0.25}),
        (Machines, {"outcome_widening": 2.0, "outcome_widening_power": 0.0}),
        (Offers, {**SOME, "memory_mb": 0.01}),
        (SampledPig, {**SOME, "max_depth": 3}),
        slow(SampledPig, {**CLOSED, "selection": "thompson"}),
        slow(Machines, {**SOME, "selection": "ucb1_tuned", "repeat": 1}),
        slow(SampledPig, {**SOME, "playouts": 2, "playout": "mast"}),
    ],
    ids=str,
)
def test_stepping_builds_the_tree_of_the_search_with_other_settings(problem, settings):
    assert_steps_build_the_tree(problem, settings, compiled=False)


def assert_steps_build_the_tree(problem, settings, *, compiled):
    walk = bw.MCTS(seed=5, **settings).walkthrough(start(problem), simulations=120)
    searched = bw.MCTS(seed=5, compiled=compiled, **settings).search(start(problem), simulations=120)
    assert len(walk.simulations) == searched.simulations
    assert len(walk.tree) == len(searched.tree)
    keys = [] if compiled else ["keys"]  # compiled states have hashes of their own
    for name in ["nodes", "available", "choosers", "drawn", "seeds", *keys]:
        mine, theirs = (getattr(tree._tree, name)[: len(tree)] for tree in (walk.tree, searched.tree))
        assert (mine == theirs).all()


@pytest.mark.parametrize(("problem", "settings"), [*ALL, (Offers, {**SOME, "memory_mb": 0.01})], ids=str)
def test_reports_make_up_the_whole_tree(problem, settings):
    walk = bw.MCTS(seed=5, **settings).walkthrough(start(problem), simulations=80)
    returns = (walk.facts.min_return, walk.facts.max_return)
    trees = moments(walk.simulations, start(problem).current_player(), returns)
    assert len(trees) == len(walk.simulations) * len(PHASES)
    known = trees[-1].nodes
    assert len(known) == len(walk.tree)
    for _, node in walk.tree.walk():
        mine = known[node.index]
        assert (mine.visits, mine.value, mine.mover) == (node.visits, node.value, node.mover)
        if node.num_children:
            assert mine.player == node.player
    grown = [len(tree.nodes) for tree in trees]
    assert grown == sorted(grown)


@pytest.mark.parametrize("settings", [CLOSED, SOME], ids=str)
def test_lines_name_nodes_as_the_tree_does(settings):
    walk = bw.MCTS(seed=5, **settings).walkthrough(Machines(), simulations=60)
    for simulation in walk.simulations:
        node = walk.tree.find(" ".join(simulation.expansion.line))
        assert node.index == simulation.expansion.node


def test_simulations_that_are_not_reported_leave_the_same_ones_to_follow():
    assert reported(Drift, SOME, 4, after=56) == reported(Drift, SOME, 60)[56:]


# --- outcomes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("problem", "settings"), ALL, ids=str)
def test_each_move_is_followed_by_the_outcome_that_it_led_to(problem, settings):
    for simulation in reported(problem, settings, 90):
        players = [choice.player for choice in simulation.choices]
        assert all((player == bw.CHANCE) == bool(place % 2) for place, player in enumerate(players))
        assert len(players) % 2 == 0
        for choice in draws_of(simulation):
            assert choice.credited == simulation.choices[simulation.choices.index(choice) - 1].player
            assert [sibling.fate for sibling in choice.siblings].count("chosen") == 1
            assert choice.siblings[choice.chosen].fate == "chosen"
            assert [s.move.text for s in choice.siblings] == [
                f"~{place + 1}" for place in range(len(choice.siblings))
            ]


@pytest.mark.parametrize(("problem", "settings"), ALL, ids=str)
def test_an_outcome_is_new_once_and_known_from_then_on(problem, settings):
    visits, came = Counter(), Counter()
    reasons = Counter()
    for simulation in reported(problem, settings, 80):
        for choice in draws_of(simulation):
            chosen = choice.siblings[choice.chosen]
            assert choice.visits == visits[choice.node]
            for sibling in choice.siblings:
                assert (sibling.visits, sibling.came) == (visits[sibling.node], came[sibling.node])
                assert sibling.probability is None
            assert (choice.because == "new") == (chosen.visits == 0)
            if choice.because == "back":
                assert len(choice.siblings) >= choice.limit
                assert chosen.came > 0
            else:
                came[chosen.node] += 1
            reasons[choice.because] += 1
        for update in simulation.backup.updates:
            visits[update.node] += 1
    assert reasons["new"] > (1 if problem is Doors else 10)  # a horizon of 1: one outcome a door
    assert set(reasons) <= {"new", "chance", "back"}
    assert (reasons["back"] > 0) <= ("outcome_widening" in settings)


@pytest.mark.parametrize(("widening", "power"), [(1.0, 0.5), (3.0, 0.25), (2.0, 0.0)])
def test_the_limit_of_outcomes_is_reported(widening, power):
    settings = {"outcome_widening": widening, "outcome_widening_power": power}
    back = 0
    for simulation in reported(Drift, settings, 90):
        for choice in draws_of(simulation):
            assert choice.limit == max(math.ceil(widening * choice.visits**power), 1)
            assert len(choice.siblings) <= choice.limit
            back += choice.because == "back"
    assert back > 20


def test_without_widening_there_is_no_limit():
    for simulation in reported(Machines, CLOSED, 60):
        assert all(choice.limit is None for choice in simulation.choices)


def test_with_a_full_memory_known_outcomes_are_gone_back_to():
    reasons, without = Counter(), Counter()
    for simulation in reported(Offers, {**SOME, "memory_mb": 0.01}, 400):
        without[simulation.expansion.without] += 1
        for choice in draws_of(simulation):
            reasons[choice.because] += 1
            assert choice.because != "full" or choice.limit is None
    assert reasons["full"] > 10
    assert without["memory"] > 10


@pytest.mark.parametrize("problem", [SampledPig, Pig.configured(target=20)], ids=["sampled", "listed"])
def test_what_chance_brought_leads_to_the_boards_that_are_reported(problem):
    """Where outcomes are moves, actions alone give the states again."""
    drawn = 0
    for simulation in reported(problem, {"outcome_widening": 2.0}, 80):
        state = problem()
        for choice in simulation.choices:
            assert choice.board == str(state)
            if not choice.is_chance:
                assert choice.player == state.current_player()
                apply_legal(state, choice.siblings[choice.chosen].move.action)
            for move in choice.drawn:
                assert move.player == state.current_player() == bw.CHANCE
                apply_legal(state, move.action)
                drawn += 1
        assert str(state) == simulation.expansion.board
    assert drawn > 100


def test_the_same_outcome_has_the_same_board_each_time():
    """Also after the search went back to it, in a simulator, whose draws nobody sees."""
    boards, again = {}, 0
    for simulation in reported(Drift, SOME, 80):
        for choice in [*simulation.choices]:
            if not choice.is_chance:
                again += choice.node in boards
                assert boards.setdefault(choice.node, choice.board) == choice.board
        assert boards.setdefault(simulation.expansion.node, simulation.expansion.board) == (
            simulation.expansion.board
        )
    assert again > 100
    assert len(set(boards.values())) == len(boards)


# --- phases ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("problem", "settings"), ALL, ids=str)
def test_a_node_adds_its_reward_and_what_comes_after(problem, settings):
    facts = game_facts(start(problem))
    for simulation in reported(problem, settings, 100):
        *updates, root = simulation.backup.updates
        assert root.returned is None
        assert [update.by_chance for update in updates] == [place % 2 == 0 for place in range(len(updates))]
        rest = dict(enumerate(simulation.playout.returns))
        for update in updates:
            if not facts.pays:
                assert update.returned == rest[update.player]
                continue
            assert update.rest == pytest.approx(rest[update.player])
            assert update.factor == (facts.discount if update.by_chance else 1.0)
            assert update.by_chance <= (update.reward == 0.0)  # a move's reward holds what chance paid
            assert update.returned == pytest.approx(update.reward + update.factor * update.rest)
            rest[update.player] = update.returned


def test_reasons_for_adding_nothing():
    def reasons(problem, simulations, **settings):
        return {step.expansion.without for step in reported(problem, settings, simulations)}

    assert reasons(Machines, 10, **CLOSED) == {""}
    assert reasons(Machines, 400, **CLOSED) == {"", "game over"}
    assert reasons(Drift, 150, **SOME, max_depth=1) == {"", "depth"}
    assert reasons(Doors, 20, **CLOSED) == {"", "horizon"}


def test_a_new_move_is_added_with_its_outcome():
    both = alone = 0
    for simulation in reported(Drift, SOME, 100):
        expansion = simulation.expansion
        if expansion.outcome is not None:
            added = expansion.choice.siblings[expansion.choice.chosen]
            assert expansion.outcome.node == added.node in [child.node for child in expansion.children]
            assert expansion.outcome.because == "new"
            both += 1
        elif expansion.choice is not None:
            assert expansion.choice.is_chance
            assert [child.node for child in expansion.children] == [expansion.node]
            alone += 1
    assert both > 10
    assert alone > 10


# --- words and pictures ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("problem", "settings"), ALL, ids=str)
def test_words_and_pictures_are_made_of_it(problem, settings):
    walk = bw.MCTS(seed=5, **settings).walkthrough(start(problem), simulations=12, after=30)
    text = " ".join(walk.to_text().split())
    assert "Each state that it leads to has a node below the move" in text
    assert "inf" not in text.replace("info", "")
    assert "P=" not in text
    assert all("nan" not in picture for picture in walk.to_svg())
    assert walk.to_html().count('<section class="frame"') == 48
    assert walk.to_dict()["drawn_outcomes"] is True
    assert "~1" in walk.to_text(plain=True, width=60)


def test_words_say_how_an_outcome_came():
    def words(problem, simulations, after, **settings):
        walk = bw.MCTS(seed=5, **settings).walkthrough(problem(), simulations=simulations, after=after)
        return " ".join(walk.to_text().split())

    text = words(SampledPig, 20, 40, **CLOSED)
    assert "and the outcome is a known one, ~2, which has come" in text
    assert "and the outcome is a new one, ~1." in text
    assert "is where a new outcome comes: it is the leaf" in text
    assert "N: simulations at the node since it has the child" in text
    text = words(Drift, 20, 40, **SOME)
    assert "allow at most" in text
    assert "gone back to, as" in text
    assert "drawn among the known ones by how often each came" in text
    assert "chance brings" not in text  # nobody sees the draws of a simulator
    assert "The tree's memory is full" in words(Offers, 20, 380, **SOME, memory_mb=0.01).replace("the", "The")


def test_pictures_mark_where_the_game_is_over():
    walk = bw.MCTS(seed=5, **CLOSED).walkthrough(Machines(turns=2), simulations=12)
    ends = [node for node in walk.lecture.tree.nodes if node.terminal]
    reader = walk.tree.reader
    assert ends
    assert all(node.by_chance and reader.record(node.index)["player"] == TERMINAL for node in ends)
