"""The board of a game as GTP sees it: points named by a letter and a number.

GTP leaves out the letter I, so its ninth column is J. Games name their cells as they like, by the labels of
`to_grid`. Moves that place something are points here if their text is the name of a cell; all other moves,
such as `pass`, keep their text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from branchwise.common.errors import ActionError, GameError, SettingsError
from branchwise.drawing.grid import Grid
from branchwise.engines.gtp.language import PASS
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import action_text, action_word, legal_action

MAX_SIZE = 25
LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""The columns of GTP, which leaves out I."""

_ALL_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_STONES = "XO"
_SHOWN = 30
"""Moves that an error lists."""


class Board:
    """The points of a game's board.

    game : its class.   skips_i : whether the letter I is left out, as GTP has it.

    columns, rows : 0 for a game without a board.

    >>> from branchwise.games.mnk import MNK
    >>> game = MNK.configured(rows=9, columns=9, in_a_row=5)
    >>> board = Board(game)
    >>> board.point(game(), game().action_from_string("i9")), board.action(game(), "j9")
    ('J9', 8)
    """

    def __init__(self, game: type[Game], *, skips_i: bool = True) -> None:
        grid = game().to_grid()
        self.columns = 0 if grid is None else len(grid.column_labels)
        self.rows = 0 if grid is None else len(grid.row_labels)
        if max(self.columns, self.rows) > MAX_SIZE:
            raise GameError(f"the board of {game.name} has more than the {MAX_SIZE} columns or rows of GTP")
        letters = self._letters = LETTERS if skips_i else _ALL_LETTERS
        self._places: dict[str, tuple[int, int]] = {}
        """Row and column in the grid, by the name of the point."""

        self._points: dict[str, str] = {}
        """The point of each cell, by the cell's name."""

        if grid is not None:
            for r, label in enumerate(grid.row_labels):
                number = int(label) if label.isdecimal() else self.rows - r
                for c, column in enumerate(grid.column_labels):
                    self._places[f"{letters[c]}{number}"] = (r, c)
                    self._points[f"{column}{label}".lower()] = f"{letters[c]}{number}"
        self._names = {point: name for name, point in self._points.items()}

    @property
    def size(self) -> int:
        """The size of the square board that holds all points: GoGui shows no others."""
        return max(self.columns, self.rows)

    def point(self, state: Any, action: int) -> str:
        """Return a legal action as a point, or as its text."""
        word = action_word(state, action)
        return self._points.get(word.lower(), word)

    def points(self, state: Any) -> list[str]:
        """Return all legal actions as `point` does."""
        actions = state.legal_actions()
        texts = [action_text(state, action).lower() for action in actions]
        often = Counter(texts)
        return [
            self._points[text] if text in self._points and often[text] == 1 else self.point(state, action)
            for action, text in zip(actions, texts, strict=True)
        ]

    def action(self, state: Any, word: str) -> int:
        """Return the legal action that a point or a text names. Raises `ActionError`."""
        try:
            action: int = legal_action(state, self._names.get(word.upper()) or self._text(word))
        except ActionError as error:
            if state.is_terminal():
                raise
            points = self.points(state)
            more = f" and {len(points) - _SHOWN} more" if len(points) > _SHOWN else ""
            raise ActionError(
                f'"{word}" is not a legal move here',
                mend=f"legal moves are {' '.join(points[:_SHOWN])}{more}",
            ) from error
        return action

    def action_anywhere(self, state: Game, word: str) -> int:
        """Return the action that a point or a text names, legal in `state` or at the start of the game."""
        try:
            return self.action(state, word)
        except ActionError:
            return self.action(type(state)(), word)

    def _text(self, word: str) -> str:
        """Return a word that is no point; raises `ActionError` if it is what the game calls another point."""
        if word.lower() in self._points:
            raise ActionError(f'"{word}" is no point')
        return word

    def is_of_points(self, state: Any) -> bool:
        """Whether every legal move of a state is a point, or a pass."""
        if state.is_terminal():
            return True
        return all(word in self._places or word == PASS for word in self.points(state))

    def text(self, state: Game) -> str:
        """Return the square board as lines, the highest row first: X black, O white, `.` anything else."""
        grid = state.to_grid()
        return "\n".join(
            " ".join(self._stone(grid, f"{letter}{number}") for letter in self._letters[: self.size])
            for number in range(self.size, 0, -1)
        )

    def stones(self, state: Game, player: int) -> list[str]:
        """Return the points where `player` has a piece."""
        grid = state.to_grid()
        return [point for point in self._places if self._stone(grid, point) == _STONES[player]]

    def _stone(self, grid: Grid | None, point: str) -> str:
        place = self._places.get(point)
        if grid is None or place is None:
            return "."
        owner = grid.cells[place[0]][place[1]].owner
        return _STONES[owner] if owner in (0, 1) else "."


def moves_are_points(game: type[Game]) -> bool:
    """Whether the moves at the start of a game are points, so that GoGui can show them."""
    try:
        board = Board(game)
    except (GameError, ActionError):
        return False
    return board.columns > 0 and board.is_of_points(game())


def of_size(game: type[Game], columns: int, rows: int) -> type[Game]:
    """Return the variant of a game on another board; raises `SettingsError` if there is none.

    The game's options for that are `size`, or `columns` and `rows`.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> of_size(ConnectFour, 5, 4).name
    'connect_four(rows=4,columns=5)'
    """
    known = game.constants()
    square = "size" in known and columns == rows
    options = {"size": columns} if square else {"columns": columns, "rows": rows}
    if not all(name in known for name in options):
        raise SettingsError("unacceptable size", mend=f"the board of {game.name} has one size")
    try:
        variant = game.configured(**options)
        board = Board(variant)
    except GameError as error:
        raise SettingsError(f"unacceptable size: {error.problem}", mend=error.mend) from None
    if (board.columns, board.rows) != (columns, rows):
        raise SettingsError("unacceptable size", mend=f"{variant.name} has another board")
    return variant


def result_text(returns: Sequence[float] | None) -> str:
    """Return who has won, by the players' returns; None if the game is not over.

    >>> result_text((-1.0, 1.0)), result_text((0.0, 0.0))
    ('White wins', 'Draw')
    """
    if returns is None:
        return "the game is not over"
    if returns[0] == returns[1]:
        return "Draw"
    return f"{'Black' if returns[0] > returns[1] else 'White'} wins"
