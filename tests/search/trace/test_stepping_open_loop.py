"""Simulations in an open loop, reported one by one: the legal moves, and the outcomes drawn."""

import math

import pytest

import branchwise as bw
from branchwise.games.pig import Pig
from branchwise.pictures.simulation_report import PHASES
from branchwise.rules.facts.facts import apply_legal, game_facts, reward_of
from branchwise.search.trace.tree_snapshots import moments
from support.paying import Corridor, Treadmill, Wheel
from support.rows import slow
from support.simulators import Deck, Doors, Drift, Machines, SampledPig, Shutters

SIMULATORS = [Deck, Doors, Drift, Machines, SampledPig, Shutters]
LISTED = [Corridor, Pig.configured(target=20), Treadmill, Wheel]
"""Problems whose outcomes can be listed; they are searched in an open loop if that is asked for."""


def settings_of(problem):
    return {"open_loop": True} if problem in LISTED else {}


def told(problem, simulations, **settings):
    planner = bw.MCTS(seed=5, **settings_of(problem), **settings)
    return list(planner.steps(problem(), simulations=simulations))


def choices_of(simulation):
    return [*simulation.selection.choices, *filter(None, [simulation.expansion.choice])]


def named(of):
    return getattr(of, "name", str(of))


# --- the tree -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "problem",
    [Shutters, *(slow(problem) for problem in SIMULATORS + LISTED if problem is not Shutters)],
    ids=named,
)
def test_stepping_builds_the_tree_of_the_compiled_search(problem):
    assert_steps_build_the_tree(problem, {}, compiled=True)


@pytest.mark.parametrize("problem", SIMULATORS + LISTED, ids=named)
def test_stepping_builds_the_tree_of_the_search(problem):
    """Of the interpreted search; tests of searches find that the compiled one builds the same."""
    assert_steps_build_the_tree(problem, {}, compiled=False)


@pytest.mark.parametrize(
    ("problem", "settings"),
    [
        (SampledPig, {"selection": "thompson"}),
        (Shutters, {"playouts": 2, "playout": "mast"}),
        (Shutters, {"max_depth": 2}),
        (Shutters, {"memory_mb": 0.002}),
        slow(Shutters, {"selection": "thompson"}),
        slow(SampledPig, {"playouts": 2, "playout": "mast"}),
        slow(SampledPig, {"max_depth": 2}),
        slow(SampledPig, {"memory_mb": 0.002}),
    ],
    ids=named,
)
def test_stepping_builds_the_tree_of_the_search_with_other_settings(problem, settings):
    assert_steps_build_the_tree(problem, settings, compiled=False)


def assert_steps_build_the_tree(problem, settings, *, compiled):
    settings = {**settings, **settings_of(problem)}
    walk = bw.MCTS(seed=5, **settings).walkthrough(problem(), simulations=80)
    searched = bw.MCTS(seed=5, compiled=compiled, **settings).search(problem(), simulations=80)
    assert len(walk.simulations) == searched.simulations
    assert len(walk.tree) == len(searched.tree)
    for name in ("nodes", "available", "choosers"):
        mine, theirs = (getattr(tree._tree, name)[: len(tree)] for tree in (walk.tree, searched.tree))
        assert (mine == theirs).all()


@pytest.mark.parametrize("problem", SIMULATORS + LISTED, ids=named)
def test_what_is_told_makes_up_the_whole_tree(problem):
    walk = bw.MCTS(seed=5, **settings_of(problem)).walkthrough(problem(), simulations=60)
    returns = (walk.facts.min_return, walk.facts.max_return)
    trees = moments(walk.simulations, problem().current_player(), returns)
    assert len(trees) == len(walk.simulations) * len(PHASES)
    known = trees[-1].nodes
    assert len(known) == len(walk.tree)
    for _, node in walk.tree.walk():
        mine = known[node.index]
        assert (mine.visits, mine.value, mine.mover) == (node.visits, node.value, node.mover)


def test_simulations_that_are_not_told_leave_the_same_ones_to_follow():
    later = list(bw.MCTS(seed=5).steps(Machines(), simulations=4, after=56))
    assert later == told(Machines, 60)[56:]


# --- choices --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", SIMULATORS + LISTED, ids=named)
def test_what_is_reported_siblings_explains_the_choice(problem):
    scored = 0
    for simulation in told(problem, 80):
        for choice in choices_of(simulation):
            chosen = choice.siblings[choice.chosen]
            legal = [sibling for sibling in choice.siblings if sibling.fate != "not legal"]
            assert chosen in legal
            assert {sibling.move.player for sibling in legal} == {choice.player}
            assert [sibling.fate for sibling in choice.siblings].count("chosen") == 1
            if choice.because == "untried":
                assert chosen.visits == 0
            else:
                assert choice.because == "score"
                assert chosen.score == max(sibling.score for sibling in legal)
                scored += len(legal)
                assert_terms(choice, legal)
    assert scored > 20


def assert_terms(choice, legal):
    """Check that scores are those of UCB1 with how often a child was legal in place of the node's visits."""
    low, high = choice.spread or (-1.0, 1.0)
    for sibling in legal:
        explored = 0.7 * math.sqrt(math.log(sibling.available) / sibling.visits)
        value = (min(max(sibling.value, low), high) - low) / max(high - low, 1e-12)
        assert (sibling.score - low) / (high - low) == pytest.approx(value + explored, abs=1e-4)


def test_moves_that_are_not_legal_this_time_are_reported():
    seen = 0
    for simulation in told(Shutters, 80):
        for choice in choices_of(simulation):
            shown = int(choice.board.split("shown=")[1].split()[0])
            for sibling in choice.siblings:
                is_open = bool(shown >> sibling.move.action & 1)
                assert (sibling.fate == "not legal") == (not is_open)
                assert sibling.fate != "not legal" or sibling.score is None
                seen += not is_open
    assert seen > 100


def test_moves_of_a_player_who_is_not_to_move_this_time_are_reported():
    others = {
        (choice.player, sibling.move.player)
        for simulation in told(SampledPig, 120)
        for choice in choices_of(simulation)
        for sibling in choice.siblings
        if sibling.fate == "not legal"
    }
    assert {(0, 1), (1, 0)} <= others


def test_how_often_a_move_was_legal_grows_by_one_where_it_is_legal():
    known = {}
    for simulation in told(Shutters, 80):
        for choice in choices_of(simulation):
            for sibling in choice.siblings:
                before = known.get(sibling.node, 0)
                assert sibling.available == before + (sibling.fate != "not legal")
                known[sibling.node] = sibling.available
    assert len(known) > 50


# --- draws ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [Pig.configured(target=20), Wheel], ids=named)
def test_moves_and_draws_lead_to_the_boards_that_are_reported(problem):
    """Where outcomes are moves, actions alone give the states again."""
    drawn = 0
    for simulation in told(problem, 60):
        state, rewards = problem(), []
        for choice in choices_of(simulation):
            assert (choice.board, choice.player) == (str(state), state.current_player())
            chosen = choice.siblings[choice.chosen].move
            assert chosen.text == state.action_to_string(chosen.action)
            paid = 0.0
            for move in (chosen, *choice.drawn):
                assert move.player == state.current_player()
                given = apply_legal(state, move.action)
                if game_facts(state).pays:
                    paid += reward_of(state, given, game_facts(state))[0]
            rewards.append(paid)
            drawn += len(choice.drawn)
        assert str(state) == simulation.expansion.board
        if game_facts(state).pays:
            assert [u.reward for u in simulation.backup.updates[-2::-1]] == pytest.approx(rewards)
        for game in simulation.playout.games:
            for move in game.moves:
                assert move.player == state.current_player()
                apply_legal(state, move.action)
            assert str(state) == game.board
    assert drawn > 50


@pytest.mark.parametrize("problem", SIMULATORS, ids=named)
def test_a_node_adds_its_reward_and_what_comes_after(problem):
    pays = game_facts(problem()).pays
    for simulation in told(problem, 60):
        *updates, root = simulation.backup.updates
        assert root.returned is None
        assert [update.line for update in updates] == [
            simulation.expansion.line[:depth] for depth in range(len(updates), 0, -1)
        ]
        rest = simulation.playout.returns[0]
        for update in updates:
            if not pays:
                assert update.returned == simulation.playout.returns[update.player]
                continue
            assert (update.rest, update.factor) == (rest, problem.discount)
            rest = update.returned
            assert rest == pytest.approx(update.reward + update.factor * update.rest)
        for game in simulation.playout.games if pays else ():
            weights = [problem.discount**number for number in range(len(game.rewards))]
            if not any(move.player == bw.CHANCE for move in game.moves):
                total = sum(w * paid[0] for w, paid in zip(weights, game.rewards, strict=True))
                assert game.returns[0] == pytest.approx(total)


def test_the_states_of_a_simulator_are_those_of_the_simulation():
    """What a simulator drew cannot be played again, so the boards have to be its own."""
    walk = bw.MCTS(seed=5).walkthrough(Drift(), simulations=40)
    for simulation, frame in zip(walk.simulations, walk.lecture.frames[1::4], strict=True):
        assert frame.board.text == simulation.expansion.board
        boards = [choice.board for choice in choices_of(simulation)]
        assert boards[0] == str(Drift())
        assert len(set(boards)) == len(boards)


def test_reasons_for_adding_nothing():
    def reasons(problem, simulations, **settings):
        return {simulation.expansion.without for simulation in told(problem, simulations, **settings)}

    assert reasons(Shutters, 10) == {"", "first visit"}
    assert reasons(Shutters, 100, max_depth=1) == {"", "first visit", "depth"}
    assert reasons(Machines, 120) == {"", "first visit", "game over"}
    assert reasons(Doors, 20) == {"", "first visit", "horizon"}
    assert "memory" in reasons(Shutters, 200, memory_mb=0.002)


@pytest.mark.parametrize("problem", SIMULATORS + LISTED, ids=named)
def test_words_and_pictures_are_made_of_it(problem):
    walk = bw.MCTS(seed=5, **settings_of(problem)).walkthrough(problem(), simulations=12, after=30)
    text = walk.to_text()
    assert "drawn anew in each simulation" in " ".join(text.split())
    assert "inf" not in text.replace("info", "")
    assert all("nan" not in picture for picture in walk.to_svg())
    assert walk.to_html().count('<section class="frame"') == 48


def test_words_say_what_was_drawn_and_what_was_not_legal():
    text = " ".join(bw.MCTS(seed=5).walkthrough(Shutters(), simulations=2, after=60).to_text().split())
    assert "After 4 chance brings 4." in text
    assert "4 others are not legal this time." in text
    assert "N: simulations in which the move was legal" in text
