"""A Markov decision process given as tables: probabilities and rewards of each state and action.

The tables are fields of a state, so all processes with as many states, actions and entries share their
compiled code. `problems.decision_tables` reads them from arrays and files.
"""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.drawing.shapes import choices
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.option_checks import check_ranges
from branchwise.problems.decision_tables import DecisionTables, as_tables, read_tables

NOTHING = -1
MOST_ENTRIES = 20_000_000


def capacity(tables: DecisionTables) -> dict[str, int]:
    """Return the options of a process with these tables; room for entries and outcomes is a power of two."""
    return {
        "states": (len(tables.first) - 1) // tables.actions,
        "actions": tables.actions,
        "entries": _power_of_two(len(tables.next_place)),
        "outcomes": _power_of_two(int(np.diff(tables.first).max(initial=1))),
    }


def _power_of_two(number: int) -> int:
    return 1 << max(number - 1, 1).bit_length()


def _machine() -> tuple[Any, Any]:
    """Return probabilities [action, state, next] and rewards [state, action] of a machine kept in repair."""
    scrapped = [0.0, 0.0, 0.0, 1.0]
    work = [[0.7, 0.3, 0.0, 0.0], [0.0, 0.6, 0.4, 0.0], [0.0, 0.0, 0.5, 0.5], scrapped]
    repair = [[1.0, 0.0, 0.0, 0.0]] * 3
    return np.array([work, [*repair, scrapped]]), np.array([[10.0, -3.0], [6.0, -3.0], [0.0, -8.0], [0, 0]])


class DecisionProcess(Game):
    """In each state an action leads to a next state, drawn by its probabilities, and pays a reward.

    `file` is a table as `bw.from_matrices` reads it. Without one, a small machine is kept in repair: it is
    new, worn or broken, until it is scrapped, and each step is either work or repair. A state without actions
    ends the process, and so does one in which every action stays for no reward.

    >>> import branchwise as bw
    >>> policy = bw.solve(DecisionProcess).policy
    >>> [policy[DecisionProcess(place=place)] for place in range(3)]  # repair what is worn or broken
    [0, 1, 1]
    """

    file = ""
    discount = 0.9
    states = 4
    actions = 2
    entries = 16
    """Room for entries of the tables; a power of two, as is `outcomes`."""
    outcomes = 2

    num_players = 1
    max_game_length = 1_000_000

    place: np.int32 = 0
    chosen: np.int32 = NOTHING
    """The action, while its outcome is to be drawn."""
    first: Array[np.int32, "rows"] = 0
    """Where the entries of each state and action begin, by state * actions + action."""
    next_place: Array[np.int32, "entries"] = 0
    chance: Array[np.float64, "entries"] = 0.0
    reward: Array[np.float64, "entries"] = 0.0

    _tables: ClassVar[DecisionTables] = as_tables(*_machine())

    @classmethod
    def configure(cls):
        if cls.file:
            cls._tables = read_tables(cls.file)
            cls.states, cls.actions, cls.entries, cls.outcomes = capacity(cls._tables).values()
        check_ranges(cls, states=(1, 10_000_000), actions=(1, 100_000), entries=(1, 2 * MOST_ENTRIES))
        cls.rows = cls.states * cls.actions + 1
        cls.num_actions = cls.actions
        cls.num_outcomes = cls.outcomes

    def setup(self):
        if all(getattr(self, name) == size for name, size in capacity(self._tables).items()):
            self.take(self._tables)

    def take(self, tables: DecisionTables) -> None:
        """Set the tables, which must fit the class."""
        count = len(tables.next_place)
        self.first = tables.first
        for name in ("next_place", "chance", "reward"):
            getattr(self, name)[:count] = getattr(tables, name)

    def current_player(self):
        return 0 if self.chosen == NOTHING else CHANCE

    def outcomes_of(self, action):
        """Return the entries for what may come of an action here."""
        row = self.place * self.actions + action
        return range(self.first[row], self.first[row + 1])

    def legal_actions(self):
        for action in range(self.actions):
            if len(self.outcomes_of(action)) > 0:
                yield action

    def chance_outcomes(self):
        for outcome, entry in enumerate(self.outcomes_of(self.chosen)):
            yield outcome, self.chance[entry]

    def apply_action(self, action):
        is_drawn = self.chosen != NOTHING
        entries = self.outcomes_of(self.chosen if is_drawn else action)
        if len(entries) > 1 and not is_drawn:
            self.chosen = action
            return 0.0
        entry = entries.start + (action if is_drawn else 0)
        self.chosen = NOTHING
        self.place = self.next_place[entry]
        return self.reward[entry]

    def is_terminal(self):
        row = self.place * self.actions
        return self.first[row] == self.first[row + self.actions]

    # --- names ----------------------------------------------------------------------------------------

    def __str__(self):
        drawn = "" if self.chosen == NOTHING else f", action {self.chosen} is taken"
        return f"state {self.place} of {self.states}{drawn}"

    def to_svg(self):
        return choices(self, [], 0, 0, str(self))


def from_matrices(
    probabilities: Any,
    rewards: Any = None,
    *,
    discount: float,
    start: int = 0,
    state_indices: Any = None,
    action_indices: Any = None,
    layout: str | None = None,
) -> DecisionProcess:
    """Return a state of a Markov decision process that is given by tables.

    probabilities, rewards : in one of these layouts, for A actions and S states, dense or sparse.
    Probabilities [A, S, S] with rewards [S], [S, A] or [A, S, S], as pymdptoolbox has them; probabilities
    [S, A, S] with rewards [S, A], as QuantEcon has them; or one row [L, S] for each pair of a state and an
    action, with rewards [L] and both `state_indices` and `action_indices`. Or the path of a file, without
    rewards: .npz with arrays of these names, or .csv with the columns state, action, next, probability,
    reward.   layout : "action-state-next" or "state-action-next", where both would fit.
    discount : of what comes after the next decision, from 0 to 1.   start : the state to begin in.

    A reward of -inf marks an action that is not allowed. A state in which every action stays for no reward
    ends the process. All processes with as many states, actions and entries share their compiled code. Raises
    `GameError` for tables that do not fit each other, with the state and the action.

    >>> import branchwise as bw
    >>> stay, move = [[1, 0], [0, 1]], [[0.2, 0.8], [0.8, 0.2]]
    >>> state = bw.from_matrices([stay, move], [[0, -1], [2, 1]], discount=0.9, layout="action-state-next")
    >>> found = bw.solve(state)
    >>> round(found.value, 6), found.policy[state]
    (16.341463, 1)
    """
    if isinstance(probabilities, str | Path):
        if rewards is not None:
            raise GameError("a file has its own rewards", mend="leave out rewards")
        tables = read_tables(str(probabilities))
    else:
        tables = as_tables(probabilities, rewards, (state_indices, action_indices), layout)
    if not 0.0 <= discount <= 1.0:
        raise GameError(f"the discount is {discount}, not from 0 to 1")
    sizes = capacity(tables)
    if not 0 <= start < sizes["states"]:
        raise GameError(f"the start is state {start}, and there are states 0 to {sizes['states'] - 1}")
    state = DecisionProcess.configured(discount=float(discount), **sizes)(place=start)
    state.take(tables)
    return state
