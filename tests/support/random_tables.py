"""Random small games whose tables are fields: a class is compiled once and plays thousands of games.

Each has an exact solver of its own, in plain Python, that shares no code with the package.
"""

import itertools
from functools import cache

import numpy as np

import branchwise as bw

NODES, ACTIONS = 20, 3
END = -2
EIGHTHS = ((8, 0, 0), (4, 4, 0), (6, 2, 0), (2, 3, 3), (1, 2, 5))


class Graph(bw.Game):
    """Two players and chance on a random acyclic graph; subclasses say what it pays."""

    num_players = 2
    num_actions = ACTIONS
    num_outcomes = ACTIONS
    max_game_length = NODES

    node: np.int16 = 0
    owner: bw.Array[np.int8, NODES] = END
    choices: bw.Array[np.int8, NODES] = 0
    after: bw.Array[np.int16, NODES, ACTIONS] = 0
    odds: bw.Array[np.int8, NODES, ACTIONS] = 0
    worth: bw.Array[np.float64, NODES, 2] = 0.0

    def current_player(self):
        return self.owner[self.node]

    def legal_actions(self):
        for action in range(self.choices[self.node]):
            yield action

    def chance_outcomes(self):
        for outcome in range(self.choices[self.node]):
            yield outcome, self.odds[self.node, outcome] / 8

    def is_terminal(self):
        return self.owner[self.node] == END


class Turns(Graph):
    """A zero-sum return at each end."""

    utility = "zero_sum"

    def apply_action(self, action):
        self.node = self.after[self.node, action]

    def returns(self):
        return self.worth[self.node, 0], self.worth[self.node, 1]


class Unlike(Turns):
    """Any returns: what one player gains, the other need not lose."""

    utility = "general_sum"


class Paid(Graph):
    """Zero-sum rewards on all moves, and a discount, in place of returns."""

    utility = "zero_sum"
    discount = 0.5
    min_return, max_return = -2.0, 2.0

    def apply_action(self, action):
        gain = self.worth[self.node, 0] * (1 - action)
        self.node = self.after[self.node, action]
        return gain, -gain


class AtOnce(bw.Game):
    """Both players move at once, three times at most, on a random acyclic graph."""

    num_players = 2
    num_actions = ACTIONS
    max_game_length = 3
    utility = "zero_sum"

    node: np.int16 = 0
    after: bw.Array[np.int16, 7, ACTIONS, ACTIONS] = 0
    worth: bw.Array[np.float64, 7] = 0.0
    ends: bw.Array[np.int8, 7] = 1

    def current_player(self):
        return bw.SIMULTANEOUS

    def legal_actions(self, player):
        for action in range(ACTIONS):
            yield action

    def apply_actions(self, actions):
        self.node = self.after[self.node, actions[0], actions[1]]

    def is_terminal(self):
        return self.ends[self.node] == 1

    def returns(self):
        return self.worth[self.node], -self.worth[self.node]


class Peeking(bw.Game):
    """One player, three cards face down: turn one over, then choose by it. The tables are public."""

    num_players = 1
    num_actions = 3
    max_game_length = 2
    pool = ("deck",)

    deck: bw.Secret[np.int8, 3] = 0
    turned: np.int8 = -1
    card: np.int8 = 0
    moves: np.int8 = 0
    worth: bw.Array[np.float64, 3, 3, 3] = 0.0
    """[place turned, second action, card at place 0]"""
    gained: np.float64 = 0.0

    def setup(self, random):
        for place in range(3):
            self.deck[place] = place + 1
        random.shuffle(self.deck)

    def current_player(self):
        return 0

    def legal_actions(self):
        for action in range(3):
            yield action

    def apply_action(self, action):
        if self.moves == 0:
            self.turned = action
            self.card = self.deck[action]
        else:
            self.gained = self.worth[self.turned, action, self.deck[0] - 1]
        self.moves += 1

    def is_terminal(self):
        return self.moves == 2

    def returns(self):
        return (self.gained,)


def turns(game, seed):
    """Return a random game of `Turns`, `Unlike` or `Paid`."""
    random = np.random.default_rng(seed)
    state = game()
    for node in range(NODES):
        inner = node < NODES - 7 and (node == 0 or random.random() < 0.85)
        state.owner[node] = random.choice([0, 1, bw.CHANCE], p=[0.4, 0.4, 0.2]) if inner else END
        state.owner[node] = max(0, state.owner[node]) if node == 0 else state.owner[node]
        if inner:
            span = range(node + 1, min(NODES, node + 9))
            state.odds[node] = odds = EIGHTHS[random.integers(len(EIGHTHS))]
            chance = state.owner[node] == bw.CHANCE
            state.choices[node] = sum(map(bool, odds)) if chance else random.integers(1, ACTIONS + 1)
            state.after[node] = random.choice(span, ACTIONS)
        first, second = random.integers(-8, 9, 2) / 8
        state.worth[node] = first, second if game is Unlike else -first
    return state


def value(state):
    """Return both players' value of `state`, by backward induction over its tables."""
    paid, discount = isinstance(state, Paid), getattr(state, "discount", 1.0)

    @cache
    def at(node):
        owner = state.owner[node]
        if owner == END:
            return (0.0, 0.0) if paid else tuple(state.worth[node].tolist())
        found = []
        for action in range(state.choices[node]):
            after = int(state.after[node, action])
            factor = discount if state.owner[after] >= 0 else 1.0
            gain = state.worth[node, 0] * (1 - action) if paid else 0.0
            found.append(tuple(sign * gain + factor * x for sign, x in zip((1, -1), at(after), strict=True)))
        if owner == bw.CHANCE:
            odds = state.odds[node][: len(found)] / 8
            return tuple(float(odds @ [values[player] for values in found]) for player in (0, 1))
        return max(found, key=lambda values: values[owner])

    return at(int(state.node))


def at_once(seed):
    """Return a random game of `AtOnce`: a node, three nodes, three ends."""
    random = np.random.default_rng(seed)
    state = AtOnce()
    state.after[0] = random.integers(1, 7, (ACTIONS, ACTIONS))
    state.after[1:4] = random.integers(4, 7, (3, ACTIONS, ACTIONS))
    state.ends[:4] = 0
    state.worth[4:] = random.permutation([-1.0, random.integers(-4, 5) / 8, 1.0])
    return state


def matrix_value(matrix):
    """Return the value of a matrix game to the row player, by square sub-matrices (Shapley, Snow 1950)."""
    matrix = np.asarray(matrix, dtype=float)
    shift = matrix.min() - 1.0
    positive = (
        matrix - shift
    )  # so that its value is positive and each kernel's inverse sums to its reciprocal
    rows, columns = positive.shape
    for size in range(1, min(rows, columns) + 1):
        for some in itertools.combinations(range(rows), size):
            for others in itertools.combinations(range(columns), size):
                kernel = positive[np.ix_(some, others)]
                if abs(np.linalg.det(kernel)) < 1e-9:
                    continue
                inverse = np.linalg.inv(kernel)
                if inverse.sum() < 1e-9:
                    continue
                worth = 1 / inverse.sum()
                mine, theirs = inverse.sum(axis=0) * worth, inverse.sum(axis=1) * worth
                if min(mine.min(), theirs.min()) < -1e-9:
                    continue
                least = (mine @ positive[list(some)]).min()
                most = (positive[:, list(others)] @ theirs).max()
                if least > worth - 1e-9 and most < worth + 1e-9:
                    return worth + shift
    raise AssertionError("every matrix game has a kernel")


def joint_matrix(state, node=0):
    """Return player 0's values of all pairs of actions at a node of `AtOnce`."""
    values = [[_joint_value(state, after) for after in row] for row in state.after[node].tolist()]
    return np.array(values)


def _joint_value(state, node):
    return float(state.worth[node]) if state.ends[node] else matrix_value(joint_matrix(state, node))


def peeking(seed):
    """Return a random game of `Peeking` before the first move, dealt by `seed`."""
    random = np.random.default_rng(seed)
    state = Peeking()
    state.deck[:] = random.permutation(3) + 1
    state.worth[:] = random.integers(-8, 9, state.worth.shape) / 8
    return state


def peeking_values(state):
    """Return the expected return of turning each card over, with the best second action for what it shows."""
    deals = list(itertools.permutations(range(3)))

    def best(place, seen):
        fitting = [deal for deal in deals if deal[place] == seen]
        return max(np.mean([state.worth[place, action, deal[0]] for deal in fitting]) for action in range(3))

    return [float(np.mean([best(place, seen) for seen in range(3)])) for place in range(3)]
