"""Open loop: simulators, outcomes that are drawn, and one tree however it is built."""

import math
import random as python_random

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.pig import Pig
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.rules.facts.facts import apply_legal
from branchwise.testing import Expectimax, check_game
from support.dice import CoinTicTacToe
from support.paying import Wheel
from support.rows import bounded, slow
from support.simulators import Deck, Doors, Drift, Machines, SampledPig, Shutters
from support.trees import all_facts

OPEN = {"open_loop": True}
CASES = [
    (Drift, {}),
    (Machines, {}),
    (Deck, {}),
    (SampledPig, {}),
    (Shutters, {}),
    bounded(Shutters, {"selection": "ucb1_tuned", "scale": "bounds", "playout": "nst"}),
    bounded(Drift, {"playout": "mast", "playouts": 2, "halving": True}),
    bounded(SampledPig, {"playout": "last_good_reply"}),
    slow(Shutters, {"selection": "ucb1_tuned", "scale": "bounds"}),
    slow(Drift, {"playout": "mast", "playouts": 2}),
    slow(SampledPig, {"playout": "mast"}),
    slow(Shutters, {"playout": "nst"}),
    slow(Drift, {"halving": True}),
    slow(SampledPig, {"halving": True}),
    (Pig.configured(target=20), OPEN),
    slow(CoinTicTacToe, OPEN),
    (CoinTicTacToe, {"playout": "decisive", **OPEN}),
    bounded(Wheel, OPEN),
    slow(TicTacToe, OPEN),
]


def start(game):
    return CoinTicTacToe.from_actions([0]) if game is CoinTicTacToe else game()


# --- values ---------------------------------------------------------------------------------------------


def test_a_simulator_is_planned_for_with_its_expected_return():
    result = bw.MCTS(seed=1).search(Machines(), simulations=30_000)
    exact = 0.8 * (1 + 0.75 + 0.75**2)
    assert result.best_action == 2
    assert result.value == pytest.approx(exact, abs=0.1)
    assert result.principal_variation[0] == 2


def test_the_error_falls_with_the_budget():
    exact = 0.8 * (1 + 0.75 + 0.75**2)

    def error(simulations, seeds):
        found = [bw.MCTS(seed=seed).search(Machines(), simulations=simulations) for seed in seeds]
        return sum(abs(result.value - exact) for result in found) / len(found)

    assert error(200, range(40)) > error(2000, range(20)) > error(50_000, range(5))


def test_an_open_loop_and_a_closed_one_agree_where_no_decision_hangs_on_chance():
    """With the last stake alone nothing can be answered to the wheel."""
    state = Wheel(turns=3)
    exact = Expectimax().action_values(state)
    result = bw.MCTS(seed=1, open_loop=True).search(state, simulations=20_000)
    assert result.is_open
    assert result.best_action == max(exact, key=exact.get)
    assert result.value == pytest.approx(max(exact.values()), abs=0.05)
    assert all(child.proven is None for child in result.children)


@pytest.mark.parametrize("moves", [[0], [1], [0, 4, 1], [1, 4, 0]], ids=str)
def test_whose_values_these_are_where_chance_says_who_moves(moves):
    """The mover of the root blocks, or wins, with two in a row: from both sides and both parities."""
    state = CoinTicTacToe.from_actions(moves)
    exact = Expectimax().action_values(state)
    result = bw.MCTS(seed=1, open_loop=True).search(state, simulations=20_000)
    assert result.player == state.current_player()
    assert exact[result.best_action] >= max(exact.values()) - 0.05


@pytest.mark.slow
def test_strength_rises_with_the_budget():
    """Pig with a drawn die: more simulations score more against a random player, from both seats."""

    def score(simulations, games=60):
        won = 0
        for game in range(games):
            world, state = bw.Random(game), SampledPig()
            planner = bw.MCTS(seed=game)
            while not state.is_terminal():
                player = state.current_player()
                if player == bw.CHANCE:
                    state.apply_action(state.sample_outcome(world))
                elif player == game % 2:
                    state.apply_action(planner.search(state, simulations=simulations).best_action)
                else:
                    state.apply_action(state.legal_actions()[world.below(len(state.legal_actions()))])
            won += state.returns()[game % 2] > 0
        return won

    assert score(400) >= 45  # of 60; random play wins half
    assert score(400) > score(2)


def test_halving_shares_simulations_evenly_until_half_of_the_moves_drop_out():
    result = bw.MCTS(seed=2, halving=True).search(Machines(), simulations=800)
    visits = sorted(child.visits for child in result.children)
    assert visits == pytest.approx([100, 100, 300, 300], abs=2)
    assert result.best_action == 2


def test_only_children_that_are_legal_this_time_are_chosen_from():
    result = bw.MCTS(seed=1).search(Shutters(), simulations=20_000)
    root = result.tree.root
    assert result.best_action == 4
    best = root.best_child()
    assert sorted(child.action for child in best.children) == [0, 1, 2, 3, 4]
    visits = {child.action: child.visits for child in best.children}
    # the last shutter is open 16 of 31 times, and then it is the best choice; 3 is, when 4 is closed
    assert visits[4] / best.visits == pytest.approx(16 / 31, abs=0.08)
    assert visits[3] / best.visits == pytest.approx(8 / 31, abs=0.08)
    mean_best = sum(max(s for s in range(5) if shown >> s & 1) for shown in range(1, 32)) / 31
    assert result.value == pytest.approx(4 + 3 * mean_best, abs=0.3)


# --- one tree -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "settings"), CASES, ids=str)
def test_compiled_and_interpreted_searches_build_the_same_tree(game, settings):
    compiled = bw.MCTS(seed=3, **settings).search(start(game), simulations=400)
    plain = bw.MCTS(seed=3, compiled=False, **settings).search(start(game), simulations=400)
    assert all_facts(compiled.tree.root) == all_facts(plain.tree.root)
    again = bw.MCTS(seed=3, **settings).search(start(game), simulations=400)
    assert all_facts(again.tree.root) == all_facts(compiled.tree.root)


@pytest.mark.parametrize("game", [Drift, SampledPig])
def test_code_that_comes_later_carries_on_with_the_same_tree(game):
    later = bw.MCTS(seed=3, compiled="meanwhile").search(game(), simulations=400)
    assert all_facts(later.tree.root) == all_facts(bw.MCTS(seed=3).search(game(), simulations=400).tree.root)


def test_visits_of_a_node_are_those_of_its_children_and_of_its_own():
    root = bw.MCTS(seed=1).search(SampledPig(), simulations=3000).tree.root
    assert root.visits == 3000
    assert root.visits == sum(child.visits for child in root.children)
    waiting = list(root.children)
    while waiting:
        node = waiting.pop()
        assert node.visits >= sum(child.visits for child in node.children)
        waiting += node.children


def test_threads_with_a_tree_each_search_in_an_open_loop():
    result = bw.MCTS(seed=1, threads=2, parallel="root").search(Machines(), simulations=20_000)
    assert result.best_action == 2
    again = bw.MCTS(seed=1, threads=2, parallel="root").search(Machines(), simulations=20_000)
    assert [(c.action, c.visits) for c in again.children] == [(c.action, c.visits) for c in result.children]


# --- the world's random numbers -------------------------------------------------------------------------


def test_a_plan_knows_nothing_of_what_the_world_will_bring():
    """A planner that knew the world's numbers would guess the right door every time."""
    right = tries = 0
    for seed in range(8):
        world, state = bw.Random(seed), Doors()
        planner = bw.MCTS(seed=seed)
        while not state.is_terminal():
            action = planner.search(state, simulations=20).best_action
            right += state.apply_action(action, world)
            tries += 1
    assert tries == 800
    assert abs(right / tries - 0.5) < 4 * math.sqrt(0.25 / tries)


def test_a_search_leaves_the_worlds_numbers_alone():
    world = bw.Random(5)
    before = world.counter
    bw.MCTS(seed=5).search(Drift(), simulations=200)
    assert world.counter == before


def test_the_worlds_numbers_are_what_they_say():
    world = bw.Random(3)
    draws = [world.normal() for _ in range(20_000)]
    mean = sum(draws) / len(draws)
    assert abs(mean) < 0.03
    assert sum((draw - mean) ** 2 for draw in draws) / len(draws) == pytest.approx(1.0, abs=0.04)
    chosen = [world.choice((1.0, 0.0, 3.0)) for _ in range(4000)]
    assert chosen.count(1) == 0
    assert chosen.count(2) / 4000 == pytest.approx(0.75, abs=0.03)
    seen = set()
    for _ in range(200):
        cards = [0, 1, 2]
        world.shuffle(cards)
        seen.add(tuple(cards))
    assert len(seen) == 6
    assert bw.Random().counter != bw.Random().counter


# --- going on, files, pictures --------------------------------------------------------------------------


def test_advance_takes_the_state_that_a_simulator_has_come_to():
    planner, state, world = bw.MCTS(seed=1), Drift(), bw.Random(1)
    action = planner.search(state, simulations=500).best_action
    with pytest.raises(bw.SettingsError, match="leads to a random state") as caught:
        planner.advance(action)
    assert "state=" in caught.value.mend
    state.apply_action(action, world)
    assert planner.advance(action, state=state) is False
    assert planner.search(state, simulations=100).tree.root.visits == 100


def test_a_tree_of_an_open_loop_is_drawn_saved_and_loaded(tmp_path):
    result = bw.MCTS(seed=1).search(SampledPig(), simulations=500)
    assert "player" in str(result)
    tree = result.tree
    assert all(node.mover in (0, 1) for _, node in tree.walk() if node.index)
    assert {node.mover for _, node in tree.walk() if node.index} == {0, 1}
    assert tree.to_text().count("\n") > 4
    assert tree.to_svg().startswith("<svg")
    tree.save(tmp_path / "pig.tree")
    loaded = bw.load_tree(tmp_path / "pig.tree", game=SampledPig)
    assert all_facts(loaded.root) == all_facts(tree.root)
    assert loaded.to_text() == tree.to_text()
    assert loaded.facts == tree.facts


# --- wrong input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"selection": "rave"}, "rave"),
        ({"transpositions": True}, "transpositions"),
        ({"backup": "power"}, "power"),
        ({"threads": 2}, "several threads"),
        ({"widening": 2.0}, "widening"),
        ({"playout": "decisive"}, "decisive"),
    ],
)
def test_settings_that_an_open_loop_does_not_go_with_are_refused(settings, told):
    with pytest.raises(bw.GameError, match=told):
        bw.MCTS(**settings).search(Drift(), simulations=10)


def test_an_outcome_out_of_range_is_one_clear_error():
    class Loaded(SampledPig):
        def sample_outcome(self, random):
            return 6 if self.turn > 8 else random.below(6)

    for settings in ({}, {"compiled": False}):
        with pytest.raises(bw.GameError, match="sample_outcome gave 6, but num_outcomes is 6"):
            bw.MCTS(seed=1, **settings).search(Loaded(), simulations=500)


def test_a_simulator_that_remembers_something_outside_of_its_fields_is_found():
    kept = [0]

    class Remembering(Drift):
        def apply_action(self, action, random):
            kept[0] += 1
            self.place += action - 1 + 0.3 * random.normal() + kept[0] % 2
            self.steps += 1
            return -1.0

    class OwnDice(SampledPig):
        def sample_outcome(self, random):
            return python_random.randrange(6)

    with pytest.raises(bw.GameError, match="for the same fields"):
        check_game(Remembering, games=20, compiled=False)
    with pytest.raises(bw.GameError, match="for the same random numbers"):
        check_game(OwnDice, games=20, compiled=False)


@pytest.mark.parametrize("game", [Drift, Machines, SampledPig, Shutters, Doors])
def test_the_checker_takes_games_that_draw_what_happens(game):
    assert check_game(game, games=40).games == 40


def test_a_number_of_outcomes_is_needed_to_sample_one():
    with pytest.raises(bw.GameError, match="has sample_outcome, but its num_outcomes is 0"):
        type("Odd", (SampledPig,), {"num_outcomes": 0})()


def test_a_move_of_a_simulator_needs_numbers_to_draw_from():
    state, world = Drift(), bw.Random(1)
    assert state.apply_action(2, world) == -1.0
    assert apply_legal(state, 2, world) == -1.0
    with pytest.raises(TypeError, match="random"):
        state.apply_action(2)
    with pytest.raises(bw.ActionError):
        state.apply_action(7, world)


@pytest.mark.parametrize("game", [Drift, SampledPig])
@pytest.mark.parametrize("text", ["mcts(simulations=50)", "random", "flat(simulations=20)"])
def test_bots_play_where_what_happens_is_drawn(game, text):
    bot, world, state = bw.load_bot(text, seed=1), bw.Random(1), game()
    while not state.is_terminal():
        if state.current_player() == bw.CHANCE:
            state.apply_action(state.sample_outcome(world))
            continue
        action = bot.choose(state)
        assert action in state.legal_actions()
        state.apply_action(action, *([world] if game is Drift else []))


def test_what_has_to_list_outcomes_says_that_it_cannot():
    from branchwise.testing import perft

    for ask in (
        lambda: perft(Drift(), 2),
        lambda: bw.load_bot("minimax(depth=2)").choose(SampledPig()),
        lambda: Expectimax().value(SampledPig()),
        lambda: Expectimax().value(Drift()),
    ):
        with pytest.raises(bw.BranchwiseError, match="drawn by its rules and cannot be listed"):
            ask()


def test_a_game_of_a_simulator_is_kept_with_its_states():
    played = bw.Playthrough(Drift(), random=bw.Random(4))
    states = [played.state]
    for _ in range(4):
        played.play(2)
        states.append(played.state)
    assert played.rewards == ((-1.0,),) * 4
    assert played.paid == (-4.0,)
    played.undo(3)
    assert played.state == states[1]
    played.redo(2)
    assert played.state == states[3]
    assert played.copy().state == states[3]
    assert [move.text for move in played.all_moves] == ["2"] * 4
    text = played.to_json()
    again = bw.Playthrough.from_json(text, Drift)
    assert again.state == states[3]
    assert again.paid == (-3.0,)
    broken = text.replace('"states"', '"stages"')
    with pytest.raises(bw.GameError, match="does not tell what came of move 1"):
        bw.Playthrough.from_json(broken, Drift)


def test_rules_that_raise_in_a_simulator_are_reported_with_the_method_that_did():
    class Breaking(Drift):
        rows: bw.Array[np.int8, 3] = 0

        def apply_action(self, action, random):
            self.place += action - 1 + 0.3 * random.normal()
            self.steps += 1
            self.rows[self.steps // 6] = 1
            return -1.0

    for settings in ({}, {"compiled": False}):
        with pytest.raises(bw.GameError, match="apply_action") as caught:
            bw.MCTS(seed=1, **settings).search(Breaking(), simulations=2000)
        assert "IndexError" in caught.value.problem or "index" in caught.value.problem


def test_an_outcome_that_is_drawn_is_read_by_its_number():
    played = bw.Playthrough(SampledPig(), "0 4")
    assert played.state.turn == 5
    assert bw.Playthrough.from_json(played.to_json(), SampledPig).state == played.state
    for outcome in ("6", "six", 6):
        with pytest.raises(bw.ActionError, match="is not"):
            bw.Playthrough(SampledPig(), ["0", outcome])
