"""Bots: legal, seeded, as strong as they should be, and refused with a reason when misnamed."""

import threading
import time

import pytest

import branchwise as bw
from branchwise.bots.players.human import HumanBot
from branchwise.cli.terminal.options import settings_from
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing import solve_actions
from support.rows import bounded
from support.rules import Kalah, Passing, Race
from support.sums import Undeclared

SPECS = [
    "random",
    "flat(simulations=50)",
    "flat(simulations=50,allocation=uniform)",
    "mcts(simulations=50)",
    "minimax(depth=3)",
]


def play(bots, game):
    state = game()
    while not state.is_terminal():
        action = bots[state.current_player()].choose(state)
        assert action in state.legal_actions()
        state.apply_action(action)
    return state


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(
    "game",
    [bounded(ConnectFour), TicTacToe, Nim, Kalah, Passing],
    ids=lambda game: game.name,
)
def test_every_bot_plays_whole_games(spec, game):
    bot = bw.load_bot(spec, seed=1)
    assert play([bot, bot], game).is_terminal()


@pytest.mark.parametrize("spec", SPECS[:-1])
def test_every_bot_but_minimax_plays_among_three(spec):
    bot = bw.load_bot(spec, seed=1)
    play([bot] * 3, Race)


@pytest.mark.parametrize("game", [Undeclared, lambda: PlainJudged(Undeclared())], ids=["compiled", "plain"])
def test_minimax_refuses_returns_without_a_constant_sum(game):
    """Though the game does not declare that it has none: both players gain most by the first action."""
    with pytest.raises(bw.SettingsError, match=r"returns of .* do not always add up to 0"):
        bw.load_bot("minimax", seed=1).choose(game())


def test_minimax_refuses_three_players():
    with pytest.raises(bw.SettingsError, match="two-player games"):
        bw.load_bot("minimax").choose(Race())


@pytest.mark.parametrize("spec", SPECS)
def test_the_same_seed_plays_the_same_game(spec):
    games = [play([bw.load_bot(spec, seed=4), bw.load_bot(spec, seed=5)], ConnectFour) for _ in range(2)]
    assert games[0] == games[1]


@pytest.mark.parametrize("game", [bounded(TicTacToe), Kalah, Passing, Nim], ids=lambda game: game.name)
def test_minimax_to_the_end_is_perfect(game):
    """Compiled and in plain Python, from random positions of both parities."""
    import random

    source = random.Random(3)
    for _ in range(30):
        state = game()
        for _ in range(source.randrange(3, 6)):
            state.apply_action(source.choice(state.legal_actions()))
            if state.is_terminal():
                break
        if state.is_terminal():
            continue
        exact = solve_actions(state)
        for position in (state, Plain(state)):
            action = bw.load_bot("minimax(depth=30)", seed=1).choose(position)
            assert exact[action] == max(exact.values())


class Plain:
    """A state as an object of somebody else's, whose rules cannot be compiled."""

    def __init__(self, state):
        self.state = state
        for name in ("current_player", "legal_actions", "apply_action", "is_terminal", "returns"):
            setattr(self, name, getattr(state, name))

    def clone(self):
        return Plain(self.state.copy())


class Judged(Nim):
    """Nim with a judgement of unfinished games: the more chips are left, the better for player 0."""

    def evaluate(self):
        worth = self.chips[0] / 100
        return (worth, -worth)


def test_minimax_uses_the_games_evaluation_where_it_is_cut_off():
    for mover, best in ((0, 0), (1, 2)):
        state = Judged(chips=[20], mover=mover)
        assert bw.load_bot("minimax(depth=1)", seed=1).choose(state) == best
        assert bw.load_bot("minimax(depth=1)", seed=1).choose(PlainJudged(state)) == best


class PlainJudged(Plain):
    def clone(self):
        return PlainJudged(self.state.copy())

    def evaluate(self):
        return self.state.evaluate()


def test_a_minimax_that_would_think_for_ages_can_be_stopped():
    bot = bw.load_bot("minimax(depth=40)", seed=1)
    threading.Timer(0.5, bot.stop).start()
    started = time.perf_counter()
    assert bot.choose(ConnectFour()) in range(7)
    assert time.perf_counter() - started < 20


def test_mcts_beats_flat_monte_carlo_and_flat_beats_random():
    pairs = [("mcts(simulations=600)", "flat(simulations=600)"), ("flat(simulations=100)", "random")]
    for better, worse in pairs:
        strong, weak = bw.load_bot(better, seed=1), bw.load_bot(worse, seed=2)
        score = 0.0
        for game in range(40):
            seats = [strong, weak] if game % 2 == 0 else [weak, strong]
            score += (play(seats, ConnectFour).returns()[game % 2] + 1) / 2
        assert score > 24


def test_uniform_allocation_gives_every_action_the_same():
    bot = bw.load_bot("flat(simulations=700,allocation=uniform)", seed=1)
    bot.choose(ConnectFour())
    visits = [child.visits for child in bot.result.children]
    assert max(visits) - min(visits) <= 2


def test_a_person_is_asked_again_until_the_move_is_legal():
    answers, told = iter(["z9", "", "D1"]), []
    bot = HumanBot(ask=lambda prompt: next(answers), tell=told.append)
    assert bot.choose(ConnectFour()) == 3
    assert len(told) == 2
    assert "legal moves are a1 b1" in told[0]


def test_text_forms_read_back():
    for spec in [*SPECS, "mcts(seconds=0.5,c=0.3)", "mcts(simulations=5,playout='decisive',proofs=False)"]:
        assert (
            repr(bw.load_bot(repr(bw.load_bot(spec))))
            == repr(bw.load_bot(spec))
            == spec.replace("=uniform", "='uniform'")
        )


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("mtcs", 'did you mean "mcts"'),
        ("mcts(simulation=5)", 'did you mean "simulations"'),
        ("mcts(simulations=0)", "outside its range"),
        ("mcts(simulations=1.5)", "not a whole number"),
        ("mcts(c=-1)", "outside its range"),
        ("mcts(playout=decisiv)", 'did you mean "decisive"'),
        ("flat(allocation=even)", "one of ucb, uniform"),
        ("minimax(depth=0)", "outside its range"),
        ("minimax(depth=999)", "outside its range"),
        ("mcts(5)", "has no option name"),
        ("mcts(simulations=", "cannot read"),
        ("mcts(simulations=5)x", "cannot read"),
        ("", "has no name"),
        ("nowhere.py:Bot", "no file nowhere.py"),
        ("os:path", "is not a bot"),
        ("no_such_module:Bot", "cannot import"),
    ],
)
def test_a_bad_text_form_is_refused_with_a_reason(spec, text):
    with pytest.raises(bw.BranchwiseError) as caught:
        bw.load_bot(spec)
    assert text in str(caught.value)


def test_a_bot_from_a_file_can_be_loaded(tmp_path):
    file = tmp_path / "my_bot.py"
    file.write_text(
        "import branchwise as bw\n"
        "class Last(bw.Bot):\n"
        "    name = 'last'\n"
        "    def choose(self, state):\n"
        "        return state.legal_actions()[-1]\n"
    )
    assert bw.load_bot(f"{file}:Last").choose(ConnectFour()) == 6
    assert bw.load_bot(str(file)).choose(ConnectFour()) == 6


FUNCTIONS = """
import math

def greedy(child, parent, options):
    return child.value + 0.0 * options.c * parent.log_visits

def judge(states):
    return [(0.5, -0.5) if state.won else (0.0, 0.0) for state in states]

number = 3
"""


@pytest.mark.parametrize("quote", ["", "'"])
def test_a_text_may_name_a_selection_rule_or_an_evaluator_in_a_file(tmp_path, monkeypatch, quote):
    (tmp_path / "my_functions.py").write_text(FUNCTIONS)
    monkeypatch.chdir(tmp_path)
    for option, name in (("selection", "greedy"), ("evaluator", "judge")):
        place = f"{quote}my_functions.py:{name}{quote}"
        bot = bw.load_bot(f"mcts(simulations=30,{option}={place},compiled=false)", seed=1)
        given = bot.options()[option]
        chosen = bot.choose(TicTacToe())
        same = bw.MCTS(**{option: given}, compiled=False, seed=bot.result.seed)
        assert same.search(TicTacToe(), simulations=30).best_action == chosen
        assert (given.__name__, f"{option}='{name}'" in str(bot)) == (name, True)


def test_settings_of_a_command_may_name_a_function_in_a_file(tmp_path, monkeypatch):
    (tmp_path / "my_functions.py").write_text(FUNCTIONS)
    monkeypatch.chdir(tmp_path)
    settings = settings_from("selection=my_functions.py:greedy(c=0.5),evaluator=my_functions.py:judge")
    assert (settings["selection"].name, settings["selection"].c) == ("greedy", 0.5)
    assert settings["evaluator"].__name__ == "judge"
    with pytest.raises(bw.SettingsError, match="an evaluator does not take"):
        settings_from("evaluator=my_functions.py:judge(c=0.5)")


def test_a_text_that_names_no_function_is_refused(tmp_path, monkeypatch):
    (tmp_path / "my_functions.py").write_text(FUNCTIONS)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        bw.UnknownNameError, match=r'no selection rule in my_functions.py "gredy"; did you mean "greedy"'
    ):
        bw.load_bot("mcts(selection=my_functions.py:gredy)")
    with pytest.raises(bw.UnknownNameError, match=r"selection rule in my_functions.py"):
        bw.load_bot("mcts(selection=my_functions.py)")
    with pytest.raises(bw.SettingsError, match="is not a selection rule"):
        bw.load_bot("mcts(selection=my_functions.py:number)")
    with pytest.raises(bw.UnknownNameError, match=r"no file absent.py"):
        bw.load_bot("mcts(evaluator=absent.py:judge)")
    with pytest.raises(bw.SettingsError, match="takes a selection rule itself, not its place"):
        bw.MCTS(selection="my_functions.py:greedy")  # a planner is given the function, and runs no file


def test_a_registered_bot_and_game_are_found_by_name():
    class Middle(bw.Bot):
        name = "middle"

        def choose(self, state):
            legal = state.legal_actions()
            return legal[len(legal) // 2]

    bw.register_bot(Middle, "middle")
    bw.register_game(Race)
    assert bw.load_bot("middle").choose(ConnectFour()) == 3
    assert bw.load_game("race(goal=20)").goal == 20
    assert "race" in bw.game_names()
    with pytest.raises(bw.SettingsError, match="is not a bot"):
        bw.register_bot(Race, "race")
