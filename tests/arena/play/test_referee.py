"""One game: clocks, faults, proofs, and what is recorded. Everything in the tests' own process."""

import time

import pytest

import branchwise as bw
from branchwise.arena.play.referee import Referee, Terms, warm_up
from branchwise.arena.play.status_board import BEGINNING, RULES, THINKING, StatusBoard
from branchwise.arena.play.time_control import TimeControl
from branchwise.arena.records.record import GamePlan
from branchwise.bots import register_bot
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from support.rules import Race
from support.unruly import Answers, Garbler, Leaver, Sleeper, Spoiler, Thrower, Unbuildable, Unshowable


@pytest.fixture
def board():
    board = StatusBoard()
    yield board
    board.close()


@pytest.fixture
def play(board):
    """Play one game between the bots with these text forms, the first of them playing player 0."""

    def play(game, *bots, opening=(), control=None, proofs=True, seating=None):
        terms = Terms(bots, control or TimeControl(), proofs)
        seating = seating or tuple(range(len(bots)))
        plan = GamePlan(0, 0, tuple(opening), seating, tuple(range(1, len(bots) + 1)))
        return Referee(game, plan, terms, board).play()

    return play


OWN = (Garbler, Thrower, Leaver, Unshowable, Answers, Spoiler, Sleeper, Unbuildable)


@pytest.fixture(autouse=True)
def own_bots(own_registrations):
    for bot in (*OWN, Timed):
        register_bot(bot, bot.__name__.lower())


class Timed(bw.Bot):
    """Records the clock times that it gets, and takes its time."""

    name = "timed"
    told = []

    def __init__(self, *, seconds=0.0):
        self.seconds = seconds

    def choose(self, state, limit):
        if limit is not None:
            self.told.append((state.current_player(), limit.clocks, limit.increments[0]))
        time.sleep(self.seconds)
        return state.legal_actions()[0]


def test_a_game_is_played_to_its_end_and_recorded(play):
    record = play(ConnectFour, "random", "random", opening=(3, 3, 4))
    state = ConnectFour.from_actions(record.actions)
    assert state.is_terminal()
    assert record.returns == tuple(state.returns())
    assert record.ending == "end"
    assert record.fault is None
    assert [move.ply for move in record.moves] == list(range(3, len(record.actions)))
    assert [move.seat for move in record.moves] == [ply % 2 for ply in range(3, len(record.actions))]
    assert record.actions[:3] == (3, 3, 4)


def test_the_same_plan_gives_the_same_game(play):
    bots = ("mcts(simulations=50)", "random")
    first, second = (play(ConnectFour, *bots, opening=(3, 3)) for _ in range(2))
    assert first.actions == second.actions
    assert [m.children for m in first.moves] == [m.children for m in second.moves]


def test_seating_says_which_bot_plays_whom(play):
    record = play(Nim, "thrower(good=0)", "random", seating=(1, 0))
    assert record.fault == 1
    assert record.bot_at_fault == 0
    assert record.returns == (1.0, -1.0)
    assert record.points() == (0.0, 1.0)


def test_what_a_search_found_is_recorded(play):
    record = play(ConnectFour, "mcts(simulations=200)", "random", opening=(3, 3))
    searched = record.moves[0]
    assert searched.simulations == 200
    assert sum(child.visits for child in searched.children) == 200
    assert searched.value == next(c.value for c in searched.children if c.action == searched.action)
    assert searched.line[0] == searched.action
    assert searched.depth == len(searched.line)
    assert (searched.lower, searched.upper) == (-1.0, 1.0)
    assert 0 < searched.seconds < record.seconds
    assert record.moves[1].simulations is None
    assert record.moves[1].children == ()


FAULTS = {
    "thrower": ("error", "ValueError('out of ideas')"),
    "garbler": ("error", "half a ? face"),
    "leaver": ("error", "SystemExit('enough')"),
    "unshowable": ("illegal", "answered a Answer that cannot be shown, which is no action number"),
    "answers(answer=None)": ("illegal", "answered None, which is no action number"),
    "answers(answer='e2')": ("illegal", "answered 'e2', which is no action number"),
    "answers(answer=1.0)": ("illegal", "answered 1.0, which is no action number"),
    "answers(answer=True)": ("illegal", "answered True, which is no action number"),
    "answers(answer=7)": ("illegal", "answered 7, which is not legal there"),
    "answers(answer=-1)": ("illegal", "answered -1, which is not legal there"),
    "unbuildable": ("error", "RuntimeError('not today')"),
}


@pytest.mark.parametrize("bot", FAULTS)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_at_fault_loses_and_the_fault_is_reported(play, bot, seat):
    bots = ("random", bot) if seat else (bot, "random")
    record = play(ConnectFour, *bots)
    assert (record.ending, record.detail) == FAULTS[bot]
    assert record.fault == seat
    assert record.returns == ((1.0, -1.0) if seat else (-1.0, 1.0))
    good = 0 if bot == "unbuildable" else 4 + seat
    assert len(record.moves) == good


def test_among_three_the_others_share_what_one_of_them_would_have_won(play):
    record = play(Race, "random", "thrower(good=0)", "random")
    assert record.returns == (0.0, -1.0, 0.0)
    assert record.points() == (0.75, 0.0, 0.75)


def test_a_bot_that_changes_the_state_it_is_shown_changes_nothing(play):
    record = play(ConnectFour, "spoiler", "spoiler")
    assert record.ending == "end"
    assert ConnectFour.from_actions(record.actions).is_terminal()


def test_rules_that_raise_are_no_bots_fault(play):
    class Broken(Nim):
        def apply_action(self, action):
            raise ArithmeticError("a fault of the rules")

    with pytest.raises(ArithmeticError):
        play(Broken, "random", "random")


def test_a_move_over_its_seconds_loses_but_not_within_the_allowance(play):
    slow = "sleeper(good=0,nap=0.2)"
    record = play(TicTacToe, slow, "random", control=TimeControl(seconds=0.05, allowance=0.05))
    assert (record.ending, record.fault, record.moves) == ("time", 0, ())
    assert record.detail.startswith("took 0.2")
    assert record.detail.endswith("s for a move of 0.05 s")
    record = play(TicTacToe, slow, "random", control=TimeControl(seconds=0.05, allowance=30))
    assert record.ending == "end"


def test_the_clock_runs_over_the_game_and_grows_with_each_move(play):
    control = TimeControl(clock=100.0, increment=2.0, allowance=0.0)
    Timed.told.clear()
    record = play(TicTacToe, "timed(seconds=0.01)", "random", control=control)
    mine = [move for move in record.moves if move.seat == 0]
    left = 100.0
    for move in mine:
        left += 2.0 - move.seconds
        assert move.clock == pytest.approx(left)
    assert Timed.told[0] == (0, (100.0, 100.0), 2.0)
    assert Timed.told[1][1][0] == pytest.approx(mine[0].clock)


def test_an_overstepped_clock_loses(play):
    control = TimeControl(clock=0.25, allowance=0.0)
    record = play(TicTacToe, "timed(seconds=0.1)", "random", control=control)
    assert (record.ending, record.fault) == ("time", 0)
    assert "on the clock" in record.detail
    assert len([move for move in record.moves if move.seat == 0]) <= 2


def test_a_bot_with_a_clock_goes_by_the_arenas(play):
    control = TimeControl(clock=1.0, increment=0.0, allowance=60.0)
    record = play(ConnectFour, "mcts(clock=1000)", "random", control=control, opening=(3, 3))
    assert all(move.seconds < 20 for move in record.moves)
    assert record.ending in ("end", "proof")


def test_a_game_is_no_longer_than_its_rules_let_it_be(play):
    class Endless(Nim):
        def apply_action(self, action):
            self.mover = 1 - self.mover

    record = play(Endless, "random", "random")
    assert (record.ending, record.returns, len(record.moves)) == (
        "length",
        (0.0, 0.0),
        Endless.max_game_length,
    )


# --- proofs -----------------------------------------------------------------------------------------


def test_a_win_that_its_winner_has_proven_ends_the_game(play):
    opening = (4, 3)  # the centre and an edge: the first player wins by force
    record = play(TicTacToe, "mcts(simulations=5000)", "random", opening=opening)
    assert record.ending == "proof"
    assert record.returns == (1.0, -1.0)
    assert record.moves[-1].lower == 1.0
    assert not TicTacToe.from_actions(record.actions).is_terminal()
    played_on = play(TicTacToe, "mcts(simulations=5000)", "random", opening=opening, proofs=False)
    assert played_on.ending == "end"
    assert played_on.returns == (1.0, -1.0)
    assert played_on.actions[: len(record.actions)] == record.actions


def test_a_loss_that_only_the_loser_has_proven_does_not_end_the_game(play):
    record = play(TicTacToe, "random", "mcts(simulations=5000)", opening=(4, 3))
    proven = [move for move in record.moves if move.seat == 1 and move.upper == -1.0]
    assert proven, "the loser knows"
    assert record.actions.index(proven[0].action) < len(record.actions) - 1


def test_a_draw_ends_the_game_when_both_have_proven_it(play):
    record = play(TicTacToe, "mcts(simulations=5000)", "mcts(simulations=5000)", opening=(4, 0))
    assert record.ending == "proof"
    assert record.returns == (0.0, 0.0)
    assert [(move.lower, move.upper) for move in record.moves[-2:]] == [(0.0, 0.0)] * 2
    assert not TicTacToe.from_actions(record.actions).is_terminal()
    alone = play(TicTacToe, "mcts(simulations=5000)", "minimax(depth=9)", opening=(4, 0))
    assert alone.ending == "end"
    assert alone.returns == (0.0, 0.0)


def test_what_a_bot_says_of_another_position_is_not_believed(play):
    class Liar(bw.Bot):
        name = "liar"

        def __init__(self):
            planner = bw.MCTS(seed=1)
            self.result = planner.search(TicTacToe.from_actions(["b2", "a2"]), simulations=5000)

        def choose(self, state):
            return state.legal_actions()[0]

    register_bot(Liar, "liar")
    record = play(TicTacToe, "liar", "random", opening=(4, 1))
    assert record.ending == "end"
    assert all(move.simulations is None for move in record.moves)


# --- the board of turns -----------------------------------------------------------------------------


def test_moves_can_be_read_from_outside_while_the_game_continues(board):
    seen = []

    class Watcher(bw.Bot):
        name = "watcher"

        def choose(self, state):
            other = StatusBoard.__new__(StatusBoard)
            other._memory = board._memory
            seen.append((other.read(), [action for action, _ in other.moves()]))
            return state.legal_actions()[0]

    register_bot(Watcher, "watcher")
    plan = GamePlan(0, 0, (), (0, 1), (1, 2))
    record = Referee(Nim, plan, Terms(("watcher", "random"), TimeControl()), board).play()
    for turn, actions in seen:
        assert (turn.doing, turn.seat, turn.limit) == (THINKING, 0, 60.0)
        assert tuple(actions) == record.actions[: turn.moves]
        assert turn.moves == len(actions)


def test_rules_are_never_at_work_in_the_name_of_a_bot(board):
    """A bot is not blamed for rules that hang: the board notes each call of the rules before it begins."""
    doings = []

    class Told(Nim):
        def legal_actions(self):
            doings.append(board.read().doing)
            return Nim.legal_actions(self)

        def apply_action(self, action):
            doings.append(board.read().doing)
            Nim.apply_action(self, action)

    plan = GamePlan(0, 0, (0, 1), (0, 1), (1, 2))
    Referee(Told, plan, Terms(("random", "random"), TimeControl(patience=3.0)), board).play()
    assert doings[:4] == [RULES] * 4
    assert set(doings) == {RULES, THINKING}


def test_warming_up_ends_long_thoughts_and_swallows_faults(board):
    terms = Terms(("mcts(seconds=1000)", "thrower(good=0)", "leaver(good=0)"), TimeControl())
    started = time.perf_counter()
    for place in range(3):
        warm_up(ConnectFour, terms, place, 0, board)
    assert time.perf_counter() - started < 120


# --- bots that begin before their code is there -----------------------------------------------------------


class Noted(StatusBoard):
    """Remembers what was noted."""

    def __init__(self):
        super().__init__()
        self.noted = []

    def note(self, doing, seat=-1, limit=float("inf")):
        self.noted.append((doing, limit))
        super().note(doing, seat, limit)


def test_game_that_begins_at_once_is_the_same_as_with_compiled_code(late_code):
    late_code.asked_for = 10**9
    plan = GamePlan(0, 0, (), (0, 1), (1, 2))
    bots = ("mcts(simulations=40)", "flat(simulations=40)")
    played = []
    for at_once in (True, False):
        board, warm = Noted(), set()
        terms = Terms(bots, TimeControl(patience=30.0), at_once=at_once)
        record = Referee(TicTacToe, plan, terms, board, warm=warm if at_once else None).play()
        played.append((record.actions, record.returns, record.ending))
        noted = {doing for doing, _ in board.noted}
        assert (BEGINNING in noted) == at_once
        assert len(late_code.begun) == 2
        board.close()
    assert played[0] == played[1]


def test_bots_are_warm_once_nothing_is_compiled_after_their_move(monkeypatch):
    compiling = iter([True] * 3 + [False] * 100)
    monkeypatch.setattr(
        "branchwise.arena.play.referee.compiling_now", lambda: object() if next(compiling) else None
    )
    board, warm = Noted(), set()
    terms = Terms(("random", "random"), TimeControl(patience=30.0), at_once=True)
    Referee(TicTacToe, GamePlan(0, 0, (), (0, 1), (1, 2)), terms, board, warm=warm).play()
    thoughts = [(doing, limit) for doing, limit in board.noted if doing in (BEGINNING, THINKING)]
    assert thoughts[:5] == [(BEGINNING, 60.0)] * 5
    assert set(thoughts[5:]) == {(THINKING, 30.0)}
    assert warm == {0, 1}
    board.close()
