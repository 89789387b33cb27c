"""Circuit routing: connect pairs of pins on a board of two layers by short wires that do not touch.

The wire of a net is the cheapest path past the existing wires: Lee, "An algorithm for path connections and
its applications", 1961. A* finds it with a queue for each price, as in Dial, "Algorithm 360:
shortest-path forest with topological ordering", 1969.
"""

import math
from itertools import pairwise

import numpy as np

from branchwise.common.errors import GameError
from branchwise.drawing.grid import PLAYER_COLOURS, Cell, board_grid
from branchwise.drawing.shapes import GREY, MARGIN, choices, disc, label, line, rectangle
from branchwise.game.kinds.fields import Array
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.option_checks import check_file_alone, check_ranges, read_text

WAYS = ("short", "left", "right", "top", "bottom")
BLOCKED = -1
TO_COME, ROUTED, UNROUTED = 0, 1, 2

DOWN = (-1, 1, 0, 0)
RIGHT = (0, 0, -1, 1)
VIA = 4
"""The move to the other layer."""
_PLAIN, _DEAR, _GUARDED = 4, 3, 2
"""Prices: a step; a way's surcharge for cells it avoids; the surcharge for cells next to unrouted pins."""
_FAR = 1 << 30
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SIGNS = {".": (0, 0), "#": (BLOCKED, BLOCKED), "^": (BLOCKED, 0), "_": (0, BLOCKED)}
"""Contents of the top and the bottom layer, by the sign in a file."""
_WIDE = 24


def cheapest_path(owner, prices, moves, net, first, last, height, width, via):
    """Return the cell at which the cheapest path from pin to pin ends, or -1 if there is none.

    owner : cells of other nets and blocked cells are closed.   prices : of entering each cell, from _PLAIN.
    moves : the move by which the path entered each cell; modified in place.
    """
    area = height * width
    most = _PLAIN * (via + 4)  # more than a step can add to the lower bound of a path's cost
    last_row, last_column = last // width, last % width
    cost = np.empty(2 * area, np.int64)
    for cell in range(2 * area):
        cost[cell] = _FAR
    queues = np.empty((most, 2 * area), np.int16)
    count = np.zeros(most, np.int64)
    now = _PLAIN * (abs(first // width - last_row) + abs(first % width - last_column))
    empty = 0
    for layer in range(2):
        cost[first + layer * area] = 0
        queues[now % most, layer] = first + layer * area
    count[now % most] = 2
    while empty < most:
        queue = now % most
        if count[queue] == 0:
            now += 1
            empty += 1
            continue
        empty = 0
        count[queue] -= 1
        cell = queues[queue, count[queue]]
        if cell % area == last:
            return cell
        row, column = cell % area // width, cell % width
        if cost[cell] + _PLAIN * (abs(row - last_row) + abs(column - last_column)) < now:
            continue  # a cheaper path to this cell was found since
        for move in range(5):
            r, c, other, extra = row, column, (cell + area) % (2 * area), _PLAIN * (via - 1)
            if move != VIA:
                r, c, extra = row + DOWN[move], column + RIGHT[move], 0
                if not (0 <= r < height and 0 <= c < width):
                    continue
                other = cell + DOWN[move] * width + RIGHT[move]
            after = cost[cell] + prices[other] + extra
            if owner[other] in (0, net + 1) and after < cost[other]:
                cost[other] = after
                moves[other] = move
                left = _PLAIN * (abs(r - last_row) + abs(c - last_column))
                queue = (after + left) % most
                queues[queue, count[queue]] = other
                count[queue] += 1
    return -1


def cell_before(cell, move, height, width):
    """Return the cell from which a move led to `cell`."""
    if move == VIA:
        return (cell + height * width) % (2 * height * width)
    return cell - DOWN[move] * width - RIGHT[move]


def _generated(cls):
    """Return the owners of all cells and the pins of a generated board.

    Hidden wires are laid one after another, along cheapest paths with random prices, and their ends are the
    pins. So all nets of the board can be routed.
    """
    random = Random(cls.board)
    height, width = cls.rows, cls.columns
    area = height * width
    owner = np.zeros((2, height, width), np.int8)
    while (owner == BLOCKED).mean() < cls.obstacles:
        r, c = random.below(height), random.below(width)
        block = np.s_[r : r + 1 + random.below(3), c : c + 1 + random.below(3)]
        which = random.below(3)
        for layer in (which,) if which < 2 else (0, 1):
            owner[layer][block] = BLOCKED
    start = owner.reshape(-1)
    wired, pins = start.copy(), []
    for _ in range(20 * cls.nets):
        free = np.flatnonzero((wired[:area] == 0) & (wired[area:] == 0))
        if len(pins) == cls.nets or len(free) < 2:
            break
        first, last = random.below(len(free)), random.below(len(free) - 1)
        ends = int(free[first]), int(free[last + (last >= first)])
        prices = [_PLAIN + random.below(3 * _PLAIN) for _ in range(2 * area)]
        moves = [VIA] * (2 * area)
        cell = cheapest_path(wired.tolist(), prices, moves, len(pins), *ends, height, width, cls.via)
        if cell >= 0:
            while cell % area != ends[0]:
                wired[cell] = len(pins) + 1
                cell = cell_before(int(cell), moves[cell], height, width)
            for pin in ends:
                wired[pin] = wired[pin + area] = len(pins) + 1
            pins.append(ends)
    if len(pins) < cls.nets:
        raise GameError(
            f"{cls.name}: {cls.nets} nets do not fit on board {cls.board}",
            mend="choose fewer nets or obstacles, or a larger board",
        )
    order = np.arange(cls.nets)
    random.shuffle(order)  # their order would reveal in which order to route them
    return height, width, start, [pins[net] for net in order]


def _from_file(cls, where):
    """Return the size, the owners and the pins of the board in a file."""
    rows = [row.strip() for row in read_text(cls.file, where).splitlines() if row.strip()]
    height, width = len(rows), len(rows[0]) if rows else 0
    if not (2 <= height <= 50 and 2 <= width <= 50):
        raise GameError(f"{where} is a board of {height} by {width} cells, not from 2 to 50")
    start = np.zeros((2, height, width), np.int8)
    pins = {}
    for r, row in enumerate(rows):
        if len(row) != width:
            raise GameError(f"{where}: row {r + 1} has {len(row)} cells, and row 1 has {width}")
        for c, sign in enumerate(row):
            if sign in _SIGNS:
                start[:, r, c] = _SIGNS[sign]
            elif sign in _LETTERS:
                pins.setdefault(sign, []).append(r * width + c)
            else:
                raise GameError(
                    f"{where}: row {r + 1} has {sign!r}",
                    mend=". is free, # blocked, ^ and _ blocked on top or at the bottom; letters are pins",
                )
    for letter, places in pins.items():
        if len(places) != 2:
            raise GameError(f"{where} has {len(places)} pins {letter}, not 2")
    if not pins:
        raise GameError(f"{where} has no pins")
    return height, width, start.reshape(-1), [pins[letter] for letter in sorted(pins)]


class CircuitRouting(OnePlayer, Game):
    """Action 5 * net + way lays the wire of a net along the cheapest path left for it.

    The score is the length of all wires, paid as a cost; a via from one layer to the other counts `via`
    steps. A net without a path costs more than all wires together can. Pins are in both layers.

    A way says which cells are expensive for the wire: none, those on its right or left, or those of the
    bottom or the top layer. Cells next to pins of unrouted nets are always slightly expensive. So a line has
    one action for each net, and wires do not wander about, as they would if they grew cell by cell. An action
    means the same at any time; NRPA learns a rank for each, which makes an order.

    `board` is the number of a generated random board, on which all nets can be routed. A `file` has a sign
    for each cell: `.` is free, `#` blocked, `^` and `_` blocked on the top or the bottom layer, and each
    letter occurs twice, for the pins of a net.

    >>> state = CircuitRouting.configured(rows=4, columns=6, nets=3, obstacles=0.0)()
    >>> for net in "acb":
    ...     _ = state.play(net)
    >>> print(state)
    4  .. .. AA ba b. BB
    3  .. BB b. ba .a ..
    2  .. .. CC .. .a .a
    1  CC .c .c .. .. AA
        a  b  c  d  e  f
    length 14, 3 of 3 nets routed
    """

    rows = 12
    columns = 12
    nets = 12
    obstacles = 0.1
    via = 3
    board = 1
    file = ""

    max_return = 0.0

    owner: Array[np.int8, "num_cells"] = 0
    """Owner of each cell, the top layer first: net + 1, 0 if it is free, or BLOCKED."""
    moves: Array[np.int8, "num_cells"] = 0
    """1 + the move by which a wire entered the cell."""
    pins: Array[np.int16, "num_nets", 2] = 0
    """Cells of the pins: row * width + column."""
    status: Array[np.int8, "num_nets"] = TO_COME
    to_come: np.int8 = 0

    @classmethod
    def configure(cls):
        check_ranges(cls, rows=(2, 50), columns=(2, 50), nets=(1, 26), via=(1, 20), obstacles=(0, 0.5))
        if cls.file:
            where = f"circuit_routing(file={cls.file!r})"
            check_file_alone(cls, where, ("rows", "columns", "nets", "obstacles", "board"))
            found = _from_file(cls, where)
        else:
            found = _generated(cls)
        cls.height, cls.width, owner, pins = found
        cls.area = cls.height * cls.width
        cls.num_cells = 2 * cls.area
        cls.num_nets = len(pins)
        cls.num_actions = len(WAYS) * cls.num_nets
        cls.max_game_length = cls.num_nets
        cls.fine = (2 + cls.via) * cls.area
        cls.min_return = -float(cls.fine * cls.num_nets)
        cls.start_pins = np.array(pins, np.int16)
        cls.start = owner.copy()
        for net, ends in enumerate(pins):
            for pin in ends:
                cls.start[[pin, pin + cls.area]] = net + 1

    def setup(self):
        self.owner[:] = self.start
        self.pins[:] = self.start_pins
        self.to_come = self.num_nets

    def legal_actions(self):
        for action in range(self.num_actions):
            if self.status[action // 5] == TO_COME:
                yield action

    def apply_action(self, action):
        net = action // 5
        self.to_come -= 1
        moves = np.zeros(self.num_cells, np.int8)
        cell = cheapest_path(
            self.owner,
            self.prices(net, action % 5),
            moves,
            net,
            self.pins[net, 0],
            self.pins[net, 1],
            self.height,
            self.width,
            self.via,
        )
        if cell < 0:
            self.status[net] = UNROUTED
            return -float(self.fine)
        self.status[net] = ROUTED
        length = 0
        while cell % self.area != self.pins[net, 0]:
            self.owner[cell] = net + 1
            self.moves[cell] = moves[cell] + 1
            length += self.via if moves[cell] == VIA else 1
            cell = cell_before(cell, moves[cell], self.height, self.width)
        return -float(length)

    def prices(self, net, way):
        """Return the price of each cell for a wire."""
        prices = np.empty(self.num_cells, np.int64)
        for cell in range(self.num_cells):
            avoided = 3 if cell >= self.area else 4
            prices[cell] = _PLAIN + (_DEAR if way == avoided else 0)
        if way in (1, 2):
            side = 1 if way == 1 else -1
            row, column = self.pins[net, 0] // self.width, self.pins[net, 0] % self.width
            down = self.pins[net, 1] // self.width - row
            right = self.pins[net, 1] % self.width - column
            for place in range(self.area):
                r, c = place // self.width - row, place % self.width - column
                if side * (r * right - c * down) > 0:
                    prices[place] += _DEAR
                    prices[place + self.area] += _DEAR
        for other in range(self.num_nets):
            if self.status[other] == TO_COME and other != net:
                for end in range(2):
                    row, column = self.pins[other, end] // self.width, self.pins[other, end] % self.width
                    for move in range(4):
                        r, c = row + DOWN[move], column + RIGHT[move]
                        if 0 <= r < self.height and 0 <= c < self.width:
                            prices[r * self.width + c] += _GUARDED
                            prices[r * self.width + c + self.area] += _GUARDED
        return prices

    def is_terminal(self):
        return self.to_come == 0

    def prior(self, action):
        """Prefer short nets and short wires."""
        first, last = self.pins[action // 5, 0], self.pins[action // 5, 1]
        rows = abs(first // self.width - last // self.width)
        columns = abs(first % self.width - last % self.width)
        return math.exp(-0.25 * (rows + columns)) * (2.0 if action % 5 == 0 else 1.0)

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        letter = _LETTERS[action // 5].lower()
        return f"{letter}-{WAYS[action % 5]}" if action % 5 else letter

    def wire(self, net):
        """Return the cells of a wire from the last pin to the first; none if there is no wire."""
        first, last = self.pins[net].tolist()
        ends = [cell for cell in (last, last + self.area) if self.moves[cell]]
        cells = ends[:1]
        while cells and cells[-1] % self.area != first:
            cell = cells[-1]
            cells.append(cell_before(cell, int(self.moves[cell]) - 1, self.height, self.width))
        return cells

    def length(self):
        """Return the length of all wires so far, with their vias."""
        moves = self.moves[self.moves > 0] - 1
        return int(np.where(moves == VIA, self.via, 1).sum())

    def told(self):
        """Return the progress so far in words."""
        parts = [f"length {self.length()}", f"{(self.status == ROUTED).sum()} of {self.num_nets} nets routed"]
        unrouted = [_LETTERS[net] for net in np.flatnonzero(self.status == UNROUTED)]
        return ", ".join(parts + ([f"no way for {' '.join(unrouted)}"] if unrouted else []))

    def __str__(self):
        return f"{super().__str__()}\n{self.told()}"

    def to_grid(self):
        """Describe the board: two signs for each cell, one for the top and one for the bottom layer."""

        def cell(row, column):
            place = row * self.width + column
            if place in self.pins:
                letter = _LETTERS[self.owner[place] - 1]
                return Cell(letter + letter)
            owners = self.owner[place], self.owner[place + self.area]
            return Cell("".join("#" if o == BLOCKED else f".{_LETTERS.lower()}"[o] for o in owners))

        return board_grid(self.height, self.width, cell)

    def to_svg(self):
        """Draw wires of the top layer in blue, of the bottom layer in red, and a button for each action."""
        at = [
            (MARGIN + _WIDE * (place % self.width + 0.5), MARGIN + _WIDE * (place // self.width + 0.5))
            for place in range(self.area)
        ]
        inks = PLAYER_COLOURS[1], PLAYER_COLOURS[0]
        parts = []
        for place, (x, y) in enumerate(at):
            corner = x - _WIDE / 2 + 1, y - _WIDE / 2 + 1, _WIDE - 2, _WIDE - 2
            parts.append(rectangle(*corner, GREY, 0.1))
            for layer in range(2):
                if self.owner[place + layer * self.area] == BLOCKED:
                    parts.append(rectangle(*corner, inks[layer], 0.3))
        for net in range(self.num_nets):
            cells = self.wire(net)
            for here, there in pairwise(cells):
                if here % self.area == there % self.area:
                    parts.append(disc(*at[here % self.area], 5, GREY))
                else:
                    ends = [at[here % self.area], at[there % self.area]]
                    parts.append(line(ends, inks[here // self.area], 3))
            for pin in self.pins[net].tolist():
                x, y = at[pin]
                parts.append(disc(x, y, 9, inks[0] if self.status[net] == UNROUTED else GREY))
                parts.append(label(x, y + 5, _LETTERS[net], anchor="middle", colour="#fff"))
        right, bottom = MARGIN + _WIDE * self.width, MARGIN + _WIDE * self.height
        return choices(self, parts, bottom, right, self.told())
