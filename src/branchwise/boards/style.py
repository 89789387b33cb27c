"""How the board of a game looks: its family, its size, its labels and its colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from branchwise.boards.array import board_array
from branchwise.common.errors import BranchwiseError, GameError, nearest_name
from branchwise.drawing.grid import column_names

FAMILIES = (
    "discs", "stones", "squares", "chess", "hexagons", "marks", "cards", "backgammon", "tiles", "walls",
)  # fmt: skip
COLOURS = ("white", "black", "red", "yellow", "blue", "green", "orange", "purple")
"""Colours of players, and those of players without any: see `_DEFAULT_COLOURS`."""
_DEFAULT_COLOURS = ("orange", "blue", "green", "purple")
_LARGEST = 100


@dataclass(frozen=True)
class BoardStyle:
    """How the board of a game looks; `board_style = "stones"` is short for `BoardStyle("stones")`.

    family : how it is drawn, one of

    - "discs": discs that fall into columns; "stones": stones on the points where lines cross
    - "squares": men on dark and light squares, kings of the kind 2; "chess": pieces of the kinds 1 to 6,
      pawn, knight, bishop, rook, queen and king
    - "hexagons"; "marks": symbols or numbers in large cells; "tiles": a coloured tile for each kind
    - "cards": a row of cards for each seat; a card whose symbol is "?" lies face down
    - "backgammon": two rows of 14, the twelve points, the bar and the men that are off; a kind is a number
      of men
    - "walls": cells at even places of even rows, with gaps between them that hold walls or lines

    rows, columns : how many, or the names of constants of the class. By default they are its constants
    `rows` and `columns`, else `size`, else those of its board array.

    symbols : symbols[owner + 1][kind] is the text of a cell, first for cells of nobody; by default from the
    `symbols` of the class.   colours : of each player, from `COLOURS`.   players : their names, such as
    ("White", "Black").

    column_labels, row_labels : by default letters, and numbers from the bottom, as on a chess board; () for
    none; longer ones are cut.   block : rows and columns of a block.   shifts : half cells by which each row
    of hexagons is moved to the right.   lines : pairs of squares that lines join, where stones do not stand
    on a plain lattice.   checkered : False for squares of one colour, on green cloth.

    Raises `GameError` for a family or a colour that there is not.

    >>> BoardStyle("stones", colours=("black", "white")).family
    'stones'
    """

    family: str
    rows: int | str = ""
    columns: int | str = ""
    symbols: Sequence[Sequence[str]] = ()
    colours: Sequence[str] = ()
    players: Sequence[str] = ()
    column_labels: Sequence[str] | None = None
    row_labels: Sequence[str] | None = None
    block: tuple[int, int] | None = None
    shifts: Sequence[int] = ()
    lines: Sequence[tuple[int, int]] = ()
    checkered: bool = True

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise nearest_name("family of boards", self.family, FAMILIES)
        for colour in self.colours:
            if colour not in COLOURS:
                raise nearest_name("colour", colour, COLOURS)


class Look(NamedTuple):
    """The style of a game's board with everything worked out: see `BoardStyle`."""

    family: str
    rows: int
    columns: int
    symbols: tuple[tuple[str, ...], ...]
    colours: tuple[str, ...]
    players: tuple[str, ...]
    column_labels: tuple[str, ...]
    row_labels: tuple[str, ...]
    block: tuple[int, int] | None
    shifts: tuple[int, ...]
    lines: tuple[tuple[int, int], ...]
    checkered: bool

    @property
    def squares(self) -> int:
        """The number of squares."""
        return self.rows * self.columns

    def text(self, owner: int, kind: int) -> str:
        """Return the text of a cell; a kind without a symbol is a number."""
        if kind < 0:
            return ""
        row = self.symbols[owner + 1] if owner + 1 < len(self.symbols) else ()
        return row[kind] if kind < len(row) else str(kind)

    def name(self, square: int) -> str:
        """Return the name of a square by its labels, such as "e4"."""
        row, column = divmod(square, self.columns)
        down = self.row_labels[row] if self.row_labels else ""
        return (self.column_labels[column] if self.column_labels else "") + down


_looks: WeakKeyDictionary[type[Any], Look | None] = WeakKeyDictionary()


def look_of(game: type[Any]) -> Look | None:
    """Return how the board of a game looks, or None if it has no board.

    A class without a `board_style` has a board if one of its array fields is one. Raises `GameError` for a
    style that does not fit the class.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> look = look_of(ConnectFour)
    >>> look.family, look.rows, look.columns, look.name(0)
    ('discs', 6, 7, 'a6')
    """
    if game not in _looks:
        _looks[game] = _worked_out(game)
    return _looks[game]


def _worked_out(game: type[Any]) -> Look | None:
    if game._inner is not None:
        return look_of(game._inner)
    given = game.board_style
    if given is not None and not isinstance(given, str | BoardStyle):
        raise _fault(game, f"is {given!r}", 'write board_style = "stones", or a BoardStyle')
    try:
        style = BoardStyle(given) if isinstance(given, str) else given
    except BranchwiseError as error:
        raise _fault(game, f"has a fault: {error.problem}", error.mend or "see docs/boards.md") from None
    array = board_array(game())
    shape = None if array is None else array.shape if array.ndim == 2 else (1, array.size)
    if style is None:
        if shape is None or max(shape) > _LARGEST or game.num_players > len(_DEFAULT_COLOURS):
            return None
        drops = shape[0] > 1 and game.num_actions == shape[1]
        style = BoardStyle("discs" if drops else "marks", *shape)
    rows = _length(game, style.rows, "rows", None if shape is None else shape[0])
    columns = _length(game, style.columns, "columns", None if shape is None else shape[1])
    players = game.num_players
    labels = style.column_labels, style.row_labels
    look = Look(
        style.family,
        rows,
        columns,
        tuple(tuple(row) for row in style.symbols) or _symbols(game),
        tuple(style.colours) or (_DEFAULT_COLOURS * players)[:players],
        tuple(style.players),
        column_names(columns) if labels[0] is None else tuple(labels[0])[:columns],
        tuple(str(rows - row) for row in range(rows)) if labels[1] is None else tuple(labels[1])[:rows],
        style.block,
        tuple(style.shifts),
        tuple(style.lines),
        style.checkered,
    )
    _check_fits(game, look)
    return look


def _check_fits(game: type[Any], look: Look) -> None:
    """Raise `GameError` if a list of a style is too short for the board, or names what is not there."""
    lengths = (
        ("colours", look.colours, game.num_players),
        ("players", look.players, game.num_players),
        ("column_labels", look.column_labels, look.columns),
        ("row_labels", look.row_labels, look.rows),
        ("shifts", look.shifts, look.rows),
    )
    for name, given, needed in lengths:
        if given and len(given) != needed:
            raise _fault(
                game, f"has {len(given)} {name}, not {needed}", f"give {needed}, or leave {name} out"
            )
    if look.block is not None and not all(size >= 1 for size in look.block):
        raise _fault(game, f"has blocks of {look.block}", "give the rows and columns of a block, from 1")
    for square in chain(*look.lines):
        if not 0 <= square < look.squares:
            raise _fault(game, f"has a line to square {square}", f"squares are 0 to {look.squares - 1} there")


def _symbols(game: type[Any]) -> tuple[tuple[str, ...], ...]:
    """Return the texts of cells by owner and kind, from the `symbols` of a class."""
    texts = tuple(game.symbols)
    return (texts, *((texts[0], text) for text in texts[1 : game.num_players + 1]))


def _length(game: type[Any], given: int | str, name: str, of_array: int | None) -> int:
    tried = [given] if given != "" else [getattr(game, name, None), getattr(game, "size", None), of_array]
    for one in tried:
        number = getattr(game, one, None) if isinstance(one, str) else one
        if isinstance(number, int) and 1 <= number <= _LARGEST:
            return number
    raise _fault(
        game,
        f"does not say how many {name} there are (1 to {_LARGEST})",
        f'write BoardStyle(family, {name}=8), or {name}="size" with the name of a constant',
    )


def _fault(game: type[Any], what: str, mend: str) -> GameError:
    return GameError(f"{game.__name__}.board_style {what}", mend=mend)
