"""Stored episodes of partially observed problems: they have what their planner observed."""

import json
from dataclasses import replace

import pytest

import branchwise as bw
from branchwise.arena.play.referee import Referee, Terms
from branchwise.arena.play.status_board import StatusBoard
from branchwise.arena.play.time_control import TimeControl
from branchwise.arena.records.playback import played_again, played_with_dice
from branchwise.arena.records.record import GamePlan
from branchwise.bots import register_bot
from branchwise.bots.base.bot import Bot
from branchwise.games import load_game
from support.observing import Probe

ROCKS = load_game("rock_sample")


class Noter(Bot):
    """Plays by its histories alone, and notes them."""

    name = "noter"
    shown: list[object] = []

    def choose(self, state, limit, moves):
        self.shown.append(state)
        legal = state.legal_actions()
        return legal[sum(map(ord, str(state))) % len(legal)]


@pytest.fixture(params=[ROCKS, Probe], ids=lambda game: game.name)
def played(request, own_registrations):
    """Return the game, the record of an episode and what the bot was shown in it."""
    register_bot(Noter, "noter")
    Noter.shown.clear()
    board = StatusBoard()
    plan = GamePlan(0, 0, (), (0,), (1,), 7)
    record = Referee(request.param, plan, Terms(("noter",), TimeControl()), board).play()
    board.close()
    assert len({str(known) for known in Noter.shown}) > 1
    return request.param, record, list(Noter.shown)


def test_a_record_gives_back_all_histories_that_the_bot_was_shown(played):
    game, record, shown = played
    again = played_again(game, record)
    known = []
    for ply in range(again.length):
        again.go_to(ply)
        if not again.is_chance:
            known.append(again.shown(0))
    assert known == shown
    assert [history.legal for history in known] == [history.legal for history in shown]


def test_the_dice_bring_the_same_observations_again(played):
    """As where the process of a bot has died."""
    game, record, _ = played
    by_dice = played_with_dice(game, record.plan, record.actions)
    again = played_again(game, record)
    for ply in range(again.length, -1, -1):
        again.go_to(ply)
        by_dice.go_to(ply)
        assert by_dice.observed == again.observed


def test_a_record_of_an_earlier_version_is_replayed_without_what_the_bot_knew(played):
    game, record, _ = played

    def without(move):
        content = json.loads(move.reached or "{}")
        content.pop("observation", None)
        return replace(move, reached=json.dumps(content) if content else None)

    again = played_again(game, replace(record, moves=tuple(map(without, record.moves))))
    assert again.state == played_again(game, record).state
    with pytest.raises(bw.GameError, match="does not tell what was observed"):
        again.shown(0)


def test_an_observation_that_cannot_be_is_refused(played):
    game, record, _ = played

    def changed(move):
        content = json.loads(move.reached or "{}")
        if "observation" in content:
            content["observation"] = [7, 7, 7]
        return replace(move, reached=json.dumps(content))

    with pytest.raises(bw.GameError, match=r"\[7, 7, 7\] cannot be observed after move"):
        played_again(game, replace(record, moves=tuple(map(changed, record.moves))))
