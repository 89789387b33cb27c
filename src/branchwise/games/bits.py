"""Sets of numbers from 0 to 63 as the bits of one whole number: number n is in the set if bit n is 1.

For fields of type `np.uint64`, or a narrower type, and for whatever rules compute from them. All functions
give the same in plain Python as in compiled rules, where each costs an instruction or two. Compiled rules
treat the result of an operation on a uint64 and an ordinary number as signed, with the same 64 bits; numbers
of plain Python have no highest bit. So the functions take a set in either form: only the lowest 64 bits of
their argument count, and -1 is the full set. Three rules remain for the author of a game: mask the result of
a shift to the left; shift to the right with `shift_right` or with a mask that removes the highest bits; and
where a variable gets one of several sets, make all of them `signed`, because it has one type.

>>> corners = 0x8100000000000081
>>> count_bits(corners), lowest_bit(corners), list(each_bit(corners)), nth_bit(corners, 2)
(4, 0, [0, 7, 56, 63], 56)
"""

import numpy as np

ALL_BITS = 0xFFFFFFFFFFFFFFFF
_ONE = np.uint64(1)
_SIGN = 1 << 63


def count_bits(bits):
    """Return how many numbers are in the set.

    >>> count_bits(0b1011), count_bits(0), count_bits(-1)
    (3, 0, 64)
    """
    return np.uint64(bits & ALL_BITS).bit_count()


def lowest_bit(bits):
    """Return the lowest number in the set, which must not be empty (not checked).

    >>> lowest_bit(0b1000), lowest_bit(1 << 63), lowest_bit(-1)
    (3, 63, 0)
    """
    return np.uint64(~bits & bits - 1 & ALL_BITS).bit_count()  # compiled to one instruction


def each_bit(bits):
    """Yield the numbers in the set in ascending order.

    >>> list(each_bit(0b1011)), list(each_bit(0))
    ([0, 1, 3], [])
    """
    rest = np.uint64(bits & ALL_BITS)
    while rest:
        yield lowest_bit(rest)
        rest &= rest - _ONE


def nth_bit(bits, n):
    """Return number n of the set in ascending order, counted from 0; n < count_bits(bits) (not checked).

    `nth_bit(bits, random.below(count_bits(bits)))` draws a number of the set.

    >>> nth_bit(0b1011, 2)
    3
    """
    rest = np.uint64(bits & ALL_BITS)
    for _ in range(n):
        rest &= rest - _ONE
    return lowest_bit(rest)


def shift_right(bits, places):
    """Return the set with `places`, 0 to 63, subtracted from each number; negative numbers are dropped.

    >>> hex(shift_right(0xF000000000000001, 60)), hex(shift_right(-1, 60))
    ('0xf', '0xf')
    """
    return int(np.uint64(bits & ALL_BITS) >> np.uint64(places))


def signed(bits):
    """Return the same set as a signed number, which has bit 63 as its sign.

    In plain Python a negative number has all bits from 63 on, so combine it with an unsigned one by `&`.

    >>> signed(-1), signed(0xFFFFFFFFFFFFFFFF), signed(5)
    (-1, -1, 5)
    """
    return (int(bits) & -1 & ALL_BITS ^ _SIGN) - _SIGN  # an int64 in compiled rules
