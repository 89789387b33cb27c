"""What a network sees of the states of a game: which rows of its first layer are active.

On a board these are patterns of cells: what the cells of a pattern hold, from the view of the player to move,
chooses a row. A class may name its patterns, `net_patterns`, lists of squares; by default they are the lines
of the board (`networks.patterns`), and () is none. In a game without a board, or besides its patterns, the
generator `net_inputs(self, player)` yields the indices of what is active, below `num_net_inputs`.

The second player has rows of its own, unless the class says `sides_alike = True`: the rules remain the same
when the players exchange their pieces. One more row then says who moves.

The contents of cells are those that some random games show, and those that the `board_style` names. Any other
counts as empty.
"""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.boards.layer import NO_CELL, cells_of, squares_of
from branchwise.boards.style import Look, look_of
from branchwise.common.errors import GameError
from branchwise.core.networks.evaluate import HEAD
from branchwise.game.kinds.game_kinds import num_arguments
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.rules_class import Game
from branchwise.networks.patterns import MOST_ROWS, Pattern, lines_of, patterns_of
from branchwise.rules.facts.facts import GameFacts, apply_legal, facts_of

MOST_OWN_ROWS = 600
"""Most actions with a row each in a network's last layer; of more, the rows of their squares are added."""
_SAMPLE_GAMES, _SAMPLE_STATES = 20, 400
_KINDS_OF_FAMILY = {"chess": 6}


class Inputs:
    """The inputs of networks for one game.

    patterns : of squares, by length; `starts` has the first row of each.   codes : by relation (nobody's, the
    mover's, the other's) and kind, what a cell counts as, below `base`.   num_more : further inputs, by the
    class's own `net_inputs`.   digest : equal for equal inputs and actions, on every machine.
    """

    def __init__(self, game: type[Game]) -> None:
        facts = check_network_applies(game)
        self.game = game
        self.name = game.name
        self.num_actions = facts.num_actions
        self.num_more = _own_inputs(game)
        has_none = isinstance(game.net_patterns, tuple | list) and not game.net_patterns
        look = None if has_none else look_of(game)
        if look is None and not self.num_more:
            raise GameError(
                f"{game.name} has neither a board nor net_inputs, so a network sees nothing of it",
                mend="add num_net_inputs = 10 and def net_inputs(self, player): yield the indices, below "
                "num_net_inputs, of what is true of the state",
            )
        self.rows, self.columns = (0, 0) if look is None else (look.rows, look.columns)
        self.patterns: list[Pattern] = []
        self.codes = np.zeros((3, 1), np.int32)
        self.base = 1
        if look is not None:
            self.codes = _codes(game, look)
            self.base = int(self.codes.max()) + 1
            cells = frozenset(np.flatnonzero(cells_of(game())[:, :, 1] != NO_CELL).tolist())
            given = game.net_patterns
            found = lines_of(look, cells, self.base) if given is None else patterns_of(game, given, look)
            self.patterns = sorted(found, key=len)
        sizes = [self.base ** len(pattern) for pattern in self.patterns]
        self.starts = [sum(sizes[:place]) for place in range(len(sizes))]
        seen = sum(sizes)
        self.side = 0 if game.sides_alike else seen
        self.mover_row = seen if seen and game.sides_alike else -1
        self.more_row = seen + 2 if self.mover_row >= 0 else 2 * seen
        self.num_rows = self.more_row + self.num_more
        self.max_active = len(self.patterns) + (self.mover_row >= 0) + self.num_more
        if self.num_rows > MOST_ROWS:
            raise GameError(
                f"the patterns of {game.name} have {self.num_rows:,} contents, more than {MOST_ROWS:,}",
                mend=f"name shorter net_patterns; a cell has {self.base} contents there",
            )
        self.policy_rows, self.num_policy_rows = self._policy_rows()

    @classmethod
    def of(cls, game: type[Game]) -> Inputs:
        """Return the inputs of networks for a game; raises `GameError` where there are none.

        >>> from branchwise.games.connect_four import ConnectFour
        >>> inputs = Inputs.of(ConnectFour)
        >>> inputs.num_rows, inputs.max_active
        (5591, 70)
        """
        known: Inputs | None = game.__dict__.get("_net_inputs") if isinstance(game, type) else None
        if known is None:
            known = cls(game)
            game._net_inputs = known  # type: ignore[attr-defined]
        return known

    def active(self, state: Any) -> list[int]:
        """Return the rows that are active in a state of the game, in order; kernels find the same.

        >>> from branchwise.games.connect_four import ConnectFour
        >>> len(Inputs.of(ConnectFour).active(ConnectFour()))
        70
        """
        player = int(state.current_player())
        rows = []
        if self.patterns:
            cells = cells_of(state).reshape(-1, 2).tolist()
            codes = [self._code(owner, kind, player) for owner, kind in cells]
            for pattern, start in zip(self.patterns, self.starts, strict=True):
                content = 0
                for cell in pattern:
                    content = content * self.base + codes[cell]
                rows.append(start + content + player * self.side)
        if self.mover_row >= 0:
            rows.append(self.mover_row + player)
        if self.num_more:
            rows += [self.more_row + index for index in self._more(state, player)]
        return rows

    def _code(self, owner: int, kind: int, player: int) -> int:
        relation = 0 if owner < 0 else 1 if owner == player else 2
        return int(self.codes[relation, kind]) if 0 <= kind < self.codes.shape[1] else 0

    def _more(self, state: Any, player: int) -> list[int]:
        given = [int(index) for index in state.net_inputs(player)]
        if len(given) > self.num_more or not all(0 <= index < self.num_more for index in given):
            raise GameError(
                f"{self.game.__name__}.net_inputs yielded an index that is not below num_net_inputs = "
                f"{self.num_more}, or more indices than that: {given[:8]}",
                mend="yield each index at most once, from 0 to num_net_inputs - 1",
            )
        return given

    @cached_property
    def typical(self) -> float:
        """How many pieces and further inputs a state of a random game has, on average, at least 1."""
        found = 0
        states = _sample(self.game)
        for state in states:
            player = int(state.current_player())
            if self.patterns:
                cells = cells_of(state).reshape(-1, 2).tolist()
                found += sum(self._code(owner, kind, player) > 0 for owner, kind in cells)
            if self.num_more:
                found += len(self._more(state, player))
        return max(found / len(states), 1.0)

    @cached_property
    def tables(self) -> NDArray[np.int32]:
        """The inputs as kernels read them: see `core.networks.evaluate`."""
        lengths = sorted({len(pattern) for pattern in self.patterns})
        body = [*self.codes.ravel().tolist()]
        for length in lengths:
            group = [
                (start, *pattern)
                for start, pattern in zip(self.starts, self.patterns, strict=True)
                if len(pattern) == length
            ]
            body += [length, len(group), *(number for one in group for number in one)]
        pairs = [] if self.policy_rows is None else self.policy_rows.ravel().tolist()
        head = [
            self.num_rows,
            self.num_policy_rows,
            self.rows * self.columns,
            self.codes.shape[1],
            self.base,
            len(lengths),
            self.side,
            self.mover_row,
            self.more_row,
            self.num_more,
            HEAD + len(body),
        ]
        return np.array([*head, *body, *pairs], np.int32)

    @cached_property
    def digest(self) -> str:
        """A digest of the inputs and the rows of actions."""
        facts = self.rows, self.columns, self.num_actions, self.max_active
        return blake2b(self.tables.astype("<i4").tobytes() + repr(facts).encode(), digest_size=8).hexdigest()

    def _policy_rows(self) -> tuple[NDArray[np.int32] | None, int]:
        """Return the pairs of rows of the last layer whose sum each action has, and how many rows there are.

        No pairs if each action has a row of its own. With many actions, an action has a row for its first
        square and one for its last; one without squares has a row of its own, and -1.
        """
        if self.num_actions <= MOST_OWN_ROWS or look_of(self.game) is None:
            return None, self.num_actions
        start, look = self.game(), look_of(self.game)
        assert look is not None
        rows = np.full((self.num_actions, 2), -1, np.int32)
        used = 2 * look.squares
        for action in range(self.num_actions):
            path = _path(start, action)
            if path:
                rows[action] = path[0], look.squares + path[-1]
            else:
                rows[action, 0] = used
                used += 1
        return rows, used


def check_network_applies(game: type[Game]) -> GameFacts:
    """Return the facts of a game whose states networks can value; raises `GameError` for any other."""
    if not (isinstance(game, type) and issubclass(game, Game)):
        raise GameError(f"a network needs a branchwise.Game, and {game!r} is none")
    facts = facts_of(game(), joint=True)
    for is_so, what in (
        (facts.num_players != 2, f"{facts.num_players} players" if facts.num_players != 1 else "one player"),
        (facts.joint, "moves at once"),
        (hides_information(game), "hidden information"),
        (facts.num_outcomes > 0 or facts.only_draws or game._inner is not None, "chance"),
        (facts.pays, "rewards on the way"),
        (facts.dimensions > 0, "continuous actions"),
        (not facts.is_bounded, "returns without bounds"),
    ):
        if is_so:
            raise GameError(
                f"networks are for games of two players in turns who see everything, without chance, "
                f"and {facts.name} has {what}",
                mend="search without a network",
            )
    return facts


def _own_inputs(game: type[Game]) -> int:
    """Return how many inputs a class gives by `net_inputs`; raises `GameError` if it does not say."""
    if num_arguments(game, "net_inputs") < 0:
        return 0
    count = game.num_net_inputs
    if num_arguments(game, "net_inputs") != 1 or not isinstance(count, int) or not 1 <= count <= MOST_ROWS:
        raise GameError(
            f"{game.__name__}.net_inputs needs a constant num_net_inputs, and one argument",
            mend="write num_net_inputs = 10 and def net_inputs(self, player): yield indices below it",
        )
    return count


def _codes(game: type[Game], look: Look) -> NDArray[np.int32]:
    """Return what a cell counts as, by relation and kind, of the contents that occur."""
    own, nobodys = set[int](), set[int]()
    own.update(range(1, _KINDS_OF_FAMILY.get(look.family, 0) + 1))
    for texts in look.symbols[1 : game.num_players + 1]:
        own.update(range(1, len(texts)))
    for state in _sample(game):
        cells = cells_of(state)
        kinds = cells[:, :, 1]
        own.update(kinds[(cells[:, :, 0] >= 0) & (kinds > 0)].tolist())
        nobodys.update(kinds[(cells[:, :, 0] < 0) & (kinds > 0)].tolist())
    codes = np.zeros((3, max(own | nobodys, default=0) + 1), np.int32)
    contents = [(relation, kind) for relation in (1, 2) for kind in sorted(own)]
    for code, place in enumerate([*contents, *((0, kind) for kind in sorted(nobodys))], start=1):
        codes[place] = code
    return codes


def _sample(game: type[Game]) -> list[Game]:
    """Return the states of some random games, the same on every machine."""
    found: list[Game] = []
    for number in range(_SAMPLE_GAMES):
        source, state = Random(f"cells {number}"), game()
        while True:
            if len(found) == _SAMPLE_STATES:
                return found
            if state.is_terminal():
                break
            found.append(state.copy())
            legal = state.legal_actions()
            apply_legal(state, legal[int(source.random() * len(legal))])
    return found


def _path(state: Game, action: int) -> tuple[int, ...]:
    """Return the squares of an action, where it may not be legal; () if they cannot be told."""
    try:
        return squares_of(state, action)
    except GameError:
        return ()
