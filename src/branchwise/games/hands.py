"""Text and boards of games in which each player has a hand: a table with a row for each player."""

from branchwise.boards.style import BoardStyle

HIDDEN = "?"


def hand_style(players, columns, texts, table=()):
    """Return the style of a board with a row for each player, and one for the table if that has texts.

    texts, table : of the kinds from 2 on, of the players' cells and of the table's; kind 1 is face down.
    """
    rows = [*(f"player {player}" for player in range(players)), *(["table"] if table else [])]
    symbols = [(".", HIDDEN, *table), *[(".", HIDDEN, *texts)] * players]
    return BoardStyle("cards", len(rows), columns, symbols, column_labels=(), row_labels=rows)


class HandTable:
    """The text of a game in which each player has a hand, for its class to inherit.

    A game may have `hand_table()`, the headings and the rows of a table, and `below()`, a line below.
    """

    def hand_table(self):
        """Return headings, and the text of each player's card and bet."""
        rows = self.to_grid().cells[: self.num_players]
        return ("card", "bet"), [tuple(cell.text.removeprefix("bet ") for cell in row) for row in rows]

    def below(self):
        return ""

    def action_squares(self, action):
        return ()

    def board_caption(self):
        return self.below()

    def __str__(self):
        return table_text(*self.hand_table(), shown_mover(self), self.below())


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
