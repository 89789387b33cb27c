"""What players see of a state, as arrays."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.game.kinds.continuous_actions import has_box
from branchwise.games import GAMES, load_game
from branchwise.interop.shared.observations import empty_parts, make_observer
from branchwise.rules.facts.facts import apply_legal, legal_actions
from branchwise.rules.knowledge.dealing import Dealer
from support.shipped import HIDDEN


def seen(state, player, kind="fields"):
    observer = make_observer(type(state), kind)
    vector, parts = empty_parts(observer)
    observer.write(state, player, parts)
    return vector, parts


def states(game, games=3, moves=60):
    """Yield the states of random games."""
    draw = np.random.default_rng(1)
    for number in range(games):
        random = bw.Random(number)
        state = game.new_initial_state(random)
        for _ in range(moves):
            yield state.copy()
            if state.is_terminal():
                break
            apply_legal(state, _drawn(state, draw), random)


def _drawn(state, draw):
    """Return a random action, or one of each player where all move at once."""
    if not has_box(state) and state.current_player() == bw.SIMULTANEOUS:
        choices = [state.legal_actions(player) for player in range(state.num_players)]
        return tuple(actions[int(draw.integers(len(actions)))] for actions in choices)
    actions = [np.zeros(1)] if has_box(state) else legal_actions(state)
    return actions[int(draw.integers(len(actions)))]


class Mixed(bw.Game):
    """Fields of every kind."""

    num_players = 2
    num_actions = 1

    small: np.int8 = -3
    wide: np.uint16 = 65535
    stones: np.uint64 = 2**63 + 5
    signed: np.int32 = -2
    pair: bw.Array[np.int64, 2] = 0
    grid: bw.Array[np.int8, 2, 3] = 0
    flag: bool = True
    speed: float = 0.25

    def current_player(self):
        return 1

    def legal_actions(self):
        yield 0

    def apply_action(self, action):
        self.small = 0

    def is_terminal(self):
        return self.small == 0

    def returns(self):
        return (0.0, 0.0)


def test_fields_are_numbers_or_rows_of_bits_with_the_lowest_first():
    state = Mixed(pair=[1, -1], grid=[[1, 2, 3], [4, 5, 6]])
    vector, parts = seen(state, 0)
    shapes = {name: part.shape for name, part in parts.items()}
    assert shapes == {
        "small": (1,),
        "wide": (1,),
        "stones": (64,),
        "signed": (32,),
        "pair": (2, 64),
        "grid": (2, 3),
        "flag": (1,),
        "speed": (1,),
        "observer": (2,),
        "to_move": (2,),
    }
    assert vector.size == sum(part.size for part in parts.values())
    assert vector.dtype == np.float32
    assert (parts["small"][0], parts["wide"][0], parts["flag"][0], parts["speed"][0]) == (-3, 65535, 1, 0.25)
    assert np.flatnonzero(parts["stones"]).tolist() == [0, 2, 63]
    assert np.flatnonzero(parts["signed"] == 0).tolist() == [0]  # two's complement of -2
    assert parts["pair"].sum(axis=1).tolist() == [1, 64]
    assert parts["grid"].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert parts["observer"].tolist() == [1, 0]
    assert parts["to_move"].tolist() == [0, 1]


def test_the_one_who_sees_is_shown_and_nobody_moves_in_a_finished_game():
    state = Mixed()
    assert seen(state, 1)[1]["observer"].tolist() == [0, 1]
    state.apply_action(0)
    assert seen(state, 1)[1]["to_move"].tolist() == [0, 0]


def test_nobody_moves_where_chance_does():
    state = load_game("pig")()
    state.apply_action(0)
    assert state.current_player() == bw.CHANCE
    assert seen(state, 0)[1]["to_move"].tolist() == [0, 0]


def test_a_problem_of_one_player_has_no_seats():
    assert list(seen(load_game("left_move")(), 0)[1]) == ["made", "lefts"]


def test_planes_show_the_observers_own_pieces_first():
    state = load_game("tic_tac_toe").from_actions("b2 a1 c3")  # player 1 is to move
    first, second = seen(state, 0, "board")[1]["planes"], seen(state, 1, "board")[1]["planes"]
    assert first[0].tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 0]]
    assert first[1].tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert np.array_equal(first[:2], second[1::-1])
    empty, crosses, noughts, other = first[2:6]
    assert np.array_equal(crosses, first[0])
    assert np.array_equal(noughts, first[1])
    assert np.array_equal(empty, 1 - crosses - noughts)
    assert not other.any()
    assert (first[6].max(), first[7].min()) == (0.0, 1.0)
    assert (second[6].min(), second[7].max()) == (1.0, 0.0)


def test_chess_has_a_plane_for_each_kind_of_piece():
    state = load_game("chess")()
    planes = seen(state, 0, "board")[1]["planes"]
    assert planes.shape == (2 + 13 + 1 + 2, 8, 8)
    assert [int(plane.sum()) for plane in planes[:3]] == [16, 16, 32]
    assert sorted(int(plane.sum()) for plane in planes[3:15]) == [1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 8, 8]
    assert not planes[15].any()


class Counting(bw.Game):
    num_players = 1
    num_actions = 2
    max_game_length = 1

    board: bw.Array[np.int8, 2, 2] = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0

    def apply_action(self, action):
        self.board[0, 0] = 9

    def is_terminal(self):
        return self.board[0, 0] == 9

    def returns(self):
        return 0.0


def test_texts_that_the_game_does_not_list_share_a_plane():
    planes = seen(Counting(board=[[0, 1], [7, 9]]), 0, "board")[1]["planes"]
    assert planes[1 + len(Counting.symbols)].tolist() == [[0, 0], [1, 1]]
    assert planes[1 + Counting.symbols.index("X")].tolist() == [[0, 1], [0, 0]]


def test_texts_of_a_style_have_planes_of_their_own():
    state = load_game("twenty_forty_eight")(board=[[0, 2, 0, 0], [0] * 4, [0] * 4, [0, 0, 0, 11]])
    planes = seen(state, 0, "board")[1]["planes"]
    assert planes[1 + 2, 0, 1] == planes[1 + 11, 3, 3] == 1
    assert planes.sum() == 16


@pytest.mark.parametrize("name", sorted(GAMES.builtin))
def test_two_states_of_a_shipped_game_look_the_same_only_if_they_are(name):
    """Or, where information is hidden, if the player sees the same.

    Numbers of 64 bits are shown as float32, so states may agree in the digits that these have.
    """
    game = load_game(name)
    known = {}
    for state in states(game):
        vector, _ = seen(state, 0)
        assert np.isfinite(vector).all()
        rounded = tuple(
            np.asarray(
                getattr(state, field.name), np.float32 if field.dtype.kind == "f" else field.dtype
            ).tobytes()
            for field in game._fields
        )
        if name in HIDDEN:
            rounded = state.observation(0)
        assert known.setdefault(vector.tobytes(), rounded) == rounded
    assert len(known) > 1


class Peeping(bw.Game):
    """Two numbers are hidden, and a player may ask for the sum; what is seen is written by hand."""

    num_players = 2
    num_actions = 2

    secret: bw.Secret[np.int8, 2] = 0
    told: np.int8 = -1
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.secret[self.mover] = action
        if self.mover == 1:
            self.told = self.secret[0] + self.secret[1]
        self.mover += 1

    def observation(self, player):
        yield self.told
        if player >= 0:
            yield self.secret[player]

    def determinize(self, player, random):
        self.secret[1 - player] = random.below(2)

    def is_terminal(self):
        return self.mover == 2

    def returns(self):
        return (0.0, 0.0)


@pytest.mark.parametrize("game", [*HIDDEN, Peeping])
@pytest.mark.parametrize("kind", ["fields", "board"])
def test_what_a_player_does_not_see_changes_nothing(game, kind):
    """States that fit what a player knows, dealt anew, are shown as the true one, at all moments of games."""
    small = "battleship(rows=4,columns=4,sizes=(2,2),shots=6)" if game == "battleship" else game
    rules = load_game(small) if isinstance(game, str) else game
    if kind == "board" and game is Peeping:
        with pytest.raises(bw.GameError, match="draws no rectangular board"):
            make_observer(rules, kind)
        return
    draw, source, others = np.random.default_rng(1), bw.Random(1), 0
    for _ in range(2 if game == "hearts" else 6):
        played = bw.Playthrough(rules())
        while not played.is_over:
            if not played.is_chance:
                player = played.player
                dealt = Dealer().deal(played.information_state(player), source)
                assert seen(dealt, player, kind)[0].tolist() == seen(played.state, player, kind)[0].tolist()
                others += dealt != played.state
            legal = legal_actions(played.state)
            played.play(legal[int(draw.integers(len(legal)))])
    assert others > 0


def test_a_written_observation_is_a_part_of_its_own():
    _, parts = seen(Peeping.from_actions([1]), 1)
    assert {name: part.tolist() for name, part in parts.items()} == {
        "observation": [-1.0, 0.0],
        "observer": [0.0, 1.0],
        "to_move": [0.0, 1.0],
    }

    class Growing(Peeping):
        def observation(self, player):
            for number in range(1 + self.mover):
                yield number

    observer = make_observer(Growing, "fields")
    _, parts = empty_parts(observer)
    with pytest.raises(bw.GameError, match=r"growing\.observation gave 2 numbers, and at the start 1"):
        observer.write(Growing.from_actions([1]), 1, parts)


@pytest.mark.parametrize("name", sorted(GAMES.builtin))
def test_observations_of_shipped_games_stay_within_their_bounds(name):
    observer = make_observer(load_game(name), "fields")
    for state in states(load_game(name), games=1):
        _, parts = seen(state, 0)
        for part, values in parts.items():
            assert (values >= observer.low[part]).all(), part
            assert (values <= observer.high[part]).all(), part


def test_a_field_with_the_name_of_a_seat_is_refused():
    class Watched(Mixed):
        observer: np.int8 = 0

    with pytest.raises(
        bw.GameError, match="watched has a field observer, which is a part of the observation"
    ):
        make_observer(Watched, "fields")
