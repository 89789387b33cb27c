"""Programs by GTP and UCI in matches: they play to the end, resign, and lose by their own faults."""

import shlex
import sys

import pytest

import branchwise as bw
from branchwise.common.name_and_options import format_spec
from support.engine_talk import first_cell, first_point, own_engine


def match(*bots, games=2, **options):
    given = {"games": games, "openings_depth": 0, "seed": 1, "concurrency": 1}
    return bw.Match(
        "tic_tac_toe", [bot if isinstance(bot, str) else repr(bot) for bot in bots], **given | options
    )


def endings(result):
    """Return how each bot lost, by its index: the word, and whether it counts as a fault."""
    found = {}
    for record in result.records:
        loser = record.returns.index(-1.0)
        found[record.plan.seating[loser]] = (record.ending, record.fault is not None)
    return found


def test_programs_of_three_protocols_play_each_other_from_openings():
    ours = format_spec("engine", {"command": own_engine("tic_tac_toe", "minimax(depth=9)"), "seconds": 5})
    for bots in ((ours, first_point()), (first_point(), first_cell(seconds=0.05))):
        result = match(*bots, openings_depth=1, games=2).run()
        assert [record.ending for record in result.records] == ["end"] * 2, result.records
    assert len({record.plan.opening for record in result.records}) == 1


@pytest.mark.parametrize(
    ("bot", "ending", "told"),
    [
        (first_point("plays what is illegal"), "illegal", 'answered "Z25", which is not a legal move'),
        (first_cell("plays what is illegal", seconds=0.05), "illegal", 'answered "e2e4"'),
        (first_point("dies in the game"), "error", "lost [31m it"),
        (first_cell("has no move", seconds=0.05), "error", 'answered "(none)"'),
        (first_point("plays Go"), "error", "plays go, not tic_tac_toe"),
        (first_point("hangs", patience=0.4), "error", 'did not answer "genmove b" within 0.4 s'),
    ],
)
def test_faults_lose_and_are_told_apart(bot, ending, told):
    (record,) = match(bot, "random", games=1).run().records
    assert (record.ending, record.fault, record.returns) == (ending, 0, (-1.0, 1.0))
    assert told in record.detail


def test_a_program_that_resigns_loses_without_a_fault():
    result = match(first_point("resigns"), "random").run()
    assert endings(result) == {0: ("resigned", False)}
    assert all("resigns" in record.detail for record in result.records)
    assert not result.faults()
    assert result.tallies()[0].points == 0


def test_the_limit_of_a_match_reaches_a_program_and_its_lateness_loses(tmp_path):
    log = tmp_path / "log"
    result = match(first_point("", log), "random", games=1, seconds=2).run()
    assert [record.ending for record in result.records] == ["end"]
    assert "time_settings 0 2 1" in log.read_text()
    late = match(first_cell("thinks until it is told to stop"), "random", games=1, seconds=0.2).run()
    assert late.records[0].ending == "time"


def test_a_program_that_is_missing_is_refused_before_any_game():
    for name in ("gtp", "uci"):
        with pytest.raises(bw.BranchwiseError, match=r"there is no program \./no_such_program"):
            match(
                format_spec(name, {"command": "./no_such_program", "options": {"UCI_Variant": "x"}}), "random"
            )


def test_the_folder_of_a_program_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = match(format_spec("gtp", {"command": f"{shlex.quote(sys.executable)} -V"}), "random")
    monkeypatch.chdir("/")
    assert bw.Match.from_settings(first.settings()).bots == first.bots
