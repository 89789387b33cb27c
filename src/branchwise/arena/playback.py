"""Replaying recorded games.

Moves alone do not determine the game of a simulator. Its record has the state after each move, so that the
game is the same even if the rules now draw differently.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from branchwise.errors import ActionError, GameError
from branchwise.rules.dice import PlayersDice
from branchwise.rules.playthrough import Playthrough
from branchwise.traits import is_simulator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from branchwise.arena.record import GamePlan, GameRecord
    from branchwise.boxes import Plain
    from branchwise.game import Game

GameT = TypeVar("GameT", bound="Game")


def played_again(game: type[GameT], record: GameRecord) -> Playthrough[GameT]:
    """Replay the game of a record and return it.

    Raises `ActionError` for illegal moves, and `GameError` for a record of a simulator without the state
    after a move: the rules may have changed since.
    """
    start = PlayersDice(record.plan.dice).start(game)
    if not is_simulator(game):
        return Playthrough(start, record.actions)
    played = Playthrough(start)
    for number, move in enumerate(record.moves, start=1):
        content = _content(move.reached)
        try:
            played.play_written(move.action, content.get("state"), content.get("rewards"))
        except ActionError as error:
            raise ActionError(f"move {number}: {error.problem}", mend=error.mend) from None
    return played


def reached_text(played: Playthrough[Any]) -> str | None:
    """Return the text that a record keeps of the state after the last move and of the move's rewards."""
    if not played.draws:
        return None
    state, rewards = played.written()
    content: dict[str, Any] = {"state": state} if rewards is None else {"state": state, "rewards": rewards}
    return json.dumps(content, separators=(",", ":"))


def played_with_dice(game: type[GameT], plan: GamePlan, actions: Iterable[Plain]) -> Playthrough[GameT]:
    """Replay a game of a plan with the plan's dice, as far as `actions` are legal, and return it.

    actions : after the opening, including outcomes of chance.
    """
    dice = PlayersDice(plan.dice)
    played = Playthrough(dice.start(game))
    try:
        for action in (*plan.opening, *actions):
            played.play(action, dice.random(played.player) if played.draws else None)
    except ActionError:
        pass
    return played


def _content(text: str | None) -> dict[str, Any]:
    try:
        content = json.loads(text or "null")
    except (ValueError, RecursionError) as error:
        raise GameError(f"this record has a state that cannot be read: {error}") from error
    return content if isinstance(content, dict) else {}
