"""The bot that plays by a game's own `playout_action`."""

import pytest

import branchwise as bw
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.problems.mountain_car import MountainCar


class Careless(MountainCar):
    """Its rule changes the state that it looks at, and may give an action that is not legal."""

    def playout_action(self, random):
        self.place += 1.0
        return random.below(4)


def test_the_rule_is_played_and_the_state_stays_what_it_was():
    state = MountainCar(place=-0.5, speed=0.01)
    assert bw.load_bot("rule(seed=1)").choose(state) == 2
    state, bot, chosen = Careless(place=-0.5, speed=0.01), bw.load_bot("rule", seed=1), set()
    for _ in range(60):
        try:
            chosen.add(bot.choose(state))
        except bw.ActionError:
            chosen.add(None)
    assert chosen == {0, 1, 2, None}
    assert state.place == -0.5


def test_the_same_seed_plays_the_same():
    state = MountainCar(place=-0.5, speed=0.0)
    bots = [bw.load_bot("rule", seed=seed) for seed in (1, 1, 2)]
    one, same, other = ([bot.choose(state) for _ in range(80)] for bot in bots)
    assert one == same != other


def test_a_game_without_a_rule_is_refused():
    bot = bw.load_bot("rule")
    for ask in (lambda: bot.check_game(TicTacToe), lambda: bot.choose(TicTacToe())):
        with pytest.raises(bw.GameError, match="no playout_action, so the bot rule cannot play it"):
            ask()


def test_it_plays_episodes_beside_others():
    result = bw.Match("mountain_car", ["rule", "random"], games=4, concurrency=1, seed=1).run()
    returns = [record.returns[0] for record in result.records]
    assert returns[::2] != [-200.0, -200.0] == returns[1::2]
