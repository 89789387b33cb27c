"""Declarations of what players cannot see, what they observe then, and faults of a class."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.game.kinds.hidden_information import blanked, hides_information, pool_of
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.nim import Nim
from branchwise.rules.facts.game_type import GameType, game_type
from support.hiding import Glimpse, Peek, Told
from support.rules import Kalah


def test_a_row_is_seen_by_its_player_and_a_secret_by_nobody():
    state = Peek.from_actions([2, 0])
    assert state.hands.tolist() == [3, 1]
    assert state.observation(0) == (3, 2, 0, 0, 0)
    assert state.observation(1) == (1, 2, 0, 0, 0)
    assert state.observation(-1) == (2, 0, 0, 0)


def test_without_hidden_fields_everything_is_observed():
    assert Nim().observation(0) == Nim().observation(1) == (21, 0)
    assert not hides_information(Nim)


def test_a_class_may_write_its_observation():
    state = Glimpse.from_actions([1])
    assert state.observation(0) == (-1,)
    assert state.observation(1) == (1, -1)


def test_blank_cells_have_their_first_values():
    state = LeducPoker.from_actions("Ja Kb raise")
    blank = blanked(state, 1)
    assert blank.hands.tolist() == [0, 6]
    assert not blank.deck.any()
    assert blank.bets.tolist() == state.bets.tolist() == [3, 1]
    assert state.hands.tolist() == [1, 6]
    assert blanked(state, -1).hands.tolist() == [0, 0]


def test_where_only_an_observation_hides_the_view_is_blank():
    state = Glimpse.from_actions([1])
    assert blanked(state, 0) == blanked(state, 1) == Glimpse()


@pytest.mark.parametrize("game", [Peek, Told, Glimpse, KuhnPoker])
def test_fields_and_observations_show_that_information_is_hidden(game):
    assert game_type(game).information == "imperfect"
    assert "hidden information" in str(game_type(game))


def test_a_variant_hides_what_its_game_hides():
    game = KuhnPoker.configured(players=4)
    assert game_type(game) == game_type(KuhnPoker)
    assert pool_of(game) == ("hands", "left")
    assert "pool" not in game.constants()


def fields(**more):
    """Return a game with the fields and attributes given, for which `Kalah` has the rules."""
    annotations = {name: value[0] for name, value in more.items() if isinstance(value, list)}
    body = {name: value[1] if isinstance(value, list) else value for name, value in more.items()}
    return lambda: type("Faulty", (Kalah,), {**body, "__annotations__": annotations})


HANDS = [bw.Private[np.int8, 2, 3], 0]
DECK = [bw.Secret[np.int8, 6], 0]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (fields(hands=[bw.Private[np.int8, 3, 2], 0]), "first axis of 3, but num_players is 2"),
        (fields(deck=DECK, pool="deck"), "pool is 'deck'"),
        (fields(deck=DECK, pool=()), r"pool is \(\)"),
        (fields(deck=DECK, pool=("dekc",)), 'no field for the pool of Faulty "dekc"; did you mean "deck"'),
        (fields(deck=DECK, hands=HANDS, pool=("hands",)), "deck is hidden, but not in the pool"),
        (fields(deck=[bw.Secret[np.int8, 2], (1, 2)], pool=("deck",)), "its first value is not one number"),
        (
            fields(deck=DECK, other=[bw.Secret[np.int16, 2], 0], pool=("deck", "other")),
            "have different types",
        ),
        (fields(deck=DECK, determinize=lambda self, player: None), "determinize has other arguments"),
        (fields(deck=DECK, observation=lambda self: ()), "observation has other arguments"),
        (fields(deck=DECK, action_seen=lambda self, action: 0), "action_seen has other arguments"),
        (fields(deck=DECK, consistent=lambda self: True), "consistent has other arguments"),
        (fields(determinize=lambda self, player, random: None), "has determinize, but no field is hidden"),
    ],
)
def test_a_wrong_declaration_is_one_clear_error_where_the_class_is_defined(make, text):
    with pytest.raises(bw.BranchwiseError, match=text):
        make()


@pytest.mark.parametrize("kind", [bw.Private, bw.Secret])
def test_wrong_types_are_refused_as_for_arrays(kind):
    with pytest.raises(bw.GameError, match="needs an element type and a shape"):
        kind[np.int8]
    with pytest.raises(bw.GameError, match="cannot be the element type"):
        kind[str, 2]
    with pytest.raises(bw.GameError, match="cannot be a length"):
        kind[np.int8, 2.5]


def test_a_constant_called_pool_means_nothing_without_hidden_fields():
    helped = type("Helped", (Kalah,), {"pool": 3})
    assert game_type(helped) == GameType()
    assert helped.constants()["pool"] == 3


def test_a_class_may_determinize_what_is_not_in_its_pool():
    own = fields(deck=DECK, hands=HANDS, pool=("hands",), determinize=lambda self, player, random: None)()
    assert hides_information(own)
