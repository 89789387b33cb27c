"""Programs whose strength people know, if they are installed: GNU Go, GRhino, Stockfish, GNU Chess.

Debian has them: apt-get install gnugo grhino stockfish gnuchess.
"""

import shutil

import pytest

import branchwise as bw
from branchwise.common.name_and_options import format_spec
from support.known_programs import PATH, missing


def program(kind, command, game, **options):
    """Return the text form of a bot; skips the test if its program or the game is missing."""
    reason = missing([command])
    if reason is not None:
        pytest.skip(reason)
    name, _, rest = command.partition(" ")
    return format_spec(kind, {"command": f"{shutil.which(name, path=PATH)} {rest}".strip(), **options})


def plays(game, bot, **options):
    """Return the records of a short match against a random bot, and check that the program made no fault."""
    given = {"games": 2, "openings_depth": 2, "seed": 1, "concurrency": 1}
    result = bw.Match(game, [bot, "random"], **given | options).run()
    assert not result.faults(), result.faults()[0].detail
    return result.records


@pytest.mark.slow
def test_gnu_go_plays_go():
    game = "go(size=9,komi=7.5)"
    bot = program("gtp", "gnugo --mode gtp --level 1 --chinese-rules --capture-all-dead", game)
    assert [record.points()[0] for record in plays(game, bot)] == [1.0, 1.0]


@pytest.mark.slow
def test_gnu_go_is_limited_by_its_level_and_time():
    game = "go(size=5)"
    bot = program("gtp", "gnugo --mode gtp", game, options={"level": 3}, seed=7, seconds=2)
    plays(game, bot)


@pytest.mark.slow
def test_gnu_go_is_refused_for_another_game():
    bot = program("gtp", "gnugo --mode gtp", "tic_tac_toe")
    (record, _) = bw.Match("tic_tac_toe", [bot, "random"], games=2, seed=1, concurrency=1).run().records
    assert record.ending == "error"
    assert "plays go, not tic_tac_toe" in record.detail


@pytest.mark.slow
def test_grhino_plays_othello_and_passes_by_itself():
    bot = program("gtp", "gtp-rhino -l 1", "othello", times=False)
    assert [record.points()[0] for record in plays("othello", bot, games=6)] == [1.0] * 6


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{"nodes": 200}, {"depth": 2}, {"seconds": 0.02}, {"clock": 20.0, "options": {"Skill Level": 5}}],
)
def test_stockfish_plays_chess(options):
    plays("chess", program("uci", "stockfish", "chess", **options))


@pytest.mark.slow
def test_gnu_chess_plays_chess():
    plays("chess", program("uci", "gnuchess --uci", "chess", seconds=0.02))
