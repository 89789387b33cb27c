"""Drawing a fleet that fits what shots have told.

The right shares are those of a player who lays one ship after the other, each on a random place that leaves
room for the rest, given that the fleet fits the shots. Fleets are proposed and accepted at random so that the
shares are exact:

- Each hit in turn that no ship explains yet draws a pair of a ship and a place that explain it. Then each
  ship that is left draws a place without hits. A ship drawn twice, or two ships on one cell, is a rejection.
- The weight of a pair is 1/f, where f is the number of places of the ship without hits, divided by a scale
  for each hit on the place. If the weights of each hit's pairs sum to 1, all fleets that fit are equally
  likely: each has the same product of a factor 1/f for each ship and a scale for each hit. Scales come
  from a few rounds of balancing; where a sum is not 1, the probability of acceptance corrects for it.
- That probability also has a factor for the numbers of places that the ships had, one after the other.

On a crowded board, where ships may leave too little room for the next ones, the last factor has no useful
bound. There one of `FEW_FLEETS` proposals that fit is drawn by its weight, so shares are nearly right. The
same is done after `MOST_TRIES` proposals. If none fits, the fleet is found by a search in random order.

Arrays are those of `games.fleets`, with the cells that were hit as goals, and

sums : float64 [rows, most], the sums of the weights of the options up to each.
"""

import numpy as np

from branchwise.games.fleets import (
    NO_GOALS,
    NONE,
    arrange,
    is_free,
    is_settled,
    mark,
    nones,
    open_places,
)

MOST_TRIES = 10_000
FEW_FLEETS = 16
ROUNDS = 4
"""Rounds in which scales are balanced."""


def draw_fleet(spans, lengths, least, every, num_places, allowed, hits, num_cells, is_tight, random):
    """Return the place of each ship that was laid, drawn at random, int64 [ships laid].

    least : int64 [ships], lower bounds of the numbers of places that the ships had.   every, num_places : the
    options and counts of a board without shots.   allowed : bool [ships laid, places], whether each place
    fits the shots.   hits : int64, cells that were hit.   is_tight : whether ships may leave too little room
    for the next ones; `least` is 1 then.
    """
    hit_at = nones(num_cells)
    for number in range(hits.size):
        hit_at[hits[number]] = number
    options, counts = sort_options(spans, lengths, num_places, allowed, hit_at, hits.size)
    sums = balanced(spans, lengths, options, counts, hit_at, hits.size)
    taken = np.zeros(num_cells, np.bool_)
    chosen = nones(allowed.shape[0])
    kept = nones(allowed.shape[0])
    total = 0.0
    found = 0
    for _ in range(MOST_TRIES):
        weight = propose(spans, lengths, hits, options, counts, sums, taken, chosen, random)
        if weight > 0.0:
            weight *= order_weight(spans, lengths, least, every, num_places, taken, chosen, is_tight)
        if weight > 0.0:
            if not is_tight and random.uniform() < weight:
                return chosen
            total += weight
            if random.uniform() * total < weight:
                kept[:] = chosen
            found += 1
            if is_tight and found == FEW_FLEETS:
                break
    if total == 0.0:
        rotate(options, counts, random)
        taken[:] = False
        arrange(spans, lengths, hits, options, counts, taken, kept)
    return kept


def sort_options(spans, lengths, num_places, allowed, hit_at, num_hits):
    """Return options and counts: the pairs that explain each hit, and each ship's places without hits.

    hit_at : int64 [cells], the number of the hit on each cell, or NONE.
    """
    ships, places = allowed.shape
    explaining = 0  # no hit has more pairs that explain it
    for length in lengths:
        explaining += 2 * length
    options = np.zeros((num_hits + ships, max(places, explaining)), np.int32)
    counts = np.zeros(num_hits + ships, np.int64)
    for ship in range(ships):
        for place in range(num_places[ship]):
            if allowed[ship, place]:
                explains = False
                for step in range(lengths[ship]):
                    hit = hit_at[spans[ship, place, step]]
                    if hit != NONE:
                        options[hit, counts[hit]] = ship * places + place
                        counts[hit] += 1
                        explains = True
                if not explains:
                    row = num_hits + ship
                    options[row, counts[row]] = ship * places + place
                    counts[row] += 1
    return options, counts


def balanced(spans, lengths, options, counts, hit_at, num_hits):
    """Return sums, after balancing the scales of hits."""
    places = spans.shape[1]
    scales = np.zeros(num_hits)
    for hit in range(num_hits):
        scales[hit] = 1.0
    sums = np.zeros((options.shape[0], options.shape[1]))
    for turn in range(ROUNDS + 1):
        for row in range(counts.size):
            total = 0.0
            for number in range(counts[row]):
                ship, place = divmod(options[row, number], places)
                weight = 1.0 / max(1, counts[num_hits + ship])
                for step in range(lengths[ship]):
                    hit = hit_at[spans[ship, place, step]]
                    if hit != NONE:
                        weight /= scales[hit]
                total += weight
                sums[row, number] = total
            if turn < ROUNDS and row < num_hits and total > 0.0:
                scales[row] *= total
    return sums


def propose(spans, lengths, hits, options, counts, sums, taken, chosen, random):
    """Draw a fleet into `taken` and `chosen`; returns its weight by sums, from 0 to 1; 0: it does not fit."""
    taken[:] = False
    chosen[:] = NONE
    weight = 1.0
    for row in range(counts.size):
        whole = sums[row, counts[row] - 1] if counts[row] > 0 else 0.0
        if row < hits.size and whole > 1.0:
            weight /= whole
        if is_settled(hits, taken, chosen, row):
            continue
        if whole == 0.0:
            return 0.0
        if row < hits.size:
            weight *= whole
        drawn = random.uniform() * whole
        number = 0
        while number < counts[row] - 1 and sums[row, number] <= drawn:
            number += 1
        ship, place = divmod(options[row, number], spans.shape[1])
        if chosen[ship] != NONE or not is_free(spans, lengths, taken, ship, place):
            return 0.0
        chosen[ship] = place
        mark(spans, lengths, taken, ship, place, True)
    return weight


def order_weight(spans, lengths, least, every, num_places, taken, chosen, is_tight):
    """Return the factor for the numbers of places of the ships, from 0 to 1; 0: no room for the rest.

    taken : modified; in the end it is as it was.
    """
    laid = nones(lengths.size)
    laid[: chosen.size] = chosen
    if is_tight and not arrange(spans, lengths, NO_GOALS, every, num_places, taken.copy(), laid.copy()):
        return 0.0
    weight = 1.0
    for ship in range(chosen.size - 1, 0, -1):
        mark(spans, lengths, taken, ship, chosen[ship], False)
        laid[ship] = NONE
        places = open_places(spans, lengths, every, num_places, taken, laid, ship, is_tight)
        weight *= least[ship] / places.size
    for ship in range(1, chosen.size):
        mark(spans, lengths, taken, ship, chosen[ship], True)
    return weight


def rotate(options, counts, random):
    """Put the options of each row in random order."""
    for row in range(counts.size):
        random.shuffle(options[row, : counts[row]])
