"""The rule checker on games with hidden information: right ones pass, and each kind of fault is found."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import branchwise as bw
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.liars_dice import LiarsDice
from branchwise.games.phantom_tic_tac_toe import PhantomTicTacToe
from branchwise.rules.checking.hidden_contract import possible_states
from branchwise.rules.knowledge.dealing import Dealer
from branchwise.testing import check_game
from support.hiding import Glimpse, Peek, Told


def check(game):
    return check_game(game, games=30, seconds=8, compiled=False)


@pytest.mark.parametrize("game", [KuhnPoker, LeducPoker, Peek])
def test_right_deals_pass_with_their_shares_tested(game):
    report = check(game)
    assert report.deals.way == "pool"
    assert report.deals.tested > 0
    assert report.deals.deals > 1000
    assert "deals by the pool for" in str(report)
    assert "shares right in" in str(report)


@pytest.mark.parametrize("game", [LiarsDice, PhantomTicTacToe, Told, Glimpse])
def test_games_that_are_replayed_pass(game):
    report = check(game)
    assert report.deals.way == "replay"
    assert report.deals.states > 5
    assert "by playing from the start" in str(report)


def test_games_that_hide_nothing_say_nothing_of_deals():
    from branchwise.games.nim import Nim

    assert check(Nim).deals is None


class Own(Peek):
    """Deals rightly by a method of its own."""

    def determinize(self, player, random):
        cards = np.array([card for card in range(1, 5) if card != self.hands[player]])
        random.shuffle(cards)
        self.hands[1 - player] = cards[0]
        self.deck[0] = cards[1]
        self.deck[1] = cards[2]


def test_a_determinize_of_its_own_passes():
    report = check(Own)
    assert report.deals.way == "determinize"
    assert report.deals.tested > 0


TRUTH = {}


class Cheating(Own):
    """Writes down the deal when it happens, and hands back the true state."""

    def apply_action(self, action):
        if self.dealt < 2:
            super().apply_action(action)
            if self.dealt == 2:
                TRUTH["hands"], TRUTH["deck"] = self.hands.copy(), self.deck.copy()
        else:
            super().apply_action(action)

    def determinize(self, player, random):
        self.hands[:] = TRUTH["hands"]
        self.deck[:] = TRUTH["deck"]


class Idle(Own):
    """Leaves the cells blank."""

    def determinize(self, player, random):
        pass


class Stuck(Own):
    """Always gives the lowest card."""

    def determinize(self, player, random):
        left = [card for card in range(1, 5) if card != self.hands[player]]
        self.hands[1 - player] = left[0]
        self.deck[0] = left[1]
        self.deck[1] = left[2]


class Biased(Own):
    """Prefers the lowest card."""

    def determinize(self, player, random):
        left = [card for card in range(1, 5) if card != self.hands[player]]
        place = random.choice([0.5, 0.25, 0.25])
        self.hands[1 - player] = left.pop(place)
        self.deck[0] = left[0]
        self.deck[1] = left[1]


class Doubling(Own):
    """May give a card twice."""

    def determinize(self, player, random):
        self.hands[1 - player] = 1 + random.below(4)
        self.deck[0] = 1
        self.deck[1] = 2


class Meddling(Own):
    """Changes the player's own card."""

    def determinize(self, player, random):
        self.hands[player] = 1 + self.hands[player] % 4


class Turning(Own):
    """Changes whose turn it is."""

    def determinize(self, player, random):
        self.guessed = 1 - self.guessed


class Peeking(Peek):
    """Its observation shows the other's card."""

    def observation(self, player):
        yield self.hands[1 - player]
        yield self.hands[player]
        yield self.guessed


class Leaking(Peek):
    """Its legal actions follow from the deck."""

    def legal_actions(self):
        for card in range(4):
            if self.deck[0] != card + 1:
                yield card


class Short(Peek):
    """Its pool lacks a card: what is unseen depends on the deal."""

    def apply_action(self, action):
        before = self.dealt
        super().apply_action(action)
        if before == 1 and self.dealt == 2:
            self.deck[1] = 0


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (Cheating, "Cheating.determinize always gives the same state for what player"),
        (Idle, "Idle.determinize gives a state that cannot be there"),
        (Stuck, "Stuck.determinize always gives the same state for what player"),
        (Biased, r"Biased.determinize gives .* to player \d in .* of 600 deals, but its share is 33.3%"),
        (Doubling, "Doubling.determinize gives a state that cannot be there by what player"),
        (Meddling, "Meddling.determinize changed hands, which player"),
        (Turning, "Turning.determinize changed guessed, which player"),
        (Peeking, r"Peeking.observation\(0\) depends on what player 0 does not see"),
        (Leaking, "Leaking.legal_actions gives|the legal actions"),
        (Short, "Short.pool gives a state that cannot be there|Short.pool gives .* of 600 deals"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_each_fault_is_one_clear_error_with_the_moves_before_it(game, text):
    with pytest.raises(bw.GameError, match=text) as caught:
        check(game)
    assert caught.value.mend
    assert caught.value.after or game is Peeking


class Skewed(Peek):
    """Deals the card in front more often than others."""

    def chance_outcomes(self):
        left = 4 - self.dealt
        for place in range(left):
            yield self.deck[place] - 1, (0.7 if place == 0 else 0.3 / (left - 1))


def test_a_pool_that_chance_does_not_deal_evenly_is_told_what_a_pool_is():
    with pytest.raises(bw.GameError, match=r"Skewed.pool gives .* of 600 deals") as caught:
        check(Skewed)
    assert "the same probability; or write determinize" in caught.value.mend


@pytest.mark.parametrize(
    ("game", "moves", "player"),
    [
        (LiarsDice.configured(faces=3), "2 3 1-1", 1),
        (PhantomTicTacToe, "b2 a1 c3", 1),
        (PhantomTicTacToe, "a1 a1 b2 b2 c3", 1),
        (Told, [2], 1),
        (Glimpse, [1], 0),
        (KuhnPoker.configured(players=3), "T Q K pass bet", 2),
        (LeducPoker, "Ja Kb raise call Qa", 0),
    ],
)
def test_dealers_deal_by_the_shares_of_the_histories_that_fit(game, moves, player):
    known = bw.Playthrough(game(), moves).information_state(player)
    shares = Counter()
    for state, share in possible_states(known, 100_000):
        shares[state if game is not LeducPoker else state.hands[1]] += share
    dealer, source = Dealer(), bw.Random(7)
    counts = Counter()
    for _ in range(900):
        state = dealer.deal(known, source)
        counts[state if game is not LeducPoker else state.hands[1]] += 1
    assert counts.keys() <= shares.keys()
    assert len(shares) > 1
    whole = sum(shares.values())
    expected = [900 * share / whole for share in shares.values()]
    assert chisquare([counts[state] for state in shares], expected).pvalue > 1e-5


def test_deals_that_never_vary_are_found_where_histories_cannot_be_listed(monkeypatch):
    monkeypatch.setattr("branchwise.rules.checking.hidden_contract._MOST_LISTED", 0)
    with pytest.raises(bw.GameError, match="determinize always gives the same state for"):
        check(Cheating)
    assert check(Own).deals.tested == 0


@pytest.mark.parametrize("game", [Own, Told, Glimpse])
def test_compiled_rules_see_and_deal_as_plain_python_does(game):
    report = check_game(game, games=20, seconds=8)
    assert report.deals.states > 0
    assert report.mirror == "compiled code"


class Unfit(Own):
    """Its `determinize` cannot be compiled."""

    def determinize(self, player, random):
        left = [card for card in range(1, 5) if card != self.hands[player]]
        random.shuffle(left)
        self.hands[1 - player], self.deck[0], self.deck[1] = left
        assert type(self).__mro__


def test_a_determinize_that_cannot_be_compiled_is_told():
    with pytest.raises(bw.GameError, match=r"Unfit.determinize.* cannot be compiled"):
        check_game(Unfit, games=20, seconds=8)


@pytest.mark.parametrize(
    ("method", "wrong", "text"),
    [
        ("view", lambda self, state, player: 7, r"Own.observation\(0\) differs"),
        (
            "seen",
            lambda self, state, action, player: 3,
            r"Own.action_seen\(\d, \d\) differs",
        ),
        ("deal", lambda self, state, player, random: (state, True), "Own.determinize differs: Python has"),
    ],
)
def test_compiled_rules_that_differ_are_found(method, wrong, text, monkeypatch):
    monkeypatch.setattr(f"branchwise.compile.queries.player_views.CompiledViews.{method}", wrong)
    with pytest.raises(bw.GameError, match=text):
        check_game(Own, games=20, seconds=8)


def test_too_many_histories_are_not_listed():
    known = bw.Playthrough(PhantomTicTacToe(), "b2 a1 c3").information_state(1)
    assert possible_states(known, 10) is None
