"""A compact search with UCT, RAVE or GRAVE as published, over our compiled rules.

It shares rules and playouts with Branchwise, and nothing of its search. Every node has AMAF statistics of all
moves of both players, as in Cazenave, "Generalized Rapid Action Value Estimation", 2015; Branchwise keeps
those of the children's moves only. The author's program has a table of transpositions, this one a tree.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import branchwise as bw
from branchwise.compile.code.call_kernel import call
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.machine.kernel import entry_kernel
from branchwise.core.numbers.random_streams import PLAYOUT_STREAM, advanced, draw_below, new_streams

UCT, RAVE, GRAVE = range(3)
RULES = {"uct": UCT, "rave": RAVE, "grave": GRAVE}
FIRST = 1e6
"""Score of a move without statistics: higher than any other."""


class Trees:
    """The memory of a search: for each node and action, or code: an action of one of the players.

    nodes : int32, the nodes below.   plays, wins, amaf_plays, amaf_wins : float64.   visits : int32, by node.
    """

    def __init__(self, playouts: int, actions: int, length: int) -> None:
        shape = (playouts + 1, actions)
        codes = (playouts + 1, 2 * actions)
        self.nodes = np.full(shape, -1, np.int32)
        self.plays, self.wins = np.zeros(shape), np.zeros(shape)
        self.amaf_plays, self.amaf_wins = np.zeros(codes), np.zeros(codes)
        self.visits = np.zeros(playouts + 1, np.int32)
        self.path = np.zeros((length + 1, 2), np.int32)
        self.codes = np.zeros(length + 1, np.int32)
        self.seen = np.zeros(2 * actions, np.int64)

    def clear(self) -> None:
        self.nodes.fill(-1)
        for array in (self.plays, self.wins, self.amaf_plays, self.amaf_wins, self.visits, self.seen):
            array.fill(0)


@entry_kernel
def _search(state, root, playouts, rule, c, bias, reference, by_rules, arrays, actions, returns, streams):
    """Run the playouts from `root` and return the action that was played most; all arrays are modified."""
    nodes, plays, wins, amaf_plays, amaf_wins, visits, path, codes, seen = arrays
    num_actions = nodes.shape[1]
    size, stamp = 1, 0
    for _ in range(playouts):
        state.copy_from(root)
        node, ancestor, depth, moves = 0, 0, 0, 0
        while not state.is_terminal():
            if rule == RAVE or visits[node] > reference:
                ancestor = node
            player = np.int64(state.current_player())
            count = state.fill_legal_actions(actions)
            best, highest = np.int64(actions[0]), -1.0
            for k in range(count):
                action = np.int64(actions[k])
                n, score = plays[node, action], FIRST
                if rule == UCT:
                    if n > 0:
                        score = wins[node, action] / n + c * math.sqrt(math.log(visits[node]) / n)
                else:
                    m = amaf_plays[ancestor, player * num_actions + action]
                    if m > 0:
                        share = m / (n + m + bias * n * m)
                        mean = wins[node, action] / n if n > 0 else 1.0
                        amaf = amaf_wins[ancestor, player * num_actions + action] / m
                        score = (1.0 - share) * mean + share * amaf
                if score > highest:
                    best, highest = action, score
            path[depth, 0], path[depth, 1] = node, best
            codes[moves] = player * num_actions + best
            depth, moves = depth + 1, moves + 1
            state.apply_action(best)
            following = np.int64(nodes[node, best])
            if following < 0:
                nodes[node, best] = size
                size += 1
                break
            node = following
        while not state.is_terminal():
            player = np.int64(state.current_player())
            count = state.fill_legal_actions(actions)
            counter = advanced(streams[PLAYOUT_STREAM])
            streams[PLAYOUT_STREAM] = counter
            action = np.int64(actions[draw_below(counter, count)])
            if state.chooses and by_rules:
                action = np.int64(state.playout_action(state.draws_from(streams)))
            codes[moves] = player * num_actions + action
            moves += 1
            state.apply_action(action)
        state.write_returns(returns)
        for level in range(depth):
            node, action = np.int64(path[level, 0]), np.int64(path[level, 1])
            visits[node] += 1
            plays[node, action] += 1
            wins[node, action] += 0.5 + 0.5 * returns[codes[level] // num_actions]
            stamp += 1
            for k in range(level, moves):
                code = np.int64(codes[k])
                if seen[code] != stamp:
                    seen[code] = stamp
                    amaf_plays[node, code] += 1
                    amaf_wins[node, code] += 0.5 + 0.5 * returns[code // num_actions]
    best = np.int64(0)
    for action in range(num_actions):
        if plays[0, action] > plays[0, best]:
            best = np.int64(action)
    return best


class PublishedSearch(bw.Bot):
    """Plays the most visited move of a new search for every move.

    rule : "uct", "rave" or "grave".   playouts : a move.   c : weight of exploration of UCT.   bias : of RAVE
    and GRAVE.   reference : GRAVE has AMAF statistics from the nearest node above with more visits than this.
    playout : "uniform", or "game" for the game's own.
    """

    name = "published"

    def __init__(
        self,
        *,
        rule: str,
        playouts: int,
        c: float = 0.4,
        bias: float = 1e-5,
        reference: int = 50,
        playout: str = "uniform",
        seed: int = 1,
    ) -> None:
        self._options = (playouts, RULES[rule], c, bias, reference, playout == "game")
        self._streams = new_streams(seed)
        self._game: type[bw.Game] | None = None

    def choose(self, state: Any) -> int:
        game = type(state)
        if game is not self._game:
            native = compiled_type(game)
            self._game, self._root, self._state = game, NativeRecords(native), NativeRecords(native, 2)
            self._trees = Trees(self._options[0], game.num_actions, game.max_game_length)
            self._actions = np.zeros(game.num_actions, np.int32)
        self._root.records[0] = state.to_record()
        self._trees.clear()
        arrays = tuple(vars(self._trees).values())
        playouts, *options = self._options
        actions, returns = self._actions, np.zeros(2)
        return int(
            call(
                _search, self._state, self._root, playouts, *options, arrays, actions, returns, self._streams
            )
        )
