"""Battleship: lay ships in secret, then shoot in turns at each other's board.

A shot tells whether it hit water, hit a ship, or sank one: all cells of the ship are hit then. It does not
tell which ship it was. The game ends when a player has no ship left, or both have no shots left. A return
is the value of the other's sunk ships minus that of the player's own, times `loss_multiplier`. OpenSpiel has
the same rules; Farina, Ling, Fang, Sandholm, "Correlation in extensive-form games: saddle-point formulation
and benchmarks", 2019.
"""

import math

import numpy as np

from branchwise.boards.layer import NO_CELL
from branchwise.boards.style import BoardStyle
from branchwise.common.errors import GameError
from branchwise.drawing.grid import cell_name, column_names
from branchwise.game.kinds.fields import Array, Private
from branchwise.game.rules_class import Game
from branchwise.games.boards import place_piece
from branchwise.games.fleet_draws import draw_fleet
from branchwise.games.fleets import NO_GOALS, NONE, arrange, least_free, nones, open_places, place_table

WATER, HIT, SUNK = 1, 2, 3
MOST_SHOTS = 1000
NEVER = MOST_SHOTS
"""The number of a shot that is never fired; shots are numbered from 0."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Battleship(Game):
    """Action row * columns + column shoots at a cell; row 0 is on top.

    Ships are laid in order, each on a cell and those to its right, "b3h", or below it, "b3v". These actions
    follow in this order. A ship may only be laid where there is room for the rest.

    rows, columns : 1 to 10.   sizes : the lengths of the ships, 1 to 26 of them.   values : what each ship is
    worth, from 0; empty: 1 each.   shots : of each player, 1 to 1000.   repeats : whether a cell may be shot
    at again.   loss_multiplier : weight of a player's own losses; the game is zero-sum if it is 1.

    >>> from branchwise.games import load_game
    >>> state = load_game("battleship(rows=2,columns=3,sizes=(2,),shots=3)").from_actions("a2h c2v b1 c2 a2")
    >>> print(state)
    player 0    player 1
    2 a a ~     2 ~ . a
    1 . . .     1 . ~ a
      a b c       a b c
    player 1 shoots, 2 shots left
    """

    rows = 10
    columns = 10
    sizes = (2, 3, 3, 4, 5)
    values = ()
    shots = 50
    repeats = True
    loss_multiplier = 1.0

    num_players = 2

    ships: Private[np.int16, 2, "num_ships"] = 0
    """The action that laid each ship, or 0."""
    turn: np.int16 = 0
    marks: Array[np.int8, 2, "cells"] = 0
    """What the last shot at each cell of a player's board told, or 0."""
    told: Array[np.int16, 2, "shots"] = 0
    """All shots at a player's board in order, 4 * cell + what it told."""
    num_sunk: Array[np.int8, 2] = 0

    @classmethod
    def configure(cls):
        cls.check_options()
        cls.num_ships = len(cls.sizes)
        cls.cells = cls.rows * cls.columns
        cls.num_actions = 3 * cls.cells
        names, ships = column_names(cls.columns), (".", *LETTERS, *LETTERS.upper())
        cls.board_style = BoardStyle(
            "marks", "rows", 2 * cls.columns + 1, (".~xX", ships, ships), column_labels=(*names, "", *names)
        )
        cls.max_game_length = 2 * (cls.num_ships + cls.shots)
        cls.lengths = np.array(cls.sizes, np.int64)
        cls.worth = np.array(cls.values or [1.0] * cls.num_ships, np.float64)
        cls.spans, cls.num_places, cls.laying = place_table(cls.rows, cls.columns, cls.sizes)
        numbers = np.arange(cls.spans[:, :, 0].size, dtype=np.int32)
        cls.every = numbers.reshape(cls.spans.shape[:2])  # all options, for `games.fleets`
        least = least_free(cls.spans, cls.sizes, cls.num_places, cls.cells)
        cls.is_tight = bool(least.min() < 1)  # whether ships may leave too little room for the next ones
        cls.least = np.ones(cls.num_ships, np.int64) if cls.is_tight else least
        taken, laid = np.zeros(cls.cells, np.bool_), nones(cls.num_ships)
        if not arrange(cls.spans, cls.lengths, NO_GOALS, cls.every, cls.num_places, taken, laid):
            raise GameError(
                f"ships of the lengths {cls.sizes} do not fit on {cls.rows} by {cls.columns} cells",
                mend="fewer or shorter ships, or a larger board",
            )
        total, loss = float(cls.worth.sum()), float(cls.loss_multiplier)
        cls.max_return = total * (1.0 - min(loss, 0.0))
        cls.min_return = -total * max(loss, 0.0)
        cls.utility = "zero_sum" if loss == 1.0 else "general_sum"

    @classmethod
    def check_options(cls):
        """Raise `GameError` for an option outside its range."""
        longest = max(cls.rows, cls.columns)
        sizes, values = cls.sizes, cls.values
        for is_right, option, mend in (
            (1 <= cls.rows <= 10, "rows", "1 to 10"),
            (1 <= cls.columns <= 10, "columns", "1 to 10"),
            (1 <= len(sizes) <= 26, "sizes", "the lengths of 1 to 26 ships: (2, 3)"),
            (
                all(type(size) is int and 1 <= size <= longest for size in sizes),
                "sizes",
                f"whole numbers from 1 to {longest}, the longer side of the board",
            ),
            (
                len(values) in (0, len(sizes)),
                "values",
                f"one number for each of the {len(sizes)} ships, or none",
            ),
            (
                all(type(value) in (int, float) and 0 <= value < math.inf for value in values),
                "values",
                "numbers from 0",
            ),
            (not values or max(values) > 0, "values", "at least one above 0"),
            (1 <= cls.shots <= MOST_SHOTS, "shots", f"1 to {MOST_SHOTS}"),
            (cls.repeats or cls.shots <= cls.rows * cls.columns, "shots", "at most one for each cell"),
            (math.isfinite(cls.loss_multiplier), "loss_multiplier", "a finite number"),
        ):
            if not is_right:
                given = str(getattr(cls, option)).replace(" ", "")
                raise GameError(f"battleship({option}={given}) is outside its range", mend=mend)

    def current_player(self):
        return self.turn % 2

    def is_laying(self):
        return self.turn < 2 * self.num_ships

    def num_laid(self, player):
        """Return how many ships a player has laid."""
        return min(self.num_ships, (self.turn + 1 - player) // 2)

    def legal_actions(self):
        if self.is_laying():
            ship = self.turn // 2
            for place in self.open_places(ship):
                yield self.laying[ship, place]
        else:
            for cell in range(self.cells):
                if self.repeats or self.marks[1 - self.turn % 2, cell] == 0:
                    yield cell

    def sample_action(self, random):
        if self.is_laying():
            ship = self.turn // 2
            places = self.open_places(ship)
            return self.laying[ship, places[random.below(places.size)]]
        cell = random.below(self.cells)
        while not self.repeats and self.marks[1 - self.turn % 2, cell] != 0:
            cell = random.below(self.cells)
        return cell

    def open_places(self, ship):
        """Return the places on which the mover may lay the next ship."""
        mover = self.turn % 2
        taken = np.zeros(self.cells, np.bool_)
        laid = nones(self.num_ships)
        for other in range(ship):
            laid[other] = 0
            for step in range(self.lengths[other]):
                taken[self.cell_of(mover, other, step)] = True
        return open_places(
            self.spans, self.lengths, self.every, self.num_places, taken, laid, ship, self.is_tight
        )

    def cell_of(self, owner, ship, step):
        """Return a cell under a ship: the number `step`, from 0."""
        action = self.ships[owner, ship]
        return action % self.cells + step * (1 if action < 2 * self.cells else self.columns)

    def ship_at(self, owner, cell):
        """Return the ship on a cell of a player's board, or NONE."""
        for ship in range(self.num_ships):
            if self.ships[owner, ship] != 0:
                for step in range(self.lengths[ship]):
                    if self.cell_of(owner, ship, step) == cell:
                        return ship
        return NONE

    def apply_action(self, action):
        if self.is_laying():
            self.ships[self.turn % 2, self.turn // 2] = action
        else:
            self.shoot(1 - self.turn % 2, action)
        self.turn += 1

    def shoot(self, owner, cell):
        """Shoot at a cell of a player's board."""
        is_first = self.marks[owner, cell] == 0
        self.marks[owner, cell] = WATER
        ship = self.ship_at(owner, cell)
        if ship != NONE:
            self.marks[owner, cell] = SUNK
            for step in range(self.lengths[ship]):
                if self.marks[owner, self.cell_of(owner, ship, step)] == 0:
                    self.marks[owner, cell] = HIT
        mark = self.marks[owner, cell]
        self.told[owner, self.num_shots(owner)] = 4 * cell + mark
        if is_first and mark == SUNK:
            self.num_sunk[owner] += 1

    def num_shots(self, owner):
        """Return how many shots were fired at a player's board."""
        return max(0, (self.turn + owner) // 2 - self.num_ships)

    def is_terminal(self):
        return (
            self.num_sunk[0] == self.num_ships
            or self.num_sunk[1] == self.num_ships
            or self.turn == self.max_game_length
        )

    def returns(self):
        lost = np.zeros(2)
        for owner in range(2):
            for ship in range(self.num_ships):
                if self.is_sunk(owner, ship):
                    lost[owner] += self.worth[ship]
        return (lost[1] - self.loss_multiplier * lost[0], lost[0] - self.loss_multiplier * lost[1])

    def is_sunk(self, owner, ship):
        for step in range(self.lengths[ship]):
            if self.marks[owner, self.cell_of(owner, ship, step)] == 0:
                return False
        return True

    def determinize(self, player, random):
        """Lay the other's ships anew, so that all shots tell what they told."""
        owner = 1 - player
        places = draw_fleet(
            self.spans,
            self.lengths,
            self.least,
            self.every,
            self.num_places,
            self.allowed(owner),
            self.hits(owner),
            self.cells,
            self.is_tight,
            random,
        )
        for ship in range(places.size):
            self.ships[owner, ship] = self.laying[ship, places[ship]]

    def hits(self, owner):
        """Return the cells at which a ship was hit, int64."""
        hits = np.zeros(self.cells, np.int64)
        count = 0
        for cell in range(self.cells):
            if self.marks[owner, cell] >= HIT:
                hits[count] = cell
                count += 1
        return hits[:count]

    def allowed(self, owner):
        """Return whether each place of each ship laid fits the shots, bool [ships laid, places].

        A ship sinks with the last of the first shots at its cells. Shots at them told a hit before that, and
        since then that it has sunk.
        """
        first = np.zeros(self.cells, np.int64)
        last_hit = nones(self.cells)
        first_sunk = np.zeros(self.cells, np.int64)
        for cell in range(self.cells):
            first[cell] = first_sunk[cell] = NEVER
        for shot in range(self.num_shots(owner)):
            cell, mark = divmod(self.told[owner, shot], 4)
            first[cell] = min(first[cell], shot)
            if mark == HIT:
                last_hit[cell] = shot
            elif mark == SUNK:
                first_sunk[cell] = min(first_sunk[cell], shot)
        allowed = np.zeros((self.num_laid(owner), self.every.shape[1]), np.bool_)
        for ship in range(self.num_laid(owner)):
            for place in range(self.num_places[ship]):
                sinks = 0
                fits = True
                for step in range(self.lengths[ship]):
                    sinks = max(sinks, first[self.spans[ship, place, step]])
                for step in range(self.lengths[ship]):
                    cell = self.spans[ship, place, step]
                    if self.marks[owner, cell] == WATER or not last_hit[cell] < sinks <= first_sunk[cell]:
                        fits = False
                allowed[ship, place] = fits
        return allowed

    def action_to_string(self, action):
        kind, cell = divmod(action, self.cells)
        return f"{cell_name(cell, self.rows, self.columns)}{('', 'h', 'v')[kind]}"

    def board_caption(self):
        """Return a line on what to do next."""
        if self.is_terminal():
            return ""
        mover = self.turn % 2
        if self.is_laying():
            return f"player {mover} lays a ship of {self.sizes[self.turn // 2]}"
        left = self.shots - self.num_shots(1 - mover)
        return f"player {mover} shoots, {left} shot{'' if left == 1 else 's'} left"

    def board_cells(self, out):
        """Fill in both boards: a letter for a ship, capital if hit; x or X: told hit or sunk."""
        out[:, :, 1] = NO_CELL
        for owner in range(2):
            for cell in range(self.cells):
                mark, ship = self.marks[owner, cell], self.ship_at(owner, cell)
                square = self.square(owner, cell)
                if ship == NONE:
                    place_piece(out, square, -1, mark)
                else:
                    place_piece(out, square, owner, 1 + ship + (len(LETTERS) if mark else 0))

    def square(self, owner, cell):
        """Return the square of a cell on the boards of both players, side by side."""
        across = 2 * self.columns + 1
        return cell // self.columns * across + owner * (self.columns + 1) + cell % self.columns

    def action_squares(self, action):
        mover = self.turn % 2
        if self.is_laying():
            cell, length = action % self.cells, self.lengths[self.turn // 2]
            yield self.square(mover, cell)
            if length > 1:
                yield self.square(
                    mover, cell + (length - 1) * (1 if action < 2 * self.cells else self.columns)
                )
        else:
            yield self.square(1 - mover, action)

    def __str__(self):
        grid, margin = self.to_grid(), len(str(self.rows))
        wide = max(margin + 2 * self.columns, 8) + 4
        lines = ["".join(f"player {owner}".ljust(wide) for owner in range(2))]
        rows = [*([cell.text for cell in row] for row in grid.cells), grid.column_labels]
        for label, texts in zip((*grid.row_labels, ""), rows, strict=True):
            boards = texts[: self.columns], texts[self.columns + 1 :]
            lines.append("".join(" ".join([label.rjust(margin), *board]).ljust(wide) for board in boards))
        return "\n".join(line.rstrip() for line in [*lines, *grid.beneath])
