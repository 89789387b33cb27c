"""How often a search with a larger budget wins against one with a smaller one, without processes."""

import random

import branchwise as bw


def share_of_points(game, budgets, pairs, opening_moves, **settings):
    """Return the share of the points that the first of two budgets wins.

    Each pair of games begins with the same random moves, 0 to `opening_moves` of them, with seats exchanged:
    so from positions of both parities.
    """
    planners = [bw.MCTS(seed=seed, **settings) for seed in (1, 2)]
    points = 0.0
    for number in range(2 * pairs):
        rng = random.Random(number // 2)
        state = game()
        for _ in range(number // 2 % (opening_moves + 1)):
            state.apply_action(rng.choice(state.legal_actions()))
        while not state.is_terminal():
            seat = (state.current_player() + number) % 2
            result = planners[seat].search(state, simulations=budgets[seat])
            state.apply_action(result.best_action)
        points += (state.returns()[number % 2] + 1) / 2
    return points / (2 * pairs)
