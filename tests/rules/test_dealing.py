"""Dealing anew: what fits, in the right distribution, without reading the truth, and never an error."""

import random
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import branchwise as bw
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.liars_dice import LiarsDice
from branchwise.games.phantom_tic_tac_toe import PhantomTicTacToe
from branchwise.rules.knowledge.dealing import Dealer, way_of
from support.hiding import Glimpse, Peek, Told


def known(game, moves, player):
    return bw.Playthrough(game(), moves).information_state(player)


def deals(state, count, seed=1, **options):
    dealer, source = Dealer(**options), bw.Random(seed)
    return dealer, [dealer.deal(state, source) for _ in range(count)]


@pytest.mark.parametrize(
    ("game", "way"),
    [(Peek, "pool"), (LeducPoker, "pool"), (LiarsDice, "replay"), (Told, "replay"), (Glimpse, "replay")],
)
def test_the_way_follows_from_the_class(game, way):
    assert way_of(game) == way


@pytest.mark.parametrize("game", [KuhnPoker, LeducPoker, LiarsDice, PhantomTicTacToe, Peek, Told, Glimpse])
def test_a_dealt_state_looks_the_same_and_goes_on_the_same_for_the_player(game):
    rng = random.Random(5)
    for number in range(10):
        played = bw.Playthrough(game())
        dealers = [Dealer() for _ in range(2)]
        source = bw.Random(number)
        while not played.is_over:
            if not played.is_chance:
                player = played.player
                before = played.information_state(player)
                for _ in range(3):
                    state = dealers[player].deal(before, source)
                    assert state.observation(player) == played.state.observation(player)
                    assert state.current_player() == player
                    assert tuple(state.legal_actions()) == before.legal
            played.play(rng.choice(played.state.legal_actions()))


def test_equal_information_and_random_numbers_give_equal_deals():
    for game, first, second in (
        (LeducPoker, "Ja Kb raise", "Qa Kb raise"),
        (LiarsDice, "3 6 1-3", "5 6 1-3"),
        (PhantomTicTacToe, "a1 b2 c3", "a2 b2 c3"),
    ):
        one, other = (deals(known(game, moves, 1), 20)[1] for moves in (first, second))
        assert one == other


def test_cards_of_a_pool_are_shuffled_evenly():
    _, dealt = deals(known(Peek, [0, 2], 0), 1200)
    counts = Counter((*state.deck.tolist(), int(state.hands[1])) for state in dealt)
    assert len(counts) == 6
    assert all(state.hands[0] == 1 and state.deck[2:].tolist() == [0, 0] for state in dealt)
    assert chisquare(list(counts.values())).pvalue > 1e-4


def test_replayed_dice_are_even_and_own_dice_stay():
    _, dealt = deals(known(LiarsDice, "3 6 1-3", 1), 1200)
    counts = Counter(state.hands[0, 0] for state in dealt)
    assert sorted(counts) == [1, 2, 3, 4, 5, 6]
    assert {state.hands[1, 0] for state in dealt} == {6}
    assert chisquare(list(counts.values())).pvalue > 1e-4


def test_chance_counts_with_its_probabilities():
    _, dealt = deals(known(Glimpse, [1], 0), 1000)
    counts = Counter(state.coin for state in dealt)
    assert chisquare([counts[0], counts[1]], [250, 750]).pvalue > 1e-4


def test_hidden_moves_are_even_among_those_that_fit():
    _, dealt = deals(known(Told, [3], 1), 600)
    counts = Counter(state.door[0] for state in dealt)
    assert sorted(counts) == [2, 3]
    assert chisquare(list(counts.values())).pvalue > 1e-4


def test_particles_of_earlier_moves_are_kept_as_long_as_they_fit():
    played = bw.Playthrough(PhantomTicTacToe(), "a1 b2")
    dealer, source = Dealer(), bw.Random(1)
    for _ in range(50):
        dealer.deal(played.information_state(0), source)
    assert (dealer.left, dealer.repeated) == (50, 0)
    played.play("c3")
    played.play("a3")
    dealer.deal(played.information_state(0), source)
    assert 0 < dealer.left <= 50
    kept, tried = dealer.left, dealer.tried
    for _ in range(60):
        dealer.deal(played.information_state(0), source)
    assert dealer.left == 61 > kept
    assert dealer.tried > tried


def test_another_game_forgets_the_particles():
    dealer, source = Dealer(), bw.Random(1)
    dealer.deal(known(PhantomTicTacToe, "a1 b2 c3 a3", 0), source)
    state = dealer.deal(known(PhantomTicTacToe, "c1 b2 c3 a3", 0), source)
    assert state.board[8] == 1
    assert dealer.left == 1


class Rare(bw.Game):
    """One of 200 outcomes is drawn. Player 0 learns whether it was the last, and then says stop."""

    num_players = 2
    num_actions = 2
    num_outcomes = 200

    drawn: bw.Secret[np.int16, 1] = -1
    told: np.int8 = -1
    over: bool = False

    def current_player(self):
        return bw.CHANCE if self.told < 0 else 0

    def legal_actions(self):
        yield 0
        yield 1

    def chance_outcomes(self):
        for outcome in range(200):
            yield outcome, 1 / 200

    def apply_action(self, action):
        if self.told < 0:
            self.drawn[0] = action
            self.told = 1 if action == 199 else 0
        else:
            self.over = True

    def is_terminal(self):
        return self.over

    def returns(self):
        return 0.0, 0.0


def test_for_want_of_particles_deals_are_repeated_and_counted():
    state = known(Rare, [199], 0)
    dealer, dealt = deals(state, 5, attempts=1)
    assert None in dealt
    dealer, dealt = deals(state, 3, attempts=2000)
    assert {found.drawn[0] for found in dealt} == {199}
    dealer, dealt = deals(state, 40, seed=3, attempts=250)
    found = [one for one in dealt if one is not None]
    assert found
    assert dealer.left + dealer.repeated == len(found)
    assert dealer.repeated > 0


def test_dealing_stops_in_time():
    state = known(Rare, [199], 0)
    dealer, source = Dealer(attempts=10**9), bw.Random(1)
    assert dealer.deal(state, source, until=0.0) is None
    assert (dealer.tried, dealer.left) == (1, 0)


class Careless(Peek):
    """Its dealing changes a card that the player sees."""

    def determinize(self, player, random):
        self.hands[player] = 4


class Curious(Peek):
    """Its dealing writes down what it finds in the cells that should be blank."""

    found = np.zeros(1)

    def determinize(self, player, random):
        assert not self.deck.any()
        assert self.hands[1 - player] == 0
        self.hands[1 - player] = 1 + random.below(4)

    def consistent(self, player):
        return self.hands[0] != self.hands[1]


def test_a_deal_that_changes_what_its_player_sees_is_one_clear_error():
    with pytest.raises(
        bw.GameError, match=r"Careless.determinize changed hands, which player 0 sees"
    ) as caught:
        deals(known(Careless, [0, 1], 0), 1)
    assert "fill only" in caught.value.mend


def test_a_class_deals_from_blank_cells_and_consistent_rejects():
    _, dealt = deals(known(Curious, [0, 1], 0), 300)
    counts = Counter(state.hands[1] for state in dealt)
    assert sorted(counts) == [2, 3, 4]
    assert chisquare(list(counts.values())).pvalue > 1e-4
