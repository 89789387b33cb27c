"""A game in progress: its moves, the current position, the seats. Independent of searches and connections."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from branchwise.errors import ActionError, SettingsError
from branchwise.game import Game
from branchwise.players import CHANCE
from branchwise.web.games import OfferedGame
from branchwise.web.messages import MAX_MOVES, MoveTold, Opponent, PlyValue, Position, Variation
from branchwise.web.positions import (
    chance_action,
    legal_moves,
    link_to,
    move_text,
    picture,
    plain_text,
    player_to_move,
    returns_of,
)
from branchwise.web.rule_threads import check_budget

_KEPT_EVERY = 16
_MOST_VARIATIONS = 12
_LONGEST_VARIATION = 8
"""Number of moves sent of a variation."""


@dataclass(frozen=True)
class _Line:
    """All moves of a game, and the searches' values before them."""

    moves: list[MoveTold]
    values: dict[int, list[float]]


class LiveRecord:
    """Moves of a game, with a mark: moves before it are made, moves after it were taken back.

    Moves that are replaced by others are kept as a variation.

    moves : moves already made, as numbers or texts.   seats : seats of people; None: the first.

    >>> from branchwise.games.nim import Nim
    >>> record = LiveRecord(OfferedGame("nim", Nim), ["3", "3"], None)
    >>> record.play(0)
    >>> record.ply, record.undo(), record.ply, len(record.moves)
    (3, None, 2, 3)
    """

    def __init__(self, game: OfferedGame, moves: Sequence[str | int], seats: list[int] | None) -> None:
        self.game = game
        self.moves: list[MoveTold] = []
        self.ply = 0
        self.values: dict[int, list[float]] = {}
        self.seats = [0]
        if seats is not None:
            self.sit(seats)
        self._random = random.SystemRandom()
        self._kept: list[Game] = [game.rules()]
        """States before the moves 0, _KEPT_EVERY, 2 * _KEPT_EVERY and so on."""
        self._state = self._kept[0].copy()
        self._before: Game | None = None
        self._player = player_to_move(self._state)
        self._variations: list[_Line] = []
        for number, move in enumerate(moves, start=1):
            check_budget()
            try:
                self._make(self._state.check_action(move))
            except ActionError as error:
                played = " ".join(move.text for move in self.moves[-50:])
                raise ActionError(
                    f"move {number}: {error.problem}", after=played or None, mend=error.mend
                ) from None
        self._let_chance_move()

    @property
    def state(self) -> Game:
        """The position shown; do not change it."""
        return self._state

    @property
    def actions(self) -> list[int]:
        """The actions that led to it."""
        return [move.action for move in self.moves[: self.ply]]

    @property
    def player(self) -> int | None:
        """The player to move; None when the game is over."""
        return self._player

    @property
    def is_over(self) -> bool:
        return self.player is None

    @property
    def is_persons_turn(self) -> bool:
        return self.player in self.seats

    @property
    def is_bots_turn(self) -> bool:
        return not self.is_over and self.player not in self.seats

    def sit(self, seats: list[int]) -> None:
        """Give people these seats. Raises `SettingsError` for a seat that the game does not have."""
        players = self.game.rules.num_players
        for seat in seats:
            if seat >= players:
                raise SettingsError(
                    f"{self.game.name} has no player {seat}", mend=f"players are 0 to {players - 1}"
                )
        self.seats = sorted(set(seats))

    def play(self, action: int | str) -> None:
        """Play an action, then the moves of chance. Raises `ActionError`.

        If it is the next move after the mark, that move is made again; otherwise the moves after the mark
        become a variation.
        """
        action = self._state.check_action(action)
        if self.ply < len(self.moves) and self.moves[self.ply].action == action:
            self.go_to(self.ply + 1)
            while self._player == CHANCE and self.ply < len(self.moves):
                self.go_to(self.ply + 1)
        else:
            before = _Line(list(self.moves), self.values)
            del self.moves[self.ply :]
            self.values = {ply: values for ply, values in self.values.items() if ply <= self.ply}
            del self._kept[self.ply // _KEPT_EVERY + 1 :]
            self._make(action)
            self._keep(before)
        self._let_chance_move()
        self._variations = [line for line in self._variations if not _begins(line.moves, self.moves)]

    def take_up(self, variation: int) -> None:
        """Resume a variation, at its first move; the moves that it replaces become a variation.

        Raises `ActionError` if there is no such variation.
        """
        if variation >= len(self._variations):
            raise ActionError(
                f"there is no variation {variation}", mend="see the variations of the last position"
            )
        line = self._variations[variation]
        shared = _shared(line.moves, self.moves)
        kept, state = self._kept[: shared // _KEPT_EVERY + 1], self.state_at(shared)
        for ply, move in enumerate(line.moves[shared:], start=shared + 1):
            check_budget()
            state.apply_action(move.action)
            if ply % _KEPT_EVERY == 0:
                kept.append(state.copy())
        before = _Line(self.moves, self.values)
        del self._variations[variation]
        self.moves, self.values, self._kept = list(line.moves), dict(line.values), kept
        self._keep(before)
        self.go_to(min(shared + 1, len(self.moves)))

    def _keep(self, line: _Line) -> None:
        """Keep moves that were replaced, unless they are all part of the new line."""
        if not _begins(line.moves, self.moves):
            self._variations = [line, *self._variations][:_MOST_VARIATIONS]

    def go_to(self, ply: int) -> None:
        """Show the position after `ply` moves. Raises `ActionError` if there are fewer moves."""
        if ply > len(self.moves):
            raise ActionError(
                f"there is no position after {ply} moves", mend=f"the game has {len(self.moves)} moves"
            )
        before = self.state_at(ply - 1) if ply else None
        state = self.state_at(ply)
        self._stand(state, before)
        self.ply = ply

    def _stand(self, state: Game, before: Game | None) -> None:
        self._player = player_to_move(state)
        self._state, self._before = state, before

    def state_at(self, ply: int) -> Game:
        """Return the state after `ply` moves; raises like `go_to`."""
        if ply > len(self.moves):
            raise ActionError(
                f"there is no position after {ply} moves", mend=f"the game has {len(self.moves)} moves"
            )
        start = min(ply // _KEPT_EVERY, len(self._kept) - 1)
        state = self._kept[start].copy()
        for move in self.moves[start * _KEPT_EVERY : ply]:
            check_budget()
            state.apply_action(move.action)
        return state

    def undo(self) -> None:
        """Take moves back until it is a person's turn; a single move if people have no seat."""
        for ply in range(self.ply - 1, -1, -1):
            if not self.seats or self.moves[ply].player in self.seats:
                return self.go_to(ply)
        raise ActionError("you have no move to undo", mend="go to a position by its number")

    def redo(self) -> None:
        """Make moves again until it is a person's turn, or all are made."""
        if self.ply == len(self.moves):
            raise ActionError("there is no move to redo")
        last = len(self.moves)
        behind = (
            p for p in range(self.ply + 1, last) if not self.seats or self.moves[p].player in self.seats
        )
        self.go_to(next(behind, last))

    def told(self, opponent: Opponent, answers: int | None = None) -> Position:
        """Return the message about the position and the game."""
        return Position(
            id=answers,
            game=self.game.info,
            moves=list(self.moves),
            ply=self.ply,
            svg=picture(self._state, self._before),
            text=plain_text(self._state),
            legal=legal_moves(self._state),
            player=self.player,
            returns=returns_of(self._state),
            seats=self.seats,
            opponent=opponent,
            values=[PlyValue(ply=ply, values=values) for ply, values in sorted(self.values.items())],
            variations=[self._variation_told(line) for line in self._variations],
            link=link_to(self.game, self.actions),
        )

    def _make(self, action: int) -> None:
        if len(self.moves) >= MAX_MOVES:
            raise ActionError(f"games end here after {MAX_MOVES:,} moves", mend="start a new game")
        before, state, player = self._state, self._state.copy(), self._player
        assert player is not None
        told = MoveTold(action=action, text=move_text(before, action), player=player)
        state.apply_action(action)
        self._stand(state, before)
        self.moves.append(told)
        self.ply += 1
        if self.ply % _KEPT_EVERY == 0:
            self._kept.append(state.copy())

    def _let_chance_move(self) -> None:
        while self._player == CHANCE and self.ply == len(self.moves):
            self._make(chance_action(self._state, self._random))

    def _variation_told(self, line: _Line) -> Variation:
        shared = _shared(line.moves, self.moves)
        behind = line.moves[shared:]
        return Variation(
            ply=shared, count=len(behind), text=[move.text for move in behind[:_LONGEST_VARIATION]]
        )


def _shared(one: list[MoveTold], other: list[MoveTold]) -> int:
    """Return the length of the common start of two lines."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a.action != b.action), min(len(one), len(other)))


def _begins(part: list[MoveTold], whole: list[MoveTold]) -> bool:
    """Whether a line is the start of another one, or equal to it."""
    return _shared(part, whole) == len(part)
