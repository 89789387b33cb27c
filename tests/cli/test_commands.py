import json

import pytest

from branchwise.games import game_names, load_game
from support.rows import slow
from support.shipped import small

# --- games ------------------------------------------------------------------------------------------


def test_games_lists_every_game_with_its_options(run):
    shown = run("games")
    assert shown.code == 0
    for name in game_names():
        assert name in shown.out
    assert "rows=6 columns=7 in_a_row=4" in shown.out
    assert "heaps=(21,) max_take=3 misere=False" in shown.out
    assert "nim   2 players, zero-sum, 3 actions" in shown.out


def test_games_as_json(run):
    listed = {entry["name"]: entry for entry in json.loads(run("games", "--json").out)}
    assert sorted(listed) == game_names()
    assert listed["connect_four"]["options"] == {"rows": 6, "columns": 7, "in_a_row": 4}
    assert listed["connect_four"]["num_actions"] == 7
    assert listed["connect_four"]["type"] == {
        "dynamics": "sequential",
        "chance": "deterministic",
        "information": "perfect",
        "utility": "zero_sum",
        "rewards": "terminal",
    }
    assert listed["nim"]["about"].startswith("Nim")


def test_every_option_that_games_lists_can_be_given(run):
    for entry in json.loads(run("games", "--json").out):
        game = load_game(entry["name"])
        for option, value in entry["options"].items():
            default = tuple(value) if isinstance(value, list) else value
            assert game.configured(**{option: default}) is game


def test_a_game_that_cannot_be_loaded_does_not_hide_the_others(run, monkeypatch):
    from branchwise.games import GAMES

    monkeypatch.setitem(GAMES.builtin, "broken", "branchwise.games.broken:Broken")
    shown = run("games")
    assert shown.code == 0
    assert "cannot be loaded" in shown.out
    assert "connect_four" in shown.out


# --- search -----------------------------------------------------------------------------------------


def test_search_shows_the_board_and_every_move(run):
    shown = run("search", "connect_four", "--moves", "d1 d2", "--simulations", "1000", "--seed", "1")
    assert shown.code == 0
    assert "2  . . . O . . ." in shown.out
    assert "1,000 simulations" in shown.out
    for column in "abcdefg":
        assert f"\n{column}" in shown.out


def test_search_splits_moves_on_blanks_and_commas(run):
    for moves in ("d d d", "d,d,d", " d, d  d "):
        found = json.loads(
            run(
                "search", "connect_four", "--moves", moves, "--simulations", "50", "--seed", "1", "--json"
            ).out
        )
        assert found["moves"] == ["d", "d", "d"]
        assert found["player"] == 1


def test_search_as_json_is_the_same_for_the_same_seed(run):
    words = ("search", "connect_four", "--simulations", "2000", "--seed", "5", "--json")
    first, second = (json.loads(run(*words).out) for _ in range(2))
    assert first["children"] == second["children"]
    assert first["simulations"] == sum(child["visits"] for child in first["children"])


def test_search_takes_limits_of_time_and_nodes(run):
    quick = json.loads(run("search", "connect_four", "--seconds", "0.05", "--json").out)
    assert quick["ended_by"] == "seconds"
    small = json.loads(run("search", "connect_four", "--max-nodes", "500", "--json").out)
    assert small["ended_by"] == "nodes"
    assert small["nodes"] <= 500


def test_search_in_plain_python_builds_the_same_tree(run):
    words = ("search", "tic_tac_toe", "--simulations", "300", "--seed", "5", "--json")
    compiled, plain = json.loads(run(*words).out), json.loads(run(*words, "--python").out)
    assert compiled["children"] == plain["children"]


# --- check ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [slow(name) if name not in ("nim", "pig", "taxi") else name for name in game_names()]
)
def test_check_finds_no_fault_in_the_built_in_games(run, name):
    name = small(name)
    shown = run("check", name, "--games", "3", "--seed", "3")
    assert shown.code == 0, shown.out
    assert f"{name}: no fault in 3 random games" in shown.out
    assert "in step with compiled code" in shown.out
    assert "note:" not in shown.out
    alone = load_game(name).num_players == 1
    assert ("random play: mean " if alone else "player 0 wins") in shown.out
    assert "optional methods: " in shown.out


@pytest.mark.parametrize(
    ("name", "unused", "stronger"),
    [
        ("nim", [], ["evaluate", "prior", "playout_action"]),
        ("sokoban", ["evaluate", "prior"], ["playout_action", "action_code"]),
        ("frozen_lake", [], ["evaluate", "prior", "playout_action"]),
        ("same_game", ["playout_action", "prior"], ["evaluate"]),
        ("rock_paper_scissors", [], ["evaluate"]),
    ],
)
def test_check_tells_what_mcts_does_not_use_and_what_would_make_it_stronger(run, name, unused, stronger):
    words = ("check", name, "--games", "2", "--python")
    found = json.loads(run(*words, "--json").out)
    assert (found["not_used"], found["stronger_with"]) == (unused, stronger)
    shown = run(*words).out
    assert ('playout="game"' in shown) == ("playout_action" in unused)
    assert (f"stronger with: {', '.join(stronger)}" in shown) == bool(stronger)


def test_check_as_json_counts_games_and_results(run):
    found = json.loads(run("check", "tic_tac_toe", "--games", "50", "--json").out)
    assert found["ok"] is True
    assert found["fault"] is None
    assert (found["compared_with"], found["compared_games"]) == ("compiled code", 50)
    assert found["games"] == 50 == sum(result["games"] for result in found["results"])
    assert 5 <= found["shortest"] <= found["mean_length"] <= found["longest"] <= 9
    assert [player["player"] for player in found["players"]] == [0, 1]


def test_check_stops_in_time_and_says_how_many_games_it_played(run):
    shown = run("check", "connect_four", "--games", "1000000", "--seconds", "0.5")
    assert shown.code == 0
    assert "--seconds allows more" in shown.out


def test_check_replays_the_moves_that_show_a_fault(run, rules):
    file = rules(("yield action", "yield action + (self.chips == 4)"))
    found = json.loads(run("check", file, "--json").out)["fault"]
    assert "num_actions is 3" in found["problem"]
    moves = found["replay"].partition('--moves "')[2].rstrip('"')
    again = run("check", file, "--moves", moves)
    assert again.code == 1
    assert found["problem"] in again.out


def test_check_of_one_line_without_fault_shows_the_position(run):
    shown = run("check", "connect_four", "--moves", "d d")
    assert shown.code == 0
    assert "no fault in these 2 moves" in shown.out
    assert "2  . . . O . . ." in shown.out


def test_check_finds_rules_that_differ_when_compiled(run, rules):
    # A Python number keeps growing where compiled code wraps round at 64 bits.
    overflow = ("self.chips == 0", "self.chips == 0 or (self.chips << 62) * 4 == 0")
    shown = run("check", rules(overflow), "--games", "5")
    assert shown.code == 1
    assert "differs: Python has False, compiled code has True" in shown.out


def test_check_in_plain_python_compiles_nothing(run, rules):
    uncompilable = ("self.mover = 1 - self.mover", "self.mover = {0: 1, 1: 0}[int(str(self.mover))]")
    shown = run("check", rules(uncompilable), "--games", "50", "--python")
    assert shown.code == 0
    assert "compil" not in shown.err
    assert "compiled code" not in shown.out


def test_check_names_the_optional_methods(run, rules):
    evaluated = ("    def returns", "    def evaluate(self):\n        return (0.0, 0.0)\n\n    def returns")
    found = json.loads(run("check", rules(evaluated), "--games", "5", "--json").out)
    assert found["optional_methods"] == ["evaluate"]


def test_compiled_state_moves_in_step_with_plain_python():
    from branchwise.compile.queries.checked_games import CompiledState
    from branchwise.games.connect_four import ConnectFour

    native, plain = CompiledState(ConnectFour), ConnectFour()
    for action in (3, 2, 3, 2, 3, 2, 3):
        assert (native.player, list(native.legal)) == (plain.current_player(), plain.legal_actions())
        assert native.record == plain.to_record()
        native.apply(action)
        plain.apply_action(action)
    assert native.terminal
    assert plain.is_terminal()
    assert native.returns == tuple(plain.returns()) == (1.0, -1.0)


def test_the_command_and_check_game_see_the_same(run):
    from branchwise.games.tic_tac_toe import TicTacToe
    from branchwise.testing import check_game

    found = json.loads(run("check", "tic_tac_toe", "--games", "500", "--seed", "4", "--json").out)
    report = check_game(TicTacToe, 500, seed=4)
    told = {tuple(entry["returns"]): entry["games"] for entry in found["results"]}
    assert (told, found["moves"]) == (report.results, report.moves)
    assert (found["compared_games"], found["longest"]) == (report.compared, report.longest)


# --- perft ------------------------------------------------------------------------------------------


def test_perft_counts_from_any_position(run):
    shown = run("perft", "connect_four", "--depth", "8")
    assert shown.out.startswith("connect_four: 5,673,234 sequences of 8 moves")
    later = json.loads(run("perft", "connect_four", "--depth", "5", "--moves", "d1", "--json").out)
    assert (later["count"], later["moves"], later["divide"]) == (16_807, ["d1"], None)
    assert later["compiled"] is True


def test_perft_divides_by_the_first_move_and_adds_up(run):
    words = ("perft", "connect_four", "--depth", "7", "--divide")
    found = json.loads(run(*words, "--json").out)
    assert list(found["divide"]) == [f"{column}1" for column in "abcdefg"]
    assert sum(found["divide"].values()) == found["count"] == 823_536
    shown = run(*words).out
    assert f"{found['divide']['a1']:,}" in shown
    assert "823,536 sequences of 7 moves" in shown


def test_perft_in_plain_python_compiles_nothing(run, rules):
    uncompilable = ("self.mover = 1 - self.mover", "self.mover = {0: 1, 1: 0}[int(str(self.mover))]")
    file = rules(uncompilable)
    assert "27 sequences of 3 moves" in run("perft", file, "--depth", "3", "--plain").out
    compiled = run("perft", file, "--depth", "3")
    assert compiled.code == 2
    assert "Chips.apply_action cannot be compiled" in compiled.err


# --- bench and doctor -------------------------------------------------------------------------------


@pytest.mark.bounds
def test_bench_measures_the_games_that_are_named(run):
    found = json.loads(run("bench", "nim", "connect_four(rows=5)", "--seconds", "0.02", "--json").out)
    assert [entry["game"] for entry in found["games"]] == ["nim", "connect_four(rows=5)"]
    for entry in found["games"]:
        assert entry["simulations_per_second"] > 0
        assert entry["random_games_per_second"] > 0


def test_bench_shows_a_table(run):
    shown = run("bench", "nim", "--seconds", "0.02")
    assert shown.code == 0
    assert "simulations/s" in shown.out
    assert "\nnim " in shown.out


def test_bench_tells_a_fault_of_the_rules(run, rules):
    shown = run("bench", rules(("self.chips == 0", "self.chips == -1")), "--seconds", "0.02")
    assert shown.code == 2
    assert "gave no action in a state" in shown.err


def test_doctor_finds_everything_well(run):
    shown = run("doctor", "--json")
    found = json.loads(shown.out)
    assert shown.code == 0, shown.out
    assert found["ok"] is True
    names = [finding["name"] for finding in found["findings"]]
    assert {"python", "numpy", "numba", "llvmlite", "cores", "memory", "cache", "compile", "search"} <= {
        *names
    }


def test_doctor_tells_what_fails_and_how_to_mend_it(run, monkeypatch):
    monkeypatch.setenv("BRANCHWISE_CACHE_DIR", "/proc/nowhere")
    shown = run("doctor")
    assert shown.code == 1
    assert "FAIL  cache       /proc/nowhere cannot be written" in shown.out
    assert "mend: set BRANCHWISE_CACHE_DIR" in shown.out
    assert "OK    search" in shown.out
    assert "FAIL: cache" in shown.out
