"""Pages of games whose code is not compiled yet: all begins at once, and the page says what is compiled."""

import pytest

import branchwise as bw
from branchwise.bots import register_bot
from branchwise.compile.code.compile_thread import Job, current_job
from branchwise.compile.code.progress import Compiling

NEVER = 10**9


@pytest.fixture(autouse=True)
def never(late_code):
    """Code that never comes, unless a test says when."""
    late_code.asked_for = NEVER
    return late_code


def let_bot_begin(page, moves=(), **opponent):
    page.say("new_game", game="tic_tac_toe", seats=[1], moves=list(moves), opponent=opponent)


def is_compiling(told):
    return told["type"] == "compiling" and told["what"] == "late"


def test_bot_moves_while_its_code_is_compiled_and_the_page_is_reported(page):
    let_bot_begin(page, simulations=30)
    told = page.until(is_compiling)
    assert told["estimate"] == 30.0
    assert 0 <= told["elapsed"] < 60
    assert page.until(lambda told: told["type"] == "position" and told["ply"] == 1)
    stages = {told["stage"] for told in page.heard if told["type"] == "thinking"}
    assert "searching" in stages
    assert "compiling" not in stages


def test_what_is_compiled_is_reported_until_the_code_is_there(page, never):
    never.asked_for = 20
    page.say("new_game", game="tic_tac_toe")
    page.say("analyse", on=True)
    page.until(is_compiling)
    page.until(lambda told: told["type"] == "compiling" and told["what"] == "")
    page.until(lambda told: told["type"] == "analysis" and told["simulations"] > 1000)


def test_page_that_comes_back_is_told_what_is_still_compiled(live):
    page = live.page()
    let_bot_begin(page, simulations=5)
    page.until(lambda told: told["type"] == "position" and told["ply"] == 1)
    session = page.welcome["session"]
    page.close()
    live.page(session).until(is_compiling)


def test_stopped_bot_plays_at_once(page):
    let_bot_begin(page, seconds=50)
    page.until("analysis")
    page.say("stop")
    page.until(lambda told: told["type"] == "position" and told["ply"] == 1)


def test_another_position_is_analysed_at_once(page):
    page.say("new_game", game="tic_tac_toe", seats=[0, 1])
    page.say("analyse", on=True)
    page.until("analysis")
    page.say("play", action=4, ply=0)
    page.until(lambda told: told["type"] == "analysis" and told["ply"] == 1)
    page.say("undo")
    page.until(lambda told: told["type"] == "analysis" and told["ply"] == 0)


def test_pages_share_one_compile(live, never):
    pages = [live.page() for _ in range(3)]
    for page in pages:
        page.say("new_game", game="tic_tac_toe")
        page.say("analyse", on=True)
    for page in pages:
        page.until(is_compiling)
        page.until("analysis")
    assert len(never.begun) == 1


def test_error_of_the_compiler_ends_an_analysis_and_reaches_the_page(page, uncompilable):
    uncompilable.asked_for = 40
    page.say("new_game", game="tic_tac_toe")
    page.say("analyse", on=True)
    assert "cannot be compiled: line 7" in page.until("refused")["message"]


def test_error_of_the_compiler_reaches_the_page_with_the_bots_next_move(page, uncompilable):
    uncompilable.asked_for = 40
    let_bot_begin(page, simulations=30)
    page.until(lambda told: told["type"] == "position" and told["ply"] == 1)
    page.say("play", action=page.heard[-1]["legal"][0]["action"], ply=1)
    assert "cannot be compiled: line 7" in page.until("refused")["message"]


class Waiter(bw.Bot):
    """Waits for the compiler before it plays."""

    name = "waiter"

    def choose(self, state):
        Job(lambda: current_job().begins(Compiling("a game", expected=30.0))).run()
        return state.legal_actions()[0]


def test_page_is_told_that_a_bot_waits_for_the_compiler(page, monkeypatch):
    register_bot(Waiter, "waiter")
    monkeypatch.setattr("branchwise.web.session.jobs.bot_text", lambda game, opponent: "waiter")
    let_bot_begin(page)
    told = page.until("compiling")
    assert (told["what"], told["estimate"]) == ("a game", 30.0)
    page.until(lambda told: told["type"] == "position" and told["ply"] == 1)
    stages = [told["stage"] for told in page.heard if told["type"] == "thinking" and told["who"] == "bot"]
    assert stages == ["searching", "compiling", "searching"]


def test_what_a_game_that_was_left_needs_is_not_reported_any_more(page):
    page.say("new_game", game="tic_tac_toe", seats=[0, 1])
    page.say("analyse", on=True)
    page.until(is_compiling)
    page.ask("new_game", game="nim", seats=[0, 1])
    assert [told["what"] for told in page.heard if told["type"] == "compiling"][-1] == ""
    page.say("analyse", on=True)
    page.until(is_compiling)
