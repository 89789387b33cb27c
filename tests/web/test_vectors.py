"""Continuous actions in messages: their numbers as one word, the same wherever an action is named."""

from pathlib import Path
from urllib.parse import parse_qs

import pytest

from branchwise.game.kinds.continuous_actions import short_text
from branchwise.web.game.position_messages import link_to

BOXES = Path(__file__).parents[1] / "support/boxes.py"
PLACE = 0.1 + 0.2
"""A number whose text is long."""


@pytest.fixture
def theirs(limited):
    return limited(*(f"{BOXES}:{name}" for name in ("Peak", "TwoSteps", "Gusts", "Duel")), seconds=60.0)


def numbers(action):
    return tuple(float(number) for number in action.split(","))


def test_a_position_tells_the_box_in_place_of_a_list_of_moves(theirs):
    page = theirs.page()
    told = page.ask("new_game", game="peak")
    assert (told["legal"], told["game"]["dimensions"]) == ([], 2)
    assert told["box"] == {"low": [-1, -2], "high": [1, 3], "whole": [False, False]}
    assert page.ask("play", action="0.3,1.7", ply=0)["box"] is None
    told = page.ask("new_game", game="nim")
    assert (told["box"], told["game"]["dimensions"]) == (None, 0)
    assert page.ask("new_game", game="two_steps")["box"] == {"low": [0], "high": [0.5], "whole": [False]}
    assert page.ask("play", action="0.5", ply=0)["box"] == {"low": [0], "high": [0.25], "whole": [False]}


def test_a_vector_is_stored_to_the_last_digit_and_shown_to_four(theirs):
    page = theirs.page()
    page.ask("new_game", game="peak")
    told = page.ask("play", action=f" {PLACE}, 1.25 ", ply=0)
    assert [(move["action"], move["text"]) for move in told["moves"]] == [(f"{PLACE!r},1.25", "0.3,1.25")]
    assert told["returns"] == [-((PLACE - 0.3) ** 2) - (1.25 - 1.7) ** 2]


@pytest.mark.parametrize(
    ("action", "problem"),
    [
        ("2,0", "number 1 of the action 2.0 is outside its box"),
        ("0.5", "0.5 has 1 number, not 2"),
        ("left", "'left' is not an action"),
        ("nan,0", "number 1 of the action is not a number"),
        (3, "3.0 has 1 number, not 2"),
    ],
)
def test_an_action_outside_the_box_is_refused_with_its_bounds(theirs, action, problem):
    page = theirs.page()
    page.ask("new_game", game="peak")
    told = page.refusal("play", action=action, ply=0)
    assert (told["message"], told["mend"]) == (problem, "an action is 2 numbers: -1 to 1, -2 to 3")


def test_a_link_restores_vectors(theirs):
    page = theirs.page()
    page.ask("new_game", game="two_steps")
    link = page.ask("play", action=str(PLACE), ply=0)["link"]
    moves = parse_qs(link)["vectors"][0].split()
    told = page.ask("new_game", game="two_steps", moves=moves)
    assert [move["action"] for move in told["moves"]] == moves == [repr(PLACE)]


def test_links_tell_vectors_of_several_numbers_apart(theirs):
    offered = theirs.server.catalogue.find("peak")
    assert parse_qs(link_to(offered, ["0.5,1.0", "0.25,2.0"]))["vectors"] == ["0.5,1.0 0.25,2.0"]


def test_the_same_vector_makes_a_move_again_and_another_begins_a_variation(theirs):
    page = theirs.page()
    page.ask("new_game", game="two_steps")
    page.ask("play", action="0.5", ply=0)
    page.ask("play", action="0.25", ply=1)
    page.ask("go_to", ply=0)
    told = page.ask("play", action="0.50", ply=0)
    assert (told["ply"], len(told["moves"]), told["variations"]) == (1, 2, [])
    page.ask("go_to", ply=0)
    told = page.ask("play", action="0.4", ply=0)
    assert [line["text"] for line in told["variations"]] == [["0.5", "0.25"]]
    assert [move["action"] for move in page.ask("take_up", variation=0)["moves"]] == ["0.5", "0.25"]


def test_the_search_names_each_vector_once_and_its_board_can_be_asked_for(theirs):
    page = theirs.page()
    page.ask("new_game", game="two_steps")
    page.say("analyse", on=True)
    found = page.until(lambda told: told["type"] == "analysis" and told["simulations"] > 2000)
    page.ask("analyse", on=False)
    actions = [child["action"] for child in found["children"]]
    assert len(set(actions)) == len(actions) > 20
    best = found["children"][0]
    assert best["text"] == short_text(numbers(best["action"]))
    board = page.ask("ask_board", line=best["line"])
    assert (board["line"], board["line_text"], board["player"]) == (best["line"], best["line_text"], None)
    assert board["paid"][0] == pytest.approx(-abs(sum(numbers(a)[0] for a in best["line"]) - 0.75))


def test_the_tree_is_watched_along_vectors(theirs):
    page = theirs.page()
    page.ask("new_game", game="two_steps")
    page.ask("hint")
    root, *others = page.ask("watch_tree", branches=[{"path": [], "top": 400}])["nodes"]
    last = others[-1]["path"]
    assert root["num_children"] >= len(others) > 5
    told = page.ask("watch_tree", branches=[{"path": [], "top": 1}, {"path": last, "top": 2}])["nodes"]
    assert [node["path"] for node in told if node["parent"] == 0] == [others[0]["path"], last]
    best = others[0]["path"]
    node = page.ask("ask_node", path=best)
    assert (node["path"], node["visits"] >= others[0]["visits"]) == (best, True)
    terms = [term["action"] for term in node["terms"]]
    assert len(set(terms)) == len(terms) > 3
    # A vector is found by its text, too, which another may share: this one is too long to be a text.
    message = page.refusal("ask_node", path=["0.12345678"])["message"]
    assert message.startswith('"0.12345678" is not in the tree here')


def test_a_hint_is_a_vector_that_can_be_played(theirs):
    page = theirs.page()
    page.ask("new_game", game="peak")
    hint = page.ask("hint")
    assert hint["text"] == short_text(numbers(hint["action"]))
    assert page.ask("play", action=hint["action"], ply=0)["returns"][0] > -1.0  # at random: -4


def test_steps_name_vectors_as_the_tree_does(theirs):
    page = theirs.page()
    page.ask("new_game", game="two_steps")
    assert page.ask("begin_steps", settings={"seed": 1})["is_open"]
    made = page.ask("make_steps", count=30)
    paths = {tuple(node["path"]) for node in made["nodes"]}
    assert len(paths) == len(made["nodes"])
    for told in made["simulations"]:
        choices = told["selection"]["choices"]
        assert tuple(choice["siblings"][choice["chosen"]]["move"]["action"] for choice in choices) in paths
        moves = [move for game in told["playout"]["games"] for move in game["moves"]]
        assert all(isinstance(move["action"], str) for move in moves)
    assert made["simulations"][-1]["backup"]["updates"][0]["line_actions"]


@pytest.mark.parametrize("game", ["gusts", "duel"])
def test_bots_play_vectors_against_people_and_themselves(theirs, game):
    page = theirs.page()
    page.ask("new_game", game=game, seats=[], opponent={"simulations": 50})
    told = page.until(lambda told: told["type"] == "position" and told["player"] is None)
    assert [len(numbers(move["action"])) for move in told["moves"]] == [1, 1]
    assert told["returns" if game == "duel" else "paid"]


def test_positions_and_searches_by_http_give_and_take_vectors(theirs):
    told = theirs.http.post("/api/games/two_steps/position", json={"moves": ["0.5"]}).json()
    assert (told["legal"], told["box"]) == ([], {"low": [0.0], "high": [0.25], "whole": [False]})
    asked = {"moves": ["0.5"], "simulations": 2000, "settings": {"seed": 1}}
    found = theirs.http.post("/api/games/two_steps/search", json=asked).json()
    assert numbers(found["best_action"])[0] == pytest.approx(0.25, abs=0.01)
    assert found["best_move"] == short_text(numbers(found["best_action"]))
    refused = theirs.http.post("/api/games/two_steps/position", json={"moves": ["0.75"]}).json()
    assert refused["error"] == "move 1: the action 0.75 is outside its box"
