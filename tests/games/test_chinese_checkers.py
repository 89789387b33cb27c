"""Chinese checkers: in step with OpenSpiel's games for two, three, four and six; the star; ends."""

import random

import pytest

import branchwise as bw
from branchwise.game.kinds.game_kinds import written_rule
from branchwise.games.chinese_checkers import (
    ALL_HOME,
    DISTANCES,
    HOP,
    NAMES,
    NEAR,
    OFF,
    POINT_CELLS,
    STOP,
    ChineseCheckers,
)


@pytest.mark.parametrize(
    ("players", "games", "moves"),
    [
        (2, 2, 1000),
        (3, 1, 300),
        (4, 1, 300),
        (6, 1, 300),
        *(pytest.param(players, 250, 1000, marks=pytest.mark.slow) for players in (2, 3, 4, 6)),
    ],
)
def test_random_games_agree_with_openspiel(players, games, moves):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(f"chinese_checkers(players={players},max_moves={moves})")
    game = ChineseCheckers.configured(players=players, max_moves=moves)
    apply = written_rule(game.apply_action)
    rng = random.Random(games)
    for _ in range(games):
        state, other = game(), theirs.new_initial_state()
        while not state.is_terminal():
            assert not other.is_terminal()
            assert other.current_player() == state.mover
            legal = state.legal_actions()
            assert sorted(legal) == other.legal_actions()
            action = rng.choice(legal)
            apply(state, action)
            other.apply_action(action)
        assert other.is_terminal()
        assert list(state.returns()) == other.returns()


def test_a_won_game_agrees_with_openspiel():
    """Both players mostly walk towards their goals, so that a game ends."""
    pyspiel = pytest.importorskip("pyspiel")
    other = pyspiel.load_game("chinese_checkers").new_initial_state()
    state, rng = ChineseCheckers(), random.Random(1)

    def gain(action):
        if action == STOP:
            return 0
        cell, way = divmod(action, 6)
        target = NEAR[cell, way] if state.board[NEAR[cell, way]] == 0 else HOP[cell, way]
        goal = 3 - 3 * state.mover
        return DISTANCES[goal, cell] - DISTANCES[goal, target]

    while not state.is_terminal():
        legal = state.legal_actions()
        best = max(legal, key=lambda action: (gain(action), rng.random()))
        action = best if rng.random() < 0.8 else rng.choice(legal)
        state.apply_action(action)
        assert not other.is_terminal()
        other.apply_action(action)
    assert state.winner != -1
    assert other.is_terminal()
    assert list(state.returns()) == other.returns()


def test_the_star_has_six_points_and_every_hop_is_two_steps():
    cells = sorted(int(cell) for point in POINT_CELLS for cell in point)
    assert len(set(cells)) == 60
    for cell in range(121):
        for way in range(6):
            near, beyond = int(NEAR[cell, way]), int(HOP[cell, way])
            if near != OFF:
                assert NEAR[near, 5 - way] == cell
                assert beyond == NEAR[near, way]
            else:
                assert beyond == OFF


def test_distances_are_those_of_a_walk():
    for point in range(6):
        reached = {int(cell): int(DISTANCES[point, cell]) for cell in range(121)}
        assert min(reached.values()) == 0
        for cell, distance in reached.items():
            near = [reached[int(other)] for other in NEAR[cell] if other != OFF]
            assert distance == 0 or min(near) == distance - 1


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_players_begin_opposite_of_their_goals_with_equal_chances(players):
    state = ChineseCheckers.configured(players=players)()
    assert [state.steps_left(player) for player in range(players)] == [120] * players
    assert list(state.evaluate()) == pytest.approx([0.0] * players)
    assert sum(int(half).bit_count() for half in state.men.flat) == 10 * players
    assert ALL_HOME == 20


def nearly_across(mover):
    """Return a position in which either player fills their goal by one step."""
    state = ChineseCheckers()
    state.board[:-1] = 0
    state.men[...] = 0
    for player, goal in ((0, 3), (1, 0)):
        cells = [int(cell) for cell in POINT_CELLS[goal]]
        outside = next(int(c) for c in NEAR[cells[6 if player else 0]] if c not in cells and c != OFF)
        cells[6 if player else 0] = outside
        for cell in cells:
            state.board[cell] = player + 1
            state.men[player, cell // 64] |= 1 << cell % 64
    state.mover = mover
    return state


@pytest.mark.parametrize("mover", [0, 1])
def test_the_last_man_home_wins_for_either_player(mover):
    state = nearly_across(mover)
    assert state.steps_left(0) == state.steps_left(1) > 0
    result = bw.MCTS(seed=1, compiled=False, cutoff=0).search(state, simulations=150)
    state.apply_action(result.best_action)
    assert state.winner == mover
    assert state.returns()[mover] == 1.0
    assert result.value == 1.0


@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize("spoiling", [True, False])
def test_a_man_who_stays_at_home_spoils_the_game_or_does_not(mover, spoiling):
    game, before = ChineseCheckers.configured(spoiling=spoiling), nearly_across(mover)
    state = game(board=before.board, men=before.men, mover=mover)
    goal = [int(cell) for cell in POINT_CELLS[3 - 3 * mover]]
    stays = next(cell for cell in goal if state.board[cell] == mover + 1)
    outside = next(int(cell) for cell in reversed(range(121)) if state.board[cell] == 0)
    state.board[stays], state.board[outside] = 2 - mover, 0
    last = next(
        action
        for action in state.legal_actions()
        if action != STOP and NEAR[action // 6, action % 6] in goal and action // 6 not in goal
    )
    state.apply_action(last)
    assert state.winner == (-1 if spoiling else mover)


def test_a_full_home_is_not_won_by_the_opponent():
    state = ChineseCheckers.configured(spoiling=False).from_actions("a14-e13 a4-e5")
    assert not state.is_across(0)
    assert not ChineseCheckers.configured(spoiling=False)().is_across(0)


def test_a_chain_of_hops_can_be_stopped_and_never_returns():
    state = ChineseCheckers.from_actions("a14-e13 a4-e5 a16-a14")
    assert (state.mover, NAMES[state.hopper]) == (0, "a14")
    names = {state.action_to_string(action) for action in state.legal_actions()}
    assert names == {"a14-d12", "stop"}  # not back to a16
    state.apply_action(STOP)
    assert (state.mover, state.hopper, list(state.visited)) == (1, -1, [0, 0])


def test_a_hop_that_cannot_go_on_ends_the_turn():
    state = ChineseCheckers.from_actions("a15-g13")
    assert (state.mover, state.hopper, state.turns) == (1, -1, 1)


def test_a_game_that_nobody_wins_is_drawn_after_the_last_turn():
    game = ChineseCheckers.configured(max_moves=4)
    state = game.from_actions("a14-e13 a4-e5 b14-f13 b4-f5")
    assert state.is_terminal()
    assert list(state.returns()) == [0.0, 0.0]


@pytest.mark.parametrize("options", ["players=1", "players=7", "max_moves=0"])
def test_options_that_make_no_game_are_refused(options):
    with pytest.raises(bw.GameError) as caught:
        bw.load_game(f"chinese_checkers({options})")
    assert f"chinese_checkers({options}) is not from " in str(caught.value)


def test_the_winner_of_a_game_for_six_gets_five_and_the_others_lose_one_each():
    state = ChineseCheckers.configured(players=6)(winner=2)
    assert list(state.returns()) == [-1.0, -1.0, 5.0, -1.0, -1.0, -1.0]
