"""Rehearsing a bot outside any game, so that all its code is compiled."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from contextlib import suppress

from branchwise.bots.base.bot import Bot
from branchwise.game.rules_class import Game
from branchwise.rules.facts.dice import Dice
from branchwise.rules.facts.facts import random_action
from branchwise.rules.playthrough.joint_choice import chooser_views
from branchwise.rules.playthrough.playthrough import Playthrough

_CHOICES = 2
_NUDGE = 0.02


def rehearse(
    game: type[Game], load: Callable[[], Bot], before_close: Callable[[], object] = lambda: None
) -> None:
    """Let a new bot from `load` choose twice in a game that does not count, stopping it early.

    before_close : called just before the bot is closed. Ignores faults, because they occur again in the game
    that follows and are reported there.
    """
    with suppress(BaseException):
        bot = load()
        with suppress(BaseException):
            bot.new_game()
            _play(game, bot)
        before_close()
        bot.close()


def _play(game: type[Game], bot: Bot) -> None:
    source, dice = random.Random(0), Dice(0)
    played = Playthrough(game())
    player: int | None = None
    chosen = 0
    while chosen < _CHOICES and not played.is_over:
        if played.is_joint:
            joint = list(random_action(played.state, source))
            asked = next(iter(chooser_views(played.state)))
            joint[asked] = _hurried(bot, played, asked)
            played.play(tuple(joint))
            chosen += 1
            continue
        if player is None and not played.is_chance:
            player = played.player
        if played.player == player:
            played.play(_hurried(bot, played, int(played.state.current_player())))
            chosen += 1
        elif played.is_chance:
            played.play(dice.roll(played.state))
        else:
            played.play(random_action(played.state, source))


def _hurried(bot: Bot, played: Playthrough[Game], player: int) -> int:
    """Return the choice of `bot` for `player` while it is stopped again and again."""
    done = threading.Event()

    def hurry() -> None:
        while not done.wait(_NUDGE):
            with suppress(BaseException):
                bot.stop()

    hurrying = threading.Thread(target=hurry, daemon=True)
    hurrying.start()
    try:
        return bot.choose(played.shown(player), None, played.shown_moves())
    finally:
        done.set()
        hurrying.join()
