"""Information-set search: one tree for what a player knows, each simulation in a state dealt anew."""

import pickle
import random
import threading

import pytest

import branchwise as bw
from branchwise.compile.queries.player_views import visible_bits
from branchwise.core.descents import one_observer, sampled_roots
from branchwise.core.tree import node_table
from branchwise.games.connect_four import ConnectFour
from branchwise.games.hearts import Hearts
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.liars_dice import LiarsDice
from branchwise.games.phantom_tic_tac_toe import PhantomTicTacToe
from branchwise.rules.facts.facts import facts_of, game_facts
from branchwise.search.composition.composition import Composition
from branchwise.search.drivers.root_source import dealt_from, particles
from branchwise.search.parts.descents.information_sets import AS_A_PLAYER
from branchwise.search.run.run import Conduct, Run
from branchwise.search.session.search_session import Session
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.settings import Settings
from branchwise.testing import InformationReferencePlanner
from support.hiding import Glimpse, Peek, Sure, Told
from support.lookalikes import GAMES, NAMES, other_deal, twins
from support.shipped import HIDDEN
from support.strategy_fusion import HiddenSteps, NameTheCoin, PaidGuesses
from support.trees import all_facts


def known(game, moves, player=None):
    played = bw.Playthrough(game(), moves)
    return played.information_state(played.player if player is None else player)


def somewhere(game, moves, seed=3):
    """Return what the player to move knows after this many random moves of players."""
    rng, played, left = random.Random(seed), bw.Playthrough(game()), moves
    while played.is_chance or left > 0:
        left -= not played.is_chance
        played.play(rng.choice(played.state.legal_actions()))
    return played.information_state(played.player)


# --- one tree, however it is built ------------------------------------------------------------------------


def searched(root):
    """Return every edge and every node of what is known, with its visits and value."""
    found, waiting = {}, [((), root)]
    while waiting:
        path, node = waiting.pop()
        for edge in node.children:
            value = 0.0 if edge.value is None else edge.value * edge.visits
            found[*path, edge.action] = edge.visits, pytest.approx(value, abs=1e-9)
            for below in edge.children:
                found[*path, edge.action, below.action] = below.visits, None
                waiting.append(((*path, edge.action, below.action), below))
    return found


def written_out(root):
    """Return the same of the reference's tree."""
    found, waiting = {}, [((), root)]
    while waiting:
        path, node = waiting.pop()
        for edge in node.edges:
            found[*path, edge.action] = edge.visits, edge.value
            for number, below in enumerate(edge.nodes):
                found[*path, edge.action, number] = below.visits, None
                waiting.append(((*path, edge.action, number), below))
    return found


@pytest.mark.parametrize(
    ("game", "moves", "scale", "simulations"),
    [
        (KuhnPoker, 0, "seen", 500),
        (KuhnPoker, 1, "seen", 500),
        (LeducPoker, 0, "seen", 400),
        (LeducPoker, 3, "seen", 200),
        (LiarsDice, 1, "bounds", 200),
        (PhantomTicTacToe, 0, "bounds", 300),
        (PhantomTicTacToe, 4, "bounds", 300),
        (Hearts, 5, "seen", 30),
        (Hearts, 30, "seen", 60),
        (Peek, 1, "bounds", 200),
        (Told, 1, "bounds", 200),
        (Glimpse, 0, "bounds", 200),
        (HiddenSteps, 0, "bounds", 300),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_the_tree_is_that_of_the_readable_search_node_for_node(game, moves, scale, simulations):
    state = somewhere(game, moves)
    root = InformationReferencePlanner(c=0.7, scale=scale, seed=4).search(state, simulations)
    result = bw.MCTS(seed=4).search(state, simulations=simulations)
    assert written_out(root) == searched(result.tree.root)
    assert result.tree.root.visits == root.visits == simulations


@pytest.mark.parametrize("game", [*GAMES, Peek, Told, Glimpse], ids=lambda game: game.name)
def test_compiled_and_interpreted_searches_build_the_same_tree(game):
    state = somewhere(game, 0 if game is Glimpse else 1)
    compiled = bw.MCTS(seed=3).search(state, simulations=200)
    plain = bw.MCTS(seed=3, compiled=False).search(state, simulations=200)
    again = bw.MCTS(seed=3).search(state, simulations=200)
    assert all_facts(compiled.tree.root) == all_facts(plain.tree.root) == all_facts(again.tree.root)
    assert compiled.deals == plain.deals == again.deals


def test_interpreted_searches_of_hearts_build_the_same_tree():
    state = somewhere(Hearts, 40)
    trees = [
        bw.MCTS(seed=3, **how).search(state, simulations=40).tree.root for how in ({}, {"compiled": False})
    ]
    assert all_facts(trees[0]) == all_facts(trees[1])


@pytest.mark.parametrize(
    "settings",
    [
        {"playout": "mast", "halving": True},
        pytest.param({"selection": "ucb1_tuned", "playouts": 2}, marks=pytest.mark.slow),
        pytest.param({"paranoid": True, "spread": True}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_other_settings_build_the_same_tree_interpreted(settings):
    state = somewhere(LeducPoker, 1)
    trees = [
        bw.MCTS(seed=3, **settings, **how).search(state, simulations=200).tree.root
        for how in ({}, {"compiled": False})
    ]
    assert all_facts(trees[0]) == all_facts(trees[1])


# --- nobody cheats ----------------------------------------------------------------------------------------


def outcome(result):
    facts = [(child.action, child.visits, child.value, child.available) for child in result.children]
    return facts, result.deals, result.simulations, all_facts(result.tree.root)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_searches_of_states_that_look_the_same_are_the_same_to_the_bit(game):
    for number, pair in enumerate(twins(game, 4, seed=3)):
        results = [
            bw.MCTS(seed=number).search(played.information_state(played.player), simulations=200)
            for played in pair
        ]
        assert outcome(results[0]) == outcome(results[1])
        assert pair[0].state != pair[1].state


def test_searches_of_hearts_are_the_same_to_the_bit():
    rng, compared = random.Random(1), 0
    played = bw.Playthrough(Hearts(), [0])
    while not played.is_over:
        if not played.is_chance and played.ply in (54, 61, 70):
            player = played.player
            other = other_deal(played, player)
            assert played.state != other.state
            results = [
                bw.MCTS(seed=1).search(game.information_state(player), simulations=200)
                for game in (played, other)
            ]
            assert outcome(results[0]) == outcome(results[1])
            compared += 1
        played.play(rng.choice(played.state.legal_actions()))
    assert compared == 3
    assert set(HIDDEN) == NAMES


def test_the_search_never_sees_the_state_of_the_game():
    """What is searched can be built from what the player knows alone, after a copy by way of its text."""
    state = somewhere(LeducPoker, 1)
    copied = pickle.loads(pickle.dumps(state))
    assert outcome(bw.MCTS(seed=2).search(state, simulations=200)) == outcome(
        bw.MCTS(seed=2).search(copied, simulations=200)
    )


# --- values -----------------------------------------------------------------------------------------------


def test_values_are_means_over_what_the_player_thinks_possible():
    """A queen that is bet into calls for 0 on average; a jack never calls, and a king always does."""
    result = bw.MCTS(seed=1).search(known(KuhnPoker, "K Q bet", 1), simulations=20_000)
    values = {result.action_text(child.action): child.value for child in result.children}
    assert values["pass"] == pytest.approx(-1.0)
    assert values["bet"] == pytest.approx(0.0, abs=0.05)
    for moves, best in (("Q J bet", 0), ("J K bet", 1)):
        assert bw.MCTS(seed=1).search(known(KuhnPoker, moves, 1), simulations=500).best_action == best


def test_what_will_not_be_known_later_is_not_planned_with():
    """Determinised search names the right side of every coin, and so does not take what is certain."""
    state = known(NameTheCoin, [1], 0)
    fused = bw.PIMC(deals=20, seed=1).search(state, simulations=2000)
    assert fused.best_action == 1
    assert fused.votes[0].value == pytest.approx(1.0)
    result = bw.MCTS(seed=1).search(state, simulations=5000)
    assert result.best_action == 0
    worth = {child.action: child.value for child in result.children}
    assert worth[0] == pytest.approx(0.4)
    assert worth[1] == pytest.approx(0.0, abs=0.2)


def test_moves_that_nobody_saw_do_not_tell_nodes_apart():
    """One step or two: the guesser has one node, with both answers, whatever happened in secret."""
    root = bw.MCTS(seed=2).search(known(HiddenSteps, [], 1), simulations=4000).tree.root
    (begin,) = root.children
    (waiting,) = begin.children
    nodes = [below for step in waiting.children for below in step.children]
    assert [(node.player, len(node.children)) for node in nodes] == [(1, 2)]
    answers = {edge.action: edge.visits for edge in nodes[0].children}
    assert sum(answers.values()) <= nodes[0].visits
    assert min(answers.values()) > 400  # neither is known to be right


def test_rewards_are_discounted_and_a_random_start_is_dealt_again():
    """The best first guess is 1 or 2: right for 1/4, then for half of a chance of 2/3 or 1, and so on."""
    state = bw.Playthrough(PaidGuesses.new_initial_state(bw.Random(1))).information_state(0)
    result = bw.MCTS(seed=1).search(state, simulations=60_000)

    def best(numbers, guesses):
        if guesses == 3 or not numbers:
            return 0.0
        worth = []
        for guess in range(4):
            right = len([n for n in numbers if n == guess])
            parts = [[n for n in numbers if (n > guess) is high] for high in (False, True)]
            later = sum(best(part, guesses + 1) * len(part) for part in parts)
            worth.append((right + 0.5 * later) / len(numbers))
        return max(worth)

    assert result.value == pytest.approx(best([0, 1, 2, 3], 0), abs=0.06)
    assert result.deals is None  # the states were given, not dealt


@pytest.mark.parametrize("moves", ["a3 a1 b3 b1", "c1 a3 a1 b3 b2"], ids=["first", "second"])
def test_a_row_is_completed_more_often_with_more_simulations_from_both_seats(moves):
    state = known(PhantomTicTacToe, moves)

    def found(simulations):
        searches = (bw.MCTS(seed=seed).search(state, simulations=simulations) for seed in range(30))
        return sum(result.action_text(result.best_action) == "c3" for result in searches)

    assert found(1000) >= 28
    assert found(1000) > found(12)


@pytest.mark.slow
@pytest.mark.parametrize("weaker", ["random", "ismcts(simulations=20)"])
def test_strength_rises_with_the_budget(weaker):
    """Seats are swapped in each pair of games."""
    match = bw.Match(game="phantom_tic_tac_toe", bots=("ismcts(simulations=2000)", weaker), games=200, seed=1)
    assert match.run().score().interval()[0] > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("game", ["liars_dice", "dark_hex"])
def test_it_beats_determinised_search_at_the_same_number_of_simulations(game):
    bots = ("ismcts(simulations=5000)", "pimc(simulations=5000)")
    assert bw.Match(game=game, bots=bots, games=200, seed=1).run().score().interval()[0] > 0.5


# --- deals ------------------------------------------------------------------------------------------------


def test_every_simulation_has_a_deal_of_its_own():
    result = bw.MCTS(seed=1).search(somewhere(LeducPoker, 1), simulations=500)
    assert (result.deals.dealt, result.deals.repeated, result.deals.left) == (500, 0, None)
    assert "500 deals" in " ".join(str(result).split())
    assert all(child.available == 500 for child in result.children)
    replayed = bw.MCTS(seed=1).search(somewhere(PhantomTicTacToe, 2), simulations=2500)
    assert (replayed.deals.dealt, replayed.deals.left) == (2500, 1000)


@pytest.mark.parametrize("compiled", [None, False])
def test_without_any_deal_the_choice_is_random_and_said_to_be(compiled, monkeypatch):
    monkeypatch.setattr("branchwise.search.drivers.root_source.FIRST_ATTEMPTS", 50)
    state = known(Sure, [3], 1)
    found = [bw.MCTS(seed=seed, compiled=compiled).search(state, simulations=30) for seed in range(8)]
    assert {(result.ended_by, result.simulations, result.deals.dealt) for result in found} == {
        ("no deal", 0, 0)
    }
    assert len({result.best_action for result in found}) > 1
    assert found[0].policy(0)[found[0].best_action] == 1.0
    assert "0 deals" in " ".join(str(found[0]).split())


def test_when_time_is_over_before_the_first_deal_the_choice_is_random(monkeypatch):
    monkeypatch.setattr("branchwise.search.drivers.root_source.FIRST_ATTEMPTS", 10**15)
    result = bw.MCTS(seed=1).search(known(Sure, [3], 1), seconds=0.1)
    assert (result.ended_by, result.simulations) == ("no deal", 0)
    assert result.seconds < 30


class Narrow(PhantomTicTacToe):
    """Few deals pass, so that most attempts fail and deals are used again."""

    def consistent(self, player):
        return self.board[0] == 2 and self.board[1] == 2 and self.board[3] == 2


def test_deals_are_repeated_when_a_few_attempts_fail_and_counted():
    state = known(Narrow, "b2 a3 c1 b3 c2 a2", 0)
    result = bw.MCTS(seed=1).search(state, simulations=2000)
    assert 0 < result.deals.repeated < 2000 == result.deals.dealt
    assert 0 < result.deals.left <= 1000
    root = InformationReferencePlanner(c=0.7, seed=1).search(state, 300)
    assert written_out(root) == searched(bw.MCTS(seed=1).search(state, simulations=300).tree.root)


@pytest.mark.parametrize(("weights", "worth"), [(None, 0.0), ([1.0, 3.0], 0.5), ([2.0, 0.0], 1.0)], ids=str)
def test_simulations_begin_in_given_states_in_proportion_to_their_weights(weights, worth):
    """The value of naming a coin is what the more likely side is worth."""
    view = bw.Playthrough(NameTheCoin(), [1, 1]).information_state(0).view
    states = [bw.Playthrough(NameTheCoin(), [side, 1]).state for side in (0, 1)]
    masks = visible_bits(NameTheCoin).reshape(-1)
    source = particles(states, AS_A_PLAYER, weights=weights, arrays={"masks": masks})
    budget, settings = Budget(4000), Settings()
    session = Session(view, facts_of(view), settings, budget, 1, proofs=False, source=source)
    result = Run(session, Conduct(budget, threading.Event()), 0.0).to_end()
    assert result.value == pytest.approx(worth, abs=0.06)
    assert result.deals is None


# --- composition ------------------------------------------------------------------------------------------


def test_a_search_without_hidden_information_has_none_of_this():
    own = {
        one
        for module in (one_observer, sampled_roots, node_table)
        for one in vars(module).values()
        if getattr(getattr(one, "py_func", None), "__module__", "") == module.__name__
    }
    assert len(own) > 20
    for state in (ConnectFour(), bw.load_game("pig")(), bw.load_game("yahtzee")()):
        facts = game_facts(state)
        composed = Composition(state, facts, Settings(), proofs=False)
        assert not own & set(composed.native.table.statics.values())
        assert not composed.native.table.constants["is_observed"]
    state = somewhere(KuhnPoker, 0)
    source = dealt_from(state, compiled=True)
    facts, observing = facts_of(state.view), source.observing
    composed = Composition(state.view, facts, Settings(), proofs=False, in_python=False, observing=observing)
    assert {*AS_A_PLAYER.kernels(composed).values()} <= set(composed.native.table.statics.values())
    assert composed.repeat == 1


# --- running ----------------------------------------------------------------------------------------------


def test_a_search_ends_by_time_and_by_stop_and_reports_its_progress():
    state, seen = somewhere(LeducPoker, 1), []
    planner = bw.MCTS(seed=1)
    assert planner.search(state, seconds=0.25, progress=seen.append).ended_by == "seconds"
    assert seen
    assert seen[-1].deals.dealt == seen[-1].simulations
    running = planner.start(state)
    assert running.stop().ended_by == "stopped"
    assert planner.advance(0) is False
    assert planner.carry_on() is False


def test_a_full_tree_is_searched_on():
    state = somewhere(PhantomTicTacToe, 0)
    limited = bw.MCTS(seed=1).search(state, max_nodes=200)
    assert limited.ended_by == "nodes"
    assert limited.nodes <= 200
    full = bw.MCTS(seed=1, memory_mb=0.02).search(state, simulations=3000)
    assert (full.simulations, full.memory_full) == (3000, True)


def test_threads_have_a_tree_each():
    state = somewhere(LeducPoker, 1)
    results = [bw.MCTS(seed=1, threads=2, parallel="root").search(state, simulations=2001) for _ in range(2)]
    assert outcome(results[0]) == outcome(results[1])
    assert results[0].deals.dealt == results[0].simulations == 2001


def test_a_result_can_be_pickled_and_written():
    result = bw.MCTS(seed=1).search(somewhere(LeducPoker, 3), simulations=500)
    copy = pickle.loads(pickle.dumps(result))
    assert copy.children == result.children
    assert copy.deals == result.deals
    assert result.to_dict()["best_move"] in ("fold", "call", "raise")
    assert "by" in result.tree.to_text(depth=2)
    assert result.principal_variation
    assert "~" not in result.line_text(result.principal_variation)


# --- wrong calls ------------------------------------------------------------------------------------------


class Leaky(Glimpse):
    """Which actions are legal depends on the coin, which player 0 does not see."""

    def legal_actions(self):
        yield 0
        if self.coin == 1:
            yield 1


class Changing(KuhnPoker):
    """Dealing anew changes the player's own card, most of the time."""

    pool = None

    def determinize(self, player, random):
        if random.below(8) > 0:
            self.hands[player] = 1 + random.below(3)


class Swapping(KuhnPoker):
    """Dealing anew always changes the player's own card, to the same one."""

    pool = None

    def determinize(self, player, random):
        self.hands[player] = 3


NOT_LEGAL = "looks to player 0 like one in which it is not legal|has the legal actions .* in place of"


def test_wrong_calls_are_refused_in_one_sentence():
    state = known(KuhnPoker, "J K", 0)
    planner = bw.MCTS(seed=1)
    for given, error, text in (
        (KuhnPoker.from_actions("J K"), bw.GameError, "kuhn_poker has hidden information"),
        (bw.Playthrough(ConnectFour()).information_state(0), bw.GameError, "connect_four hides nothing"),
        (known(KuhnPoker, "J K", 1), bw.ActionError, "player 1 is not to move here"),
        (known(KuhnPoker, "J K bet bet", 1), bw.GameError, "this kuhn_poker game is over"),
        (
            known(Leaky, [0], 0),
            bw.GameError,
            NOT_LEGAL,
        ),
        (known(Changing, "J K", 0), bw.GameError, "changed what player 0 sees"),
        (known(Swapping, "J K", 0), bw.GameError, "Swapping.determinize changed hands"),
    ):
        with pytest.raises(error, match=text):
            planner.search(given, simulations=200)
    with pytest.raises(bw.GameError, match="hides nothing"):
        planner.start(bw.Playthrough(ConnectFour()).information_state(0))
    with pytest.raises(
        bw.GameError,
        match=NOT_LEGAL,
    ):
        planner.steps(known(Leaky, [0], 0), simulations=100)
    assert [step.number for step in planner.steps(state, simulations=2)] == [1, 2]
    with pytest.raises(bw.SettingsError, match="no limit"):
        planner.search(state)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"perfect_information": True}, "perfect_information searches a state"),
        ({"transpositions": True}, "transpositions joins states"),
        ({"open_loop": True}, "open_loop has no meaning"),
        ({"outcome_widening": 1.0}, "outcome_widening has no meaning"),
        ({"evaluator": len}, "evaluator judges states"),
        ({"selection": "rave"}, 'selection="rave" cannot be combined with nodes known by'),
        ({"backup": "max"}, 'backup="max" cannot be combined with nodes known by'),
        ({"threads": 2}, "several threads in one tree cannot be combined with nodes known by"),
        ({"threads": 2, "compiled": False}, "has one thread"),
    ],
    ids=str,
)
def test_settings_without_meaning_are_refused(settings, text):
    with pytest.raises((bw.SettingsError, bw.GameError), match=text):
        bw.MCTS(**settings).search(known(KuhnPoker, "J K", 0), simulations=10)


# --- the bot ----------------------------------------------------------------------------------------------


def test_the_bot_reads_back_from_its_text_and_plays_what_it_finds():
    text = "ismcts(simulations=40,temperature=1.0,c=1.0,seed=1)"
    assert repr(bw.load_bot(text)) == text
    bot = bw.load_bot("ismcts(simulations=500)", seed=1)
    assert bot.choose(known(KuhnPoker, "J K bet", 1)) == 1
    assert bot.result.simulations == 500
    with pytest.raises(bw.UnknownNameError, match="perfect_information"):
        bw.load_bot("ismcts(perfect_information=true)")
    with pytest.raises(bw.GameError, match="connect_four hides nothing, which ismcts is for"):
        bot.check_game(ConnectFour)
    with pytest.raises(bw.GameError, match="not from a KuhnPoker"):
        bot.choose(KuhnPoker.from_actions("J K bet"))


def test_a_temperature_mixes_by_visits():
    state = known(KuhnPoker, "K Q bet", 1)
    bot = bw.load_bot("ismcts(simulations=60,temperature=1)", seed=1)
    assert {bot.choose(state) for _ in range(40)} == {0, 1}


def test_matches_and_play_take_the_bot():
    match = bw.Match(game="kuhn_poker", bots=("ismcts(simulations=50)", "random"), games=6, seed=1)
    assert match.run().games == 6
