"""Ways in which newcomers write helpers: each works compiled, or is one error that says what to write.

The ways are those of students, game developers and users of NumPy, in their style. More of them, each a game
of its own, are in `benchmarks/natural_ways.txt`. All that work are compiled together and must answer as in
plain Python; the errors must name the construct, show its line and give an alternative.
"""

# ruff: noqa: B010, B905, C416, C419, RUF005

import collections
import enum
import functools
import heapq
import itertools
import math
import operator
import os
import random
import re
import statistics
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.code.call_kernel import call
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.machine.kernel import entry_kernel
from support.asked import compiled_answers, game_of, plain_answer


class Piece(enum.IntEnum):
    PAWN = 1
    ROOK = 5


class Team(enum.Enum):
    RED = 1
    BLUE = 2


class Suit(enum.Enum):
    CLUBS = "c"
    HEARTS = "h"


class Side(enum.IntFlag):
    A = 1
    B = 2


class Vec(NamedTuple):
    x: int
    y: int


@dataclass(frozen=True)
class Kind:
    worth: int
    steps: int


EMPTY, CROSS, NOUGHT = range(3)
STEPS = [1, -1, 3, -3]
NAMES = ["nobody", "cross"]
RAGGED = ((0, 1, 2), (3, 4))
KINDS = (Kind(1, 1), Kind(5, 7))
VALUES = np.array([[3, 2, 1], [1, 2, 3]])
ORIGIN = Vec(1, 2)
DIRS = [Vec(0, 1), Vec(1, 0)]


class Board(bw.Game):
    """A small board in the middle of a game; the ways below are helpers of it."""

    num_players = 2
    num_actions = 9

    board: bw.Array[np.int8, 3, 3] = 0
    cells: bw.Array[np.int8, 9] = 0
    mover: np.int8 = 0
    score: np.int32 = 0
    hp: np.int16 = 7

    def setup(self):
        self.board[:] = np.array([[0, 1, 2], [1, 0, 0], [2, 1, 1]])
        self.cells[:] = np.array([0, 1, 2, 1, 0, 0, 2, 1, 1])

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield 0

    def apply_action(self, action):
        self.mover = 1 - self.mover

    def is_terminal(self):
        return False

    def returns(self):
        return (0.0, 0.0)

    def capture(self, action):
        self.score += 1
        return action

    def put(self, cell, mark=None):
        if mark is None:
            mark = self.mover + 1
        return cell * 10 + mark

    def walk(self, a):
        for c in range(a, 9):
            yield c

    def is_mine(self, c):
        return self.cells[c] == 1

    def total(self, *cells):
        return sum(cells)

    def heal(self, by=1):
        self.hp += by

    @property
    def middle(self):
        return self.board[1, 1]

    @middle.setter
    def middle(self, v):
        self.board[1, 1] = v


# --- ways that work ---------------------------------------------------------------------------------


def largest_of_rows(self, action):
    return max(max(row) for row in self.board)


def max_of_map(self, action):
    return max(map(max, self.board))


def counts_over_flat(self, action):
    count = [0, 0, 0]
    for c in self.board.flat:
        count[c] += 1
    return count[1]


def counts_over_a_field(self, action):
    count = [0] * 3
    for c in self.cells:
        count[c] += 1
    return count[2]


def a_grid_of_lists(self, action):
    grid = [[0] * 3 for _ in range(3)]
    grid[1][2] = action
    return grid[1][2] + grid[0][0]


def two_variables_swapped(self, action):
    x, y = 1, action
    x, y = y, x
    return x - y


def sorted_in_reverse(self, action):
    return sorted([action, 3, 5], reverse=True)[0]


def count_in_a_list_of_a_row(self, action):
    return list(self.board[0]).count(1)


def clamped_by_min_and_max(self, action):
    return min(max(action, 2), 5)


def np_clip_of_a_number(self, action):
    return np.clip(action, 2, 5)


def a_word_compared(self, action):
    status = "win" if action > 4 else "draw"
    return status == "win"


def bit_tricks(self, action):
    bits, n = 365, 0
    while bits:
        bits &= bits - 1
        n += 1
    return n + (action & -action) + (action | 8).bit_length()


def match_with_alternatives(self, action):
    match action // 3:
        case 0 | 1:
            return 1
        case _:
            return 2


def match_with_a_guard(self, action):
    match action:
        case a if a > 4:
            return 1
        case 2:
            return 5
    return 0


def breadth_first_search(self, action):
    queue, seen = [0], [False] * 9
    seen[0] = True
    n = 0
    while queue:
        cell = queue.pop(0)
        n += 1
        for step in (1, 3):
            nxt = cell + step
            if nxt < 9 and not seen[nxt]:
                seen[nxt] = True
                queue.append(nxt)
    return n


def a_heap(self, action):
    h = [5, 3]
    heapq.heappush(h, action)
    return heapq.heappop(h)


def del_of_an_item(self, action):
    xs = [1, 2, 3]
    del xs[0]
    return xs[0]


def remove_and_index(self, action):
    xs = [1, 2, action]
    xs.remove(2)
    return len(xs) + xs.index(1)


def next_of_iter(self, action):
    return next(iter([action, 2]))


def np_argmax(self, action):
    return np.argmax(self.board) + np.argmin(self.cells)


def sum_along_an_axis(self, action):
    return self.board.sum(axis=0)[1]


def a_flipped_board(self, action):
    return self.board[::-1, ::-1][0, 0]


def np_cumsum(self, action):
    return np.cumsum(self.cells)[-1]


def np_diff(self, action):
    return np.diff(self.cells).max()


def np_outer(self, action):
    return np.outer(self.cells, self.cells)[1, 2]


def np_isin(self, action):
    return np.isin(self.cells, (1, 2)).sum()


def zeros_like_and_ones(self, action):
    return np.zeros_like(self.board).sum() + np.ones((3, 3), dtype=np.int8).sum()


def a_window(self, action):
    return self.board[1:, :2].sum()


def np_bincount(self, action):
    return np.bincount(self.cells, minlength=3)[1]


def np_prod(self, action):
    return np.prod(self.cells + 1)


def nonzero_method(self, action):
    return len(self.board.nonzero()[0])


def sizes_of_an_array(self, action):
    return self.board.shape[0] * 10 + len(self.board) + self.board.size + self.board.ndim


def np_vstack(self, action):
    return np.vstack((self.board, self.board)).sum()


def minus_infinity(self, action):
    best = float("-inf")
    for c in self.cells:
        best = max(best, c)
    return best


def a_very_small_number(self, action):
    best = -(10**9)
    for c in self.cells:
        if c > best:
            best = c
    return best


def an_annotated_variable(self, action):
    total: int = 0
    total += action
    return total


def try_and_finally(self, action):
    try:
        n = 1
    finally:
        n = 2
    return n


def a_complex_number(self, action):
    return (action + 1j).real


def a_letter_of_a_text(self, action):
    return "XO"[self.mover] == "X"


def ord_of_a_letter(self, action):
    return ord("a") + action


def chr_of_a_number(self, action):
    return chr(97 + action) == "a"


def enumerate_from_one(self, action):
    t = 0
    for i, c in enumerate(self.cells, start=1):
        t += i * c
    return t


def all_of_zip(self, action):
    return all(a == b for a, b in zip(self.cells, self.board.ravel()))


def any_number_of_arguments(self, action):
    return self.total(1, 2, action)


def augmented_operators(self, action):
    self.board[0, 0] |= 1
    self.board[0, 1] ^= 3
    self.board[1, 0] //= 2
    self.board[2, 0] **= 2
    self.hp >>= 1
    return self.hp


def two_names_at_once(self, action):
    x = y = action
    x += 1
    return x * 10 + y


def two_names_of_one_list(self, action):
    a = b = [1]
    a.append(2)
    return len(b)


def a_list_extended(self, action):
    xs = [1]
    xs += [2, 3]
    xs = xs + [action]
    xs.extend(range(3))
    return len(xs) + sum(xs)


def a_list_with_stars(self, action):
    return sum([*range(3), *[action]])


def none_as_a_default(self, action):
    return self.put(action) + self.put(action, 5) + self.put(action, mark=3)


def operator_add(self, action):
    return operator.add(action, 1)


def a_method_in_a_variable(self, action):
    f = self.is_mine
    return f(action)


def or_for_a_default(self, action):
    return (action or 5) + (action and 3)


def str_of_a_number(self, action):
    return str(action) == "3"


def np_ndindex(self, action):
    t = 0
    for r, c in np.ndindex(3, 3):
        t += self.board[r, c] * c
    return t


def np_arange_of_fractions(self, action):
    t = 0.0
    for x in np.arange(0, 1, 0.25):
        t += x
    return t


def shift_of_unsigned_numbers(self, action):
    return np.uint64(1) << np.uint64(action)


def inverted_bits(self, action):
    return ~action & 511


def constants_by_range(self, action):
    return NOUGHT + CROSS * 10


def a_member_of_an_enum_of_texts(self, action):
    s = Suit.CLUBS
    return s == Suit.CLUBS


def sum_of_a_generator_method(self, action):
    return sum(self.walk(action)) + max(self.walk(2))


def list_of_a_generator_method(self, action):
    return len(list(self.walk(action))) + len([c for c in self.walk(3)])


def any_over_a_generator_method(self, action):
    return any(self.is_mine(c) for c in self.walk(action))


def methods_that_return_nothing(self, action):
    self.heal()
    self.heal(by=2)
    return self.hp


def while_with_else(self, action):
    n = 0
    while n < action:
        n += 1
    else:
        n += 100
    return n


def nested_conditional_expressions(self, action):
    return 1 if action < 3 else 2 if action < 6 else 3


def nested_unpacking(self, action):
    lo, (hi, x) = action, (2, 3)
    return lo + hi * x


def round_to_two_digits(self, action):
    return round(action / 3, 2)


def any_of_an_array(self, action):
    return 1 if self.board.any() else 0


def any_of_a_list_and_all_of_an_array(self, action):
    return any([c == 1 for c in self.cells]) + all(self.cells >= 0)


def tuples_compared(self, action):
    return (action, 1) < (3, 0)


def a_function_inside(self, action):
    def twice(c):
        return 2 * c

    return twice(action)


def slices_set(self, action):
    self.cells[2:5] = 7
    self.cells[::2] = 1
    return self.cells.sum()


def np_where_of_numbers(self, action):
    return np.where(self.cells == 1, 2, 0).sum()


def np_roll(self, action):
    return np.roll(self.cells, 1)[0]


def a_row_of_one_mark(self, action):
    return (self.board[0] == self.board[0, 0]).all()


def a_loop_over_an_int_enum(self, action):
    t = 0
    for k in Piece:
        t += k
    return t


def values_of_an_int_enum(self, action):
    t = 0
    for k in Piece:
        t += k.value
    return t


def int_of_members(self, action):
    return sum(int(k) for k in Piece)


def len_of_an_enum(self, action):
    return len(Piece)


def a_loop_over_an_enum(self, action):
    t = 0
    for k in Team:
        if k == Team.RED:
            t += 1
    return t


def flags_joined(self, action):
    return (Side.A | Side.B) == 3


def a_flag_tested(self, action):
    return action & Side.A


def a_loop_over_flags(self, action):
    t = 0
    for p in Side:
        if action & p:
            t += 1
    return t


def list_of_an_enum(self, action):
    return list(Piece)[action % 2] == 5


def max_over_an_enum(self, action):
    return max(k.value for k in Piece)


def math_comb(self, action):
    return math.comb(action, 2)


def math_perm(self, action):
    return math.perm(action, 2) + math.perm(3)


def math_prod(self, action):
    return math.prod([1, 2, action])


def math_prod_with_a_start(self, action):
    return math.prod([1.5, 2], start=action)


def math_factorial(self, action):
    return math.factorial(action)


def math_isqrt(self, action):
    return math.isqrt(action)


def math_log_with_a_base(self, action):
    return math.log(action + 1, 2)


def walrus_in_an_augmented_assignment(self, action):
    total = 0
    total += (x := action + 1)
    return total + x


def walrus_in_an_augmented_field(self, action):
    self.score += (gain := self.capture(action))
    return gain


def walrus_on_the_right(self, action):
    total = 1
    y = total + (x := action * 2)
    return y + x


def max_of_a_list_with_a_default(self, action):
    return max([c for c in range(action) if c > 3], default=0)


def max_of_a_generator_with_a_default(self, action):
    return max((c for c in range(action) if c > 3), default=0)


def max_with_a_key_and_a_default(self, action):
    return max([c for c in range(action)], key=lambda c: -c, default=-1)


def min_with_a_default(self, action):
    return min((c for c in range(action)), default=-1)


def sum_of_a_generator_with_a_start(self, action):
    return sum((c for c in range(action)), 10)


def sum_with_a_named_start(self, action):
    return sum((c for c in range(action)), start=10)


def sum_of_fractions_with_a_start(self, action):
    return sum((0.5 for c in range(action)), 1)


def min_and_max_with_unused_defaults(self, action):
    return min([3, action], default=9) + max(STEPS, default=0)


def an_item_of_flat(self, action):
    return self.board.flat[action]


def an_item_of_flat_set(self, action):
    self.board.flat[action] = 2
    return 0


def an_item_of_flat_increased(self, action):
    self.board.flat[action] += 1
    return 0


def the_last_item_of_flat(self, action):
    return self.board.flat[-1]


def a_loop_over_flat(self, action):
    t = 0
    for x in self.board.flat:
        t += x
    return t


def counts_in_a_dict(self, action):
    d = {}
    for c in self.board.ravel():
        if c in d:
            d[c] += 1
        else:
            d[c] = 1
    return d[1]


def a_named_tuple_made(self, action):
    p = Vec(action, 1)
    return p.x + ORIGIN.y + Vec(x=2, y=3).y


def named_tuples_in_a_list(self, action):
    t = 0
    for d in DIRS:
        t += d.x * 2 + d.y
    return t


def sum_of_a_dicts_values(self, action):
    d = {0: 1, 1: 2}
    d[action] = 3
    return sum(d.values()) + len(d)


WORKS = [
    largest_of_rows,
    max_of_map,
    counts_over_flat,
    counts_over_a_field,
    a_grid_of_lists,
    two_variables_swapped,
    sorted_in_reverse,
    count_in_a_list_of_a_row,
    clamped_by_min_and_max,
    np_clip_of_a_number,
    a_word_compared,
    bit_tricks,
    match_with_alternatives,
    match_with_a_guard,
    breadth_first_search,
    a_heap,
    del_of_an_item,
    remove_and_index,
    next_of_iter,
    np_argmax,
    sum_along_an_axis,
    a_flipped_board,
    np_cumsum,
    np_diff,
    np_outer,
    np_isin,
    zeros_like_and_ones,
    a_window,
    np_bincount,
    np_prod,
    nonzero_method,
    sizes_of_an_array,
    np_vstack,
    minus_infinity,
    a_very_small_number,
    an_annotated_variable,
    try_and_finally,
    a_complex_number,
    a_letter_of_a_text,
    ord_of_a_letter,
    chr_of_a_number,
    enumerate_from_one,
    all_of_zip,
    any_number_of_arguments,
    augmented_operators,
    two_names_at_once,
    two_names_of_one_list,
    a_list_extended,
    a_list_with_stars,
    none_as_a_default,
    operator_add,
    a_method_in_a_variable,
    or_for_a_default,
    str_of_a_number,
    np_ndindex,
    np_arange_of_fractions,
    shift_of_unsigned_numbers,
    inverted_bits,
    constants_by_range,
    a_member_of_an_enum_of_texts,
    sum_of_a_generator_method,
    list_of_a_generator_method,
    any_over_a_generator_method,
    methods_that_return_nothing,
    while_with_else,
    nested_conditional_expressions,
    nested_unpacking,
    round_to_two_digits,
    any_of_an_array,
    any_of_a_list_and_all_of_an_array,
    tuples_compared,
    a_function_inside,
    slices_set,
    np_where_of_numbers,
    np_roll,
    a_row_of_one_mark,
    a_loop_over_an_int_enum,
    values_of_an_int_enum,
    int_of_members,
    len_of_an_enum,
    a_loop_over_an_enum,
    flags_joined,
    a_flag_tested,
    a_loop_over_flags,
    list_of_an_enum,
    max_over_an_enum,
    math_comb,
    math_perm,
    math_prod,
    math_prod_with_a_start,
    math_factorial,
    math_isqrt,
    math_log_with_a_base,
    walrus_in_an_augmented_assignment,
    walrus_in_an_augmented_field,
    walrus_on_the_right,
    max_of_a_list_with_a_default,
    max_of_a_generator_with_a_default,
    max_with_a_key_and_a_default,
    min_with_a_default,
    sum_of_a_generator_with_a_start,
    sum_with_a_named_start,
    sum_of_fractions_with_a_start,
    min_and_max_with_unused_defaults,
    an_item_of_flat,
    an_item_of_flat_set,
    an_item_of_flat_increased,
    the_last_item_of_flat,
    a_loop_over_flat,
    counts_in_a_dict,
    a_named_tuple_made,
    named_tuples_in_a_list,
    sum_of_a_dicts_values,
]


# --- ways that are errors ---


def a_matrix_times_a_row(self, action):
    return int((VALUES @ self.board[0])[0])


def np_dot_of_whole_numbers(self, action):
    return np.dot(VALUES[0], self.board[0])


def int_of_an_array(self, action):
    return int(self.board[0] == 1)


def int_of_a_letter(self, action):
    s = "12"
    return int(s[0])


def an_enum_called(self, action):
    return Piece(5) == Piece.ROOK


def the_name_of_a_member(self, action):
    return Piece.ROOK.name == "ROOK"


def a_tuple_of_dataclasses(self, action):
    return KINDS[0].worth


def a_loop_over_dataclasses(self, action):
    t = 0
    for p in KINDS:
        t += p.worth
    return t


def a_dataclass_made(self, action):
    return Kind(1, 2).worth


def get_of_an_empty_dict(self, action):
    d = {}
    for c in self.board.ravel():
        d[c] = d.get(c, 0) + 1
    return d[1]


def an_import_in_a_method(self, action):
    import math

    return math.floor(action / 2)


def a_from_import_in_a_method(self, action):
    from math import floor

    return floor(action / 2)


def a_set_comprehension(self, action):
    return len({c % 3 for c in range(action)})


def a_set_of_visited_cells(self, action):
    visited = set()
    visited.add(action)
    return len(visited)


def a_constant_by_the_class(self, action):
    return Board.num_actions


def flat_in_a_variable(self, action):
    f = self.board.flat
    return f[action]


def flat_of_a_view(self, action):
    return self.board.T.flat[action]


def sorted_by_a_method(self, action):
    return sorted(range(3), key=lambda c: -self.cells[c])[0]


def np_unravel_index(self, action):
    r, c = np.unravel_index(action, (3, 3))
    return r * 10 + c


def np_tile(self, action):
    return np.tile(self.board, 2).sum()


def np_einsum(self, action):
    return np.einsum("ij->", self.board)


def item_method(self, action):
    return self.board.item(1)


def np_vectorize(self, action):
    return np.vectorize(lambda c: c + 1)(self.cells).sum()


def sum_of_rows(self, action):
    return sum(self.board)[0]


def zip_of_rows(self, action):
    t = 0
    for a, b in zip(*self.board[:2]):
        t += a * b
    return t


def zip_strictly(self, action):
    t = 0
    for a, b in zip(self.cells, self.cells, strict=True):
        t += a * b
    return t


def a_property_set(self, action):
    self.middle = 2
    return self.middle


def functools_partial(self, action):
    return functools.partial(max, 3)(action)


def operator_itemgetter(self, action):
    return max([(1, 2), (0, 5)], key=operator.itemgetter(1))[0]


def a_file_opened(self, action):
    return len(open("x").read())


def setattr_of_a_field(self, action):
    setattr(self, "hp", 3)
    return 0


def a_text_joined(self, action):
    return "".join(str(c) for c in self.cells) == "012"


def itertools_accumulate(self, action):
    return list(itertools.accumulate([1, 2, 3]))[2]


def np_nditer(self, action):
    t = 0
    for x in np.nditer(self.board):
        t += x
    return t


def math_isclose(self, action):
    return math.log2(8) + math.hypot(3, 4) + math.copysign(1, -1) + math.isclose(1.0, 1.0)


def statistics_mean(self, action):
    return statistics.mean([1, 2, action])


def a_bytearray(self, action):
    b = bytearray(9)
    b[action] = 1
    return b[action]


def print_without_an_end(self, action):
    print(action, end="")
    return 0


def a_dict_of_empty_lists(self, action):
    groups = {1: [], 2: []}
    groups[1].append(action)
    return len(groups[1])


def swapaxes_method(self, action):
    return self.board.swapaxes(0, 1)[0, 1] + np.transpose(self.board)[0, 1]


def a_named_tuple_replaced(self, action):
    p = Vec(action, 1)
    q = p._replace(x=5)
    return q.x


def a_counter(self, action):
    return collections.Counter(self.cells)[1]


def random_choice_of_python(self, action):
    return random.choice([1, 2, 3])


def id_of_the_state(self, action):
    return id(self) > 0


def max_along_an_axis(self, action):
    return self.board.max(axis=1)[1]


def a_list_of_texts(self, action):
    return NAMES[self.mover] == "cross"


def tuples_of_two_lengths(self, action):
    t = 0
    for line in RAGGED:
        for c in line:
            t += c
    return t


def a_list_that_stays_empty(self, action):
    xs = []
    return len(xs)


def pow_with_a_modulus(self, action):
    return pow(2, action) + pow(2, 3, 5)


def the_environment(self, action):
    return len(os.environ)


def a_lambda_called(self, action):
    f = lambda c: c + 1
    return f(action)


def the_dict_of_the_state(self, action):
    return len(self.__dict__)


def max_of_stars(self, action):
    return max(*STEPS)


ERRORS = {
    max_of_stars: (r"\*values of a list that is a constant", r"max\(values\)"),
    a_matrix_times_a_row: ("product of arrays of whole numbers", r"\(VALUES \* row\)\.sum\(\)"),
    np_dot_of_whole_numbers: ("product of arrays of whole numbers", r"\(VALUES \* row\)\.sum\(\)"),
    int_of_an_array: (r"int\(\.\.\.\) is called with an array", r"x\.sum\(\)"),
    int_of_a_letter: (r"int\(\.\.\.\) reads a text", "numbers in tuples"),
    an_enum_called: ("Piece, the class of an enumeration, is called", "the number itself"),
    the_name_of_a_member: ("the name of a Piece is a text", "the number itself"),
    a_tuple_of_dataclasses: ("KINDS is a tuple of objects", "NamedTuple"),
    a_loop_over_dataclasses: ("KINDS is a tuple of objects", "NamedTuple"),
    a_dataclass_made: ("Kind is a class", "NamedTuple"),
    get_of_an_empty_dict: ("a dict is read before it has a key", r"np\.zeros\(9, np\.int64\)"),
    an_import_in_a_method: ("an import in a rule", "at the top of the module"),
    a_from_import_in_a_method: ("an import in a rule", "at the top of the module"),
    a_set_comprehension: ("a set", "a tuple, .*bits of a number"),
    a_set_of_visited_cells: ("a set", "a tuple, .*bits of a number"),
    a_constant_by_the_class: ("the class by its name", r"self\.rows"),
    flat_in_a_variable: (r"items of \.flat", r"board\[row, column\]"),
    flat_of_a_view: (r"items of \.flat", r"board\[row, column\]"),
    sorted_by_a_method: ("a key of sorted that reads a variable", "tuples that begin with the key"),
    np_unravel_index: ("np.unravel_index", r"divmod\(action, 3\)"),
    np_tile: (r"numpy\.tile", "a loop over the array"),
    np_einsum: (r"numpy\.einsum", "a loop over the array"),
    item_method: (r"x\.item", r"board\.flat\[4\]"),
    np_vectorize: ("a lambda or a function inside a rule", "a method"),
    sum_of_rows: (r"sum\(\.\.\.\) adds up the rows of an array", r"board\.sum\(axis=0\)"),
    zip_of_rows: ("zip of the rows of an array", r"for column in board\.T:"),
    zip_strictly: ("zip with strict", r"zip\(a, b\)"),
    a_property_set: ("self.middle is a property", r"call a method: self\.set_middle\(value\)"),
    functools_partial: ("this function of Python's library", "numbers, loops and methods"),
    operator_itemgetter: ("this function of Python's library", "numbers, loops and methods"),
    statistics_mean: ("this function of Python's library", r"sum\(xs\) / len\(xs\)"),
    math_isclose: ("this function of Python's library", r"abs\(a - b\) < 1e-9"),
    a_file_opened: ("a function about objects or files", "read into an array at the top of the module"),
    the_environment: ("a function about objects or files", "read into an array at the top of the module"),
    setattr_of_a_field: ("a function about objects or files", r"self\.name = value"),
    id_of_the_state: ("a function about objects or files", r"self\.name = value"),
    the_dict_of_the_state: ("self.__dict__ exists only in Python", "numbers, tuples"),
    a_text_joined: ("parsing of text", "action_to_string may use all of Python"),
    itertools_accumulate: ("itertools", "nested loops"),
    np_nditer: (r"np\.nditer", r"for x in board\.flat:"),
    a_bytearray: ("a container of collections", r"np\.zeros\(3, np\.int64\)"),
    a_counter: ("a container of collections", r"np\.zeros\(3, np\.int64\)"),
    print_without_an_end: ("print with more than values", r"print\(x\)"),
    a_dict_of_empty_lists: ("a dict has lists that begin empty", "an array with a row for each"),
    swapaxes_method: ("an array has no swapaxes", "a loop over the array"),
    a_named_tuple_replaced: ("a Vec has no _replace", r"make a new one: Vec\(x, y\)"),
    random_choice_of_python: ("rules may not draw from random", r"random\.below\(n\)"),
    max_along_an_axis: ("a NumPy function along an axis", "a loop over the rows"),
    a_list_of_texts: ("NAMES is a list", r"numbers, or tuples and lists of numbers"),
    tuples_of_two_lengths: ("tuples of different lengths", r"a list of lists: \[\[0, 1, 2\], \[3, 4\]\]"),
    a_list_that_stays_empty: ("the list xs begins empty and gets no items", "append numbers"),
    pow_with_a_modulus: ("no pow of 2, 3, 5", "numbers, tuples"),
}


SOME = [
    a_loop_over_an_int_enum,
    len_of_an_enum,
    flags_joined,
    math_comb,
    math_prod,
    walrus_in_an_augmented_assignment,
    walrus_in_an_augmented_field,
    max_of_a_generator_with_a_default,
    sum_of_a_generator_with_a_start,
    an_item_of_flat_increased,
    the_last_item_of_flat,
    enumerate_from_one,
    del_of_an_item,
    np_clip_of_a_number,
    named_tuples_in_a_list,
    sum_of_a_generator_method,
]
"""Some that are compiled quickly."""


@pytest.mark.parametrize(("name", "ways"), [("Some", SOME), ("All", WORKS)], ids=["some", "all"])
def test_ways_work_as_in_plain_python(name, ways):
    game = game_of(name, Board, ways)
    compiled = compiled_answers(game, [way.__name__ for way in ways], range(9))
    plain = {(name, action): plain_answer(game, name, action) for name, action in compiled}
    assert len(plain) == 9 * len(ways)
    assert {key: (plain[key], compiled[key]) for key in plain if plain[key] != compiled[key]} == {}


@entry_kernel
def ask(state, action):
    """Call a helper, for its error."""
    state.prior(action)


@pytest.mark.parametrize(("way", "told"), ERRORS.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_a_way_that_does_not_work_is_named_with_its_line_and_an_alternative(way, told):
    game = type(way.__name__, (Board,), {"prior": way, "__module__": __name__})
    with pytest.raises(bw.GameError) as caught:
        call(ask, NativeRecords(compiled_type(game)), 1)
    problem, mend = str(caught.value).split("\n  mend: ")
    assert re.search(told[0], problem), problem
    assert re.search(r"\(test_natural_helpers\.py, line \d+: \S", problem), problem
    assert re.search(told[1], mend), mend
    assert not re.search(r" at 0x|site-packages|/|Literal\[|Dispatcher|int64", problem.replace("//", "")), (
        problem
    )


def test_there_are_many_ways():
    assert len(WORKS) + len(ERRORS) > 150
    assert len({way.__name__ for way in (*WORKS, *ERRORS)}) == len(WORKS) + len(ERRORS)
