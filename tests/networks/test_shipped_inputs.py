"""What networks see of the shipped games tells positions apart, but for what is named here."""

from random import Random

import pytest

from branchwise.common.errors import GameError
from branchwise.games import load_game
from branchwise.networks.inputs import Inputs
from branchwise.networks.same_inputs import same_inputs
from branchwise.rules.facts.facts import apply_legal
from games.test_symmetries import SYMMETRIES
from support.nets import Kernels, random_network, random_states

WITH_CHANCE = {"backgammon", "cant_stop", "pig", "yahtzee"}
"""Networks are not for them yet."""
SMALL = {
    "amazons": "amazons(size=4)",
    "atari_go": "atari_go(size=3)",
    "breakthrough": "breakthrough(rows=4,columns=3)",
    "clobber": "clobber(rows=3,columns=3)",
    "domineering": "domineering(rows=4,columns=4)",
    "go": "go(size=3)",
    "havannah": "havannah(size=3)",
    "hex": "hex(size=3,swap=True)",
    "kalah": "kalah(pits=3,seeds=2)",
    "konane": "konane(rows=4,columns=4)",
    "lines_of_action": "lines_of_action(size=4)",
    "mnk": "mnk(rows=3,columns=3,in_a_row=3)",
    "nim": "nim(heaps=(3,4,5))",
    "nine_mens_morris": "nine_mens_morris(rings=1,men=3)",
    "nogo": "nogo(size=3)",
    "othello": "othello(size=4)",
    "quoridor": "quoridor(size=3,walls=2)",
    "y": "y(size=3)",
}
_ORDER = {"empty", "where", "last", "parent", "touched", "pending"}
NOT_TOLD = {
    "amazons": {"queens", "mobile"},  # the order of a player's queens
    "blokus_duo": {"bonus"},
    "checkers": {"quiet"},  # moves to the draw
    "chess": {"clock", "number", "keys"},  # moves to the draw, and earlier positions
    "chinese_checkers": {"turns"},
    "go": {"last", "captured", "played"},  # the last move is for playouts
    "havannah": _ORDER,  # of moves and of joining groups
    "hex": _ORDER,
    "lines_of_action": {"played"},
    "nine_mens_morris": {"turn"},
    "quoridor": {"groups", "played"},  # numbers of groups of walls, by their order
    "y": _ORDER,
}
"""Fields by game that inputs do not tell, because later play does not depend on them, or only by counts."""
OWN = [name for name in SYMMETRIES if load_game(name).num_net_inputs]


def positions(game, number, seed):
    """Return positions of random games; in every second one moves are few, so that positions come again."""
    found, turn = [], 0
    while len(found) < number:
        drawn, state = Random(f"{seed} {turn}"), game()
        turn += 1
        while not state.is_terminal() and len(found) < number:
            found.append(state.copy())
            legal = state.legal_actions()
            apply_legal(state, drawn.choice(legal[:2] if turn % 2 else legal))
    return found


@pytest.mark.parametrize("name", [name for name in SYMMETRIES if name not in WITH_CHANCE])
def test_positions_with_the_same_inputs_are_the_same(name):
    game = load_game(SMALL.get(name, name))
    inputs, known, again = Inputs.of(game), {}, 0
    for state in positions(game, 60 if name == "blokus_duo" else 1500, name):
        rows = inputs.active(state)
        assert len(rows) <= inputs.max_active
        assert min(rows) >= 0
        assert max(rows) < inputs.num_rows
        first = known.setdefault((state.current_player(), *rows), state)
        if first is state:
            continue
        again += 1
        assert sorted(first.legal_actions()) == sorted(state.legal_actions())
        mine, others = state.to_record(), first.to_record()
        differ = {field for field in mine.dtype.names if (mine[field] != others[field]).any()}
        assert differ <= NOT_TOLD.get(name, set()), (first, state)
    assert again >= 20 or name in ("blokus_duo", "chinese_checkers", "ultimate_tic_tac_toe")


@pytest.mark.parametrize("name", sorted(WITH_CHANCE))
def test_games_with_chance_have_no_inputs_yet(name):
    with pytest.raises(GameError, match="chance"):
        Inputs.of(load_game(name))


@pytest.mark.parametrize("name", OWN)
def test_compiled_inputs_are_those_of_plain_python(name):
    game = load_game(SMALL.get(name, name))
    inputs, kernels = Inputs.of(game), Kernels(random_network(game))
    for state in random_states(game, 3):
        assert kernels.active(state) == inputs.active(state)


def test_positions_that_a_network_cannot_tell_apart_are_noted():
    assert same_inputs(load_game("tic_tac_toe"), 0.3) is None
    assert same_inputs(load_game("pig"), 0.3) is None
    note = same_inputs(load_game("go(size=2,superko=True)"), 20.0)
    assert note is not None
    assert "they cannot tell apart the positions after" in note

    class Blind(load_game("tic_tac_toe")):
        net_patterns = ((0,), (1,))

    note = same_inputs(Blind, 5.0)
    assert note is not None
    assert "other actions are legal" in note


def test_what_a_class_says_of_its_inputs_is_looked_at():
    class Faulty(load_game("tic_tac_toe")):
        num_net_inputs = 2

        def net_inputs(self, player):
            yield 2

    with pytest.raises(GameError, match=r"Faulty\.net_inputs yielded"):
        same_inputs(Faulty, 1.0)
