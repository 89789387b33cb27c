"""Sweeps: every cell is a match, everything is stored, and stored matches are not played again."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.match import Match
from branchwise.arena.statistics.scoring import score_of
from branchwise.arena.store.store import Store
from branchwise.arena.tuning.sweep import Sweep
from branchwise.search.drivers.compiled import CompiledDriver

SKILLED = f"{Path(__file__).parents[2] / 'support/skilled.py'}:Skilled"
OPENINGS = [["1"], ["2"], ["3"]]
TEXT = f"{SKILLED}(skill={{s}},simulations={{n}})"


def small(**changes):
    settings = {
        "vary": ["s=0,1.0", "n=1,2"],
        "against": "random",
        "games": 8,
        "seed": 3,
        "openings": OPENINGS,
        "concurrency": 1,
    }
    return Sweep("nim", TEXT, **{**settings, **changes})


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A file with a sweep, and the sweep's result."""
    file = tmp_path_factory.mktemp("sweep") / "matches.sqlite"
    told = []
    result = small().run(store=file, progress=lambda state: told.append((state.done, state.cells)))
    assert {cells for _, cells in told} == {4}
    assert told == sorted(told)
    return file, result


def copy_of(file, folder):
    copy = folder / "copy.sqlite"
    with Store(file) as store:
        store._db.execute("VACUUM INTO ?", (str(copy),))
    return copy


def test_cells_come_in_the_order_of_the_grid(kept):
    _, result = kept
    assert [cell.values for cell in result.cells] == [(0, 1), (0, 2), (1.0, 1), (1.0, 2)]
    assert result.cells[2].bot == TEXT.format(s="1.0", n="1")
    assert all(cell.complete and cell.score.games == 8 for cell in result.cells)
    assert result.ended_by == "games"


def test_a_cell_is_the_match_of_its_bots(kept):
    file, result = kept
    with Store(file) as store:
        for cell in result.cells:
            stored = store.match(cell.match)
            assert (stored.bots, stored.state) == ((cell.bot, "random"), "complete")
            records = store.games(cell.match)
            assert score_of(records, 0) == cell.score
            assert cell.score.points == sum(record.points()[0] for record in records)
            assert len(cell.score.pairs) == 5
            assert sum(cell.score.pairs) == 4
    alone = Match("nim", [result.cells[2].bot, "random"], games=8, seed=3, openings=OPENINGS)
    assert score_of(alone.run().records, 0) == result.cells[2].score


def test_all_cells_have_the_same_openings(kept):
    file, result = kept
    with Store(file) as store:
        openings = {tuple(r.plan.opening for r in store.games(cell.match)) for cell in result.cells}
    assert len(openings) == 1


def test_what_does_not_matter_changes_nothing_and_what_matters_does(kept):
    _, result = kept
    unskilled, again, skilled, skilled_again = (cell.score for cell in result.cells)
    assert unskilled == again
    assert skilled == skilled_again
    assert skilled.mean > unskilled.mean


def test_a_complete_sweep_is_read_not_played(kept, tmp_path, monkeypatch):
    file, result = kept
    monkeypatch.setattr(Match, "resume", None)
    monkeypatch.setattr(Match, "run", None)
    assert Sweep.resume(file) == result
    assert Sweep.resume(file, result.id) == result


def test_a_sweep_continues_where_it_was_interrupted(kept, tmp_path):
    """Cell 0 is complete, cell 1 lacks three games, and the others have not begun."""
    file, result = kept
    copy = copy_of(file, tmp_path)
    second = result.cells[1].match
    with Store(copy) as store, store._writing() as db:
        db.execute("DELETE FROM games WHERE match = ? AND number >= 5", (second,))
        db.execute("UPDATE matches SET ended_by = '' WHERE id = ?", (second,))
        db.execute("DELETE FROM series_matches WHERE key >= '2'")
        db.execute("DELETE FROM matches WHERE id > ?", (second,))
    with Store(copy) as store:
        before = {(m.id, r.number): r for m in store.matches() for r in store.games(m.id)}
        assert len(before) == 13
    again = Sweep.resume(copy, concurrency=1)
    assert [cell.score for cell in again.cells] == [cell.score for cell in result.cells]
    with Store(copy) as store:
        after = {(m.id, r.number): r for m in store.matches() for r in store.games(m.id)}
    assert len(after) == 32
    assert all(after[key] == record for key, record in before.items())


KILLED = """
import sys
from branchwise.arena.tuning.sweep import Sweep
from branchwise.search.drivers.compiled import CompiledDriver
if __name__ == "__main__":
    Sweep("nim", sys.argv[1], vary=["s=0,0.5"], against="random", games=60, seed=3, concurrency=1,
          openings=[["1"], ["2"], ["3"]]).run(store=sys.argv[2])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="matches of the dead are told by /proc")
def test_a_sweep_that_was_killed_is_resumed_with_the_same_games(tmp_path):
    script, file = tmp_path / "killed.py", tmp_path / "m.sqlite"
    script.write_text(KILLED)
    bot = f"{SKILLED}(skill={{s}})"
    process = subprocess.Popen([sys.executable, str(script), bot, str(file)])
    played = 0
    while played < 70 and process.poll() is None:  # in the second match
        time.sleep(0.02)
        if file.exists():
            with Store(file) as store:
                played = sum(stored.played for stored in store.matches())
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert played < 120, "the sweep was over before it could be killed"
    resumed = Sweep.resume(file, concurrency=1)
    whole = Sweep(
        "nim", bot, vary=["s=0,0.5"], against="random", games=60, seed=3, openings=OPENINGS, concurrency=1
    ).run()
    assert [cell.score for cell in resumed.cells] == [cell.score for cell in whole.cells]


def test_ctrl_c_in_a_search_for_openings_ends_the_sweep_and_leaves_them_as_they_are(monkeypatch, tmp_path):
    """An interrupted search returns its result so far; the sweep must not use it."""
    sweep = small(openings=None, openings_depth=2)
    run, presses = CompiledDriver.run, []

    def interrupted(self, simulations):
        status = run(self, simulations)
        if simulations and not presses:
            presses.append(1)
            signal.raise_signal(signal.SIGINT)
        return status

    monkeypatch.setattr(CompiledDriver, "run", interrupted)
    file = tmp_path / "m.sqlite"
    assert sweep.run(store=file).ended_by == "interrupted"
    assert presses
    with Store(file) as store:
        assert [stored.played for stored in store.matches()] == [0]


def test_an_interrupted_sweep_says_so_and_keeps_what_it_has(tmp_path):
    def interrupt(state):
        if state.done == 1:
            raise KeyboardInterrupt

    result = small(games=200).run(store=tmp_path / "m.sqlite", progress=interrupt)
    assert result.ended_by == "interrupted"
    first, second, third, fourth = result.cells
    assert first.complete
    assert not second.complete
    assert second.score.games < 200
    assert (third.score.games, fourth.elo, third.match) == (0, None, None)
    assert result.table()[3]["score"] is None
    assert "no games" in str(result)


def test_the_table_says_what_the_cells_say(kept):
    _, result = kept
    for line, cell in zip(result.table(), result.cells, strict=True):
        assert (line["s"], line["n"]) == cell.values
        assert line["wins"] + line["draws"] + line["losses"] == line["games"] == 8
        assert line["score"] == cell.score.mean
        assert (line["low"], line["high"]) == cell.score.interval()
        assert line["elo"] == cell.elo.value
    assert str(result).splitlines()[0].split() == ["s", "n", "score", "Elo"]


def test_settings_survive_json():
    sweep = small(openings=[["3"], ["1", "2"]], seconds=0.5)
    again = Sweep.from_settings(json.loads(json.dumps(sweep.settings())))
    assert again.settings() == sweep.settings()
    assert again.cells == sweep.cells


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"vary": []}, "nothing is varied"),
        ({"vary": ["s=0,1"]}, 'no varied name "n"'),
        ({"vary": ["s=0,1", "n=1,2", "m=1,2"]}, "m is varied, but no bot has {m}"),
        ({"vary": ["s=0,1", "n=1:1000:1000", "s=1"]}, "s is varied twice"),
        ({"games": 7}, "7 games leave one without its partner"),
        ({"games": 0}, "games = 0 is outside its range"),
        ({"against": "rndom"}, 'did you mean "random"'),
        ({"vary": ["s=0,word", "n=1,2"], "against": "mcts(simulations={n},c={s})"}, "c = 'word'"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is(changes, told):
    with pytest.raises(bw.BranchwiseError) as caught:
        small(**changes)
    assert told in str(caught.value)


def test_games_of_three_are_refused():
    race = f"{Path(__file__).parents[2] / 'support/rules.py'}:Race"
    with pytest.raises(bw.SettingsError, match="has 3 players"):
        Sweep(race, "flat(simulations={n})", vary="n=1,2", against="random", games=2)


def test_a_store_without_that_sweep_is_reported(kept, tmp_path):
    file, result = kept
    with pytest.raises(bw.StoreError, match="has no sweep 99"):
        Sweep.resume(file, 99)
    with Store(tmp_path / "empty.sqlite"):
        pass
    with pytest.raises(bw.StoreError, match="has no sweep"):
        Sweep.resume(tmp_path / "empty.sqlite")
    with pytest.raises(bw.StoreError, match=f"number {result.id} in .* is no tune"):
        bw.Tuner.resume(file, result.id)
