"""The game of a page with hidden information: it tells what one person may see.

All that it tells before the game is over follows from the information state of the person's seat. Then all is
shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from branchwise.common.errors import ActionError, GameError, SettingsError
from branchwise.common.players import NO_PLAYER
from branchwise.game.rules_class import Game
from branchwise.rules.knowledge.information import InformationState
from branchwise.rules.playthrough.moves_seen import SeenMoves
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.web.game.game_record import LiveRecord
from branchwise.web.game.offered_games import OfferedGame
from branchwise.web.game.position_messages import (
    box_told,
    drawn,
    history_told,
    known_moves,
    link_to,
    short_text,
)
from branchwise.web.protocol.action_codes import Sent, sent
from branchwise.web.protocol.messages import MoveTold, Opponent, PlyValue, Position
from branchwise.web.protocol.rule_threads import check_budget

_UNKNOWN_ACTION = -1


class SeatRecord(LiveRecord):
    """A `LiveRecord` that one person sees from one seat. Bots have the others, and chance is never typed in.

    No move can be taken back, since that would show what came of it. When the game is over, its positions can
    be looked at, but nothing is played any more.
    """

    def __init__(
        self, game: OfferedGame, moves: Sequence[Sent], seats: list[int] | None, *, types_dice: bool = False
    ) -> None:
        if moves:
            raise GameError(
                f"{game.name} has hidden information, which the moves of a position would tell",
                mend="start a new game",
            )
        if types_dice:
            raise _untyped(game)
        self._is_open = False
        """Whether the game is over, so that all is shown."""
        self._seen: SeenMoves | None = None
        super().__init__(game, (), seats)

    @property
    def viewer(self) -> int:
        """The person's seat."""
        return self.seats[0]

    @property
    def ply(self) -> int:
        """Number of moves before the mark; of those that the person has seen while the game is not over."""
        return super().ply if self._is_open or self._seen is None else len(self._seen.moves)

    @property
    def length(self) -> int:
        return super().length if self._is_open else self.ply

    @property
    def is_bots_turn(self) -> bool:
        return not self._is_open and super().is_bots_turn

    @property
    def can_be_searched(self) -> bool:
        return super().can_be_searched and (self._is_open or self.is_persons_turn)

    @property
    def keeps_secrets(self) -> bool:
        return not self._is_open

    def check_can_play(self) -> None:
        if not self._is_open and not self.is_persons_turn:
            raise ActionError("it is not your turn", mend="wait for your turn")
        self.check_can_move()

    def check_can_move(self) -> None:
        if self._is_open:
            raise ActionError(
                "this game is over, and all that was hidden has been shown", mend="start a new game"
            )

    def check_can_be_searched(self) -> None:
        if not self._is_open and not self.is_persons_turn:
            raise ActionError("it is not your turn: there is nothing to decide", mend="wait for your turn")
        super().check_can_be_searched()

    def sit(self, seats: list[int]) -> None:
        """Choose the person's seat. Raises `SettingsError` for several, none, or another than before."""
        if len(set(seats)) != 1:
            raise SettingsError(
                f"{self.game.name} has hidden information, so exactly one person plays it on a page",
                mend="choose one seat",
            )
        before = self.seats
        super().sit(seats)
        if self._seen is not None and self.seats != before:
            self.seats = before
            raise SettingsError(
                f"{self.game.name} has hidden information, and another seat sees other things",
                mend="start a new game to change seats",
            )

    def let_people_roll(self) -> None:
        raise _untyped(self.game)

    def play(self, action: Any) -> None:
        self.check_can_move()
        known = self.shown
        if isinstance(known, InformationState) and known.legal:
            action = _legal_action(known, action)
        super().play(action)

    def undo(self) -> None:
        self._check_is_open()
        super().undo()

    def redo(self) -> None:
        self._check_is_open()
        super().redo()

    def go_to(self, ply: int) -> None:
        self._check_is_open()
        super().go_to(ply)

    def _check_is_open(self) -> None:
        if not self._is_open:
            raise ActionError(
                f"no move of {self.game.name} can be taken back, since that would show what came of it",
                mend="play on; when the game is over, all its positions can be seen",
            )

    def _show(self, after: Playthrough[Game]) -> None:
        if after.player is not None and not after.is_chance:
            after.shown(after.player)
        if not self._is_open:
            if self._seen is None:
                self._seen = SeenMoves(self.viewer, each_try=check_budget)
            self._seen.update(after)
            if after.is_over:
                self._open(self._seen)
        super()._show(after)

    def _open(self, seen: SeenMoves) -> None:
        """Show everything from now on: positions are counted by the moves made, not by those seen."""
        self._is_open = True
        last = {count: ply for ply, count in enumerate(seen.counts)}
        self.values = {last[count]: values for count, values in self.values.items() if count in last}

    def told(self, opponent: Opponent, answers: int | None = None) -> Position:
        if self._is_open:
            return super().told(opponent, answers)
        assert self._seen is not None
        known = self._game.information_state(self.viewer)
        moves = [
            MoveTold(
                action=_UNKNOWN_ACTION if move.action is None else sent(move.action),
                text=short_text(move.text),
                player=move.player,
            )
            for move in self._seen.moves
        ]
        last = self._seen.moves[-1].action if self._seen.moves else None
        return Position(
            id=answers,
            game=self.game.info,
            moves=moves,
            ply=len(moves),
            **drawn(known.view, self._seen.before, last)._asdict(),
            legal=known_moves(known),
            box=box_told(known.view) if known.turn == "to move" else None,
            player=self.viewer if known.turn == "to move" else NO_PLAYER,
            returns=None,
            paid=None,
            seats=self.seats,
            types_dice=False,
            opponent=opponent,
            values=[PlyValue(ply=ply, values=values) for ply, values in sorted(self.values.items())],
            variations=[],
            link=link_to(self.game, ()),
            viewer=self.viewer,
            seen=history_told(known),
        )


def record_of(
    game: OfferedGame, moves: Sequence[Sent], seats: list[int] | None, *, types_dice: bool = False
) -> LiveRecord:
    """Return the record of a new game, which shows all or what one person may see."""
    kind = SeatRecord if game.hides else LiveRecord
    return kind(game, moves, seats, types_dice=types_dice)


def _legal_action(known: InformationState, action: Any) -> int:
    """Return a number or a text as the number of a legal action; its error tells nothing that is hidden."""
    texts = {known.action_to_string(number): number for number in known.legal}
    number = action
    if isinstance(action, str):
        number = texts.get(action.strip(), int(action) if action.isdecimal() else None)
    if number not in known.legal:
        raise ActionError(f"action {action} is not legal here", mend="choose one of the moves listed")
    return int(number)


def _untyped(game: OfferedGame) -> SettingsError:
    return SettingsError(
        f"{game.name} deals what players must not see, so nobody can type it in",
        mend="leave out types_dice",
    )
