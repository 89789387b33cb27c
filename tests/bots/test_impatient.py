"""Bots that somebody waits for: they choose before their code is compiled, and tell what is wrong with it."""

import os
import signal
import subprocess
import sys
import threading

import pytest

import branchwise as bw
from branchwise.common.errors import GameError
from branchwise.games.connect_four import ConnectFour
from branchwise.games.tic_tac_toe import TicTacToe

NEVER = 10**9


@pytest.fixture(autouse=True)
def never(late_code):
    """Code that never comes, unless a test says when."""
    late_code.asked_for = NEVER
    return late_code


def impatient(text, seed=1):
    bot = bw.load_bot(text, seed=seed)
    bot.impatient = True
    return bot


@pytest.mark.parametrize("text", ["mcts(simulations=40)", "flat(simulations=40)", "level(level=5)"])
def test_first_move_comes_while_the_code_is_compiled_and_is_the_same(text, never):
    assert never.begun == []
    bot = impatient(text)
    action = bot.choose(TicTacToe())
    assert len(never.begun) == 1
    assert action == bw.load_bot(text, seed=1).choose(TicTacToe())


def test_patient_bot_waits_for_its_code(never):
    bw.load_bot("mcts(simulations=40)").choose(TicTacToe())
    assert never.begun == []


def test_game_continues_when_the_code_comes_in_the_middle(never):
    never.asked_for = 70
    bot, patient = impatient("mcts(simulations=40)"), bw.load_bot("mcts(simulations=40)", seed=1)
    state = ConnectFour()
    for _ in range(4):
        action = bot.choose(state)
        assert action == patient.choose(state)
        state.apply_action(action)


def test_stop_ends_the_choice():
    bot = impatient("mcts(seconds=600)")
    chosen = []
    bot.progress = lambda _: bot.stop()
    choosing = threading.Thread(target=lambda: chosen.append(bot.choose(ConnectFour())))
    choosing.start()
    choosing.join(60)
    assert len(chosen) == 1
    assert bot.result.ended_by == "stopped"


def test_interrupt_ends_the_choice():
    bot = impatient("mcts(seconds=600)")
    bot.progress = lambda _: os.kill(os.getpid(), signal.SIGINT)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert bot.choose(ConnectFour()) in range(7)
    finally:
        signal.signal(signal.SIGINT, before)
    assert bot.result.ended_by == "interrupted"


@pytest.mark.parametrize("reuse", [True, False], ids=["same_tree", "new_tree"])
def test_rules_that_cannot_be_compiled_are_reported_with_the_following_move(uncompilable, reuse):
    uncompilable.asked_for = 60
    bot, state = impatient(f"mcts(simulations=40,reuse={reuse})"), TicTacToe()
    state.apply_action(bot.choose(state))
    with pytest.raises(GameError, match="line 7"):
        bot.choose(state)
    begun = len(uncompilable.begun)
    with pytest.raises(GameError, match="line 7"):
        impatient("mcts(simulations=40)").choose(state)
    assert len(uncompilable.begun) == begun


LEAVES = """
import branchwise as bw
from branchwise.games.connect_four import ConnectFour
bot = bw.load_bot("mcts(simulations=10)")
bot.impatient = True
print(bot.choose(ConnectFour()))
"""


def test_program_can_be_left_before_its_code_is_compiled(tmp_path):
    left = subprocess.run(
        [sys.executable, "-c", LEAVES],
        env={**os.environ, "BRANCHWISE_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert int(left.stdout) in range(7)
    assert left.stderr.startswith("compiling connect_four, once")
    assert len(left.stderr.splitlines()) == 1
    assert not list(tmp_path.glob("run_simulations*"))
