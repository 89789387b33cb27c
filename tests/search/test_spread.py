"""How far returns lie apart, and planners that look at a quantile of them."""

import json
import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import branchwise as bw
from branchwise.core.interpret import as_interpreted, interpreted
from branchwise.core.tree.node_fields import NODE
from branchwise.core.tree.return_samples import SPREAD, note_return, samples_each
from branchwise.core.tree.simulation_path import LEVEL
from branchwise.games.pig import Pig
from branchwise.games.tic_tac_toe import TicTacToe
from support.simulators import Drift, Machines

WAYS = [{}, {"open_loop": True}, {"outcome_widening": 4.0}, {"transpositions": True}, {"compiled": False}]
PIG = Pig.configured(target=20)


class Bets(bw.Game):
    """Three bets: the first pays 1 surely, the others 0 or 3, and -10 or 11.5, by a coin."""

    num_players = 1
    num_actions = 3
    num_outcomes = 2
    max_game_length = 2

    bet: np.int8 = -1
    done: bool = False

    def current_player(self):
        return 0 if self.bet < 0 else bw.CHANCE

    def legal_actions(self):
        for bet in range(3):
            yield bet

    def chance_outcomes(self):
        yield 0, 0.5
        yield 1, 0.5

    def apply_action(self, action):
        if self.bet < 0:
            self.bet = action
            return 0.0
        self.done = True
        if self.bet == 0:
            return 1.0
        if self.bet == 1:
            return 3.0 * action
        return 21.5 * action - 10.0

    def is_terminal(self):
        return self.done


def by_action(result):
    return {child.action: child.spread for child in result.children}


@pytest.mark.bounds
@pytest.mark.parametrize("settings", WAYS, ids=str)
def test_deviations_and_quantiles_are_those_of_the_returns(settings):
    result = bw.MCTS(seed=1, spread=True, c=5.0, **settings).search(Bets(), simulations=3000)
    spreads = by_action(result)
    assert [spreads[bet].count for bet in range(3)] == [
        child.visits for child in sorted(result.children, key=lambda child: child.action)
    ]
    assert [(spreads[bet].worst, spreads[bet].best) for bet in range(3)] == [(1, 1), (0, 3), (-10, 11.5)]
    assert [spreads[bet].deviation for bet in range(3)] == pytest.approx([0, 1.5, 10.75], abs=0.2)
    assert spreads[1].quantile(0.3) == 0.0
    assert spreads[1].quantile(0.7) == 3.0
    assert spreads[2].quantile(0) == spreads[2].quantile(0.2) == -10
    assert spreads[2].quantile(1) == spreads[2].quantile(0.8) == 11.5


@pytest.mark.parametrize("settings", WAYS, ids=str)
@pytest.mark.parametrize(("risk", "best"), [(0.1, 0), (0.9, 2)])
def test_a_quantile_is_preferred(settings, risk, best):
    result = bw.MCTS(seed=1, risk=risk, **settings).search(Bets(), simulations=2000)
    assert result.best_action == best
    assert result.ended_by == "simulations"
    assert bw.MCTS(seed=1, **settings).search(Bets(), simulations=2000).best_action == 1


@pytest.mark.parametrize(("risk", "best"), [(0.1, 0), (0.9, 2)])
def test_halving_goes_by_the_quantile(risk, best):
    result = bw.MCTS(seed=1, risk=risk, halving=True).search(Bets(), simulations=2000)
    assert result.best_action == best
    assert result.children[0].visits >= 800  # it was in the last round


def test_returns_are_those_of_the_player_at_the_root():
    state = PIG(scores=[0, 15], mover=1)
    spread = bw.MCTS(seed=1, spread=True).search(state, simulations=4000).children[0].spread
    value = bw.MCTS(seed=1).search(state, simulations=4000).value
    assert (spread.worst, spread.best) == (-1.0, 1.0)
    lost = (1 - value) / 2
    assert 0.02 < lost < 0.3
    assert spread.quantile(lost / 2) == -1.0
    assert spread.quantile(2 * lost) == 1.0


def test_returns_are_discounted_sums_of_rewards():
    spread = by_action(bw.MCTS(seed=1, spread=True).search(Machines(turns=1), simulations=4000))[2]
    assert (spread.worst, spread.best) == (0.0, 2.0 + 0.75 * 3.0)


def test_many_returns_are_sampled_uniformly():
    result = bw.MCTS(seed=1, spread=True, c=5.0).search(Bets(), simulations=60_000)
    spread = by_action(result)[2]
    assert spread.count > 10_000
    assert len(spread._samples) == 1024
    mean = np.average(spread._samples, weights=spread._weights)
    assert mean == pytest.approx(0.75, abs=4 * spread.deviation / 32)
    assert np.std(spread._samples) == pytest.approx(spread.deviation, rel=0.02)


def test_returns_that_come_later_are_as_likely_to_be_kept():
    """Returns that count up tell when they came."""
    size, count = samples_each(2), 20_000
    search = SimpleNamespace(
        levels=as_interpreted(np.zeros(2, LEVEL)),
        nodes=as_interpreted(np.zeros(1, NODE)),
        returns=np.zeros(1),
        spreads=as_interpreted(np.zeros(2, SPREAD)),
        samples=np.zeros(2 * size),
    )
    search.levels[1].action = 1
    note = interpreted(note_return)
    with np.errstate(over="ignore"):
        for number in range(count):
            search.returns[0] = number
            note(search, 1)
    kept = search.samples[size:]
    assert len(set(kept.tolist())) == size == 1024
    assert kept.mean() == pytest.approx(count / 2, abs=4 * count / math.sqrt(12 * size))
    assert np.histogram(kept, 4, (0, count))[0] == pytest.approx(size / 4, abs=70)
    assert search.spreads[1].average == pytest.approx((count - 1) / 2)
    assert search.spreads[1].deviations == pytest.approx(count * (count**2 - 1) / 12)
    assert (search.spreads[1].worst, search.spreads[1].best) == (0, count - 1)
    assert search.spreads[0].count == 0


@pytest.mark.parametrize("game", [Bets, Drift, PIG])
def test_compiled_and_interpreted_searches_tell_the_same(game):
    compiled = bw.MCTS(seed=3, spread=True).search(game(), simulations=1500)
    plain = bw.MCTS(seed=3, spread=True, compiled=False).search(game(), simulations=1500)
    assert by_action(compiled) == by_action(plain)
    later = bw.MCTS(seed=3, spread=True, compiled="meanwhile").search(game(), simulations=1500)
    assert by_action(later) == by_action(plain)


@pytest.mark.parametrize("parallel", ["tree", "root"])
def test_what_threads_found_is_taken_together(parallel):
    planner = bw.MCTS(seed=1, spread=True, threads=2, parallel=parallel, c=5.0)
    result = planner.search(Bets(), simulations=6000)
    spreads = by_action(result)
    assert sum(spread.count for spread in spreads.values()) == 6000
    assert spreads[2].deviation == pytest.approx(10.75, abs=0.3)
    assert spreads[1].quantile(0.7) == 3.0


def test_another_root_begins_anew_and_going_on_does_not():
    planner, state = bw.MCTS(seed=1, spread=True), PIG()
    planner.search(state, simulations=500)
    planner.carry_on()
    assert sum(s.count for s in by_action(planner.search(state, simulations=300)).values()) == 800
    for action in (0, 4):
        state.apply_action(action)
        assert planner.advance(action)
    assert sum(s.count for s in by_action(planner.search(state, simulations=300)).values()) == 300


def test_games_without_chance_keep_their_proofs():
    state = TicTacToe.from_actions(["a1", "b2", "a2"])
    result = bw.MCTS(seed=1, spread=True).search(state, simulations=5000)
    assert result.ended_by == "proven"
    assert any(child.spread is not None for child in result.children)


def test_results_are_shown_written_and_copied():
    result = bw.MCTS(seed=1, spread=True).search(Bets(), simulations=500)
    assert "deviation" in str(result)
    told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert set(told["children"][0]["spread"]) == {"count", "deviation", "worst", "best", "quantiles"}
    assert by_action(pickle.loads(pickle.dumps(result))) == by_action(result)
    plain = bw.MCTS(seed=1).search(Bets(), simulations=500)
    assert plain.children[0].spread is None
    assert "deviation" not in str(plain)


def test_a_bot_takes_a_quantile():
    assert bw.load_bot("mcts(simulations=500,risk=0.1)", seed=1).choose(Bets()) == 0
    assert bw.load_bot("mcts(simulations=500,risk=0.9)", seed=1).choose(Bets()) == 2


def test_wrong_settings_are_refused():
    for settings, told in (
        ({"risk": 1.5}, "risk"),
        ({"risk": -0.1}, "risk"),
        ({"risk": 0.1, "choice": "value"}, "choice"),
        ({"risk": 0.1, "early_stop": True}, "early_stop"),
        ({"spread": True, "playouts": 4}, "single returns"),
        ({"risk": 0.2, "threads": 2, "parallel": "leaf"}, "single returns"),
    ):
        with pytest.raises(bw.SettingsError, match=told):
            bw.MCTS(**settings)
    with pytest.raises(bw.SettingsError, match="threads are processes"):
        bw.MCTS(spread=True, compiled=False, threads=2).search(Bets(), simulations=10)
    with pytest.raises(bw.SettingsError, match="share"):
        bw.MCTS(seed=1, spread=True).search(Bets(), simulations=50).children[0].spread.quantile(2)
