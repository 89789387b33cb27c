"""The conditions of a match."""

import pytest

import branchwise as bw
from branchwise.arena.match_conditions import Conditions


class Own(bw.Bot):
    """A user's own bot, with unknown properties."""

    name = "own"

    def choose(self, state):
        return state.legal_actions()[0]


@pytest.mark.parametrize(
    ("bots", "limits", "at_once"),
    [
        (["mcts", "random"], {"simulations": 10}, True),
        (["mcts(simulations=9)", "flat(simulations=9)"], {}, True),
        (["level(level=3)", "mcts(max_nodes=100)"], {}, True),
        (["mcts", "random"], {}, False),
        (["mcts(seconds=0.1)", "random"], {}, False),
        (["mcts(clock=5)", "random"], {}, False),
        (["flat(seconds=0.1)", "random"], {}, False),
        (["mcts(simulations=9)", "random"], {"seconds": 1.0}, False),
        (["mcts(simulations=9)", "random"], {"clock": 10.0}, False),
        (["mcts(simulations=9,threads=2)", "random"], {}, False),
        (["mcts(simulations=9,transpositions=True)", "random"], {}, False),
        (["mcts(simulations=9)", "minimax(depth=2)"], {}, False),
        (["mcts(simulations=9)", f"{__file__}:Own"], {}, False),
    ],
)
def test_match_begins_at_once_where_time_decides_nothing(bots, limits, at_once):
    assert Conditions.of("tic_tac_toe", bots, **limits).terms.at_once is at_once
