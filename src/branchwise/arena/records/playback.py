"""Replaying recorded games.

Moves alone do not determine the game of a simulator. Its record has the state after each move, so that the
game is the same even if the rules now draw differently. In the same way the record of a partially observed
problem has what was observed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from branchwise.common.errors import ActionError, GameError
from branchwise.game.kinds.game_kinds import is_partially_observed, is_simulator
from branchwise.rules.facts.dice import PlayersDice
from branchwise.rules.knowledge.observations import Written
from branchwise.rules.playthrough.playthrough import Playthrough

if TYPE_CHECKING:
    from collections.abc import Iterable

    from branchwise.arena.records.record import GamePlan, GameRecord
    from branchwise.game.kinds.continuous_actions import Plain
    from branchwise.game.rules_class import Game

GameT = TypeVar("GameT", bound="Game")


def played_again(game: type[GameT], record: GameRecord) -> Playthrough[GameT]:
    """Replay the game of a record and return it.

    Raises `ActionError` for illegal moves, and `GameError` for a record of a simulator without the state
    after a move, or with an observation that the rules call impossible: they may have changed since. The
    record of an earlier version may have no observations; what the planner knows is then refused.
    """
    start = PlayersDice(record.plan.dice).start(game)
    if not is_simulator(game) and not is_partially_observed(game):
        return Playthrough(start, record.actions)
    played = Playthrough(start)
    opening = [(action, None) for action in record.plan.opening]
    moves = [(move.action, move.reached) for move in record.moves]
    for number, (action, reached) in enumerate([*opening, *moves], start=1):
        content = _content(reached)
        observed = (
            {"observation": content.get("observation", Written.NOTHING_TOLD)} if played.observes else {}
        )
        try:
            played.play_written(action, content.get("state"), content.get("rewards"), **observed)
        except ActionError as error:
            raise ActionError(f"move {number}: {error.problem}", mend=error.mend) from None
    return played


def reached_text(played: Playthrough[Any]) -> str | None:
    """Return the text that a record keeps of what was drawn after the last move; None if nothing was.

    It has the state after a simulator's move, with the rewards of the move, and what was observed.
    """
    content: dict[str, Any] = {}
    if played.draws:
        content["state"], rewards = played.written()
        if rewards is not None:
            content["rewards"] = rewards
    if played.observed is not None:
        content["observation"] = played.observed
    return json.dumps(content, separators=(",", ":")) if content else None


def played_with_dice(game: type[GameT], plan: GamePlan, actions: Iterable[Plain]) -> Playthrough[GameT]:
    """Replay a game of a plan with the plan's dice, as far as `actions` are legal, and return it.

    actions : after the opening, including outcomes of chance.
    """
    dice = PlayersDice(plan.dice)
    played = Playthrough(dice.start(game))
    try:
        for action in (*plan.opening, *actions):
            draws = played.draws or played.observes
            played.play(action, dice.random(played.player) if draws else None)
    except ActionError:
        pass
    return played


def _content(text: str | None) -> dict[str, Any]:
    try:
        content = json.loads(text or "null")
    except (ValueError, RecursionError) as error:
        raise GameError(f"this record has a state that cannot be read: {error}") from error
    return content if isinstance(content, dict) else {}
