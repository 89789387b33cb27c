"""Settings that were found for a game by playing, in the searches of a page and in its bot."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.hex import Hex
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.nim import Nim
from branchwise.games.rock_paper_scissors import RockPaperScissors
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.web.game.offered_games import OfferedGame
from branchwise.web.protocol.messages import Opponent, SearchSettings
from branchwise.web.search.searchers import bot_text, checked_opponent, planner_settings
from support.tuned import tuned_settings

FOUND = tuned_settings(Nim, "nim", found={"selection": "puct", "c": 0.2, "reuse": False})
LUCKY = tuned_settings(TicTacToe, "tic_tac_toe", found=FOUND.found, confirmed=False, low=-1.0)
OFFERED = OfferedGame("nim", Nim)


@pytest.fixture(autouse=True, scope="module")
def files(tmp_path_factory):
    """Nim has settings; those found for tic-tac-toe were not better than the defaults."""
    folder = tmp_path_factory.mktemp("tuned")
    (folder / "nim.json").write_text(FOUND.to_json())
    (folder / "tic_tac_toe.json").write_text(LUCKY.to_json())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRANCHWISE_TUNED", str(folder))
        yield folder


def new_game(page, game="nim", **fields):
    return page.ask("new_game", game=game, **{"seats": [0, 1], **fields})


def rule(page, **settings):
    """Return the rule and the weight of a search of the page with these settings."""
    begun = page.ask("begin_steps", settings=settings)
    assert begun["type"] == "steps_begun", begun
    return begun["rule"], begun["c"]


# --- in the list of games -----------------------------------------------------------------------------


def test_games_tell_the_settings_of_a_search_that_were_found_for_them(live, files):
    games = {game["name"]: game for game in live.http.get("/api/games").json()}
    assert games["nim"]["tuned"] == {"selection": "puct", "c": 0.2}  # reuse is no setting of a search
    assert games["tic_tac_toe"]["tuned"] == {}
    assert all(not game["tuned"] for game in games.values() if game["hides"])


def test_a_variant_has_no_settings_of_its_game(page):
    assert new_game(page, "nim(max_take=4)")["game"]["tuned"] == {}
    assert new_game(page)["game"]["tuned"] == {"selection": "puct", "c": 0.2}


def test_settings_of_other_rules_are_not_offered(files):
    kept = (files / "nim.json").read_text()
    (files / "nim.json").write_text(replace(FOUND, rules="0" * 16).to_json())
    try:
        assert OfferedGame("nim", Nim).tuned == OfferedGame("nim", Nim).info.tuned == {}
    finally:
        (files / "nim.json").write_text(kept)


def test_what_came_with_a_game_whose_rules_have_changed_is_refused_when_it_is_used(monkeypatch):
    """The list of games shows it all the same."""
    monkeypatch.setattr("branchwise.rules.measured_files.places.rules_digest", lambda _: "other rules")
    levelled, tuned = OfferedGame("connect_four", ConnectFour), OfferedGame("hex", Hex)
    assert levelled.info.has_levels
    assert tuned.info.tuned["selection"] == "grave"
    assert not levelled.has_levels
    assert tuned.tuned == {}
    assert checked_opponent(levelled, None, 1.0) == Opponent(seconds=1.0)
    with pytest.raises(bw.SettingsError, match="the rules of connect_four have changed"):
        bw.load_ladder("connect_four")
    with pytest.raises(bw.SettingsError, match="the rules of hex have changed"):
        bw.load_tuned("hex")


# --- searches -----------------------------------------------------------------------------------------


def test_a_search_with_them_is_the_search_of_mcts_for_game(live):
    body = {"moves": ["3"], "simulations": 300, "settings": {"tuned": True, "seed": 5}}
    answer = live.http.post("/api/games/nim/search", json=body).json()
    state = Nim.from_actions("3")
    expected = bw.MCTS.for_game("nim", seed=5).search(state, simulations=300)
    plain = bw.MCTS(seed=5).search(state, simulations=300)

    def table(result):
        return sorted((child.action, child.visits) for child in result.children)

    found = sorted((child["action"], child["visits"]) for child in answer["children"])
    assert found == table(expected)
    assert found != table(plain)


def test_settings_that_are_given_take_precedence(page):
    new_game(page)
    assert rule(page, tuned=True) == ("puct", 0.2)
    assert rule(page, tuned=True, c=0.7) == ("puct", 0.7)
    assert rule(page, tuned=True, selection="ucb1") == rule(page, selection="ucb1")  # its c is not puct's
    assert rule(page, tuned=True, selection="puct") == ("puct", 0.2)
    assert rule(page, tuned=False) == rule(page)


def test_a_game_without_them_is_refused_with_the_words_of_for_game(page, live):
    with pytest.raises(bw.SettingsError) as error:
        bw.MCTS.for_game("connect_four(rows=5)")
    new_game(page, "connect_four(rows=5)")
    asked = {"settings": {"tuned": True}}
    refused = page.refusal("analyse", on=True, **asked)
    assert (refused["message"], refused["mend"]) == (error.value.problem, error.value.mend)
    assert page.refusal("begin_steps", **asked)["message"] == error.value.problem
    by_http = live.http.post("/api/games/connect_four(rows=5)/search", json=asked)
    assert by_http.status_code == 400
    assert by_http.json()["error"] == error.value.problem
    opponent = {"seconds": 1, "tuned": True}
    assert page.refusal("set_players", opponent=opponent)["message"] == error.value.problem


def test_settings_found_without_being_better_are_the_defaults():
    assert planner_settings(SearchSettings(tuned=True, c=0.4), TicTacToe) == {"c": 0.4}


def test_a_new_game_without_them_goes_on_with_the_other_settings(page, live):
    new_game(page)
    page.ask("analyse", on=False, settings={"tuned": True, "playout": "mast"})
    (session,) = [s for s in live.sessions._sessions.values() if s.token == page.welcome["session"]]
    assert session._analyst.settings == {"selection": "puct", "c": 0.2, "playout": "mast"}
    new_game(page, "tic_tac_toe")
    assert session._analyst.settings == {"playout": "mast"}
    new_game(page)
    assert session._analyst.settings == {"playout": "mast"}  # it was dropped


def test_where_all_move_at_once_they_replace_the_method_of_the_page(monkeypatch):
    found = SimpleNamespace(overridden=lambda given, planner: {"c": 0.3, **given})
    monkeypatch.setattr("branchwise.search.settings.tuned.load_tuned", lambda rules: found)
    settings = planner_settings(SearchSettings(tuned=True), RockPaperScissors)
    assert settings == {"joint": "decoupled_uct", "c": 0.3}
    given = SearchSettings(tuned=True, joint="exp3")
    assert planner_settings(given, RockPaperScissors) == {"joint": "exp3", "c": 0.3}


# --- the bot ------------------------------------------------------------------------------------------


def test_the_bot_plays_with_them(page, live):
    told = new_game(page, seats=[1], opponent={"simulations": 60, "tuned": True})
    assert told["opponent"]["tuned"] is True
    told = page.until(lambda told: told["type"] == "position" and told["ply"] == 1)
    (session,) = [s for s in live.sessions._sessions.values() if s.token == page.welcome["session"]]
    bot = session._player._bot
    assert bot.name == "tuned"
    inner = bot._player.options()
    assert (inner["selection"], inner["c"], inner["reuse"]) == ("puct", 0.2, False)
    assert bot._player._planner.settings.memory_mb == session._player._tree_mb  # of the server's memory


def test_an_opponent_is_tuned_with_a_limit_but_not_with_a_level():
    assert checked_opponent(OFFERED, Opponent(tuned=True), 0.5) == Opponent(seconds=0.5, tuned=True)
    assert bot_text(OFFERED, Opponent(seconds=2.0, tuned=True)) == "tuned(seconds=2.0)"
    assert bot_text(OFFERED, Opponent(simulations=9)) == "mcts(simulations=9)"
    with pytest.raises(bw.SettingsError, match="levels of a game have settings of their own"):
        checked_opponent(OFFERED, Opponent(level=3, tuned=True), 1.0)


def test_with_hidden_information_no_opponent_is_tuned():
    with pytest.raises(bw.SettingsError, match="leduc_poker has not been tuned"):
        checked_opponent(OfferedGame("leduc_poker", LeducPoker), Opponent(seconds=1, tuned=True), 1.0)
