"""Sweeps and tuners of a game for one player: no opponent, and mean returns in the game's own units."""

import json
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.schedule.match_games import derived_seed
from branchwise.arena.statistics.means import Returns
from branchwise.arena.store.store import Store
from branchwise.arena.tuning.sweep import COLUMNS_ALONE, Sweep, row
from branchwise.arena.tuning.tune import choose, halving
from branchwise.figures.figure_table import Table

SIMULATORS = Path(__file__).parents[2] / "support/simulators.py"
MACHINES, DOORS = f"{SIMULATORS}:Machines", f"{SIMULATORS}:Doors"
BOT = "mcts(simulations={n})"


def small(**changes):
    return Sweep(MACHINES, BOT, **{"vary": "n=1,80", "games": 30, "seed": 3, "concurrency": 1, **changes})


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    file = tmp_path_factory.mktemp("sweep") / "matches.sqlite"
    return file, small().run(store=file)


def test_a_cell_has_the_returns_of_its_match(kept):
    file, result = kept
    assert result.is_alone
    with Store(file) as store:
        for cell in result.cells:
            stored, records = store.match(cell.match), store.games(cell.match)
            assert (stored.bots, stored.state) == ((cell.bot,), "complete")
            assert cell.returns.values == tuple(record.returns[0] for record in records)
            assert all(record.plan.opening == () for record in records)
            assert (cell.games, cell.score.games, cell.elo) == (30, 0, None)
    weak, strong = result.cells
    assert strong.strength > weak.strength + 0.2  # a choice of the best machine pays .8 of three turns


def test_all_cells_meet_the_same_chance(kept):
    file, result = kept
    with Store(file) as store:
        plans = [[(game.plan.dice, game.plan.seeds) for game in store.games(c.match)] for c in result.cells]
    assert plans[0] == plans[1]
    assert len(set(plans[0])) == 30


def test_a_sweep_continues_to_the_same_returns(kept, tmp_path):
    file, result = kept
    assert [cell.returns for cell in bw.Sweep.resume(file).cells] == [cell.returns for cell in result.cells]
    assert [cell.returns for cell in small().run().cells] == [cell.returns for cell in result.cells]


def test_the_table_has_mean_returns(kept):
    _, result = kept
    row = result.table()[1]
    assert row["mean"] == pytest.approx(sum(result.cells[1].returns.values) / 30)
    assert row["low"] < row["mean"] < row["high"]
    assert row["best"] == max(result.cells[1].returns.values)
    assert set(row) == {"n", "bot", "match", *COLUMNS_ALONE}
    lines = str(result).splitlines()
    assert lines[0].split() == ["n", "mean", "return"]
    assert str(result.cells[1].returns.interval()) in lines[2]


def test_settings_with_which_a_bot_fails_have_no_mean_and_lose_every_race(tmp_path):
    seed = derived_seed(1, 1, 0)
    brief = f"{SIMULATORS.parent / 'alone.py'}:Brief(fails={{n}})"
    sweep = Sweep(MACHINES, brief, vary=f"n=0,{seed}", games=2, seed=1, concurrency=1)
    whole, failed = sweep.run().cells
    assert (whole.faults, failed.faults, failed.games) == (0, 1, 2)
    assert (whole.strength is None, failed.strength) == (False, None)
    assert row(failed).items() >= {"games": 2, "mean": None, "low": None, "best": None, "faults": 1}.items()
    losses = Returns((-9.0, -9.0))
    assert choose(2, halving(2, 4, together=1), lambda _, at, __: [failed.returns, losses][at]) == 1
    with pytest.raises(bw.ResultsError, match="failed in 1 of 2 games"):
        failed.returns.interval()


def test_settings_survive_json():
    sweep = small()
    again = Sweep.from_settings(json.loads(json.dumps(sweep.settings())))
    assert again.settings() == sweep.settings()
    assert "against" not in repr(sweep)


def test_an_interval_knows_the_bounds_of_the_game():
    """Returns that happened to be equal say nothing of those that were not seen."""
    assert Returns((0.0,) * 9, (0.0, 1.0)).interval().high > 0.1
    assert (Returns((1.0,)) + Returns((3.0,), (0.0, 9.0))) == Returns((1.0, 3.0), (0.0, 9.0))


@pytest.mark.parametrize(
    ("game", "changes", "told"),
    [
        (MACHINES, {"against": "random"}, "machines is played alone, so there is no opponent"),
        ("nim", {}, "nim is a game of two: against is missing"),
        (
            "cant_stop(players=3)",
            {"against": "random"},
            "has 3 players; settings are compared in games of two",
        ),
    ],
)
def test_an_opponent_is_asked_for_where_there_is_one(game, changes, told):
    with pytest.raises(bw.SettingsError, match=told.replace("(", r"\(")) as caught:
        Sweep(game, BOT, vary="n=1,80", **changes)
    assert "\n" not in caught.value.problem


# --- the tuner ------------------------------------------------------------------------------------------


def test_rounds_of_a_game_for_one_need_no_pairs():
    assert [a_round.games for a_round in halving(3, 30, together=1)] == [5, 7]
    assert halving(2, 3, together=1)[0].games == 1
    with pytest.raises(bw.SettingsError, match="too few"):
        halving(3, 5, together=1)


def test_the_tuner_finds_the_setting_with_the_best_mean_return(tmp_path):
    file = tmp_path / "m.sqlite"
    tuner = bw.Tuner(MACHINES, BOT, vary="n=1,2,80", games=155, final=31, seed=2, concurrency=1)
    result = tuner.run(store=file)
    assert result.winner.bot == "mcts(simulations=80)"
    assert result.winner.games == 31
    assert [one.rounds for one in result.ranking] == [2, 2, 1]
    first, second = result.ranking[:2]
    assert first.cell.strength >= second.cell.strength
    assert first.cell.games == sum(a_round.games for a_round in tuner.rounds)
    again = bw.Tuner.resume(file)
    assert again.ranking == result.ranking
    assert again.winner == result.winner


def test_odd_games_to_measure_the_winner_are_for_one_player_alone():
    with pytest.raises(bw.SettingsError, match="without its partner"):
        bw.Tuner("nim", "flat(simulations={n})", vary="n=1,2", against="random", games=48, final=11)


# --- the commands and figures ---------------------------------------------------------------------------


def test_figures_show_mean_returns_in_their_own_units(kept, tmp_path):
    pytest.importorskip("matplotlib")
    from branchwise.figures.style import write
    from branchwise.figures.sweeps import drawing_of

    _, result = kept
    write(drawing_of(result), tmp_path / "lines.svg")
    text = (tmp_path / "lines.svg").read_text()
    assert "mean return" in text
    assert "score" not in text
    assert Table.read(tmp_path / "lines.csv").column("mean") == [cell.strength for cell in result.cells]
    with pytest.raises(bw.SettingsError, match="is played alone: nothing is won or lost"):
        drawing_of(result, "stacks")
    both = Sweep(DOORS, "mcts(simulations={n},c={c})", vary=["n=1,2", "c=0.5,1"], games=2, seed=1).run()
    write(drawing_of(both), tmp_path / "map.svg")
    text = (tmp_path / "map.svg").read_text()
    assert "mean return" in text
    for cell in both.cells:
        assert f">{cell.strength:.3g}<" in text or f"{cell.strength:.3g} " in text
