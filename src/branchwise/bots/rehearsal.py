"""Letting a bot play a little outside of any game, so that all it runs is compiled."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from branchwise.bots.background import RunningChoice
from branchwise.bots.bot import Bot
from branchwise.game import Game

_CHOICES = 2


def rehearse(game: type[Game], load: Callable[[], Bot]) -> None:
    """Let a bot that `load` makes choose twice for one player, hurried on.

    What goes wrong in it goes wrong in the game that follows too, and is told there.
    """
    with suppress(Exception):
        bot = load()
        try:
            _play(game, bot)
        finally:
            bot.close()


def _play(game: type[Game], bot: Bot) -> None:
    state, player, chosen = game(), None, 0
    while chosen < _CHOICES and not state.is_terminal():
        mover = state.current_player()
        player = mover if player is None else player
        action: int | None = state.legal_actions()[0]
        if mover == player:
            action = _hurried(bot, state)
            chosen += 1
        if action is None:
            return
        state.apply_action(action)


def _hurried(bot: Bot, state: Game) -> int | None:
    """Return what a bot chooses that is told to come to an end at once; None if it chooses nothing legal."""
    found: list[int | None] = []
    choice = RunningChoice(bot, state.copy(), 0.0, lambda action, error: found.append(action))
    choice.wait()
    return found[0] if found[0] in state.legal_actions() else None
