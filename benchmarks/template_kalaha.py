"""Kalaha by the rules of P. Strandmark's C++ search template, which are not quite those of `kalah`."""

from branchwise.games.kalah import Kalah


class TemplateKalaha(Kalah):
    """Kalah, except for three rules.

    A last seed in an empty pit of the player goes into the store even if the opposite pit is empty. The game
    is over when the player to move has no seeds in the pits. A player's return is the share of the seeds that
    the player has, minus the opponent's.
    """

    seeds = 3

    @classmethod
    def configure(cls):
        super().configure()
        cls.total = 2 * cls.pits * cls.seeds
        cls.max_return, cls.min_return = 1.0, -1.0

    def apply_action(self, action):
        first = self.mover * self.side
        store = first + self.pits
        other_store = self.places - 1 if self.mover == 0 else self.pits
        place = first + action
        seeds = self.board[place]
        self.board[place] = 0
        while seeds > 0:
            place += 1
            if place == other_store:
                place += 1
            if place >= self.places:
                place = 0
            self.board[place] += 1
            seeds -= 1
        if first <= place < store and self.board[place] == 1:
            opposite = 2 * self.pits - place
            self.board[store] += 1 + self.board[opposite]
            self.board[place] = 0
            self.board[opposite] = 0
        if place != store:
            self.mover = 1 - self.mover
        self.over = self.seeds_in_pits(self.mover) == 0

    def returns(self):
        lead = (self.score(0) - self.score(1)) / self.total
        return (lead, -lead)
