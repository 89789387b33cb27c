"""Whole matches in separate processes: complete whatever bots do, resumable whatever interrupts them."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.schedule.openings import RandomOpenings
from branchwise.arena.store.store import Store
from branchwise.catalogue.files import file_module
from branchwise.games.tic_tac_toe import TicTacToe
from support.matches import played, start

TESTS = Path(__file__).parents[1]
UNRULY = f"{TESTS / 'support/unruly.py'}:"
RULES = f"{TESTS / 'support/rules.py'}:"
BOTS = ("mcts(simulations=60)", "mcts(simulations=25)")
"""Deterministic bots that use the same few kernels."""

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


def content(records):
    """Return everything that must be equal when a match is played again."""
    return [
        (r.plan, r.returns, r.ending, r.actions, [(m.value, m.simulations, m.children) for m in r.moves])
        for r in records
    ]


@pytest.fixture(scope="module")
def uninterrupted():
    return bw.Match("connect_four", BOTS, games=24, seed=5).run()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "matches.sqlite"


# --- results ----------------------------------------------------------------------------------------


def test_all_games_of_the_schedule_are_played(uninterrupted):
    records = uninterrupted.records
    assert [record.number for record in records] == list(range(24))
    assert uninterrupted.ended_by == "games"
    for one, other in zip(records[::2], records[1::2], strict=True):
        assert one.plan.opening == other.plan.opening
        assert (one.plan.seating, other.plan.seating) == ((0, 1), (1, 0))
    assert len({record.plan.opening for record in records}) == 12
    for record in records:
        state = bw.load_game("connect_four").from_actions(record.actions)
        assert state.is_terminal() == (record.ending == "end")
        if record.ending == "end":
            assert record.returns == tuple(state.returns())


def test_the_tallies_add_up(uninterrupted):
    better, worse = uninterrupted.tallies()
    assert better.points + worse.points == 24
    assert (better.wins, better.draws, better.losses) == (worse.losses, worse.draws, worse.wins)
    assert better.games == better.wins + better.draws + better.losses == 24
    assert better.points == better.wins + better.draws / 2
    assert [len(pair) for pair in uninterrupted.rounds()] == [2] * 12


def test_games_do_not_depend_on_how_many_are_played_at_once(uninterrupted, file):
    other = bw.Match("connect_four", BOTS, games=24, seed=5, concurrency=3).run(store=file)
    assert [record.returns for record in other.records] == [r.returns for r in uninterrupted.records]
    assert all(record.moves == () for record in other.records)
    with Store(file) as store:
        stored = store.match()
        assert content(store.games(stored.id)) == content(uninterrupted.records)
        assert (stored.state, stored.played, stored.bots) == ("complete", 24, BOTS)
        assert stored.versions["python"] == sys.version.split()[0]


@pytest.mark.parametrize(
    ("cores", "bot", "games", "at_once"),
    [
        (1, "mcts", 9, 1),
        (4, "mcts", 9, 4),
        (4, "mcts", 3, 3),
        (4, "mcts(threads=2)", 9, 2),
        (4, "mcts(threads=8)", 9, 1),
    ],
)
def test_as_many_games_are_played_at_once_as_there_are_cores(monkeypatch, cores, bot, games, at_once):
    monkeypatch.setattr("branchwise.arena.match_conditions.cores", lambda: cores)
    match = bw.Match("tic_tac_toe", [bot, "random"], games=games, seed=1)
    assert match._conditions.games_at_once(games) == at_once
    chosen = bw.Match("tic_tac_toe", [bot, "random"], games=games, seed=1, concurrency=3)
    assert chosen._conditions.games_at_once(games) == 3


@pytest.mark.parametrize("is_likely_first", [True, False])
def test_a_game_that_begins_before_its_opening_is_sure_counts_only_if_it_is_the_first(is_likely_first):
    def openings(seed):
        return RandomOpenings(TicTacToe, None, seed)

    seed = next(
        seed for seed in range(99) if (openings(seed).likely_first() == openings(seed)[0]) == is_likely_first
    )
    records = bw.Match("tic_tac_toe", BOTS, games=4, seed=seed).run().records
    assert [record.number for record in records] == [0, 1, 2, 3]
    for record in records:
        assert record.plan.opening == openings(seed)[record.plan.round]
        assert record.actions[: len(record.plan.opening)] == record.plan.opening


def test_progress_tells_how_the_match_stands():
    told = []
    match = bw.Match("tic_tac_toe", ["random", "random"], games=60, seed=1, concurrency=1)
    match.run(progress=lambda standing: told.append((standing.played, standing.remaining)))
    assert all(0 <= played <= 60 for played, _ in told)
    assert told == sorted(told, key=lambda one: one[0])
    assert told[0] == (0, None)


def test_a_judge_sees_the_rounds_in_order_and_ends_the_match():
    seen = []

    def judge(pair):
        seen.append(tuple(record.number for record in pair))
        return "enough" if len(seen) == 5 else None

    result = bw.Match("tic_tac_toe", ["random", "random"], games=1000, seed=1).run(judge=judge)
    assert seen == [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]
    assert result.ended_by == "enough"
    assert 10 <= len(result.records) < 1000


def test_three_bots_play_each_seat(file):
    result = bw.Match(f"{RULES}Race(goal=6)", ["random"] * 3, games=6, seed=1, openings_depth=0).run(
        store=file
    )
    seatings = {record.plan.seating for record in result.records}
    assert len(seatings) == 6
    assert sum(tally.points for tally in result.tallies()) == 6 * 1.5


def test_a_class_of_this_process_is_found_by_the_others(monkeypatch):
    monkeypatch.syspath_prepend(TESTS / "support")
    from rules import Kalah  # not in a package, so it is named by its file

    game = Kalah.configured(max_game_length=90)
    match = bw.Match(game, ["random", "random"], games=2, seed=1, openings_depth=0)
    assert "rules.py:Kalah(max_game_length=90)" in match.game
    assert len(match.run().records) == 2


def test_what_other_processes_cannot_find_is_refused():
    class Local(bw.load_game("nim")):
        pass

    with pytest.raises(bw.SettingsError, match="other processes cannot find the game Local"):
        bw.Match(Local, ["random", "random"])
    with pytest.raises(bw.SettingsError, match="a person cannot play a match"):
        bw.Match("nim", ["random", "human"])
    with pytest.raises(bw.GameError, match="a state of nim is no game"):
        bw.Match(bw.load_game("nim")(), ["random", "random"])


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"bots": ["random"]}, "nim has 2 players, but 1 bots are given"),
        ({"bots": ["random", "rndom"]}, 'did you mean "random"'),
        ({"bots": ["random", f"{UNRULY}Unbuildable"], "games": 0}, "games = 0"),
        ({"games": 1.5}, "not a whole number"),
        ({"concurrency": 0}, "concurrency = 0"),
        ({"seconds": 0}, "seconds = 0"),
        ({"clock": "1h"}, 'cannot read the clock "1h"'),
        ({"clock": "-5"}, "clock = -5.0"),
        ({"clock": "5+nan"}, "increment = nan"),
        ({"clock": 5, "seconds": 1}, "either seconds for each move or a clock"),
        ({"seconds": 1, "bots": ["random", "mcts(seconds=2)"]}, "thinks longer than the 1 s"),
        ({"allowance": -1}, "allowance = -1"),
        ({"simulations": 0}, "simulations = 0"),
        ({"openings": []}, "list of openings is empty"),
        ({"openings": [[0]], "openings_depth": 3}, "either openings or their depth"),
        ({"openings": [[7]]}, "action 7 is not legal here"),
        ({"openings": "nowhere.txt"}, "cannot read the openings in nowhere.txt"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, told):
    given = {"bots": ["random", "random"], **settings}
    with pytest.raises(bw.BranchwiseError) as caught:
        bw.Match("nim", **given)
    assert told in str(caught.value)


def test_limits_go_to_bots_that_name_none():
    bots = ["mcts", "mcts(simulations=5)", "random"]
    game = f"{RULES}Race"
    assert bw.Match(game, bots, simulations=70).settings()["bots"] == [
        "mcts(simulations=70)",
        "mcts(simulations=5)",
        "random",
    ]
    assert bw.Match(game, bots, seconds=0.5).settings()["bots"][0] == "mcts(seconds=0.5)"
    timed = bw.Match(game, bots, clock="60+0.5")
    assert timed.settings()["bots"][0] == "mcts(clock=60.0,increment=0.5)"
    again = bw.Match.from_settings(timed.settings())
    assert again.settings() == timed.settings()
    assert again.bots == timed.bots


SCRIPT = """
import branchwise as bw
from branchwise.games.nim import Nim


class Own(Nim):
    pass


{guard}
    result = bw.Match(Own, ["random", "random"], games=2, openings_depth=0).run()
    print(len(result.records))
"""


@pytest.mark.parametrize("guard", ['if __name__ == "__main__":', "if True:"])
def test_a_script_plays_matches_of_its_own_game_if_it_is_guarded(tmp_path, guard):
    file = tmp_path / "own.py"
    file.write_text(SCRIPT.format(guard=guard))
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=100)
    if guard == "if True:":
        assert done.returncode == 1
        assert "plays a match as soon as it is imported" in done.stderr
        assert 'below if __name__ == "__main__":' in done.stderr
    else:
        assert (done.returncode, done.stdout) == (0, "2\n")


# --- bots that misbehave ----------------------------------------------------------------------------


def test_bots_that_end_their_process_or_hang_lose_and_the_match_completes(file):
    """Three faults in three games: in each, the bot that moves first fails first."""
    bots = [f"{UNRULY}Quitter", f"{UNRULY}Holder", f"{UNRULY}Crasher"]
    match = bw.Match(
        f"{RULES}Race(goal=60)", bots, games=3, seed=1, seconds=0.2, openings=[[]], concurrency=3
    )
    result = match.run(store=file)
    quitter, holder, crasher = result.records
    assert (quitter.ending, quitter.fault) == ("died", 0)
    assert quitter.detail == "the process ended with status 3"
    assert (holder.ending, holder.fault) == ("hung", 0)
    assert holder.detail.startswith("no answer within 2.3 s")
    assert (crasher.ending, crasher.fault) == ("died", 0)
    assert "the process was ended by SIGSEGV" in crasher.detail
    assert "last words of a crasher" in crasher.detail
    assert "misbehave" in crasher.detail  # the line of Python in which it died
    with Store(file) as store:
        records = store.games(1)
    assert [record.detail for record in records] == [record.detail for record in result.records]
    for record in records:
        assert record.returns == (-1.0, 0.0, 0.0)
        assert [move.seat for move in record.moves] == [0, 1, 2, 0, 1, 2]


def test_bots_that_misbehave_from_the_first_move_on_do_not_stop_the_match():
    bots = [f"{UNRULY}Victim(good=0)", f"{UNRULY}Sleeper(good=0)"]
    match = bw.Match("nim", bots, games=4, seed=1, seconds=0.1, patience=1.0, concurrency=1, openings=[[]])
    result = match.run()
    assert result.ended_by == "games"
    endings = {record.number: (record.ending, record.bot_at_fault) for record in result.records}
    assert endings == {0: ("died", 0), 1: ("hung", 1), 2: ("died", 0), 3: ("hung", 1)}
    assert "outside the game" in result.records[0].detail
    assert "outside the game" not in result.records[2].detail


def test_what_a_bot_prints_or_reads_reaches_nobody(capfd):
    bots = [f"{UNRULY}Chatterer(good=0)", "random"]
    result = bw.Match("nim", bots, games=4, seed=1, openings_depth=0).run()
    assert [record.ending for record in result.records] == ["end"] * 4
    assert capfd.readouterr() == ("", "")


@linux
def test_what_a_bot_that_hangs_has_started_ends_with_it():
    bots = [f"{UNRULY}Parent", "random"]
    result = bw.Match("nim(heaps=(40,))", bots, games=1, seed=1, seconds=0.1, openings=[[]]).run()
    assert result.records[0].ending == "hung"
    assert not [pid for pid in processes() if "987.25" in command(pid)]


def test_rules_that_raise_end_the_match_and_are_reported(tmp_path, file):
    source = (TESTS / "support/rules.py").read_text()
    broken = tmp_path / "broken.py"
    broken.write_text(
        source.replace("self.last = self.mover", "self.last = self.mover\n        assert self.chips > 5")
    )
    match = bw.Match(f"{broken}:Kalah", ["random", "random"], games=2, seed=1, openings=[[]])
    with pytest.raises(bw.MatchError, match="kalah cannot be played on: AssertionError") as caught:
        match.run(store=file)
    assert caught.value.after
    with Store(file) as store:
        assert store.match().state == "interrupted"


# --- interruption and going on ----------------------------------------------------------------------


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]


def command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def children(pid):
    found = []
    for other in processes():
        try:
            fields = Path(f"/proc/{other}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(other)
    return found


def descendants(pid):
    return [found for child in children(pid) for found in (child, *descendants(child))]


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition, seconds=60.0):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.005)
    return False


@linux
def test_a_match_killed_again_and_again_continues_to_the_same_end(uninterrupted, file):
    """A match that is killed with SIGKILL leaves no process, and loses only the games in play."""
    source = random.Random(1)
    words = ["connect_four", *BOTS, "--games", "24", "--seed", "5", "--concurrency", "2"]
    before = 0
    for _ in range(2):
        match = start("match", file, *words)
        reached = before + source.randrange(1, 5)
        assert wait_for(lambda wanted=reached: played(file) >= wanted)
        time.sleep(source.random() * 0.05)
        workers = descendants(match.pid)
        assert workers
        match.kill()
        match.communicate()
        assert wait_for(lambda pids=workers: not any(is_alive(pid) for pid in pids), 10)
        with Store(file) as store:
            stored = store.match()
            assert stored.state == ("complete" if stored.played == 24 else "interrupted")
            assert content(store.games(stored.id)) == [
                one for one in content(uninterrupted.records) if one[0].number in numbers(store)
            ]
            before = stored.played
        words = ["--resume"]
        if before == 24:
            break
    with Store(file) as store:
        number = store.match().id
        assert number == 1
        result = bw.Match.resume(store)
    assert result.ended_by == "games"
    assert [r.plan for r in result.records] == [r.plan for r in uninterrupted.records]
    with Store(file) as store:
        assert content(store.games(number)) == content(uninterrupted.records)


def numbers(store):
    return {record.number for record in store.games(1, moves=False)}


@linux
def test_a_parent_killed_leaves_no_process_even_of_bots_that_hang(file):
    match = start("match", file, "nim", f"{UNRULY}Holder(good=0)", f"{UNRULY}Sleeper(good=0)", "-j", "2")
    assert wait_for(lambda: len(descendants(match.pid)) == 4)  # with the keeper of each
    workers = descendants(match.pid)
    time.sleep(1.5)  # until they hang, or nearly
    match.kill()
    match.communicate()
    assert wait_for(lambda: not any(is_alive(pid) for pid in workers), 10)


@linux
def test_ctrl_c_ends_a_match_cleanly_and_tells_how_to_continue(file):
    match = start(
        "match", file, "nim", f"{UNRULY}Sleeper(good=1000,nap=1)", "random", "--games", "2000", "-j", "2"
    )
    assert wait_for(lambda: played(file) >= 1)
    workers = children(match.pid)
    match.send_signal(signal.SIGINT)
    out, err = match.communicate(timeout=30)
    assert match.returncode == 130
    assert "Traceback" not in err
    assert '"ended_by": "interrupted"' in out
    assert not any(is_alive(pid) for pid in workers)
    with Store(file) as store:
        assert store.match().state == "interrupted"


def test_a_complete_match_cannot_be_resumed(file):
    bw.Match("nim", ["random", "random"], games=2, seed=1).run(store=file)
    with pytest.raises(bw.StoreError, match="match 1 is complete"):
        bw.Match.resume(file, 1)
    with pytest.raises(bw.StoreError, match="no match that was interrupted"):
        bw.Match.resume(file)


def test_two_matches_write_to_one_file_at_the_same_time(file):
    results = {}

    def play(seed):
        match = bw.Match("tic_tac_toe", ["random", "random"], games=100, seed=seed, concurrency=1)
        results[seed] = match.run(store=file)

    both = [threading.Thread(target=play, args=(seed,)) for seed in (1, 2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    with Store(file) as store:
        for seed, result in results.items():
            assert store.match(result.id).settings["seed"] == seed
            stored = store.games(result.id)
            assert [(r.plan, r.returns) for r in stored] == [(r.plan, r.returns) for r in result.records]
            assert len(stored) == 100
            assert all(record.moves for record in stored)


# --- bots as objects --------------------------------------------------------------------------------


BOTS_OF_A_FILE = """
import branchwise as bw


class Nth(bw.Bot):
    name = "nth"

    def __init__(self, *, number=0):
        self._number = number

    def choose(self, state):
        legal = state.legal_actions()
        return legal[self._number % len(legal)]

    def options(self):
        return {"number": self._number}


class Silent(Nth):
    options = bw.Bot.options


class FirstOfAll(bw.Bot):
    def choose(self, state):
        return state.legal_actions()[0]


class LastOfAll(FirstOfAll):
    def choose(self, state):
        return state.legal_actions()[-1]


def greedy(child, parent, options):
    return child.value
"""


@pytest.fixture
def bots_of_a_file(tmp_path):
    file = tmp_path / "my_bots.py"
    file.write_text(BOTS_OF_A_FILE)
    return file_module(file)


def test_bots_may_be_given_as_objects_and_as_classes(bots_of_a_file):
    own = bots_of_a_file.Nth(number=2)
    match = bw.Match("nim", [own, bots_of_a_file.Nth], games=2, openings=[[]], concurrency=1, seed=1)
    by_text = f"{bots_of_a_file.__file__}:Nth"
    same = bw.Match("nim", [f"{by_text}(number=2)", by_text], games=2, openings=[[]], concurrency=1, seed=1)
    assert match.bots == ("nth(number=2)", by_text)
    assert match.settings()["bots"] == same.settings()["bots"]
    games = [record.actions for record in match.run().records]
    assert games == [record.actions for record in same.run().records]
    assert games[0][:3] == (2, 0, 2)
    again = bw.Match.from_settings(match.settings())
    assert again.settings() == match.settings()


def test_bots_without_a_name_are_called_after_their_classes(bots_of_a_file):
    bots = [bots_of_a_file.FirstOfAll(), bots_of_a_file.LastOfAll()]
    assert bw.Match("nim", bots, games=2, seed=1).bots == ("first_of_all", "last_of_all")


def test_a_planning_bot_keeps_its_settings_in_a_match(bots_of_a_file):
    rule = bw.SelectionRule(bots_of_a_file.greedy, c=0.25)
    planning = bw.load_bot("mcts(simulations=10,selection=rave(bias=0.05),seed=3)")
    own = type(planning)(simulations=10, selection=rule)
    match = bw.Match("nim", [planning, own], games=2)
    spec, own_spec = match.settings()["bots"]
    assert spec == "mcts(simulations=10,selection='rave(bias=0.05)',seed=3)"
    assert own_spec == f"mcts(simulations=10,selection='{bots_of_a_file.__file__}:greedy(c=0.25)')"
    assert bw.load_bot(own_spec).options()["selection"].c == 0.25


def test_a_bot_that_other_processes_cannot_make_is_refused(bots_of_a_file):
    with pytest.raises(bw.SettingsError, match="Silent does not tell its options") as caught:
        bw.Match("nim", [bots_of_a_file.Silent(number=1), "random"], games=2)
    assert "def options(self) in it, which returns {'number': ...}" in caught.value.mend
    unnamed = type(bw.load_bot("mcts"))(simulations=10, evaluator=lambda states: [(0.0, 0.0)] * len(states))
    with pytest.raises(bw.SettingsError, match="other processes cannot find the evaluator"):
        bw.Match("nim", [unnamed, "random"], games=2)
    for given in (3, dict, bots_of_a_file):
        with pytest.raises(bw.SettingsError, match="is not a bot"):
            bw.Match("nim", [given, "random"], games=2)
