"""Array fields in plain Python: NumPy's indices, Python's numbers."""

import numpy as np
import pytest

import branchwise as bw


class Fields(bw.Game):
    num_players = 2
    num_actions = 2
    max_game_length = 1

    row: bw.Array[np.int8, 5] = (1, -2, 3, 127, 0)
    board: bw.Array[np.int16, 2, 3] = ((1, 2, 3), (4, 5, 300))
    flags: bw.Array[bool, 3] = (True, False, True)
    weights: bw.Array[np.float32, 2] = (0.5, -0.0)
    cube: bw.Array[np.int8, 2, 2, 2] = 7
    over: bool = False

    def current_player(self):
        return 0

    def legal_actions(self):
        yield from range(2)

    def apply_action(self, action):
        self.over = True

    def is_terminal(self):
        return self.over

    def returns(self):
        return (0.0, 0.0)


INDICES = [
    ("row", 0),
    ("row", -1),
    ("row", 4),
    ("row", np.int64(3)),
    ("row", np.uint8(1)),
    ("row", (2,)),
    ("row", True),
    ("row", None),
    ("row", ...),
    ("row", slice(1, 3)),
    ("row", [0, 3]),
    ("row", np.array([True, False, True, False, True])),
    ("board", 1),
    ("board", (0, 2)),
    ("board", (-1, -1)),
    ("board", (np.int8(1), 2)),
    ("board", (True, 1)),
    ("board", (1, slice(None))),
    ("board", (slice(None), 0)),
    ("board", (1,)),
    ("flags", 1),
    ("flags", -1),
    ("weights", 1),
    ("cube", (1, 0, 1)),
    ("cube", (1, 0)),
]


@pytest.mark.parametrize(("name", "index"), INDICES, ids=str)
def test_an_index_means_what_it_means_in_numpy(name, index):
    array = getattr(Fields(), name)
    found, expected = array[index], np.asarray(array)[index]
    assert np.array_equal(found, expected)
    if isinstance(expected, np.generic):
        assert type(found) is type(expected.item())
    else:
        assert (type(found), found.dtype, found.shape) == (type(array), expected.dtype, expected.shape)


def test_a_part_of_an_array_is_the_arrays_own_memory():
    state = Fields()
    state.board[1][0] = 9
    assert state.board[1, 0] == 9


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("row", 5),
        ("row", -6),
        ("row", 2**70),
        ("board", 2),
        ("board", (0, 3)),
        ("board", (-3, 0)),
        ("board", (0, 0, 0)),
        ("row", "first"),
        ("row", 1.0),
    ],
    ids=str,
)
def test_a_wrong_index_is_numpys_error(name, index):
    array = getattr(Fields(), name)
    with pytest.raises((IndexError, OverflowError)) as expected:
        np.asarray(array)[index]
    with pytest.raises(type(expected.value)) as found:
        array[index]
    assert str(found.value) == str(expected.value)


def test_numbers_of_narrow_arrays_do_not_overflow():
    assert Fields().row[3] + Fields().row[3] == 254


# --- equal states ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "index", "value"),
    [("row", 2, 4), ("board", (1, 1), 0), ("flags", 0, False), ("weights", 0, 0.25)],
)
def test_states_differ_if_a_cell_of_an_array_does(name, index, value):
    state, other = Fields(), Fields()
    assert state == other
    getattr(other, name)[index] = value
    assert state != other


def test_zeros_of_both_signs_are_equal_and_nan_equals_nothing():
    state, other = Fields(), Fields()
    other.weights[1] = 0.0
    assert state == other
    other.weights[1] = np.nan
    assert other != other.copy()


def test_states_of_other_games_are_not_equal():
    assert Fields() != Fields.configured(max_game_length=2)()
