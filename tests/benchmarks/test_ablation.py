"""The ablation in `benchmarks/`: its tables, its schedule, its players, and that it can be resumed."""

import importlib
import json
import random
import sys
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.statistics.elo import elo_difference
from branchwise.core.tree.child_indices import children_of_one
from branchwise.games.connect_four import ConnectFour
from branchwise.games.tic_tac_toe import TicTacToe

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
MODULES = (
    "ablation_games",
    "ablation_match",
    "ablation_options",
    "ablation_store",
    "ablation_table",
    "ablation",
)


@pytest.fixture(scope="module")
def scripts():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield {name: importlib.import_module(name) for name in MODULES}
        for name in MODULES:
            del sys.modules[name]


@pytest.fixture(scope="module")
def games(scripts):
    return scripts["ablation_games"]


@pytest.fixture(scope="module")
def match(scripts):
    return scripts["ablation_match"]


@pytest.fixture(scope="module")
def options(scripts):
    return scripts["ablation_options"]


@pytest.fixture(scope="module")
def ablation(scripts):
    return scripts["ablation"]


# --- options and schedule -----------------------------------------------------------------------------------


def test_every_option_is_one_of_the_search_and_differs_from_plain(options):
    plain = options.parsed(options.PLAIN)
    for option in options.kinds_of(None):
        settings = options.settings_of(options.PLAIN, option)
        reuse = settings.pop("reuse", None)
        assert reuse or bw.MCTS(**settings).settings != bw.MCTS(**plain).settings, option


def test_a_rule_brings_its_own_weight_of_exploration(options):
    rule = bw.MCTS(**options.settings_of(options.PLAIN, "selection=rave")).settings.rule
    assert rule.c == pytest.approx(0.3)
    tuned = bw.MCTS(**options.settings_of(options.PLAIN, "selection=thompson,c=0.5")).settings.rule
    assert tuned.c == pytest.approx(0.5)


@pytest.mark.parametrize(("pairs", "targets"), [(50, [20, 40, 50]), (40, [20, 40]), (5, [5])])
def test_schedule_goes_round_and_leaves_out_what_a_game_cannot_play(ablation, pairs, targets):
    asked = ["proofs=True", "cutoff=4"]
    plan = list(ablation.schedule(["connect_four", "sudo_tic_tac_toe"], asked, pairs, 20))
    assert [target for game, option, target in plan if option == "cutoff=4"] == targets
    assert {game for game, option, _ in plan if option == "cutoff=4"} == {"connect_four"}
    assert plan == sorted(plan, key=lambda it: it[2])
    for game in ("connect_four", "sudo_tic_tac_toe"):
        assert [t for g, option, t in plan if (g, option) == (game, "proofs=True")] == targets


# --- players ------------------------------------------------------------------------------------------------

COMPOSITIONS = [{}, {"selection": "rave", "playout": "last_good_reply", "halving": True, "proofs": False}]
"""All with `repeat`: commitments must not outlive a search."""


@pytest.mark.parametrize("settings", COMPOSITIONS, ids=str)
def test_a_searcher_plays_what_the_planner_would(match, settings):
    searcher = match.Searcher(TicTacToe, settings, 400)
    for seed in range(12):
        state = match.opening(TicTacToe, (0, 2, 3), str(seed))
        action = searcher.choose(state, 300, seed)
        result = bw.MCTS(seed=seed, **settings).search(state, simulations=300)
        assert action == result.best_action
        visits = {child.action: child.visits for child in result.children}
        tree = searcher._session.trees[0]
        block = tree.nodes[children_of_one(tree.nodes, 0)]
        assert dict(zip(block["action"].tolist(), block["visits"].tolist(), strict=True)) == visits


def test_openings_are_repeated_and_nobody_wins_at_once(match):
    for number in range(40):
        state = match.opening(ConnectFour, (6, 7, 8), f"seed {number}")
        assert state == match.opening(ConnectFour, (6, 7, 8), f"seed {number}")
        for action in state.legal_actions():
            assert not ConnectFour.is_terminal(after(state, action))


def after(state, action):
    twin = state.copy()
    twin.apply_action(action)
    return twin


class First:
    """Plays the first action, or the last."""

    def __init__(self, place):
        self.place = place
        self.seeds = []

    def new_game(self, seed):
        self.seeds.append(seed)

    def choose(self, state):
        return state.legal_actions()[self.place]


def test_a_pair_is_one_opening_with_seats_swapped(match):
    one, other = First(0), First(-1)
    # a1 a2 a3 is a row: the first seat completes it first, from either end
    assert match.play_pair(TicTacToe(), one, other, "x") == (1.0, 0.0)
    state = TicTacToe.from_actions([4])
    first, second = match.play_pair(state, one, other, "x")
    assert (second, first) == tuple(1 - s for s in match.play_pair(state, other, one, "y"))
    for seeds in (one.seeds, other.seeds):
        assert seeds[:2] == seeds[2:4]  # of "x", twice
    assert len({*one.seeds, *other.seeds}) == 8


# --- evaluations --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["connect_four", "mnk", "ultimate_tic_tac_toe"])
def test_evaluations_add_up_to_nothing_and_are_even_at_the_start(games, name):
    game = games.GAMES[name]
    assert game().evaluate() == (0.0, 0.0)
    generator = random.Random(name)
    seen = set()
    for _ in range(5):
        state = game()
        while not state.is_terminal():
            first, second = state.evaluate()
            assert first == -second
            assert -1 <= first <= 1
            seen.add(round(first, 6))
            state.apply_action(generator.choice(state.legal_actions()))
    assert len(seen) > 10


def test_evaluations_favour_who_is_ahead(games):
    connect_four = games.GAMES["connect_four"].from_actions(["d", "a", "d", "a", "d"])
    assert connect_four.evaluate()[0] > 0.2
    mnk = games.GAMES["mnk"].from_actions(["a1", "d4", "g7", "e4", "a7"])
    assert mnk.evaluate()[1] > 0.1


def test_windows_are_all_the_lines_of_four(games):
    assert len(set(games.WINDOWS.tolist())) == len(games.WINDOWS) == 69
    assert all(games.bits(int(window)) == 4 for window in games.WINDOWS)


# --- running, ending, going on ------------------------------------------------------------------------------


@pytest.fixture
def small(ablation, options, monkeypatch):
    """One small game in place of the measured ones, with fixed speeds."""
    setting = options.Setting(60, (1, 2))
    for module in (ablation, options):
        monkeypatch.setattr(module, "SETTINGS", {"tic_tac_toe": setting})
    monkeypatch.setattr(ablation, "GAMES", {"tic_tac_toe": TicTacToe})
    monkeypatch.setattr(ablation, "PAIRS_A_ROUND", 2)

    def known(one, other, states, simulations):
        return (1.5, 1.4, 1.6) if one.settings.c == 0.4 else (1.0, 0.9, 1.1)

    monkeypatch.setattr(ablation, "speed_ratio", known)
    return ["--base", "playout=decisive", "--options", "c=0.4", "c=1.2"]


def measured(path):
    """Return the games played, without their times."""
    known = json.loads(path.read_text())
    return {(c["game"], c["option"], c["mode"]): (c["budgets"], c["pairs"]) for c in known["cells"]}


def test_a_run_that_was_ended_and_resumed_gives_the_same_games(ablation, small, tmp_path):
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
    ablation.main([*small, "--pairs", "5", "--json", str(whole)])
    ablation.main([*small, "--pairs", "1", "--json", str(parts)])
    ablation.main([*small, "--pairs", "5", "--json", str(parts), "--resume"])
    assert measured(parts) == measured(whole)
    budgets = {key[1:]: budgets for key, (budgets, _) in measured(whole).items()}
    assert budgets == {
        ("c=0.4", "simulations"): [60, 60],
        ("c=0.4", "time"): [90, 60],
        ("c=1.2", "simulations"): [60, 60],
    }
    assert all(sum(played) == 5 for _, played in measured(whole).values())


def test_no_match_begins_when_the_time_is_up_and_what_is_there_is_shown(ablation, small, tmp_path, capsys):
    path = tmp_path / "a.json"
    ablation.main([*small, "--pairs", "2", "--json", str(path)])
    before = path.read_text()
    ablation.main([*small, "--pairs", "9", "--json", str(path), "--resume", "--minutes", "1e-9"])
    assert path.read_text() == before
    shown = capsys.readouterr().out
    assert "the time is up" in shown
    assert "4 games per match" in shown


def test_a_slow_match_ends_early(ablation, small, tmp_path):
    path = tmp_path / "a.json"
    ablation.main([*small, "--pairs", "9", "--json", str(path), "--most-seconds", "0"])
    assert not path.exists()
    ablation.main([*small, "--pairs", "9", "--json", str(path), "--most-seconds", "1e-9"])
    assert [sum(played) for _, played in measured(path).values()] == [1, 1, 1]


def test_other_conditions_and_foreign_files_are_refused(ablation, small, tmp_path):
    path = tmp_path / "a.json"
    ablation.main([*small, "--pairs", "1", "--json", str(path)])
    with pytest.raises(SystemExit, match="seed = 1, not 2"):
        ablation.main([*small, "--pairs", "2", "--json", str(path), "--resume", "--seed", "2"])
    for text in ("", "[]", "{}", "not json"):
        path.write_text(text)
        with pytest.raises(SystemExit, match="not a file of this script"):
            ablation.main([*small, "--pairs", "2", "--json", str(path), "--resume"])
    for option in ("--resume", "--tables"):
        with pytest.raises(SystemExit, match="need an existing file"):
            ablation.main([*small, option])
    with pytest.raises(SystemExit, match=r"nowhere\.json: No such file"):
        ablation.main(["--tables", "--json", str(tmp_path / "nowhere.json")])


@pytest.mark.parametrize(
    "wrong", [["--options", "playout=mats"], ["--base", "d=1"], ["--games", "chess"], ["--options", "c="]]
)
def test_wrong_words_end_with_a_message(ablation, wrong, capsys):
    with pytest.raises(SystemExit):
        ablation.main(wrong)
    assert "error: argument" in capsys.readouterr().err


def test_a_mode_alone_is_played_even_where_speeds_are_alike(ablation, small, tmp_path):
    path = tmp_path / "a.json"
    ablation.main([*small, "--pairs", "1", "--modes", "time", "--times", "2", "--json", str(path)])
    budgets = {key[1:]: budgets for key, (budgets, _) in measured(path).items()}
    assert budgets == {("c=0.4", "time"): [180, 120], ("c=1.2", "time"): [120, 120]}


def test_tables_tell_what_was_played_and_what_was_not(scripts, ablation):
    score = scripts["ablation_store"].Score
    won, even, lost = score((0, 0, 0, 0, 30)), score((0, 0, 30, 0, 0)), score((30, 0, 0, 0, 0))
    cells = [
        ablation.Cell("mnk", "c=0.5", "simulations", (9, 9), won),
        ablation.Cell("nim", "c=0.5", "simulations", (9, 9), even),
        ablation.Cell("nim", "proofs=True", "simulations", (9, 9), even),
        ablation.Cell("nim", "proofs=True", "time", (5, 9), lost),
    ]
    speeds = [
        ablation.Speed("mnk", "c=0.5", 0.98, 0.9, 1.1),
        ablation.Speed("nim", "proofs=True", 0.5, 0.4, 0.6),
    ]
    kinds = {"c=0.5": "c", "proofs=True": "Proofs", "playouts=4": "Playouts"}
    lines = scripts["ablation_table"].tables(cells, speeds, kinds).splitlines()
    level, above = shown_as(even), shown_as(won)
    assert (level, above) == ("+0 [-22, +22]", "above +357")
    assert lines[2] == "| option | mnk | nim | all |"
    assert lines[4] == f"| `c=0.5` | **{above}** | {level} | {bold(shown_as(won + even))} |"
    assert lines[5] == f"| `proofs=True` | - | {level} | {level} |"
    assert lines[11] == f"| `c=0.5` | = **{above}** | - | **{above}** |"
    assert lines[12] == f"| `proofs=True` | - | **{shown_as(lost)}** | **{shown_as(lost)}** |"
    assert "| `proofs=True` | - | 0.50 |" in lines
    assert not any("playouts" in line for line in lines)
    assert lines[-1] == "60 games per match."


def shown_as(score):
    return str(elo_difference(score))


def bold(text):
    points, interval = text.split(" ", 1)
    return f"**{points}** {interval}"


# --- the page -----------------------------------------------------------------------------------------------


def test_the_page_has_the_tables_of_what_was_measured(ablation, scripts, options):
    store = scripts["ablation_store"].Store.of(BENCHMARKS / "ablation.json")
    assert store.conditions["base"] == options.PLAIN
    text = scripts["ablation_table"].tables(
        list(store.cells.values()), list(store.speeds.values()), options.kinds_of(None)
    )
    page = (BENCHMARKS.parent / "docs" / "ablation.md").read_text(encoding="utf-8")
    assert scripts["ablation_table"].on_page(page, text) == page


def test_every_option_was_measured_at_every_game_that_can_play_it(scripts, ablation, options):
    store = scripts["ablation_store"].Store.of(BENCHMARKS / "ablation.json")
    games = list(options.SETTINGS)[: options.MEASURED]
    wanted = {(game, option) for game, option, _ in ablation.schedule(games, options.kinds_of(None), 1, 20)}
    assert {(game, option) for game, option, mode in store.cells if mode == "simulations"} == wanted
    assert all(cell.pairs >= 15 for cell in store.cells.values())


def test_a_page_without_a_place_for_tables_is_refused(scripts):
    with pytest.raises(SystemExit, match="no place for tables"):
        scripts["ablation_table"].on_page("# A page\n", "text")
