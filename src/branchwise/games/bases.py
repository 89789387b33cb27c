"""What the rules of many games have in common: whose turn it is, and who has won."""


def won_by(player):
    """Return the returns of two players if one has won, or of a draw for -1.

    >>> won_by(1), won_by(-1)
    ((-1.0, 1.0), (0.0, 0.0))
    """
    if player < 0:
        return (0.0, 0.0)
    return (1.0, -1.0) if player == 0 else (-1.0, 1.0)


def by_lead(lead, margin=False):
    """Return the returns of two players by what player 0 leads by; margin : that is what they win.

    >>> by_lead(3), by_lead(-3, margin=True)
    ((1.0, -1.0), (-3.0, 3.0))
    """
    value = float(lead) if margin else 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
    return (value, 0.0 - value)


class OnePlayer:
    """A problem for one player, who may take any action in any state."""

    num_players = 1

    def current_player(self):
        return 0

    def legal_actions(self):
        for action in range(self.num_actions):  # noqa: UP028
            yield action


class TwoPlayers:
    """A game of two players who move in turn, until the player who moved last has won.

    A subclass has the field `mover`, the player to move. What one player wins, the other loses.
    """

    num_players = 2
    utility = "zero_sum"

    def current_player(self):
        return self.mover

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)
