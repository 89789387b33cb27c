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
_ARRAYS: dict[str, tuple[type, str]] = {
    "left": (np.int32, "states"),
    "players": (np.int8, "states"),
    "values": (np.float64, "states"),
    "starts": (np.int64, "bounds"),
    "actions": (np.int32, "actions"),
    "owners": (np.int8, "actions"),
    "gains": (np.float64, "actions"),
    "shares": (np.float64, "actions"),
}
"""The type of each array of numbers, and what it has an entry for."""


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
        keeps_all, common = common is not None, records[0] if common is None else common
        columns = {name: records[name] for name in _names(records)}
        varying = {name: one for name, one in columns.items() if keeps_all or (one != one[:1]).any()}
        return cls.of_fields(game, common, varying, arrays)

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
        numbers: dict[str, Any] = {
            name: np.asarray(arrays[name], kind) for name, (kind, _) in _ARRAYS.items()
        }
        size, starts = len(numbers["players"]), numbers["starts"]
        fields: Any = game._dtype.fields or {}
        record = np.zeros((), game._dtype)
        keys = np.zeros(size, [(name, *fields[name][:1]) for name in varying])
        for name in _names(record):
            if name in varying:
                keys[name] = varying[name]
            else:
                record[name] = common[name]
        lengths = {"states": size, "bounds": size + 1, "actions": len(numbers["actions"])}
        if (
            any(len(numbers[name]) != lengths[what] for name, (_, what) in _ARRAYS.items())
            or any(len(column) != size for column in varying.values())
            or numbers["values"].shape != (size, game.num_players)
            or (starts[0], starts[-1]) != (0, lengths["actions"])
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
        record = state.to_record()
        kept, key = _names(self.keys), np.zeros(1, self.keys.dtype)
        if any((record[name] != self.common[name]).any() for name in _names(record) if name not in kept):
            return -1
        for name in kept:
            key[name] = record[name]
        order, texts = self._sorted
        wanted = _as_texts(key)
        first, last = np.searchsorted(texts, wanted, "left")[0], np.searchsorted(texts, wanted, "right")[0]
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
    def told(self) -> list[str]:
        """The fields in which states differ where somebody chooses."""
        keys = self.keys[np.diff(self.starts) > 0]
        return [name for name in _names(keys) if (keys[name] != keys[name][:1]).any()]

    def columns(self) -> list[str]:
        """Return the headings of `rows`."""
        names = [cell for name in self.told for cell in _cells(name, self.keys[name][:1])]
        left = ["left"] if (self.left != NO_HORIZON).any() else []
        return [*names, *left, "player", "action", "name", "probability", "value"]

    def rows(self, most: int | None = None) -> Iterator[list[Any]]:
        """Yield a row for each action that is played: the state, the action and what its player can expect.

        most : number of states; None: all in which somebody chooses.
        """
        has_left = (self.left != NO_HORIZON).any()
        chosen = np.flatnonzero(np.diff(self.starts) > 0)
        for row in chosen[:most].tolist():
            content = [cell for name in self.told for cell in np.ravel(self.keys[name][row]).tolist()]
            state = self.state(row)
            for place in range(int(self.starts[row]), int(self.starts[row + 1])):
                share = float(self.shares[place])
                if share > 0.0:
                    owner, action = int(self.owners[place]), int(self.actions[place])
                    text = choice_text(state, owner, action)
                    left = [int(self.left[row])] if has_left else []
                    yield [*content, *left, owner, action, text, share, float(self.values[row, owner])]

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


def _as_texts(keys: NDArray[Any]) -> NDArray[Any]:
    """Return records as byte strings of one length, which NumPy can sort; -0.0 is written as 0.0."""
    parts = [np.zeros((len(keys), 1), np.uint8)]
    for name in _names(keys):
        column = keys[name]
        plain = np.ascontiguousarray(column + 0.0 if column.dtype.kind == "f" else column)
        parts.append(plain.reshape(len(keys), -1).view(np.uint8).reshape(len(keys), -1))
    joined = np.ascontiguousarray(np.concatenate(parts, axis=1))
    return joined.view(f"S{joined.shape[1]}").ravel()


def _cells(name: str, column: NDArray[Any]) -> list[str]:
    """Return a heading for each number of a field."""
    return [name] if column[0].ndim == 0 else [f"{name}_{place}" for place in range(column[0].size)]
