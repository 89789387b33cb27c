"""What a network sees: patterns of cells or a class's own inputs, the same compiled and in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import branchwise as bw
from branchwise.boards.layer import cells_of
from branchwise.common.errors import GameError
from branchwise.core.machine.kernel_status import NET_INPUT_OUT_OF_RANGE
from branchwise.games.connect_four import ConnectFour
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.networks.inputs import Inputs
from branchwise.networks.network import Network
from support.nets import Counters, Kernels, Strip, random_network, random_states

GAMES = (
    "connect_four",
    "connect_four(rows=4,columns=5,in_a_row=3)",
    "tic_tac_toe",
    "hex(size=4)",
    "checkers",
    "nine_mens_morris",
    "mnk(rows=4,columns=6,gravity=True)",
)
OWN = {"counters": Counters, "strip": Strip}
_kernels = {}


def kernels_of(text):
    if text not in _kernels:
        game = OWN.get(text) or bw.load_game(text)
        _kernels[text] = game, Kernels(random_network(game))
    return _kernels[text]


@pytest.mark.parametrize("text", ["connect_four(rows=4,columns=5)", "hex(size=3)", "mnk(rows=4,columns=4)"])
def test_a_new_network_counts_pieces_one_by_one(text):
    game = bw.load_game(text)
    inputs = Inputs.of(game)
    rows = Network.initial(inputs, seed=3).rows
    holds, sums = [], []
    for seed in range(40):
        for state in random_states(game, seed):
            player = int(state.current_player())
            owners = cells_of(state)[:, :, 0].ravel()
            of_sides = [owners == one for one in (player, 1 - player)]
            holds.append(np.zeros((2, 2 * owners.size + 1)))
            holds[-1][player] = *np.concatenate(of_sides), 1.0
            sums.append(rows[inputs.active(state)].sum(axis=0))
    pieces = np.array(holds).reshape(len(holds), -1)
    vectors, _, rank, _ = np.linalg.lstsq(pieces, np.array(sums), rcond=None)
    assert rank < len(pieces) / 2
    assert pieces @ vectors == pytest.approx(np.array(sums), abs=1e-4)
    assert np.abs(vectors).max() > 0.05


@given(st.sampled_from((*GAMES, *OWN)), st.integers(0, 10**6))
@settings(max_examples=40)
def test_compiled_and_plain_inputs_are_equal(text, seed):
    game, kernels = kernels_of(text)
    inputs = Inputs.of(game)
    for state in random_states(game, seed):
        rows = inputs.active(state)
        assert kernels.active(state) == rows
        assert len(rows) <= inputs.max_active
        assert all(0 <= row < inputs.num_rows for row in rows)
        assert len(set(rows)) == len(rows)


def test_windows_of_connect_four_are_told_by_their_cells():
    inputs = Inputs.of(ConnectFour)
    assert len(inputs.patterns) == 69
    assert inputs.base == 3
    state = ConnectFour.from_actions([3, 3, 2])
    codes = [1 if owner == 1 else 2 if owner == 0 else 0 for owner in cells_of(state)[:, :, 0].ravel()]
    contents = [
        sum(codes[cell] * 3**place for place, cell in enumerate(reversed(p))) for p in inputs.patterns
    ]
    assert inputs.active(state)[:69] == [81 * place + content for place, content in enumerate(contents)]


def test_players_who_are_alike_see_the_same_and_others_do_not():
    class Sided(TicTacToe):
        sides_alike = False

    exchanged = Sided.from_actions(["b2"]), Sided()
    rows = [set(Inputs.of(Sided).active(state)) for state in exchanged]
    assert not rows[0] & rows[1]
    alike = Inputs.of(ConnectFour)
    assert alike.active(ConnectFour())[-1] == alike.mover_row


def test_a_class_names_its_patterns():
    class Corners(TicTacToe):
        net_patterns = ((0, 2, 6, 8), (4,))
        sides_alike = False

    inputs = Inputs.of(Corners)
    assert inputs.patterns == [(4,), (0, 2, 6, 8)]
    assert inputs.num_rows == 2 * (3 + 81)
    assert "net_patterns" not in Corners.constants()


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        (((0, 9),), "has the square 9; squares are 0 to 8"),
        (((0, 0),), "which is not 1 to 16 different squares"),
        (((),), "which is not 1 to 16 different squares"),
        (5, "has no lists of squares"),
        ((tuple(range(9)),) * 120, "contents, more than 2,097,152"),
    ],
)
def test_patterns_at_fault_are_one_clear_error(patterns, message):
    class Faulty(TicTacToe):
        net_patterns = patterns

    with pytest.raises(GameError, match=message):
        Inputs.of(Faulty)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("sokoban", "one player"),
        ("backgammon", "chance"),
        ("kuhn_poker", "hidden information"),
        ("goofspiel", "moves at once"),
        ("hearts", "4 players"),
        ("connect_four(random_starter=True)", "chance"),
    ],
)
def test_games_without_networks_are_one_clear_error(text, what):
    game = bw.load_game(text)
    with pytest.raises(GameError, match=f"games of two players .* has {what}"):
        Inputs.of(game)
    with pytest.raises(GameError, match=what):
        bw.MCTS(network="none.bwnet", perfect_information=True).check_game(game)


def test_a_class_without_board_and_inputs_is_told_what_to_write():
    class Blind(Counters):
        net_inputs = None

    with pytest.raises(GameError, match=r"neither a board nor net_inputs.*\n.*def net_inputs"):
        Inputs.of(Blind)


def test_inputs_out_of_range_are_faults_of_the_class():
    class Wild(Counters):
        def net_inputs(self, player):
            yield 14 if self.mover else 13

    with pytest.raises(GameError, match="not below num_net_inputs"):
        Network.initial(Inputs.of(Wild), seed=1)
    network = Network(Inputs.of(Wild))
    kernels = Kernels(network)
    assert kernels.active(Wild()) == [13]
    after = Wild()
    after.apply_action(0)
    assert kernels.active(after) == -NET_INPUT_OUT_OF_RANGE
    with pytest.raises(GameError, match="not below num_net_inputs"):
        Inputs.of(Wild).active(after)
    for compiled in (None, False):
        with pytest.raises(GameError, match=r"Wild\.net_inputs yielded an index"):
            bw.MCTS(network=network, compiled=compiled).search(Wild(), simulations=50)


def test_contents_that_do_not_occur_count_as_empty():
    inputs = Inputs.of(TicTacToe)
    assert [inputs._code(owner, kind, 0) for owner, kind in ((0, 1), (0, 2), (-1, 1), (-1, -1))] == [
        1,
        0,
        0,
        0,
    ]


def test_digests_differ_with_what_is_seen():
    small, large = (Inputs.of(bw.load_game(f"hex(size={size})")) for size in (4, 5))
    assert small.digest != large.digest
    assert small.digest == Inputs(bw.load_game("hex(size=4)")).digest
    assert isinstance(small.tables, np.ndarray)
