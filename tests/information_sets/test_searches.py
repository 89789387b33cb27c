"""Outcome sampling and multiple-observer search: convergence, what looks the same, wrong input."""

import random
import threading
import time

import pytest

import branchwise as bw
from branchwise.equilibrium.game_tree import game_tree
from branchwise.games.connect_four import ConnectFour
from branchwise.games.dark_hex import DarkHex
from branchwise.games.hearts import Hearts
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.liars_dice import LiarsDice
from branchwise.games.phantom_tic_tac_toe import PhantomTicTacToe
from branchwise.information_sets import consistent_histories
from support.hiding import Glimpse, Told
from support.lookalikes import other_deal, twins

DICE = LiarsDice.configured(faces=3)


def known(game, moves, player):
    return bw.Playthrough(game(), moves).information_state(player)


# --- convergence ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "simulations", "bound"),
    [
        (KuhnPoker, 10_000, 0.06),
        (KuhnPoker, 1_000_000, 0.01),
        (DICE, 1_000_000, 0.02),
        (LeducPoker, 300_000, 0.5),
    ],
    ids=str,
)
def test_outcome_sampling_converges(game, simulations, bound):
    found = [bw.exploitability(bw.OOS(seed=seed).solve(game, simulations=simulations)) for seed in (1, 2)]
    assert max(found) < bound
    assert min(found) > 0.0


def test_the_value_of_kuhn_poker_is_found():
    policy = bw.OOS(seed=3).solve(KuhnPoker, simulations=1_000_000)
    assert bw.expected_returns(policy)[0] == pytest.approx(-1 / 18, abs=0.005)


@pytest.mark.slow
def test_outcome_sampling_falls_below_a_tenth_in_leduc_poker():
    policy = bw.OOS(seed=1).solve(LeducPoker, simulations=10_000_000)
    assert bw.exploitability(policy) < 0.1
    assert bw.expected_returns(policy)[0] == pytest.approx(-0.0856, abs=0.02)


def test_the_strategy_of_an_online_player_converges():
    """Every information state of Kuhn poker is searched from scratch."""

    def exploited(simulations):
        def rule(state):
            return bw.OOS(seed=1).search(state, simulations=simulations).policy()

        return bw.exploitability(rule, KuhnPoker)

    few, many = exploited(100), exploited(100_000)
    assert many < 0.05
    assert many < few / 3


def test_targeting_brings_simulations_to_what_is_known():
    state = known(LeducPoker, "Ja Qa raise call Kb raise", 1)
    aimed, plain = (
        bw.OOS(seed=1, targeting=share).search(state, simulations=20_000).visits for share in (0.9, 0.0)
    )
    assert aimed > 18_000 * 0.95
    assert plain < 500


def test_multiple_observer_search_does_what_is_best_at_once():
    for moves, best in (("J K bet", 1), ("Q J bet", 0)):
        result = bw.MOISMCTS(seed=1).search(known(KuhnPoker, moves, 1), simulations=3000)
        assert result.best_action == best
        assert result.policy()[best] > 0.95
    assert result.actions[0].value == pytest.approx(-1.0)


def test_others_act_by_what_they_know():
    """Player 1 cannot tell the doors of one side apart, so player 0 wins half of the games with any."""
    result = bw.MOISMCTS(seed=2).search(known(Told, [], 0), simulations=50_000)
    assert [share.value for share in result.actions] == pytest.approx([0.0] * 4, abs=0.12)


def test_three_players_are_searched_by_visits():
    game = KuhnPoker.configured(players=3)
    result = bw.MOISMCTS(seed=1).search(known(game, "J Q K bet", 1), simulations=5000)
    assert set(result.policy()) == {0, 1}
    assert sum(result.policy().values()) == pytest.approx(1.0)
    assert bw.MOISMCTS(seed=1).search(known(game, "J K Q bet", 1), simulations=5000).best_action == 1


def test_both_searches_name_the_policy_of_a_whole_game():
    tree = game_tree(Glimpse)
    for planner in (bw.OOS(seed=1), bw.MOISMCTS(seed=1)):
        policy = planner.solve(Glimpse, simulations=5000)
        assert len(policy.probabilities) == tree.starts[-1]
    uniform = bw.OOS(seed=1).solve(DICE, simulations=1)
    assert bw.exploitability(uniform) > 0.5


# --- nobody cheats ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "game",
    [
        KuhnPoker,
        LeducPoker,
        DICE,
        pytest.param(PhantomTicTacToe, marks=pytest.mark.slow),
        pytest.param(DarkHex, marks=pytest.mark.slow),
    ],
    ids=lambda game: game.name,
)
def test_searches_of_states_that_look_the_same_are_the_same_to_the_bit(game):
    for number, (one, other) in enumerate(twins(game, 4)):
        for kind in (bw.OOS, bw.MOISMCTS):
            results = [
                kind(seed=number).search(played.information_state(played.player), simulations=400)
                for played in (one, other)
            ]
            first, second = ((r.actions, r.visits, r.information_sets, r.histories) for r in results)
            assert first == second
        assert one.state != other.state


@pytest.mark.parametrize("text", ["oos(simulations=60)", "moismcts(simulations=60)"])
def test_bots_play_the_same_where_games_look_the_same(text):
    for number, (one, other) in enumerate(twins(LeducPoker, 3, seed=2)):
        answers = []
        for played in (one, other):
            bot, player = bw.load_bot(text, seed=number), played.player
            states = [played.information_state(player, ply) for ply in range(played.ply + 1)]
            answers.append([(bot.choose(s), bot.found.actions) for s in states if s.turn == "to move"])
        assert answers[0] == answers[1]


# --- no history is found ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_states_are_dealt_where_no_history_is_found():
    """Hearts has far too many deals to find one that fits by walking from the start."""
    rng, compared = random.Random(1), 0
    played = bw.Playthrough(Hearts(), [0])
    while compared < 2:
        if not played.is_chance and played.ply in (54, 70):
            player = played.player
            results = [
                bw.MOISMCTS(seed=1).search(game.information_state(player), simulations=200)
                for game in (played, other_deal(played, player))
            ]
            first, second = ((r.actions, r.visits, r.information_sets, r.dealt) for r in results)
            assert first == second
            assert (results[0].histories, results[0].dealt, results[0].visits) == (0, 1000, 200)
            assert "1,000 deals" in str(results[0])
            compared += 1
        played.play(rng.choice(played.state.legal_actions()))


@pytest.fixture
def no_history(monkeypatch):
    monkeypatch.setattr(consistent_histories, "MOST_LOOKED", -1)
    monkeypatch.setattr(consistent_histories, "_SLICE", 1)
    monkeypatch.setattr(consistent_histories, "MOST_TRIED", -1)


def test_dealt_states_lead_to_the_same_choices(no_history):
    """In Kuhn poker a player's past is in what that player sees of a state."""
    for moves, player, best in (("J K bet", 1, "bet"), ("Q J bet", 1, "pass"), ("J K pass", 1, "bet")):
        result = bw.MOISMCTS(seed=1).search(known(KuhnPoker, moves, player), simulations=20_000)
        assert (result.histories, result.dealt) == (0, 1000)
        assert result.known.action_to_string(result.best_action) == best


def test_a_bot_moves_at_random_where_nothing_fits(no_history):
    state = known(DICE, [0, 0, 1], 1)
    result = bw.MOISMCTS(seed=1).search(state, simulations=100)
    assert (result.simulations, result.visits, result.histories, result.dealt) == (0, 0, 0, 0)
    assert set(result.policy().values()) == {1 / len(state.legal)}
    bot = bw.load_bot("moismcts(simulations=100,seed=1)")
    assert {bot.choose(state) for _ in range(60)} == set(state.legal)


def test_a_short_time_is_enough_for_an_attempt(monkeypatch):
    monkeypatch.setattr(consistent_histories, "_SLICE", 1)
    state = known(LeducPoker, "Ja Qa raise call Kb raise", 1)
    bw.MOISMCTS(seed=1).search(state, simulations=1)  # compiles
    result = bw.MOISMCTS(seed=1).search(state, seconds=1e-5)
    assert result.histories > 0
    assert result.visits > 0


# --- one game after another, limits, memory ---------------------------------------------------------------


def test_the_table_is_kept_for_later_moments_of_the_same_game():
    planner = bw.OOS(seed=1)
    first, later = known(LeducPoker, "Ja Qa", 0), known(LeducPoker, "Ja Qa raise raise", 0)
    planner.search(first, simulations=3000)
    kept = planner.search(later, simulations=1)
    assert kept.simulations == 1
    assert kept.visits > 10
    planner.search(first, simulations=1)  # an earlier moment: another game
    assert planner.search(first, simulations=1).visits <= 2
    planner.search(first, simulations=3000)
    planner.new_game()
    assert planner.search(later, simulations=1).visits <= 1


def test_results_depend_on_seeds_alone():
    state = known(LeducPoker, "Ja Qa", 0)
    for kind in (bw.OOS, bw.MOISMCTS):
        one, same, other = (kind(seed=seed).search(state, simulations=2000).actions for seed in (1, 1, 2))
        assert one == same
        assert one != other


@pytest.mark.parametrize("kind", [bw.OOS, bw.MOISMCTS])
def test_limits_end_a_search(kind):
    state = known(KuhnPoker, "J K", 0)
    began = time.perf_counter()
    result = kind(seed=1).search(state, seconds=0.2)
    assert result.simulations > 1000
    assert 0.1 < result.seconds < time.perf_counter() - began < 20.0
    assert kind(seed=1).search(state, simulations=1234, seconds=50).simulations == 1234
    assert kind(seed=1).search(state, seconds=1e-9).simulations >= 1
    planner = kind(seed=1)
    timer = threading.Timer(0.2, planner.stop)
    timer.start()
    assert planner.search(state, simulations=2_000_000_000).simulations < 2_000_000_000
    timer.join()


@pytest.mark.parametrize("kind", [bw.OOS, bw.MOISMCTS])
def test_a_full_table_is_not_enlarged_and_said_to_be_full(kind):
    state = known(LiarsDice, "3 6 1-3", 1)
    small = kind(seed=1, memory_mb=0.05).search(state, simulations=50_000)
    large = kind(seed=1).search(state, simulations=50_000)
    assert small.is_full
    assert not large.is_full
    assert 50 < small.information_sets < large.information_sets
    assert sum(small.policy().values()) == pytest.approx(1.0)


def test_a_planner_searches_one_thing_at_a_time():
    planner = bw.OOS(seed=1)
    state = known(KuhnPoker, "J K", 0)
    thread = threading.Thread(target=lambda: planner.search(state, seconds=2))
    thread.start()
    while not planner._busy.locked():
        time.sleep(0.001)
    with pytest.raises(bw.SettingsError, match="searching already"):
        planner.search(state, simulations=1)
    planner.stop()
    thread.join()


# --- wrong input ------------------------------------------------------------------------------------------


class Cooperative(Told):
    """Not zero-sum."""

    utility = "general_sum"


class Unstable(Told):
    """Legal actions tell the door, which player 1 must not know."""

    def legal_actions(self):
        for action in range(4):
            if self.moves == 0 or action != self.door[0]:
                yield action
        if self.moves == 1 and self.door[0] == 3:
            yield 3


class Lying(Told):
    """Returns do not add up to 0."""

    def returns(self):
        return (1.0, 1.0) if self.guess == 2 else (0.0, 0.0)


def test_what_cannot_be_searched_is_refused_in_one_sentence():
    kuhn = known(KuhnPoker, "J K", 0)
    three = KuhnPoker.configured(players=3)
    for given, error, text in (
        (KuhnPoker.from_actions("J K"), bw.GameError, "by what a player knows, not from a KuhnPoker"),
        (known(ConnectFour, [], 0), bw.GameError, "connect_four hides nothing"),
        (known(KuhnPoker, "J K", 1), bw.ActionError, "player 1 is not to move here"),
    ):
        for kind in (bw.OOS, bw.MOISMCTS):
            with pytest.raises(error, match=text):
                kind().search(given, simulations=10)
    for game, moves, text in (
        (three, "J Q K", "is for 3 players, and OOS converges in zero-sum games for two alone"),
        (Cooperative, [], "cooperative is not zero-sum, and OOS converges"),
    ):
        with pytest.raises(bw.GameError, match=text):
            bw.OOS().search(known(game, moves, 0), simulations=10)
        with pytest.raises(bw.GameError, match=text):
            bw.OOS().solve(game, simulations=10)
        with pytest.raises(bw.GameError, match=text):
            bw.load_bot("oos").check_game(game)
        bw.load_bot("moismcts").check_game(game)
    for kind in (bw.OOS, bw.MOISMCTS):
        with pytest.raises(bw.SettingsError, match="no limit"):
            kind().search(kuhn)
        with pytest.raises(bw.SettingsError, match="memory_mb"):
            kind(memory_mb=0)
        with pytest.raises(bw.SettingsError, match="seed"):
            kind(seed=0.5)
    for setting in ({"exploration": 0.0}, {"targeting": 1.0}, {"baseline_step": 1.1}):
        with pytest.raises(bw.SettingsError, match=next(iter(setting))):
            bw.OOS(**setting)
    with pytest.raises(bw.SettingsError, match="c = -1"):
        bw.MOISMCTS(c=-1)


def test_rules_that_break_their_contract_are_one_clear_error():
    with pytest.raises(bw.GameError, match="legal_actions differ between two states that look the same"):
        bw.MOISMCTS(seed=1).search(known(Unstable, [], 0), simulations=1000)
    with pytest.raises(bw.GameError, match=r"utility|sum"):
        bw.OOS(seed=1).search(known(Lying, [], 0), simulations=1000)


# --- bots -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "oos(simulations=40,targeting=0.5,choice='best',seed=1)",
        "moismcts(simulations=40,c=1.0,choice='mixed',seed=1)",
    ],
)
def test_bots_read_back_from_their_texts(text):
    assert repr(bw.load_bot(text)) == text
    assert bw.load_bot(text).choose(known(KuhnPoker, "J K", 0)) in (0, 1)
    with pytest.raises(bw.SettingsError, match="choice"):
        bw.load_bot(text.partition("(")[0] + "(choice=worst)")


def test_a_mixed_choice_is_drawn_by_the_strategy():
    """After a pass, a jack bluffs sometimes; a king always bets."""
    state = known(KuhnPoker, "Q K pass", 1)
    bots = [bw.load_bot("oos(simulations=200)", seed=seed) for seed in range(30)]
    assert {bot.choose(known(KuhnPoker, "Q J pass", 1)) for bot in bots} == {0, 1}
    best = bw.load_bot("oos(simulations=3000,choice='best')", seed=1)
    assert best.choose(state) == 1
    best = bw.load_bot("moismcts(simulations=500)", seed=1)
    assert best.choose(state) == 1


def test_bots_refuse_games_that_hide_nothing():
    for name in ("oos", "moismcts"):
        with pytest.raises(bw.GameError, match=f"hides nothing, so {name} is not for it"):
            bw.load_bot(name).check_game(ConnectFour)


def test_bots_play_a_match():
    match = bw.Match(
        game="kuhn_poker", bots=("oos(simulations=200)", "moismcts(simulations=200)"), games=4, seed=1
    )
    assert match.run().games == 4
    assert Hearts.num_players == 4
    with pytest.raises(bw.GameError, match="hearts is for 4 players"):
        bw.load_bot("oos").check_game(Hearts)
