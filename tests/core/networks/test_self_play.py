"""Games of self-play: what their samples say."""

from itertools import pairwise

import numpy as np
import pytest

import branchwise as bw
from branchwise.core.networks import self_play
from branchwise.core.networks.self_play import Orders
from branchwise.learning.crew import Crew
from branchwise.networks.inputs import Inputs
from branchwise.networks.network import Network

PLAIN = Orders(np.uint64(7), 0, 1, 0, 1.0, 0.25, 0.15, 2.0, 0.0, 1)
"""One simulation a move, no proofs before it, results passed back whole, and greedy play."""


def play(name, orders):
    """Return the values of the samples of a game, their inputs and policies, and the counts."""
    game = bw.load_game(name)
    crew = Crew(game, Network.initial(Inputs.of(game), seed=1), 32, 1)
    worker = crew.workers[0]
    played = worker.play(orders, np.ones(worker.moves + 1, bool))
    crew.close()
    words, floats = played.words, played.words.view(np.float32)
    samples, at = [], 0
    while at < words.size:
        inputs = words[at + 1]
        count = words[at + 2 + inputs]
        first = at + 3 + inputs
        policy = dict(
            zip(words[first:][:count].tolist(), floats[first + count :][:count].tolist(), strict=True)
        )
        samples.append((float(floats[at]), words[at + 2 :][:inputs].tolist(), policy))
        at = first + 2 * count
    return samples, played.counts


def test_a_proven_position_ends_the_game_with_its_exact_value():
    samples, counts = play("tic_tac_toe", PLAIN._replace(proof_limit=10**6))
    (value, inputs, policy), *others = samples
    assert not others
    assert value == 0.0  # a draw, which all moves keep
    assert policy == dict.fromkeys(range(9), np.float32(1 / 9))
    game = bw.load_game("tic_tac_toe")
    assert inputs == Inputs.of(game).active(game())  # which looks the same from all sides
    assert counts[self_play.PROVEN_POSITIONS] == counts[self_play.TESTED] == 1


def test_results_are_passed_back_to_both_players():
    for counter in range(10):
        samples, counts = play("tic_tac_toe", PLAIN._replace(counter=np.uint64(counter)))
        values = [value for value, _, _ in samples]
        assert len(samples) == counts[self_play.POSITIONS] > 0
        assert values[-1] in (-1.0, 0.0, 1.0)
        assert all(one == -following for one, following in pairwise(values))


def test_the_target_prefers_what_the_search_found_to_be_better():
    samples, _ = play("connect_four", PLAIN._replace(simulations=32, start=20))
    for _, _, policy in samples:
        assert abs(sum(policy.values()) - 1.0) < 1e-5
    assert max(max(policy.values()) for _, _, policy in samples) > 0.5


def test_without_weight_of_values_the_target_is_the_counts_of_visits():
    orders = PLAIN._replace(simulations=32, sharpness=0.0)
    samples, _ = play("connect_four", orders)
    for value, _, policy in samples[:4]:  # nothing is solved so early
        shares = np.array(list(policy.values())) * 31  # the first simulation visits the root alone
        assert abs(shares - shares.round()).max() < 1e-4
        assert shares.sum() == pytest.approx(31, abs=1e-3)
        assert value in (-1.0, 0.0, 1.0)


def test_games_start_after_random_moves():
    starts = [play("connect_four", PLAIN._replace(start=start))[0][0][1] for start in (0, 9)]
    empty = bw.load_game("connect_four")()
    assert starts[0] == Inputs.of(type(empty)).active(empty)
    assert starts[1] != starts[0]


def test_positions_are_turned_by_the_symmetries_of_the_game():
    game = bw.load_game("connect_four")
    found = set()
    for counter in range(8):
        orders = PLAIN._replace(counter=np.uint64(counter), start=0, symmetries=2)
        played = play("connect_four", orders)[0]
        moves = [inputs for _, inputs, _ in played[:2]]
        found.add(tuple(moves[1]))
    state, seen = game(), set()
    for action in state.legal_actions():
        child = game()
        child.apply_action(action)
        seen.add(tuple(Inputs.of(game).active(child)))
    assert found <= seen
    assert len(found) > 1
