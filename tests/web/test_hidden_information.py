"""Games with hidden information on the page: what a browser is sent follows from what its person may see."""

import contextlib
import json
import random
from types import SimpleNamespace

import pytest

import branchwise as bw
from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.games import load_game
from branchwise.games.hearts import Hearts
from branchwise.games.leduc_poker import LeducPoker
from branchwise.rules.knowledge.information import InformationState
from branchwise.web.game.hidden_record import record_of
from branchwise.web.game.offered_games import GameCatalogue
from support.lookalikes import GAMES, finished_twins, other_deal, twins
from support.page_bots import FakeBot, use_bots


class Script:
    """The moves of a game, from which outcomes are rolled, and moves of bots and of the person are taken."""

    def __init__(self, monkeypatch, game):
        self.game = game
        self.fault = None
        monkeypatch.setattr("branchwise.web.game.game_record.Dice", lambda: SimpleNamespace(roll=self._roll))
        use_bots(monkeypatch, self._bot_for)

    def begin(self, moves):
        self.left = [(move.player, move.action) for move in moves]

    def _next(self, player):
        mover, action = self.left.pop(0)
        assert mover == player
        return action

    def _roll(self, state):
        return self._next(CHANCE)

    def _bot_for(self, text):
        assert text.startswith("ismcts(")
        return FakeBot(self._choose)

    def _choose(self, bot, state, limit, moves):
        assert isinstance(state, InformationState)
        assert moves is None
        if self.fault is not None:
            raise self.fault
        bot.result = SimpleNamespace(memory_full=False)  # sending any figure of it would fail
        bot.progress(bot.result)
        return self._next(state.current_player())

    def sent_to(self, live, viewer, *, asks=()):
        """Play all moves with the person in seat `viewer`; return each message as it was sent."""
        listening = Listening(live)
        page = listening.page
        page.say("new_game", game=self.game.name, seats=[viewer], opponent={"seconds": 1})
        told = listening.settled(viewer)
        while self.left and told["player"] is not None:
            for kind in asks:
                page.ask(kind)
            page.say("play", action=self._next(viewer), ply=told["ply"])
            told = listening.settled(viewer)
        page.close()
        return listening.texts


class Listening:
    """A page that keeps what it is sent, to the letter."""

    def __init__(self, live):
        self.page = live.page()
        self.page.hear = self._hear
        self.texts = []

    def _hear(self, timeout=60.0):
        text = self.page.socket.recv(timeout)
        self.texts.append(text)
        told = json.loads(text)
        assert told["type"] != "refused", told
        return told

    def settled(self, viewer):
        """Return the last position when the person is to move, or the game is over."""
        told = self.page.until("position")
        while True:
            heard = self.page.hear()
            if heard["type"] == "position":
                told = heard
            elif heard["type"] == "thinking" and heard["who"] == "" and told["player"] in (viewer, None):
                return told


@pytest.fixture
def script(monkeypatch):
    return lambda game: Script(monkeypatch, game)


def until_all_is_shown(texts):
    return [text for text in texts if json.loads(text).get("viewer", 0) is not None]


@pytest.mark.parametrize("viewer", [0, 1])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_games_that_look_the_same_send_the_same_bytes_until_they_are_over(live, script, game, viewer):
    played = script(game)
    for pair in finished_twins(game, viewer, 4, seed=viewer):
        sent = []
        for one in pair:
            played.begin(one.moves)
            texts = played.sent_to(live, viewer)
            assert json.loads(texts[-2])["viewer"] is None
            assert json.loads(texts[-2])["text"] == str(one.state)
            sent.append(until_all_is_shown(texts))
        assert sent[0] == sent[1]
        assert len(sent[0]) > 2


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_they_send_the_same_bytes_at_every_turn_on_the_way(live, script, game):
    played = script(game)
    for one, other in twins(game, 6, seed=5):
        sent = []
        for each in (one, other):
            played.begin(each.moves)
            sent.append(played.sent_to(live, one.player))
        assert sent[0] == sent[1]
        assert one.state != other.state


def test_hearts_sends_the_same_bytes_whatever_the_others_hold(live, script):
    rng, compared = random.Random(1), 0
    one, hearts = bw.Playthrough(Hearts(), [0]), script(Hearts)  # no cards are passed
    while compared < 3:
        if one.ply in (54, 61, 70):
            other = other_deal(one, one.player)
            assert other.state != one.state
            sent = []
            for each in (one, other):
                hearts.begin(each.moves)
                sent.append(hearts.sent_to(live, one.player))
            assert sent[0] == sent[1]
            compared += 1
        one.play(rng.choice(one.state.legal_actions()))


def test_hints_of_games_that_look_the_same_are_the_same(live, script, monkeypatch):
    def think(analyst, state, line, seconds, progress, *, tell, simulations=None):
        tell("searching")
        assert isinstance(state, InformationState)
        return bw.MCTS(seed=1, compiled=False).search(state, simulations=60)

    monkeypatch.setattr("branchwise.web.search.searchers.Analyst.think", think)
    played = script(LeducPoker)
    for pair in finished_twins(LeducPoker, 0, 2, seed=7):
        sent = []
        for one in pair:
            played.begin(one.moves)
            told = [json.loads(text) for text in until_all_is_shown(played.sent_to(live, 0, asks=["hint"]))]
            found = [one for one in told if one["type"] not in ("compiling", "thinking")]
            sent.append([{**one, "seconds": 0, "rate": 0, "memory_bytes": 0} for one in found])
        assert sent[0] == sent[1]
        assert any(told["type"] == "hinted" for told in sent[0])
        assert any(told["type"] == "analysis" and told["who"] == "hint" for told in sent[0])


def test_moves_of_a_bot_that_the_person_does_not_see_are_not_counted(live, script):
    """The bot tries c1, c2, b1 and b2, all taken, before it finds a3."""
    game = load_game("phantom_tic_tac_toe")
    some, none = (bw.Playthrough(game(), moves) for moves in ("c1 a1 c2 c1 c2 a3", "c1 a1 c2 a3"))
    played, sent = script(game), []
    for one in (some, none):
        played.begin(one.moves)
        sent.append(played.sent_to(live, 0))
    assert sent[0] == sent[1]
    assert json.loads([text for text in sent[0] if '"position"' in text][-1])["ply"] == 4


# --- what the page may ask ------------------------------------------------------------------------------


@pytest.fixture
def leduc(live, script):
    """A page of Leduc poker, in which the person is to move, the bot has raised, and the game goes on."""
    whole = bw.Playthrough(LeducPoker(), "Ka Jb check raise call Qa check check").moves
    script(LeducPoker).begin(move for move in whole if move.player != 0)
    page = live.page()
    page.ask("new_game", game="leduc_poker", seats=[0])
    page.ask("play", action=1, ply=2)
    page.until(lambda told: told["type"] == "position" and told["player"] == 0)
    yield page
    page.close()


def without_games(heard):
    """Return messages as text without what they say of games, such as the names of all cards."""
    return json.dumps([{n: part for n, part in one.items() if n not in ("game", "games")} for one in heard])


def test_a_position_tells_what_the_seat_may_see(leduc):
    told = leduc.heard[-1]
    assert [move["text"] for move in told["moves"]] == ["Ka", "?", "check", "raise"]
    assert [move["action"] for move in told["moves"]] == [4, -1, 1, 2]
    assert [move["player"] for move in told["moves"]] == [-1, -1, 0, 1]
    assert [move["text"] for move in told["legal"]] == ["fold", "call", "raise"]
    assert (told["viewer"], told["player"], told["ply"], told["link"]) == (0, 0, 4, "game=leduc_poker")
    assert "Jb" not in without_games(leduc.heard)
    assert "player 1     ?     3" in told["text"]
    assert told["seen"].endswith("bets[1]=3 stakes=3 raises=1 calls=0 mover=0")


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        ("undo", {}, "no move of leduc_poker can be taken back"),
        ("redo", {}, "no move of leduc_poker can be taken back"),
        ("go_to", {"ply": 1}, "no move of leduc_poker can be taken back"),
        ("take_up", {"variation": 0}, "there is no variation"),
        ("ask_board", {"line": []}, "its lines have no fixed boards"),
        ("ask_board", {"line": [1], "ply": 0}, "its lines have no fixed boards"),
        ("ask_node", {"path": []}, "there is no tree to show"),
        ("begin_steps", {}, "its lines have no fixed boards"),
        ("set_players", {"seats": [1]}, "another seat sees other things"),
        ("set_players", {"seats": []}, "exactly one person plays"),
        ("set_players", {"seats": [0, 1]}, "exactly one person plays"),
        ("set_players", {"types_dice": True}, "nobody can type it in"),
        ("new_game", {"game": "leduc_poker", "moves": [4, 1]}, "which the moves of a position would tell"),
        ("new_game", {"game": "leduc_poker", "seats": [0, 1]}, "exactly one person plays"),
        ("new_game", {"game": "leduc_poker", "types_dice": True}, "nobody can type it in"),
        ("play", {"action": 7, "ply": 4}, "action 7 is not legal here"),
        ("play", {"action": "bet", "ply": 4}, "action bet is not legal here"),
        ("play", {"action": 1, "ply": 3}, "4 have been made"),
    ],
)
def test_what_would_show_more_is_refused_in_one_sentence(leduc, kind, fields, words):
    before = next(told for told in reversed(leduc.heard) if told["type"] == "position")
    refused = leduc.refusal(kind, **fields)
    assert words in refused["message"]
    assert "\n" not in refused["message"]
    assert "Jb" not in json.dumps(refused)
    after = leduc.ask("set_players", seats=[0])
    assert {**after, "id": None} == {**before, "id": None}


def test_nobody_asks_about_a_position_in_which_a_bot_is_to_move(live, script):
    """A search there would be of what the bot knows."""
    played = script(LeducPoker)
    played.begin(bw.Playthrough(LeducPoker(), "Ka Jb").moves)
    played.fault = GameError("the bot holds Ka", after="Ka Jb")
    page = live.page()
    page.ask("new_game", game="leduc_poker", seats=[1])
    failed = page.until("refused")
    assert failed["message"] == "this failed, in a bot or in the rules of the game: GameError"
    assert "Ka" not in failed["message"] + failed["mend"]
    assert "it is not your turn" in page.refusal("hint")["message"]
    assert "it is not your turn" in page.refusal("play", action=1, ply=2)["message"]
    assert page.ask("analyse", on=True)["who"] == ""
    assert not [told for told in page.quiet() if told["type"] == "analysis"]
    assert "Ka" not in without_games(page.heard)
    page.close()


@pytest.mark.parametrize("action", ["fold", "0", 0])
def test_a_move_is_played_by_its_name_or_number(leduc, action):
    assert leduc.ask("play", action=action, ply=4)["returns"] == [-1, 1]


def test_a_person_who_comes_back_is_sent_the_same_view(live, leduc):
    before = next(told for told in reversed(leduc.heard) if told["type"] == "position")
    leduc.close()
    again = live.page(leduc.welcome["session"])
    assert {**again.until("position"), "id": None} == {**before, "id": None}
    again.close()


def test_when_the_game_is_over_all_is_shown_and_nothing_is_played_any_more(leduc):
    told = leduc.ask("play", action=1, ply=4)
    while told["player"] is not None:
        if told["player"] == 0:
            told = leduc.ask("play", action=1, ply=told["ply"])
        else:
            told = leduc.until("position")
    assert [move["text"] for move in told["moves"]] == [
        "Ka",
        "Jb",
        "check",
        "raise",
        "call",
        "Qa",
        *["check"] * 2,
    ]
    assert (told["viewer"], told["seen"], told["ply"], told["returns"]) == (None, "", 8, [3, -3])
    assert "player 1    Jb     3" in told["text"]
    back = leduc.ask("go_to", ply=4)
    assert (back["viewer"], back["player"], back["link"]) == (None, 0, "game=leduc_poker")
    assert "player 1    Jb     3" in back["text"]
    for kind, fields in (("play", {"action": 1, "ply": 4}), ("bot_move", {})):
        assert "this game is over" in leduc.refusal(kind, **fields)["message"]
    assert leduc.ask("undo")["ply"] == 2
    assert leduc.ask("redo")["ply"] == 4
    assert leduc.ask("new_game", game="phantom_tic_tac_toe", seats=[0])["viewer"] == 0


def test_a_game_is_played_to_the_end_against_the_bot_that_does_not_cheat(live):
    page = live.page()
    told = page.ask("new_game", game="kuhn_poker", seats=[1], opponent={"simulations": 30})
    assert told["opponent"]["simulations"] == 30
    asked = 0
    while told["player"] is not None:
        if told["player"] == 1:
            hint = page.ask("hint")
            found = next(one for one in reversed(page.heard) if one["type"] == "analysis")
            assert hint["action"] in [move["action"] for move in told["legal"]]
            assert (hint["ply"], found["ply"], found["who"], found["player"]) == (
                told["ply"],
                told["ply"],
                "hint",
                1,
            )
            assert {tuple(child["line"][:1]) for child in found["children"]} == {(0,), (1,)}
            told = page.ask("play", action=hint["action"], ply=told["ply"])
            asked += 1
        else:
            told = page.until("position")
    assert asked
    assert not [one for one in page.heard if one["type"] == "analysis" and one["who"] == "bot"]
    assert {move["text"] for move in told["moves"][:2]} <= {"J", "Q", "K"}
    assert [value["ply"] for value in told["values"]] == [
        ply for ply, move in enumerate(told["moves"]) if move["player"] == 1
    ]
    with contextlib.suppress(TimeoutError):
        page.hear(0.1)
    page.close()


def test_the_values_of_searches_stay_with_their_moves_when_moves_are_counted_anew():
    game = GameCatalogue.of([], variants=1).find("phantom_tic_tac_toe")
    record = record_of(game, [], [0])
    for action in (0, 0, 1, 2):  # player 1 tries a3, which is taken, and plays b3
        record.play(action)
    assert (record.ply, len(record.actions)) == (3, 4)
    record.values = {0: [0.0, 0.0], 2: [0.5, -0.5]}
    for action in (3, 5, 6, 8):
        record.play(action)
    assert record.is_over
    assert record.values == {0: [0.0, 0.0], 3: [0.5, -0.5]}
