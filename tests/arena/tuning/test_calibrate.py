"""Measuring levels: the curve of strength, equal steps along it, and whole calibrations of a tiny game."""

import json
import math
import random
import sqlite3
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import branchwise as bw
from branchwise.arena.store.store import Store
from branchwise.arena.tuning.calibrate import Calibration
from branchwise.arena.tuning.strength_curve import (
    Difference,
    Setting,
    SettingPath,
    Strength,
    equal_steps,
    first_settings,
)
from branchwise.bots.strength.levels_file import LEVELS
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.networks.network_file import save_network
from support.nets import random_network

RACE = f"{Path(__file__).parents[2] / 'support/rules.py'}:Race"
PATH = SettingPath(10_000)


def measured(curve, error=1.0, noise=0.0):
    source = random.Random(1)
    return [
        Difference(a, b, curve(PATH.position(b)) - curve(PATH.position(a)) + source.gauss(0, noise), error)
        for a, b in pairwise(first_settings(PATH))
    ]


def saturating(position):
    """300 Elo until no move is random, then 500 more from simulations, with diminishing gains."""
    return 300 * min(position, 1) ** 2 + 500 * (1 - (1 - max(position - 1, 0)) ** 2)


# --- settings and the curve -------------------------------------------------------------------------


@pytest.mark.parametrize("most", [32, 33, 100, 10_000, 10_000_000])
def test_first_settings_grow_from_mostly_random_to_the_most_simulations(most):
    found = first_settings(SettingPath(most))
    assert all(one < other for one, other in pairwise(found))
    assert found[0] == Setting(0.25, 32)
    assert found[-1] == Setting(1.0, most)
    for one, other in pairwise(found):
        assert one.skill < other.skill or other.simulations / one.simulations < 3.1


def test_a_setting_says_what_its_bot_is():
    for setting in first_settings(SettingPath(1000)):
        bot = bw.load_bot(setting.bot)
        given = bot.options()
        assert given["simulations"] == setting.simulations
        assert (given["random_moves"] or 0) == pytest.approx(1 - setting.skill)
        assert bot.keeps_proofs == (setting.skill == 1)


@given(st.floats(0, 2))
def test_a_position_is_where_its_setting_is_up_to_round_numbers(position):
    assert PATH.position(PATH.at(position)) == pytest.approx(position, abs=0.005)


def test_the_curve_goes_through_what_it_can_go_through():
    strength = Strength(PATH, measured(saturating))
    for position in (0.0, 0.3, 0.77, 1.0, 1.2, 1.9, 2.0):
        assert strength(position) == pytest.approx(saturating(position), abs=0.5)
        if position:
            assert strength(strength.position_of(saturating(position))) == pytest.approx(
                saturating(position), abs=0.5
            )


@settings(max_examples=40)
@given(st.lists(st.floats(-300, 300), min_size=13, max_size=13))
def test_the_curve_never_falls_whatever_was_measured(found):
    settings = first_settings(PATH)
    differences = [Difference(a, b, elo, 40.0) for (a, b), elo in zip(pairwise(settings), found, strict=True)]
    strength = Strength(PATH, differences)
    heights = [strength(position / 50) for position in range(101)]
    assert heights[0] == 0
    assert all(one <= other + 1e-9 for one, other in pairwise(heights))


def test_steps_are_equal_though_what_was_measured_is_not_exact():
    levels, step = equal_steps(Strength(PATH, measured(saturating, 15.0, 15.0)), PATH, LEVELS)
    assert len(levels) == LEVELS
    assert all(one < other for one, other in pairwise(levels))
    assert step == pytest.approx(800 / 9, abs=15)
    true = [saturating(PATH.position(level)) for level in levels]
    assert all(other - one == pytest.approx(800 / 9, abs=45) for one, other in pairwise(true))


def test_settings_that_do_not_differ_are_no_levels():
    with pytest.raises(bw.ResultsError, match="too little for 10 levels"):
        equal_steps(Strength(PATH, measured(lambda _: 0.0)), PATH, LEVELS)


# --- whole calibrations -----------------------------------------------------------------------------


def calibration(**options):
    return Calibration("nim", **{"most": 64, "games": 6, "rounds": 1, "seed": 2, "concurrency": 1, **options})


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("store") / "matches.sqlite"


@pytest.fixture(scope="module")
def ladder(file):
    return calibration().run(store=file)


def settings_of(ladder):
    bots = [bw.load_bot(level.bot).options() for level in ladder.levels]
    return [(-(bot["random_moves"] or 0), bot["simulations"]) for bot in bots]


def test_a_calibration_gives_ten_levels_that_grow(ladder, file):
    assert len(ladder.levels) == LEVELS
    assert all(one < other for one, other in pairwise(settings_of(ladder)))
    assert (ladder.game, ladder.games, ladder.step > 0) == ("nim", 6, True)
    assert ladder.command == "branchwise calibrate nim --most 64 --games 6 --rounds 1 --seed 2"
    with Store(file) as store:
        kept = store.matches()
    assert [stored.settings["format"] for stored in kept] == ["chain"] * 2
    assert len({stored.settings["seed"] for stored in kept}) == 2  # each round has its own games


def test_figures_are_those_of_the_last_round_alone(ladder, file):
    with Store(file) as store:
        last = store.matches()[0]
        games = store.games(last.id, moves=False)
    assert list(last.bots) == ["random", *(level.bot for level in ladder.levels)]
    from branchwise.arena.tournament_result import TournamentResult

    ratings = TournamentResult.of_stored(last, games).ratings(anchor=("random", 0.0))
    top = ratings[ladder[10].bot]
    assert (ladder[10].elo, ladder[10].low, ladder[10].high) == (
        round(top.elo, 1),
        round(top.low, 1),
        round(top.high, 1),
    )
    for before, level in pairwise(ladder.levels):
        assert level.above == pytest.approx(level.elo - before.elo, abs=0.11)
        assert level.above_low < level.above < level.above_high
    assert math.isclose(ladder[1].above, ladder[1].elo)


def test_one_that_was_interrupted_continues_to_the_same_levels(ladder, file, tmp_path):
    store = tmp_path / "matches.sqlite"
    with sqlite3.connect(file) as source, sqlite3.connect(store) as db:
        source.backup(db)
        last = db.execute("SELECT max(id) FROM matches").fetchone()[0]
        db.execute("DELETE FROM moves WHERE match = ? AND game >= 50", (last,))
        db.execute("DELETE FROM games WHERE match = ? AND number >= 50", (last,))
        db.execute("UPDATE matches SET ended_by = '' WHERE id = ?", (last,))
    seen = []

    def enough(words, standing):
        seen.append(words)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        calibration().run(store=store, progress=enough)
    assert seen == ["levels, round 1 of 1"]
    assert calibration().run(store=store).levels == ladder.levels
    with Store(store) as kept:
        assert [stored.ended_by for stored in kept.matches()] == ["games"] * 2


def test_one_that_is_complete_plays_nothing_again(ladder, file):
    assert calibration().run(store=file, progress=lambda *_: pytest.fail("it plays")) == ladder


def test_levels_of_a_bot_with_a_network(tmp_path):
    file = save_network(random_network(TicTacToe), tmp_path / "t.bwnet")
    bot = f"mcts(network='{file}')"
    options = {"most": 32, "games": 6, "rounds": 1, "concurrency": 1}
    with_network = Calibration("tic_tac_toe", bot=bot, **options)
    assert with_network.command.endswith(f' --bot "{bot}"')
    ladder = with_network.run()
    assert ladder[1].bot == f"mcts(simulations=32,network='{file}',random_moves=0.75)"
    (tmp_path / "levels.json").write_text(ladder.to_json())
    level = bw.level_bot(TicTacToe, 10, file=tmp_path / "levels.json", seed=1)
    assert level.choose(TicTacToe()) in range(9)
    for wrong, told in (
        ("mcts(simulations=5)", "has simulations of its own"),
        (f"mcts(network='{file}2')", "there is no network"),
        ("random", "simulations"),
    ):
        with pytest.raises(bw.BranchwiseError, match=told):
            Calibration("tic_tac_toe", bot=wrong, **options)


def test_three_players_who_cannot_be_told_apart_have_no_levels():
    """A race of three in which the winner is decided by the player before."""
    calibration = Calibration(RACE, most=32, games=12, rounds=1, concurrency=1)
    assert f"branchwise calibrate {RACE} " in calibration.command
    with pytest.raises(bw.ResultsError, match="Elo above the weakest: too little for 10 levels"):
        calibration.run()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"most": 31}, "most = 31 is outside its range"),
        ({"rounds": 0}, "rounds = 0"),
        ({"games": 3}, "leave the seats uneven"),
        ({"openings_depth": -1}, "openings_depth = -1"),
        ({"concurrency": 0}, "concurrency = 0"),
        ({"seed": 1.5}, "seed = 1.5 is not a whole number"),
        ({"most": "many"}, "most = 'many' is not a whole number"),
    ],
)
def test_settings_that_make_no_sense_are_reported_at_once(options, told):
    with pytest.raises(bw.SettingsError, match=told):
        calibration(**options)


def test_the_file_of_levels_is_plain_json(ladder):
    content = json.loads(ladder.to_json())
    assert content["levels"][0]["bot"] == "mcts(simulations=32,random_moves=0.75)"
    assert bw.Ladder.from_json(ladder.to_json()) == ladder


@pytest.mark.parametrize(
    ("game", "bot"),
    [
        ("phantom_tic_tac_toe", "ismcts(simulations=32"),
        ("goofspiel(num_cards=4)", "mcts(simulations=32,joint='regret_matching'"),
    ],
    ids=["hidden", "joint"],
)
def test_players_who_do_not_see_everything_or_move_at_once_have_levels(game, bot):
    found = Calibration(game, most=32, games=6, rounds=1, seed=1, concurrency=1).run()
    assert all(level.bot.startswith(bot) for level in found.levels)
    assert found.openings_depth == 0
    assert "random_moves=0.75" in found[1].bot
    assert "random_moves" not in found[10].bot


@pytest.mark.parametrize(("game", "bot"), [("frozen_lake", "mcts"), ("tiger", "pomcp")])
def test_who_plays_alone_has_no_levels_and_is_told_what_to_do_instead(game, bot):
    for measure in (Calibration, bw.load_ladder):
        with pytest.raises(bw.SettingsError, match="played alone, so it has no levels") as told:
            measure(game)
        assert told.value.mend == (
            f'branchwise run "{game}" --bot "{bot}(simulations=100)" --bot "{bot}(simulations=1000)" '
            "compares returns"
        )
