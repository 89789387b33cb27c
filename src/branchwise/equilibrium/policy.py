"""Policies: probabilities of a player's actions in each information state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError, SettingsError
from branchwise.equilibrium.game_tree import GameTree, game_tree
from branchwise.game.rules_class import Game
from branchwise.rules.knowledge.information import InformationState
from branchwise.rules.measured_files.policy_file import read_policy, write_policy

PolicyFunction = Callable[[InformationState], Mapping[int, float] | Sequence[float]]
"""Returns the probabilities of an information state's legal actions: by action, or in their order."""

_FORMAT = "branchwise policy 1"
_ROUNDING = 1e-6


class Policy:
    """Probabilities of the legal actions in every information state of a small game.

    game : a rules class.   rule : a function of an information state that returns the probabilities of its
    legal actions, by action or in the order of `legal_actions()`; called once for each. None: all are equally
    likely.   Raises `SettingsError` for what is no probability, and the errors of `GameTree`.

    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> def bet_a_king(known):
    ...     return {1: 1.0} if known.view.hands[known.player] == 3 else {0: 1.0}
    >>> policy = Policy(KuhnPoker, bet_a_king)
    >>> policy
    <branchwise.Policy kuhn_poker: 12 information states>
    >>> import branchwise as bw
    >>> policy(bw.Playthrough(KuhnPoker(), "K J").information_state(0))
    {0: 0.0, 1: 1.0}
    """

    def __init__(self, game: type[Game], rule: PolicyFunction | None = None) -> None:
        self.tree = game_tree(game)
        counts = np.diff(self.tree.starts)
        self.probabilities: NDArray[np.float64] = np.repeat(1.0 / counts, counts)
        """One number for each information state and legal action; see `GameTree.starts`."""
        if rule is not None:
            rows = [_row(known, rule(known)) for known in self.tree.information_states]
            self.probabilities = np.concatenate(rows)

    @classmethod
    def of(cls, tree: GameTree, probabilities: NDArray[np.float64]) -> Policy:
        """Return the policy with these probabilities, one for each information state and legal action."""
        policy = object.__new__(cls)
        policy.tree, policy.probabilities = tree, probabilities
        return policy

    @property
    def game(self) -> type[Game]:
        """The game's rules class."""
        return self.tree.game

    @property
    def information_states(self) -> list[InformationState]:
        """All information states in which a player chooses."""
        return self.tree.information_states

    def __call__(self, known: InformationState) -> dict[int, float]:
        """Return the probability of each legal action; raises `GameError` for another game's state."""
        number = self.tree.set_of.get(known)
        if number is None:
            raise GameError(f"{known!r} does not occur in {self.game.name} from its start")
        start = int(self.tree.starts[number])
        actions = self.tree.actions[number]
        row = self.probabilities[start : start + len(actions)].tolist()
        return dict(zip(actions, row, strict=True))

    def save(self, path: str | Path) -> None:
        """Write the policy to a file, .npz or .json by its ending, which `load` reads; all or nothing."""
        arrays = {
            "known": np.array([str(known) for known in self.information_states]),
            "starts": self.tree.starts,
            "actions": np.concatenate(self.tree.actions),
            "probabilities": self.probabilities,
        }
        write_policy(Path(path), self.game, _FORMAT, arrays)

    @classmethod
    def load(cls, path: str | Path, game: type[Game]) -> Policy:
        """Return the policy that `save` wrote.

        Raises `SettingsError` for a damaged file, another game, and rules that have changed since.
        """
        return read_policy(Path(path), game, _FORMAT, cls._made_of)

    @classmethod
    def _made_of(cls, game: type[Game], content: Mapping[str, Any]) -> Policy:
        tree, shares = game_tree(game), np.asarray(content["probabilities"], np.float64)
        if shares.shape != (tree.starts[-1],) or not (shares >= 0.0).all():
            raise ValueError("its probabilities do not fit the game")
        if not (np.abs(np.add.reduceat(shares, tree.starts[:-1]) - 1.0) <= _ROUNDING).all():
            raise ValueError("its probabilities do not add up to 1")
        return cls.of(tree, shares)

    def __repr__(self) -> str:
        return f"<branchwise.Policy {self.game.name}: {len(self.tree.actions)} information states>"


def as_policy(policy: Policy | PolicyFunction, game: type[Game] | None) -> Policy:
    """Return a policy as a `Policy`; game : needed for a function."""
    if isinstance(policy, Policy):
        if game is not None and game is not policy.game:
            raise SettingsError(f"this is a policy of {policy.game.name}, not of {game.name}")
        return policy
    if game is None:
        raise SettingsError(
            "a function as policy needs the game", mend="give it: exploitability(f, KuhnPoker)"
        )
    return Policy(game, policy)


def _row(known: InformationState, given: Any) -> list[float]:
    """Return probabilities in the order of the legal actions; raises `SettingsError`."""
    try:
        if isinstance(given, Mapping):
            unknown = given.keys() - set(known.legal)
            row = [float(given.get(action, 0.0)) for action in known.legal]
        else:
            row, unknown = [float(number) for number in given], set()
    except (TypeError, ValueError):
        row, unknown = [], set()
    if unknown or len(row) != len(known.legal) or not min(row) >= 0.0 or abs(sum(row) - 1.0) > _ROUNDING:
        raise SettingsError(
            f"the policy gave {given!r} for {known!r}, whose legal actions are {list(known.legal)}",
            mend="give a probability for each legal action; they add up to 1",
        )
    return row
