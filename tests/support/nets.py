"""Networks with random weights, and kernels of searches with them, called one by one."""

import json
from random import Random

import numpy as np

import branchwise as bw
from branchwise.compile.code.call_kernel import call
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.machine.kernel import entry_kernel
from branchwise.core.tree.node_fields import new_tree, own_memory
from branchwise.learning.train import checkpoint_of
from branchwise.networks.inputs import Inputs
from branchwise.networks.network import Network
from branchwise.rules.facts.facts import facts_of
from branchwise.search.composition.composition import Composition
from branchwise.search.composition.search_object import Search
from branchwise.search.settings.settings import Settings


@entry_kernel
def filled_inputs(search, state):
    """Return what `search.fill_inputs` returns."""
    return search.fill_inputs(search, state)


@entry_kernel
def thought(search, count):
    """Return what `search.think` returns."""
    return search.think(search, count)


class Counters(bw.Game):
    """Two heaps without a board; who takes the last counter wins. The network sees both heaps."""

    num_players = 2
    num_actions = 4
    num_net_inputs = 14

    heaps: bw.Array[np.int8, 2] = (6, 6)
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for heap in range(2):
            for taken in range(min(2, self.heaps[heap])):
                yield 2 * heap + taken

    def apply_action(self, action):
        self.heaps[action // 2] -= action % 2 + 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.heaps[0] + self.heaps[1] == 0

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)

    def net_inputs(self, player):
        for heap in range(2):
            yield 7 * heap + self.heaps[heap]


class Strip(bw.Game):
    """Two players mark cells of a row in turn; three in a line win. It has a plain board array."""

    num_players = 2
    num_actions = 8

    board: bw.Array[np.int8, 8] = 0
    mover: np.int8 = 0
    winner: np.int8 = -1

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for cell in range(8):
            if self.board[cell] == 0:
                yield cell

    def apply_action(self, action):
        self.board[action] = self.mover + 1
        for first in range(6):
            if self.board[first] == self.board[first + 1] == self.board[first + 2] == self.mover + 1:
                self.winner = self.mover
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.winner >= 0 or self.board.min() > 0

    def returns(self):
        if self.winner < 0:
            return (0.0, 0.0)
        return (1.0, -1.0) if self.winner == 0 else (-1.0, 1.0)


def random_network(game, seed=1, widths=(32, 16)):
    """Return a network whose weights are all random, so that no two states are worth the same."""
    network = Network.initial(Inputs.of(game), seed, widths)
    drawn = np.random.default_rng(seed)
    for part in (network.bias1, network.bias2, network.value, network.policy, network.policy_bias):
        part[:] = drawn.normal(scale=0.3, size=part.shape)
    network.value_bias[:] = drawn.normal(scale=0.1, size=1)
    return network


def curve_point(share, lead=None, **other):
    """Return a round of a training as files keep it; lead : over playouts, with the ends of its interval."""
    found = {
        "round": round(100 * share),
        "share": share,
        "seconds": 120.0 * share,
        "games": round(1000 * share),
        "positions": round(9000 * share),
        "simulations": 1000,
        "speed": 10.0,
        "proven": 0.75,
        "policy_error": 0.4 - 0.3 * share,
        "value_error": 0.3 - 0.2 * share,
        "value_loss": 0.2 - 0.1 * share,
        "policy_loss": 1.5,
        "playouts": None if lead is None else dict(zip(("value", "low", "high"), lead, strict=True)),
        "earlier": None,
    }
    return found | other


def write_checkpoint(file, game, curve):
    """Write the checkpoint of a training that is to write a network: its curve, without its weights."""
    checkpoint = checkpoint_of(file)
    checkpoint.parent.mkdir(exist_ok=True)
    np.savez(checkpoint, told=np.array(json.dumps({"name": game, "curve": curve})))


def random_states(game, seed, most=40):
    """Yield the states of a random game that are not over."""
    drawn, state = Random(seed), game()
    for _ in range(most):
        if state.is_terminal():
            return
        yield state.copy()
        state.apply_action(drawn.choice(state.legal_actions()))


class Kernels:
    """The kernels of a search with a network."""

    def __init__(self, network):
        game = network.inputs.game
        settings = Settings(selection="puct", network=network)
        self.composition = Composition(game(), facts_of(game()), settings, proofs=True)
        tree = new_tree(100, -1.0, 1.0, self.composition.kept, own_memory, 0, game.num_actions)
        self.search = Search(self.composition, tree, 1)
        self._state = NativeRecords(compiled_type(game))

    def active(self, state):
        """Return the active rows, or a negative status."""
        self._state.records[0] = state.to_record()
        count = call(filled_inputs, self.search.native, self._state)
        return count if count < 0 else self.search.scratch.net_inputs[:count].tolist()

    def value(self, state):
        """Return the value of a state for the player to move."""
        return call(thought, self.search.native, len(self.active(state)))
