"""Tuning a game: a better setting is found, equal ones do not pass, and an interruption changes nothing."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.statistics.means import Returns
from branchwise.arena.statistics.score import Score
from branchwise.arena.store.store import Store
from branchwise.arena.tournament import Tournament
from branchwise.arena.tuning import for_game
from branchwise.arena.tuning.for_game import CONFIRMATION, Tuning, _Run
from branchwise.arena.tuning.series import Series

SUPPORT = Path(__file__).parents[2] / "support"
TAUGHT = f"{SUPPORT / 'tunable.py'}:Taught"
MACHINES = f"{SUPPORT / 'simulators.py'}:Machines"


def tuning(game=TAUGHT, **changes):
    settings = {"simulations": 12, "games": 120, "final": 40, "candidates": 8, "seed": 3, "concurrency": 1}
    return Tuning(game, **{**settings, **changes})


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    file = tmp_path_factory.mktemp("tune") / "matches.sqlite"
    return file, tuning().run(store=file)


# --- what is found ----------------------------------------------------------------------------------


def test_a_setting_that_is_much_better_is_found_and_confirmed_in_new_games(kept):
    _, result = kept
    tuned = result.tuned
    assert tuned.found["playout"] == "game"
    assert tuned.confirmed
    assert tuned.low > 50
    assert tuned.settings == result.final.settings == tuned.found
    assert (tuned.games, result.final.games, tuned.unit) == (40, 40, "elo")
    assert tuned.game == "taught"
    assert bw.TunedSettings.from_json(tuned.to_json()) == tuned
    assert tuned.command == (
        f"branchwise tune {TAUGHT} --simulations 12 --candidates 8 --games 120 --final 40 --seed 3"
    )


def test_the_games_of_the_races_are_spent_and_those_that_measure_are_apart(kept):
    file, result = kept
    first, second = result.races
    assert len(first) == 8
    assert len(second) == 3  # a space of 8: no variant is new, and the best of the first is the opponent
    assert [one.rounds for one in second] == [2, 2, 1]
    assert sum(one.games for race in result.races for one in race) <= 80
    with Store(file) as store:
        stored = store.matches()
        assert [one.kind for one in stored] == ["tournament"] * 4
        assert len({one.settings["seed"] for one in stored}) == 4
        assert store.in_series() == {one.id for one in stored}
        openings = [{game.plan.opening for game in store.games(one.id)} for one in stored]
    assert not openings[0] == openings[1] == openings[2]


def test_candidates_meet_the_defaults_only_from_the_same_openings(kept):
    file, _ = kept
    with Store(file) as store:
        first = store.match(1)
        games = store.games(1, moves=False)
    assert first.bots[0] == "mcts(simulations=12)"
    assert all(0 in game.plan.seating for game in games)
    by_bot = {}
    for game in games:
        by_bot.setdefault(max(game.plan.seating), []).append(game.plan.opening)
    assert len(by_bot) == 8
    assert len({tuple(sorted(openings)) for openings in by_bot.values()}) == 1


def fake_runs(monkeypatch, strengths, runs, *, games=400, final=120):
    """Tunings whose games are random draws.

    strengths : of the candidates by number, as chances to win against the defaults; 0.5 unless told.
    """
    plan = Tuning("nim", games=games, final=final, candidates=16, simulations=10, seed=1)
    known = {one: strengths.get(number, 0.5) for number, one in enumerate(plan._first)}
    chance = random.Random(1)

    def odds(one):
        strength = min(known.get(one, 0.5), 1.0 - 1e-12)
        return strength / (1.0 - strength)

    def played(self, candidates, games, key, words, rival=None):
        found = []
        for one in candidates:
            strength = odds(one) / (odds(one) + odds(rival))
            pairs = [tuple(float(chance.random() < strength) for _ in range(2)) for _ in range(games // 2)]
            found.append((Score.from_results(pairs=pairs), Returns()))
        return found

    monkeypatch.setattr(_Run, "_played", played)
    return plan, [plan._play(Series(None, None), None) for _ in range(runs)]


def test_equal_settings_pass_no_more_often_than_stated(monkeypatch):
    """At most one in 40; six hundred tunings among equal candidates."""
    _, results = fake_runs(monkeypatch, {}, 600)
    passed = sum(result.tuned.confirmed for result in results)
    assert 3 <= passed <= 27  # 15 expected; three standard deviations either way
    flattered = sum(result.races[1][0].mean for result in results) / len(results)
    honest = sum(result.final.mean for result in results) / len(results)
    assert flattered > 0.57
    assert abs(honest - 0.5) < 0.005


def test_one_better_setting_among_many_is_found_and_confirmed(monkeypatch):
    plan, results = fake_runs(monkeypatch, {5: 0.75}, 150, games=900, final=300)
    planted = plan.space.settings(plan._first[5])
    right = sum(result.tuned.confirmed and result.final.settings == planted for result in results)
    assert right >= 130


def test_the_best_of_those_that_win_nearly_all_games_is_found(monkeypatch):
    """Against the defaults 96 % and 99 % look alike; against each other the better one wins four in five."""
    strengths = {2: 0.96, 5: 0.99, 9: 0.96, 12: 0.96}
    plan, results = fake_runs(monkeypatch, strengths, 100)
    best = plan.space.settings(plan._first[5])
    assert sum(result.final.settings == best for result in results) >= 85
    for result in results:
        first, second = result.races
        rivals = [one.rival for one in second]
        assert max(first, key=lambda one: (one.rounds, one.mean)).settings in rivals
        assert all(one.rival and one.rival != one.settings for one in second)
        assert all(one.rival == {} for one in (*first, result.final))


def test_who_beats_the_rival_clearly_is_the_next_rival(monkeypatch):
    """Each of three is far stronger than the one before, so that one opponent cannot tell them apart."""
    strengths = {2: 0.98, 5: 1 - 0.02**2, 9: 1 - 0.02**3, 12: 1 - 0.02**4}
    plan, results = fake_runs(monkeypatch, strengths, 100, games=900, final=300)
    strong = [plan.space.settings(plan._first[number]) for number in strengths]
    assert sum(result.final.settings == strong[-1] for result in results) >= 95
    seen = [one.rival for result in results for one in result.races[1]]
    assert all(settings in seen for settings in strong)


def test_what_is_not_better_leaves_the_defaults(monkeypatch):
    _, results = fake_runs(monkeypatch, dict.fromkeys(range(16), 0.3), 5)
    for result in results:
        assert result.tuned.settings == {}
        assert result.tuned.found


def test_a_winner_of_all_games_is_confirmed_without_a_finite_figure(monkeypatch):
    _, (result,) = fake_runs(monkeypatch, dict.fromkeys(range(16), 1.0), 1)
    if result.final.score.losses == 0:
        assert (result.tuned.gain, result.tuned.high) == (None, None)
    assert result.tuned.confirmed
    assert bw.TunedSettings.from_json(result.tuned.to_json()) == result.tuned


# --- interruptions ----------------------------------------------------------------------------------


def test_a_complete_tuning_is_read_not_played(kept, monkeypatch):
    file, result = kept
    monkeypatch.setattr(Tournament, "resume", None)
    monkeypatch.setattr(Tournament, "run", None)
    assert Tuning.resume(file) == result


@pytest.mark.parametrize(("last", "left"), [(1, 5), (4, 7)])
def test_a_tuning_continues_to_the_same_end(kept, tmp_path, last, left):
    """The tournaments before number `last` are stored, and `left` games of it; the rest is played."""
    file, result = kept
    copy = tmp_path / "copy.sqlite"
    with Store(file) as store:
        store._db.execute("VACUUM INTO ?", (str(copy),))
    with Store(copy) as store, store._writing() as db:
        db.execute("DELETE FROM series_matches WHERE match > ?", (last,))
        db.execute("DELETE FROM matches WHERE id > ?", (last,))
        db.execute("DELETE FROM games WHERE match = ? AND number >= ?", (last, left))
        db.execute("UPDATE matches SET ended_by = '' WHERE id = ?", (last,))
    again = Tuning.resume(copy, concurrency=1)
    assert comparable(again) == comparable(result)


def comparable(result):
    """Return a result without its times."""
    return replace(result, tuned=replace(result.tuned, seconds=0.0))


def test_a_tuning_that_is_interrupted_has_no_settings(tmp_path):
    def interrupt(state):
        if state.standing is not None:
            raise KeyboardInterrupt

    halted = tuning().run(progress=interrupt)
    assert (halted.id, halted.ended_by, halted.tuned, halted.final) == (None, "interrupted", None, None)
    assert [len(race) for race in halted.races] == [8]


class Counted:
    """Stands for measured speeds, different each time."""

    made = 0

    def __init__(self, *_):
        pass

    def of_defaults(self):
        Counted.made += 1
        return 24_000.0 + Counted.made

    def ratio(self, settings):
        Counted.made += 1
        return 1.0 + Counted.made / 8


def test_speeds_are_measured_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(for_game, "Speeds", Counted)
    file = tmp_path / "m.sqlite"
    result = tuning(simulations=None, seconds=0.001, games=60, final=10).run(store=file)
    assert result.of_defaults == 24
    counts = {str(one): one.simulations for race in result.races for one in race}
    assert len(set(counts.values())) == len(counts) == 8
    assert all(count > 24 for count in counts.values())
    made = Counted.made
    assert made == 9
    with Store(file) as store, store._writing() as db:  # the last match is lost
        db.execute("DELETE FROM series_matches WHERE key = ?", (CONFIRMATION,))
        db.execute("DELETE FROM matches WHERE id = (SELECT max(id) FROM matches)")
    again = Tuning.resume(file, concurrency=1)
    assert comparable(again) == comparable(result)
    assert Counted.made == made


def test_speeds_are_measured_once_without_a_store_too(monkeypatch):
    monkeypatch.setattr(for_game, "Speeds", Counted)
    monkeypatch.setattr(_Run, "_played", lambda self, candidates, *_: [(WON, Returns()) for _ in candidates])
    before = Counted.made
    result = tuning(simulations=None, seconds=0.001, games=60, final=10).run()
    assert Counted.made - before == 1 + 8
    assert result.of_defaults == round((24_000 + before + 1) / 1000)


WON = Score.from_counts(wins=3, losses=1)


def test_a_speed_that_cannot_be_measured_is_no_silent_guess(monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(for_game.Speeds, "of_defaults", interrupted)
    halted = tuning(simulations=None, seconds=0.001, games=60, final=10).run()
    assert (halted.ended_by, halted.of_defaults, halted.tuned) == ("interrupted", 0, None)


def test_another_tournament_under_a_key_is_refused(kept, tmp_path):
    file, _ = kept
    copy = tmp_path / "copy.sqlite"
    with Store(file) as store:
        store._db.execute("VACUUM INTO ?", (str(copy),))
    with Store(copy) as store, store._writing() as db:
        db.execute("UPDATE series_matches SET match = 2 WHERE key = '0/0'")
    with pytest.raises(bw.StoreError, match="is not the one that should be played now"):
        Tuning.resume(copy, concurrency=1)


def test_a_tuner_and_a_tuning_are_told_apart(kept, tmp_path):
    file, _ = kept
    with pytest.raises(bw.StoreError, match=r"number 1 in .* is no tune") as told:
        bw.Tuner.resume(file, 1)
    assert told.value.mend == "branchwise tune"
    with pytest.raises(bw.StoreError, match="has no tuning"):
        Tuning.resume(file, 7)


@pytest.mark.slow
def test_a_process_that_is_killed_loses_only_games_in_progress(tmp_path):
    """Killed at three places, then resumed: the same settings and the same file."""
    words = [*("nim", "--vary", "c=0.1,0.3,1.5,3", "--simulations", "40", "--games", "120", "--final", "30")]
    words += ["--candidates", "4", "--seed", "2", "-j", "1"]

    def command(*more):
        return [sys.executable, "-m", "branchwise", "tune", *more]

    whole = tmp_path / "whole.json"
    subprocess.run(command(*words, "--store", str(tmp_path / "whole.sqlite"), "-o", str(whole)), check=True)
    file, out = tmp_path / "killed.sqlite", tmp_path / "killed.json"
    started = command(*words, "--store", str(file), "-o", str(out))
    for least in (5, 40, 90):
        with subprocess.Popen(started, stdout=subprocess.PIPE, start_new_session=True) as playing:
            while playing.poll() is None and games_in(file) < least:
                time.sleep(0.05)
            if playing.poll() is None:
                os.killpg(playing.pid, signal.SIGKILL)
        started = command("--resume", "--store", str(file), "-o", str(out), "-j", "1")
    subprocess.run(started, check=True)
    found, expected = (json.loads(one.read_text()) for one in (out, whole))
    assert {**found, "seconds": 0} == {**expected, "seconds": 0}


def games_in(file):
    if not file.exists():
        return 0
    try:
        with Store(file) as store:
            return sum(one.played for one in store.matches())
    except bw.StoreError:
        return 0


# --- one player -------------------------------------------------------------------------------------


def test_a_problem_is_tuned_by_mean_returns_from_the_same_starts(tmp_path):
    """One simulation of depth one says nothing; thirty find the best machine."""
    space = {"max_depth": [1, 2], "c": [0.3]}
    result = tuning(MACHINES, space=space, games=60, final=21, candidates=4, simulations=30).run()
    tuned = result.tuned
    assert (tuned.unit, tuned.games) == ("return", 21)
    gaps = result.final.gaps
    assert gaps.games == 21
    assert tuned.gain == pytest.approx(gaps.mean, rel=1e-5, abs=1e-9)
    assert tuned.low < tuned.gain < tuned.high
    assert tuned.confirmed == (tuned.low > 0)
    assert bw.TunedSettings.from_json(tuned.to_json()) == tuned


# --- what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"games": 10, "final": 2}, "10 games are too few for 8 candidates"),
        ({"final": 3}, "final = 3 leaves a game without its partner"),
        ({"final": 120}, "final = 120 of 120 games leaves none"),
        ({"final": 1}, "final = 1 is outside its range"),
        ({"games": 0}, "games = 0 is outside its range"),
        ({"candidates": 0}, "candidates = 0 is outside its range"),
        ({"seconds": 0.1}, "either in simulations or in seconds"),
        ({"simulations": None, "seconds": 0.0}, "seconds = 0.0 is outside its range"),
        ({"simulations": 0}, "simulations = 0 is outside its range"),
        ({"space": {"colour": ["red"]}}, 'no setting "colour"'),
        ({"openings_depth": -1}, "openings_depth = -1 is outside its range"),
        ({"game": "conect_four"}, 'did you mean "connect_four"'),
        ({"game": "chinese_checkers(players=3)"}, "has 3 players; settings are compared in games of two"),
        (
            {"game": "rock_paper_scissors"},
            "move at once; settings are compared in games whose players move in",
        ),
        ({"game": f"{SUPPORT / 'tunable.py'}:Partners"}, "partners get the same return"),
    ],
)
def test_what_cannot_be_tuned_is_refused(changes, told):
    with pytest.raises(bw.BranchwiseError) as caught:
        tuning(**changes)
    assert told in str(caught.value)


def test_settings_survive_json():
    for one in (tuning(), tuning("nim", space=["c=0.2,0.4", "cutoff=none", "proofs=false"])):
        again = Tuning.from_settings(json.loads(json.dumps(one.settings())))
        assert again.settings() == one.settings()
        assert again.command == one.command
        assert again._first == one._first
