"""Games between two budgets of the same search, for tests of games."""

import random

import branchwise as bw
from branchwise.rules.facts import random_action


def share_of_larger_budget(game, larger, smaller, openings, **settings):
    """Return the larger budget's share of points.

    It plays both sides of each opening; openings have four and five random moves in turn, so that either
    player begins.   larger, smaller : simulations a move.
    """
    points = games = 0
    for number in range(openings):
        rng = random.Random(number)
        start = game()
        for _ in range(4 + number % 2):
            start.apply_action(random_action(start, rng))
        for seat in range(2):
            budgets = (larger, smaller) if seat == 0 else (smaller, larger)
            players = [(bw.MCTS(seed=2 * number + p, **settings), budgets[p]) for p in range(2)]
            state = start.copy()
            while not state.is_terminal():
                planner, simulations = players[state.current_player()]
                state.apply_action(planner.search(state, simulations=simulations).best_action)
            points += (state.returns()[seat] + 1) / 2
            games += 1
    return points / games
