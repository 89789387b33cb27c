"""Rules in the fastest plain Python that we could write, for packages that come without these games.

`mctspy` and `mcts` search objects that return a new state for every move. These classes hold a position as
whole numbers used as bit sets, look up moves and lines in tables, and have the method names that either
library expects. So the measurement is of the library, not of a slow game.
"""

from __future__ import annotations

import random
from typing import Any, ClassVar, Self

FULL = 0o777
_LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o124, 0o421)
HAS_LINE = [any(marks & line == line for line in _LINES) for marks in range(FULL + 1)]


class LightState:
    """A position. `next_to_move` is 1 or -1; `game_result` is 1, -1, 0 or, before the end, None."""

    __slots__ = ("game_result", "next_to_move")

    start: ClassVar[tuple[Any, ...]]
    game_result: int | None
    next_to_move: int

    @classmethod
    def initial(cls) -> Self:
        return cls(*cls.start)

    def move(self, action: int) -> Self:
        raise NotImplementedError

    def get_legal_actions(self) -> list[int]:
        """Return a new list; mctspy empties it."""
        raise NotImplementedError

    def is_game_over(self) -> bool:
        return self.game_result is not None


def _named_for_mcts(cls: type[LightState]) -> type[LightState]:
    """Add the method names of the package `mcts`, without an extra call."""

    def get_reward(self: LightState) -> int | None:
        return self.game_result

    aliases = {
        "takeAction": cls.move,
        "getPossibleActions": cls.get_legal_actions,
        "isTerminal": cls.is_game_over,
        "getReward": get_reward,
    }
    for name, function in aliases.items():
        setattr(cls, name, function)
    return cls


_CELLS = [[cell for cell in range(9) if not taken >> cell & 1] for taken in range(FULL + 1)]


@_named_for_mcts
class LightTicTacToe(LightState):
    """Tic-tac-toe. Action a marks cell a; cells are numbered row by row."""

    __slots__ = ("mine", "taken")
    start = (0, 0, 1, None)

    def __init__(self, mine: int, taken: int, next_to_move: int, game_result: int | None) -> None:
        self.mine = mine  # marks of the player to move
        self.taken = taken
        self.next_to_move = next_to_move
        self.game_result = game_result

    def move(self, action: int) -> Self:
        mover = self.next_to_move
        taken = self.taken | 1 << action
        theirs = self.mine ^ self.taken
        result = mover if HAS_LINE[taken ^ theirs] else 0 if taken == FULL else None
        return self.__class__(theirs, taken, -mover, result)

    def get_legal_actions(self) -> list[int]:
        return _CELLS[self.taken].copy()


_TOPS = sum(1 << (7 * column + 5) for column in range(7))
_BOARD = sum(0b111111 << (7 * column) for column in range(7))


def _subsets(bits: int) -> list[int]:
    found, subset = [0], bits
    while subset:
        found.append(subset)
        subset = (subset - 1) & bits
    return found


_COLUMNS = {tops: [c for c in range(7) if not tops >> (7 * c + 5) & 1] for tops in _subsets(_TOPS)}


@_named_for_mcts
class LightConnectFour(LightState):
    """Connect Four. Action a drops a disc into column a; a cell is bit 7 * column + row, from the bottom."""

    __slots__ = ("mine", "taken")
    start = (0, 0, 1, None)

    def __init__(self, mine: int, taken: int, next_to_move: int, game_result: int | None) -> None:
        self.mine = mine  # discs of the player to move
        self.taken = taken
        self.next_to_move = next_to_move
        self.game_result = game_result

    def move(self, action: int) -> Self:
        mover = self.next_to_move
        taken = self.taken | self.taken + (1 << 7 * action)
        theirs = self.mine ^ self.taken
        discs = taken ^ theirs
        up, across = discs & discs >> 1, discs & discs >> 7
        rising, falling = discs & discs >> 8, discs & discs >> 6
        result: int | None = None
        if up & up >> 2 or across & across >> 14 or rising & rising >> 16 or falling & falling >> 12:
            result = mover
        elif taken == _BOARD:
            result = 0
        return self.__class__(theirs, taken, -mover, result)

    def get_legal_actions(self) -> list[int]:
        return _COLUMNS[self.taken & _TOPS].copy()


_ANY = -1
_BOARD_CELLS = [[[9 * board + cell for cell in cells] for cells in _CELLS] for board in range(9)]


@_named_for_mcts
class LightUltimateTicTacToe(LightState):
    """Ultimate tic-tac-toe. An action is 9 * board + cell; `wins` and `closed` are sets of boards."""

    __slots__ = ("board", "closed", "mine", "taken", "their_wins", "wins")
    start = (0, 0, 0, 0, 0, _ANY, 1, None)

    def __init__(
        self,
        mine: int,
        taken: int,
        wins: int,
        their_wins: int,
        closed: int,
        board: int,
        next_to_move: int,
        game_result: int | None,
    ) -> None:
        self.mine = mine  # of the player to move, like wins
        self.taken = taken
        self.wins = wins
        self.their_wins = their_wins
        self.closed = closed
        self.board = board
        self.next_to_move = next_to_move
        self.game_result = game_result

    def move(self, action: int) -> Self:
        mover, wins, closed = self.next_to_move, self.wins, self.closed
        taken = self.taken | 1 << action
        theirs = self.mine ^ self.taken
        board = action // 9
        result: int | None = None
        if HAS_LINE[(taken ^ theirs) >> 9 * board & FULL]:
            closed |= 1 << board
            wins |= 1 << board
            if HAS_LINE[wins]:
                result = mover
        elif taken >> 9 * board & FULL == FULL:
            closed |= 1 << board
        if closed == FULL and result is None:
            result = 0
        cell = action - 9 * board
        sent = _ANY if closed >> cell & 1 else cell
        return self.__class__(theirs, taken, self.their_wins, wins, closed, sent, -mover, result)

    def get_legal_actions(self) -> list[int]:
        board, taken = self.board, self.taken
        if board != _ANY:
            return _BOARD_CELLS[board][taken >> 9 * board & FULL].copy()
        return [a for b in _CELLS[self.closed] for a in _BOARD_CELLS[b][taken >> 9 * b & FULL]]


LIGHT_GAMES: dict[str, type[LightState]] = {
    "tic_tac_toe": LightTicTacToe,
    "connect_four": LightConnectFour,
    "ultimate_tic_tac_toe": LightUltimateTicTacToe,
}


def check_light_game(name: str, games: int = 50) -> None:
    """Raise `AssertionError` unless random games agree with Branchwise's own rules."""
    import branchwise as bw

    generator = random.Random(1)
    rules = bw.load_game(name)
    for _ in range(games):
        ours, light = rules(), LIGHT_GAMES[name].initial()
        while not ours.is_terminal():
            legal = ours.legal_actions()
            assert not light.is_game_over(), name
            assert sorted(legal) == sorted(light.get_legal_actions()), name
            assert light.next_to_move == (1 if ours.current_player() == 0 else -1), name
            action = generator.choice(legal)
            ours.apply_action(action)
            light = light.move(action)
        assert light.game_result == ours.returns()[0], name
