"""An optimal policy of a game whose states were listed: what to do in each state, and its value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.csv_text import csv_text
from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.common.processes import write_whole
from branchwise.game.kinds.simultaneous_moves import choice_text
from branchwise.game.rules_class import Game
from branchwise.rules.measured_files.policy_file import read_policy, write_policy
from branchwise.testing.state_tables import NO_HORIZON

_FORMAT = "branchwise state policy 1"
_EACH, _ALL = "each ", "all "
"""In files, before the names of fields that each state has for itself, and of the others."""
_OF_STATES = {"left": "int32", "players": "int8", "values": "float64"}
_OF_ACTIONS = {"actions": "int32", "owners": "int8", "gains": "float64", "shares": "float64"}
_ARRAYS = {**_OF_STATES, "starts": "int64", **_OF_ACTIONS}
"""The type of each array of numbers: those with an entry for each state, for each action, and all."""


@dataclass(frozen=True, eq=False, repr=False)
class StatePolicy:
    """What to do in each of N states that are not over, by number in the order in which they were found.

    `policy[state]` is the action to play. With a horizon it is the one that is best with the most decisions
    left with which the state was reached; `policy[state, left]` asks for a number of decisions left.

    >>> import branchwise as bw
    >>> from branchwise.games.nim import Nim
    >>> policy = bw.solve(Nim).policy
    >>> policy[Nim(chips=6)], policy.value(Nim(chips=6)), policy.action_values(Nim(chips=6))
    (1, 1.0, {0: -1.0, 1: 1.0, 2: -1.0})
    """

    game: type[Game]
    common: NDArray[Any]
    """A record of the game, shape (), with the fields that are the same in all states."""
    keys: NDArray[Any]
    """[N] records of the other fields."""
    left: NDArray[np.int32]
    """[N] decisions before the horizon; -1 without one."""
    players: NDArray[np.int8]
    """[N] who is to move: a player, CHANCE or SIMULTANEOUS."""
    values: NDArray[np.float64]
    """[N, players] what each player can expect from here on."""
    starts: NDArray[np.int64]
    """[N + 1] where the actions of each state begin; none where chance is to move."""
    actions: NDArray[np.int32]
    """[E] legal actions; where all players move at once, those of player 0, then those of the next."""
    owners: NDArray[np.int8]
    """[E] whose action it is."""
    gains: NDArray[np.float64]
    """[E] what its player can expect after it, its reward included."""
    shares: NDArray[np.float64]
    """[E] probability with which it is played."""

    @classmethod
    def of_records(
        cls, game: type[Game], records: NDArray[Any], arrays: Mapping[str, Any], common: Any = None
    ) -> StatePolicy:
        """Return the policy for states given as records; arrays : the others, by name.

        common : a record of the game with the fields that `records` leave out; None if there are none.
        """
        names = _differing(records) if common is None else _names(records)
        varying = {name: records[name] for name in names}
        return cls.of_fields(game, records[0] if common is None else common, varying, arrays)

    @classmethod
    def of_fields(
        cls,
        game: type[Game],
        common: Mapping[str, Any] | NDArray[Any],
        varying: Mapping[str, Any],
        arrays: Mapping[str, Any],
    ) -> StatePolicy:
        """Return the policy for states that differ in the fields `varying`, by name.

        common : the other fields by name.   Raises `ValueError` for arrays that do not fit each other.
        """
        numbers: dict[str, Any] = {name: np.asarray(arrays[name], kind) for name, kind in _ARRAYS.items()}
        size, count, starts = len(numbers["players"]), len(numbers["actions"]), numbers["starts"]
        record = np.zeros((), game._dtype)
        keys = np.zeros(size, [(name, game._dtype[name]) for name in varying])
        for name in _names(record):
            target, source = (keys, varying) if name in varying else (record, common)
            target[name] = source[name]
        if (
            any(len(column) != size for column in [*varying.values(), *map(numbers.get, _OF_STATES)])
            or any(len(numbers[name]) != count for name in _OF_ACTIONS)
            or numbers["values"].shape != (size, game.num_players)
            or len(starts) != size + 1
            or (starts[0], starts[-1]) != (0, count)
            or (np.diff(starts) < 0).any()
            or not (numbers["shares"] >= 0.0).all()
        ):
            raise ValueError("its arrays do not fit each other")
        return cls(game, record, keys, **numbers)

    def __len__(self) -> int:
        return len(self.players)

    def __repr__(self) -> str:
        return f"<branchwise.StatePolicy {self.game.name}: {len(self):,} states>"

    # --- asking ---------------------------------------------------------------------------------------

    def __getitem__(self, asked: Any) -> Any:
        """Return the action to play; where all move at once, each player's probabilities by action.

        asked : a state, or a pair of a state and the decisions left before the horizon. Raises `GameError`
        for a state that was not listed, and where chance is to move.
        """
        state, left = asked if type(asked) is tuple else (asked, None)
        row = self.row(state, left)
        if self.players[row] == CHANCE:
            raise GameError(f"chance is to move in {state!r}, so that there is nothing to choose")
        if self.players[row] == SIMULTANEOUS:
            return tuple(self.probabilities(state, player, left) for player in range(self.game.num_players))
        shares = self.probabilities(state, left=left)
        return max(shares, key=lambda action: shares[action])

    def __contains__(self, state: Any) -> bool:
        return self.find(state) >= 0

    def value(self, state: Any, player: int | None = None, left: int | None = None) -> float:
        """Return what `player` can expect; None: the player to move, player 0 at chance and joint moves."""
        row = self.row(state, left)
        return float(self.values[row, max(int(self.players[row]), 0) if player is None else player])

    def action_values(
        self, state: Any, player: int | None = None, left: int | None = None
    ) -> dict[int, float]:
        """Return what the player to move, or `player`, can expect after each legal action."""
        return self._by_action(self.gains, state, player, left)

    def probabilities(
        self, state: Any, player: int | None = None, left: int | None = None
    ) -> dict[int, float]:
        """Return the probability with which each legal action is played."""
        return self._by_action(self.shares, state, player, left)

    def _by_action(
        self, numbers: NDArray[np.float64], state: Any, player: int | None, left: int | None
    ) -> dict[int, float]:
        row = self.row(state, left)
        owner = max(int(self.players[row]), 0) if player is None else player
        part = np.arange(self.starts[row], self.starts[row + 1])
        part = part[self.owners[part] == owner]
        return dict(zip(self.actions[part].tolist(), numbers[part].tolist(), strict=True))

    # --- finding states -------------------------------------------------------------------------------

    def row(self, state: Any, left: int | None = None) -> int:
        """Return the number of a state; raises `GameError` if it was not listed."""
        row = self.find(state, left)
        if row < 0:
            over = isinstance(state, Game) and state.is_terminal()
            raise GameError(
                f"the policy of {self.game.name} has no such state: {state!r}",
                mend="it is over" if over else "solve the game from an earlier state",
            )
        return row

    def find(self, state: Any, left: int | None = None) -> int:
        """Return the number of a state, -1 if it was not listed.

        left : decisions before the horizon; None: as many as possible.
        """
        if type(state) is not self.game:
            kind = type(state).__name__
            raise GameError(f"this is a policy of {self.game.name}, and not for a {kind}")
        record, kept = state.to_record(), _names(self.keys)
        if any((record[name] != self.common[name]).any() for name in _names(record) if name not in kept):
            return -1
        key = np.zeros((), self.keys.dtype)
        for name in kept:
            key[name] = record[name]
        order, texts = self._sorted
        first, last = (np.searchsorted(texts, _as_texts(key), side) for side in ("left", "right"))
        rows = order[first:last]
        if left is not None:
            rows = rows[self.left[rows] == left]
        return int(rows[np.argmax(self.left[rows])]) if rows.size else -1

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        texts = _as_texts(self.keys)
        order = np.argsort(texts, kind="stable")
        return order, texts[order]

    def state(self, row: int) -> Game:
        """Return the state of a number."""
        record = self.common.copy()
        for name in _names(self.keys):
            record[name] = self.keys[name][row]
        return self.game.from_record(record)

    # --- tables ---------------------------------------------------------------------------------------

    @cached_property
    def choosing(self) -> NDArray[np.int64]:
        """The numbers of the states in which somebody chooses."""
        return np.flatnonzero(np.diff(self.starts) > 0)

    @cached_property
    def told(self) -> list[str]:
        """The fields in which states differ where somebody chooses."""
        return _differing(self.keys[self.choosing])

    @cached_property
    def _cells(self) -> list[tuple[str, NDArray[Any]]]:
        """What tells states apart: headings, each with a number for every state."""
        found = []
        for name in self.told:
            cells = self.keys[name].reshape(len(self), -1).T
            is_one = self.keys[name].ndim == 1
            found += [(name if is_one else f"{name}_{place}", cell) for place, cell in enumerate(cells)]
        return [*found, ("left", self.left)] if (self.left != NO_HORIZON).any() else found

    def columns(self) -> list[str]:
        """Return the headings of `rows`."""
        return [*(name for name, _ in self._cells), "player", "action", "name", "probability", "value"]

    def rows(self, most: int | None = None) -> Iterator[list[Any]]:
        """Yield a row for each action that is played: the state, the action and what its player can expect.

        most : number of states; None: all in which somebody chooses.
        """
        for row in self.choosing[:most].tolist():
            content, state = [cells[row].item() for _, cells in self._cells], self.state(row)
            begin, end = self.starts[row : row + 2]
            for place in begin + np.flatnonzero(self.shares[begin:end]):
                owner, action = int(self.owners[place]), int(self.actions[place])
                share, value = float(self.shares[place]), float(self.values[row, owner])
                yield [*content, owner, action, choice_text(state, owner, action), share, value]

    # --- files ----------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the policy to a file: .npz, .json, .csv or .svg by its ending.

        The first two can be loaded again. Nothing is written if anything fails.
        """
        from branchwise.solving.policy_tables import svg_text

        file = Path(path)
        ending = file.suffix.lower()
        if ending in (".csv", ".svg"):
            text = csv_text(self.columns(), self.rows()) if ending == ".csv" else svg_text(self)
            write_whole(file, text.encode())
            return
        kept = _names(self.keys)
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        arrays |= {f"{_EACH}{name}": self.keys[name] for name in kept}
        arrays |= {f"{_ALL}{name}": self.common[name] for name in _names(self.common) if name not in kept}
        write_policy(file, self.game, _FORMAT, arrays)

    @classmethod
    def load(cls, path: str | Path, game: type[Game] | None = None) -> StatePolicy:
        """Return the policy that `save` wrote as .npz or .json.

        game : the rules class; None: the one of the saved name, which a class in a file does not have. Raises
        `SettingsError` for a damaged file, and for rules that have changed since.
        """
        return read_policy(Path(path), game, _FORMAT, cls._made_of)

    @classmethod
    def _made_of(cls, game: type[Game], content: Mapping[str, Any]) -> StatePolicy:
        varying, common = (
            {name.removeprefix(sign): content[name] for name in content if name.startswith(sign)}
            for sign in (_EACH, _ALL)
        )
        return cls.of_fields(game, common, varying, content)


def _names(records: NDArray[Any]) -> tuple[str, ...]:
    return records.dtype.names or ()


def _differing(records: NDArray[Any]) -> list[str]:
    """Return the names of the fields in which records differ."""
    return [name for name in _names(records) if (records[name] != records[name][:1]).any()]


def _as_texts(keys: NDArray[Any]) -> NDArray[Any]:
    """Return records as byte strings of one length, which NumPy can sort; -0.0 is written as 0.0."""
    plain = keys.copy()
    for name in _names(keys):
        if plain[name].dtype.kind == "f":
            plain[name] += 0.0
    return plain.view(f"S{plain.itemsize}") if plain.itemsize else np.zeros(plain.shape, "S1")
