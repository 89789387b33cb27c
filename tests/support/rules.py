"""Small games with the features that break searches: passes, extra turns, three players, other sums."""

import numpy as np

import branchwise as bw


class Race(bw.Game):
    """Three players in turn add 1 or 2; whoever reaches `goal` wins, the others lose."""

    num_players = 3
    num_actions = 2
    goal = 10
    max_game_length = 100

    total: np.int16 = 0
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for action in range(self.num_actions):
            yield action

    def apply_action(self, action):
        self.total += action + 1
        self.mover = (self.mover + 1) % 3

    def is_terminal(self):
        return self.total >= self.goal

    def returns(self):
        winner = (self.mover + 2) % 3
        if winner == 0:
            return (1.0, -1.0, -1.0)
        if winner == 1:
            return (-1.0, 1.0, -1.0)
        return (-1.0, -1.0, 1.0)


class Kalah(bw.Game):
    """Take 1 to 3 chips; taking exactly 2 gives another turn; whoever takes the last chip wins."""

    num_players = 2
    num_actions = 3
    max_game_length = 100

    chips: np.int16 = 12
    mover: np.int8 = 0
    last: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for action in range(min(3, self.chips)):
            yield action

    def apply_action(self, action):
        self.last = self.mover
        self.chips -= action + 1
        if action != 1:
            self.mover = 1 - self.mover

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return (1.0, -1.0) if self.last == 0 else (-1.0, 1.0)


class Passing(bw.Game):
    """Nim in which a player may pass once; action 0 passes, action a takes a chips of the heap."""

    num_players = 2
    num_actions = 4
    max_game_length = 100

    chips: np.int16 = 9
    mover: np.int8 = 0
    passed: bw.Array[bool, 2] = False

    def current_player(self):
        return self.mover

    def legal_actions(self):
        if not self.passed[self.mover]:
            yield 0
        for take in range(1, min(3, self.chips) + 1):
            yield take

    def apply_action(self, action):
        if action == 0:
            self.passed[self.mover] = True
        self.chips -= action
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)


class Prisoners(bw.Game):
    """Two players keep silent or tell, in turn; the sum of their returns varies."""

    num_players = 2
    num_actions = 2

    first: np.int8 = 0
    second: np.int8 = 0
    moves: np.int8 = 0

    def current_player(self):
        return self.moves % 2

    def legal_actions(self):
        for action in range(2):
            yield action

    def apply_action(self, action):
        if self.moves % 2 == 0:
            self.first += action
        else:
            self.second += action
        self.moves += 1

    def is_terminal(self):
        return self.moves == 4

    def returns(self):
        return (0.3 * self.first - 0.4 * self.second, 0.3 * self.second - 0.4 * self.first)


class Climb(bw.Game):
    """One player takes five steps, each worth its number; after a step of 2 the next counts double."""

    num_players = 1
    num_actions = 3
    min_return = 0.0
    max_return = 16.0
    max_game_length = 5

    height: np.int16 = 0
    steps: np.int16 = 0
    doubled: bool = False

    def current_player(self):
        return 0

    def legal_actions(self):
        for action in range(3):
            yield action

    def apply_action(self, action):
        self.height += 2 * action if self.doubled else action
        self.doubled = action == 2 and not self.doubled
        self.steps += 1

    def is_terminal(self):
        return self.steps == 5

    def returns(self):
        return (float(self.height),)

    def action_to_string(self, action):
        return "abc"[action]


class Shares(bw.Game):
    """Three players take from a pot of 10 in turn, twice each; who takes more than is left pays 2."""

    num_players = 3
    num_actions = 4
    min_return = -4.0
    max_return = 6.0
    max_game_length = 6

    pot: np.int16 = 10
    moves: np.int16 = 0
    taken: bw.Array[np.int16, 3] = 0

    def current_player(self):
        return self.moves % 3

    def legal_actions(self):
        for action in range(4):
            yield action

    def apply_action(self, action):
        if action <= self.pot:
            self.taken[self.moves % 3] += action
            self.pot -= action
        else:
            self.taken[self.moves % 3] -= 2
        self.moves += 1

    def is_terminal(self):
        return self.moves == 6

    def returns(self):
        return (float(self.taken[0]), float(self.taken[1]), float(self.taken[2]))
