"""One way to ask a bot: `choose(state, limit, moves)`, and bots that take less."""

import math
import threading

import pytest

import branchwise as bw
from branchwise.bots.players.mcts import MCTSBot
from branchwise.games.connect_four import ConnectFour
from branchwise.games.hex import Hex
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.move_limit import Limit, tightened


class Few(bw.Bot):
    def choose(self, state):
        return 0


class Limited(bw.Bot):
    def choose(self, state, limit):
        return 0 if limit is None else limit.nodes


class Whole(bw.Bot):
    def choose(self, state, limit=None, moves=None):
        return (limit, moves)


class Starred(bw.Bot):
    def choose(self, *given):
        return given


class Calling(Few):
    def choose(self, state, limit):
        return super().choose(state) + super().choose(state, limit, [1])


def test_a_bot_takes_as_much_as_its_choose_has_arguments():
    state, limit = Nim(), bw.Limit(nodes=2)
    assert [Few().choose(*given) for given in ((state,), (state, limit), (state, limit, [0]))] == [0, 0, 0]
    assert (Limited().choose(state), Limited().choose(state, limit, [0])) == (0, 2)
    assert Limited().choose(state, limit=limit, moves=[0]) == 2
    assert (Whole().choose(state, limit, [0]), Whole().choose(state)) == ((limit, [0]), (None, None))
    assert Starred().choose(state, limit, [0]) == (state, limit, [0])
    assert Calling().choose(state, limit) == 0
    with pytest.raises(TypeError):
        Few().choose(state, limit, [0], 3)
    with pytest.raises(TypeError):
        bw.Bot()


@pytest.mark.parametrize("setter", ["set_moves", "set_limits", "set_clocks"])
def test_a_bot_with_a_setter_that_nobody_calls_is_refused_in_one_sentence(setter):
    with pytest.raises(bw.GameError, match=rf"Late.{setter} would never be called") as caught:
        type("Late", (bw.Bot,), {setter: lambda self: None, "choose": lambda self, state: 0})
    assert "argument" in caught.value.mend


@pytest.mark.parametrize("limit", [None, bw.Limit(), bw.Limit(depth=3, clocks=(1.0, 2.0))])
def test_a_limit_that_says_nothing_of_the_budget_leaves_it(limit):
    assert tightened(Budget(simulations=5), limit) == Budget(simulations=5)
    assert tightened(None, limit) is None


def test_the_text_of_a_bot_has_its_limit_even_if_it_is_one_simulation():
    assert repr(bw.load_bot("mcts(simulations=1)")) == "mcts(simulations=1)"


def test_a_limit_tightens_and_never_loosens():
    own = Budget(simulations=100, seconds=2.0)
    assert tightened(own, bw.Limit(seconds=5.0, nodes=10)) == Budget(simulations=10, seconds=2.0)
    assert tightened(None, bw.Limit(nodes=2**53)).simulations == 2_000_000_000


@pytest.mark.parametrize(
    "wrong",
    [
        {"seconds": 0},
        {"seconds": math.nan},
        {"seconds": math.inf},
        {"nodes": 0},
        {"nodes": 1.5},
        {"depth": 0},
        {"clocks": (-1.0,)},
        {"clocks": (math.inf,)},
        {"increments": (-1.0,)},
    ],
)
def test_limits_outside_their_ranges_are_refused(wrong):
    with pytest.raises(bw.SettingsError):
        bw.Limit(**wrong)


def test_the_clock_of_a_player_without_one_is_none():
    limit = bw.Limit(clocks=(5.0, 7.0), increments=(1.0,))
    assert [limit.clock_of(player) for player in range(3)] == [(5.0, 1.0), (7.0, 0.0), None]


@pytest.mark.parametrize(
    ("bot", "own"), [("mcts(simulations=400,reuse=false)", 400), ("flat(simulations=40)", 40), ("flat", 1000)]
)
def test_bots_that_search_keep_to_the_limit_for_one_choice_only(bot, own):
    bot = bw.load_bot(bot, seed=1)
    bot.choose(TicTacToe(), bw.Limit(nodes=30))
    assert bot.result.simulations == 30
    bot.choose(TicTacToe())
    assert bot.result.simulations == own


def test_minimax_looks_no_further_than_the_limit():
    state = ConnectFour.from_actions("a1 b1 a2 b2 a3 g1")
    deep, shallow = bw.load_bot("minimax(depth=4)", seed=1), bw.load_bot("minimax", seed=1)
    assert deep.choose(state, bw.Limit(depth=1)) == 0
    assert deep.value == 1.0
    early = ConnectFour.from_actions("d1 a1 e1 a2")
    shallow.choose(early, bw.Limit(depth=1))
    assert shallow.value == 0.0
    shallow.choose(early, bw.Limit(depth=3))
    assert shallow.value == 1.0


def test_a_bot_with_a_clock_takes_the_time_that_is_shown():
    bot = MCTSBot(clock=1000.0, increment=5.0)
    bot.choose(TicTacToe(), bw.Limit(clocks=(0.1, 900.0), increments=(0.0, 0.0)))
    assert bot.result.seconds < 0.5
    assert bot._remaining <= 0.1


def test_moves_reach_the_bot_of_a_level():
    bot = bw.load_bot("level(level=1)", seed=1)
    seen = []
    bot.choose(Nim())
    bot._player.choose = lambda state, limit, moves: seen.append((limit, moves)) or 0
    bot.choose(Nim(), bw.Limit(nodes=7), (1, 2))
    assert seen == [(bw.Limit(nodes=7), (1, 2))]


def test_a_choice_in_the_background_takes_limit_and_moves():
    from branchwise.bots.base.bot_thread import RunningChoice

    ends, ended = [], threading.Event()

    def end(action, error):
        ends.append((action, error))
        ended.set()

    RunningChoice(Whole(), Nim(), None, end, limit=bw.Limit(nodes=3), moves=(1,))
    assert ended.wait(10)
    assert ends == [((bw.Limit(nodes=3), (1,)), None)]


IN_PYTHON = "simulations=30,compiled=False"


@pytest.mark.parametrize(
    "bot", [f"mcts({IN_PYTHON})", f"mcts({IN_PYTHON},random_moves=1.0)", f"tuned({IN_PYTHON})"]
)
def test_a_bot_that_can_keeps_to_the_actions_of_its_limit(bot):
    state, among = Hex(), (7, 60)
    player = bw.load_bot(bot, seed=1)
    assert {player.choose(state, Limit(among=among)) for _ in range(4)} <= set(among)


def test_what_a_player_knows_is_no_reason_to_forget_the_limit():
    known = bw.Playthrough(KuhnPoker(), "J K bet").information_state(1)
    bot = bw.load_bot(f"ismcts({IN_PYTHON})", seed=1)
    assert [bot.choose(known, Limit(among=(action,))) for action in (0, 1)] == [0, 1]


@pytest.mark.parametrize("bot", ["random", "minimax(depth=1)", "flat(simulations=9)", "pimc(simulations=9)"])
@pytest.mark.parametrize("limit", [Limit(among=(0,)), Limit(avoid=((0, 0, 1),))], ids=["among", "avoid"])
def test_other_bots_refuse_such_a_limit(bot, limit):
    name = bot.partition("(")[0]
    with pytest.raises(bw.SettingsError, match=f"{name} cannot be restricted to some of the moves"):
        bw.load_bot(bot, seed=1).choose(TicTacToe(), limit)
    with pytest.raises(bw.SettingsError, match="few cannot be restricted"):
        Few().choose(TicTacToe(), limit)


@pytest.mark.parametrize("given", [0.2, 100])
def test_a_number_is_no_limit(given):
    bot = bw.load_bot("random", seed=1)
    with pytest.raises(bw.SettingsError, match=rf"{given} is no limit\n.*bw.Limit\(seconds"):
        bot.choose(bw.load_game("nim")(), given)


def test_a_bot_is_named_by_a_text():
    with pytest.raises(bw.SettingsError, match="None is no text"):
        bw.load_bot(None)
