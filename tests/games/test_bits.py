"""Sets of bits against Python's own sets, in plain Python and compiled, of signed and unsigned numbers."""

import numba
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from branchwise.compile.language import processor_instructions
from branchwise.compile.states.prepared_rules import translated
from branchwise.games import bits

HIGHEST = 1 << 63
WORDS = [1, 6, HIGHEST, HIGHEST | 4, HIGHEST - 1, 2 * HIGHEST - 1, 0x8100000000000081]


def as_set(word):
    return {number for number in range(64) if word >> number & 1}


@given(st.integers(1, 2 * HIGHEST - 1), st.integers(0, 63))
@example(2 * HIGHEST - 1, 63)
def test_a_word_is_the_set_of_its_bits_whatever_its_sign(word, places):
    expected = sorted(as_set(word))
    for form in (word, word - 2 * HIGHEST, np.uint64(word)):
        if isinstance(form, np.uint64) or form > 0 or word >= HIGHEST:
            assert bits.count_bits(form) == len(expected)
            assert bits.lowest_bit(form) == expected[0]
            assert list(bits.each_bit(form)) == expected
            assert [bits.nth_bit(form, n) for n in range(len(expected))] == expected
            assert bits.shift_right(form, places) == word >> places
            assert type(bits.shift_right(form, places)) is int
            assert as_set(bits.signed(form)) == set(expected)


def test_the_empty_set_has_no_numbers():
    assert bits.count_bits(0) == 0
    assert list(bits.each_bit(0)) == []
    assert bits.shift_right(0, 5) == 0


@pytest.fixture(scope="module", params=[True, False], ids=["by an instruction", "by its Python"])
def compiled(request):
    """Return a compiled function that calls all of them; `nth_bit` with and without the processor's PDEP."""
    if request.param and not processor_instructions.deposits_fast():
        pytest.skip("this processor has no fast PDEP")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processor_instructions, "deposits_fast", lambda: request.param)
        return everything_compiled()


def everything_compiled():
    names = ("count_bits", "lowest_bit", "each_bit", "nth_bit", "shift_right", "signed")
    count, lowest, each, nth, shift, sign = (translated(getattr(bits, name), "of_tests") for name in names)

    @numba.njit
    def everything(word, found):
        size = 0
        for number in each(word):
            found[size] = number
            size += 1
        for n in range(size):
            found[64 + n] = nth(word, n)
        either = sign(word) if size % 2 else np.int64(-1)  # two branches, one type
        return count(word), lowest(word), shift(word, 3), size, sign(word), either

    return everything


@pytest.mark.parametrize("kind", [np.uint64, np.int64])
@pytest.mark.parametrize("word", WORDS, ids=hex)
def test_compiled_functions_give_the_same(compiled, kind, word):
    found = np.zeros(128, np.int64)
    count, lowest, shifted, size, signed, either = compiled(np.uint64(word).astype(kind), found)
    expected = sorted(as_set(word))
    assert (count, lowest, int(shifted), size) == (len(expected), expected[0], word >> 3, len(expected))
    assert signed == bits.signed(word) == (word if word < HIGHEST else word - 2 * HIGHEST)
    assert either == (signed if size % 2 else -1)
    assert found[:size].tolist() == found[64 : 64 + size].tolist() == expected
