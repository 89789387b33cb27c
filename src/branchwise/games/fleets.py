"""Fleets: ships side by side on a board, and whether there is room for the next ones.

A ship lies on one of its places, which are numbered. Arrays say where:

spans : int16 [ships, places, longest], the cells of each place of each ship.   lengths : int64 [ships].
taken : bool [cells], whether there is a ship.   chosen : int64 [ships], the place of each ship, or NONE.

What is left to lay is a list of tasks, in rows: to cover a cell with some ship, or to lay one ship somewhere.

goals : int64 [cells to cover]; the first rows are for these, then follows one for each ship.
options : int32 [rows, most], pairs of a ship and a place, ship * places + place.   counts : int64 [rows].
"""

import numpy as np

NONE = -1
NO_GOALS = np.zeros(0, np.int64)


def place_table(rows, columns, lengths):
    """Return spans, the number of places, int64 [ships], and the action of each place, int16 [ships, places].

    Action rows * columns + cell lays a ship from a cell to the right; 2 * rows * columns + cell, downwards.
    """
    cells = rows * columns
    found = []
    for length in lengths:
        across = [
            (cells + row * columns + column, [row * columns + column + step for step in range(length)])
            for row in range(rows)
            for column in range(columns - length + 1)
        ]
        down = [
            (2 * cells + row * columns + column, [(row + step) * columns + column for step in range(length)])
            for row in range(rows - length + 1)
            for column in range(columns)
        ]
        found.append(across + down if length > 1 else across)
    most, longest = max(map(len, found)), max(lengths)
    spans = np.zeros((len(lengths), most, longest), np.int16)
    actions = np.zeros((len(lengths), most), np.int16)
    for ship, places in enumerate(found):
        for number, (action, span) in enumerate(places):
            actions[ship, number] = action
            spans[ship, number, : lengths[ship]] = span
    return spans, np.array([len(places) for places in found], np.int64), actions


def least_free(spans, lengths, num_places, cells):
    """Return how many places each ship has at least, wherever the ships before it are, int64 [ships].

    A lower bound, which may be negative: a place that several ships block counts for each of them.
    """
    covers = []
    for ship, length in enumerate(lengths):
        cover = np.zeros((num_places[ship], cells), np.int64)
        for cell in spans[ship, : num_places[ship], :length].T:
            cover[np.arange(num_places[ship]), cell] = 1
        covers.append(cover)
    blocked = {}
    for ship, length in enumerate(lengths):
        for before in range(ship):
            pair = length, lengths[before]
            if pair not in blocked:
                blocked[pair] = int((covers[ship] @ covers[before].T > 0).sum(axis=0).max())
    return np.array(
        [
            num_places[ship] - sum(blocked[length, before] for before in lengths[:ship])
            for ship, length in enumerate(lengths)
        ],
        np.int64,
    )


def nones(count):
    """Return an array of NONE."""
    array = np.zeros(count, np.int64)
    for place in range(count):
        array[place] = NONE
    return array


def is_free(spans, lengths, taken, ship, place):
    """Whether there is no ship on any cell of a place."""
    for step in range(lengths[ship]):
        if taken[spans[ship, place, step]]:
            return False
    return True


def mark(spans, lengths, taken, ship, place, is_taken):
    """Note that there is a ship on the cells of a place, or that there is none any more."""
    for step in range(lengths[ship]):
        taken[spans[ship, place, step]] = is_taken


def is_settled(goals, taken, chosen, row):
    """Whether the task of a row is done."""
    if row < goals.size:
        return taken[goals[row]]
    return chosen[row - goals.size] != NONE


def arrange(spans, lengths, goals, options, counts, taken, chosen):
    """Settle all rows, depth-first in the order of rows and options; returns whether that is possible.

    taken, chosen : modified; without a solution they are in the end as they were.
    """
    places = spans.shape[1]
    tried = np.zeros(counts.size, np.int64)
    path = np.zeros(counts.size, np.int64)
    depth = 0
    row = 0
    while row < counts.size:
        if is_settled(goals, taken, chosen, row):
            row += 1
            continue
        fits = False
        while not fits and tried[row] < counts[row]:
            ship, place = divmod(options[row, tried[row]], places)
            tried[row] += 1
            fits = chosen[ship] == NONE and is_free(spans, lengths, taken, ship, place)
            if fits:
                chosen[ship] = place
                mark(spans, lengths, taken, ship, place, True)
                path[depth] = row
                depth += 1
                row += 1
        if not fits:
            tried[row] = 0
            if depth == 0:
                return False
            depth -= 1
            row = path[depth]
            ship, place = divmod(options[row, tried[row] - 1], places)
            chosen[ship] = NONE
            mark(spans, lengths, taken, ship, place, False)
    return True


def open_places(spans, lengths, every, num_places, taken, laid, ship, is_tight):
    """Return the places on which a ship may be laid next: they are free, and leave room for the rest.

    every, num_places : options and counts of a board without ships.   laid : int64 [ships], NONE for this
    ship and those after it.   is_tight : whether room may be too little.
    """
    found = np.zeros(num_places[ship], np.int64)
    count = 0
    is_tight = is_tight and ship < lengths.size - 1
    witness = taken.copy()  # where the ships after this one have been laid, if that has succeeded
    rest = laid.copy()
    has_witness = False
    for place in range(num_places[ship]):
        if not is_free(spans, lengths, taken, ship, place):
            continue
        if is_tight and not (has_witness and is_free(spans, lengths, witness, ship, place)):
            witness[:] = taken
            rest[:] = laid
            rest[ship] = place
            mark(spans, lengths, witness, ship, place, True)
            has_witness = arrange(spans, lengths, NO_GOALS, every, num_places, witness, rest)
            mark(spans, lengths, witness, ship, place, False)
            if not has_witness:
                continue
        found[count] = place
        count += 1
    return found[:count]
