"""Games in which players move at once: in step with OpenSpiel, and their options."""

import random

import pytest

import branchwise as bw
from branchwise.games.goofspiel import Goofspiel
from branchwise.games.matrix_game import MatrixGame
from branchwise.games.oshi_zumo import OshiZumo
from branchwise.games.rock_paper_scissors import RockPaperScissors
from branchwise.games.tron import Tron

IN_STEP = [
    (RockPaperScissors, "matrix_rps"),
    (RockPaperScissors.configured(biased=True), "matrix_brps"),
    (MatrixGame.configured(payoffs=((1, -1), (-1, 1))), "matrix_mp"),
    (MatrixGame.configured(payoffs=((5, 0), (10, 1)), others=((5, 10), (0, 1))), "matrix_pd"),
    (Goofspiel, "goofspiel"),
    (
        Goofspiel.configured(num_cards=4, points_order="descending"),
        "goofspiel(num_cards=4,points_order=descending)",
    ),
    (
        Goofspiel.configured(num_cards=5, players=3, points_order="ascending", returns_type="total_points"),
        "goofspiel(num_cards=5,players=3,points_order=ascending,returns_type=total_points)",
    ),
    (
        Goofspiel.configured(num_cards=6, num_turns=3, players=3, returns_type="point_difference"),
        "goofspiel(num_cards=6,num_turns=3,players=3,returns_type=point_difference)",
    ),
    (Goofspiel.configured(num_cards=3, players=4), "goofspiel(num_cards=3,players=4)"),
    (OshiZumo, "oshi_zumo"),
    (OshiZumo.configured(coins=10, min_bid=1, size=1), "oshi_zumo(coins=10,min_bid=1,size=1)"),
    (OshiZumo.configured(coins=6, alesia=True, size=2), "oshi_zumo(coins=6,alesia=true,size=2)"),
    (OshiZumo.configured(coins=20, max_turns=5), "oshi_zumo(coins=20,horizon=5)"),
]


@pytest.mark.parametrize(
    ("game", "openspiel"), IN_STEP, ids=lambda value: value if isinstance(value, str) else ""
)
def test_random_games_agree_with_openspiel(game, openspiel):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(openspiel)
    players = range(game.num_players)
    rng = random.Random(1)
    for _ in range(1000):
        state, other = game(), theirs.new_initial_state()
        while not state.is_terminal():
            assert not other.is_terminal()
            if other.is_chance_node():
                assert state.legal_actions() == [outcome for outcome, _ in other.chance_outcomes()]
                assert dict(state.chance_outcomes()) == pytest.approx(dict(other.chance_outcomes()))
                outcome = rng.choice(state.legal_actions())
                state.apply_action(outcome)
                other.apply_action(outcome)
                continue
            assert state.current_player() == bw.SIMULTANEOUS
            legal = [state.legal_actions(player) for player in players]
            assert legal == [other.legal_actions(player) for player in players]
            joint = [rng.choice(actions) for actions in legal]
            state.apply_actions(joint)
            other.apply_actions(joint)
        assert other.is_terminal()
        assert list(state.returns()) == pytest.approx(other.returns())


def test_options_out_of_range_are_refused():
    for game, options, named in (
        (Goofspiel, {"num_cards": 1}, "num_cards"),
        (Goofspiel, {"num_turns": 14}, "num_turns"),
        (Goofspiel, {"players": 1}, "players"),
        (Goofspiel, {"points_order": "up"}, "points_order"),
        (Goofspiel, {"returns_type": "gold"}, "returns_type"),
        (OshiZumo, {"min_bid": 51}, "min_bid"),
        (OshiZumo, {"coins": 0}, "coins"),
        (Tron, {"layout": "1.."}, "layout"),
        (Tron, {"rows": 2}, "board"),
        (MatrixGame, {"payoffs": ((1, 2), (3,))}, "payoffs"),
        (MatrixGame, {"others": ((1, 2), (3, 4))}, "others"),
    ):
        with pytest.raises(bw.GameError, match=named):
            game.configured(**options)


def test_a_matrix_game_takes_its_type_from_its_tables():
    assert bw.game_type(MatrixGame).utility == "zero_sum"
    dilemma = bw.load_game("matrix_game(payoffs=((3,0),(5,1)),others=((3,5),(0,1)))")
    assert bw.game_type(dilemma).utility == "general_sum"
    assert dilemma.from_actions([(1, 0)]).returns() == (5.0, 0.0)
    wide = MatrixGame.configured(payoffs=((1, 2, 3), (4, 5, 6)))()
    assert (wide.legal_actions(0), wide.legal_actions(1)) == ([0, 1], [0, 1, 2])
