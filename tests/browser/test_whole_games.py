"""Every game that the page offers, played move by move: random moves of the rules, by mouse or by keys."""

import json
import random
import time
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocket, expect

from branchwise.boards.layer import cells_of
from branchwise.games import load_game
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.web.game.game_cards import shipped_cards
from branchwise.web.protocol.action_codes import received

pytestmark = [pytest.mark.browser, pytest.mark.slow]
expect.set_options(timeout=60_000)

MOST_MOVES = 120
OFFERED = [name for name, card in shipped_cards().items() if card.reason is None]
PATIENCE = 60.0
ALL = -2
LABELS = "cells => cells.map(cell => [Number(cell.dataset.square), cell.ariaLabel])"
HIT = """cell => {
    cell.scrollIntoView({block: "nearest"});
    const box = cell.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    return [x, y, document.elementFromPoint(x, y)?.closest("[data-square], [data-action]") === cell];
}"""


class Table:
    """A page on which people have all seats that they can have, and the positions that it has received."""

    def __init__(self, visitor: Any, game: str, *, by_keys: bool) -> None:
        self.positions: list[dict[str, Any]] = []
        self.thinking = ""
        visitor.context.on("page", lambda page: page.on("websocket", self._listen))
        self.page: Page = visitor.open(f"?game={game}")
        self.by_keys = by_keys
        seats = ",".join(map(str, range(self.told["game"]["num_players"])))
        people = self.page.get_by_label("Who plays")
        if ",".join(map(str, self.told["seats"])) == seats:
            pass
        elif people.locator(f'option[value="{seats}"]').count():
            people.select_option(seats)
            self.wait(lambda: ",".join(map(str, self.told["seats"])) == seats)
        else:
            self.page.get_by_label("Strength by").select_option("simulations")
            self.page.get_by_label("Simulations per move").fill("20")
            self.page.get_by_label("Simulations per move").press("Tab")

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._hear)

    def _hear(self, text: str | bytes) -> None:
        told = json.loads(text)
        if told["type"] == "position":
            self.positions.append(told)
        elif told["type"] == "refused":
            self.positions.append({"refused": told["message"]})

    @property
    def told(self) -> dict[str, Any]:
        last = self.positions[-1]
        assert "refused" not in last, last
        return last

    @property
    def moves(self) -> list[dict[str, Any]]:
        """The moves to choose from now."""
        told = self.told
        if told["player"] != ALL:
            return told["legal"]
        return [move for move in told["legal"] if [move["player"]] == told["waiting"][:1]]

    @property
    def is_over(self) -> bool:
        return self.told["player"] is None

    @property
    def spot(self) -> tuple[Any, ...]:
        """What changes with each move that the page hears of."""
        told = self.told
        return told["ply"], told["waiting"], told["player"], told["seen"], told["text"]

    @property
    def asks(self) -> bool:
        """Whether a person is to move."""
        told = self.told
        return bool(self.moves or told["box"]) and (told["player"] in told["seats"] or bool(told["waiting"]))

    def wait(self, true: Any) -> None:
        end = time.monotonic() + PATIENCE
        while not true():
            assert time.monotonic() < end, (self.page.url, self.positions[-1])
            self.page.wait_for_timeout(10)

    def press(self, place: Any) -> None:
        """Click an element where it is seen, or press Enter on it."""
        if self.by_keys:
            place.focus()
            self.page.keyboard.press("Enter")
            return
        x, y, is_hit = place.evaluate(HIT)
        assert is_hit, f"something else is hit than {place}"
        self.page.mouse.click(x, y)

    def play(self, move: dict[str, Any]) -> None:
        """Make a move as a person does: by its squares, by a choice between some, or by a button."""
        page, path, told = self.page, move["squares"], self.told
        if told["board"] is None:
            drawn = page.locator(f'.board [data-action="{move["action"]}"]')
            if drawn.count():
                return self.press(drawn.first)
            if page.locator(".moves button").first.is_hidden():
                page.locator("summary", has_text="Legal moves").click()
            return self.use(page.locator(".moves button"), self.moves, move)
        if not path:
            return self.use(page.locator(".beside button"), [m for m in self.moves if not m["squares"]], move)
        for length, square in enumerate(path, 1):
            self.press(page.locator(f'[data-square="{square}"]'))
            open_now = [other for other in self.moves if other["squares"][:length] == path[:length]]
            complete = [other for other in open_now if len(other["squares"]) == length]
            if complete and (len(open_now) > 1):
                expect(page.locator(".choices button")).to_have_count(len(complete))
        if len(complete) > 1 or len(open_now) > 1:
            self.use(page.locator(".choices button"), complete, move)
        return None

    def use(self, buttons: Any, moves: list[dict[str, Any]], move: dict[str, Any]) -> None:
        expect(buttons).to_have_text([other["text"] for other in moves])
        button = buttons.nth(moves.index(move))
        if self.by_keys:
            button.press("Enter")
        else:
            button.click()

    def enter(self, draw: random.Random) -> None:
        """Enter random numbers of a continuous action."""
        form, box = self.page.get_by_role("form", name="Your action"), self.told["box"]
        for place, (low, high) in enumerate(zip(box["low"], box["high"], strict=True)):
            form.locator("input[type=number]").nth(place).fill(f"{draw.uniform(low, high):.2f}")
        form.get_by_role("button", name="Play").press("Enter")

    def check_shown(self) -> None:
        """Compare the board's texts with the cells and the moves that the server has sent."""
        told = self.told
        board = told["board"]
        expect(self.page.locator("ol.list button")).to_have_count(told["ply"] + 1)
        if board is None:
            return
        starts = {move["squares"][0] for move in self.moves if move["squares"]}
        style = told["game"]["board"]
        columns = {square % style["columns"] for square in starts}
        falls = style["family"] == "discs"

        def differing() -> list[Any]:
            found = []
            for square, label in self.page.locator("[data-square]").evaluate_all(LABELS):
                is_start = square % style["columns"] in columns if falls else square in starts
                if is_start != any(words in label for words in ("can move", "can be played", "falls to")):
                    found.append((square, label, "start", is_start))
                owner, kind = board["cells"][2 * square : 2 * square + 2]
                if kind > 0 and ", empty" in label:
                    found.append((square, label, "kind", kind))
                colour = (style["players"] or style["colours"])[owner].lower() if owner >= 0 else ""
                if kind > 0 and style["family"] != "cards" and colour not in label.lower():
                    found.append((square, label, "owner", colour))
            return found

        end = time.monotonic() + PATIENCE
        while (faults := differing()) and time.monotonic() < end:
            self.page.wait_for_timeout(20)
        assert not faults, (self.page.url, faults[:5])


@pytest.mark.parametrize("by_keys", [False, True], ids=["mouse", "keys"])
@pytest.mark.parametrize("game", OFFERED)
def test_every_game_is_played_by_its_squares(visitor: Any, game: str, by_keys: bool) -> None:
    table = Table(visitor, game, by_keys=by_keys)
    told = table.told
    is_known = not (told["game"]["hides"] or told["game"]["simulates"])
    rules = Playthrough(load_game(game)()) if is_known else None
    draw = random.Random(f"{game} {by_keys}")
    for _ in range(MOST_MOVES):
        table.wait(lambda: table.asks or table.is_over)
        told = table.told
        if rules is not None:
            for move in told["moves"][rules.ply :]:
                rules.play(received(rules.state, move["action"]))
            assert (rules.player is None) == table.is_over
            if told["board"] is not None:
                assert cells_of(rules.state).ravel().tolist() == told["board"]["cells"]
            if told["player"] is not None and told["player"] >= 0 and not told["box"]:
                assert [move["action"] for move in told["legal"]] == list(rules.state.legal_actions())
        if table.is_over:
            break
        table.check_shown()
        before = table.spot
        if told["box"]:
            table.enter(draw)
        else:
            table.play(draw.choice(table.moves))
        table.wait(lambda before=before: table.spot != before)
    if table.is_over:
        assert told["returns"] is not None
        expect(table.page.get_by_test_id("turn")).not_to_be_empty()
