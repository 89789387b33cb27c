"""The list of games: its cards are kept, so that a page opens without the rules of all games."""

import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from branchwise.games import GAMES, load_game
from branchwise.rules.checking.checker import check_game
from branchwise.web.app.page import page_files
from branchwise.web.game.game_cards import card_of, shipped_cards
from branchwise.web.game.offered_games import GameCatalogue, why_not
from branchwise.web.protocol.messages import GameCard

COUNT_UP = str(Path(__file__).parents[1] / "browser" / "count_up.py")
BOARD_WITHOUT_COMPILER = """
import sys
from branchwise.web.app.app import make_app
from branchwise.web.game.game_record import LiveRecord
catalogue = make_app().state.server.catalogue
record = LiveRecord(catalogue.find(sys.argv[1]), [], [0])
assert record.told(None, None).game.name == sys.argv[1]
print(*sorted(name for name in sys.modules if name in ("numba", "branchwise.games.chess")))
"""


def test_the_class_to_copy_passes_the_check(tmp_path):
    page = (Path(__file__).parents[2] / "frontend" / "src" / "lib" / "games.ts").read_text(encoding="utf-8")
    (tmp_path / "my_game.py").write_text(
        page.partition("OWN_GAME = `")[2].partition("`;")[0], encoding="utf-8"
    )
    report = check_game(load_game(f"{tmp_path / 'my_game.py'}:MyGame"), games=50)
    assert "no fault in 50 random games" in str(report)


@pytest.mark.parametrize("name", GAMES.builtin)
def test_the_kept_cards_are_those_that_the_rules_give(name):
    """After a change: make pictures."""
    rules = load_game(name)
    assert replace(shipped_cards()[name], picture=False) == card_of(name, rules, why_not(rules))


def test_a_picture_is_kept_for_each_card_that_says_so():
    pictures = {path.removeprefix("/pictures/") for path in page_files() if path.startswith("/pictures/")}
    assert pictures == {f"{card.name}.svg" for card in shipped_cards().values() if card.picture}


def test_pictures_are_served(live):
    answer = live.http.get("/pictures/connect_four.svg")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert answer.text.startswith("<svg")


@pytest.mark.parametrize("name", ["connect_four", "hex"])
def test_the_first_board_needs_no_compiler_and_no_other_game(name):
    command = [sys.executable, "-c", BOARD_WITHOUT_COMPILER, name]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() == []


def test_cards_of_users_games_are_worked_out():
    catalogue = GameCatalogue.of([COUNT_UP], variants=1)
    card = catalogue.cards[0]
    assert catalogue.first == card.name == "count_up"
    assert card == GameCard(
        name="count_up",
        title="Count up",
        about="Two players add 1 or 2; who reaches ten wins.",
        num_players=2,
        kinds=["two players"],
    )
