"""Bots that the server was started with: programs and others, chosen on the page by their names alone."""

from pathlib import Path

import pytest

import branchwise as bw
from branchwise.bots.base.bot import Bot
from branchwise.games import load_game
from branchwise.web.app.app import ServerSettings, make_app
from branchwise.web.game.offered_games import GameCatalogue
from branchwise.web.game.opponents import NamedBots
from branchwise.web.protocol.messages import Opponent
from branchwise.web.search.searchers import checked_opponent
from support.engine_talk import faulty, first_cell, first_point, is_gone, process_ids, told

TIC_TAC_TOE = "tic_tac_toe"


class Noted(Bot):
    """Takes the last legal action, notes what it is given, and fails in the way that its options name."""

    name = "noted"
    limits: list[object] = []
    closed: list[object] = []

    def __init__(self, *, fault: str = "") -> None:
        self._fault = fault

    def choose(self, state, limit, moves):
        self.limits.append(limit)
        if self._fault == "resigns":
            raise bw.ResignedError("I hold the queen of spades")
        return 99 if self._fault == "plays what is illegal" else state.legal_actions()[-1]

    def close(self):
        self.closed.append(self)


@pytest.fixture(autouse=True)
def noted(monkeypatch):
    from branchwise.bots import BOTS

    monkeypatch.setitem(BOTS.registered, "noted", Noted)
    Noted.limits.clear()
    Noted.closed.clear()


@pytest.fixture
def start(limited):
    """Start a server with games and opponents, and return a page of it."""

    def start(games, *opponents):
        server = limited(*games, opponents=[str(bot) for bot in opponents])
        page = server.page()
        page.live = server
        return page

    return start


def new_game(page, game=TIC_TAC_TOE, **fields):
    told = page.ask("new_game", game=game, **fields)
    assert told["type"] == "position", told
    return told


def play(page, move, ply):
    """Play a person's move and return the texts of all moves once the bot has moved."""
    told = page.ask("play", action=move, ply=ply)
    assert told["type"] == "position", told
    told = page.until(lambda told: told["type"] == "position" and told["ply"] == ply + 2)
    return [move["text"] for move in told["moves"]]


def fault_of(page):
    """Return the refusal that the page gets when its bot fails."""
    refused = page.until("refused")
    assert refused["about"] == "bot_move"
    return refused


# --- playing --------------------------------------------------------------------------------------------


def test_a_program_that_speaks_gtp_plays_on_the_page(start, tmp_path):
    log = tmp_path / "log"
    page = start([TIC_TAC_TOE], first_point("", log))
    told = new_game(page)
    assert told["opponent"] == {
        "level": None,
        "seconds": None,
        "simulations": None,
        "tuned": False,
        "bot": "gtp_program.py",
    }
    assert play(page, "b2", 0) == ["b2", "a1"]
    assert play(page, "c3", 2) == ["b2", "a1", "c3", "b1"]
    told = page.ask("undo")
    assert told["ply"] == 2
    assert play(page, "c1", 2) == ["b2", "a1", "c1", "b1"]  # it has been told of another game
    lines = [line.partition(" ")[2] for line in log.read_text().splitlines()]
    assert lines[3:7] == ["boardsize 3", "clear_board", "play b B2", "genmove w"]
    assert lines.count("clear_board") == 2
    assert not any(line.startswith("time") for line in lines)  # no limit of ours


@pytest.mark.parametrize("make", [first_cell, lambda: faulty("")])
def test_programs_that_speak_uci_and_ugi_play_too(start, make):
    bot = make()
    page = start([TIC_TAC_TOE if bot.name == "uci" else "nim"], bot)
    if bot.name == "uci":
        new_game(page)
        assert play(page, "b2", 0) == ["b2", "a3"]
    else:
        new_game(page, "nim")
        assert play(page, "3", 0) == ["3", "1"]


def test_a_bot_has_only_limits_of_its_own_and_is_closed_when_another_takes_its_place(start):
    page = start([TIC_TAC_TOE], "noted", "random")
    new_game(page)
    assert play(page, "a1", 0) == ["a1", "c1"]
    assert Noted.limits == [None]
    assert Noted.closed == []
    page.ask("set_players", opponent={"bot": "random"})
    page.live.until(lambda: len(Noted.closed) == 1)
    assert len(play(page, "b2", 2)) == 4


def test_bots_are_offered_for_the_games_named_and_their_variants(start):
    page = start(["nim(max_take=4)"], "noted", "minimax(depth=3)", first_point())
    games = {game["name"]: game for game in page.live.http.get("/api/games").json()}
    names = ["noted", "minimax(depth=3)"]  # GTP is for boards
    assert [bot["name"] for bot in games["nim(max_take=4)"]["bots"]][:2] == names
    assert [bot["name"] for bot in games["nim"]["bots"]][:2] == names
    assert [bot["name"] for bot in new_game(page, "nim(max_take=5)")["game"]["bots"]][:2] == names
    assert games["connect_four"]["bots"] == []
    told = new_game(page, "connect_four")
    assert told["opponent"]["bot"] is None
    refused = page.refusal("set_players", opponent={"bot": "noted"})
    assert "this server was started without bots for connect_four" in refused["message"]


def test_without_a_game_bots_are_offered_for_all_that_they_play():
    catalogue = GameCatalogue.of([], 4, ["minimax(depth=3)", "pimc"])
    bots = {game.name: [bot.name for bot in game.bots] for game in catalogue.games}
    assert bots["nim"] == ["minimax(depth=3)"]
    assert bots["leduc_poker"] == ["pimc"]
    assert bots["rock_paper_scissors"] == []


def test_bots_with_the_same_name_are_numbered_and_folders_are_not_shown(tmp_path):
    file = tmp_path / "my_bot.py"
    file.write_text(
        "import branchwise as bw\nclass Mine(bw.Bot):\n  def choose(self, state):\n    return 0\n"
    )
    texts = [repr(first_point()), repr(first_point("resigns")), f"{file}:Mine", repr(first_point())]
    bots = NamedBots.of(texts, [load_game(TIC_TAC_TOE)]).of_game(load_game(TIC_TAC_TOE))
    assert [bot.name for bot in bots] == ["gtp_program.py", "gtp_program.py 2", "my_bot.py:Mine"]
    assert not any(str(tmp_path) in bot.about or "/bin/" in bot.about for bot in bots)
    assert "gtp_program.py resigns" in bots[1].about


# --- what a browser cannot do -----------------------------------------------------------------------------


def test_a_browser_cannot_start_a_program(start, tmp_path):
    made = tmp_path / "made"
    bot = f"gtp(command='touch {made}')"
    texts = [bot, f"uci(command='touch {made}')", f"engine(command='touch {made}')", "my_bot.py:MyBot"]
    file = tmp_path / "levels.json"
    texts += [f"level(level=1,file='{file}')", "mcts", "random", "human", "noted(fault='resigns')"]
    page = start([TIC_TAC_TOE], "noted")
    for text in texts:
        refused = page.refusal("new_game", game=TIC_TAC_TOE, opponent={"bot": text})
        assert "no bot of this server" in refused["message"]
        page.refusal("new_game", game=text)
    new_game(page)
    for text in texts:
        page.refusal("set_players", opponent={"bot": text})
        page.refusal("set_players", opponent={"bot": text, "seconds": 1})
        page.refusal("set_players", opponent={"command": text})
        page.refusal("analyse", on=True, settings={"selection": text})
        page.refusal("begin_steps", settings={"playout": text})
        page.refusal("play", action=text, ply=0)
        asked = {"simulations": 5, "settings": {"selection": text}}
        assert page.live.http.post(f"/api/games/{TIC_TAC_TOE}/search", json=asked).status_code >= 400
        assert page.live.http.get(f"/api/games/{text}").status_code >= 400
    assert not made.exists()
    assert new_game(page, opponent={"bot": "noted"})["opponent"]["bot"] == "noted"  # but its own name works


def test_an_opponent_has_one_strength():
    (game,) = [game for game in GameCatalogue.of([TIC_TAC_TOE], 4, ["noted"]).games if game.bots]
    assert checked_opponent(game, None, 1.0) == Opponent(bot="noted")
    for given in (Opponent(bot="noted", seconds=1), Opponent(bot="noted", level=2)):
        with pytest.raises(bw.SettingsError, match="an opponent has only one strength"):
            checked_opponent(game, given, 1.0)
    with pytest.raises(bw.SettingsError, match="the bots of a server have settings of their own"):
        checked_opponent(game, Opponent(bot="noted", tuned=True), 1.0)


# --- faults -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("plays what is illegal", 'answered "Z25", which is not a legal move'),
        ("dies in the game", "ended by itself, with exit status 1"),
        ("dies at the start", "ended by itself, with exit status 1"),
        ("is killed", "was ended by signal 11"),
    ],
)
def test_a_fault_of_a_program_is_told_and_the_game_goes_on(start, fault, message):
    page = start([TIC_TAC_TOE], first_point(fault), "random")
    new_game(page)
    page.ask("play", action="b2", ply=0)
    refused = fault_of(page)
    assert message in refused["message"]
    assert "gtp_program.py" in refused["message"]
    assert str(Path(__file__).parent) not in refused["message"]
    page.say("bot_move")
    assert message in fault_of(page)["message"]  # it was started again, and fails again
    page.ask("set_players", opponent={"bot": "random"})
    told = page.until(lambda told: told["type"] == "position" and told["ply"] == 2)
    assert told["moves"][0]["text"] == "b2"


def test_a_program_that_resigns_says_so(start):
    page = start([TIC_TAC_TOE], first_point("resigns"))
    new_game(page)
    page.ask("play", action="b2", ply=0)
    assert fault_of(page)["message"] == "the bot resigns"
    assert page.ask("undo")["ply"] == 0


def test_a_resignation_tells_nothing_that_is_hidden(start):
    page = start(["kuhn_poker"], "noted(fault='resigns')")
    new_game(page, "kuhn_poker", seats=[1])
    refused = fault_of(page)
    assert refused["message"] == "the bot resigns"
    assert "queen" not in str(refused)


def test_an_illegal_move_of_any_bot_is_told(start):
    page = start([TIC_TAC_TOE], "noted(fault='plays what is illegal')")
    new_game(page)
    page.ask("play", action="b2", ply=0)
    assert fault_of(page)["message"].startswith("the move of the bot is not legal: action 99 is not legal")


# --- the end of programs ----------------------------------------------------------------------------------


def test_a_program_that_hangs_is_ended_by_a_new_game_which_goes_on_at_once(start, tmp_path):
    log = tmp_path / "log"
    page = start(["nim"], faulty("hangs", log), "random")
    new_game(page, "nim")
    page.ask("play", action="3", ply=0)
    page.live.until(lambda: log.exists() and any(line.startswith("go") for line in told(log)))
    new_game(page, "nim", opponent={"bot": "random"})
    assert is_gone(process_ids(log)[0])
    assert len(play(page, "3", 0)) == 2


def test_another_opponent_takes_the_place_of_a_program_that_hangs(start, tmp_path):
    log = tmp_path / "log"
    page = start(["nim"], faulty("hangs", log), "random")
    new_game(page, "nim")
    page.ask("play", action="3", ply=0)
    page.live.until(lambda: log.exists() and any(line.startswith("go") for line in told(log)))
    page.ask("set_players", opponent={"bot": "random"})
    page.until(lambda told: told["type"] == "position" and told["ply"] == 2)
    assert is_gone(process_ids(log)[0])


def test_each_page_has_a_program_of_its_own_which_ends_with_the_session(start, tmp_path):
    log = tmp_path / "log"
    page = start(["nim"], faulty("", log))
    new_game(page, "nim")
    assert len(play(page, "3", 0)) == 2
    (first,) = process_ids(log)
    other = page.live.page()
    new_game(other, "nim")
    assert len(play(other, "3", 0)) == 2
    (second,) = process_ids(log)
    assert first != second
    assert not is_gone(first, seconds=0.1)
    (session,) = [s for s in page.live.sessions._sessions.values() if s.token == page.welcome["session"]]
    page.live.running.app.state.sessions._close(session)
    assert is_gone(first)
    assert not is_gone(second, seconds=0.1)


# --- what is refused at the start -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("games", "bot", "message"),
    [
        (["go"], "gtp(command='no_such_program')", "there is no program no_such_program"),
        ([], "gtp(command='cat --mode gtp')", "which game does cat play"),
        ([TIC_TAC_TOE], "uci(command='cat')", "a program that speaks UCI plays chess, not tic_tac_toe"),
        ([TIC_TAC_TOE], "pimc", "tic_tac_toe"),
        ([TIC_TAC_TOE], "human", "people need no --opponent"),
        ([TIC_TAC_TOE], "minimx", 'no bot "minimx"; did you mean "minimax"'),
        ([TIC_TAC_TOE], "mcts(second=1)", 'did you mean "seconds"'),
        (["nim(max_take=5)"], "tuned", "has not been tuned"),
    ],
)
def test_bots_that_cannot_play_are_refused_when_the_server_starts(games, bot, message):
    with pytest.raises(bw.BranchwiseError, match=message.replace("(", r"\(")):
        make_app(ServerSettings(games=games, opponents=[bot]))
