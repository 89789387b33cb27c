"""Tiger: listen until you know behind which of two doors the tiger is, and open the other one.

Kaelbling, Littman, Cassandra, "Planning and acting in partially observable stochastic domains", 1998.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.boards import place_piece
from branchwise.games.option_checks import check_ranges

LISTEN, OPEN_LEFT, OPEN_RIGHT = range(3)
NOTHING, LEFT, RIGHT = range(3)
NAMES = ("listen", "open-left", "open-right")


class Tiger(OnePlayer, Game):
    """Behind one of two doors is a tiger, behind the other a treasure; after a door was opened, all begins
    anew.

    Listening costs 1 and tells the right door with probability `accuracy`: 1 for the left one, 2 for the
    right one. Opening a door pays 10 for the treasure and costs 100 for the tiger; nothing is heard then, 0.
    The problem has no end: `horizon` is how far plans look ahead, and an episode has `max_game_length`
    decisions.

    >>> import branchwise as bw
    >>> belief = bw.Belief(Tiger, particles=1000, seed=1)
    >>> result = bw.MCTS(seed=1).search(belief, simulations=10_000)
    >>> belief.action_to_string(result.best_action)
    'listen'
    """

    accuracy = 0.85

    num_actions = 3
    board_style = BoardStyle("marks", 1, 2, (".T$",))
    discount = 0.95
    horizon = 60
    max_game_length = 100

    playout = "game"

    tiger: np.int8 = 0

    @classmethod
    def configure(cls):
        check_ranges(cls, accuracy=(0.5, 1))

    def setup(self, random):
        self.tiger = random.below(2)

    def apply_action(self, action, random):
        if action == LISTEN:
            return -1.0
        found = self.tiger == action - OPEN_LEFT
        self.tiger = random.below(2)
        return -100.0 if found else 10.0

    def observe(self, action, random):
        if action != LISTEN:
            return NOTHING
        heard = self.tiger if random.uniform() < self.accuracy else 1 - self.tiger
        return LEFT + heard

    def observation_density(self, action, seen):
        if action != LISTEN:
            return 1.0 if seen == NOTHING else 0.0
        if seen == LEFT + self.tiger:
            return self.accuracy
        return 1.0 - self.accuracy if seen == LEFT + 1 - self.tiger else 0.0

    def is_terminal(self):
        return False

    def playout_action(self, random):
        return LISTEN

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return NAMES[action]

    def board_cells(self, out):
        place_piece(out, self.tiger, -1, 1)
        place_piece(out, 1 - self.tiger, -1, 2)

    def action_squares(self, action):
        if action != LISTEN:
            yield action - OPEN_LEFT
