"""Problems that pay on the way, and simulators, whose states are kept along the record."""

from pathlib import Path

import pytest

from branchwise.games import load_game
from branchwise.web.game.game_record import LiveRecord
from branchwise.web.game.offered_games import GameCatalogue, OfferedGame
from branchwise.web.search.searchers import is_mirrored
from support.paying import Auction, Corridor, Duel
from support.rows import slow
from support.shipped import FOR_ONE, small
from support.simulators import Drift

PAYING = Path(__file__).parents[1] / "support/paying.py"
SIMULATORS = Path(__file__).parents[1] / "support/simulators.py"


@pytest.fixture
def theirs(limited):
    names = ("Corridor", "Wheel", "Auction")
    drawn = ("Drift", "Machines", "SampledPig")
    return limited(*(f"{PAYING}:{name}" for name in names), *(f"{SIMULATORS}:{name}" for name in drawn))


def unfinished(told):
    return told["player"] is not None


# --- what is told of games -------------------------------------------------------------------------------


def test_every_shipped_problem_is_offered_with_its_kind():
    infos = {game.name: game.info for game in GameCatalogue.of([], variants=1).games}
    assert set(FOR_ONE) <= set(infos)
    lake, taxi, nim = infos["frozen_lake"], infos["taxi"], infos["nim"]
    assert (lake.pays, lake.min_return, lake.max_return, lake.wide, lake.draws) == (True, 0, 1, False, False)
    assert (taxi.min_return, taxi.max_return, taxi.wide, taxi.num_players) == (None, None, True, 1)
    assert (nim.pays, nim.discount, nim.wide) == (False, 1, False)
    assert infos["sailing"].discount == load_game("sailing").discount


def test_simulators_are_offered_and_said_to_draw():
    infos = [OfferedGame(rules.name, rules).info for rules in (Drift, Corridor)]
    assert [info.draws for info in infos] == [True, False]


def test_players_of_a_paying_game_are_mirrored_only_where_it_says_so():
    assert is_mirrored(Auction)
    assert not is_mirrored(Duel)
    assert not is_mirrored(type("Unsaid", (Auction,), {"utility": None}))


# --- playing ---------------------------------------------------------------------------------------------


def test_rewards_are_reported_with_moves_and_add_up(theirs):
    page = theirs.page()
    told = page.ask("new_game", game="corridor")
    assert (told["paid"], told["returns"], told["moves"]) == ([0], None, [])
    for ply in range(3):
        told = page.ask("play", action=1, ply=ply)
    assert [move["rewards"] for move in told["moves"]] == [[-1], [-1], [10]]
    assert told["paid"] == told["returns"] == [pytest.approx(-1 - 0.9 + 0.81 * 10)]
    told = page.ask("undo")
    assert (told["ply"], told["returns"], len(told["moves"])) == (2, None, 3)
    assert told["paid"] == [pytest.approx(-1.9)]
    assert told["moves"][2]["rewards"] == [10]
    assert page.ask("redo")["paid"] == [pytest.approx(6.2)]


def test_a_game_without_rewards_tells_none(live):
    page = live.page()
    told = page.ask("new_game", game="nim", moves=[1], seats=[0, 1])
    assert told["paid"] is None
    assert [move["rewards"] for move in told["moves"]] == [None]


def test_rewards_of_chance_belong_to_its_moves(theirs):
    page = theirs.page()
    page.ask("new_game", game="wheel", types_dice=True)
    told = page.ask("play", action=2, ply=0)
    assert [(move["text"], move["probability"]) for move in told["legal"]] == [("0", 0.6), ("1", 0.4)]
    told = page.ask("play", action=1, ply=1)
    assert [(move["player"], move["rewards"]) for move in told["moves"]] == [(0, [-2]), (-1, [6.25])]
    assert told["paid"] == [4.25]


def test_a_variation_keeps_its_rewards(theirs):
    page = theirs.page()
    page.ask("new_game", game="corridor")
    for ply in range(3):
        page.ask("play", action=1, ply=ply)
    page.ask("go_to", ply=1)
    told = page.ask("play", action=0, ply=1)
    assert (told["paid"], len(told["variations"])) == ([pytest.approx(-1.9)], 1)
    told = page.ask("take_up", variation=0)
    assert [move["rewards"] for move in told["moves"]] == [[-1], [-1], [10]]


def test_values_are_what_is_still_to_come_in_the_games_own_units(theirs):
    page = theirs.page()
    page.ask("new_game", game="corridor")
    page.say("analyse", on=True)
    found = page.until(lambda told: told["type"] == "analysis" and told["ended_by"])
    best = found["children"][0]
    assert found["ended_by"] == "proven"
    assert best["proven"] == pytest.approx(6.2, abs=1e-4)
    assert found["values"] == [found["value"]] == [pytest.approx(6.2, abs=1e-4)]
    page.ask("play", action=1, ply=0)
    found = page.until(lambda told: told["type"] == "analysis" and told["ply"] == 1 and told["ended_by"])
    assert found["value"] == pytest.approx(8.0, abs=1e-4)


def test_bounds_that_are_infinite_are_null(theirs):
    page = theirs.page()
    page.ask("new_game", game="drift")  # only sampled, so that nothing is ever proven
    page.say("analyse", on=True)
    found = page.until(lambda told: told["type"] == "analysis" and told["simulations"] > 200)
    assert (found["children"][-1]["at_least"], found["children"][-1]["at_most"]) == (None, None)
    page.ask("analyse", on=False)
    root, *_ = page.ask("watch_tree", branches=[{"path": [], "top": 5}])["nodes"]
    assert (root["lower"], root["upper"]) == (None, None)


@pytest.mark.parametrize(
    "game", [name if name in ("blackjack", "frozen_lake", "taxi") else slow(name) for name in FOR_ONE]
)
def test_the_bot_plays_and_a_person_moves_in_every_problem(live, game):
    page = live.page()
    told = page.ask("new_game", game=small(game), seats=[], opponent={"simulations": 20})
    told = page.until(lambda told: told["type"] == "position" and (told["ply"] >= 3 or not unfinished(told)))
    if game not in ("blackjack", "job_shop"):
        total = sum(move["rewards"][0] for move in told["moves"][: told["ply"]])
        assert abs(total) >= abs(told["paid"][0]) - 1e-9
    page.ask("set_players", seats=[0])
    told = page.ask("go_to", ply=0)
    while told["player"] == -1:
        told = page.ask("redo")
    action = told["legal"][0]["action"] if told["legal"] else ",".join(map(str, told["box"]["low"]))
    told = page.ask("play", action=action, ply=told["ply"])
    assert told["svg"] or told["text"]


def test_the_board_along_a_line_has_its_rewards(theirs):
    page = theirs.page()
    page.ask("new_game", game="corridor")
    page.ask("play", action=1, ply=0)
    told = page.ask("ask_board", line=[1, 1])
    assert (told["player"], told["returns"], told["paid"]) == (None, None, [pytest.approx(8.0)])
    assert page.ask("ask_board", line=[0], ply=0)["paid"] == [-1]


def test_nodes_of_the_tree_tell_rewards_on_the_way_to_them(theirs):
    page = theirs.page()
    page.ask("new_game", game="corridor")
    page.ask("hint")
    told = page.ask("ask_node", path=[1, 1, 1])
    assert (told["player"], told["paid"]) == (None, [pytest.approx(6.2)])


def test_steps_of_a_paying_problem_tell_rewards(theirs):
    page = theirs.page()
    page.ask("new_game", game="wheel")
    begun = page.ask("begin_steps", settings={"seed": 1})
    assert (begun["stretches"], begun["is_open"], begun["horizon"]) == (True, False, 0)
    made = page.ask("make_steps", count=20)
    updates = [
        u for told in made["simulations"] for u in told["backup"]["updates"] if u["reward"] is not None
    ]
    assert updates
    for update in updates:
        assert update["returned"] == pytest.approx(update["reward"] + update["factor"] * update["rest"])
    assert made["simulations"][0]["backup"]["updates"][-1]["bounds_before"] == [None, None]


# --- simulators ------------------------------------------------------------------------------------------


def test_undo_in_a_simulator_goes_back_to_the_state_that_was(theirs):
    page = theirs.page()
    seen = [page.ask("new_game", game="drift")]
    moves = (2, 2, 1, 1)  # so that the wind does not end the episode
    seen += [page.ask("play", action=action, ply=ply) for ply, action in enumerate(moves)]
    assert len({told["text"] for told in seen}) == 5
    for told in reversed(seen[:-1]):
        assert page.ask("undo")["text"] == told["text"]
    for told in seen[1:]:
        again = page.ask("redo")
        assert (again["text"], again["paid"]) == (told["text"], told["paid"])
    assert page.ask("go_to", ply=2)["text"] == seen[2]["text"]
    assert seen[-1]["link"] == "game=drift"


def test_a_variation_of_a_simulator_keeps_its_states():
    record = LiveRecord(OfferedGame("drift", Drift), [], None)
    for action in (2, 2, 1):
        record.play(action)
    states = [record.state_at(ply).copy() for ply in range(4)]
    record.go_to(1)
    record.play(0)
    record.play(0)
    record.take_up(0)
    assert record.ply == 2
    assert [record.state_at(ply) for ply in range(4)] == states
    record.go_to(1)
    record.play(0)
    assert record.state_at(1) == states[1]


def test_the_same_moves_to_another_state_are_another_line():
    record = LiveRecord(OfferedGame("drift", Drift), [], None)
    record.play(2)
    first = record.state.copy()
    record.go_to(0)
    record.play(1)
    record.go_to(0)
    record.play(2)
    assert record.state != first
    assert len(record.told(None).variations) == 2
    spots = [record.spot]
    record.take_up(1)
    spots.append(record.spot)
    assert record.state == first
    assert spots[0] != spots[1]


def test_a_simulator_is_analysed_and_played_by_the_bot(theirs):
    page = theirs.page()
    page.ask("new_game", game="machines", seats=[], opponent={"simulations": 500})
    told = page.until(lambda told: told["type"] == "position" and not unfinished(told))
    assert (told["ply"], told["returns"]) == (3, told["paid"])
    page.ask("set_players", seats=[0])
    page.ask("go_to", ply=0)
    page.say("analyse", on=True)
    found = page.until(lambda told: told["type"] == "analysis" and told["simulations"] > 5000)
    assert found["children"][0]["text"] == "2"
    assert found["value"] == pytest.approx(0.8 * (1 + 0.75 + 0.75**2), abs=0.25)
    page.ask("play", action=2, ply=0)
    page.until(lambda told: told["type"] == "analysis" and told["ply"] == 1)
    assert page.ask("hint")["ply"] == 1


def test_nodes_of_a_simulators_tree_stand_for_many_boards(theirs):
    page = theirs.page()
    page.ask("new_game", game="sampled_pig", seats=[0, 1])
    page.ask("hint")
    root = page.ask("ask_node", path=[])
    assert "turn=0" in root["text"]
    below = page.ask("ask_node", path=[0])
    assert "drawn anew in each simulation" in below["text"]
    assert (below["svg"], below["returns"], below["paid"]) == (None, None, None)
    assert {term["action"] for term in below["terms"]} == {0, 1}
    tree = page.ask("watch_tree", branches=[{"path": [], "top": 5}, {"path": [0], "top": 5}])
    assert {node["mover"] for node in tree["nodes"] if len(node["path"]) == 2} == {0, 1}


def test_what_only_moves_would_tell_is_refused_in_one_sentence(theirs):
    page = theirs.page()
    for refused in (
        page.refusal("new_game", game="drift", moves=[1, 2]),
        page.ask("new_game", game="drift") and page.refusal("ask_board", line=[1]),
    ):
        assert "drawn by its rules, so that moves alone do not give a position again" in refused["message"]
        assert "\n" not in refused["message"]
    assert page.ask("ask_board", line=[])["text"]


@pytest.mark.parametrize("setting", [{"open_loop": False}, {"outcome_widening": 2.0}], ids=str)
def test_a_closed_loop_is_no_setting_of_a_page(theirs, setting):
    page = theirs.page()
    page.ask("new_game", game="sampled_pig", seats=[0, 1])
    for request in ("begin_steps", "analyse"):
        told = page.refusal(request, settings=setting, **({"on": True} if request == "analyse" else {}))
        assert f"unknown field `{next(iter(setting))}`" in told["message"]
        assert "\n" not in told["message"]
    assert page.ask("begin_steps", settings={"seed": 1})["is_open"] is True


def test_steps_of_a_simulator_have_pictures_and_say_what_was_drawn(theirs):
    page = theirs.page()
    page.ask("new_game", game="sampled_pig", seats=[0, 1])
    assert page.ask("begin_steps", settings={"seed": 1})["is_open"] is True
    made = page.ask("make_steps", count=40)["simulations"]
    assert all(set(told["pictures"]) == {"leaf", "node", "end"} for told in made)
    choices = [choice for told in made for choice in told["selection"]["choices"]]
    assert any(choice["drawn"] for choice in choices)
    assert any(s["fate"] == "not legal" for choice in choices for s in choice["siblings"])


# --- HTTP ------------------------------------------------------------------------------------------------


def test_positions_tell_rewards_so_far(live):
    start = live.http.post("/api/games/cliff_walking/position", json={"moves": [0, 1]}).json()
    assert (start["paid"], start["returns"]) == ([-2], None)
    again = live.http.post("/api/games/cliff_walking/position", json={"state": start["state"]}).json()
    assert (again["paid"], again["text"]) == (None, start["text"])


def test_outcomes_are_legal_moves_of_chance_with_their_probabilities(live):
    told = live.http.post("/api/games/pig/position", json={"moves": ["roll"]}).json()
    assert told["player"] == -1
    assert [move["player"] for move in told["legal"]] == [-1] * 6
    assert sum(move["probability"] for move in told["legal"]) == pytest.approx(1)
    told = live.http.post("/api/games/pig/position", json={"moves": ["roll", "5"]}).json()
    assert (told["player"], told["paid"]) == (0, None)
    assert {move["probability"] for move in told["legal"]} == {None}


def test_a_search_by_http_plans_a_problem(live):
    told = live.http.post("/api/games/cliff_walking/search", json={"simulations": 300}).json()
    assert told["player"] == 0
    assert told["children"][-1]["at_least"] is None
    assert told["value"] < -10


def test_a_simulator_is_played_by_states(theirs):
    start = theirs.http.post("/api/games/drift/position", json={}).json()
    texts = set()
    for _ in range(4):
        body = {"state": start["state"], "moves": [2]}
        after = theirs.http.post("/api/games/drift/position", json=body).json()
        texts.add(after["text"])
        found = theirs.http.post("/api/games/drift/search", json={"state": after["state"], "simulations": 50})
        assert found.json()["simulations"] == 50
    assert len(texts) == 4
    nim = theirs.http.post("/api/games/nim/position", json={}).json()
    body = {"state": nim["state"], "moves": [0]}
    assert "given twice" in theirs.http.post("/api/games/nim/position", json=body).json()["error"]
