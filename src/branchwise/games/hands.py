"""Text and pictures of games in which each player has a hand: a table with a row for each player."""

from branchwise.drawing.grid import PLAYER_COLOURS
from branchwise.drawing.shapes import MARGIN, TEXT, choices, label, rectangle

HIDDEN = "?"
ROW = 34
COLUMN = 80
"""Least width of a column; one with long texts has LETTER for each of their letters."""
LETTER = 8


class HandTable:
    """The text and the picture of a game in which each player has a hand, for its class to inherit.

    A game has `hand_table()`, the headings and the rows of a table, and may have `below()`, a line below.
    """

    def below(self):
        return ""

    def to_grid(self):
        """Return None: there is no board."""
        return None

    def __str__(self):
        return table_text(*self.hand_table(), shown_mover(self), self.below())

    def to_svg(self):
        """Draw a row for each player, and a button for each legal action, or outcome of chance."""
        return table_svg(self, *self.hand_table(), shown_mover(self), self.below())


def shown_mover(state):
    """Return the player to move, or -1 if the game is over."""
    return -1 if state.is_terminal() else state.current_player()


def table_text(headings, rows, mover, below=""):
    """Return a table as text; rows : one a player, of texts.   mover : its player is marked; else -1.

    >>> print(table_text(("card", "bet"), (("J", "1"), ("?", "2")), 0))
                card   bet
    > player 0     J     1
      player 1     ?     2
    """
    wide = [max(5, *(len(row[column]) for row in rows)) for column in range(len(headings))]
    lines = [" " * 10 + "".join(f" {name:>{size}}" for name, size in zip(headings, wide, strict=True))]
    for player, row in enumerate(rows):
        cells = "".join(f" {text:>{size}}" for text, size in zip(row, wide, strict=True))
        lines.append(f"{'>' if player == mover else ' '} player {player}{cells}")
    return "\n".join([*lines, below] if below else lines)


def table_svg(state, headings, rows, mover, below=""):
    """Return the same table as a picture, with a button for each legal action of `state`."""
    parts = []
    lefts = [MARGIN + 110]
    for column, name in enumerate(headings):
        parts.append(label(lefts[column], MARGIN + 14, name))
        longest = max(len(row[column]) for row in rows)
        lefts.append(lefts[column] + max(COLUMN, LETTER * (longest + 1)))
    wide = lefts[-1] - MARGIN
    for player, row in enumerate(rows):
        top = MARGIN + 22 + ROW * player
        colour = PLAYER_COLOURS[player % len(PLAYER_COLOURS)]
        parts.append(rectangle(MARGIN, top, wide, ROW - 4, colour, 0.35 if player == mover else 0.12))
        parts.append(label(MARGIN + 10, top + 20, f"player {player}", colour=TEXT))
        for column, text in enumerate(row):
            parts.append(label(lefts[column], top + 20, text, colour=TEXT))
    top = MARGIN + 30 + ROW * len(rows)
    if below:
        parts.append(label(MARGIN, top + 10, below, colour=TEXT))
        top += 24
    return choices(state, parts, top, lefts[-1], 60, 6)
