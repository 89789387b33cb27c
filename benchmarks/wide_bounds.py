"""The effect of bounds that are far wider than the returns, in a puzzle: SameGame.

The same boards are played by flat Monte Carlo, by a search with values scaled to the declared bounds, and by
one with values scaled to the returns seen. Prints the mean score of each, and its mean difference from the
last, with 95 % intervals over boards.

    python benchmarks/wide_bounds.py
    python benchmarks/wide_bounds.py --boards 100 --simulations 1000
"""

import argparse
import math
import statistics
from collections.abc import Sequence

import numpy as np

import branchwise as bw


class SameGame(bw.Game):
    """Remove groups of n equal cells for (n - 2)^2 points; 1000 more for an empty board.

    The remaining cells fall down, and columns close up to the left. m cells left at the end cost (m - 2)^2.
    """

    num_players = 1
    num_actions = 100
    rows = 10
    columns = 10
    colours = 5
    board_number = 0
    min_return = -10_604.0
    max_return = 10_604.0

    board: bw.Array[np.int8, "rows", "columns"] = 0  # row 0 is the bottom; 0: empty
    score: np.float64 = 0.0
    over: bool = False

    @classmethod
    def configure(cls):
        cls.num_actions = cls.rows * cls.columns

    def setup(self):
        seed = 12_345 + self.board_number * 7919
        for row in range(self.rows):
            for column in range(self.columns):
                seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
                self.board[row, column] = 1 + (seed >> 16) % self.colours

    def current_player(self):
        return 0

    def is_colour(self, row, column, colour):
        return 0 <= row < self.rows and 0 <= column < self.columns and self.board[row, column] == colour

    def take_group(self, start, cells):
        """Empty the group of the cell `start`, write its cells to `cells`, and return their number."""
        colour = self.board[start // self.columns, start % self.columns]
        self.board[start // self.columns, start % self.columns] = 0
        cells[0] = start
        size = 1
        done = 0
        while done < size:
            row = cells[done] // self.columns
            column = cells[done] % self.columns
            done += 1
            for side in range(4):
                near_row = row + (side == 0) - (side == 1)
                near_column = column + (side == 2) - (side == 3)
                if self.is_colour(near_row, near_column, colour):
                    self.board[near_row, near_column] = 0
                    cells[size] = near_row * self.columns + near_column
                    size += 1
        return size

    def legal_actions(self):
        seen = np.zeros(self.rows * self.columns, np.int8)
        cells = np.zeros(self.rows * self.columns, np.int16)
        for start in range(self.rows * self.columns):
            colour = self.board[start // self.columns, start % self.columns]
            if colour > 0 and seen[start] == 0:
                size = self.take_group(start, cells)
                for i in range(size):
                    self.board[cells[i] // self.columns, cells[i] % self.columns] = colour
                    seen[cells[i]] = 1
                if size > 1:
                    yield start

    def apply_action(self, action):
        cells = np.zeros(self.rows * self.columns, np.int16)
        self.score += (self.take_group(action, cells) - 2) ** 2
        kept_column = 0
        for column in range(self.columns):
            height = 0
            for row in range(self.rows):
                colour = self.board[row, column]
                if colour > 0:
                    self.board[row, column] = 0
                    self.board[height, kept_column] = colour
                    height += 1
            if height > 0:
                kept_column += 1
        self.finish()

    def finish(self):
        left = 0
        for row in range(self.rows):
            for column in range(self.columns):
                colour = self.board[row, column]
                if colour > 0:
                    left += 1
                    if self.is_colour(row + 1, column, colour) or self.is_colour(row, column + 1, colour):
                        return
        self.over = True
        self.score += 1000 if left == 0 else -((left - 2) ** 2)

    def is_terminal(self):
        return self.over

    def returns(self):
        return (self.score,)


PLAYERS = {
    "flat": "flat(simulations={n})",
    "bounds, c=0.7": "mcts(simulations={n},scale=bounds)",
    "bounds, c=0.01": "mcts(simulations={n},scale=bounds,c=0.01)",
    "seen, c=0.2": "mcts(simulations={n},c=0.2)",
    "seen, c=0.7": "mcts(simulations={n})",
}


def play(player: str, board: int, simulations: int) -> float:
    """Return a bot's score on one board."""
    state = SameGame.configured(board_number=board)()
    bot = bw.load_bot(PLAYERS[player].format(n=simulations), seed=board)
    while not state.is_terminal():
        state.apply_action(bot.choose(state))
    return float(state.returns()[0])


def interval(scores: Sequence[float]) -> str:
    """Return a mean with the half-width of its 95 % interval, by the normal approximation."""
    half = 1.96 * statistics.stdev(scores) / math.sqrt(len(scores))
    return f"{statistics.mean(scores):7.1f} ± {half:5.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--boards", type=int, default=30, help="boards to play (default 30)")
    parser.add_argument("--simulations", type=int, default=500, help="simulations per move (default 500)")
    parser.add_argument("--players", nargs="*", choices=list(PLAYERS), default=list(PLAYERS))
    options = parser.parse_args()
    found: dict[str, list[float]] = {}
    for player in options.players:
        found[player] = [play(player, board, options.simulations) for board in range(options.boards)]
        print(f"{player:15s} {interval(found[player])}", flush=True)
    *others, last = options.players
    for player in others:
        differences = [a - b for a, b in zip(found[last], found[player], strict=True)]
        print(f"{last} - {player:15s} {interval(differences)}")


if __name__ == "__main__":
    main()
