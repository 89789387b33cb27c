"""Writes the cards of Branchwise's own games, which the page lists, and a picture of each: `make pictures`.

A picture is a position of a game, as the first player sees it. Boards are drawn by the page, light and dark.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from playwright.sync_api import Browser, sync_playwright

from branchwise.boards.style import look_of
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.kinds.random_numbers import Random
from branchwise.games import GAMES, load_game
from branchwise.rules.facts.dice import Dice
from branchwise.rules.facts.facts import random_action
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.web.game.game_cards import card_of
from branchwise.web.game.offered_games import why_not
from branchwise.web.game.position_messages import drawn
from branchwise.web.protocol.messages import GameCard

FRONTEND = Path(__file__).parent
WEB = FRONTEND.parent / "src" / "branchwise" / "web"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
MOVES: dict[str, int | str] = {
    "amazons": 14, "blokus_duo": 14, "breakthrough": 16, "checkers": 22, "chinese_checkers": 24,
    "chess": "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d4 e5d4",
    "connect_four": "d1 d2 d3 c1 c2 e1 e2 f1 b1 d4 e3 e4 c3 f2",
    "domineering": 14, "dots_and_boxes": 9, "go": 34, "havannah": 60, "hearts": 30, "hex": 40, "kalah": 12,
    "konane": 12, "nine_mens_morris": 13, "othello": 26, "quoridor": 20, "sealed_goofspiel": 9,
    "tic_tac_toe": "b2 c3 a3", "tron": 12, "twenty_forty_eight": 110, "ultimate_tic_tac_toe": 40, "y": 30,
}  # fmt: skip
"""The moves that lead to the position, or how many random ones; otherwise 10."""
MOST_CHARACTERS = 60_000
SEED = 4


def played(name: str) -> Playthrough:
    """Return a game of `MOVES` from its start; the last move of a game that they end is left out."""
    moves = MOVES.get(name, 10)
    rules = load_game(name)
    if isinstance(moves, str):
        return Playthrough(rules(), moves)
    playthrough = Playthrough(rules.new_initial_state(Random(SEED)), random=Random(SEED))
    dice, source, made = Dice(SEED), random.Random(SEED), 0
    while not playthrough.is_over and (made < moves or playthrough.is_chance):
        if playthrough.is_chance:
            playthrough.play(dice.roll(playthrough.state))
            continue
        made += 1
        playthrough.play(random_action(playthrough.state, source))
        if playthrough.is_over and made > 1:
            playthrough.undo()
            break
    return playthrough


def from_python(svg: str) -> str | None:
    """Return a picture that the rules draw, shortened; None if it is too large."""
    short = re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", svg)
    short = re.sub(r">\s+<", "><", re.sub(r' data-[a-z]+="[^"]*"', "", short))
    if "xmlns=" not in short:
        short = short.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    short = short.replace("<svg", '<svg style="color-scheme:light dark;color:light-dark(#1c1e21,#e6e7e9)"', 1)
    return short if len(short) <= MOST_CHARACTERS else None


@contextmanager
def started(command: list[str], said: str, folder: Path = FRONTEND.parent) -> Iterator[str]:
    """Run a server and give the address that it prints after the text `said`, with a slash at the end."""
    environment = os.environ | {"NO_COLOR": "1"}
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield next(
                found[1].rstrip("/") + "/"
                for line in server.stdout
                if (found := re.search(said + r"\s+(http://\S+)", line))
            )
        finally:
            server.kill()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser without a window."""
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    path = found or sys.exit("there is no Chromium here: .ci/browser installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield browser
        browser.close()


def from_page(boards: list[dict[str, Any]]) -> dict[str, str]:
    """Return the pictures of boards by their names, as the page draws them."""
    vite = ["node", "node_modules/vite/bin/vite.js", "--port", "5199"]
    with started(vite, "Local:", FRONTEND) as url, chromium() as browser:
        page = browser.new_page()
        page.add_init_script(f"window.boards = {msgspec.json.encode(boards).decode()}")
        page.goto(f"{url}boards.html")
        page.wait_for_function(f"document.querySelectorAll('.drawing').length === {len(boards)}")
        images: dict[str, str] = page.evaluate((FRONTEND / "board_images.js").read_text(encoding="utf-8"))
        return images


def main() -> None:
    cards: list[GameCard] = []
    images: dict[str, str] = {}
    boards: list[dict[str, Any]] = []
    for name in GAMES.builtin:
        rules = load_game(name)
        cards.append(card_of(name, rules, why_not(rules)))
        if cards[-1].reason is not None:
            continue
        playthrough = played(name)
        hides = hides_information(rules)
        state = playthrough.information_state(0).view if hides else playthrough.state
        shown = drawn(state)
        if shown.board is not None:
            look = look_of(rules)
            assert look is not None
            boards.append({"name": name, "style": look._asdict(), "board": shown.board, "moves": []})
        elif shown.svg is not None and (svg := from_python(shown.svg)) is not None:
            images[name] = svg
    images |= from_page(boards)
    folder = WEB / "pictures"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    for name, svg in images.items():
        (folder / f"{name}.svg").write_text(svg + "\n", encoding="utf-8")
    text = msgspec.json.format(
        msgspec.json.encode([replace(card, picture=card.name in images) for card in cards]), indent=1
    )
    (WEB / "game" / "cards.json").write_bytes(text + b"\n")


if __name__ == "__main__":
    main()
