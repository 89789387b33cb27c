"""Engines in matches: foreign ones and our own play to the end, and lose by their own faults."""

from pathlib import Path

import pytest

import branchwise as bw
from branchwise.common.name_and_options import format_spec
from support.engine_talk import PERL_FOUR, faulty, is_gone, own_engine, process_ids, told

UNRULY = f"{Path(__file__).parents[1] / 'support/unruly.py'}:"


def engine(**options):
    return format_spec("engine", options)


def match(*bots, game="nim", games=2, **options):
    return bw.Match(
        game, bots, **{"games": games, "openings_depth": 0, "seed": 1, "concurrency": 1} | options
    )


def causes(result):
    """Return, for each bot, the faults by which it lost: the word, and the recorded cause."""
    found = {}
    for record in result.records:
        if record.fault is not None:
            assert record.returns[record.fault] == -1
            found[record.plan.seating[record.fault]] = (record.ending, record.detail)
    return found


def test_an_engine_of_others_and_one_of_ours_play_a_match_from_openings():
    ours = engine(command=own_engine("connect_four", "mcts(simulations=60)"), seconds=5)
    theirs = engine(command=PERL_FOUR, nodes=7)
    result = match(theirs, ours, game="connect_four", openings_depth=4, games=1).run()
    assert [record.ending for record in result.records] == ["end"], result.records
    assert all(len(record.plan.opening) == 4 for record in result.records)
    for record in result.records:
        assert bw.load_game("connect_four").from_actions(record.actions).is_terminal()


def test_a_move_that_is_not_legal_and_the_want_of_one_lose_and_are_told_apart():
    found = causes(match(repr(faulty("plays what is illegal")), repr(faulty("has no move"))).run())
    assert [found[bot][0] for bot in (0, 1)] == ["illegal", "error"]
    assert 'answered "z9", which is not a legal move' in found[0][1]
    assert 'answered "none", which is not a legal move; it said: error: no idea' in found[1][1]


def test_an_answer_without_a_move_loses_as_one_that_is_no_move():
    found = causes(match(repr(faulty("says nothing")), "random").run())
    assert found == {0: ("illegal", found[0][1])}
    assert "answered bestmove without a move" in found[0][1]


def test_silence_and_lateness_lose_and_are_told_apart():
    silent, late = faulty("hangs", patience=0.4), faulty("thinks until it is told to stop")
    found = causes(match(repr(silent), repr(late), seconds=0.2).run())
    assert found[0][0] == "error"
    assert 'did not answer "go movetime 50" within 0.45 s; it said: thinking' in found[0][1]
    assert found[1][0] == "time"
    assert "for a move of 0.2 s" in found[1][1]


def test_an_engine_that_hangs_beyond_the_limit_of_the_match_is_ended_with_its_process(tmp_path):
    log = tmp_path / "log"
    hangs = faulty("hangs in the game", log)
    result = match(repr(hangs), "random", games=1, seconds=0.05).run()
    assert result.records[0].moves
    assert causes(result)[0] == ("hung", "no answer within 2.15 s")
    assert is_gone(process_ids(log)[0])


def test_an_engine_that_ends_loses_with_its_last_words():
    found = causes(match(repr(faulty("dies in the game")), repr(faulty("writes garbage"))).run())
    assert set(found) == {0}
    assert found[0][0] == "error"
    assert "ended by itself, with exit status 1" in found[0][1]
    assert "lost [31m it" in found[0][1]


def test_an_engine_that_does_not_start_loses_before_the_first_move():
    result = match(repr(faulty("dies at the start")), "random", games=1).run()
    ending, detail = causes(result)[0]
    assert ending == "error"
    assert "ended by itself, with exit status 3" in detail
    assert "for the tables" in detail
    assert result.records[0].moves == ()


def test_a_fault_of_our_own_bot_behind_an_engine_is_reported():
    ours = engine(command=own_engine("nim", f"{UNRULY}Thrower(good=3)"), seconds=5)
    ending, detail = causes(match(ours, "random", games=1).run())[0]
    assert ending == "error"
    assert "error: ValueError: out of ideas" in detail


def test_the_clocks_of_a_match_reach_the_engine(tmp_path):
    log = tmp_path / "log"
    command = faulty("", log).options()["command"]
    result = match(engine(command=command), "random", games=1, clock="60+0.5").run()
    assert causes(result) == {}
    lines = [line.split() for line in told(log) if line.startswith("go")]
    assert lines
    for words in lines:
        assert words[1::2] == ["p1time", "p2time", "p1inc", "p2inc"]
        assert 50_000 < int(words[2]) <= 75_000
        assert words[6::2] == ["500", "500"]


def test_an_engine_whose_program_is_missing_is_refused_before_any_game():
    with pytest.raises(bw.EngineError, match=r"there is no program \./no_such_engine"):
        match(engine(command="./no_such_engine"), "random")


def test_an_engine_is_found_wherever_the_match_is_resumed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_text("#!/bin/sh\n")
    (tmp_path / "mine").chmod(0o755)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "mine").symlink_to(tmp_path / "mine")
    first = match(engine(command="./mine --book 'a, b=c'"), engine(command="./mine", folder="inner"))
    monkeypatch.chdir("/")
    again = bw.Match.from_settings(first.settings())
    assert again.bots == first.bots
    assert again.settings() == first.settings()
