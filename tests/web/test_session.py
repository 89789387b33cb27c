"""What pages say, one kind of message after the other, and what comes of it."""

import pytest

from branchwise.games.connect_four import ConnectFour
from branchwise.games.tic_tac_toe import TicTacToe
from support.shipped import AT_ONCE, FOR_ONE, HIDDEN, PARTLY_SEEN, WITH_LEVELS

QUICK = {"simulations": 50}


def new_game(page, game="tic_tac_toe", **fields):
    fields.setdefault("opponent", QUICK)
    return page.ask("new_game", game=game, **fields)


def idle(told):
    return told["type"] == "thinking" and told["who"] == ""


def test_welcome_lists_games_and_limits(page):
    games = {game["name"]: game for game in page.welcome["games"]}
    assert next(iter(games)) == "connect_four"
    assert page.welcome["first"] is None
    assert all(game["about"] for game in games.values())
    assert {name for name, game in games.items() if game["num_players"] == 1} >= set(FOR_ONE)
    assert {name for name, game in games.items() if "hidden" in game["kinds"]} == set(HIDDEN)
    assert {name for name, game in games.items() if "at once" in game["kinds"]} == set(AT_ONCE)
    refused = {name: game["reason"] for name, game in games.items() if game["reason"]}
    assert set(refused) == {*PARTLY_SEEN, "blokus_duo"}
    assert refused["tiger"] == "It is partially observed, and the page would show its state"
    assert page.welcome["limits"]["message_bytes"] == 65_536
    assert page.welcome["resumed"] is False
    assert len(page.welcome["session"]) >= 20


def test_games_are_told_in_full_one_at_a_time(live):
    def told(name):
        return live.http.get(f"/api/games/{name}").json()

    drawn = {"random_starter": False}
    connect_four, nim = told("connect_four"), told("nim")
    assert connect_four["options"] == {"rows": 6, "columns": 7, "in_a_row": 4, **drawn}
    assert nim["options"] == {"heaps": [21], "max_take": 3, "misere": False, **drawn}
    assert told("ultimate_tic_tac_toe")["options"] == drawn
    assert told("frozen_lake")["options"].keys() == {"map_name", "is_slippery", "success_rate"}
    assert told("taxi")["options"].keys() == {"is_rainy", "rainy_probability"}
    assert connect_four["symbols"] == ["Red", "Yellow"]
    assert told("tic_tac_toe")["symbols"] == ["X", "O"]
    assert nim["symbols"] == []
    assert "four in a line" in connect_four["rules"]
    assert ">>>" not in told("chess")["rules"]
    games = live.http.get("/api/games").json()
    assert not {game["name"] for game in games} & set(PARTLY_SEEN)
    assert {game["name"] for game in games if game["has_levels"]} == set(WITH_LEVELS)
    assert {game["name"] for game in games if game["hides"]} == set(HIDDEN)
    assert {game["name"] for game in games if game["joint"]} == set(AT_ONCE)


def test_position_shows_the_board_and_the_moves(page):
    told = new_game(page, "connect_four", moves=["d", 3, "c1"], seats=[0, 1])
    assert [move["text"] for move in told["moves"]] == ["d1", "d2", "c1"]
    assert [move["player"] for move in told["moves"]] == [0, 1, 0]
    assert told["ply"] == 3
    assert told["player"] == 1
    assert told["link"] == "game=connect_four&moves=3,3,2"
    assert len(told["legal"]) == 7
    assert told["svg"] is None
    assert told["board"]["last"] == [37]
    assert told["board"]["cells"][2 * 37 : 2 * 37 + 4] == [0, 1, 0, 1]
    assert told["text"] == str(ConnectFour.from_actions(["d", "d", "c"]))
    assert told["returns"] is None
    assert told["seats"] == [0, 1]
    assert told["opponent"]["simulations"] == 50


def test_a_whole_game_against_a_bot(page):
    told = new_game(page, opponent={"level": 10})
    state = TicTacToe()
    while not state.is_terminal():
        assert told["ply"] == len(told["moves"])
        mine = told["legal"][0]["action"]
        state.apply_action(mine)
        told = page.ask("play", action=mine, ply=told["ply"])
        assert told["moves"][-1]["action"] == mine
        if told["player"] is not None:
            ply = told["ply"]
            told = page.until(lambda m, ply=ply: m["type"] == "position" and m["ply"] > ply)
            state.apply_action(told["moves"][-1]["action"])
        assert told["text"] == str(state)
    assert told["player"] is None
    assert told["legal"] == []
    assert told["returns"] == list(state.returns())
    assert told["returns"][0] <= 0, "level 10 does not lose at tic-tac-toe"
    assert page.until(idle)
    assert "over" in page.refusal("play", action=0, ply=told["ply"])["message"]
    assert "over" in page.refusal("bot_move")["message"]
    assert "over" in page.refusal("hint")["message"]


def test_the_bot_begins_where_it_has_the_first_seat(page):
    assert new_game(page, seats=[1])["ply"] == 0
    assert page.until("position")["ply"] == 1


def test_without_people_the_bot_plays_to_the_end(page):
    new_game(page, "nim", seats=[])
    assert page.until(lambda m: m["type"] == "position" and m["player"] is None)["returns"] in (
        [1, -1],
        [-1, 1],
    )


def test_a_late_click_does_nothing(page):
    new_game(page, seats=[0, 1])
    page.ask("play", action=0, ply=0)
    refused = page.refusal("play", action=1, ply=0)
    assert "position after 0 moves" in refused["message"]
    assert page.ask("go_to", ply=1)["ply"] == 1


def test_people_do_not_play_for_the_bot(page):
    new_game(page, "connect_four", moves=[0], seats=[0], opponent={"seconds": 50})
    assert "the bot has that seat" in page.refusal("play", action=1, ply=1)["message"]


def test_undo_and_redo_stop_where_a_person_is_to_move(page):
    new_game(page, moves=[0, 1, 2, 3], seats=[0])
    assert page.ask("undo")["ply"] == 2
    assert page.ask("undo")["ply"] == 0
    assert "no move to undo" in page.refusal("undo")["message"]
    assert page.ask("redo")["ply"] == 2
    assert page.ask("redo")["ply"] == 4
    assert "no move to redo" in page.refusal("redo")["message"]
    new_game(page, moves=[0, 1, 2, 3, 4], seats=[1])
    assert page.ask("undo")["ply"] == 3
    assert page.ask("undo")["ply"] == 1
    page.refusal("undo")
    new_game(page, moves=[0, 1, 2], seats=[0, 1])
    assert page.ask("undo")["ply"] == 2
    told = page.ask("play", action=5, ply=2)
    assert [move["action"] for move in told["moves"]] == [0, 1, 5]


def test_moves_that_are_replaced_are_kept_and_taken_up(page):
    new_game(page, moves=[0, 1, 2, 3], seats=[0, 1])
    page.ask("go_to", ply=1)
    told = page.ask("play", action=4, ply=1)
    assert told["variations"] == [{"ply": 1, "count": 3, "text": ["b3", "c3", "a2"]}]
    told = page.ask("take_up", variation=0)
    assert [move["action"] for move in told["moves"]] == [0, 1, 2, 3]
    assert told["ply"] == 2
    assert told["variations"] == [{"ply": 1, "count": 1, "text": ["b2"]}]
    assert "no variation 4" in page.refusal("take_up", variation=4)["message"]


def test_after_going_back_the_bot_waits(page):
    new_game(page, moves=[0, 1, 2, 3], seats=[0])
    assert page.ask("go_to", ply=1)["player"] == 1
    assert not [told for told in page.quiet() if told["type"] == "position"]
    assert page.ask("bot_move")["who"] == "bot"
    assert page.until("position")["ply"] == 2
    page.refusal("go_to", ply=9)


def test_bot_moves_for_a_person_who_asks(page):
    new_game(page)
    page.say("bot_move")
    assert page.until("position")["ply"] == 1
    assert page.until("position")["ply"] == 2


def test_seats_and_opponent_can_change(page):
    new_game(page, moves=[0], seats=[0, 1])
    told = page.ask("set_players", seats=[0], opponent={"level": 1})
    assert told["seats"] == [0]
    others = {"seconds": None, "simulations": None, "tuned": False, "bot": None}
    assert told["opponent"] == {"level": 1, **others}
    assert page.until("position")["ply"] == 2
    assert page.ask("set_players", seats=[1, 0, 1])["seats"] == [0, 1]
    page.refusal("set_players", seats=[2])
    page.refusal("set_players", opponent={"level": 3, "seconds": 1})
    page.refusal("set_players", opponent={"seconds": 100})
    page.refusal("set_players", opponent={"level": 11})


def test_stop_lets_the_bot_play_what_it_has(page):
    new_game(page, "connect_four", seats=[1], opponent={"seconds": 50})
    page.until(lambda m: m["type"] == "analysis" and m["who"] == "bot")
    assert page.ask("stop")["who"] == "bot"
    assert page.until("position", timeout=10)["ply"] == 1


def test_undo_while_the_bot_thinks_ends_its_search(live, page):
    new_game(page, "connect_four", moves=[3, 3], opponent={"seconds": 50})
    page.say("play", action=3, ply=2)
    page.until(lambda m: m["type"] == "analysis" and m["who"] == "bot")
    assert page.ask("undo")["ply"] == 2
    live.until(lambda: live.searching() == 0, timeout=10)
    assert not [told for told in page.quiet() if told["type"] in ("position", "analysis")]


def test_hint(page):
    new_game(page, moves=["a1", "b2", "a2", "c3"], seats=[0, 1])
    hint = page.ask("hint")
    assert hint["type"] == "hinted"
    assert hint["text"] == "a3"
    assert hint["value"] == 1.0
    assert hint["ply"] == 4


def test_hint_during_an_analysis_is_taken_from_it(page):
    new_game(page, "connect_four")
    page.say("analyse", on=True)
    page.until(lambda m: m["type"] == "analysis" and m["seconds"] > 1.05 and m["simulations"] > 50_000)
    assert page.ask("hint")["text"].startswith("d")
    assert page.until("analysis")["who"] == "analysis"


def test_analysis_continues_where_it_was_paused(live, page):
    new_game(page, "connect_four")
    assert page.ask("analyse", on=True)["who"] == "analysis"
    first = page.until(lambda m: m["type"] == "analysis" and m["simulations"] > 1000)
    paused = page.ask("analyse", on=False)
    assert (paused["who"], paused["stage"]) == ("analysis", "paused")
    live.until(lambda: live.searching() == 0)
    page.quiet()
    last = [told for told in page.heard if told["type"] == "analysis"][-1]
    tree = page.ask("watch_tree", branches=[{"path": [], "top": 7}])
    assert {node["text"]: (node["visits"], node["value"]) for node in tree["nodes"][1:]} == {
        child["text"]: (child["visits"], child["value"]) for child in last["children"]
    }, "the table and the tree tell the same"
    page.ask("analyse", on=True)
    again = page.until("analysis")
    assert again["simulations"] > first["simulations"]
    assert again["seconds"] > first["seconds"]


def test_analysis_pauses_after_its_simulations_or_seconds_and_goes_on_with_as_many(page):
    new_game(page, "connect_four", seats=[0, 1])
    for done in (200, 400):
        assert page.ask("analyse", on=True, simulations=200)["stage"] == "searching"
        told = page.until(lambda m: m["type"] == "analysis" and m["ended_by"])
        assert (told["simulations"], told["ended_by"]) == (done, "simulations")
        page.until(lambda m: m["type"] == "thinking" and m["stage"] == "paused")
    page.ask("analyse", on=True, seconds=0.3)
    assert page.until(lambda m: m["type"] == "analysis" and m["ended_by"])["ended_by"] == "seconds"
    page.ask("analyse", on=True)
    page.until(lambda m: m["type"] == "analysis" and m["simulations"] > 5000)
    page.ask("analyse", on=True, simulations=10)  # another limit takes the place of none
    page.until(lambda m: m["type"] == "thinking" and m["stage"] == "paused")
    page.refusal("analyse", on=True, simulations=0)


def test_a_search_without_proofs_goes_on_where_one_with_proofs_ends(page):
    new_game(page, moves=["a1", "b2", "a2"], seats=[0, 1])
    page.ask("analyse", on=True, settings={"proofs": False})
    told = page.until(lambda m: m["type"] == "analysis" and m["simulations"] > 2000)
    assert {child["proven"] for child in told["children"]} == {None}
    page.ask("analyse", on=True, settings={})
    assert page.until(lambda m: m["type"] == "analysis" and m["ended_by"])["ended_by"] == "proven"


def test_an_analysis_ends_with_its_game_and_goes_on_in_a_new_one_of_the_same(live, page):
    new_game(page, "connect_four", seats=[0, 1])
    page.ask("analyse", on=True)
    page.until("analysis")
    new_game(page, "connect_four", moves=[3], seats=[0, 1])
    page.until(lambda m: m["type"] == "analysis" and m["ply"] == 1)
    new_game(page, "nim", seats=[0, 1])
    live.until(lambda: live.searching() == 0)
    assert page.until("thinking")["stage"] == ""
    page.quiet()
    assert live.searching() == 0


def test_analysis_follows_the_game_and_keeps_its_tree(page):
    new_game(page, "connect_four", seats=[0, 1])
    page.say("analyse", on=True)
    before = page.until(lambda m: m["type"] == "analysis" and m["simulations"] > 20_000)
    action = before["children"][0]["action"]
    page.say("play", action=action, ply=0)
    after = page.until(lambda m: m["type"] == "analysis" and m["ply"] == 1)
    assert after["simulations"] > before["children"][0]["visits"] * 0.9
    assert after["player"] == 1


def test_findings_fit_together(page):
    new_game(page, "connect_four", moves=["d", "d"])
    page.say("analyse", on=True)
    told = page.until(lambda m: m["type"] == "analysis" and m["simulations"] > 5000)
    children = told["children"]
    assert sorted(child["action"] for child in children) == list(range(7))
    assert sum(child["share"] for child in children) == pytest.approx(1.0)
    assert sum(child["visits"] for child in children) == told["simulations"]
    assert told["value"] == children[0]["value"]
    assert told["depth"] >= len(children[0]["line"]) > 1
    state = ConnectFour.from_actions(["d", "d"])
    for child in children:
        twin = state.copy()
        for action, text in zip(child["line"], child["line_text"], strict=True):
            assert twin.action_to_string(action) == text
            twin.apply_action(action)
        assert -1 <= child["lower"] <= child["value"] <= 1


def test_a_solved_position_ends_the_analysis(page):
    new_game(page, moves=["a1", "b2", "a2"], seats=[0, 1])
    page.say("analyse", on=True)
    told = page.until(lambda m: m["type"] == "analysis" and m["ended_by"] == "proven")
    assert told["children"][0]["proven"] is not None
    page.until(idle)
    values = page.ask("play", action=told["children"][0]["action"], ply=3)["values"]
    assert values[0] == {"ply": 3, "values": [0.0, 0.0]}


def test_other_settings_begin_another_tree(page):
    new_game(page, "connect_four")
    page.say("analyse", on=True)
    page.until(lambda m: m["type"] == "analysis" and m["simulations"] > 1000)
    page.ask("analyse", on=True, settings={"c": 0.1, "seed": 5})
    assert page.until(lambda m: m["type"] == "analysis" and m["simulations"] > 0)
    assert "selection rule" in page.refusal("analyse", on=True, settings={"selection": "ucb"})["message"]
    assert "playout" in page.refusal("analyse", on=True, settings={"playout": "os.system"})["message"]
    page.refusal("analyse", on=True, settings={"c": -1})


def test_tree_shows_the_branches_that_are_watched(live, page):
    new_game(page, "connect_four")
    assert page.ask("watch_tree", branches=[{"path": [], "top": 2}])["nodes"] == []
    page.say("analyse", on=True)
    told = page.until(lambda m: m["type"] == "tree" and m["nodes_in_all"] > 10_000)
    root, *below = told["nodes"]
    assert root["more"] == 5
    assert root["parent"] == -1
    assert [node["parent"] for node in below] == [0, 0]
    assert below[0]["visits"] >= below[1]["visits"]
    page.ask("analyse", on=False)
    live.until(lambda: live.searching() == 0)
    page.quiet()
    last = sorted(range(7))[-1]
    asked = [{"path": [], "top": 1}, {"path": [last], "top": 3}, {"path": [last, 3], "top": 500}]
    nodes = page.ask("watch_tree", branches=asked)["nodes"]
    paths = [tuple(node["path"]) for node in nodes]
    assert len(set(paths)) == len(paths)
    assert (last,) in paths
    assert sum(len(path) == 3 for path in paths) == 7
    for node in nodes[1:]:
        above = nodes[node["parent"]]
        assert node["path"][:-1] == above["path"]
        assert node["mover"] == above["player"]
        assert node["share"] == pytest.approx(node["visits"] / above["visits"])
        assert node["num_children"] == node["more"] + sum(
            other["path"][:-1] == node["path"] for other in nodes[1:]
        )
    assert page.ask("watch_tree", branches=[])["nodes"] == []
    assert page.ask("watch_tree", branches=[{"path": [99, 5]}])["nodes"][0]["path"] == []


def test_a_node_is_reported_with_its_terms(page):
    new_game(page, "connect_four")
    assert "no tree" in page.refusal("ask_node", path=[])["message"]
    page.say("analyse", on=True, settings={"c": 0.5})
    page.until(lambda m: m["type"] == "analysis" and m["simulations"] > 5000)
    page.ask("analyse", on=False)
    told = page.ask("ask_node", path=[3])
    assert (told["rule"], told["c"], told["player"]) == ("ucb1", 0.5, 1)
    assert told["board"]["last"] == [38]
    assert told["svg"] is None
    assert told["text"] == str(ConnectFour.from_actions([3]))
    assert len(told["terms"]) == 7
    for term in told["terms"]:
        assert term["score"] == pytest.approx(term["value"] + term["exploration"])
    page.refusal("ask_node", path=[99])


def test_a_line_is_shown_on_a_board(page):
    new_game(page, moves=[0], seats=[0, 1])
    told = page.ask("ask_board", line=[4, 8])
    assert told["line_text"] == ["b2", "c1"]
    assert told["text"] == str(TicTacToe.from_actions([0, 4, 8]))
    assert page.ask("ask_board", line=[0], ply=0)["text"] == str(TicTacToe.from_actions([0]))
    assert "move 2" in page.refusal("ask_board", line=[4, 4])["message"]
    page.refusal("ask_board", line=[], ply=7)


def test_steps_tell_what_simulations_did(page):
    new_game(page, seats=[0, 1])
    page.refusal("make_steps")
    begun = page.ask("begin_steps", settings={"seed": 3, "c": 1.5})
    assert (begun["rule"], begun["c"], begun["playout"], begun["seed"]) == (
        "ucb1",
        1.5,
        "decisive+uniform",
        3,
    )
    assert begun["cutoff"] is None
    made = page.ask("make_steps", count=12)
    assert [simulation["number"] for simulation in made["simulations"]] == list(range(1, 13))
    last = made["simulations"][-1]
    choice = last["selection"]["choices"][0]
    assert choice["line_actions"] == []
    assert last["backup"]["updates"][-1]["line_actions"] == []
    first = last["backup"]["updates"][0]
    assert len(first["line_actions"]) == len(first["line"]) > 0
    state = TicTacToe()
    for action, text in zip(first["line_actions"], first["line"], strict=True):
        assert state.action_to_string(action) == text
        state.apply_action(action)
    assert made["nodes"][0]["visits"] == 12
    assert sum(node["visits"] for node in made["nodes"] if node["parent"] == 0) == 12
    assert made["over"] is False
    again = page.ask("make_steps", count=1)
    assert again["simulations"][0]["number"] == 13


def test_steps_tell_where_playouts_are_evaluated(page):
    new_game(page, "chinese_checkers", seats=[0, 1])
    assert page.ask("begin_steps", settings={"seed": 1})["cutoff"] == 0
    (made,) = page.ask("make_steps", count=1)["simulations"]
    (game,) = made["playout"]["games"]
    assert (game["cut_off"], game["moves"]) == (True, [])
    assert page.ask("begin_steps", settings={"seed": 1, "playout": "uniform"})["cutoff"] is None


def test_steps_end_when_the_root_is_solved(page):
    new_game(page, moves=["a1", "b2", "a2", "c3"], seats=[0, 1])
    page.ask("begin_steps", settings={"seed": 1})
    made = page.ask("make_steps", count=100)
    assert made["over"] is True
    assert 0 < len(made["simulations"]) < 100
    assert made["nodes"][0]["proven"] == 1.0
    assert page.ask("make_steps")["simulations"] == []


def test_variants_are_made_of_offered_games_alone(page):
    told = new_game(page, "mnk(rows=3, columns=4, in_a_row=3)")
    assert told["game"]["name"] == "mnk(rows=3,columns=4,in_a_row=3)"
    assert len(told["legal"]) == 12
    assert told["game"]["has_levels"] is False
    assert "link" in told
    for text in (
        "mnk(rows=1000,columns=1000)",
        "mnk(rows=99,columns=99)",
        "mnk(rows=0)",
        "mnk(rows='x')",
        "mnk(num_players=3)",
        "mnk(cells=4)",
        "nim(heaps=(1000000,))",
        "nim(heaps=9)(",
        "tic_tac_toe(rows=4)",
        "conect_four",
        "os:system",
        "branchwise.games.nim:Nim",
        "/etc/passwd",
        "../../setup.py",
        "my_game.py",
        "nim(__class__=3)",
        "(" * 150,
        "nim(heaps=" + "[" * 150,
        "nim\0",
    ):
        refused = page.refusal("new_game", game=text)
        assert refused["about"] == "new_game", text
    assert page.refusal("new_game", game="conect_four")["message"].endswith('did you mean "connect_four"?')
    assert page.ask("go_to", ply=0)["game"]["name"].startswith("mnk"), "the game under way is kept"


def test_bad_positions_are_refused(page):
    refused = page.refusal("new_game", game="tic_tac_toe", moves=["a1", "a1"])
    assert "move 2" in refused["message"]
    assert "legal moves are" in refused["mend"]
    page.refusal("new_game", game="tic_tac_toe", moves=[9])
    page.refusal("new_game", game="tic_tac_toe", moves=[0, 3, 1, 4, 2, 5])
    page.refusal("new_game", game="tic_tac_toe", seats=[5])
    assert "no game" in page.refusal("undo")["message"]


def test_levels_that_were_not_measured_are_refused_without_a_path(page):
    refused = page.refusal("new_game", game="mnk(rows=4)", opponent={"level": 2})
    assert "have not been measured" in refused["message"]
    assert "/" not in refused["mend"]
    alone = page.refusal("new_game", game="frozen_lake", opponent={"level": 2})
    assert "played alone, so it has no levels" in alone["message"]


def test_who_starts_is_drawn_on_the_page(page):
    starters = set()
    for _ in range(20):
        told = new_game(page, "tic_tac_toe(random_starter=true)", seats=[0, 1])
        assert told["game"]["options"] == {"random_starter": True}
        assert told["game"]["symbols"] == [], "no symbol belongs to a player"
        starters.add(told["player"])
        assert len(told["legal"]) == 9
    assert starters == {0, 1}
    refused = page.refusal("new_game", game="kuhn_poker(random_starter=true)")
    assert "random_starter" in refused["message"]
