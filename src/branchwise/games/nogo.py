"""NoGo: capture and suicide are illegal; a player who has no other move loses."""

from branchwise.games.stones import StoneGame


class NoGo(StoneGame):
    """Black is player 0. An action is a point as in `StoneGame`, such as "D4".

    >>> state = NoGo.configured(size=2).from_actions("A1 B2")
    >>> state.legal_actions(), state.is_terminal()
    ([1, 2], False)
    """

    name = "nogo"
    sides_alike = True

    def legal_word(self, word):
        """Return the empty points of a word where no chain gets or has its last liberty."""
        allowed = self.next_to(self.lasting(word - 1), self.lasting(word), self.lasting(word + 1))
        captures = self.next_to(self.in_danger(word - 1), self.in_danger(word), self.in_danger(word + 1))
        return self.empty[word] & allowed & ~captures

    def lasting(self, word):
        """Return the points of a word next to which an own stone has a liberty."""
        if not 0 <= word < self.words:
            return 0
        return self.empty[word] | self.stones[self.mover, word] & ~self.atari[word]

    def in_danger(self, word):
        """Return the opponent's stones in atari, in a word."""
        if not 0 <= word < self.words:
            return 0
        return self.stones[1 - self.mover, word] & self.atari[word]

    def apply_action(self, action):
        self.put(action)
        self.mover = 1 - self.mover
        self.find_legal()

    def is_terminal(self):
        return not self.can_move()

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)
