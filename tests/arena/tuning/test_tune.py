"""The tuner: it spends the given games, finds the best setting, and reports an unbiased score."""

import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwise as bw
from branchwise.arena.match import Match
from branchwise.arena.statistics.score import Score
from branchwise.arena.store.store import Store
from branchwise.arena.tuning.tune import Tuner, choose, halving

SKILLED = f"{Path(__file__).parents[2] / 'support/skilled.py'}:Skilled"


@given(settings=st.integers(2, 300), games=st.integers(2, 100_000))
def test_rounds_halve_the_settings_and_stay_within_the_games(settings, games):
    try:
        rounds = halving(settings, games)
    except bw.SettingsError as error:
        least = int(error.mend.split()[2].rstrip(","))
        assert games < least
        assert halving(settings, least)[0].games == 2
        return
    assert rounds[0].settings == settings
    assert rounds[-1].settings == 2
    assert all(b.settings == (a.settings + 1) // 2 for a, b in pairwise(rounds))
    assert all(one.games % 2 == 0 for one in rounds)
    assert [one.games for one in rounds] == sorted(one.games for one in rounds)
    spent = sum(one.settings * one.games for one in rounds)
    assert games - 2 * sum(one.settings for one in rounds) < spent <= games


def simulated(strengths, rounds, chance):
    """Return which of the settings is left if games are random draws."""

    def play(number, at, games):
        wins = sum(chance.random() < strengths[at] for _ in range(games))
        return Score.from_counts(wins=wins, losses=games - wins)

    return choose(len(strengths), rounds, play)


def test_the_clearly_best_setting_is_found_nearly_always():
    chance = random.Random(1)
    strengths = [0.45, 0.5, 0.4, 0.7, 0.5, 0.45, 0.3, 0.5]
    found = [simulated(strengths, halving(8, 480), chance) for _ in range(300)]
    assert found.count(3) >= 285


def test_halving_finds_the_best_more_often_than_equal_shares():
    """Sixteen settings, one slightly better: 960 games by halving, against 60 games for each."""
    chance = random.Random(2)
    strengths = [0.5] * 15 + [0.62]
    by_rounds = sum(simulated(strengths, halving(16, 960), chance) == 15 for _ in range(400))
    at_once = 0
    for _ in range(400):
        wins = [sum(chance.random() < strength for _ in range(60)) for strength in strengths]
        at_once += wins.index(max(wins)) == 15
    assert by_rounds > at_once + 40


def test_the_winners_own_games_flatter_it_and_fresh_ones_do_not():
    """Among equal settings, the one that is left has scored well above its true strength."""
    chance = random.Random(3)
    rounds = halving(16, 320)
    flattered = []
    for _ in range(300):
        made = {}

        def play(number, at, games, made=made):
            wins = sum(chance.random() < 0.5 for _ in range(games))
            made[at] = made.get(at, Score()) + Score.from_counts(wins=wins, losses=games - wins)
            return Score.from_counts(wins=wins, losses=games - wins)

        flattered.append(made[choose(16, rounds, play)].mean)
    assert sum(flattered) / len(flattered) > 0.55


def tuner(**changes):
    settings = {
        "vary": "s=0,0.2,0.4,1.0",
        "against": "random",
        "games": 64,
        "seed": 5,
        "openings": [["1"], ["2"], ["3"]],
        "concurrency": 1,
    }
    return Tuner("nim", f"{SKILLED}(skill={{s}})", **{**settings, **changes})


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    file = tmp_path_factory.mktemp("tune") / "matches.sqlite"
    return file, tuner().run(store=file)


def test_the_best_bot_is_found_and_measured_with_fresh_games(kept):
    file, result = kept
    assert result.winner.values == (1.0,)
    assert result.winner.score.games == 16
    assert [one.rounds for one in result.ranking] == [2, 2, 1, 1]
    assert [one.cell.score.games for one in result.ranking] == [18, 18, 6, 6]
    assert result.ranking[0].cell.values == (1.0,)
    with Store(file) as store:
        matches = store.matches()
        assert sum(stored.played for stored in matches) == 64
        seeds = {stored.id: stored.settings["seed"] for stored in matches}
        assert len(set(seeds.values())) == 3  # each round has its openings, the last match too
        assert list(seeds.values()).count(seeds[result.winner.match]) == 1


def test_a_tuner_that_is_complete_is_read_not_played(kept, monkeypatch):
    file, result = kept
    monkeypatch.setattr(Match, "resume", None)
    assert Tuner.resume(file) == result


def test_a_tuner_continues_to_the_same_end(kept, tmp_path):
    """The first round and half of a match of the second are stored; the rest is played."""
    file, result = kept
    copy = tmp_path / "copy.sqlite"
    with Store(file) as store:
        store._db.execute("VACUUM INTO ?", (str(copy),))
    with Store(copy) as store, store._writing() as db:
        db.execute("DELETE FROM series_matches WHERE key = '1/3' OR key = 'winner'")
        db.execute("DELETE FROM matches WHERE id > 5")
        db.execute("DELETE FROM games WHERE match = 5 AND number >= 7")
        db.execute("UPDATE matches SET ended_by = '' WHERE id = 5")
    assert Tuner.resume(copy, concurrency=1) == result


def test_a_tuner_that_is_interrupted_has_no_winner(tmp_path):
    def interrupt(state):
        raise KeyboardInterrupt

    halted = tuner(games=640).run(progress=interrupt)
    assert (halted.id, halted.ended_by, halted.winner) == (None, "interrupted", None)
    assert sum(one.rounds for one in halted.ranking) == 1
    assert len(halted.ranking) == 4


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"games": 10}, "8 games are too few to choose from 4 settings in 2 rounds"),
        ({"vary": "s=1"}, "there is nothing to choose"),
        ({"final": 3}, "final = 3 leaves a game without its partner"),
        ({"final": 0}, "final = 0 is outside its range"),
        ({"games": 0}, "games = 0 is outside its range"),
        ({"final": 60}, "4 games are too few"),
        ({"final": 64}, "final = 64 of 64 games leaves none"),
    ],
)
def test_what_cannot_be_tuned_is_refused(changes, told):
    with pytest.raises(bw.SettingsError) as caught:
        tuner(**changes)
    assert told in str(caught.value)
