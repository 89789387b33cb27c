"""Levels: those that come with the games, what is refused, and the bot that plays as one."""

import json
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.bots.strength.levels_file import LEVELS, ladder_places
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.rules.measured_files.digest import rules_digest
from support.rules import Race
from support.shipped import WITH_LEVELS

MEASURED = WITH_LEVELS


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The folder of a user's own levels."""
    monkeypatch.setenv("BRANCHWISE_LEVELS", str(tmp_path / "own"))
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


# --- those that come with the games -----------------------------------------------------------------


@pytest.mark.parametrize("game", MEASURED)
def test_the_levels_of_a_game_grow_and_say_how_they_were_measured(game):
    ladder = bw.load_ladder(game)
    bots = [bw.load_bot(level.bot, seed=1) for level in ladder.levels]
    settings = [(-(bot.options()["random_moves"] or 0), bot.options()["simulations"]) for bot in bots]
    assert len(settings) == LEVELS
    assert all(one < other for one, other in pairwise(settings))
    for level in ladder.levels:
        assert level.low < level.elo < level.high
        assert level.above_low < level.above < level.above_high
        assert bw.load_bot(level.bot).options()["seconds"] is None  # the same on every machine
    assert ladder.command.startswith(f"branchwise calibrate {game} --most ")
    assert f"--games {ladder.games} " in ladder.command
    assert f"simulations={ladder.command.split('--most ')[1].split()[0]}" in ladder[10].bot


@pytest.mark.parametrize("game", MEASURED)
def test_the_levels_of_a_game_are_far_apart_from_end_to_end(game):
    ladder = bw.load_ladder(game)
    assert ladder[10].low > ladder[1].elo > 0
    hits = [level.above_low <= ladder.step <= level.above_high for level in ladder.levels[1:]]
    assert sum(hits) >= 6  # each of nine intervals of 95 % may miss


@pytest.mark.parametrize("game", MEASURED)
def test_levels_are_files_of_the_package(game):
    text = (files("branchwise.games") / "levels" / f"{game}.json").read_text(encoding="utf-8")
    assert bw.Ladder.from_json(text) == bw.load_ladder(game)
    assert bw.Ladder.from_json(text).to_json() == text


# --- where they are looked for ----------------------------------------------------------------------


def test_levels_of_ones_own_come_first(own):
    ladder = bw.load_ladder("nim")
    (own / "nim.json").write_text(replace(ladder, step=1.0).to_json())
    assert bw.load_ladder("nim").step == 1.0
    assert bw.load_ladder("nim", ladder_places(Nim)[1]) == ladder


def test_a_game_in_a_file_has_its_levels_beside_it(tmp_path):
    file = tmp_path / "taking.py"
    nim = Path(ladder_places(Nim)[1]).parents[1] / "nim.py"
    file.write_text(nim.read_text().replace("class Nim(", "class Taking("))
    game = bw.load_game(f"{file}:Taking")
    with pytest.raises(bw.SettingsError, match="levels of taking have not been measured") as told:
        bw.load_ladder(game)
    assert told.value.mend == f'branchwise calibrate "{file}:Taking"'
    place = tmp_path / "levels" / "taking.json"
    assert ladder_places(game) == [place]
    place.parent.mkdir()
    ladder = replace(bw.load_ladder("nim"), game="taking")
    place.write_text(ladder.to_json())
    assert bw.load_ladder(game) == ladder
    assert repr(bw.level_bot(f"{file}:Taking", 3)) == "level(level=3)"


def test_a_variant_does_not_have_the_levels_of_its_game():
    with pytest.raises(
        bw.SettingsError, match=r"levels of mnk.rows=9. have not been measured; those of mnk"
    ) as e:
        bw.level_bot("mnk(rows=9)", 3)
    assert e.value.mend == 'branchwise calibrate "mnk(rows=9)"'
    with pytest.raises(bw.SettingsError, match="levels of nim, not of mnk"):
        bw.level_bot("mnk(rows=9)", 3, file=ladder_places(Nim)[1])


def test_levels_of_rules_that_have_changed_are_refused(own):
    ladder = replace(bw.load_ladder("nim"), rules="0" * 16)
    (own / "nim.json").write_text(ladder.to_json())
    with pytest.raises(bw.SettingsError, match="rules of nim have changed since its levels were measured"):
        bw.level_bot("nim", 3)


def test_the_digest_tells_rules_apart_and_not_their_names():
    class Other(Nim):
        """The same rules."""

    class Less(Nim):
        def returns(self):
            return (-0.5, 0.5) if self.mover == 0 else (0.5, -0.5)

    assert rules_digest(Nim) == rules_digest(Other)
    games = [
        Nim,
        Less,
        Race,
        ConnectFour,
        TicTacToe,
        Nim.configured(misere=True),
        Nim.configured(heaps=(22,)),
    ]
    assert len({rules_digest(game) for game in games}) == len(games)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda content: content.update(format=2), "has format 2, but this version reads 1"),
        (lambda content: content.pop("format"), "has no levels: KeyError"),
        (lambda content: content["levels"].pop(), "has 9 levels, not 10"),
        (lambda content: content["levels"][0].pop("elo"), "has no levels: KeyError: 'elo'"),
        (lambda content: content["levels"][0].update(elo="strong"), "TypeError: elo is not of type float"),
    ],
)
def test_a_damaged_file_is_reported(tmp_path, change, told):
    content = json.loads(bw.load_ladder("nim").to_json())
    change(content)
    file = tmp_path / "nim.json"
    file.write_text(json.dumps(content))
    with pytest.raises(bw.SettingsError, match=told):
        bw.load_ladder("nim", file)


def test_a_file_that_is_missing_is_reported(tmp_path):
    with pytest.raises(bw.SettingsError, match="cannot read the levels in"):
        bw.load_ladder("nim", tmp_path / "none.json")
    (tmp_path / "text.json").write_text("levels")
    with pytest.raises(bw.SettingsError, match="has no levels"):
        bw.load_ladder("nim", tmp_path / "text.json")


# --- the bot ----------------------------------------------------------------------------------------


def game_of(bot):
    state, moves = TicTacToe(), []
    while not state.is_terminal():
        moves.append(bot.choose(state))
        state.apply_action(moves[-1])
    return moves


def test_the_bot_of_a_level_is_the_bot_of_its_setting():
    levels = bw.load_ladder("tic_tac_toe")
    for level in (1, 10):
        named = bw.load_bot(f"level(level={level})", seed=7)
        named.check_game(TicTacToe)
        assert repr(named._player).startswith(levels[level].bot.removesuffix(")"))
        assert game_of(named) == game_of(bw.level_bot("tic_tac_toe", level, seed=7))
    assert game_of(bw.level_bot(TicTacToe, 1, seed=7)) != game_of(bw.level_bot(TicTacToe, 1, seed=8))


def test_one_bot_plays_each_game_at_that_games_level():
    bot = bw.load_bot("level(level=2)", seed=1)
    for game in (TicTacToe, Nim, TicTacToe):
        assert bot.choose(game()) in game().legal_actions()


@pytest.mark.parametrize("level", [0, 11, 2.5, "'high'", True])
def test_a_level_that_does_not_exist_is_refused(level):
    with pytest.raises(bw.SettingsError, match="level = "):
        bw.load_bot(f"level(level={level})")


def test_what_the_bot_cannot_play_is_refused():
    with pytest.raises(bw.SettingsError, match="number of the level is missing"):
        bw.load_bot("level")
    with pytest.raises(bw.SettingsError, match="levels of race have not been measured"):
        bw.load_bot("level(level=3)").choose(Race())
    with pytest.raises(bw.SettingsError, match="levels of race have not been measured"):
        bw.Match(
            f"{Path(__file__).parents[1] / 'support/rules.py'}:Race", ["random", "random", "level(level=3)"]
        )


def test_higher_levels_beat_lower_ones():
    match = bw.Match("tic_tac_toe", ["level(level=10)", "level(level=1)"], games=30, concurrency=1, seed=1)
    result = match.run()
    assert result.score().interval()[0] > 0.5
    assert not result.faults()


@pytest.mark.parametrize(
    ("name", "bot", "weak"),
    [
        ("phantom_tic_tac_toe", "ismcts(simulations=20)", "ismcts(simulations=20,random_moves=0.75)"),
        ("rock_paper_scissors", "mcts(simulations=20,joint=regret_matching)", "random"),
    ],
)
def test_levels_play_by_what_their_player_is_shown(own, name, bot, weak):
    game = bw.load_game(name)
    measured = bw.load_ladder("nim")
    levels = [replace(level, bot=bot) for level in measured.levels]
    levels[0] = replace(levels[0], bot=weak)
    ladder = replace(measured, game=name, rules=rules_digest(game), levels=tuple(levels))
    (own / f"{name}.json").write_text(ladder.to_json())
    shown = bw.Playthrough(game()).shown(0)
    for level in (1, 10):
        assert bw.level_bot(game, level, seed=1).choose(shown) in shown.legal_actions()
    result = bw.Match(name, ["level(level=10)", "level(level=1)"], games=2, seed=1, concurrency=1).run()
    assert all(record.fault is None for record in result.records)


def test_the_digest_tells_apart_who_sees_what_and_joint_moves():
    class Shown(bw.load_game("kuhn_poker")):
        """Both players see both cards."""

        def observation(self, player):
            for card in self.hands.ravel():
                yield card

    games = [bw.load_game(name) for name in ("kuhn_poker", "goofspiel(num_cards=3)", "rock_paper_scissors")]
    assert len({rules_digest(game) for game in [*games, Shown]}) == 4
