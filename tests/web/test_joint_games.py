"""Games in which all move at once on the page: no choice is sent before all have chosen."""

import json
import threading

import pytest

import branchwise as bw
from branchwise.games.goofspiel import Goofspiel
from branchwise.games.rock_paper_scissors import RockPaperScissors
from branchwise.rules.playthrough.joint_choice import JointChoice
from branchwise.web.game.hidden_record import record_of
from branchwise.web.game.offered_games import OfferedGame, check_fits
from branchwise.web.search.searchers import prepare
from support import three_at_once
from support.page_bots import FakeBot, use_bots
from support.three_at_once import Sealed

CARDS = "goofspiel(num_cards=3,points_order=descending)"
TRIO = "goofspiel(num_cards=3,players=3,points_order=descending)"
QUICK = {"simulations": 20}


def new_game(page, game=CARDS, **fields):
    fields.setdefault("opponent", QUICK)
    return page.ask("new_game", game=game, **fields)


def choose(page, told, action, player=None):
    return page.ask("play", action=action, ply=told["ply"], player=player)


def made(page, ply):
    """Return the position after this number of moves."""
    return page.until(lambda told: told["type"] == "position" and told["ply"] == ply)


class Bots:
    """Answers for the bots of a server, in place of their searches."""

    def __init__(self, monkeypatch, answer):
        self.answer, self.shown, self.go = answer, [], threading.Event()
        self.go.set()
        use_bots(monkeypatch, lambda text: FakeBot(self._choose))

    def _choose(self, bot, state, limit, moves):
        self.shown.append((state, moves))
        assert self.go.wait(60)
        return self.answer(state)


@pytest.fixture
def bots(monkeypatch):
    """Bots that take the last legal action of what they are shown."""
    return Bots(monkeypatch, lambda shown: shown.legal_actions()[-1])


# --- one person against bots -----------------------------------------------------------------------------


def test_a_position_lists_what_each_player_may_choose_and_who_is_waited_for(page):
    told = new_game(page)
    assert (told["player"], told["waiting"], told["ply"], told["game"]["joint"]) == (-2, [0], 0, True)
    assert [(move["player"], move["text"]) for move in told["legal"]] == [
        (player, text) for player in (0, 1) for text in ("1", "2", "3")
    ]
    assert told["link"] == "game=goofspiel%28num_cards%3D3,points_order%3D%27descending%27%29"


def test_a_whole_game_against_bots_that_search(page):
    told = new_game(page, TRIO)
    while told["player"] is not None:
        mine = next(move["action"] for move in told["legal"] if move["player"] == 0)
        assert choose(page, told, mine, 0)["waiting"] == []
        told = made(page, told["ply"] + 1)
        assert told["moves"][-1]["player"] == -2
        assert told["moves"][-1]["action"].split(":")[0] == str(mine)
    state = Goofspiel.configured(num_cards=3, players=3, points_order="descending").from_actions(
        [move["text"] for move in told["moves"]]
    )
    assert told["returns"] == list(state.returns())
    assert told["text"] == str(state)
    assert [value["ply"] for value in told["values"]] == [0, 1]
    assert all(len(value["values"]) == 3 for value in told["values"])
    link = told["link"].partition("&moves=")[2]
    assert link == ",".join(move["action"] for move in told["moves"])
    again = new_game(page, TRIO, moves=link.split(","), seats=[0, 1, 2])
    assert [move["text"] for move in again["moves"]] == [move["text"] for move in told["moves"]]


def test_a_bot_is_shown_the_position_before_whatever_was_chosen(page, bots):
    for own in (0, 1, 2):
        told = choose(page, new_game(page, "rock_paper_scissors"), own)
        assert (told["ply"], told["waiting"]) == (0, [])
        assert made(page, 1)["moves"][0]["action"] == f"{own}:2"
    assert len(bots.shown) == 3
    for shown, moves in bots.shown:
        assert isinstance(shown, JointChoice)
        assert (shown.player, shown.state, moves) == (1, RockPaperScissors(), ())


def test_a_bot_chooses_for_each_player_that_no_person_has_by_the_position_alone(page, bots):
    told = choose(page, new_game(page, TRIO, seats=[1]), 0)
    assert made(page, 1)["moves"][0]["text"] == "3,1,3"
    assert [shown.player for shown, _ in bots.shown] == [0, 2]
    assert all(shown.state == bots.shown[0][0].state for shown, _ in bots.shown)
    assert told["ply"] == 0


def test_without_people_the_bot_plays_all_to_the_end(page):
    told = new_game(page, TRIO, seats=[])
    while told["player"] is not None:
        assert told["waiting"] == []
        told = page.until("position")
    assert len(told["moves"]) == 2


def test_bot_moves_chooses_for_a_person_who_has_not_chosen_but_keeps_what_was_chosen(page, bots):
    told = new_game(page, TRIO, seats=[0, 1])
    choose(page, told, 0, 1)
    page.ask("bot_move")
    assert made(page, 1)["moves"][0]["text"] == "3,1,3"


def test_chance_moves_between_joint_moves(page, bots):
    told = new_game(page, "goofspiel(num_cards=3)")
    assert [move["player"] for move in told["moves"]] == [-1]
    choose(page, told, 0)
    told = made(page, 3)
    assert [move["player"] for move in told["moves"]] == [-1, -2, -1]
    told = page.ask("undo")
    assert (told["ply"], told["waiting"]) == (1, [0])
    assert [move["player"] for move in told["moves"]] == [-1, -2, -1]


# --- several people ---------------------------------------------------------------------------------------


def texts_until_all_have_chosen(live, first, second):
    """Return each message to a page with two people, to the letter, until the move is made."""
    page, texts = live.page(), []
    page.hear = lambda timeout=60.0: texts.append(page.socket.recv(timeout)) or json.loads(texts[-1])
    told = new_game(page, TRIO, seats=[0, 2])
    told = choose(page, told, first, 2)
    assert told["waiting"] == [0]
    page.ask("hint")
    choose(page, told, second, 0)
    before = len(texts)
    page.until(lambda told: told["type"] == "position" and told["ply"] == 1)
    page.close()
    return texts[:before]


def test_the_same_bytes_are_sent_whatever_was_chosen_until_all_have_chosen(live, bots, monkeypatch):
    def think(analyst, state, line, seconds, progress, *, tell, simulations=None):
        tell("searching")
        return bw.MCTS(seed=1, joint="regret_matching", compiled=False).search(state, simulations=30)

    monkeypatch.setattr("branchwise.web.search.searchers.Analyst.think", think)
    drawn = {  # what differs from one search to the next
        "analysis": {"seconds": 0, "rate": 0, "memory_bytes": 0},
        "hinted": {"action": 0, "text": "", "value": 0},
    }
    sent = []
    for first, second in ((0, 0), (2, 0), (1, 1)):
        told = [json.loads(text) for text in texts_until_all_have_chosen(live, first, second)]
        sent.append([{**one, **drawn.get(one["type"], {})} for one in told])
    assert sent[0] == sent[1] == sent[2]
    assert [one["waiting"] for one in sent[0] if one["type"] == "position"] == [[0, 2], [0], []]
    assert any(one["type"] == "hinted" for one in sent[0])


def test_people_alone_play_without_a_bot(page, bots):
    told = new_game(page, seats=[0, 1])
    told = choose(page, told, "1", 1)
    assert (told["ply"], told["waiting"]) == (0, [0])
    told = choose(page, told, "3", 0)
    assert (told["ply"], told["waiting"], told["moves"][0]["text"]) == (1, [0, 1], "3,1")
    assert bots.shown == []


def test_somebody_who_comes_back_in_the_middle_finds_who_has_still_to_choose(live, bots):
    page = live.page()
    told = new_game(page, TRIO, seats=[0, 2])
    choose(page, told, 1, 0)
    page.close()
    back = live.page(page.welcome["session"])
    told = back.until("position")
    assert (told["ply"], told["waiting"]) == (0, [2])
    assert "already chosen" in choose(back, told, 1, 0)["message"]
    choose(back, told, 0, 2)
    assert made(back, 1)["moves"][0]["action"] == "1:2:0"
    back.close()


def test_who_leaves_while_the_bot_chooses_finds_the_move_made_with_the_choice(live, bots):
    page = live.page()
    told = new_game(page)
    bots.go.clear()
    choose(page, told, 1)
    page.until(lambda told: told["type"] == "thinking" and told["stage"] == "searching")
    page.close()
    live.until(lambda: live.sessions.find(page.welcome["session"]).tell is None)
    bots.go.set()
    back = live.page(page.welcome["session"])
    assert back.until("position")["waiting"] == []
    assert made(back, 1)["moves"][0]["text"] == "2,3"
    back.close()


def test_pages_beside_each_other_do_not_mix_their_choices(live, bots):
    pages = [live.page() for _ in range(3)]
    told = [new_game(page, seats=[0, 1]) for page in pages]
    for action, page in enumerate(pages):
        told[action] = choose(page, told[action], action, 0)
    for action, page in enumerate(pages):
        assert choose(page, told[action], 0, 1)["moves"][0]["action"] == f"{action}:0"
        page.close()


# --- going back --------------------------------------------------------------------------------------------


def test_undo_takes_back_a_choice_first_and_then_whole_joint_moves(page, bots):
    told = new_game(page, TRIO, seats=[0, 1])
    told = choose(page, told, 0, 1)
    assert page.ask("undo")["waiting"] == [0, 1]
    assert "no move to undo" in page.refusal("undo")["message"]
    choose(page, told, 0, 0)
    choose(page, told, 1, 1)
    told = made(page, 1)
    assert told["moves"][0]["text"] == "1,2,3"
    told = page.ask("undo")
    assert (told["ply"], len(told["moves"]), told["waiting"]) == (0, 1, [0, 1])
    assert page.ask("redo")["ply"] == 1


def test_a_choice_that_is_taken_back_while_the_bot_thinks_ends_its_search(page, bots):
    told = new_game(page)
    bots.go.clear()
    choose(page, told, 0)
    page.until(lambda told: told["type"] == "thinking" and told["who"] == "bot")
    told = page.ask("undo")
    assert (told["ply"], told["waiting"]) == (0, [0])
    bots.go.set()
    choose(page, told, 1)
    assert made(page, 1)["moves"][0]["text"] == "2,3"


def test_joint_moves_that_are_replaced_are_kept_and_taken_up(page, bots):
    told = new_game(page)
    choose(page, told, 0)
    told = made(page, 1)
    told = page.ask("undo")
    choose(page, told, 1)
    told = made(page, 1)
    assert [one["text"] for one in told["variations"]] == [["1,3"]]
    told = page.ask("take_up", variation=0)
    assert [move["text"] for move in told["moves"]] == ["1,3"]
    assert [one["text"] for one in told["variations"]] == [["2,3"]]


def test_other_seats_forget_what_was_chosen_and_another_strength_does_not(page, bots):
    told = new_game(page, TRIO, seats=[0, 1])
    choose(page, told, 0, 0)
    assert page.ask("set_players", seats=[0, 1], opponent={"simulations": 30})["waiting"] == [1]
    assert page.ask("set_players", seats=[0, 2])["waiting"] == [0, 2]
    bots.go.clear()
    assert page.ask("set_players", seats=[])["waiting"] == []
    page.until(lambda told: told["type"] == "thinking" and told["who"] == "bot")
    told = page.ask("set_players", seats=[0])
    bots.go.set()
    choose(page, told, 0)
    assert made(page, 1)["moves"][0]["text"] == "1,3,3"


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"action": 7, "player": 0}, "action 7 of player 0 is not legal here"),
        ({"action": "9", "player": 0}, "action 9 of player 0 is not legal here"),
        ({"action": "1:1:1", "player": 0}, "'1:1:1' of player 0 is not legal here"),
        ({"action": "1,1,1", "player": 0}, "'1,1,1' of player 0 is not legal here"),
        ({"action": "-", "player": 0}, "player 0 has to choose an action here"),
        ({"action": 1}, "several people choose at once here"),
        ({"action": 1, "player": 1}, "player 1 is played by the bot"),
        ({"action": 1, "player": 3}, "has no player 3"),
        ({"action": 1, "player": 2}, "player 2 has already chosen"),
        ({"action": 1, "player": 0, "ply": 1}, "this move is for the position after 1 moves"),
    ],
)
def test_a_wrong_choice_is_refused_in_one_sentence_and_changes_nothing(page, fields, words):
    told = new_game(page, TRIO, seats=[0, 2])
    told = choose(page, told, 1, 2)
    refused = page.refusal("play", **{"ply": told["ply"], **fields})
    assert words in refused["message"]
    assert "\n" not in refused["message"]
    after = page.ask("set_players", seats=[0, 2])
    assert {**after, "id": None} == {**told, "id": None}


def test_a_player_of_a_move_in_turn_is_checked_and_may_be_left_out(page):
    told = new_game(page, "tic_tac_toe", seats=[0, 1])
    assert "player 1 is not to move here" in choose(page, told, 0, 1)["message"]
    assert choose(page, told, 0, 0)["ply"] == 1


@pytest.fixture
def trio(limited, tmp_path):
    """A page of a game with moves in turn and at once, in which players drop out."""
    live = limited(f"{three_at_once.__file__}:ThreeAtOnce", messages_per_second=1e6, burst=100_000)
    page = live.page()
    yield page
    page.close()


def test_who_has_no_choice_is_not_waited_for_and_cannot_choose(trio, bots):
    told = new_game(trio, "three_at_once", seats=[0, 1], moves=[1, "0:1:0", 1])
    assert (told["player"], told["waiting"]) == (-2, [0])
    assert {move["player"] for move in told["legal"]} == {0, 2}
    assert "player 1 has no choice here" in choose(trio, told, 0, 1)["message"]
    choose(trio, told, 0)
    told = made(trio, 4)
    assert told["moves"][-1]["text"] == "0,-,1"
    assert told["moves"][-1]["action"] == "0:-:1"
    assert told["player"] == 0
    told = choose(trio, told, 1)
    assert (told["player"], told["waiting"]) == (-2, [0])
    told = choose(trio, told, 0)  # nobody else has a choice
    assert (told["ply"], told["moves"][-1]["text"], len(bots.shown)) == (6, "0,-,-", 1)


def test_a_position_in_turn_of_such_a_game_is_searched_as_others(trio):
    new_game(trio, "three_at_once", seats=[0, 1, 2])
    trio.ask("analyse", on=True)
    found = trio.until("analysis")
    assert (found["player"], found["strategies"], found["matrix"]) == (0, [], None)
    assert {tuple(child["line_text"]) for child in found["children"]} == {("0",), ("1",)}
    assert trio.ask("ask_board", line=[1], ply=0)["player"] == -2
    assert trio.ask("ask_board", line=[1, "0:1:0"], ply=0)["line_text"] == ["1", "0,1,0"]
    assert "is not legal here" in trio.refusal("ask_board", line=[1, "0:7:0"], ply=0)["message"]


def test_who_is_to_choose_is_known_without_another_call_of_the_rules(monkeypatch):
    """The server reads it outside the threads that run rules, which may be slow."""
    game = OfferedGame("three_at_once", three_at_once.ThreeAtOnce)
    record = record_of(game, [], [0, 1])
    record.choose(1)

    def slow(self, player):
        raise AssertionError("the rules were asked")

    with monkeypatch.context() as changed:
        changed.setattr(three_at_once.ThreeAtOnce, "legal_actions", slow)
        assert (record.waiting, record.missing) == ([0, 1], (0, 1, 2))
        assert (record.is_persons_turn, record.is_bots_turn) == (True, False)
        record.sit([2])
        assert record.waiting == [2]


def test_games_that_also_hide_something_are_not_offered():
    assert bw.game_type(Sealed).information == "imperfect"
    with pytest.raises(bw.GameError, match="move at once and do not see everything, which the page"):
        check_fits(Sealed)


def test_the_first_search_of_such_a_game_can_be_prepared():
    prepare(RockPaperScissors)
    prepare(Goofspiel.configured(num_cards=3))


def test_a_bot_that_fails_leaves_the_choice_and_is_asked_again(page, bots):
    def fail(shown):
        raise RuntimeError("no idea")

    bots.answer = fail
    told = choose(page, new_game(page), 1)
    assert "no idea" in page.until("refused")["message"]
    assert "already chosen" in choose(page, told, 2)["message"]
    bots.answer = lambda shown: 7
    page.ask("bot_move")
    refused = page.until("refused")
    assert "action 7 of player 1 is not legal here" in refused["message"]
    bots.answer = lambda shown: 0
    page.ask("bot_move")
    assert made(page, 1)["moves"][0]["text"] == "2,1"


def test_a_bot_that_takes_its_time_is_stopped_and_plays_what_it_has(page):
    told = new_game(page, opponent={"seconds": 50})
    choose(page, told, 1)
    page.until("analysis")
    page.ask("stop")
    assert made(page, 1)["moves"][0]["action"].startswith("1:")


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        ("begin_steps", {}, "single steps of such a search cannot be shown yet"),
        ("ask_node", {"path": []}, "the tree of such a search cannot be shown yet"),
    ],
)
def test_what_is_not_shown_of_a_joint_search_is_refused_in_one_sentence(page, kind, fields, words):
    new_game(page, seats=[0, 1])
    page.ask("analyse", on=True)
    page.until("analysis")
    refused = page.refusal(kind, **fields)
    assert words in refused["message"]
    assert page.ask("watch_tree", branches=[{"path": []}])["nodes"] == []


def test_by_http_positions_and_searches_tell_of_each_player(live):
    there = f"/api/games/{CARDS}"
    for moves in (["3,1"], ["2:0"]):
        told = live.http.post(f"{there}/position", json={"moves": moves}).json()
        assert told["player"] == -2
        assert [(move["player"], move["text"]) for move in told["legal"]] == [
            (0, "1"),
            (0, "2"),
            (1, "2"),
            (1, "3"),
        ]
    found = live.http.post(f"{there}/search", json={"state": told["state"], "simulations": 60}).json()
    assert (found["player"], found["value"], found["children"], found["simulations"]) == (-2, None, [], 60)
    first = [strategy[0] for strategy in found["strategies"]]
    assert found["best_action"] == ":".join(str(choice["action"]) for choice in first)
    assert found["best_move"] == ",".join(choice["text"] for choice in first)
    assert found["values"][0] == pytest.approx(-found["values"][1])
    assert (found["matrix"]["rows"], found["matrix"]["columns"]) == (["1", "2"], ["2", "3"])
    wrong = live.http.post(f"{there}/position", json={"moves": ["2:3"]})
    assert (wrong.status_code, wrong.json()["error"]) == (
        400,
        "move 1: action 3 of player 1 is not legal here",
    )
    assert live.http.get("/api/games/rock_paper_scissors").json()["joint"] is True


def test_bots_share_the_time_of_a_move(page, monkeypatch):
    given = []

    def bot_for(text):
        def choose(bot, state, limit, moves):
            given.append((text, limit.seconds))
            return state.legal_actions()[0]

        return FakeBot(choose)

    use_bots(monkeypatch, bot_for)
    choose(page, new_game(page, TRIO, opponent={"seconds": 0.5}), 0)
    made(page, 1)
    assert given == [("mcts(seconds=0.5,joint='regret_matching')", 0.25)] * 2


def test_bots_that_run_out_of_time_play_what_they_have(page):
    told = new_game(page, "goofspiel(num_cards=5,players=3)", opponent={"seconds": 0.05}, seats=[1])
    while told["player"] is not None:
        told = choose(page, told, next(move["action"] for move in told["legal"] if move["player"] == 1), 1)
        told = page.until(
            lambda heard, told=told: heard["type"] == "position" and (heard["ply"] > told["ply"])
        )
    assert [move["player"] for move in told["moves"]] == [-1, -2] * 4


# --- searches ---------------------------------------------------------------------------------------------


def test_an_analysis_tells_each_players_strategy_and_the_matrix(page):
    told = new_game(page, "rock_paper_scissors(biased=True)", seats=[0, 1])
    page.ask("analyse", on=True, settings={"seed": 1})
    found = page.until(lambda told: told["type"] == "analysis" and told["simulations"] >= 300)
    assert (found["ply"], found["player"], found["value"], found["children"]) == (0, -2, None, [])
    assert len(found["values"]) == 2
    assert found["values"][0] == pytest.approx(-found["values"][1], abs=1e-3)
    for strategy in found["strategies"]:
        assert sorted(choice["text"] for choice in strategy) == ["paper", "rock", "scissors"]
        assert sum(choice["probability"] for choice in strategy) == pytest.approx(1)
        shares = [choice["probability"] for choice in strategy]
        assert shares == sorted(shares, reverse=True)
    matrix = found["matrix"]
    assert matrix["rows"] == matrix["columns"] == ["rock", "paper", "scissors"]
    assert [[round(value) for value in row] for row in matrix["values"]] == [
        [0, -25, 50],
        [25, 0, -5],
        [-50, 5, 0],
    ]
    assert page.ask("analyse", on=False)["stage"] == "paused"
    told = choose(page, told, 0, 0)
    assert told["waiting"] == [1]


def test_players_may_choose_by_another_method(page):
    new_game(page, "rock_paper_scissors", seats=[0, 1])
    page.ask("analyse", on=True, settings={"joint": "decoupled_uct", "c": 1.0})
    found = page.until(lambda told: told["type"] == "analysis" and told["simulations"] >= 50)
    for strategy in found["strategies"]:
        visits = sum(choice["visits"] for choice in strategy)
        assert [choice["probability"] for choice in strategy] == pytest.approx(
            [choice["visits"] / visits for choice in strategy]
        )
    page.say("analyse", on=True, settings={"joint": "nash"})
    assert 'no method for joint nodes (joint) "nash"' in page.until("refused")["message"]
    new_game(page, "tic_tac_toe", seats=[0, 1])
    page.ask("analyse", on=True, settings={"joint": "exp3"})
    assert page.until(lambda told: told["type"] == "analysis" and told["player"] == 0)["children"]


def test_more_than_two_players_have_strategies_but_no_matrix(page):
    new_game(page, TRIO, seats=[0, 1, 2])
    page.ask("analyse", on=True)
    found = page.until("analysis")
    assert len(found["strategies"]) == len(found["values"]) == 3
    assert found["matrix"] is None


def test_a_hint_is_for_the_person_who_is_waited_for(page):
    told = new_game(page, TRIO, seats=[0, 2])
    assert page.ask("hint")["player"] == 0
    choose(page, told, 0, 0)
    hint = page.ask("hint")
    assert hint["player"] == 2
    assert hint["text"] == str(hint["action"] + 1)
    assert (hint["ply"], hint["action"] in (0, 1, 2)) == (0, True)
