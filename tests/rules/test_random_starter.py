"""Games with a random starter: chance deals the sides to the players; everything else is as in the game."""

import pickle

import numpy as np
import pytest

import branchwise as bw
from branchwise.drawing.grid import grid_text
from branchwise.games.breakthrough import Breakthrough
from branchwise.games.chess import Chess
from branchwise.games.connect_four import ConnectFour
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.nim import Nim
from branchwise.games.pig import Pig
from branchwise.games.rock_paper_scissors import RockPaperScissors
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.problems.pendulum import Pendulum
from branchwise.problems.sailing import Sailing
from branchwise.rules.facts.options import game_options
from branchwise.testing import check_game, expectimax

Drawn = TicTacToe.configured(random_starter=True)


class Trio(bw.Game):
    """Three players take 1 or 2 of a heap that a coin may lengthen; rules ask themselves whose turn it is."""

    num_players = 3
    num_actions = 2
    num_outcomes = 2
    max_game_length = 40
    start = 2

    heap: np.int8 = 0
    mover: np.int8 = 0
    flipping: bool = False
    flipped: np.int8 = 0

    def setup(self):
        self.heap = 5
        self.mover = self.start

    def current_player(self):
        return bw.CHANCE if self.flipping else self.mover

    def chance_outcomes(self):
        yield 0, 0.25
        yield 1, 0.75

    def legal_actions(self):
        yield 0
        if self.heap > 1 and self.current_player() != 1:  # side 1 may only take one
            yield 1

    def apply_action(self, action):
        if self.current_player() == bw.CHANCE:
            self.heap += action
            self.flipped += 1
            self.flipping = False
        else:
            self.heap -= action + 1
            self.flipping = self.flipped < 2 and self.heap > 0
            self.mover = (self.mover + 1) % 3

    def is_terminal(self):
        return self.heap == 0

    def returns(self):
        if self.mover == 0:
            return (1.0, -0.5, 0.25)
        return (-1.0, 0.5, 0.75) if self.mover == 1 else (-0.25, 0.0, 1.0)

    def evaluate(self):
        return (0.3, -0.2, 0.1)

    def prior(self, action):
        return 1.0 + action

    def sample_action(self, random):
        count = 2 if self.heap > 1 and self.current_player() != 1 else 1
        return random.below(count)

    def playout_action(self, random):
        return self.sample_action(random)


DrawnTrio = Trio.configured(random_starter=True)


def children(result):
    return [(c.action, c.visits, c.value, c.proven) for c in result.children]


# --- the draw ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [Drawn, DrawnTrio], ids=str)
def test_chance_draws_each_player_with_the_same_probability(game):
    state = game()
    players = game.num_players
    assert state.current_player() == bw.CHANCE
    assert state.chance_outcomes() == [(player, 1 / players) for player in range(players)]
    assert [state.action_to_string(player) for player in range(players)] == [
        f"player{player}" for player in range(players)
    ]


@pytest.mark.parametrize("starter", [0, 1, 2])
def test_the_player_drawn_moves_first_and_the_others_follow_in_turn(starter):
    state = DrawnTrio.from_actions([starter])
    movers = []
    for _ in range(3):
        movers.append(state.current_player())
        state.apply_action(0)
        state.apply_action(0)
        if state.current_player() == bw.CHANCE:
            state.apply_action(1)
    assert movers[0] == starter
    assert DrawnTrio.first_side == 2


@pytest.mark.parametrize("starter", [0, 1, 2])
def test_returns_and_evaluations_are_those_of_the_players_side(starter):
    state = DrawnTrio.from_actions([starter])
    side = [(player - starter + 2) % 3 for player in range(3)]
    assert state.evaluate() == tuple((0.3, -0.2, 0.1)[s] for s in side)
    while not state.is_terminal():
        state.apply_action(0)
    plain = Trio()
    while not plain.is_terminal():
        plain.apply_action(0)
    assert state.returns() == tuple(plain.returns()[s] for s in side)
    assert DrawnTrio().evaluate() == pytest.approx((0.2 / 3,) * 3)


@pytest.mark.parametrize("game", [TicTacToe, Nim.configured(heaps=(5,))], ids=str)
def test_the_value_of_the_start_is_the_mean_over_both_starters(game):
    drawn = game.configured(random_starter=True)
    value = expectimax(game())
    assert [expectimax(drawn.from_actions([starter])) for starter in (0, 1)] == [value, value], "the mover's"
    assert expectimax(drawn()) == 0.0


@pytest.mark.parametrize("starter", [0, 1])
def test_proofs_give_the_starter_the_value_of_the_game(starter):
    game = Nim.configured(heaps=(5,), random_starter=True)
    result = bw.MCTS(seed=1).search(game.from_actions([starter]), simulations=5000)
    assert (result.ended_by, result.value) == ("proven", 1.0)
    draw = bw.MCTS(seed=1).search(Drawn.from_actions([starter]), simulations=20_000)
    assert (draw.ended_by, draw.value) == ("proven", 0.0)


def test_a_start_of_another_side_is_kept():
    black = Chess.configured(fen="4k3/8/8/8/8/8/8/4K2R b K - 0 1", random_starter=True)
    for starter in (0, 1):
        state = black.from_actions([starter])
        assert state.current_player() == starter
        assert "e8d8" in {state.action_to_string(action) for action in state.legal_actions()}


# --- searches ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("starter", [0, 1])
def test_the_search_is_that_of_the_game_node_for_node(starter):
    state = Drawn.from_actions([starter])
    plain = bw.MCTS(seed=3).search(TicTacToe(), simulations=400)
    compiled = bw.MCTS(seed=3).search(state, simulations=400)
    interpreted = bw.MCTS(seed=3, compiled=False).search(state, simulations=400)
    assert children(plain) == children(compiled) == children(interpreted)


@pytest.mark.parametrize("starter", [0, 1, 2])
def test_three_players_with_chance_are_searched_alike_compiled_and_in_plain_python(starter):
    state = DrawnTrio.from_actions([starter])
    results = [
        bw.MCTS(seed=3, compiled=compiled).search(state, simulations=300) for compiled in (True, False)
    ]
    assert children(results[0]) == children(results[1])


@pytest.mark.parametrize("game", [Drawn, DrawnTrio], ids=str)
def test_the_checker_finds_compiled_rules_in_step(game):
    check_game(game, games=400, seconds=20)


@pytest.mark.slow
@pytest.mark.parametrize("game", [Breakthrough, Pig.configured(target=20), ConnectFour], ids=str)
def test_the_checker_finds_games_that_ship_in_step(game):
    check_game(game.configured(random_starter=True), games=400, seconds=20)


def test_an_edit_of_the_game_reaches_the_compiled_variant(monkeypatch):
    from branchwise.compile.states.prepared_rules import compiled_type

    before = compiled_type(DrawnTrio)
    assert compiled_type(DrawnTrio) is before

    def returns(self):
        return (1.0, 1.0, 1.0)

    monkeypatch.setattr(Trio, "returns", returns)
    assert compiled_type(DrawnTrio).rules.fingerprint != before.rules.fingerprint
    assert bw.MCTS(seed=1).search(DrawnTrio.from_actions([0]), simulations=50).value == 1.0


# --- everywhere else --------------------------------------------------------------------------------


def test_variants_are_named_and_found_like_others():
    game = bw.load_game("connect_four(rows=5,random_starter=true)")
    assert game is ConnectFour.configured(random_starter=True).configured(rows=5)
    assert game.name == "connect_four(rows=5,random_starter=True)"
    assert (game.num_outcomes, game.max_game_length) == (2, 36)
    assert game.configured(random_starter=False) is ConnectFour.configured(rows=5)
    assert issubclass(game, ConnectFour)
    assert game_options(ConnectFour) == {"rows": 6, "columns": 7, "in_a_row": 4}


def test_states_are_equal_by_content_and_survive_pickling_and_json():
    one, other = Drawn.from_actions("player0 b2"), Drawn.from_actions("player1 b2")
    assert one != other
    assert one == pickle.loads(pickle.dumps(one)) == Drawn.from_json(one.to_json())
    twin = one.copy()
    twin.play("a1")
    assert one == Drawn.from_actions("player0 b2")


def test_a_piece_belongs_to_the_player_who_placed_it():
    for starter in (0, 1):
        state = Drawn.from_actions([starter, "b2"])
        cells = state.to_grid().cells
        assert (cells[1][1].text, cells[1][1].owner, cells[0][0].action) == ("X", starter, 0)
        assert grid_text(state.to_grid()) == str(TicTacToe.from_actions("b2"))
    start = Drawn().to_grid()
    assert all(cell.action is None for row in start.cells for cell in row)
    assert "data-action" not in Breakthrough.configured(random_starter=True)().to_svg()


def test_moves_from_outside_are_checked():
    state = Drawn()
    with pytest.raises(bw.ActionError, match="not legal here"):
        state.apply_action(2)
    state.play("PLAYER1")
    state.play("a1")
    with pytest.raises(bw.ActionError, match="action 6 is not legal here"):
        state.apply_action(6)
    named = ConnectFour.configured(random_starter=True)()
    with pytest.raises(bw.ActionError, match='"a" is not a legal move here'):
        named.play("a")


def test_rules_that_try_moves_may_still_do_so():
    class Tried(TicTacToe):
        def legal_actions(self):
            for cell in range(9):
                twin = self.copy()
                twin.apply_action(cell)
                if twin.taken != self.taken:
                    yield cell

    state = Tried.configured(random_starter=True).from_actions([1, 4])
    assert state.legal_actions() == [0, 1, 2, 3, 5, 6, 7, 8]


def test_matches_draw_starters_and_stored_games_are_replayed():
    result = bw.Match("tic_tac_toe(random_starter=True)", ("random", "random"), games=8, seed=2).run()
    starters = {record.actions[0] for record in result.records}
    assert starters == {0, 1}
    for record in result.records:
        state = Drawn.from_actions(record.actions)
        assert state.is_terminal()
        assert tuple(record.returns) == state.returns()


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (Sailing, "it has one player"),
        (RockPaperScissors, "all players move at once in it"),
        (KuhnPoker, "what a player sees in it belongs to a side"),
        (Pendulum, "it has one player"),
    ],
)
def test_games_without_a_starter_are_refused_in_one_sentence(game, reason):
    with pytest.raises(bw.GameError, match=f"^{game.name} takes no random starter: {reason}"):
        game.configured(random_starter=True)
    assert game.configured(random_starter=False) is game


def test_a_game_that_pays_on_the_way_or_needs_the_name_is_refused():
    class Paying(Trio):
        returns = None

        def apply_action(self, action):
            return (1.0, 0.0, 0.0)

    class Taken(Trio):
        starter: np.int8 = 0

    with pytest.raises(bw.GameError, match="it pays rewards on the way"):
        Paying.configured(random_starter=True)
    with pytest.raises(bw.GameError, match="it has an attribute starter of its own"):
        Taken.configured(random_starter=True)
    with pytest.raises(bw.GameError, match="takes a bool, not 'yes'"):
        Trio.configured(random_starter="yes")


def test_a_class_is_told_how_to_ask_for_a_random_starter():
    with pytest.raises(bw.GameError, match="random_starter = True in the class draws no starter") as error:
        type("Mine", (TicTacToe,), {"random_starter": True})
    assert error.value.mend == "leave it out, and use Mine.configured(random_starter=True)"
    with pytest.raises(bw.GameError, match="Mine derives from tic_tac_toe with a random starter"):
        type("Mine", (Drawn,), {})


def test_a_class_may_use_the_name_for_an_option_of_its_own():
    class Own(Nim):
        random_starter = 3

    assert Own.configured(random_starter=4)().current_player() == 0
