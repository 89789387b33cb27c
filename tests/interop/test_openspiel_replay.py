"""Games of OpenSpiel's in which a player saw the same: found from what was seen alone."""

import random
import time
from collections import Counter

import pytest

import branchwise as bw
from branchwise.game.kinds.random_numbers import Draws

pyspiel = pytest.importorskip("pyspiel")

from branchwise.interop.openspiel_bridge import replay as openspiel_replay  # noqa: E402
from branchwise.interop.openspiel_bridge.known_states import OpenSpielKnown  # noqa: E402
from branchwise.interop.openspiel_bridge.replay import Replay, events_of, likeness  # noqa: E402

ALIKE = (
    "dark_hex(num_rows=2,num_cols=2)",
    "goofspiel(imp_info=True,num_cards=4)",
    "kuhn_poker",
    "latent_ttt",
    "leduc_poker",
    "liars_dice",
    "phantom_ttt",
    "sheriff",
    "tiny_bridge_2p",
    "tiny_hanabi",
    "trade_comm",
)
"""Games small enough that random games soon come to states that a player cannot tell apart."""


def states(name, seed):
    """Yield the states of a random game in which players are to move, and a player who is."""
    source = random.Random(seed)
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(source.choices(outcomes, weights)[0])
        elif state.is_simultaneous_node():
            yield state.clone(), source.randrange(2)
            state.apply_actions([source.choice(state.legal_actions(p)) for p in range(game.num_players())])
        else:
            yield state.clone(), state.current_player()
            state.apply_action(source.choice(state.legal_actions()))


def pairs_that_look_the_same(name, most):
    """Yield pairs of different states in which a player has seen the same, as (state, state, player)."""
    first, found = {}, 0
    for seed in range(3000):
        for state, player in states(name, seed):
            events = events_of(state, player)
            other = first.setdefault((player, events, tuple(state.legal_actions(player))), state)
            if other.history_str() != state.history_str():
                yield other, state, player
                found += 1
                if found == most:
                    return


@pytest.mark.parametrize("name", ALIKE)
def test_searches_of_states_that_look_the_same_are_the_same(name):
    pairs = list(pairs_that_look_the_same(name, 4))
    assert pairs
    for one, other, player in pairs:
        known = [bw.from_openspiel(state, player=player) for state in (one, other)]
        assert known[0] == known[1]
        assert hash(known[0]) == hash(known[1])
        searched = [bw.PIMC(deals=3, seed=5).search(each, simulations=30) for each in known]
        assert searched[0].votes == searched[1].votes


def test_what_is_known_holds_no_state():
    known = OpenSpielKnown(poker([0, 2, 1]), 1)
    assert not any(isinstance(value, pyspiel.State) for value in vars(known).values())
    assert known != OpenSpielKnown(poker([0, 1, 1]), 1)
    assert known != OpenSpielKnown(poker([0, 2, 0]), 1)


def poker(actions, name="kuhn_poker"):
    state = pyspiel.load_game(name).new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


def replay_of(state, player):
    return Replay(state.get_game(), player, events_of(state, player), state.legal_actions(player))


@pytest.mark.parametrize(
    "name",
    [
        "bargaining",
        "battleship(board_width=3,board_height=3,ship_sizes=[2],ship_values=[1],num_shots=4)",
        "coop_box_pushing",
        "cribbage",
        "dark_chess(board_size=4)",
        "euchre",
        "first_sealed_auction",
        "gin_rummy",
        "go_fish",
        "goofspiel(imp_info=True)",
        "hanabi",
        "hearts",
        "oh_hell",
        "phantom_go(board_size=3)",
        "rbc(board_size=4)",
        "repeated_leduc_poker",
        "skat",
        "social_deduction",
        "spades",
        "tiny_bridge_4p",
        "universal_poker",
    ],
)
def test_the_player_saw_the_same_in_every_game_that_is_found(name):
    played = list(states(name, 1))[:12]
    for state, player in (played[0], played[-1]):
        events = events_of(state, player)
        replay, draws = replay_of(state, player), Draws(3)
        for _ in range(3):
            found = replay.find(draws)
            assert found is not None
            assert events_of(found, player) == events
            assert found.legal_actions(player) == state.legal_actions(player)
            assert found.current_player() == state.current_player()


@pytest.mark.parametrize(
    ("name", "actions", "player", "chances"),
    [
        ("kuhn_poker", [0, 2, 1], 1, {0: 1 / 2, 1: 1 / 2}),
        # Player 1 has a jack, 0 or 1; the open card is a queen.
        ("leduc_poker", [2, 0, 1, 1, 3], 0, {0: 1 / 4, 1: 1 / 4, 4: 1 / 4, 5: 1 / 4}),
    ],
)
def test_hidden_cards_come_as_often_as_they_should(name, actions, player, chances):
    state = poker(actions, name)
    replay, draws = replay_of(state, player), Draws(1)
    found = Counter(replay.find(draws).history()[1 - player] for _ in range(1200))
    for card, chance in chances.items():
        assert found[card] / 1200 == pytest.approx(chance, abs=0.05)
    assert len(found) == len(chances)


def test_hidden_hands_are_mixed_where_single_games_are_hard_to_find():
    state, player = next(states("hearts", 2))
    replay, draws = replay_of(state, player), Draws(1)
    holders = Counter()
    mine = None
    for _ in range(60):
        found = replay.find(draws)
        deal = found.history()[1:53]
        hands = {card: place % 4 for place, card in enumerate(deal)}
        own = sorted(card for card, seat in hands.items() if seat == player)
        mine = mine or own
        assert own == mine
        card = next(card for card in range(52) if card not in mine)
        holders[hands[card]] += 1
    assert len(holders) == 3  # all other seats
    assert max(holders.values()) < 50


def test_the_same_random_numbers_find_the_same_games():
    state, player = list(states("hearts", 3))[20]
    texts = [replay_of(state, player).find(Draws(seed)).history_str() for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_a_game_that_goes_on_is_found_from_the_one_before():
    moments = [(state, player) for state, player in states("hearts", 4) if player == 0][:8]
    replay, draws = replay_of(*moments[0]), Draws(1)
    assert replay.find(draws) is not None
    for state, player in moments[1:]:
        events = events_of(state, player)
        assert replay.follow(events, state.legal_actions(player))
        assert events_of(replay.find(draws), player) == events
    assert not replay.follow(*([events_of(moments[0][0], 0), []]))


def test_one_planner_searches_a_whole_game_and_then_another():
    planner = bw.PIMC(deals=2, seed=1)
    for seed in (1, 2):
        for state, player in list(states("leduc_poker", seed)):
            known = bw.from_openspiel(state)
            result = planner.search(known, simulations=20)
            assert (known.player, result.deals) == (player, 2)
            assert result.left in (1, 2)


def test_nothing_found_is_one_clear_error(monkeypatch):
    monkeypatch.setattr(openspiel_replay, "MOST_MOVES", 200)
    known = bw.from_openspiel("hearts", seed=1)
    with pytest.raises(bw.GameError, match="no game of hearts was found in which player 0 saw") as caught:
        bw.PIMC(seed=1).search(known, simulations=10)
    assert "bw.MCTS(perfect_information=True)" in caught.value.mend


def test_the_search_for_a_game_ends_in_time():
    known = bw.from_openspiel("skat", seed=1)
    replay = Replay(known.game, known.player, known.seen, [])  # no game has such legal actions
    started = time.perf_counter()
    assert replay.find(Draws(1), started + 0.05) is None
    assert time.perf_counter() - started < 20


def test_likeness_is_highest_for_equal_texts():
    assert likeness("hand 5C 2S", "hand 5C 2S") > likeness("hand 2C 5S", "hand 5C 2S") > likeness("", "hand")
