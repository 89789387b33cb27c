"""Drawing the other player's sealed bids, given the own bids and who won.

Arrays have one place for each turn that is over. own : int64, the own bids, cards from 0.   signs : int64, 1
where the other's bid was higher, 0 where it was the same, -1 where it was lower.
"""

import numpy as np

MOST_TRIES = 10_000
HIGHER, SAME, LOWER = 1, 0, -1
NONE = -1


def draw_in_turn(own, signs, num_cards, random):
    """Return bids of one who draws, in each turn, one of the cards left that fit, int64.

    Draws that run out of fitting cards are rejected. After `MOST_TRIES` the bids are drawn evenly instead.
    """
    bids = np.zeros(own.size, np.int64)
    for _ in range(MOST_TRIES):
        used = 0
        turn = 0
        while turn < own.size:
            count = 0
            for card in range(num_cards):
                if used >> card & 1 == 0 and fits(card, own[turn], signs[turn]):
                    count += 1
            if count == 0:
                break
            number = random.below(count)
            for card in range(num_cards):
                if used >> card & 1 == 0 and fits(card, own[turn], signs[turn]):
                    if number == 0:
                        bids[turn] = card
                    number -= 1
            used |= 1 << int(bids[turn])
            turn += 1
        if turn == own.size:
            return bids
    return draw_evenly(own, signs, num_cards, random)


def fits(card, own, sign):
    """Whether a card compares with the own bid as it did."""
    if sign == SAME:
        return card == own
    return card > own if sign == HIGHER else card < own


def draw_evenly(own, signs, num_cards, random):
    """Return bids that fit; all ways to bid different cards are equally likely, int64.

    Cards are looked at in order. Each goes unused, is kept for a turn with a higher own bid, or is bid in a
    turn with a lower one, which is open then. The ways to go on after each choice are counted beforehand.
    """
    turn_of = np.zeros(num_cards, np.int64)
    for card in range(num_cards):
        turn_of[card] = NONE
    lower = 0
    higher = 0
    for turn in range(own.size):
        turn_of[own[turn]] = turn
        lower += signs[turn] == LOWER
        higher += signs[turn] == HIGHER
    ways = count_ways(turn_of, signs, lower, higher)
    bids = np.zeros(own.size, np.int64)
    kept = np.zeros(num_cards, np.int64)  # cards for turns with a higher own bid
    opened = np.zeros(num_cards, np.int64)  # turns with a lower own bid
    num_kept = 0
    num_open = 0
    for card in range(num_cards):
        turn = turn_of[card]
        sign = signs[turn] if turn != NONE else NONE - 1
        if sign == LOWER:
            place = random.below(num_kept)
            bids[turn] = kept[place]
            num_kept -= 1
            kept[place] = kept[num_kept]
        if sign == SAME:
            bids[turn] = card
        else:
            opens = 1 if sign == HIGHER else 0
            unused = ways[card + 1, num_kept, num_open + opens]
            keeps = ways[card + 1, num_kept + 1, num_open + opens]
            bid = num_open * ways[card + 1, num_kept, num_open + opens - 1] if num_open > 0 else 0.0
            drawn = random.uniform() * (unused + keeps + bid)
            if drawn < bid:
                place = random.below(num_open)
                bids[opened[place]] = card
                num_open -= 1
                opened[place] = opened[num_open]
            elif drawn < bid + keeps:
                kept[num_kept] = card
                num_kept += 1
        if sign == HIGHER:
            opened[num_open] = turn
            num_open += 1
    return bids


def count_ways(turn_of, signs, lower, higher):
    """Return in how many ways bids can go on before each card, float64 [cards + 1, kept, open].

    turn_of : int64 [cards], the turn in which the card was the own bid, or NONE.   lower, higher : numbers of
    turns in which the other's bid was lower, or higher.
    """
    num_cards = turn_of.size
    ways = np.zeros((num_cards + 1, lower + 2, higher + 2))
    ways[num_cards, 0, 0] = 1.0
    for card in range(num_cards - 1, -1, -1):
        turn = turn_of[card]
        sign = signs[turn] if turn != NONE else NONE - 1
        opens = 1 if sign == HIGHER else 0
        for num_kept in range(lower + 1):
            for num_open in range(higher + 1 - opens):
                left = num_kept
                factor = 1.0
                if sign == LOWER:
                    left -= 1
                    factor = num_kept
                if left < 0:
                    continue
                found = ways[card + 1, left, num_open + opens]
                if sign != SAME:
                    found += ways[card + 1, left + 1, num_open + opens]
                    if num_open > 0:
                        found += num_open * ways[card + 1, left, num_open + opens - 1]
                ways[card, num_kept, num_open] = factor * found
    return ways
