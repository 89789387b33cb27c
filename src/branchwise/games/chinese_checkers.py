"""Chinese checkers: bring ten men across the star, by steps and by chains of hops; two to six players.

A turn is a step to a neighbouring cell, or a chain of hops over single men of any player. Each hop is an
action of its own, and so is stopping; a chain never returns to a cell that it has visited. The first player
whose men fill the opposite point of the star wins. After 1,000 turns the game is drawn; nobody has to leave
home, so one man who stays keeps the opponent from winning. The rules are OpenSpiel's, which has no game for
five players. With `spoiling=False`, a full opposite point wins if at least one of the men is one's own.
"""

import math

import numpy as np

from branchwise.boards.layer import NO_CELL
from branchwise.boards.style import BoardStyle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bits import lowest_bit
from branchwise.games.boards import place_piece
from branchwise.games.option_checks import check_ranges
from branchwise.games.symmetries import HEXAGON, move_bits, move_cells, symmetries_of

CELLS = 121
OFF = CELLS
"""Stands for all cells off the star; it is never empty."""
NOBODY, WALL = 0, 7
STOP = 6 * CELLS
NONE = -1
ROWS = (1, 2, 3, 4, 13, 12, 11, 10, 9, 10, 11, 12, 13, 4, 3, 2, 1)
STEPS = ((-1, -1), (-1, 1), (0, -2), (0, 2), (1, -1), (1, 1))
"""Rows down and half cells to the right, by direction."""
POINTS = {2: (0, 3), 3: (0, 2, 4), 4: (0, 1, 3, 4), 5: (0, 1, 2, 3, 4), 6: (0, 1, 2, 3, 4, 5)}
"""Home points of the star by number of players; 0 is on top, the others follow clockwise."""
COLOURS = ("red", "blue", "green", "yellow", "purple", "orange")

PLACES = tuple((row, 2 * place + 13 - length) for row, length in enumerate(ROWS) for place in range(length))
"""[cell]: row from the top, and half cells from the left."""
SQUARES = np.array([13 * row + half // 2 for row, half in PLACES])
"""[cell]: its square on a board of 17 rows by 13 columns."""
SHIFTS = [row % 2 for row in range(17)]


def _by_direction(steps):
    """Return [cell, direction]: the cell that is `steps` further, or OFF."""
    numbers = {place: cell for cell, place in enumerate(PLACES)}
    return np.array(
        [
            [numbers.get((row + steps * down, half + steps * right), OFF) for down, right in STEPS]
            for row, half in PLACES
        ],
        np.int16,
    )


NEAR = _by_direction(1)
HOP = _by_direction(2)


def _points():
    """Return [point, number]: the ten cells of each point of the star."""
    top = [cell for cell, (row, _) in enumerate(PLACES) if row < 4]
    points = []
    for turns in range(6):
        points.append(sorted(_turned(cell, turns) for cell in top))
    return np.array(points, np.int16)


def _turned(cell, turns):
    """Return the cell that a cell becomes if the star is turned clockwise by sixths."""
    row, half = PLACES[cell]
    down, right = row - 8, half - 12  # cube coordinates: x + y + z = 0
    x, z = (right - down) // 2, down
    y = -x - z
    for _ in range(turns):
        x, y, z = -z, -x, -y
    return PLACES.index((z + 8, 2 * x + z + 12))


POINT_CELLS = _points()


WAYS = symmetries_of([((half - row) // 2, row) for row, half in PLACES], HEXAGON, ((0, 1), (-1, 1)))
"""The symmetries that leave each point of the star on its side: two players keep their homes."""


def _distances():
    """Return [point, cell]: steps from a cell to the outermost cell of a point."""
    tips = [_turned(0, turns) for turns in range(6)]
    found = np.zeros((6, CELLS), np.int16)
    for point, tip in enumerate(tips):
        for cell in range(CELLS):
            down = abs(PLACES[cell][0] - PLACES[tip][0])
            right = abs(PLACES[cell][1] - PLACES[tip][1])
            found[point, cell] = down + max(0, right - down) // 2
    return found


DISTANCES = _distances()
ALL_HOME = int(DISTANCES[0, POINT_CELLS[0]].sum())
"""Steps of ten men that fill a point to its outermost cell."""


class ChineseCheckers(Game):
    """Action 6 * cell + direction moves the man on a cell: a step to an empty cell, else a hop over a man.

    The last action stops a chain of hops; a player who cannot move has no other. Cells are written as a
    letter from the left and a row from below: "a1" is the lowest, and "a17-b16" a move. The winner's return
    is the number of other players, theirs is -1.

    Random games rarely end, so that uniform playouts say little: searches use `evaluate` in their place,
    unless they are given `playout="uniform"`.

    >>> state = ChineseCheckers.from_actions("a14-e13 a4-e5 a16-a14")
    >>> [state.action_to_string(action) for action in state.legal_actions()]
    ['a14-d12', 'stop']
    """

    players = 2
    max_moves = 1000
    spoiling = True
    playout_cutoff = 0

    num_players = 2
    num_actions = STOP + 1
    num_net_inputs = 2 * CELLS
    utility = "zero_sum"

    board: Array[np.int8, CELLS + 1] = 0
    """[cell]: NOBODY, or 1 + the player whose man is there. The last is OFF."""
    men: Array[np.uint64, "players", 2] = 0
    """[player, half]: cells of the player's men, as bits: cell c is bit c % 64 of half c // 64."""
    mover: np.int8 = 0
    hopper: np.int16 = NONE
    """The man in a chain of hops."""
    visited: Array[np.uint64, 2] = 0
    """[half]: cells of the chain, as bits."""
    turns: np.int32 = 0
    winner: np.int8 = NONE

    @classmethod
    def configure(cls):
        check_ranges(cls, players=(2, 6))
        check_ranges(cls, max_moves=(1, 100_000))
        cls.num_players = cls.players
        cls.max_return = cls.players - 1.0
        cls.max_game_length = CELLS * cls.max_moves
        cls.homes = POINTS[cls.players]
        cls.symmetries = len(WAYS) if cls.players == 2 else 1
        symbols = [".", *((".", str(player + 1)) for player in range(cls.players))]
        colours = COLOURS[: cls.players]
        cls.board_style = BoardStyle("hexagons", 17, 13, symbols, colours, column_labels=(), shifts=SHIFTS)

    def setup(self):
        for player, home in enumerate(self.homes):
            for cell in POINT_CELLS[home]:
                self.board[cell] = player + 1
                self.men[player, int(cell) // 64] |= 1 << int(cell) % 64
        self.board[OFF] = WALL

    def current_player(self):
        return self.mover

    def legal_actions(self):
        if self.hopper != NONE:
            for direction in range(6):
                if self.may_hop_on(self.hopper, direction):
                    yield 6 * self.hopper + direction
            yield STOP
        else:
            found = False
            for half in range(2):
                men = np.uint64(self.men[self.mover, half])
                while men:
                    cell = 64 * half + lowest_bit(men)
                    men &= men - np.uint64(1)
                    for direction in range(6):
                        blocked = self.board[NEAR[cell, direction]] * self.board[HOP[cell, direction]]
                        found |= blocked == 0
                        if blocked == 0:
                            yield 6 * cell + direction
            if not found:
                yield STOP

    def may_hop_on(self, cell, direction):
        """Whether a chain can go on from a cell in this direction."""
        landing = HOP[cell, direction]
        if self.board[NEAR[cell, direction]] == 0 or self.board[landing] != 0:
            return False
        return not np.uint64(self.visited[landing // 64]) >> np.uint64(landing % 64) & np.uint64(1)

    def apply_action(self, action):
        if action == STOP:
            self.end_turn()
            return
        cell, direction = action // 6, action % 6
        target = NEAR[cell, direction]
        hops = self.board[target] != 0
        if hops:
            target = HOP[cell, direction]
            self.visit(cell)
            self.visit(target)
        self.board[cell] = NOBODY
        self.board[target] = self.mover + 1
        self.men[self.mover, cell // 64] ^= np.uint64(1) << np.uint64(cell % 64)
        self.men[self.mover, target // 64] ^= np.uint64(1) << np.uint64(target % 64)
        self.hopper = NONE
        if hops:
            for way in range(6):
                if self.may_hop_on(target, way):
                    self.hopper = target
        if self.hopper == NONE:
            self.end_turn()

    def visit(self, cell):
        self.visited[cell // 64] |= np.uint64(1) << np.uint64(cell % 64)

    def end_turn(self):
        if self.is_across(self.mover):
            self.winner = self.mover
        self.hopper = NONE
        self.visited[0] = 0
        self.visited[1] = 0
        self.turns += 1
        self.mover = (self.mover + 1) % self.players

    def is_across(self, player):
        """Whether a player's men fill the point opposite their home; without spoiling, others' may help."""
        goal = (self.homes[player] + 3) % 6
        own = 0
        for number in range(10):
            owner = self.board[POINT_CELLS[goal, number]]
            if owner == player + 1:
                own += 1
            elif self.spoiling or owner == NOBODY:
                return False
        return own > 0

    def is_terminal(self):
        return self.winner != NONE or self.turns >= self.max_moves

    def returns(self):
        worth = np.zeros(self.players)
        if self.winner != NONE:
            worth[:] = -1.0
            worth[self.winner] = self.players - 1.0
        return worth

    def evaluate(self):
        """Return an estimate by the steps that each player's men still need, for `cutoff`.

        Each player's chance of winning is taken as in proportion to exp(-steps / 12): of two players, one who
        is 12 steps ahead has a value of 0.46.
        """
        shares = np.zeros(self.players)
        least = 1_000_000
        for player in range(self.players):
            least = min(least, self.steps_left(player))
        total = 0.0
        for player in range(self.players):
            shares[player] = math.exp((least - self.steps_left(player)) / 12)
            total += shares[player]
        for player in range(self.players):
            shares[player] = self.players * shares[player] / total - 1.0
        return shares

    def steps_left(self, player):
        """Return the steps that a player's men need to fill their goal if nothing is in the way."""
        goal = (self.homes[player] + 3) % 6
        steps = -ALL_HOME
        for half in range(2):
            men = np.uint64(self.men[player, half])
            while men:
                steps += DISTANCES[goal, 64 * half + lowest_bit(men)]
                men &= men - np.uint64(1)
        return steps

    def net_inputs(self, player):
        if self.hopper != NONE:
            yield self.hopper
        for cell in range(CELLS):
            if np.uint64(self.visited[cell // 64]) >> np.uint64(cell % 64) & np.uint64(1):
                yield CELLS + cell

    def symmetry(self, k):
        move_cells(self.board, WAYS[k])
        move_bits(self.visited, WAYS[k], 64)
        for player in range(self.players):
            move_bits(self.men[player], WAYS[k], 64)
        if self.hopper != NONE:
            self.hopper = WAYS[k, self.hopper]

    def symmetry_action(self, k, action):
        return STOP if action == STOP else 6 * WAYS[k, action // 6] + (action % 6 ^ k)

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        if action == STOP:
            return "stop"
        cell, direction = divmod(action, 6)
        target = NEAR[cell, direction]
        return f"{NAMES[cell]}-{NAMES[HOP[cell, direction] if self.board[target] else target]}"

    def board_cells(self, out):
        out[:, :, 1] = NO_CELL
        for cell in range(CELLS):
            owner = self.board[cell] - 1
            place_piece(out, SQUARES[cell], owner, 1 if owner >= 0 else 0)

    def action_squares(self, action):
        if action != STOP:
            cell, direction = action // 6, action % 6
            target = NEAR[cell, direction]
            yield SQUARES[cell]
            yield SQUARES[HOP[cell, direction] if self.board[target] else target]

    def board_caption(self):
        """Return a line about the turn."""
        if self.winner != NONE:
            return f"player {self.winner} has won"
        hopping = f", hopping from {NAMES[self.hopper]}" if self.hopper != NONE else ""
        return f"player {self.mover} ({self.mover + 1}) to move{hopping}"

    def __str__(self):
        lines = []
        for row, length in enumerate(ROWS):
            first = sum(ROWS[:row])
            men = " ".join(".123456"[self.board[cell]] for cell in range(first, first + length))
            lines.append(f"{17 - row:>2} {' ' * (13 - length)}{men}")
        return "\n".join([*lines, self.board_caption()])


NAMES = tuple(
    f"{chr(ord('a') + place)}{17 - row}" for row, length in enumerate(ROWS) for place in range(length)
)
"""[cell]: a letter from the left, and the row from below."""
