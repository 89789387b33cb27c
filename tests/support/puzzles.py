"""Small problems of one player, and both methods that look for their best line, as textbooks have them."""

import math
from functools import partial

import numpy as np

import branchwise as bw
from branchwise.compile.states.randomness import Randomness
from branchwise.core.interpret import interpreted
from branchwise.core.numbers.random_streams import ORDER_STREAM, PLAYOUT_STREAM, mixed, new_streams
from branchwise.optimise.walkers import policy_walker, walker


class Stairs(bw.Game):
    """Climb by one or two steps to the tenth; landing on a step pays what is written there.

    It has codes, priors and moves of playouts, a discount, and states with one action alone.
    """

    num_players = 1
    num_actions = 3
    discount = 0.9
    max_game_length = 10
    prizes = np.array([0, 3, -2, 5, 0, -4, 7, 1, -1, 6, 2])

    height: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 1
        if self.height < 9:
            yield 2

    def apply_action(self, action):
        self.height += action
        return float(self.prizes[self.height])

    def is_terminal(self):
        return self.height == 10

    def action_code(self, action):
        return 1_000_000_007 * self.height + action

    def prior(self, action):
        return 1.0 + action

    def playout_action(self, random):
        return 1 + random.below(2) if self.height < 9 else 1


class Fork(bw.Game):
    """Nine times left or right, given in either order; sometimes only one of them is legal."""

    num_players = 1
    num_actions = 2
    max_game_length = 9
    prizes = np.array([3, -1, 4, 1, -5, 9, 2, -6, 5])

    made: np.int8 = 0
    rights: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        if self.made % 4 < 3:
            yield (self.made + self.rights) % 2
        if self.rights % 3 < 2 or self.made % 4 == 3:
            yield (self.made + self.rights + 1) % 2

    def apply_action(self, action):
        place = (self.made + 2 * self.rights * action) % 9
        self.made += 1
        self.rights += action
        return float(self.prizes[place])

    def is_terminal(self):
        return self.made == 9


class Ring(bw.Game):
    """Take things of a ring in any order, none beside another, until nothing is left; each has its price."""

    num_players = 1
    num_actions = 12
    max_game_length = 6
    prices = np.array([5, 9, 4, 7, 3, 8, 6, 7, 2, 9, 8, 3])

    barred: np.int16 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        for thing in range(12):
            if self.barred >> thing & 1 == 0:
                yield thing

    def apply_action(self, action):
        for thing in (action + 11, action, action + 1):
            self.barred |= 1 << thing % 12
        return float(self.prices[action])

    def is_terminal(self):
        return self.barred == 4095


class Sum(bw.Game):
    """Choose four digits from 0 to 3; their return is told at the end. Actions are their own codes."""

    num_players = 1
    num_actions = 4
    max_return = 12.0
    min_return = 0.0

    total: np.int8 = 0
    count: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        for digit in range(4):
            yield digit

    def apply_action(self, action):
        self.total += action
        self.count += 1

    def is_terminal(self):
        return self.count == 4

    def returns(self):
        return (float(self.total),)


class Lottery(bw.Game):
    """Choose five digits from 0 to 4. Each line has a score of its own, in no order.

    None has the best score that the rules allow, which would end a search.
    """

    num_players = 1
    num_actions = 5
    min_return = 0.0
    max_return = 9999.0

    ticket: np.int32 = 0
    count: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        for digit in range(5):
            yield digit

    def apply_action(self, action):
        self.ticket = 5 * self.ticket + action
        self.count += 1

    def is_terminal(self):
        return self.count == 5

    def returns(self):
        return (float(self.ticket * 1741 % 3125),)


class Trap(bw.Game):
    """Choose eight bits; the fault of a kind comes when they are those of the trap."""

    num_players = 1
    num_actions = 2
    max_game_length = 8
    table = np.zeros(2)

    trap: np.int16 = 0
    kind: np.int8 = 0
    bits: np.int16 = 0
    count: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.bits = 2 * self.bits + action
        self.count += 1
        if self.count == 8 and self.bits == self.trap:
            if self.kind == 1:
                return self.table[self.bits + 2]
            if self.kind == 2:
                return np.inf
            while self.kind == 3:
                self.trap = self.bits
        return float(action)

    def is_terminal(self):
        return self.count == 8

    def action_code(self, action):
        return 2 * self.count + action

    def improve(self, line):
        """Set the first bit that is not set."""
        better = list(line)
        if 0 in line:
            better[line.index(0)] = 1
        return better


def found(result):
    """Return all of a result but the time that it took."""
    history = [improvement[1:] for improvement in result.history]
    return result.best_score, result.best_line, result.playouts, result.runs, result.ended_by, history


def score_of(state, line):
    """Return the score of a line by the plain rules."""
    state, total, weight = state.copy(), 0.0, 1.0
    for action in line:
        total += weight * (state.apply_action(action) or 0.0)
        weight *= state.discount
    return total if not hasattr(state, "returns") else state.returns()[0]


def small_arrays(monkeypatch, moves):
    """Let searches begin with arrays that are soon too small, with room for lines of `moves`."""
    monkeypatch.setattr(walker, "FIRST_MOVES", moves)
    monkeypatch.setattr(policy_walker, "FIRST_CODES", 8)
    monkeypatch.setattr(policy_walker, "FIRST_PLACES", 64)


class Textbook:
    """NRPA and nested search as recursions over plain rules, with the random numbers of our searches.

    spare, clamp, sweeps : as of `NRPA`, `sweeps` with one number for each level.   min_prior, width,
    samples : as of `NestedSearch`, for each level from 2 on; no width: all actions.
    helpers : number of playouts besides the first at each bottom step, each with random numbers that follow
    from its number and from the playouts before the step.
    """

    def __init__(
        self, root, seed, helpers=0, spare=0.0, clamp=460.0, sweeps=(), min_prior=0.0, width=(), samples=()
    ):
        self.root = root
        self.seed = seed
        self.spare = spare
        self.clamp = clamp
        self.sweeps = sweeps
        self.min_prior = min_prior
        self.width = width
        self.samples = samples
        self.helpers = helpers
        self.random = self.own = Randomness(new_streams(seed))
        self.playouts = 0
        self.improvements = []

    def at_each_step(self, play):
        """Return what `play` returns in each thread at one bottom step."""
        before, found = self.playouts, []
        for helper in range(self.helpers + 1):
            self.random = self.own if helper == 0 else self.random_of(helper, before)
            found.append(play())
        self.random = self.own
        return found

    def random_of(self, helper, step):
        streams = new_streams(self.seed, helper)
        with np.errstate(over="ignore"):
            counter = streams[ORDER_STREAM] + np.uint64(step + 1) * np.uint64(0x9E3779B97F4A7C15)
            streams[PLAYOUT_STREAM] = interpreted(mixed)(counter)
        return Randomness(streams)

    def code(self, state, action):
        return state.action_code(action) if hasattr(state, "action_code") else action

    def odds(self, state, weights):
        legal = state.legal_actions()
        bias = state.prior if hasattr(state, "prior") else lambda action: 1.0
        odds = [math.exp(weights.get(self.code(state, a), 0.0)) * bias(a) for a in legal]
        return legal, odds

    def play_by(self, weights):
        state, line = self.root.copy(), []
        while not state.is_terminal():
            legal, odds = self.odds(state, weights)
            action = legal[0] if len(legal) == 1 else legal[self.random.choice(odds)]
            state.apply_action(action)
            line.append(action)
        return self.noted(line)

    def noted(self, line):
        """Count a playout; returns its score and line."""
        self.playouts += 1
        score = score_of(self.root, line)
        if not self.improvements or score > self.improvements[-1][1]:
            self.improvements.append((self.playouts, score))
        return score, line

    def nrpa(self, level, iterations, alpha, weights=None):
        """Return the best score and line of one call."""
        if level == 0:
            return self.play_by(weights)
        best, line = -math.inf, []
        first = weights or {}
        weights = dict(first)

        def below():
            return self.nrpa(level - 1, iterations, alpha, weights)

        for _ in range(iterations):
            for score, found in self.at_each_step(below) if level == 1 else [below()]:
                if score >= best:
                    best, line = score, found
            weights = self.adapted(weights, line, alpha)
        for _ in range(self.sweeps[level - 1] if self.sweeps else 0):
            place = 0
            while place < len(line):
                score, found = self.changed(line, place, first)
                if score >= best:
                    best, line = score, found
                place += 1
        return best, line

    def changed(self, line, place, weights):
        """Return the score and line of a playout with another action at a place; -inf if there is none."""
        state, codes = self.root.copy(), set()
        for action in line:
            codes.add(self.code(state, action))
            state.apply_action(action)
        state, found = self.root.copy(), line[:place]
        for action in found:
            state.apply_action(action)
        while len(found) == place or not state.is_terminal():
            legal, odds = self.odds(state, weights)
            own = [self.code(state, action) in codes for action in legal]
            if len(found) == place or not any(own):
                odds = [0.0 if mine else share for mine, share in zip(own, odds, strict=True)]
                if len(found) == place and sum(odds) == 0.0:
                    return -math.inf, line
            else:
                odds = [float(mine) for mine in own]
            found.append(legal[0] if len(legal) == 1 else legal[self.random.choice(odds)])
            state.apply_action(found[-1])
        return self.noted(found)

    def beam_nrpa(self, iterations, alpha, widths, weights=None):
        """Return the lines of one call, the best first, as pairs; widths : of each level, level 1 first."""
        if not widths:
            return self.at_each_step(lambda: self.play_by(weights))
        *lower, width = widths
        beam = [(-math.inf, [], dict(weights or {}))]
        for _ in range(iterations):
            found = list(beam)
            for _, _, policy in beam:
                for score, line in self.beam_nrpa(iterations, alpha, lower, policy):
                    if all(line != known for _, known, _ in found):
                        place = sum(known > score for known, _, _ in found)
                        found.insert(place, (score, line, policy))
                        del found[width:]
            beam = [(score, line, self.adapted(policy, line, alpha)) for score, line, policy in found]
        return [(score, line) for score, line, _ in beam if line]

    def adapted(self, weights, line, alpha):
        """Return weights after one step on the mixture of log-probabilities that `spare` stands for."""
        after, steps = dict(weights), self.choices(weights, line)
        for place, (codes, odds, chosen) in enumerate(steps):
            later = {code for _, _, code in steps[place + 1 :]} - {chosen}
            others = sum(odds[i] for i, code in enumerate(codes) if code not in later)
            for code, weight in zip(codes, odds, strict=True):
                share = (1.0 - self.spare) * weight / sum(odds)
                if code not in later:
                    share += self.spare * weight / others
                after[code] = after.get(code, 0.0) - alpha * share
            after[chosen] += alpha
        return {code: min(max(weight, -self.clamp), self.clamp) for code, weight in after.items()}

    def choices(self, weights, line):
        """Return, for each state of a line with several legal actions, their codes and odds, and its code."""
        found, state = [], self.root.copy()
        for action in line:
            legal, odds = self.odds(state, weights)
            if len(legal) > 1:
                codes = [self.code(state, other) for other in legal]
                found.append((codes, odds, self.code(state, action)))
            state.apply_action(action)
        return found

    def selected(self, state):
        """Return the legal actions with enough prior."""
        legal = state.legal_actions()
        if self.min_prior == 0.0:
            return legal
        least = self.min_prior * max(map(state.prior, legal))
        return [action for action in legal if state.prior(action) >= least]

    def nested(self, level, state=None, before=()):
        """Return the best score and line of one call, with uniform playouts."""
        state, line = (state or self.root).copy(), list(before)
        best, best_line = -math.inf, []
        if level == 0:
            while not state.is_terminal():
                legal = state.legal_actions()
                line.append(legal[self.random.below(len(legal))])
                state.apply_action(line[-1])
            self.playouts += 1
            return score_of(self.root, line), line
        while not state.is_terminal():
            legal = self.selected(state)
            tries = []
            if level > 1 and self.width and self.width[level - 2] < len(legal):
                legal, tries = self.sampled(level, state, line, legal)
            for action in legal:
                after = state.copy()
                after.apply_action(action)
                lower = 0 if after.is_terminal() else level - 1
                below = partial(self.nested, lower, after, [*line, action])
                tries += self.at_each_step(below) if level == 1 else [below()]
            for score, found in tries:
                if score > best:
                    best, best_line = score, found
            line.append(best_line[len(line)])
            state.apply_action(line[-1])
        return best, best_line

    def sampled(self, level, state, line, legal):
        """Return the actions whose playouts have the best mean, and what all these playouts found."""
        for place in range(len(legal) - 1, 0, -1):
            other = self.random.below(place + 1)
            legal[place], legal[other] = legal[other], legal[place]
        sums, tries = [], []
        for action in legal:
            after = state.copy()
            after.apply_action(action)
            below = partial(self.nested, 0, after, [*line, action])
            found = [each for _ in range(self.samples[level - 2]) for each in self.at_each_step(below)]
            sums.append(sum(score for score, _ in found))
            tries += found
        for place in range(self.width[level - 2]):
            best = max(range(place, len(legal)), key=lambda other: sums[other])
            for each in (legal, sums):
                each[place], each[best] = each[best], each[place]
        return legal[: self.width[level - 2]], tries
