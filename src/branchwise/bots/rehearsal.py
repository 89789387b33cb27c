"""Letting a bot choose a little outside of any game, so that all it runs is compiled."""

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
    """Let a bot that `load` makes choose twice in a game that does not count, hurried on.

    before_close : called when the bot is about to be closed. What goes wrong in the rehearsal goes wrong in
    the game that follows too, and is told there.
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
    """Return what `bot` chooses when it is told again and again to come to an end."""
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
