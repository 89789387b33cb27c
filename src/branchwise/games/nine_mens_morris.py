"""Nine men's morris: three men in a line are a mill, and take a man of the opponent.

Also six men's morris, `nine_mens_morris(rings=2,men=6)`. A player's men are a set of bits. The points are
numbered row by row from the top. Nine men's morris is a draw with best play (Gasser, "Solving Nine Men's
Morris", 1996).
"""

from itertools import pairwise

import numpy as np

from branchwise.boards.layer import NO_CELL
from branchwise.boards.style import BoardStyle
from branchwise.common.errors import GameError
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers, won_by
from branchwise.games.bits import count_bits, each_bit, nth_bit
from branchwise.games.boards import WHITE_FIRST, joined_cells, place_piece
from branchwise.games.option_checks import check_ranges
from branchwise.games.symmetries import moved_bits, symmetries_of

FLYING = 3
"""Men with which a player may move to any point; with fewer, the game is lost."""

RIGHT, LEFT, DOWN, UP = range(4)


def places_of(rings):
    """Return the row and column of each point: corners and middles of the sides of squares, one in another.

    >>> places_of(1)
    [(0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)]
    """
    sides = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
    return sorted((rings + n * down, rings + n * right) for n in range(1, rings + 1) for down, right in sides)


def lines_of(rings):
    """Return the lines of points that are joined, as lists of numbers of points."""
    number = {place: point for point, place in enumerate(places_of(rings))}
    last = 2 * rings
    sides = [[(n, n), (n, rings), (n, last - n)] for n in range(rings)]
    sides += [[(last - n, column) for _, column in side] for n, side in enumerate(sides[:rings])]
    across = [[(n, rings) for n in range(rings)], [(last - n, rings) for n in range(rings)]]
    lines = sides + across
    lines += [[(column, row) for row, column in line] for line in lines]
    return [[number[place] for place in line] for line in lines]


def ways_of(rings):
    """Return the symmetries of the board, also those that turn it inside out, as ways of its points."""
    places = places_of(rings)
    ways, inverted = symmetries_of(places), []
    for place in places:
        ring = max(abs(at - rings) for at in place)
        inverted.append(
            places.index(tuple((at - rings) // ring * (rings + 1 - ring) + rings for at in place))
        )
    return np.unique(np.concatenate([ways, ways[:, inverted]]), axis=0)


class NineMensMorris(TwoPlayers, Game):
    """Action p places a man on point p, or takes the opponent's; points + points * p + q moves from p to q.

    Players place their men, then move them along the lines. A player who makes a mill, a line of three, then
    takes a man that is in no mill, or any if all are in mills. With three men left, a player may move to any
    point (`flying`). A player with two men, or without a move, loses. After `turns` turns it is a draw.

    rings : squares one in another, 1 to 3; lines across the rings are mills only if there are three.
    men : of each player, 3 or more, at most half as many as points.

    Points are named by column and row, as on a chess board. Moves are "d2", "d2d3", and "xf4" to take a man.
    """

    rings = 3
    men = 9
    flying = True
    turns = 200
    sides_alike = True

    placed: Array[np.int32, 2] = 0
    """[player]: men on the board, as bits."""
    hand: Array[np.int8, 2] = 0
    """[player]: men that are still to be placed."""
    mover: np.int8 = 0
    taking: bool = False
    """Whether the player to move has made a mill and takes a man."""
    movable: Array[np.int32, 4] = 0
    """[direction]: men of the player to move that can move along a line, after all are placed."""
    stuck: bool = False
    turn: np.int16 = 0

    @classmethod
    def configure(cls):
        check_ranges(cls, rings=(1, 3), turns=(1, 10_000))
        cls.points = 8 * cls.rings
        if not FLYING <= cls.men <= cls.points // 2:
            raise GameError(
                f"nine_mens_morris(men={cls.men}) does not fit {cls.points} points",
                mend=f"give {FLYING} to {cls.points // 2}",
            )
        cls.num_actions = cls.points + cls.points**2
        cls.num_net_inputs = 2 * cls.men + 3
        cls.ways = ways_of(cls.rings)
        cls.symmetries = len(cls.ways)
        cls.max_game_length = 2 * cls.turns
        cls.everywhere = (1 << cls.points) - 1
        lines, side = lines_of(cls.rings), 2 * cls.rings + 1
        cls.squares = np.array([row * side + column for row, column in places_of(cls.rings)], np.int64)
        """[point]: its square of the picture."""
        joined = [(int(cls.squares[a]), int(cls.squares[b])) for line in lines for a, b in pairwise(line)]
        cls.board_style = BoardStyle("stones", side, side, ("+", ".X", ".O"), lines=joined, **WHITE_FIRST)
        near = [0] * cls.points
        for line in lines:
            for one, other in pairwise(line):
                near[one] |= 1 << other
                near[other] |= 1 << one
        cls.near = np.array(near, np.int64)
        """[point]: the points next to it, as bits."""
        mills = [sum(1 << point for point in line) for line in lines if len(line) == 3]
        through = [[mill for mill in mills if mill >> point & 1] for point in range(cls.points)]
        cls.mills = np.array([(some * 2)[:2] for some in through], np.int64)
        """[point, 0 or 1]: the mills through a point; the same twice if there is only one."""
        cls.all_mills = np.array(mills, np.int64)
        pairs = {(abs(b - a), min(a, b)) for line in lines for a, b in pairwise(line)}
        steps = sorted({step for step, _ in pairs})  # 1 along rows, others along columns
        starts = [sum(1 << point for found, point in pairs if found == step) for step in steps]
        cls.steps, cls.starts = np.array(steps, np.int64), np.array(starts, np.int64)
        """[number]: a difference of neighbouring points, and the lower points of all pairs that have it."""
        cls.slides = np.zeros((4, cls.points), np.int16)
        """[direction, point]: the action that moves a man from the point."""
        for point in range(cls.points):
            for other in range(cls.points):
                if near[point] >> other & 1:
                    direction = DOWN * (abs(other - point) > 1) + (other < point)
                    cls.slides[direction, point] = cls.points + cls.points * point + other

    def setup(self):
        self.hand[:] = self.men

    def legal_actions(self):
        mine, theirs = self.placed[self.mover], self.placed[1 - self.mover]
        free = self.everywhere & ~(mine | theirs)
        if self.taking or self.hand[self.mover] > 0:
            for point in each_bit(self.takeable(theirs) if self.taking else free):
                yield point
        else:
            for point in each_bit(mine):
                for target in each_bit(free & self.reach(mine, point)):
                    yield self.points + self.points * point + target

    def sample_action(self, random):
        mine, theirs = self.placed[self.mover], self.placed[1 - self.mover]
        free = self.everywhere & ~(mine | theirs)
        if self.taking or self.hand[self.mover] > 0:
            points = self.takeable(theirs) if self.taking else free
            return nth_bit(points, random.below(count_bits(points)))
        if self.flies(mine):
            targets = count_bits(free)
            number = random.below(count_bits(mine) * targets)
            start, target = nth_bit(mine, number // targets), nth_bit(free, number % targets)
            return self.points + self.points * start + target
        total = 0
        for direction in range(4):
            total += count_bits(self.movable[direction])
        number = random.below(total)
        before = start = chosen = 0
        for direction in range(4):  # without branches, because they would be unpredictable
            here = number >= before
            start = before if here else start
            chosen = direction if here else chosen
            before += count_bits(self.movable[direction])
        return self.slides[chosen, nth_bit(self.movable[chosen], number - start)]

    def sliding(self, direction, mine, free):
        """Return the men that can move along a line: to the right, left, down or up."""
        found = 0
        for number in range(len(self.steps)):
            step, starts = int(self.steps[number]), int(self.starts[number])
            if (step > 1) == (direction in (DOWN, UP)):
                found |= (free & starts) << step if direction in (LEFT, UP) else free >> step & starts
        return found & mine

    def reach(self, mine, point):
        """Return the points to which a man could move, if they are free."""
        return self.everywhere if self.flies(mine) else int(self.near[point])

    def flies(self, mine):
        return self.flying and count_bits(mine) <= FLYING

    def takeable(self, men):
        """Return the men that are in no mill, or all if all are in mills."""
        in_mills = 0
        for number in range(len(self.all_mills)):
            mill = int(self.all_mills[number])
            in_mills |= mill & -(men & mill == mill)  # all bits or none
        single = men & ~in_mills
        return single if single else men

    def is_in_mill(self, men, point):
        first, second = self.mills[point, 0], self.mills[point, 1]
        return men & first == first or men & second == second

    def apply_action(self, action):
        if self.taking:
            self.placed[1 - self.mover] &= ~(1 << action)
            self.taking = False
        else:
            point = action
            if action < self.points:
                self.hand[self.mover] -= 1
            else:
                point = (action - self.points) % self.points
                self.placed[self.mover] &= ~(1 << action // self.points - 1)
            self.placed[self.mover] |= 1 << point
            self.taking = self.is_in_mill(self.placed[self.mover], point)
        self.movable[:] = 0
        if not self.taking:
            self.mover = 1 - self.mover
            self.turn += 1
            self.find_movable()

    def find_movable(self):
        """Note which men of the player to move can move, and whether none can."""
        mine, theirs = self.placed[self.mover], self.placed[1 - self.mover]
        free = self.everywhere & ~(mine | theirs)
        if self.hand[self.mover] > 0:
            self.stuck = False
        elif self.flies(mine):
            self.stuck = free == 0
        else:
            movable = 0
            for direction in range(4):
                men = self.sliding(direction, mine, free)
                self.movable[direction] = men
                movable |= men
            self.stuck = movable == 0

    def loser(self):
        """Return the player who has lost, or -1."""
        if self.stuck:
            return self.mover
        for player in range(2):
            if count_bits(self.placed[player]) + self.hand[player] < FLYING:
                return player
        return -1

    def is_terminal(self):
        return self.turn >= self.turns or self.loser() >= 0

    def returns(self):
        loser = self.loser()
        return won_by(1 - loser if loser >= 0 else -1)

    def net_inputs(self, player):
        yield self.hand[player]
        yield self.men + 1 + self.hand[1 - player]
        if self.taking:
            yield 2 * self.men + 2

    def symmetry(self, k):
        for player in range(2):
            self.placed[player] = moved_bits(self.placed[player], self.ways[k])
        self.movable[:] = 0
        if not self.taking:
            self.find_movable()

    def symmetry_action(self, k, action):
        target = self.ways[k, action % self.points]
        if action < self.points:
            return target
        return self.points + self.points * self.ways[k, action // self.points - 1] + target

    # --- names and pictures ---------------------------------------------------------------------------

    def board_cells(self, out):
        out[:, :, 1] = NO_CELL
        for point in range(self.points):
            place_piece(out, self.squares[point], -1, 0)
            for player in range(2):
                if self.placed[player] >> point & 1:
                    place_piece(out, self.squares[point], player)

    def action_squares(self, action):
        if action >= self.points:
            yield self.squares[action // self.points - 1]
        yield self.squares[action % self.points]

    def action_to_string(self, action):
        return ("x" if self.taking else "") + super().action_to_string(action)

    def action_from_string(self, text):
        """Return the legal action that a text names; "d2-d3" is read as "d2d3"."""
        return super().action_from_string(joined_cells(text))

    def board_caption(self):
        told = [f"player {player}: {self.hand[player]} to place" for player in range(2)]
        if self.taking:
            told.append(f"player {self.mover} takes a man")
        return "\n".join(told)
