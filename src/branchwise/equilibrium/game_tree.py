"""All histories of a small game, grouped into the information sets of the players who choose."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.game.kinds.game_kinds import starts_at_random
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import check_is_game, check_is_listed, facts_of
from branchwise.rules.facts.game_type import pays
from branchwise.rules.knowledge.information import (
    InformationState,
    Watcher,
    first_information,
)

if TYPE_CHECKING:
    from branchwise.compile.queries.histories import ListedHistories

_known: weakref.WeakKeyDictionary[type[Game], GameTree] = weakref.WeakKeyDictionary()


class GameTree:
    """The whole tree of a small game.

    sets : int32 [N], the information set of each of the N histories in which a player chooses, else -1; they
    are numbered in the order of their first histories.   owners : int8 [S], the player who chooses in each
    set.   actions : of each set, the legal actions.   starts : int64 [S + 1], of each set's part in a row of
    one number for each set and action.

    Raises `GameError` for a game with random transitions, a random start or rewards on the way, for one that
    is too large, and if legal actions differ within an information set.

    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> tree = GameTree(KuhnPoker)
    >>> len(tree), len(tree.actions)
    (58, 12)
    """

    def __init__(self, game: type[Game], stop: Callable[[], bool] | None = None) -> None:
        from branchwise.compile.queries.histories import ListedHistories  # Numba takes half a second to load

        if starts_at_random(game):
            raise GameError(f"{game.name} draws its start, so its histories cannot be listed")
        start = game()
        facts_of(start)  # raises for simultaneous moves
        check_is_listed(start, "tree of all histories")
        if pays(game):
            raise GameError(f"{game.name} pays rewards on the way; strategies are judged by returns alone")
        self.game = game
        self.histories: ListedHistories = ListedHistories(game, stop=stop)
        nodes = self.histories.arrays
        chooses = np.flatnonzero(nodes.players >= 0)
        players = nodes.players[chooses]
        keys = np.empty(len(chooses), [("player", np.int8), ("known", np.uint64)])
        keys["player"], keys["known"] = players, nodes.known[chooses, players]
        _, firsts, numbers = np.unique(keys, return_index=True, return_inverse=True)
        rank = np.empty(len(firsts), np.int32)
        rank[np.argsort(firsts)] = np.arange(len(firsts))
        self.sets: NDArray[np.int32] = np.full(len(nodes.players), -1, np.int32)
        self.sets[chooses] = rank[numbers]
        self.examples: NDArray[np.int64] = chooses[np.sort(firsts)]
        """The first history in each set."""
        self.owners: NDArray[np.int8] = nodes.players[self.examples]
        self.actions = [self._actions(int(node)) for node in self.examples]
        counts = nodes.counts[self.examples]
        self.starts: NDArray[np.int64] = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        self._check_actions(chooses)

    def __len__(self) -> int:
        return len(self.histories)

    def _actions(self, node: int) -> tuple[int, ...]:
        nodes = self.histories.arrays
        first = int(nodes.first[node])
        return tuple(nodes.actions[first : first + int(nodes.counts[node])].tolist())

    def _check_actions(self, chooses: NDArray[np.int64]) -> None:
        """Raise `GameError` if legal actions differ within an information set."""
        nodes = self.histories.arrays
        alike = self.examples[self.sets[chooses]]
        wrong = nodes.counts[chooses] != nodes.counts[alike]
        for place in range(int(nodes.counts[chooses].max(initial=0))):
            both = ~wrong & (place < nodes.counts[chooses])
            mine = nodes.actions[nodes.first[chooses[both]] + place]
            theirs = nodes.actions[nodes.first[alike[both]] + place]
            wrong[both] |= mine != theirs
        if wrong.any():
            at = int(np.argmax(wrong))
            player = int(nodes.players[chooses[at]])
            lines = [" ".join(map(str, self.histories.actions(int(n)))) for n in (alike[at], chooses[at])]
            raise GameError(
                f"{self.game.__name__}.legal_actions differ between two states that look the same to player "
                f"{player}: after the actions {lines[0]}, and after {lines[1]}",
                mend="let legal actions follow from what the player sees; show more, or forbid less",
            )

    def weights(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of the step into each node, [N].

        probabilities : one for each set and action.
        """
        nodes = self.histories.arrays
        found = nodes.chances.copy()
        parents = nodes.parents[1:]
        by_player = np.flatnonzero(nodes.players[parents] != CHANCE) + 1
        before = nodes.parents[by_player]
        place = by_player - nodes.first[before]
        found[by_player] = probabilities[self.starts[self.sets[before]] + place]
        return found

    @cached_property
    def information_states(self) -> list[InformationState]:
        """The information state of each set."""
        nodes, listed = self.histories.arrays, self.histories
        needed = np.zeros(len(listed), bool)
        for example in self.examples:
            node = int(example)
            while node >= 0 and not needed[node]:
                needed[node] = True
                node = int(nodes.parents[node])
        watchers = [Watcher(self.game, player) for player in range(self.game.num_players)]
        start = listed.state(0)
        states: dict[int, Game] = {0: start}
        known = {0: [first_information(start, player) for player in range(self.game.num_players)]}
        found: list[InformationState] = []
        for node in np.flatnonzero(needed).tolist():
            if node > 0:
                parent, action = int(nodes.parents[node]), int(nodes.actions[node])
                states[node] = after = listed.state(node)
                known[node] = [
                    watcher.next_information(old, states[parent], action, after)
                    for old, watcher in zip(known[parent], watchers, strict=True)
                ]
            if self.sets[node] == len(found):
                found.append(known[node][int(nodes.players[node])])
        return found

    @cached_property
    def set_of(self) -> dict[InformationState, int]:
        """The number of each information state's set."""
        return {state: number for number, state in enumerate(self.information_states)}


def game_tree(game: type[Game], stop: Callable[[], bool] | None = None) -> GameTree:
    """Return the tree of a game, which is kept as long as its rules do not change.

    stop : asked from time to time whether the listing takes too long; it is then given up with
    `TimeoutError`.
    """
    check_is_game(game)
    known = _known.get(game)
    if known is None or not known.histories.is_current():
        known = _known[game] = GameTree(game, stop)
    return known
