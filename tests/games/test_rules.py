"""What each game's rules say, case by case."""

import random

import pytest

import branchwise as bw
from branchwise.games.backgammon import Backgammon
from branchwise.games.cant_stop import CantStop
from branchwise.games.connect_four import ConnectFour
from branchwise.games.mnk import MNK
from branchwise.games.nim import Nim
from branchwise.games.pig import Pig
from branchwise.games.sudo_tic_tac_toe import SudoTicTacToe
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.games.ultimate_tic_tac_toe import UltimateTicTacToe
from branchwise.games.yahtzee import BOXES, Yahtzee
from branchwise.testing import value_iteration


def played(game, moves):
    return game.from_actions(moves.split())


def legal_texts(state):
    return [state.action_to_string(action) for action in state.legal_actions()]


# --- tic-tac-toe and m,n,k-games ------------------------------------------------------------------------


def test_tic_tac_toe_on_bits_and_mnk_win_the_same_eight_lines():
    lines = ["a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3", "a1 b2 c3", "a3 b2 c1"]
    for line in lines:
        mine = line.split()
        others = [cell for cell in ("a1", "b1", "c3", "b3", "a2", "c2") if cell not in mine][:2]
        moves = f"{mine[0]} {others[0]} {mine[1]} {others[1]} {mine[2]}"
        for game in (TicTacToe, MNK.configured(rows=3, columns=3, in_a_row=3)):
            state = played(game, moves)
            assert state.is_terminal()
            assert state.returns() == (1.0, -1.0)


def test_a_full_tic_tac_toe_board_without_a_line_is_a_draw():
    state = played(TicTacToe, "a1 b1 c1 b2 a2 c2 b3 a3 c3")
    assert state.is_terminal()
    assert state.returns() == (0.0, 0.0)


def test_a_line_with_the_last_cell_wins():
    state = played(TicTacToe, "a1 a2 b1 b2 c2 a3 b3 c3 c1")
    assert state.taken == 0o777
    assert state.returns() == (1.0, -1.0)


def test_mnk_default_is_four_in_a_row_on_5x5_without_gravity():
    assert (MNK.rows, MNK.columns, MNK.in_a_row, MNK.gravity, MNK.num_actions) == (5, 5, 4, False, 25)
    assert legal_texts(MNK())[0] == "a5"
    state = played(MNK, "b2 a1 c3 a2 d4 a3 e5")
    assert state.is_terminal()
    assert state.returns() == (1.0, -1.0)


def test_marks_fall_down_their_column_with_gravity():
    game = MNK.configured(gravity=True)
    assert game.num_actions == 5
    assert legal_texts(game()) == ["a1", "b1", "c1", "d1", "e1"]
    state = played(game, "b1 b2 b3 b4 b5")
    assert legal_texts(state) == ["a1", "c1", "d1", "e1"]
    assert state.board[:, 1].tolist() == [1, 2, 1, 2, 1]


def test_a_line_longer_than_needed_wins():
    state = played(MNK, "a1 a5 b1 b5 d1 d5 e1 e5 c1")
    assert state.returns() == (1.0, -1.0)


def test_one_in_a_row_is_won_by_the_first_move():
    state = MNK.configured(rows=1, columns=1, in_a_row=1)()
    state.apply_action(0)
    assert state.returns() == (1.0, -1.0)


def test_mnk_boards_may_be_large():
    state = played(MNK.configured(rows=19, columns=19, in_a_row=5), "a1 b19 a2 c19 a3 d19 a4 e19 a5")
    assert state.returns() == (1.0, -1.0)


# --- Connect Four ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "moves",
    [
        "a1 a2 b1 b2 c1 c2 d1",
        "a1 b1 a2 b2 a3 b3 a4",
        "a1 b1 b2 c1 d1 c2 c3 d2 d3 e1 d4",
        "g1 f1 f2 e1 d1 e2 e3 d2 d3 c1 d4",
    ],
    ids=["across", "up", "rising", "falling"],
)
def test_four_discs_in_a_line_win(moves):
    state = played(ConnectFour, moves)
    assert state.is_terminal()
    assert state.returns() == (1.0, -1.0)


def test_a_line_does_not_run_over_the_edge_of_the_board():
    state = played(ConnectFour, "a1 b1 a2 b2 a3 c1 b3 b4 b5 c2 b6 a4 g1 a5 g2 a6")
    assert not state.is_terminal()  # a1 a2 a3 and b5 b6 are no line, nor do a6 and b1 touch


def test_the_second_player_wins_too():
    assert played(ConnectFour, "a1 b1 a2 b2 a3 b3 c1 b4").returns() == (-1.0, 1.0)


def test_a_full_column_takes_no_more_discs():
    state = played(ConnectFour, "d1 d2 d3 d4 d5 d6")
    assert legal_texts(state) == ["a1", "b1", "c1", "e1", "f1", "g1"]


def test_a_column_alone_names_its_move():
    state = ConnectFour.from_actions(["d", "D", " d "])
    assert state == played(ConnectFour, "d1 d2 d3")


# --- sudo tic-tac-toe -----------------------------------------------------------------------------------


def test_the_first_move_of_sudo_is_free():
    assert len(SudoTicTacToe().legal_actions()) == 81


def test_the_cell_of_a_move_names_the_next_local_board():
    state = played(SudoTicTacToe, "f9")  # the top right cell of the top middle board
    assert legal_texts(state) == ["g9", "h9", "i9", "g8", "h8", "i8", "g7", "h7", "i7"]
    state.apply_action(state.action_from_string("h8"))  # the centre of the top right board
    assert legal_texts(state) == ["d6", "e6", "f6", "d5", "e5", "f5", "d4", "e4", "f4"]


def test_a_marked_cell_of_the_named_board_is_not_legal():
    state = played(SudoTicTacToe, "e5")
    assert len(state.legal_actions()) == 8
    assert "e5" not in legal_texts(state)


@pytest.mark.parametrize(("player", "returns"), [(0, (1.0, -1.0)), (1, (-1.0, 1.0))])
def test_whoever_wins_one_local_board_wins_sudo(player, returns):
    state = SudoTicTacToe(board=4, mover=player)
    state.marks[4, player] = 0o003
    state.empty[4] = 0o774
    state.apply_action(9 * 4 + 2)
    assert state.is_terminal()
    assert state.returns() == returns


def test_sudo_continues_while_no_local_board_is_won():
    state = played(SudoTicTacToe, "a9 b9 d9 c9 g9 a8 b6")
    assert not state.is_terminal()


def test_where_the_named_board_is_full_any_free_cell_may_be_marked():
    state = SudoTicTacToe(board=4)
    state.marks[0, 0], state.marks[0, 1], state.empty[0] = 0o532, 0o245, 0  # full, and nobody's
    state.open_boards = 8
    state.apply_action(9 * 4 + 0)
    actions = state.legal_actions()
    assert len(actions) == 81 - 9 - 1
    assert {action // 9 for action in actions} == set(range(1, 9))


def test_sudo_is_drawn_when_all_is_full():
    state = SudoTicTacToe(board=8, open_boards=1)
    state.empty[:] = 0
    state.empty[8] = 1
    state.apply_action(9 * 8 + 0)
    assert state.is_terminal()
    assert state.returns() == (0.0, 0.0)


# --- ultimate tic-tac-toe -------------------------------------------------------------------------------


def won_board(board, **fields):
    """Player 0 is to move in `board`, and wins it by marking its last cell, number 8."""
    state = UltimateTicTacToe(board=board, **fields)
    state.marks[board, 0] = 0o300
    state.empty[board] = 0o477
    return state


def test_the_win_of_one_local_board_does_not_end_ultimate():
    state = won_board(0)
    state.apply_action(8)
    assert not state.is_terminal()
    assert state.boards_won.tolist() == [1, 0]
    assert state.board == 8


def test_a_local_board_that_is_won_frees_the_choice_of_the_others():
    state = won_board(8)
    state.apply_action(9 * 8 + 8)
    actions = state.legal_actions()
    assert len(actions) == 72
    assert 8 not in {action // 9 for action in actions}


@pytest.mark.parametrize(
    ("others", "won"), [(0b000_000_110, True), (0b100_010_000, True), (0b000_001_010, False)]
)
def test_three_local_boards_in_a_row_win_ultimate(others, won):
    state = won_board(0)
    state.boards_won[0] = others
    state.apply_action(8)
    assert state.is_terminal() == won
    assert state.returns() == ((1.0, -1.0) if won else (0.0, 0.0))


def test_the_last_local_board_without_a_line_of_boards_is_a_draw():
    state = won_board(8, open_boards=1)
    state.empty[:8] = 0
    state.apply_action(9 * 8 + 8)
    assert state.is_terminal()
    assert state.returns() == (0.0, 0.0)


# --- Nim ------------------------------------------------------------------------------------------------


def test_nim_starts_with_21_chips_of_which_one_to_three_are_taken():
    state = Nim()
    assert state.chips.tolist() == [21]
    assert legal_texts(state) == ["1", "2", "3"]


def test_no_more_chips_are_taken_than_there_are():
    assert legal_texts(Nim(chips=2)) == ["1", "2"]


@pytest.mark.parametrize(("misere", "returns"), [(False, (1.0, -1.0)), (True, (-1.0, 1.0))])
def test_the_last_chip_wins_or_loses(misere, returns):
    state = Nim.configured(misere=misere)(chips=2)
    state.apply_action(1)
    assert state.is_terminal()
    assert state.returns() == returns


def test_moves_name_one_of_several_heaps():
    game = Nim.configured(heaps=(1, 0, 3), max_take=2)
    assert legal_texts(game()) == ["a1", "c1", "c2"]
    assert game.from_actions(["c2", "a1"]).chips.tolist() == [0, 0, 1]


def test_nim_ends_when_every_heap_is_empty():
    game = Nim.configured(heaps=(1, 1))
    assert not game.from_actions(["a1"]).is_terminal()
    assert game.from_actions(["a1", "b1"]).returns() == (-1.0, 1.0)


def test_max_take_0_is_no_limit():
    game = Nim.configured(heaps=(4, 9), max_take=0)
    assert (game.most, game.num_actions, len(game().legal_actions())) == (9, 18, 13)


# --- pig ------------------------------------------------------------------------------------------------


def test_a_one_loses_the_points_of_the_turn_and_the_turn():
    state = played(Pig, "roll 6 roll 1")
    assert (state.scores.tolist(), state.turn_total, state.current_player()) == ([0, 0], 0, 1)


def test_holding_keeps_the_points_and_passes_the_die():
    state = played(Pig, "roll 6 roll 2 hold roll 4")
    assert (state.scores.tolist(), state.turn_total, state.current_player()) == ([8, 0], 4, 1)


def test_the_die_has_every_number_with_the_same_chance():
    state = played(Pig.configured(sides=10), "roll")
    assert state.current_player() == bw.CHANCE
    assert state.chance_outcomes() == [(outcome, 0.1) for outcome in range(10)]


def test_who_has_the_points_on_the_table_holds_and_wins():
    state = played(Pig.configured(target=9), "hold roll 4 roll 5")
    assert not state.is_terminal()
    assert legal_texts(state) == ["hold"]
    state.play("hold")
    assert state.is_terminal()
    assert state.returns() == (-1.0, 1.0)


# --- backgammon -----------------------------------------------------------------------------------------


def placed(dice, mine, others=None, mover=0):
    """Return the state in which `mover` has rolled `dice`, with checkers by point; all else is off."""
    state = Backgammon(checkers=0, high=max(dice), low=min(dice), mover=mover, started=True)
    for player, places in ((mover, mine), (1 - mover, others or {0: 1})):
        for point, count in places.items():
            state.checkers[player, point] = count
        state.off[player] = 15 - sum(places.values())
    return state


def test_the_higher_die_begins_and_both_dice_are_the_first_roll():
    assert legal_texts(Backgammon())[:6] == ["1-2", "1-3", "1-4", "1-5", "1-6", "2-1"]
    for dice, player in (("6-2", 0), ("2-6", 1)):
        state = played(Backgammon, dice)
        assert (state.high, state.low, state.current_player()) == (6, 2, player)


def test_checkers_on_the_bar_enter_first():
    state = placed((5, 2), {24: 1, 12: 2}, {0: 2, 2: 1})
    assert legal_texts(state) == [
        *("bar/20,13/11", "bar/20,20/18"),
        *("bar/23,13/8", "bar/23,23/18"),
    ]
    assert legal_texts(placed((5, 2), {24: 2, 12: 2}, {4: 2, 1: 2})) == ["pass"]


def test_both_dice_are_played_if_possible_else_the_higher_one():
    blocked = {23 - 3: 2}  # a point that the sum of the dice would reach
    assert legal_texts(placed((5, 3), {11: 1}, blocked)) == ["12/7"]
    assert legal_texts(placed((5, 3), {11: 1}, {**blocked, 23 - 6: 2})) == ["12/9"]


def test_a_checker_bears_off_by_a_higher_die_only_from_the_last_point():
    assert legal_texts(placed((6, 5), {3: 1, 1: 1})) == ["4/off,2/off"]
    assert legal_texts(placed((6, 1), {5: 1, 6: 1})) == ["7/1,1/off", "7/1,6/5", "7/6,6/off"]


def test_a_hit_checker_goes_to_the_bar():
    state = placed((4, 1), {11: 2}, {23 - 7: 1})
    state.play("12/8,8/7")
    assert (state.checkers[1, 24], state.checkers[0, 6]) == (1, 1)


def test_a_double_is_played_twice_unless_it_cannot_be_played_once():
    state = placed((2, 2), {20: 2, 12: 2})
    state.play("21/19,21/19")
    assert (state.current_player(), state.again) == (0, True)
    state.play("19/17,19/17")
    assert (state.current_player(), state.mover) == (bw.CHANCE, 1)
    state = placed((2, 2), {24: 1}, {1: 2})
    state.play("pass")
    assert (state.current_player(), state.mover) == (bw.CHANCE, 1)


def test_who_has_borne_off_all_checkers_wins_at_once():
    state = placed((1, 1), {0: 1}, mover=1)
    state.play("1/off")
    assert state.is_terminal()
    assert state.returns() == (-1.0, 1.0)


def test_the_evaluation_does_not_depend_on_who_is_called_first(positions):
    for state in positions(Backgammon, 2):
        if state.started and not state.is_terminal():
            twin = Backgammon(checkers=state.checkers[::-1], mover=1 - state.mover, started=True)
            assert state.evaluate()[0] == -state.evaluate()[1] == pytest.approx(twin.evaluate()[1])


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (({5: 4, 4: 4}, {5: 4, 4: 4}), ({5: 4, 11: 4}, {5: 4, 4: 4})),  # pips
        (({5: 2, 4: 2, 3: 2}, {12: 6}), ({5: 2, 4: 3, 2: 1}, {12: 6})),  # points
        (({12: 2, 10: 2}, {20: 2}), ({12: 3, 9: 1}, {20: 2})),  # a blot
        (({5: 2, 4: 2}, {24: 1, 5: 2}), ({5: 2, 4: 2}, {18: 1, 5: 2})),  # the bar
    ],
)
def test_the_evaluation_is_better_with_a_lead_points_no_blots_and_others_on_the_bar(better, worse):
    ours, theirs = (placed((6, 5), *places).evaluate()[0] for places in (better, worse))
    assert ours > theirs


# --- pig ------------------------------------------------------------------------------------------------


def test_the_evaluation_of_pig_is_near_the_exact_values():
    game, errors, source = Pig.configured(target=40), [], random.Random(1)
    exact = value_iteration(game(), compiled=True)
    for _ in range(60):
        state = game()
        while not state.is_terminal():
            if state.current_player() != bw.CHANCE:
                estimate = state.evaluate()
                assert estimate[0] == -estimate[1]
                errors.append(estimate[state.mover] - exact.value(state))
            careful = state.current_player() != bw.CHANCE and source.random() < 0.8
            state.apply_action(
                0 if careful and 0 in state.legal_actions() else source.choice(state.legal_actions())
            )
    assert max(map(abs, errors)) < 0.1
    assert sum(error**2 for error in errors) / len(errors) < 0.03**2


# --- can't stop -----------------------------------------------------------------------------------------


STEPS = {2: 3, 3: 5, 4: 7, 5: 9, 6: 11, 7: 13, 8: 11, 9: 9, 10: 7, 11: 5, 12: 3}


def climbing(dice="", *, runners=None, places=None, game=CantStop, **fields):
    """Return a state with steps by column, of the turn and of each player; then `dice` are thrown."""
    state = game(rolling=False, **fields)
    for player, steps in enumerate(places or []):
        for column, step in steps.items():
            state.places[player, column - 2] = step
            if step == STEPS[column]:
                state.closed |= 1 << column - 2
    for column, step in (runners or {}).items():
        state.runners[column - 2] = step
        state.runners_left -= 1
    if dice:
        state.rolling = True
        state.play(dice)
    return state


def test_a_turn_of_cant_stop_begins_with_a_throw_of_four_dice():
    state = CantStop()
    assert state.current_player() == bw.CHANCE
    chances = {state.action_to_string(throw): chance for throw, chance in state.chance_outcomes()}
    assert len(chances) == 126
    assert chances["1111"] * 6**4 == pytest.approx(1)
    assert chances["1112"] * 6**4 == pytest.approx(4)
    assert chances["1122"] * 6**4 == pytest.approx(6)
    assert chances["1123"] * 6**4 == pytest.approx(12)
    assert chances["1236"] * 6**4 == pytest.approx(24)


@pytest.mark.parametrize(
    ("dice", "runners", "legal"),
    [
        ("1236", {}, ["5+7", "4+8", "3+9"]),
        ("2244", {}, ["4+8", "6+6"]),
        ("3333", {}, ["6+6"]),
        ("1236", {3: 1, 12: 1}, ["3+9", "4", "8", "5", "7"]),  # one runner is left for two new columns
        ("1236", {3: 1, 12: 1, 11: 1}, ["3"]),
        ("2244", {12: 1, 11: 1}, ["4", "8", "6+6"]),  # one runner moves twice
        ("1236", {7: 1, 9: 1, 8: 1}, ["9", "8", "7"]),
    ],
)
def test_which_sums_can_be_used(dice, runners, legal):
    assert sorted(legal_texts(climbing(dice, runners=runners))) == sorted(legal)


def test_both_sums_have_to_be_used_if_possible():
    state = climbing("1236", runners={5: 2, 7: 1, 12: 1})
    assert legal_texts(state) == ["5+7"]


def test_closed_columns_and_runners_at_the_top_cannot_be_climbed():
    state = climbing("1236", places=[{3: 5}, {8: 11}], runners={5: 9})
    assert sorted(legal_texts(state)) == ["4", "7", "9"]


def test_two_equal_sums_move_a_runner_twice_but_not_beyond_the_top():
    state = climbing("3333", places=[{6: 7}, {}])
    state.play("6+6")
    assert (state.runners[4], state.runners_left) == (9, 2)
    state = climbing("3333", runners={6: 10})
    state.play("6+6")
    assert state.runners[4] == 11


def test_a_throw_that_does_not_help_loses_the_climbs_of_the_turn():
    state = climbing("1111", runners={6: 4, 7: 2, 8: 3}, places=[{6: 2, 12: 1}, {}])
    assert (state.current_player(), state.mover) == (bw.CHANCE, 1)
    assert state.places[0].tolist() == [0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1]
    assert (state.runners.tolist(), state.runners_left) == ([0] * 11, 3)


def test_stopping_keeps_the_climbs_and_closes_a_column_at_its_top():
    state = climbing(runners={6: 4, 12: 3}, places=[{6: 2}, {12: 2, 6: 5}])
    assert legal_texts(state) == ["roll", "stop"]
    state.play("stop")
    assert (state.places[0, 4], state.places[0, 10], state.columns_won(0)) == (4, 3, 1)
    assert (state.places[1, 4], state.places[1, 10]) == (5, 0)
    assert state.closed == 1 << 10
    state.play("6666")
    assert state.mover == 0  # for player 1 nothing could be done with twelves


@pytest.mark.parametrize(
    ("players", "returns"), [(2, [-1, 1]), (3, [-0.5, 1, -0.5]), (4, [-1 / 3, 1, -1 / 3, -1 / 3])]
)
def test_who_has_won_three_columns_wins(players, returns):
    game = CantStop.configured(players=players)
    state = climbing(game=game, mover=1, runners={2: 3}, places=[{3: 5, 4: 7}, {12: 3, 11: 5}])
    state.play("stop")
    assert state.is_terminal()
    assert state.returns() == pytest.approx(returns)


@pytest.mark.parametrize(
    ("columns", "percent"),
    [((6, 7, 8), 92.0), ((4, 6, 8), 91.1), ((2, 3, 12), 43.8)],
)
def test_three_runners_can_move_on_as_often_as_published(columns, percent):
    """The best two sets of columns and the worst, as in Keller, "A rule of 28 for Can't Stop", 1986."""
    state = climbing(runners=dict.fromkeys(columns, 1))
    state.play("roll")
    helpful = [chance for throw, chance in state.chance_outcomes() if not busts(state, throw)]
    assert 100 * sum(helpful) == pytest.approx(percent, abs=0.06)


def busts(state, throw):
    after = state.copy()
    after.apply_action(throw)
    return after.mover != state.mover


# --- yahtzee --------------------------------------------------------------------------------------------


def thrown(dice, *, sheet=None, game=Yahtzee, **fields):
    """Return the state after a throw, with player 0's points by box; the rest of the sheet is empty."""
    state = game(**fields)
    for box, points in (sheet or {}).items():
        state.sheet[0, BOXES.index(box)] = points
    state.play(dice)
    return state


def worth(dice):
    """Return what a throw is worth in the boxes in which it is worth something."""
    state = thrown(dice)
    return {name: int(state.points(box)) for box, name in enumerate(BOXES) if state.points(box)}


@pytest.mark.parametrize(
    ("dice", "points"),
    [
        ("13446", {"ones": 1, "threes": 3, "fours": 8, "sixes": 6, "chance": 18}),
        ("11124", {"ones": 3, "twos": 2, "fours": 4, "three-alike": 9, "chance": 9}),
        ("12224", {"ones": 1, "twos": 6, "fours": 4, "three-alike": 11, "chance": 11}),
        ("13555", {"ones": 1, "threes": 3, "fives": 15, "three-alike": 19, "chance": 19}),
        ("25555", {"twos": 2, "fives": 20, "three-alike": 22, "four-alike": 22, "chance": 22}),
        ("33335", {"threes": 12, "fives": 5, "three-alike": 17, "four-alike": 17, "chance": 17}),
        ("22333", {"twos": 4, "threes": 9, "three-alike": 13, "full-house": 25, "chance": 13}),
        ("22233", {"twos": 6, "threes": 6, "three-alike": 12, "full-house": 25, "chance": 12}),
        ("12334", {"ones": 1, "twos": 2, "threes": 6, "fours": 4, "small-straight": 30, "chance": 13}),
        (
            "13456",
            {"ones": 1, "threes": 3, "fours": 4, "fives": 5, "sixes": 6, "small-straight": 30, "chance": 19},
        ),
        ("12356", {"ones": 1, "twos": 2, "threes": 3, "fives": 5, "sixes": 6, "chance": 17}),
        (
            "23456",
            {"twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
            | {"small-straight": 30, "large-straight": 40, "chance": 20},
        ),
        ("66666", {"sixes": 30, "three-alike": 30, "four-alike": 30, "yahtzee": 50, "chance": 30}),
    ],
)
def test_what_dice_are_worth_in_each_box(dice, points):
    assert worth(dice) == points


def test_dice_that_are_not_kept_are_thrown_twice_at_most():
    state = thrown("25526")
    names = legal_texts(state)
    assert names[:13] == list(BOXES)
    kept = [
        "",
        "2",
        "22",
        "5",
        "25",
        "225",
        "55",
        "255",
        "2255",
        "6",
        "26",
        "226",
        "56",
        "256",
        "2256",
        "556",
        "2556",
    ]
    assert names[13:] == [f"keep{sides}" for sides in kept]
    state.play("keep255")
    assert state.dice.tolist() == [0, 0, 2, 5, 5]
    assert [state.action_to_string(outcome) for outcome in state.legal_actions()][:4] == [
        "11",
        "12",
        "13",
        "14",
    ]
    chances = {state.action_to_string(outcome): chance for outcome, chance in state.chance_outcomes()}
    assert len(chances) == 21
    assert (chances["33"], chances["36"]) == pytest.approx((1 / 36, 2 / 36))
    state.play("36")
    assert state.dice.tolist() == [2, 3, 5, 5, 6]
    state.play("keep")
    state.play("11111")
    assert legal_texts(state) == list(BOXES)


def test_a_box_is_written_once_and_the_turn_passes():
    state = thrown("11124")
    state.play("sixes")
    assert (state.sheet[0, 5], state.current_player(), state.mover) == (0, bw.CHANCE, 1)
    state.play("11124")
    assert "sixes" in legal_texts(state)
    state.play("ones")
    state.play("12345")
    assert "sixes" not in legal_texts(state)


@pytest.mark.parametrize(("fours", "score"), [(12, 63 + 35), (8, 59)])
def test_63_points_in_the_upper_boxes_earn_35(fours, score):
    sheet = {"ones": 3, "twos": 6, "threes": 9, "fours": fours, "fives": 15, "sixes": 18}
    assert thrown("11111", sheet=sheet).score(0) == score


WITH_BONUSES = Yahtzee.configured(bonuses=True)


def test_a_further_yahtzee_is_worth_100_and_a_joker():
    state = thrown("44444", sheet={"yahtzee": 50, "fours": 12}, game=WITH_BONUSES)
    lower = ["three-alike", "four-alike", "full-house", "small-straight", "large-straight", "chance"]
    assert [name for name in legal_texts(state) if not name.startswith("keep")] == lower
    state.play("large-straight")
    assert (state.sheet[0, 10], state.further[0], state.score(0)) == (40, 1, 50 + 12 + 40 + 100)


def test_a_joker_goes_into_its_upper_box_if_that_is_empty():
    state = thrown("44444", sheet={"yahtzee": 50}, game=WITH_BONUSES)
    assert [name for name in legal_texts(state) if not name.startswith("keep")] == ["fours"]


def test_a_joker_that_has_only_upper_boxes_left_is_worth_nothing_there():
    full = dict.fromkeys([*BOXES[6:], "fours"], 0) | {"yahtzee": 50}
    state = thrown("44444", sheet=full, game=WITH_BONUSES)
    boxes = [name for name in legal_texts(state) if not name.startswith("keep")]
    assert boxes == ["ones", "twos", "threes", "fives", "sixes"]
    state.play("sixes")
    assert (state.sheet[0, 5], state.further[0]) == (0, 1)


def test_a_yahtzee_box_without_points_earns_no_bonus_but_leaves_a_joker():
    state = thrown("44444", sheet={"yahtzee": 0, "fours": 12}, game=WITH_BONUSES)
    state.play("full-house")
    assert (state.sheet[0, 8], state.further[0]) == (25, 0)


def test_without_bonuses_a_further_yahtzee_is_five_of_a_kind_only():
    state = thrown("44444", sheet={"yahtzee": 50})
    assert "ones" in legal_texts(state)
    state.play("full-house")
    assert (state.sheet[0, 8], state.further[0]) == (0, 0)


@pytest.mark.parametrize(
    ("scores", "returns"),
    [
        ((3,), [3]),
        ((3, 2), [1, -1]),
        ((2, 2), [0, 0]),
        ((3, 1, 2), [1, -0.5, -0.5]),
        ((2, 1, 2), [0.25, -0.5, 0.25]),
        ((2, 2, 2), [0, 0, 0]),
    ],
)
def test_the_best_score_wins_and_equal_ones_share(scores, returns):
    state = Yahtzee.configured(players=len(scores))(sheet=0)
    state.sheet[:, 0] = scores
    assert state.is_terminal()
    assert state.returns() == pytest.approx(returns)
