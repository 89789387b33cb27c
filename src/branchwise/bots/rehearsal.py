"""Rehearsing a bot outside any game, so that all its code is compiled."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from contextlib import suppress

from branchwise.bots.bot import Bot
from branchwise.game import Game

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
    source = random.Random(0)
    state, player = game(), None
    moves: list[int] = []
    chosen = 0
    while chosen < _CHOICES and not state.is_terminal():
        mover = state.current_player()
        player = mover if player is None else player
        if mover == player:
            bot.set_moves(tuple(moves))
            action = _hurried(bot, state)
            chosen += 1
        else:
            action = source.choice(state.legal_actions())
        state.apply_action(action)
        moves.append(action)


def _hurried(bot: Bot, state: Game) -> int:
    """Return the choice of `bot` while it is stopped again and again."""
    done = threading.Event()

    def hurry() -> None:
        while not done.wait(_NUDGE):
            with suppress(BaseException):
                bot.stop()

    hurrying = threading.Thread(target=hurry, daemon=True)
    hurrying.start()
    try:
        return bot.choose(state.copy())
    finally:
        done.set()
        hurrying.join()
