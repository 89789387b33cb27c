"""Games of dice between bots: outcomes from the arena's dice, in records, stores, replays and reviews."""

import io
import random
import shlex
import sys
from pathlib import Path

import pytest
from rich.console import Console

import branchwise as bw
from branchwise.arena.play.referee import Referee, Terms
from branchwise.arena.play.status_board import StatusBoard
from branchwise.arena.play.time_control import TimeControl
from branchwise.arena.records.record import GamePlan
from branchwise.arena.review import review
from branchwise.arena.schedule.match_games import Schedule, SoloSchedule
from branchwise.arena.schedule.openings import RandomOpenings, check_opening, settles
from branchwise.arena.schedule.pairings import PairingSchedule
from branchwise.arena.store.export import game_to_dict
from branchwise.arena.store.store import Store
from branchwise.bots import load_bot, register_bot
from branchwise.bots.base.warm_up import rehearse
from branchwise.cli.matches.replay import Replay
from branchwise.cli.terminal.screen import Screen
from branchwise.common.players import CHANCE
from branchwise.rules.facts.dice import PlayersDice
from branchwise.rules.measured_files.digest import rules_digest
from support.pig import Pig

PIG = f"{Path(__file__).parents[1] / 'support/pig.py'}:Pig"


class Roller(bw.Bot):
    """Rolls until the turn has brought enough; remembers the moves that it was told."""

    name = "roller"
    told = []

    def __init__(self, *, enough=8):
        self.enough = enough

    def choose(self, state, limit, moves):
        self.told.append((state, tuple(moves)))
        return 1 if state.turn >= self.enough else 0


class Slow(bw.Bot):
    """Remembers its clocks."""

    name = "slow"
    clocks = []

    def choose(self, state, limit):
        self.clocks.append(limit.clocks)
        return 1 if state.turn else 0


@pytest.fixture(autouse=True)
def own_bots(own_registrations):
    Roller.told.clear()
    Slow.clocks.clear()
    for bot in (Roller, Slow):
        register_bot(bot, bot.name)


@pytest.fixture
def play():
    board = StatusBoard()

    def play(*bots, game=Pig, opening=(), dice=7, control=None, proofs=True, seating=(0, 1)):
        terms = Terms(bots, control or TimeControl(), proofs)
        plan = GamePlan(0, 0, tuple(opening), seating, (1, 2), dice)
        return Referee(game, plan, terms, board).play()

    yield play
    board.close()


def faces(record):
    return [move.action for move in record.moves if move.is_chance]


def faces_by_player(record):
    """Return the outcomes after moves of each player; every game here begins with a move of player 0."""
    found, mover = ([], []), 0
    for move in record.moves:
        if move.is_chance:
            found[mover].append(move.action)
        else:
            mover = move.seat
    return found


def have_the_same_dice(one, other):
    pairs = list(zip(faces_by_player(one), faces_by_player(other), strict=True))
    assert sum(min(map(len, pair)) for pair in pairs) > 3
    return all(all(a == b for a, b in zip(*pair, strict=False)) for pair in pairs)


def test_a_game_is_played_to_its_end_with_outcomes_among_its_moves(play):
    record = play("roller", "roller(enough=3)", opening=(0, 4))
    playthrough = bw.Playthrough(Pig(), record.actions)
    assert playthrough.is_over
    assert (record.ending, record.returns) == ("end", playthrough.returns)
    assert [move.seat for move in record.moves] == [move.player for move in playthrough.moves][2:]
    assert [move.ply for move in record.moves] == list(range(2, playthrough.ply))
    assert all(
        (move.seconds, move.clock, move.value) == (None,) * 3 for move in record.moves if move.is_chance
    )
    assert len(faces(record)) > 5


def test_bots_are_told_the_outcomes_and_asked_only_for_decisions(play):
    play("roller", "roller")
    assert all(Pig.from_actions(moves) == state for state, moves in Roller.told)
    assert all(state.current_player() in (0, 1) for state, _ in Roller.told)


def test_same_dice_give_the_same_faces_whoever_plays(play):
    one = play("roller", "roller(enough=3)")
    other = play("roller(enough=5)", "roller", seating=(1, 0))
    another = play("roller", "roller(enough=3)", dice=8)
    assert have_the_same_dice(one, other)
    assert not have_the_same_dice(one, another)
    dice = PlayersDice(7)
    for player, found in enumerate(faces_by_player(one)):
        assert found == [dice.roll(Pig.from_actions("roll"), player) for _ in found]


def test_dice_after_an_opening_are_those_of_the_player_who_moved_last(play):
    record = play("roller", "roller", opening=(0, 4, 0))
    assert faces(record)[0] == PlayersDice(7).roll(Pig.from_actions("roll"), 0)


def test_clocks_are_not_charged_for_chance(play):
    record = play("slow", "slow", control=TimeControl(clock=100.0, increment=1.0))
    per_player = [0, 0]
    for move in record.moves:
        if not move.is_chance:
            per_player[move.seat] += 1
            assert move.clock == pytest.approx(100.0 + per_player[move.seat], abs=1.0)
    assert len(Slow.clocks) == sum(per_player)


def test_games_that_do_not_end_count_outcomes_among_their_moves(play):
    class Endless(Pig):
        max_game_length = 7

    record = play("roller", "roller(enough=3)", game=Endless)
    assert (record.ending, len(record.moves)) == ("length", 7)


def test_only_a_proven_win_ends_a_game_of_chance(play):
    """A proven value between is a mean of endings, of which none is settled."""
    sure = play("mcts(simulations=3000)", "mcts(simulations=3000)", dice=3)
    assert sure.ending in ("proof", "end")
    if sure.ending == "proof":
        assert sure.moves[-1].lower == sure.moves[-1].upper == 1.0
    assert sorted(sure.returns) == [-1.0, 1.0]
    assert settles([1.0], Pig)
    assert settles([-1.0], Pig)
    assert not settles([0.25], Pig)
    assert not settles([0.0], Pig)
    assert not settles([None], Pig)


# --- schedules --------------------------------------------------------------------------------------


def test_games_of_a_round_have_the_same_dice_and_others_have_others():
    for schedule in (
        Schedule(2, 6, 1, [()] * 3),
        SoloSchedule(2, 6, 1, [()] * 3),
        PairingSchedule([(0, 1), (0, 2), (1, 2)], 2, 1, [()] * 3),
    ):
        plans = list(schedule)
        dice = {plan.round: plan.dice for plan in plans}
        assert all(plan.dice == dice[plan.round] for plan in plans)
        assert len(set(dice.values())) == 3
        assert not set(dice.values()) & {seed for plan in plans for seed in plan.seeds}
    assert Schedule(2, 2, 1, [()])[0].dice != Schedule(2, 2, 2, [()])[0].dice


def test_openings_count_decisions_and_end_where_a_player_decides():
    openings = RandomOpenings(Pig, 3, seed=2, decided=lambda state: False)
    found = [openings[number] for number in range(12)]
    assert len(set(found)) == 12
    for opening in found:
        played = bw.Playthrough(Pig(), opening)
        assert sum(move.player != CHANCE for move in played.moves) == 3
        assert played.player in (0, 1)
    again = RandomOpenings(Pig, None, seed=2, known=dict(enumerate(found)), decided=lambda state: False)
    again[11]
    assert sum(move.player != CHANCE for move in bw.Playthrough(Pig(), again[12]).moves) == 3


def test_given_openings_name_the_outcomes():
    assert check_opening(["roll", "4", "hold", "roll", "1"], Pig) == (0, 3, 1, 0, 0)


# --- bots -------------------------------------------------------------------------------------------


def test_bot_keeps_its_tree_over_outcomes_and_the_other_players_turn():
    bot, played = load_bot("mcts(simulations=4000)", seed=1), bw.Playthrough(Pig())
    bot.choose(played.state, None, played.actions)
    fresh = bot.result.tree.root.visits
    for move in ("roll", "4"):
        played.play(move)
    bot.choose(played.state, None, played.actions)
    kept = bot.result.tree.root.visits
    assert fresh == 4000 < kept
    for move in ("hold", "roll", "3", "roll", "1"):
        played.play(move)
    bot.choose(played.state, None, played.actions)
    assert bot.result.tree.root.visits > 4000
    assert bot.result.tree.state == played.state


def test_an_outcome_that_the_tree_does_not_hold_begins_anew():
    bot, played = load_bot("mcts(simulations=3)", seed=1), bw.Playthrough(Pig())
    for move in ("roll", "4", "roll", "6", "hold", "roll", "5", "roll", "2"):
        if not played.is_chance and played.player == 0:
            bot.choose(played.state, None, played.actions)
        played.play(move)
    bot.choose(played.state, None, played.actions)
    assert bot.result.tree.state == played.state
    assert bot.result.tree.root.visits >= 3


def test_moves_that_lead_elsewhere_are_not_believed():
    bot, played = load_bot("mcts(simulations=200)", seed=1), bw.Playthrough(Pig())
    bot.choose(played.state, None, played.actions)
    for moves in ((0, 5), (0, 9), (1,)):
        state = Pig.from_actions("roll 4")
        bot.choose(state, None, moves)
        assert bot.result.tree.state == state


def test_bot_keeps_its_tree_without_being_told_the_moves():
    planner, played = bw.MCTS(seed=1), bw.Playthrough(Pig())
    planner.search(played.state, simulations=4000)
    for move in ("roll", "4"):
        action = played.play(move)
        assert planner.advance(action)
    result = planner.search(played.state, simulations=100)
    assert result.tree.root.visits > 100


@pytest.mark.parametrize("bot", ["mcts(simulations=30)", "flat(simulations=30)", "random", "roller"])
def test_bots_rehearse_games_of_chance(bot):
    chosen = []

    def load():
        loaded = load_bot(bot)
        choose = loaded.choose

        def note(state, limit, moves):
            chosen.append(state.current_player())
            return choose(state, limit, moves)

        loaded.choose = note
        return loaded

    class RollsFirst(Pig):
        rolling: bool = True

    rehearse(RollsFirst, load)
    assert len(chosen) == 2
    assert chosen[0] == chosen[1] in (0, 1)


def test_rules_with_other_probabilities_are_other_rules():
    class Loaded(Pig):
        def chance_outcomes(self):
            for face in range(6):
                yield face, 0.5 if face == 5 else 0.1

    assert rules_digest(Pig) != rules_digest(Loaded)


# --- whole matches ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def match_file(tmp_path_factory):
    file = tmp_path_factory.mktemp("matches") / "pig.sqlite"
    bw.Match(PIG, ["mcts(simulations=60)", "random"], games=4, seed=1, openings_depth=1).run(store=file)
    return file


@pytest.fixture
def stored(match_file):
    with Store(match_file, create=False) as store:
        return store.match(), store.games(1)


def test_a_match_is_kept_with_its_outcomes_and_dice(stored):
    _, records = stored
    assert len(records) == 4
    for record in records:
        playthrough = bw.Playthrough(Pig(), record.actions)
        if record.ending == "end":
            assert playthrough.returns == record.returns
        assert CHANCE in {move.seat for move in record.moves}
    assert records[0].plan.dice == records[1].plan.dice != records[2].plan.dice != 0
    for one, other in zip(*map(faces_by_player, records[:2]), strict=True):
        assert one[: len(other)] == other[: len(one)]


def test_the_same_seed_plays_the_same_match(stored):
    again = bw.Match(PIG, ["mcts(simulations=60)", "random"], games=4, seed=1, openings_depth=1).run()
    assert [(r.plan, r.actions, r.returns) for r in again.records] == [
        (r.plan, r.actions, r.returns) for r in stored[1]
    ]


def test_replay_and_export_tell_the_outcomes(stored):
    match, records = stored
    record = records[0]
    out = io.StringIO()
    console = Console(file=out, width=120, markup=False, highlight=False)
    Replay(match, record, Pig, Screen(console, Console(file=io.StringIO()))).show_all()
    told = bw.Playthrough(Pig(), record.actions).moves
    for ply, move in enumerate(told, 1):
        if move.player == CHANCE and ply > len(record.plan.opening):
            assert f"{ply}. chance: {move.text}\n" in out.getvalue()
    exported = game_to_dict(match, record, Pig)
    assert [move["move"] for move in exported["moves"]] == [move.text for move in told][
        len(record.plan.opening) :
    ]
    assert exported["dice"] == record.plan.dice


def test_review_passes_over_outcomes(stored):
    record = stored[1][0]
    decisions = [move.ply for move in record.moves if not move.is_chance]
    reviews = list(review(Pig, record, simulations=200))
    assert [reviewed.move.ply for reviewed in reviews] == decisions
    assert all(reviewed.played.visits >= 1 for reviewed in reviews)


def test_a_tournament_is_played():
    result = bw.Tournament(
        PIG, ["random(seed=1)", "random(seed=2)", "flat(simulations=20)"], games=2, seed=3
    ).run()
    assert len(result.records) == 6
    assert {record.fault for record in result.records} == {None}


def test_a_bot_whose_process_dies_loses_a_game_of_chance():
    quitter = f"{Path(__file__).parents[1] / 'support/unruly.py'}:Quitter"
    result = bw.Match(PIG, [quitter, "random"], games=2, seed=1, openings_depth=0).run()
    assert [record.ending for record in result.records] == ["died", "died"]
    for record in result.records:
        playthrough = bw.Playthrough(Pig(), record.actions)
        assert [move.seat for move in record.moves] == [move.player for move in playthrough.moves]
        assert all(move.seconds is None for move in record.moves if move.is_chance)
    assert any(faces(record) for record in result.records)


def test_minimax_plays_a_match_with_dice():
    result = bw.Match(PIG, ["minimax(depth=3)", "random"], games=4, seed=1).run()
    assert result.games == 4


def test_an_engine_plays_by_ugi():
    command = f"{shlex.quote(sys.executable)} -m branchwise ugi {PIG} --bot random"
    bot, played, source = (
        load_bot(f"engine(command={command!r},nodes=50)"),
        bw.Playthrough(Pig()),
        random.Random(1),
    )
    try:
        for _ in range(6):
            if played.is_chance:
                played.play(source.choice(played.state.legal_actions()))
            played.play(bot.choose(played.state, None, played.actions))
    finally:
        bot.close()
    assert played.ply >= 6
