"""A game in a file whose rules are changed while a page shows it."""

import pytest

RULES = '''
import numpy as np

import branchwise as bw
from heap import CHIPS


class Heap(bw.Game):
    """Take one chip or two."""

    num_players = 2
    num_actions = 2
    chips: np.int8 = CHIPS
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for action in range(min(2, self.chips)):
            yield action

    def apply_action(self, action):
        self.chips -= action + 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)
'''


@pytest.fixture
def file(tmp_path):
    (tmp_path / "heap.py").write_text("CHIPS = 9\n")
    (tmp_path / "heap_game.py").write_text(RULES)
    return tmp_path / "heap_game.py"


def position(told):
    return told["type"] == "position"


def test_a_page_goes_on_with_changed_rules_and_the_same_moves(limited, file):
    page = limited(str(file)).page()
    page.ask("new_game", game="heap", seats=[0, 1])
    page.ask("play", action=1, ply=0)
    file.write_text(RULES.replace("self.chips -= action + 1", "self.chips -= 2 * action + 1"))
    told = page.until(position)
    assert [move["action"] for move in told["moves"]] == [1]
    assert "chips=6" in told["text"]
    (file.parent / "heap.py").write_text("CHIPS = 20\n")
    assert "chips=17" in page.until(position)["text"]


def test_moves_that_are_no_longer_legal_are_dropped(limited, file):
    page = limited(str(file)).page()
    page.ask("new_game", game="heap", seats=[0, 1])
    page.ask("play", action=1, ply=0)
    file.write_text(RULES.replace("min(2,", "min(1,").replace("or two", "only"))
    told = page.until(position)
    assert told["moves"] == []
    assert told["game"]["about"] == "Take one chip only."


def test_a_fault_is_told_in_place_and_the_game_stays(limited, file):
    server = limited(str(file))
    page = server.page()
    page.ask("new_game", game="heap", seats=[0, 1])
    file.write_text(RULES.replace("def returns(self):", "def returns(self:"))
    refused = page.until(lambda told: told["type"] == "refused")
    assert "SyntaxError" in refused["message"]
    assert "heap_game.py, line" in refused["message"]
    assert str(file.parent) not in refused["message"]
    assert page.ask("play", action=0, ply=0)["ply"] == 1
    file.write_text(RULES)
    assert page.until(position)["ply"] == 1
    assert server.page().ask("new_game", game="heap")["game"]["name"] == "heap"
