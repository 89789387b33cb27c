"""Games of users' own: files, several players, chance, and rules with faults."""

import json
from pathlib import Path

import pytest

from branchwise.common.errors import BranchwiseError, GameError, UnknownNameError
from branchwise.games.nim import Nim
from branchwise.rules.facts.options import game_options
from branchwise.web.game.game_record import LiveRecord
from branchwise.web.game.offered_games import GameCatalogue
from branchwise.web.protocol.messages import Opponent
from branchwise.web.search.searchers import is_mirrored
from support.rules import Prisoners

RULES = Path(__file__).parents[1] / "support/rules.py"
RACE, PRISONERS = f"{RULES}:Race", f"{RULES}:Prisoners"

HEAD = """
import numpy as np
import branchwise as bw
"""

DICE = (
    HEAD
    + '''
class Dice(bw.Game):
    """A die is thrown after each move."""
    num_players = 2
    num_actions = 2
    num_outcomes = 6
    total: np.int16 = 0
    moves: np.int8 = 0
    thrown: bool = True

    def current_player(self):
        return self.moves % 2 if self.thrown else bw.CHANCE

    def legal_actions(self):
        yield 0
        yield 1

    def chance_outcomes(self):
        for side in range(6):
            yield side, 1 / 6

    def apply_action(self, action):
        if self.thrown:
            self.moves += 1
        else:
            self.total += action
        self.thrown = not self.thrown

    def is_terminal(self):
        return self.moves == 4 and self.thrown

    def returns(self):
        return (1.0, -1.0) if self.total % 2 else (-1.0, 1.0)
'''
)

FAULTY = (
    HEAD
    + '''
class Faulty(bw.Game):
    """Raises when it is played on the third field."""
    num_players = 2
    num_actions = 9
    moves: np.int8 = 0

    def current_player(self):
        return self.moves % 2

    def legal_actions(self):
        for action in range(9):
            yield action

    def apply_action(self, action):
        if action == 2:
            raise RuntimeError("nobody plays here")
        self.moves += 1

    def is_terminal(self):
        return self.moves == 3

    def returns(self):
        return (float("nan"), 0.0)

    def to_svg(self):
        return None
'''
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules_of_users")
    found = {}
    for name, text in (("dice", DICE), ("faulty", FAULTY)):
        found[name] = folder / f"{name}_of_a_user.py"
        found[name].write_text(text)
    return found


@pytest.fixture
def theirs(limited, files):
    return limited(RACE, *map(str, files.values()))


def test_files_are_offered_by_a_name_and_their_place_is_not_told(theirs, files):
    page = theirs.page()
    games = page.welcome["games"]
    assert [game["name"] for game in games[:3]] == ["race", "dice", "faulty"]
    assert games[0]["about"].startswith("Three players")
    assert page.welcome["first"] == "race"
    folder = str(files["dice"].parent)
    assert folder not in str(games)
    for text in (str(files["dice"]), f"{files['dice']}:Dice", "dice_of_a_user:Dice", RACE):
        page.refusal("new_game", game=text)
    refused = page.refusal("new_game", game="dice", opponent={"level": 3})
    assert folder not in str(refused)
    page.heard.clear()  # what was refused names what was asked for
    page.ask("new_game", game="dice", seats=[0, 1])
    page.quiet(0.2)
    assert folder not in str(page.heard)


def test_a_game_of_three_is_played_and_analysed(theirs):
    page = theirs.page()
    told = page.ask("new_game", game="race", seats=[1], opponent={"simulations": 200})
    assert told["text"]
    told = page.until(lambda told: told["type"] == "position" and told["ply"] == 1)
    while told["player"] is not None:
        if told["player"] == 1:
            told = page.ask("play", action=1, ply=told["ply"])
        else:
            told = page.until("position")
    assert sorted(told["returns"]) == [-1, -1, 1]
    assert all(len(entry["values"]) == 3 for entry in told["values"])
    page.ask("new_game", game="race", seats=[0, 1, 2])
    page.say("analyse", on=True)
    assert page.until("analysis")["player"] == 0


@pytest.mark.parametrize(("game", "players"), [("race", 3), ("prisoners", 2), ("nim", 2)])
def test_values_of_players_are_reported_and_those_of_moves_are_the_same_in_the_tree(limited, game, players):
    live = limited(RACE, PRISONERS)
    page = live.page()
    page.ask("new_game", game=game, moves=[1], seats=list(range(players)))
    page.say("analyse", on=True, simulations=300)
    found = page.until(lambda told: told["type"] == "analysis" and told["ended_by"])
    assert len(found["values"]) == players
    assert found["values"][found["player"]] == found["value"]
    tree = page.ask("watch_tree", branches=[{"path": [], "top": 5}])
    if game == "nim":
        assert sum(found["values"]) == 0
    root, *below = tree["nodes"]
    assert root["value"] == found["value"]
    assert [node["value"] for node in below] == [child["value"] for child in found["children"][:5]]


def test_no_game_is_played_to_find_out_what_its_class_says(monkeypatch):
    def play(rules, seed):
        raise AssertionError("a random game was played")

    monkeypatch.setattr("branchwise.web.search.searchers._sums_up", play)
    said = {word: type("Said", (Prisoners,), {"utility": word}) for word in ("constant_sum", "general_sum")}
    assert is_mirrored(Nim)
    assert is_mirrored(said["constant_sum"])
    assert not is_mirrored(said["general_sum"])
    with pytest.raises(AssertionError):
        is_mirrored(type("Unsaid", (Prisoners,), {}))


def test_chance_moves_by_itself_and_undo_and_redo_pass_over_it(theirs):
    page = theirs.page()
    page.ask("new_game", game="dice", seats=[0, 1])
    told = page.ask("play", action=0, ply=0)
    assert [move["player"] for move in told["moves"]] == [0, -1]
    assert told["player"] == 1
    assert page.ask("undo")["ply"] == 0
    again = page.ask("redo")
    assert again["moves"] == told["moves"]
    page.ask("set_players", seats=[])
    assert page.ask("go_to", ply=2)["player"] == 1
    assert page.ask("undo")["ply"] == 0
    assert page.ask("redo")["ply"] == 2
    page.ask("set_players", seats=[0, 1])
    for _ in range(3):
        told = page.ask("play", action=0, ply=page.ask("go_to", ply=len(again["moves"]))["ply"])
        again = told
    assert told["returns"] in ([1, -1], [-1, 1])


def test_bot_hint_and_analysis_play_a_game_of_chance(theirs):
    page = theirs.page()
    page.ask("new_game", game="dice", seats=[0], opponent={"simulations": 100})
    told = page.ask("play", action=0, ply=0)
    assert [move["player"] for move in told["moves"]] == [0, -1]
    told = page.until(lambda told: told["type"] == "position" and told["player"] == 0)
    assert [move["player"] for move in told["moves"]] == [0, -1, 1, -1]
    assert page.ask("hint")["action"] in (0, 1)
    page.say("analyse", on=True)
    assert page.until("analysis")["player"] == 0


def test_where_chance_is_to_move_a_search_is_refused_and_the_analysis_waits(theirs):
    page = theirs.page()
    page.ask("new_game", game="dice", seats=[0, 1])
    page.ask("play", action=0, ply=0)
    assert page.ask("go_to", ply=1)["player"] == -1
    for request in ("hint", "bot_move"):
        assert "chance is to move" in page.refusal(request)["message"]
    assert "chance is to move" in page.refusal("begin_steps")["message"]
    assert page.ask("analyse", on=True)["who"] == ""
    page.say("redo")
    assert page.until("analysis")["player"] == 1
    told = page.ask("go_to", ply=1)
    told = page.ask("play", action=told["legal"][2]["action"], ply=1)
    assert told["ply"] == 2


def test_people_play_the_outcomes_of_their_own_dice(theirs):
    page = theirs.page()
    told = page.ask("new_game", game="dice", seats=[0], opponent={"simulations": 50}, types_dice=True)
    assert (told["types_dice"], told["game"]["has_chance"]) == (True, True)
    told = page.ask("play", action=0, ply=0)
    assert (told["player"], told["ply"]) == (-1, 1)
    assert "action 99 is not legal here" in page.refusal("play", action=99, ply=1)["message"]
    told = page.ask("play", action=told["legal"][3]["action"], ply=1)
    told = page.until(lambda told: told["type"] == "position" and told["ply"] == 3)
    assert told["player"] == -1
    told = page.ask("undo")
    assert (told["ply"], told["player"]) == (1, -1)
    assert page.ask("undo")["ply"] == 0
    told = page.ask("play", action=0, ply=0)
    assert (told["ply"], told["player"]) == (1, -1)
    told = page.ask("set_players", types_dice=False)
    assert told["types_dice"] is False


def test_dice_that_are_due_are_rolled_when_people_stop_to_roll_them(theirs):
    page = theirs.page()
    page.ask("new_game", game="dice", seats=[0, 1], types_dice=True)
    assert page.ask("play", action=0, ply=0)["player"] == -1
    told = page.ask("set_players", types_dice=False)
    assert [move["player"] for move in told["moves"]] == [0, -1]
    assert (told["ply"], told["player"]) == (2, 1)
    assert page.ask("set_players", types_dice=True)["ply"] == 2
    told = page.ask("play", action=0, ply=2)
    assert (told["ply"], told["player"]) == (3, -1)


def test_steps_of_a_game_of_chance_tell_of_draws(theirs):
    page = theirs.page()
    page.ask("new_game", game="dice", seats=[0, 1])
    page.ask("begin_steps", settings={"seed": 1})
    made = page.ask("make_steps", count=20)
    choices = [choice for told in made["simulations"] for choice in told["selection"]["choices"]]
    draws = [choice for choice in choices if choice["player"] == -1]
    assert draws
    for draw in draws:
        assert (draw["because"], draw["credited"]) == ("chance", 0)
        assert sum(outcome["probability"] for outcome in draw["siblings"]) == pytest.approx(1)
    below = [node for node in made["nodes"] if len(node["path"]) == 2]
    assert {node["mover"] for node in below} == {0}


def test_outcomes_in_the_tree_have_probabilities(theirs):
    page = theirs.page()
    page.ask("new_game", game="dice", seats=[0], opponent={"simulations": 100})
    page.ask("hint")
    terms = page.ask("ask_node", path=[0])["terms"]
    assert sum(term["probability"] for term in terms) == pytest.approx(1)
    assert {term["score"] for term in terms} == {None}
    assert {term["probability"] for term in page.ask("ask_node", path=[])["terms"]} == {None}


def test_values_of_both_players_are_mirrored_in_a_game_of_chance(files):
    from branchwise.games import load_game

    assert is_mirrored(load_game(str(files["dice"])))


def test_rules_that_raise_are_reported_and_the_game_stays(theirs):
    page = theirs.page()
    assert page.ask("new_game", game="faulty", seats=[0, 1])["svg"] is None
    refused = page.refusal("play", action=2, ply=0)
    assert "nobody plays here" in refused["message"]
    assert page.ask("play", action=0, ply=0)["ply"] == 1
    page.ask("play", action=0, ply=1)
    assert "returns" in page.refusal("play", action=0, ply=2)["message"]
    page.say("go_to", ply=1)
    page.say("bot_move")
    assert page.until(lambda told: told["type"] == "refused" and told["about"] == "bot_move")
    assert page.ask("new_game", game="nim")["ply"] == 0


def test_games_that_cannot_be_loaded_are_reported_before_the_server_starts(tmp_path):
    broken = tmp_path / "broken_game.py"
    broken.write_text("import nowhere_to_be_found")
    with pytest.raises(GameError, match="nowhere_to_be_found"):
        GameCatalogue.of([str(broken)], variants=1)
    with pytest.raises(BranchwiseError):
        GameCatalogue.of([str(tmp_path / "missing.py")], variants=1)
    with pytest.raises(GameError, match="too large"):
        GameCatalogue.of(["mnk(rows=99,columns=99,in_a_row=5)"], variants=1)


def test_only_that_many_variants_are_made():
    catalogue = GameCatalogue.of([], variants=2)
    first = catalogue.find("nim(max_take=2)")
    catalogue.find("nim(max_take=4)")
    with pytest.raises(BranchwiseError, match="2 variants"):
        catalogue.find("nim(max_take=5)")
    assert catalogue.find("nim( max_take = 2 )") is first


def test_positions_of_a_long_game_are_found_again():
    catalogue = GameCatalogue.of([], variants=4)
    record = LiveRecord(catalogue.find("nim(heaps=(200,),max_take=2)"), ["1"] * 150, [0, 1])
    for ply in (0, 1, 15, 16, 17, 31, 32, 149, 150):
        record.go_to(ply)
        assert record.state.chips[0] == 200 - ply
        assert record.player == ply % 2
    record.go_to(40)
    record.play(1)
    assert len(record.moves) == 41
    for ply in (0, 33, 41):
        record.go_to(ply)
        assert record.state.chips[0] == 200 - ply - (ply > 40)
    with pytest.raises(BranchwiseError, match="no position after 42"):
        record.go_to(42)


def test_the_next_move_again_keeps_the_moves_behind_it():
    record = LiveRecord(GameCatalogue.of([], variants=4).find("nim"), ["1"] * 6, [0, 1])
    record.go_to(2)
    record.play(0)
    assert (record.ply, len(record.moves)) == (3, 6)
    assert record.told(Opponent()).variations == []


def test_moves_that_are_replaced_become_a_variation_and_can_be_taken_up():
    record = LiveRecord(GameCatalogue.of([], variants=4).find("nim(heaps=(200,))"), ["1"] * 40, [0, 1])
    record.values[39] = [0.5, -0.5]
    record.go_to(20)
    record.play(1)
    record.play(2)
    (told,) = record.told(Opponent()).variations
    assert (told.ply, told.count, told.text) == (20, 20, ["1"] * 8)
    record.take_up(0)
    assert (record.ply, len(record.moves)) == (21, 40)
    assert record.values == {39: [0.5, -0.5]}
    (told,) = record.told(Opponent()).variations
    assert (told.ply, told.count, told.text) == (20, 2, ["2", "3"])
    for ply in (40, 39, 33, 17, 16, 0):
        record.go_to(ply)
        assert record.state.chips[0] == 200 - ply
    record.go_to(40)
    for _ in range(20):
        record.play(0)
    record.go_to(47)
    assert record.state.chips[0] == 200 - 47
    with pytest.raises(BranchwiseError, match="no variation 1"):
        record.take_up(1)


def test_a_variation_that_is_played_again_is_none_any_more():
    record = LiveRecord(GameCatalogue.of([], variants=4).find("nim"), ["1", "1", "1"], [0, 1])
    record.go_to(1)
    record.play(1)
    record.go_to(1)
    record.play(0)
    record.play(0)
    assert [line.text for line in record.told(Opponent()).variations] == [["2"]]
    for action in (2, 0, 1, 2) * 10:
        record.go_to(0)
        record.play(action)
        assert len(record.told(Opponent()).variations) <= 12


RULES_THAT_FAIL = (
    HEAD
    + '''
class Failing(bw.Game):
    """Raises an exception that names a file."""
    num_players = 1
    num_actions = 3
    total: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        for action in range(3):
            yield action

    def apply_action(self, action):
        self.total += action + 1
        if self.total == 3:
            raise FileNotFoundError("PLACE")

    def is_terminal(self):
        return self.total > 9

    def returns(self):
        return (1.0,)
'''
)


def test_errors_name_files_without_their_folders(limited, tmp_path):
    text = RULES_THAT_FAIL.replace("PLACE", str(tmp_path / "data.txt"))
    (tmp_path / "failing.py").write_text(text, encoding="utf-8")
    live = limited(str(tmp_path / "failing.py"))
    page = live.page()
    assert page.ask("new_game", game="failing", seats=[0])["type"] == "position"
    told = [page.ask("play", action=2, ply=0)]
    page.say("analyse", on=True)
    told.append(page.until("refused"))
    for one in told:
        assert one["type"] == "refused"
        assert "data.txt" in one["message"]
        assert str(tmp_path) not in json.dumps(one)


# --- options of variants -----------------------------------------------------------------------------


def test_options_are_those_that_the_command_line_lists():
    """None that a game's `configure` derives, even in a class above it or with the help of others."""
    for game in GameCatalogue.of([], variants=4).games:
        offered = dict(game.info.options)
        assert offered.pop("random_starter", False) is False
        options = game_options(game.rules)
        options.pop("file", None)  # no request opens a file
        assert offered == options, game.name


def test_a_file_can_be_named_for_the_server_but_not_by_a_page(tmp_path):
    (tmp_path / "levels.txt").write_text("#####\n#@$.#\n#####\n")
    catalogue = GameCatalogue.of([f"sokoban(file='{tmp_path / 'levels.txt'}')"], variants=4)
    assert catalogue.games[0].info.name == "sokoban(file='levels.txt')"
    assert catalogue.find("sokoban(file='levels.txt')") is catalogue.games[0]
    assert str(tmp_path) not in repr(catalogue.games[0].info)
    for game in ("sokoban", "tsp", "same_game"):
        with pytest.raises(UnknownNameError, match=f'no option of {game} "file"'):
            catalogue.find(f"{game}(file='{tmp_path / 'levels.txt'}')")


def test_a_table_can_be_an_option():
    catalogue = GameCatalogue.of([], variants=4)
    assert "payoffs" in catalogue.find("matrix_game").info.options
    game = catalogue.find("matrix_game(payoffs=((1,-1,0),(-1,1,0)))")
    assert (game.rules.rows, game.rules.columns) == (2, 3)
    with pytest.raises(GameError, match="is no table of payoffs"):
        catalogue.find("matrix_game(payoffs=((1,2),(3,)))")
    for payoffs in ("(((1,),),)", f"({'(1,2,3,4,5,6,7,8),' * 9})", "((1e300,),)", "(({1:2},),)"):
        with pytest.raises(BranchwiseError, match=r"payoffs cannot be|matrix_game"):
            catalogue.find(f"matrix_game(payoffs={payoffs})")


def test_a_game_that_cannot_be_shown_says_why():
    catalogue = GameCatalogue.of([], variants=4)
    for name in ("tiger", "tiger(accuracy=0.7)"):
        with pytest.raises(GameError, match="tiger is partially observed, and the page would show its state"):
            catalogue.find(name)
