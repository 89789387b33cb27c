"""Bots in the browser besides our search: a program chosen by its name, and settings found for a game."""

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from support.front_door import open_game

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)  # the machine may be busy, with the compiler too

PROGRAM = Path(__file__).parents[1] / "bots/engines/gtp_program.py"


def test_a_program_plays_until_another_bot_takes_its_place(
    visitor: Any, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def command(fault: str) -> str:
        return shlex.join([sys.executable, "-S", str(PROGRAM), fault])

    bots = [f"gtp(command={command(fault)!r})" for fault in ("", "dies in the game")]
    started = serve("hex(size=5)", "hex", "--opponent", bots[0], "--opponent", bots[1])
    page = visitor.open("?game=hex(size%3D5)", url=started.url)
    strength = page.get_by_label("Strength by")
    moves = page.get_by_role("list", name="Moves of the game").get_by_role("button")
    expect(strength.locator("option:checked")).to_have_text("Bot: gtp_program.py")
    expect(page.get_by_label("Seconds per move")).to_have_count(0)
    expect(page.get_by_label("Tuned for this game")).to_have_count(0)  # this variant has not been tuned
    page.locator('[data-action="12"]').first.click()
    expect(moves).to_have_count(3)
    expect(moves.nth(2)).to_contain_text("a1")
    strength.select_option("Bot: gtp_program.py 2")
    page.locator('[data-action="13"]').first.click()
    trouble = page.get_by_text(re.compile("ended by itself, with exit status 1"))
    expect(trouble).to_be_visible()
    strength.select_option("seconds")
    expect(moves).to_have_count(5)
    open_game(page, "hex")
    tuned = page.get_by_label("Tuned for this game")
    expect(tuned).to_have_count(2)  # of the bot and of the analysis
    tuned.first.check()
    tuned.last.check()
    expect(page.get_by_text(re.compile("^Tuned for this game: selection "))).to_be_visible()
    expect(page.get_by_label("Rule").locator("option").first).to_have_text(re.compile("^tuned: "))
    open_game(page, "tic_tac_toe")
    expect(tuned).to_have_count(0)
    expect(page.get_by_label("Rule").locator("option").first).to_have_text("default")
