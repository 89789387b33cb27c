"""Atomic operations: nothing is lost between threads, and what is published is complete."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from branchwise.common.players import NO_PLAYER
from branchwise.core.machine.atomic import (
    add_bits_to_field,
    add_to_field,
    add_to_item,
    lower_field,
    peek_field,
    peek_item,
    publish_field,
    publish_item,
    raise_field,
    read_field,
    read_item,
    swap_field_if,
    swap_item_if,
)
from branchwise.core.machine.kernel import kernel
from branchwise.core.tree.node_fields import NODE, UNEXPANDED, new_tree

ROUNDS = 20_000

entry = numba.njit(nogil=True, error_model="numpy")
several_threads = pytest.mark.parametrize("threads", [2, 4])


def nodes_of(count):
    nodes = np.empty(count, NODE)
    nodes[:] = new_tree(1).nodes[0]
    return nodes


def at_once(threads, function, *args):
    """Run function(*args, number) in `threads` threads at once; returns the results by number."""
    function.compile(tuple(map(numba.typeof, (*args, 0))))
    ready = threading.Barrier(threads)

    def run(number):
        ready.wait()
        return function(*args, number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(threads)))


@kernel
def start_together(arrived, threads):
    add_to_item(arrived, 0, 1)
    while peek_item(arrived, 0) < threads:
        pass


# --- nothing is lost ------------------------------------------------------------------------------------


@entry
def add_often(nodes, items, arrived, threads, found, number):
    start_together(arrived, threads)
    for i in range(ROUNDS):
        found[number, i] = add_to_field(nodes, 1, "visits", 1)
        add_to_field(nodes, 1, "value", -0.5)
        add_to_field(nodes, 1, "count", 3)
        add_to_field(nodes, 1, "lower", 1)
        add_to_item(items, i % 2, 2**33)


@several_threads
@pytest.mark.parametrize("integer", [np.int64, np.uint64])
def test_no_addition_is_lost(threads, integer):
    nodes, items = nodes_of(3), np.zeros(2, integer)
    found = np.empty((threads, ROUNDS), np.int32)
    at_once(threads, add_often, nodes, items, np.zeros(1, np.int64), threads, found)
    total = threads * ROUNDS
    assert nodes[1]["visits"] == total
    assert nodes[1]["value"] == -0.5 * total
    assert nodes[1]["count"] == 3 * total % 2**16
    assert nodes[1]["lower"] == total - 1
    assert items.tolist() == [total // 2 * 2**33] * 2
    assert np.array_equal(np.sort(found, axis=None), np.arange(total))
    assert nodes[0] == nodes[2] == nodes_of(1)[0]


@entry
def claim_all(nodes, items, arrived, threads, won, number):
    start_together(arrived, threads)
    for i in range(nodes.size):
        won[0, number, i] = swap_field_if(nodes, i, "first", UNEXPANDED, number)
        won[1, number, i] = swap_item_if(items, i, -2, number)


@several_threads
def test_every_swap_has_one_winner(threads):
    nodes, items = nodes_of(ROUNDS), np.full(ROUNDS, -2)
    won = np.zeros((2, threads, ROUNDS), np.bool_)
    at_once(threads, claim_all, nodes, items, np.zeros(1, np.int64), threads, won)
    assert (won.sum(axis=1) == 1).all()
    assert np.array_equal([nodes["first"], items], won.argmax(axis=1))


@entry
def tighten(nodes, arrived, threads, values, changed, number):
    start_together(arrived, threads)
    for i in range(values.shape[1]):
        changed[number] += raise_field(nodes, i % 3, "lower", values[number, i])
        changed[number] += lower_field(nodes, i % 3, "upper", values[number, i])


@several_threads
def test_bounds_end_at_the_extremes_of_all_threads(threads):
    nodes = nodes_of(3)
    values = np.random.default_rng(threads).normal(size=(threads, ROUNDS)).astype(np.float32)
    changed = np.zeros(threads, np.int64)
    at_once(threads, tighten, nodes, np.zeros(1, np.int64), threads, values, changed)
    for node in range(3):
        assert nodes[node]["lower"] == values[:, node::3].max()
        assert nodes[node]["upper"] == values[:, node::3].min()
    assert changed.sum() >= 6


@entry
def rise_by_steps(nodes, arrived, threads, number):
    changed = 0
    start_together(arrived, threads)
    for step in range(1, ROUNDS + 1):
        changed += raise_field(nodes, 0, "lower", step)
    return changed


@several_threads
def test_every_change_of_a_bound_is_reported_to_one_thread(threads):
    nodes = nodes_of(1)
    changed = at_once(threads, rise_by_steps, nodes, np.zeros(1, np.int64), threads)
    assert nodes[0]["lower"] == ROUNDS
    assert max(changed) >= 1
    assert sum(changed) <= ROUNDS


@entry
def write_in_one_word(nodes, arrived, threads, number):
    start_together(arrived, threads)
    for node in range(nodes.size):
        if number % 2:
            add_bits_to_field(nodes, node, "flags", 1 << number)
        else:
            add_to_field(nodes, node, "player", 1)
            add_to_field(nodes, node, "count", 1)


@several_threads
def test_bits_are_all_set_and_neighbouring_fields_are_left_alone(threads):
    nodes = nodes_of(ROUNDS)
    at_once(threads, write_in_one_word, nodes, np.zeros(1, np.int64), threads)
    assert (nodes["flags"] == sum(1 << number for number in range(1, threads, 2))).all()
    assert (nodes["player"] == NO_PLAYER + threads // 2).all()
    assert (nodes["count"] == threads // 2).all()


# --- what is published is complete ----------------------------------------------------------------------


@entry
def pass_messages(nodes, messages, arrived, threads, number):
    """Thread 0 writes and publishes; the others read. Returns how many reads missed the message."""
    late = 0
    start_together(arrived, threads)
    if number == 0:
        for i in range(messages.size):
            messages[i] = i + 1
            nodes[i].action = i + 1
            publish_field(nodes, 0, "first", i + 1)
        return late
    read = 0
    while read < messages.size:
        sent = read_field(nodes, 0, "first")
        for i in range(read, sent):
            late += messages[i] != i + 1
            late += nodes[i].action != i + 1
        read = max(read, sent)
    return late


@several_threads
def test_a_reader_of_what_was_published_sees_what_was_written_before(threads):
    nodes, messages = nodes_of(ROUNDS), np.zeros(ROUNDS, np.int64)
    late = at_once(threads, pass_messages, nodes, messages, np.zeros(1, np.int64), threads)
    assert late == [0] * threads


@entry
def answer(items, message, rounds, number):
    """The threads write the message in turn. Returns how often a thread did not see the other's."""
    wrong = 0
    for turn in range(number, rounds, 2):
        while read_item(items, 0) != turn:
            pass
        wrong += message[0] != turn
        message[0] = turn + 1
        publish_item(items, 0, turn + 1)
    return wrong


def test_two_threads_that_take_turns_see_what_the_other_wrote():
    assert at_once(2, answer, np.zeros(1, np.int64), np.zeros(1, np.float64), 500) == [0, 0]


@entry
def flag_and_look(flags, seen, arrived, number):
    """Both threads change their own field, then read the other's."""
    for i in range(seen.shape[1]):
        add_to_item(arrived, 0, 1)
        while peek_item(arrived, 0) < 2 * (i + 1):
            pass
        raise_field(flags, 2 * i + number, "lower", 1)
        seen[number, i] = read_field(flags, 2 * i + 1 - number, "lower") == 1


def test_of_two_that_change_and_then_look_one_sees_the_other():
    seen = np.zeros((2, 300), np.bool_)
    at_once(2, flag_and_look, nodes_of(2 * seen.shape[1]), seen, np.zeros(1, np.int64))
    assert seen.any(axis=0).all()


@entry
def wait_by_peeking(nodes, number):
    if number == 0:
        publish_field(nodes, 0, "value", 0.25)
        return peek_field(nodes, 0, "value")
    while peek_field(nodes, 0, "value") == 0:
        pass
    return peek_field(nodes, 0, "value")


def test_a_loop_that_peeks_ends_when_another_thread_publishes():
    assert at_once(2, wait_by_peeking, nodes_of(1)) == [0.25, 0.25]


# --- one thread -----------------------------------------------------------------------------------------


@kernel
def bounded_by(nodes, value):
    return raise_field(nodes, 0, "lower", value), lower_field(nodes, 0, "upper", value)


@entry
def bound_by(nodes, value):
    return bounded_by(nodes, value)


@pytest.mark.parametrize(
    ("value", "changed", "lower", "upper"),
    [
        (0.25, (True, True), 0.25, 0.25),
        (0.75, (True, False), 0.75, 0.5),
        (-0.25, (False, True), 0.0, -0.25),
        (0.0, (False, True), 0.0, 0.0),
        (-0.0, (False, True), 0.0, 0.0),
        (0.5, (True, False), 0.5, 0.5),
        (np.inf, (True, False), np.inf, 0.5),
        (-np.inf, (False, True), 0.0, -np.inf),
        (np.nan, (False, False), 0.0, 0.5),
    ],
)
def test_bounds_only_tighten(value, changed, lower, upper):
    nodes = nodes_of(1)
    nodes["lower"], nodes["upper"] = 0.0, 0.5
    assert bound_by(nodes, value) == changed
    assert (nodes[0]["lower"], nodes[0]["upper"]) == (lower, upper)


@entry
def use_each(nodes, items, index):
    old = (
        add_to_field(nodes, index, "visits", 5),
        add_to_field(nodes, index, "value", 2),
        add_bits_to_field(nodes, index, "flags", 6),
        add_bits_to_field(nodes, index, "flags", 3),
        swap_field_if(nodes, index, "first", 3, 4),
        swap_field_if(nodes, index, "first", UNEXPANDED, 4),
        add_to_item(items, index, -7),
        swap_item_if(items, index, 0, 1),
        swap_item_if(items, index, -7, -6),
    )
    publish_field(nodes, index, "action", 9)
    publish_field(nodes, index, "upper", 0.5)
    publish_item(items, 0, 8)
    new = (
        read_field(nodes, index, "visits"),
        peek_field(nodes, index, "value"),
        read_field(nodes, index, "first"),
        read_field(nodes, index, "flags"),
        peek_field(nodes, index, "action"),
        read_field(nodes, index, "upper"),
        read_item(items, index),
        peek_item(items, 0),
    )
    return old, new


@pytest.mark.parametrize(
    "index", [1, np.int32(1), np.uint16(1), np.uint64(1)], ids=lambda i: type(i).__name__
)
def test_changes_return_what_was_there_before_and_reads_what_is_there_now(index):
    nodes, items = nodes_of(3), np.zeros(2, np.int64)
    old, new = use_each(nodes, items, index)
    assert old == (0, 0.0, 0, 6, False, True, 0, False, True)
    assert new == (5, 2.0, 4, 7, 9, 0.5, -6, 8)
    assert nodes[0] == nodes[2] == nodes_of(1)[0]


def test_arrays_with_strides_are_served_too():
    nodes, items = nodes_of(6), np.zeros(6, np.int64)
    use_each(nodes[::2], items[1::2], 1)
    assert np.flatnonzero(nodes["visits"]).tolist() == [2]
    assert items.tolist() == [0, 8, 0, -6, 0, 0]


@pytest.mark.parametrize("index", [3, -1])
def test_an_index_out_of_bounds_is_found_where_bounds_are_checked(index):
    checked = numba.njit(boundscheck=True, error_model="numpy")(use_each.py_func)
    with pytest.raises(IndexError, match="out of bounds"):
        checked(nodes_of(3), np.zeros(3, np.int64), index)


def test_code_can_be_kept_on_disk():
    nodes, items = nodes_of(2), np.zeros(2, np.int64)
    types = tuple(map(numba.typeof, (nodes, items, 1)))
    use_each.compile(types)
    compiled = use_each.overloads[types]
    assert not compiled.library.has_dynamic_globals
    kept = dumps(compiled._reduce())
    loaded = CompileResult._rebuild(cpu_target.target_context, *pickle.loads(kept))
    assert loaded.entry_point(nodes, items, 1)[1] == (5, 2.0, 4, 7, 9, 0.5, -6, 8)


# --- what does not go together --------------------------------------------------------------------------

MISUSES = [
    (lambda nodes, name: read_field(nodes, 0, "visit"), "no field 'visit'; did you mean 'visits'?"),
    (lambda nodes, name: read_field(nodes, 0, "zzz"), "no field 'zzz'"),
    (lambda nodes, name: read_field(nodes, 0, name), "named by a literal string"),
    (lambda nodes, name: read_field(nodes, 0.0, "first"), "index is float64, not a whole number"),
    (lambda nodes, name: read_field(nodes["value"], 0, "first"), "items are float64, not records"),
    (lambda nodes, name: read_field(nodes[0], 0, "first"), "not an array of one dimension"),
    (lambda nodes, name: swap_field_if(nodes, 0, "value", 0, 1), "value is float64, for which there is no"),
    (lambda nodes, name: raise_field(nodes, 0, "visits", 1), "visits is int32, for which there is no"),
    (lambda nodes, name: add_bits_to_field(nodes, 0, "upper", 1), "upper is float32, for which there is no"),
    (lambda nodes, name: add_to_field(nodes, 0, "visits", 0.5), "value is float64, which does not go into"),
    (lambda nodes, name: publish_field(nodes, 0, "value", name), "value is unicode_type, which does not go"),
    (lambda nodes, name: swap_field_if(nodes, 0, "first", None, 0), "expected is none, which does not go"),
    (lambda nodes, name: add_to_item(nodes, 0, 1), "for which there is no such operation"),
    (lambda nodes, name: swap_item_if(nodes["value"], 0, 0, 1), "items are float64, for which there is no"),
    (lambda nodes, name: add_to_item((1, 2), 0, 1), "not an array of one dimension"),
]


@pytest.mark.parametrize(("misuse", "text"), MISUSES, ids=[text for _, text in MISUSES])
def test_misuse_is_an_error_when_it_is_compiled(misuse, text):
    with pytest.raises(numba.TypingError) as caught:
        entry(misuse)(nodes_of(1), "first")
    assert text in str(caught.value)


def test_records_that_are_not_aligned_are_refused():
    packed = np.zeros(2, np.dtype([("flag", np.uint8), ("first", np.int32)]))
    with pytest.raises(numba.TypingError, match="align=True"):
        entry(lambda nodes: read_field(nodes, 0, "first"))(packed)


def test_arrays_that_cannot_be_written_to_are_refused():
    items = np.zeros(2, np.int64)
    items.flags.writeable = False
    with pytest.raises(numba.TypingError, match="cannot be written to"):
        entry(lambda items: add_to_item(items, 0, 1))(items)
