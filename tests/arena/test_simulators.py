"""Simulators between bots: the world has numbers of its own, and records hold the states that came."""

import io
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import branchwise as bw
from branchwise.arena.play.referee import Referee, Terms
from branchwise.arena.play.status_board import StatusBoard
from branchwise.arena.play.time_control import TimeControl
from branchwise.arena.records.playback import played_again, played_with_dice
from branchwise.arena.records.record import GamePlan
from branchwise.arena.review import review
from branchwise.arena.store.export import game_to_dict
from branchwise.arena.store.store import Store
from branchwise.bots import register_bot
from branchwise.cli.matches.replay import Replay
from branchwise.cli.terminal.screen import Screen
from branchwise.rules.facts.dice import DICE, PlayersDice
from support.pig import Pig
from support.simulators import Dash, Doors, Drift

SIMULATORS = Path(__file__).parents[1] / "support/simulators.py"
DASH, DRIFT = f"{SIMULATORS}:Dash", f"{SIMULATORS}:Drift"


class Runner(bw.Bot):
    """Runs, and every so many moves walks; remembers the states that it was shown."""

    name = "runner"
    shown = []

    def __init__(self, *, walks=1000):
        self.walks = walks
        self.moves = 0

    def choose(self, state):
        self.shown.append(state)
        self.moves += 1
        return 0 if self.moves % self.walks == 0 else 1


class Guesser(bw.Bot):
    """Guesses what a simulator draws from all numbers that it knows."""

    name = "guesser"

    def __init__(self, *, seed=None):
        self.seed = seed

    def choose(self, state, limit, moves):
        return bw.Random(self.seed + len(moves)).below(2)


@pytest.fixture(autouse=True)
def own_bots(own_registrations):
    Runner.shown.clear()
    for bot in (Runner, Guesser):
        register_bot(bot, bot.name)


@pytest.fixture
def play():
    board = StatusBoard()

    def play(*bots, game=Dash, dice=7, seating=(0, 1), seeds=(1, 2)):
        plan = GamePlan(0, 0, (), seating, seeds, dice)
        return Referee(game, plan, Terms(bots, TimeControl()), board).play()

    yield play
    board.close()


def steps(record):
    """Return how far each player came with each move, by player."""
    found = ([], [])
    before = [0, 0]
    for move in record.moves:
        places = json.loads(move.reached)["state"]["places"]
        found[move.seat].append(places[move.seat] - before[move.seat])
        before = places
    return found


# --- one game ---------------------------------------------------------------------------------------


def test_bots_see_the_states_that_came_and_the_record_holds_them(play):
    record = play("runner", "runner")
    again = played_again(Dash, record)
    assert again.is_over
    assert (record.ending, record.returns) == ("end", again.returns)
    assert [state for state, _ in again.positions()] == Runner.shown
    assert [move.seat for move in record.moves] == [move.player for move in again.moves]


def test_a_players_next_move_has_the_same_luck_in_both_seatings(play):
    """Whatever was played before: a move that draws nothing takes none of the luck of those that follow."""
    one, other = play("runner", "runner"), play("runner(walks=2)", "runner", seating=(1, 0))
    for always, sometimes in zip(steps(one), steps(other), strict=True):
        for number, (ran, came) in enumerate(zip(always, sometimes, strict=False), 1):
            assert ran == came or (number % 2 == 0 and came == 2)
    assert steps(one) != steps(play("runner", "runner", dice=8))
    assert len({tuple(steps(play("runner", "runner", dice=dice))[0][:2]) for dice in range(20)}) > 8


def test_a_bot_cannot_know_what_the_world_will_draw(play):
    """Not even with all numbers that it is given, if its seed were that of the world."""
    record = play("guesser", game=Doors, seating=(0,), seeds=(7,), dice=7)
    assert record.returns[0] == pytest.approx(50, abs=15)


def test_the_same_seeds_play_the_same_game(play):
    one, other = (play("mcts(simulations=30)", "mcts(simulations=60)") for _ in range(2))
    assert [(m.action, m.reached, m.value) for m in one.moves] == [
        (m.action, m.reached, m.value) for m in other.moves
    ]


def test_dice_decide_a_game_again_whose_states_were_not_told(play):
    """As they do where the process of a bot has died."""
    record = play("runner(walks=3)", "runner")
    again = played_with_dice(Dash, record.plan, record.actions)
    assert again.state == played_again(Dash, record).state
    assert again.ply == len(record.moves)
    broken = played_with_dice(Dash, record.plan, [*record.actions[:2], 5, 0])
    assert broken.ply == 2


def test_a_paying_simulator_that_does_not_end_gives_what_was_paid(play):
    class Short(Doors):
        max_game_length = 5

    record = play("guesser", game=Short, seating=(0,))
    assert record.ending == "length"
    assert record.returns == played_again(Short, record).paid
    assert record.returns == (sum(json.loads(move.reached)["rewards"][0] for move in record.moves),)


# --- records ----------------------------------------------------------------------------------------


def test_a_record_is_the_same_game_under_rules_that_draw_in_another_way(play):
    class Twice(Dash):
        name = "dash"

        def apply_action(self, action, random):
            random.uniform()
            self.places[self.mover] += 2 if action == 0 else random.below(6)
            self.mover = 1 - self.mover

    record = play("runner", "runner")
    assert (
        played_with_dice(Twice, record.plan, record.actions).to_dict() != played_again(Dash, record).to_dict()
    )
    assert played_again(Twice, record).to_dict() == played_again(Dash, record).to_dict()


def test_a_record_under_rules_with_other_fields_is_one_clear_error(play):
    class Tired(Dash):
        name = "dash"
        tired: bool = False

    with pytest.raises(bw.GameError, match="the fields places, mover are not those of dash") as caught:
        played_again(Tired, play("runner", "runner"))
    assert "\n" not in caught.value.problem


def test_a_record_under_rules_that_forbid_a_move_names_it(play):
    class Lame(Dash):
        name = "dash"

        def legal_actions(self):
            yield 0
            if self.places[self.mover] == 0:
                yield 1

    with pytest.raises(bw.ActionError, match="move 3: action 1 is not legal here"):
        played_again(Lame, play("runner", "runner"))


@pytest.mark.parametrize(
    ("reached", "told"),
    [
        (None, "does not tell what came of move 1"),
        ("[]", "does not tell what came of move 1"),
        ("{", "has a state that cannot be read"),
        ('{"state": {"place": 1.0}, "rewards": [1]}', "the fields place are not those of drift"),
        ('{"state": {"place": 1.0, "steps": 1}}', "does not tell what came of move 1"),
        ('{"state": {"place": 1.0, "steps": 1}, "rewards": [1, 2]}', "does not tell what came of move 1"),
        ('{"state": {"place": "a", "steps": 1}, "rewards": [1]}', "the field place of this drift state"),
    ],
)
def test_a_spoilt_record_is_one_clear_error(play, reached, told):
    record = play("runner", game=Drift, seating=(0,))
    first, *others = record.moves
    with pytest.raises(bw.GameError, match=told) as caught:
        played_again(Drift, replace(record, moves=(replace(first, reached=reached), *others)))
    assert "\n" not in caught.value.problem


def test_games_that_list_their_outcomes_hold_no_states(play):
    record = play("random", "random", game=Pig)
    assert {move.reached for move in record.moves} == {None}
    assert "reached" not in game_to_dict(stored_like(record), record, Pig)["moves"][0]


def stored_like(record):
    """Return what the store tells of the match of a game."""

    class Stored:
        id, game, bots = 1, "pig", ("random", "random")

    return Stored()


# --- whole matches ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def match_file(tmp_path_factory):
    file = tmp_path_factory.mktemp("matches") / "dash.sqlite"
    bw.Match(DASH, ["mcts(simulations=40)", "random"], games=4, seed=1).run(store=file)
    return file


def games_of(file, match=1):
    with Store(file, create=False) as store:
        return store.match(match), store.games(match)


def test_a_match_keeps_states_and_is_replayed_exported_and_reviewed(match_file):
    match, records = games_of(match_file)
    for record in records:
        assert played_again(Dash, record).is_over
        assert record.plan.opening == ()
    assert records[0].plan.dice == records[1].plan.dice != records[2].plan.dice
    record = records[0]
    again = played_again(Dash, record)
    out = io.StringIO()
    console = Console(file=out, width=120, markup=False, highlight=False)
    Replay(match, record, Dash, Screen(console, Console(file=io.StringIO()))).show_all()
    for state, _ in again.positions():
        assert str(state) in out.getvalue()
    exported = game_to_dict(match, record, Dash)
    assert [move["reached"] for move in exported["moves"]] == [json.loads(m.reached) for m in record.moves]
    reviews = list(review(Dash, record, simulations=60))
    assert [reviewed.state for reviewed in reviews] == [state for state, _ in again.positions()]
    assert all(reviewed.played.visits >= 29 and reviewed.lost >= 0 for reviewed in reviews)


def test_a_match_that_was_interrupted_continues_with_the_same_world(match_file, tmp_path):
    file = tmp_path / "again.sqlite"
    with sqlite3.connect(match_file) as old, sqlite3.connect(file) as new:
        old.backup(new)
        new.execute("DELETE FROM games WHERE number IN (1, 3)")
        new.execute("DELETE FROM moves WHERE game IN (1, 3)")
        new.execute("UPDATE matches SET ended_by = ''")
    old.close()
    new.close()
    bw.Match.resume(file, trust=True)
    before, after = games_of(match_file)[1], games_of(file)[1]
    assert [(r.plan, r.returns, [(m.action, m.reached) for m in r.moves]) for r in before] == [
        (r.plan, r.returns, [(m.action, m.reached) for m in r.moves]) for r in after
    ]


def test_a_game_whose_process_dies_is_kept_with_its_states(tmp_path):
    bot = tmp_path / "dying.py"
    bot.write_text(
        "import os\nimport branchwise as bw\n\n\nclass Dying(bw.Bot):\n    def choose(self, state):\n"
        "        if state.steps == 3:\n            os._exit(3)\n        return 2\n"
    )
    file = tmp_path / "drift.sqlite"
    bw.Match(DRIFT, [f"{bot}:Dying"], games=1, seed=4).run(store=file)
    (record,) = games_of(file)[1]
    assert (record.ending, len(record.moves)) == ("died", 3)
    again = played_again(Drift, record)
    assert again.state.steps == 3
    assert again.paid == record.returns == (-3.0,)
    assert again.state == played_with_dice(Drift, record.plan, record.actions).state


def test_a_tournament_of_one_player_runs_and_tells_the_best(tmp_path):
    file = tmp_path / "drift.sqlite"
    result = bw.Tournament(DRIFT, ["mcts(simulations=30)", "random"], games=2, seed=1).run(store=file)
    assert len(result.records) == 4
    assert result.best is not None
    assert set(result.best.moves) <= {"0", "1", "2"}


@pytest.mark.parametrize("options", [{"openings": [[1]]}, {"openings_depth": 2}])
def test_openings_of_a_simulator_are_refused_in_one_sentence(options):
    with pytest.raises(bw.SettingsError, match="is drawn in dash, so its games have no openings") as caught:
        bw.Match(DASH, ["random", "random"], **options)
    assert "\n" not in caught.value.problem


# --- stores of versions with other dice ----------------------------------------------------------------


def test_these_dice_are_of_this_version():
    """If these numbers change, `DICE` has to: a match of a store goes on with its own dice or not at all."""
    dice, rolling = PlayersDice(7), Pig.from_actions("roll")
    assert DICE == 2
    assert [dice.roll(rolling, player) for player in (0, 0, 0, 1, 1, 1)] == [0, 4, 5, 4, 4, 5]
    assert [dice.random(player).below(100) for player in (0, 0, 0, 1, 1, 1)] == [99, 60, 75, 5, 97, 84]


@pytest.mark.parametrize("dice", [None, 1, DICE + 1])
@pytest.mark.parametrize("kind", ["match", "tournament"])
def test_a_store_of_a_version_with_other_dice_is_not_resumed(tmp_path, dice, kind):
    file, games = tmp_path / "pig.sqlite", {"match": bw.Match, "tournament": bw.Tournament}[kind]
    bots = ["random", "mcts(simulations=5)"]
    begun = games("pig", bots, games=2, seed=1)
    settings = {name: value for name, value in begun.settings().items() if name != "dice"}
    with Store(file) as store:
        kept = settings if dice is None else settings | {"dice": dice}
        number = store.begin("pig", tuple(bots), 2, kept, {}, kind=kind)
        store.release(number)
    with pytest.raises(bw.StoreError, match=f"{kind} 1 was begun by a version with other dice") as caught:
        games.resume(file)
    assert "\n" not in caught.value.problem
    assert games_of(file)[0].state == "interrupted"


def test_dice_are_no_matter_where_there_are_none(tmp_path):
    settings = bw.Match("nim", ["random", "random"], games=2, seed=1).settings()
    assert "dice" not in settings
    assert bw.Match(DASH, ["random", "random"], games=2, seed=1).settings()["dice"] == DICE
    again = bw.Match.from_settings(bw.Match("pig", ["random", "random"], games=2, seed=1).settings())
    assert again.settings()["dice"] == DICE
