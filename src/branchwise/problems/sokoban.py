"""Sokoban: push all boxes onto goals; they cannot be pulled.

Levels are read in the usual text format. A box on a cell from which no goal can be reached is the simplest
deadlock of Junghanns, Schaeffer, "Sokoban: enhancing general single-agent search methods using domain
knowledge", 2001.
"""

import math
import re

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.errors import GameError
from branchwise.drawing.grid import cell_name
from branchwise.game.kinds.fields import Array
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.boards import place_piece
from branchwise.games.option_checks import check_file_alone, check_ranges, read_text
from branchwise.problems.reached import reached_from

NAMES = ("up", "left", "down", "right")
SIGNS = "#@+$*. -_"
WALL, BOX, PLAYER, GOAL = 1, 2, 3, 4
"""Kinds of cells; on a goal, 4 more."""
ON, SOLVED, STUCK = 0, 1, 2
_MEND = "# is a wall, $ a box, . a goal, @ the player; * and + are on a goal; blank, - and _ are floor"
_FLOOR = " -_"
_SIGNS_OF_ROWS = re.compile(rf"\s*[{re.escape(SIGNS)}0-9|()]*")
_SHORTENED = re.compile(r"(\d*)\(([^()]*)\)|(\d+)([^\d()|])")
"""A number before signs in brackets, or before one sign."""
_LONGEST = 10_000
_LARGEST = 30
_SELDOM = 1e-6
_PULLS = 200
_TRIES = 100


def _generated(cls):
    """Return the rows of a generated level: the position farthest from the goals during random pulls."""
    random = Random(cls.level)
    width = cls.columns
    steps = (-width, -1, width, 1)
    inner = [r * width + c for r in range(1, cls.rows - 1) for c in range(1, width - 1)]
    for _ in range(_TRIES):
        is_wall = np.ones(cls.rows * width, np.bool_)
        is_wall[[cell for cell in inner if random.below(5) > 0]] = False
        floor = _reached(is_wall, inner[random.below(len(inner))], steps)
        if len(floor) < 2 * cls.boxes + 1:
            continue
        random.shuffle(order := np.array(sorted(floor)))
        goals, player = order[: cls.boxes].tolist(), int(order[-1])
        far = _distances(set(range(len(is_wall))) - floor, goals, steps)
        boxes, worst, kept = set(goals), 0, None
        for _ in range(_PULLS):
            closed = np.ones(len(is_wall), np.bool_)
            closed[list(floor - boxes)] = False
            near = _reached(closed, player, steps)
            pulls = [
                (box, step)
                for box in sorted(boxes)
                for step in steps
                if box + step in near and box + 2 * step in floor - boxes
            ]
            if not pulls:
                break
            box, step = pulls[random.below(len(pulls))]
            boxes = boxes - {box} | {box + step}
            player = box + 2 * step
            total = sum(far[one] for one in boxes)
            if total > worst:
                worst, kept = total, (boxes, player)
        if kept is not None and worst >= 2 * cls.boxes:
            boxes, player = kept
            signs = [" " if cell in floor else "#" for cell in range(len(is_wall))]
            for cell in goals:
                signs[cell] = "."
            for cell in boxes:
                signs[cell] = "*" if cell in goals else "$"
            signs[player] = "+" if player in goals else "@"
            return ["".join(signs[r * width : (r + 1) * width]) for r in range(cls.rows)]
    raise GameError(
        f"{cls.name}: no level {cls.level} of this size was found",
        mend="choose a larger board or fewer boxes",
    )


def _reached(closed, start, steps):
    """Return the set of cells to which the player can walk."""
    return set(reached_from([start], lambda cell: [cell + s for s in steps if not closed[cell + s]]))


def _distances(walls, goals, steps):
    """Return the number of pushes from each cell to the nearest goal, if walls are the only obstacles."""

    def pulled(cell):
        return [cell + s for s in steps if cell + s not in walls and cell + 2 * s not in walls]

    return reached_from(goals, pulled)


def _from_file(cls, where):
    """Return the rows of a level in a file."""
    # Names of authors may be in any encoding; a sign that is not ASCII is an error only in a row.
    levels = _levels(read_text(cls.file, where, errors="replace").splitlines(), where)
    for first, rows in levels[: max(cls.level, 0)]:
        if _players(rows) != 1:
            raise GameError(
                f"{where}, line {first}: the level that begins here has {_players(rows)} players, not 1",
                mend="an empty row inside a level is written as - or _",
            )
    if not 1 <= cls.level <= len(levels):
        raise GameError(f"{where} has {len(levels)} levels, numbered from 1")
    return levels[cls.level - 1][1]


def _levels(lines, where):
    """Return the levels in the lines of a file: the line in which each begins, and its rows.

    Lines that are not rows separate levels. A line without walls is a row if it is floor alone and rows are
    above and below it.
    """
    levels, is_open, floors = [], False, []
    for number, line in enumerate(lines, start=1):
        here = f"{where}, line {number}"
        signs = _SIGNS_OF_ROWS.match(line)[0]
        if "#" in signs:
            rows = _expanded(line, here)
            strange = "".join(rows).translate(str.maketrans("", "", SIGNS))
            if strange:
                raise GameError(f"{here} has {strange[0]!r}", mend=_MEND)
            if not is_open or ("|" in line and _players(levels[-1][1])):
                levels.append((number, []))
                floors = []
            levels[-1][1].extend([*floors, *rows])
            is_open, floors = True, []
        elif is_open and signs == line and signs.strip() and not signs.strip().isdecimal():
            floors += _expanded(line, here)
            if any(row.strip(_FLOOR) for row in floors):
                raise GameError(f"{here} has no wall", mend=_MEND)
        else:
            is_open, floors = False, []
    return levels


def _players(rows):
    return sum(row.count("@") + row.count("+") for row in rows)


def _expanded(line, where):
    """Return the rows of a line, which may be shortened: 3#2(-$)|5# is ###-$-$ and #####."""
    found = 1
    while found:
        if len(line) > _LONGEST:
            raise GameError(f"{where} is longer than {_LONGEST:,} signs")
        line, found = _SHORTENED.subn(_repeated, line)
    return [row.rstrip() for row in line.strip("|").split("|")]


def _repeated(part):
    number, group, single, sign = part.groups()
    signs = group if sign is None else sign
    return signs * min(int((number or single or "1")[:6]), _LONGEST // max(len(signs), 1) + 1)


class Sokoban(OnePlayer, Game):
    """Action 4 * cell + direction pushes the box of a cell up, left, down or right. Each push costs 1.

    Walking costs nothing, so states with the player in the same part of the floor are equal, and show the
    player on its first cell. A line ends when all boxes are on goals. It also ends, at a cost of `fine`, when
    a box can never reach a goal from its cell or no push is left.

    `level` is the number of a generated random level, which can be solved; with `file`, of a level in a text
    file. There `#` is a wall, `$` a box, `.` a goal, `@` the player, and `*` and `+` are a box and the player
    on a goal. A floor is a blank, `-` or `_`. Rows may be shortened: `3#2-|5#` is `###--` and `#####`.

    >>> state = Sokoban.configured(rows=5, columns=6, boxes=1)()
    >>> print(state)
    5  # # # # # #
    4  # @ .     #
    3  #   $     #
    2  #   #     #
    1  # # # # # #
       a b c d e f
    >>> state.heuristic()
    3
    """

    rows = 8
    columns = 8
    boxes = 3
    level = 1
    file = ""

    board_style = BoardStyle("tiles", "height", "width", (" #$@.#*+",))
    max_return = 0.0

    is_box: Array[np.bool_, "num_cells"] = False
    is_near: Array[np.bool_, "num_cells"] = False
    """Cells that the player can walk to."""
    status: np.int8 = ON

    @classmethod
    def configure(cls):
        if cls.file:
            where = f"sokoban(file={cls.file!r},level={cls.level})"
            check_file_alone(cls, where, ("rows", "columns", "boxes"))
            rows = _from_file(cls, where)
        else:
            check_ranges(cls, rows=(4, _LARGEST), columns=(4, _LARGEST), boxes=(1, 20))
            where = cls.name
            rows = _generated(cls)
        cls.height, cls.width = len(rows), max(map(len, rows))
        if max(cls.height, cls.width) > _LARGEST:
            raise GameError(f"{where} is {cls.height} by {cls.width} cells, but {_LARGEST} are the most")
        signs = np.array([list(row.ljust(cls.width)) for row in rows]).reshape(-1)
        cls.num_cells = len(signs)
        cls.num_actions = 4 * cls.num_cells
        cls.steps = np.array([-cls.width, -1, cls.width, 1])
        cls.is_wall = signs == "#"
        cls.is_goal = np.isin(signs, list(".*+"))
        cls.start = np.isin(signs, list("$*"))
        players = np.flatnonzero(np.isin(signs, list("@+")))
        if len(players) != 1:
            raise GameError(f"{where} has {len(players)} players, not 1")
        if not cls.start.any() or (cls.start <= cls.is_goal).all():
            raise GameError(f"{where} has no box that is not on a goal")
        if cls.start.sum() > cls.is_goal.sum():
            raise GameError(f"{where} has {cls.start.sum()} boxes, but {cls.is_goal.sum()} goals")
        cls.first_player = int(players[0])
        cls.check_walls(where)
        walls, goals = set(np.flatnonzero(cls.is_wall)), np.flatnonzero(cls.is_goal).tolist()
        far = _distances(walls, goals, cls.steps.tolist())
        cls.far = np.array([far.get(cell, -1) for cell in range(cls.num_cells)])
        cls.horizon = max(50, 3 * int(cls.far[cls.start].clip(0).sum()))
        cls.fine = max(cls.horizon, int(cls.far.max() * cls.start.sum()))
        cls.max_game_length = 10 * cls.horizon

    @classmethod
    def check_walls(cls, where):
        """Raise `GameError` unless walls enclose every cell reachable from the player, boxes and goals."""

        def beside(cell):
            row, column = divmod(cell, cls.width)
            if row in (0, cls.height - 1) or column in (0, cls.width - 1):
                raise GameError(
                    f"{where} is not enclosed by walls: row {row + 1}, column {column + 1} is open"
                )
            return [cell + step for step in cls.steps.tolist() if not cls.is_wall[cell + step]]

        reached_from([cls.first_player, *np.flatnonzero(cls.start | cls.is_goal).tolist()], beside)

    def setup(self):
        self.is_box[:] = self.start
        self.walk(self.first_player)

    def walk(self, start):
        """Find the cells that the player can walk to."""
        waiting = np.empty(self.num_cells, np.int16)
        for cell in range(self.num_cells):
            self.is_near[cell] = False
        self.is_near[start] = True
        waiting[0] = start
        count = 1
        while count > 0:
            count -= 1
            cell = waiting[count]
            for direction in range(4):
                other = cell + self.steps[direction]
                if not (self.is_near[other] or self.is_wall[other] or self.is_box[other]):
                    self.is_near[other] = True
                    waiting[count] = other
                    count += 1

    def can_push(self, cell, direction):
        step = self.steps[direction]
        free = cell + step
        return self.is_near[cell - step] and not self.is_wall[free] and not self.is_box[free]

    def legal_actions(self):
        for cell in range(self.num_cells):
            if self.is_box[cell]:
                for direction in range(4):
                    if self.can_push(cell, direction):
                        yield 4 * cell + direction

    def apply_action(self, action):
        cell = action // 4
        there = cell + self.steps[action % 4]
        self.is_box[cell] = False
        self.is_box[there] = True
        self.walk(cell)
        self.status = self.found_status(there)
        return -1.0 - (self.fine if self.status == STUCK else 0.0)

    def found_status(self, pushed):
        """Return the status of the line after a push of a box to cell `pushed`."""
        if self.far[pushed] < 0:
            return STUCK
        missing, pushes = 0, 0
        for cell in range(self.num_cells):
            if self.is_box[cell]:
                if not self.is_goal[cell]:
                    missing += 1
                for direction in range(4):
                    if self.can_push(cell, direction):
                        pushes += 1
        if missing == 0:
            return SOLVED
        return ON if pushes > 0 else STUCK

    def is_terminal(self):
        return self.status != ON

    def heuristic(self):
        """Return a lower bound of the pushes left: each box's distance to its nearest goal."""
        pushes = 0
        if self.status == ON:
            for cell in range(self.num_cells):
                if self.is_box[cell]:
                    pushes += int(self.far[cell])
        return pushes

    def evaluate(self):
        return (-1.0 * self.heuristic(),)

    def prior(self, action):
        """Prefer pushes towards goals, and exclude cells from which no goal can be reached."""
        before, after = self.far[action // 4], self.far[action // 4 + self.steps[action % 4]]
        return math.exp(before - after) if after >= 0 else _SELDOM

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return f"{cell_name(action // 4, self.height, self.width)}-{NAMES[action % 4]}"

    def board_cells(self, out):
        player = np.argmax(self.is_near)
        for cell in range(self.num_cells):
            kind = WALL * self.is_wall[cell] + BOX * self.is_box[cell] + PLAYER * (cell == player)
            place_piece(out, cell, -1, kind + GOAL * self.is_goal[cell])

    def action_squares(self, action):
        yield action // 4
        yield action // 4 + self.steps[action % 4]
