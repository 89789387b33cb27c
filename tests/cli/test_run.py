"""Problems for one player on the command line: run, tournament, bench, replay, review and results."""

import json
import sqlite3
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.match_result import MatchResult
from branchwise.arena.records.playback import played_again
from branchwise.arena.records.record import BestLine, returns_after_fault
from branchwise.arena.schedule.match_games import derived_seed
from branchwise.arena.store.store import Store
from branchwise.cli.matches.scores import SHOWN_MOVES, best_lines
from branchwise.common.errors import ResultsError
from branchwise.games import load_game
from support.paying import Corridor
from support.rows import slow
from support.simulators import Drift

SUPPORT = Path(__file__).parents[1] / "support"
DRIFT, CORRIDOR = f"{SUPPORT / 'simulators.py'}:Drift", f"{SUPPORT / 'paying.py'}:Corridor"
GREEDY, STUMBLER = (f"{SUPPORT / 'alone.py'}:{name}" for name in ("Greedy", "Stumbler"))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "m.sqlite"


def records_of(file, match=1):
    return stored(file, match)[1]


def stored(file, match=1):
    with Store(file, create=False) as store:
        return store.match(match), store.games(match)


def test_the_bot_of_a_run_takes_the_limits_given(run, file):
    words = ("run", "left_move(moves=8)", "--episodes", "1", "--seed", "1", "--store", file)
    assert "mcts(simulations=1000) " in run(*words).out
    assert run(*words, "--simulations", "7").code == 0
    assert max(move.simulations for move in records_of(file, 2)[0].moves) == 7


def test_bots_plan_the_same_episodes_and_mean_returns_are_shown(run, file):
    words = ("run", DRIFT, "--bot", "mcts(simulations=40)", "--bot", GREEDY, "--episodes", "3", "--seed", "1")
    shown = run(*words, "--store", file)
    assert shown.code == 0
    rows = [line.split() for line in shown.out.splitlines()]
    assert ["bot", "mean", "return", "95", "%", "best", "games", "faults"] in rows
    assert "run 1: " in shown.out
    assert "6 of 6 episodes" in shown.out
    assert "by 3 starts that both played" in shown.out
    records = records_of(file)
    assert [record.plan.seating for record in records] == [(0,), (1,)] * 3
    for one, other in zip(records[::2], records[1::2], strict=True):
        assert one.plan.dice == other.plan.dice
        # as long as both bots play the same, the same happens
        first = [json.loads(record.moves[0].reached)["state"] for record in (one, other)]
        assert (first[0] == first[1]) == (one.actions[0] == other.actions[0])
    found = json.loads(run("results", "1", "--store", file, "--json").out)
    assert [bot["games"] for bot in found["bots"]] == [3, 3]
    assert found["payoffs"][0]["mean"] == pytest.approx(sum(r.returns[0] for r in records[::2]) / 3)


def test_a_run_continues_with_the_episodes_that_it_would_have_had(run, file):
    words = ("run", DRIFT, "--bot", GREEDY, "--episodes", "4", "--seed", "2", "--store", file)
    assert run(*words).code == 0
    before = records_of(file)
    with sqlite3.connect(file) as db:
        db.execute("DELETE FROM moves WHERE game >= 1")
        db.execute("DELETE FROM games WHERE number >= 1")
        db.execute("UPDATE matches SET ended_by = ''")
    db.close()
    assert run("run", "--resume", "--store", file).code == 0
    after = records_of(file)
    assert [(r.plan, r.returns, [m.reached for m in r.moves]) for r in after] == [
        (r.plan, r.returns, [m.reached for m in r.moves]) for r in before
    ]


def interrupt(file, *numbers):
    """Leave one game of each of these entries of a store, as if they had been interrupted."""
    with sqlite3.connect(file) as db:
        for number in numbers:
            db.execute("DELETE FROM moves WHERE match = ? AND game >= 1", (number,))
            db.execute("DELETE FROM games WHERE match = ? AND number >= 1", (number,))
            db.execute("UPDATE matches SET ended_by = '' WHERE id = ?", (number,))
    db.close()


def states_of(file):
    with Store(file, create=False) as store:
        return {stored.id: (stored.kind, stored.state) for stored in reversed(store.matches())}


def test_each_command_resumes_the_latest_of_its_own_kind(run, file):
    quick = ("--seed", "2", "--store", file)
    few, bots = ("--games", "2"), ("random", "random")
    assert run("run", CORRIDOR, "--bot", "random", "--episodes", "2", *quick).code == 0
    assert run("match", "nim", *bots, *few, *quick).code == 0
    assert run("tournament", "nim", "random", "mcts(simulations=2)", *few, *quick).code == 0
    assert run("match", CORRIDOR, *bots, *few, *quick).code == 0  # of one player, and yet no run
    interrupt(file, 1, 2, 3, 4)
    kinds = dict(enumerate(("run", "match", "tournament", "match"), start=1))
    left = set(kinds)
    assert states_of(file) == {number: (kind, "interrupted") for number, kind in kinds.items()}
    for kind, number in (("run", 1), ("tournament", 3), ("match", 4), ("match", 2)):
        assert run(kind, "--resume", "--store", file).code == 0
        left.remove(number)
        assert {n for n, (_, state) in states_of(file).items() if state == "interrupted"} == left
    for kind in ("run", "match", "tournament"):
        refused = run(kind, "--resume", "--store", file)
        assert refused.code == 2
        assert f"has no {kind} that was interrupted" in refused.err.replace("\n", " ")


def test_a_run_is_no_match_to_resume_by_its_number(run, file):
    assert run("run", CORRIDOR, "--bot", "random", "--episodes", "2", "--store", file).code == 0
    interrupt(file, 1)
    refused = run("match", "--resume", "1", "--store", file)
    assert refused.code == 2
    assert "1 is a run" in refused.err
    assert "branchwise run --resume 1" in refused.err


def test_matches_of_a_sweep_are_left_to_it(run, file):
    words = ("sweep", CORRIDOR, "--bot", "mcts(simulations={n})", "--vary", "n=2,3")
    assert run(*words, "--games", "2", "--seed", "1", "--store", file).code == 0
    interrupt(file, 1)
    assert states_of(file)[1] == ("match", "interrupted")
    assert run("match", "--resume", "--store", file).code == 2
    assert states_of(file)[1] == ("match", "interrupted")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run"], "a run needs a problem"),
        (["run", "nim"], "nim is for 2 players, and a run is for one"),
        (["run", "frozen_lake", "--episodes", "0"], "episodes = 0 is outside its range"),
        (["run", "frozen_lake", "--resume"], '"frozen_lake" is not the number of a run'),
        (["run", "--resume", "--episodes", "3"], "--episodes cannot be changed when resuming a run"),
        (["run", "frozen_lake", "--bot", "minimax"], "minimax"),
        (["match", "kuhn_poker", "random", "ismcts(cutoff=3)"], "cutoff needs a rule that kuhn_poker does"),
        (["match", "kuhn_poker", "random", "pimc(playout=game)"], "rule that kuhn_poker does not have"),
        (["tournament", "nim", "random", "mcts(selection=progressive_bias)"], "rule that nim does not have"),
        (["match", "frozen_lake", "random", "--sprt", "0,30"], "frozen_lake is played alone"),
        (["calibrate", "frozen_lake"], "frozen_lake is played alone"),
        (["tournament", "frozen_lake", "random", "flat", "--format", "gauntlet"], "is played alone"),
        (["match", DRIFT, "random", "--openings-depth", "2"], "its games have no openings"),
    ],
)
def test_what_makes_no_sense_is_reported_in_one_sentence(run, words, told, file):
    shown = run(*words, *([] if words[0] == "calibrate" else ["--store", file]))
    assert shown.code != 0
    assert told in shown.err
    assert "Traceback" not in shown.err
    assert not file.exists()


def test_a_tournament_of_a_problem_ranks_mean_returns_from_its_start(run, file):
    shown = run("tournament", CORRIDOR, GREEDY, "random", "-n", "3", "--seed", "1", "--store", file)
    assert shown.code == 0
    rows = [line.split() for line in shown.out.splitlines()]
    assert ["bot", "mean", "return", "95", "%", "best", "games", "faults"] in rows
    assert all(record.plan.opening == () for record in records_of(file))
    best = bw.Playthrough(Corridor(), [1, 1, 1]).paid[0]
    assert f"best        {best:g}, game 0, {GREEDY}: 1 1 1" in shown.out.replace("\n", " ")


def test_an_episode_is_written_as_a_moving_picture(run, file, tmp_path):
    assert run("run", "cart_pole", "--bot", "random", "--episodes", "2", "--store", file).code == 0
    movie = tmp_path / "episode.svg"
    told = run("replay", "1", "1", "--film", movie, "--pace", "0.2", "--store", file)
    record = records_of(file)[1]
    assert told.out.split() == [str(movie), "shows", str(len(record.moves)), "moves"]
    moving = movie.read_text()
    assert moving.count('class="film') == 2 * len(record.moves) + 1  # each picture, and each action in it
    assert f"animation:film {0.2 * (len(record.moves) + 4):g}s" in moving
    refused = run("replay", "1", "1", "--pace", "0.2", "--store", file)
    assert (refused.code, "--pace needs a film" in refused.err) == (2, True)
    refused = run("replay", "1", "1", "--film", tmp_path / "no" / "episode.svg", "--store", file)
    assert (refused.code, "cannot be written" in refused.err) == (2, True)
    assert run("run", DRIFT, "--bot", "random", "--episodes", "1", "--store", file).code == 0
    refused = run("replay", "2", "0", "--film", movie, "--store", file)
    assert (refused.code, "has no pictures" in refused.err) == (2, True)


def test_replay_and_review_of_an_episode_show_its_states_and_its_own_units(run, file):
    run("run", DRIFT, "--bot", "mcts(simulations=30)", "--episodes", "1", "--seed", "3", "--store", file)
    (record,) = records_of(file)
    replayed = run("replay", "1", "0", "--store", file).out
    for state, _ in played_again(Drift, record).positions():
        assert str(state) in replayed
    assert f"player 0 (mcts(simulations=30)) {record.returns[0]:+g}." in replayed
    reviewed = run("review", "1", "0", "--simulations", "200", "--store", file)
    assert reviewed.code == 0
    assert f"{len(record.moves)} moves, 200 simulations each" in reviewed.out
    found = json.loads(run("review", "1", "0", "--simulations", "200", "--store", file, "--json").out)
    assert found["moves"] == len(record.moves)
    assert all(
        mistake["lost"] > 0 and mistake["bot"] == "mcts(simulations=30)" for mistake in found["mistakes"]
    )


@pytest.mark.parametrize("problem", ["frozen_lake", slow("twenty_forty_eight(rows=2,columns=2)")])
def test_bench_measures_problems_and_simulators(run, problem):
    shown = run("bench", problem, DRIFT, "--seconds", "0.05", "--json")
    found = {game["game"]: game for game in json.loads(shown.out)["games"]}
    assert set(found) == {problem, "drift"}
    assert all(game["simulations_per_second"] > 100 for game in found.values())
    assert found["drift"]["random_games_per_second"] is None


def test_a_long_best_episode_is_cut_short_on_the_screen():
    best = BestLine(3, 0, -7.5, ("up",) * (SHOWN_MOVES + 5))
    (line,) = best_lines(["random"], best)
    assert line.endswith(f"up ... ({SHOWN_MOVES + 5} moves)")
    assert line.count("up") == SHOWN_MOVES
    (line,) = best_lines(["random"], BestLine(3, 0, -7.5, ("up", "down")))
    assert line == "best        -7.5, game 3, random: up down"


def test_a_bot_that_fails_alone_has_no_mean_no_difference_and_no_best_line(run, file):
    """A line above the table names its failures; what it was paid before each stays in the store."""
    lake = load_game("frozen_lake")
    assert returns_after_fault(0, 1, lake.min_return, lake.max_return, (0.5,)) == (lake.min_return,)
    assert returns_after_fault(0, 1, -float("inf"), float("inf"), (-3.0,)) == (-3.0,)
    assert returns_after_fault(0, 2, -float("inf"), float("inf"), (-3.0, 2.0)) == (-3.0, 2.0)
    assert returns_after_fault(1, 2, -float("inf"), float("inf"), (-3.0, 2.0)) == (-3.0, -3.0)
    bots = [word for bot in ("random", STUMBLER, GREEDY) for word in ("--bot", bot)]
    shown = run("run", CORRIDOR, *bots, "--episodes", "2", "--seed", "1", "--store", file).out
    paid = bw.Playthrough(Corridor(), [1, 1]).paid
    failed = [record for record in records_of(file) if record.plan.seating == (1,)]
    assert [(record.ending, record.returns) for record in failed] == [("error", paid)] * 2
    lines = shown.splitlines()
    above = lines.index(f"{STUMBLER} failed in 2 of 2 games; it has no mean return")
    heading = next(at for at, line in enumerate(lines) if line.split()[:3] == ["bot", "mean", "return"])
    assert above < heading
    assert f"{STUMBLER} failed 2 2".split() in [line.split() for line in lines[heading:]]
    assert f"over {GREEDY}, by 2 starts" in shown
    assert f"over {STUMBLER}" not in shown
    assert f", {GREEDY}: 1 1 1" in shown
    assert "failed by error" in shown
    found = json.loads(run("results", "1", "--store", file, "--json").out)
    nothing = {"mean": None, "low": None, "high": None}
    payoff = next(one for one in found["payoffs"] if one["bot"] == STUMBLER)
    assert payoff.items() >= {**nothing, "best": None}.items()
    apart = {one["over"]: one for one in found["differences"]}
    assert apart[STUMBLER].items() >= nothing.items()
    assert apart[GREEDY]["mean"] < 0
    assert found["best"]["bot"] == GREEDY


def test_a_bot_that_fails_once_loses_its_best_line(tmp_path):
    """Also to another bot's line that is in the store already; and a tournament ranks it last."""
    file = tmp_path / "m.sqlite"
    bots = [f"{SUPPORT / 'alone.py'}:Brief(fails={derived_seed(1, 2, 0)})", "random"]
    played = bw.Match(CORRIDOR, bots, games=6, concurrency=1, seed=1).run(store=file)
    assert [record.ending for record in played.records[::2]] == ["end", "end", "error"]
    random = [record for record in played.records if record.plan.seating == (1,)]
    assert played.best.score == max(record.returns[0] for record in random)
    assert played.best.bot == 1
    assert MatchResult.of_stored(*stored(file)).best == played.best
    unkept = bw.Match(CORRIDOR, bots, games=6, concurrency=1, seed=1).run()
    assert unkept.best == played.best
    ranked = bw.Tournament(CORRIDOR, bots, games=3, concurrency=1, seed=1).run()
    assert ranked.ranking() == [1, 0]
    with pytest.raises(ResultsError, match="failed in 1 of 3 games"):
        ranked.difference(*ranked.bots)


def test_a_bot_that_resigns_alone_has_failed(run, file):
    """Nobody wins by it, and what was paid before is no result of an episode."""
    quitter = f"{SUPPORT / 'alone.py'}:Quitter"
    shown = run("run", CORRIDOR, "--bot", quitter, "--episodes", "2", "--seed", "1", "--store", file).out
    assert f"{quitter} failed in 2 of 2 games; it has no mean return" in shown
    assert [(record.ending, record.fault) for record in records_of(file)] == [("resigned", 0)] * 2


def test_faults_in_a_match_are_losses_and_told_above_the_table(run, file):
    shown = run("match", "nim", "random", STUMBLER, "--games", "2", "--seed", "1", "--store", file).out
    lines = shown.splitlines()
    above = lines.index(f"{STUMBLER} failed in 2 of 2 games")
    assert lines[above + 1] == "a game with a fault counts as lost"
    assert above < next(at for at, line in enumerate(lines) if line.split()[:2] == ["bot", "points"])


def test_observations_are_stored_exported_and_shown(tmp_path, run):
    store = tmp_path / "m.sqlite"
    words = ("run", "rock_sample", "--episodes", "1", "--bot", "random", "--seed", "3", "--store", store)
    assert run(*words).code == 0
    shown = run("replay", "1", "0", "--store", store)
    exported = json.loads(run("replay", "1", "0", "--json", "--store", store).out)
    seen = [move.get("reached", {}).get("observation") for move in exported["moves"]]
    assert {0} < set(seen) <= {None, 0, 1, 2}
    lines = [line for line in shown.out.splitlines() if line.startswith("observed ")]
    assert lines == [f"observed {number}" for number in seen if number is not None]


# --- problems with chance ---------------------------------------------------------------------------------


def test_the_rule_is_raced_beside_where_a_problem_has_chance_and_a_rule(run, file):
    words = ("run", "micro_grid", "--episodes", "2", "--seed", "1", "--store", file)
    shown = run(*words)
    assert shown.code == 0
    assert shown.out.startswith(
        "micro_grid is small enough to be solved exactly, with 13,555 states: branchwise "
    )
    assert "2 starts that both played" in shown.out
    assert "compared on common random numbers: in episode n all bots meet the same chance" in shown.out
    assert stored(file)[0].settings["bots"] == ["mcts(simulations=1000)", "rule"]
    shown = run(*words, "--json")
    assert [bot["bot"] for bot in json.loads(shown.out)["bots"]] == ["mcts(simulations=1000)", "rule"]


def test_nothing_is_added_where_bots_are_named_or_there_is_no_chance(run, file):
    for words in (("micro_grid", "--bot", "random"), ("mountain_car",), (CORRIDOR,)):
        shown = run("run", *words, "--episodes", "1", "--seed", "1", "--store", file)
        assert shown.code == 0
        assert "solved exactly" not in shown.out
        assert "rule " not in shown.out
        assert "common random numbers" not in shown.out


def test_a_search_says_first_what_can_be_solved_and_what_decides(run):
    words = ("search", "micro_grid", "--moves", "nnn store1", "--simulations", "50", "--seed", "1")
    lines = run(*words).out.splitlines()
    assert lines[0].startswith("micro_grid is small enough to be solved exactly, with ")
    assert lines[0].endswith(' states: branchwise solve "micro_grid" --moves "nnn store1"')
    assert lines[1] == "rollouts of playout_action decide; --settings rollout=false searches a tree"
    tree = run(*words, "--settings", "rollout=false")
    assert tree.code == 0
    assert "solved exactly" not in tree.out
    assert "rollouts" not in tree.out
    assert json.loads(run(*words, "--json").out)["simulations"] == 50
