"""Atari Go, also called Ponnuki Go: the first player to capture a stone wins.

Nobody may pass or play suicide, so a player who has no other point left loses.
"""

from branchwise.games.stones import CAPTURES, EXTENSIONS, USEFUL, StoneGame


class AtariGo(StoneGame):
    """Black is player 0. An action is a point as in `StoneGame`, such as "D4".

    >>> state = AtariGo.from_actions("A1 B1 J9 A2")
    >>> state.is_terminal(), state.returns()
    (True, (-1.0, 1.0))
    """

    playout = "game"
    sides_alike = True

    won: bool = False
    """Whether the player who moved last has captured."""

    def legal_word(self, word):
        return self.not_suicide(word)

    def apply_action(self, action):
        self.won = self.put(action) > 0
        self.mover = 1 - self.mover
        self.find_legal()

    def is_terminal(self):
        return self.won or not self.can_move()

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)

    def playout_action(self, random):
        """Return a capture, which wins; else a move that extends a chain in atari, else any move.

        In 20 ms a move, this won 44 of 60 games against "uniform" (62 to 82 %).
        """
        for kind in (CAPTURES, EXTENSIONS, USEFUL):
            point = self.draw_point(kind, random)
            if point != self.nowhere:
                return point
        return self.nowhere
