"""Games as Python games of OpenSpiel, on which its tests and algorithms run."""

import gc
import pickle
import subprocess
import sys

import numpy as np
import pytest

import branchwise as bw
from branchwise.games import GAMES, load_game

pyspiel = pytest.importorskip("pyspiel")

from absl import flags  # noqa: E402
from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    cfr,
    expected_game_score,
    exploitability,
    generate_playthrough,
    mcts,
    minimax,
    minimax_solver,
    tabular_qlearner,
)

from branchwise.interop.openspiel import OpenSpielState  # noqa: E402
from branchwise.testing import solve  # noqa: E402
from support.paying import Auction, Corridor  # noqa: E402
from support.rows import slow  # noqa: E402
from support.rules import Race  # noqa: E402
from support.shipped import AT_ONCE, HIDDEN, PARTLY_SEEN  # noqa: E402

REFUSED = ("acrobot", "cart_pole", "driving", "mountain_car", "pendulum", "sliding_puzzle")
"""They draw their start or their transitions at random, or have continuous actions."""
LONG = (
    "amazons",
    "atari_go",
    "chess",
    "chinese_checkers",
    "cliff_walking",
    "go",
    "havannah",
    "hex",
    "micro_grid",
    "morpion",
    "motion_planning",
    "nogo",
    "quoridor",
    "racetrack",
    "same_game",
    "y",
    "yahtzee",
)
"""Their random games, in plain Python with a copy for each move, take seconds."""
SHIPPED = [name for name in sorted(GAMES.builtin) if name not in (*REFUSED, *HIDDEN, *AT_ONCE, *PARTLY_SEEN)]


flags.FLAGS.mark_as_parsed()  # OpenSpiel's playthroughs read a flag of the command line


def rows(names):
    return [slow(name) if name in LONG else name for name in names]


@pytest.mark.parametrize("game", [*rows(SHIPPED), Race, Auction, Corridor, "cant_stop(players=3)"])
def test_games_pass_openspiels_random_simulations(game, capfd):
    theirs = bw.to_openspiel(game)
    pyspiel.random_sim_test(theirs, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("name", rows(SHIPPED))
def test_a_playthrough_is_played_again_as_it_was_written(name, tmp_path):
    theirs = bw.to_openspiel(name)
    file = tmp_path / "playthrough.txt"
    file.write_text(generate_playthrough.playthrough(str(theirs), None, seed=1), encoding="utf-8")
    written, again = generate_playthrough.replay(str(file))
    assert again == written
    assert "observation" in written


@pytest.mark.parametrize("name", REFUSED)
def test_what_openspiel_cannot_list_is_refused(name):
    with pytest.raises(bw.GameError, match="OpenSpiel"):
        bw.to_openspiel(name)


def test_boards_pass_openspiels_simulations_as_planes(capfd):
    theirs = bw.to_openspiel("connect_four(rows=4,columns=4,in_a_row=3)", observation="board")
    assert theirs.observation_tensor_shape() == [8, 4, 4]
    pyspiel.random_sim_test(theirs, num_sims=2, serialize=True, verbose=False)
    assert "observation=board" in str(theirs)


@pytest.mark.parametrize("game", ["connect_four", "pig(target=20)", "ultimate_tic_tac_toe", Auction, Race])
def test_states_are_in_step_with_the_game(game):
    rules = load_game(game) if isinstance(game, str) else game
    theirs, draw = bw.to_openspiel(game), np.random.default_rng(1)
    pays = bw.game_type(rules).rewards == "rewards"
    for _ in range(4):
        state, ours = theirs.new_initial_state(), rules()
        total = np.zeros(rules.num_players)
        while not ours.is_terminal():
            assert state.current_player() == ours.current_player()
            if ours.current_player() == bw.CHANCE:
                assert state.is_chance_node()
                assert state.chance_outcomes() == sorted(ours.chance_outcomes())
                action = state.chance_outcomes()[int(draw.integers(len(state.chance_outcomes())))][0]
            else:
                assert state.legal_actions() == sorted(ours.legal_actions())
                action = int(draw.choice(ours.legal_actions()))
                text = state.action_to_string(action)
                assert text == ours.action_to_string(action)
                assert state.string_to_action(text) == action
            given = ours.apply_action(action)
            total += 0.0 if given is None else given
            state.apply_action(action)
            assert state.state == ours
        assert state.is_terminal()
        assert state.returns() == pytest.approx(total.tolist() if pays else list(ours.returns()))


def test_the_search_of_a_game_written_here_is_the_same_by_way_of_openspiel():
    name = "tic_tac_toe"
    theirs = bw.MCTS(seed=1).search(bw.from_openspiel(bw.to_openspiel(name)), simulations=300)
    planner = bw.MCTS(seed=1, playout="uniform")
    ours = planner.search(load_game(name)(), simulations=300)
    assert [(one.action, one.visits, one.value) for one in theirs.children] == [
        (one.action, one.visits, one.value) for one in ours.children
    ]


def test_rewards_of_chance_belong_to_the_decision_before_it():
    state = bw.to_openspiel("taxi").new_initial_state()
    paid = 0.0
    while not state.is_terminal() and len(state.history()) < 200:
        if state.is_chance_node():
            state.apply_action(state.chance_outcomes()[0][0])
        else:
            paid += state.rewards()[0]
            state.apply_action(state.legal_actions()[-1])
    assert paid + state.rewards()[0] == pytest.approx(state.returns()[0])


def test_a_problem_without_an_end_is_over_after_the_most_decisions():
    class Treadmill(bw.Game):
        num_players = 1
        num_actions = 1
        max_game_length = 7

        steps: np.int8 = 0

        def current_player(self):
            return 0

        def legal_actions(self):
            yield 0

        def apply_action(self, action):
            self.steps += 1
            return 1.0

        def is_terminal(self):
            return False

    state = bw.to_openspiel(Treadmill).new_initial_state()
    while not state.is_terminal():
        state.apply_action(0)
    assert (len(state.history()), state.returns()) == (7, [7.0])


# --- names and options ------------------------------------------------------------------------------------


def test_openspiel_knows_the_game_by_name_with_its_options():
    bw.to_openspiel("nim")
    game = pyspiel.load_game("branchwise_nim(heaps=3;4;5,misere=True)")
    assert game.rules is load_game("nim(heaps=(3,4,5),misere=true)")
    assert game.get_parameters()["heaps"] == "3;4;5"
    assert pyspiel.load_game("branchwise_nim(heaps=7;)").rules is load_game("nim(heaps=(7,))")


def test_the_defaults_of_one_call_are_not_those_of_the_next():
    bw.to_openspiel("connect_four(rows=4,columns=5)", observation="board")
    game = pyspiel.load_game("branchwise_connect_four")
    assert (game.rules.rows, game.rules.columns, game.observation) == (6, 7, "fields")


def test_numbers_keep_their_digits_where_they_are_the_defaults():
    game = bw.to_openspiel("frozen_lake")
    again = pyspiel.load_game(str(game))
    assert again.rules.success_rate == load_game("frozen_lake").success_rate
    other = pyspiel.load_game(str(bw.to_openspiel("frozen_lake(success_rate=0.7)")))
    assert other.rules.success_rate == 0.7


def test_the_types_of_games_are_openspiels():
    kinds = {name: bw.to_openspiel(name).get_type() for name in ("connect_four", "pig", "sailing")}
    assert kinds["connect_four"].chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
    assert kinds["connect_four"].utility == pyspiel.GameType.Utility.ZERO_SUM
    assert kinds["connect_four"].reward_model == pyspiel.GameType.RewardModel.TERMINAL
    assert kinds["pig"].chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert kinds["sailing"].reward_model == pyspiel.GameType.RewardModel.REWARDS
    assert all(
        kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION for kind in kinds.values()
    )
    assert bw.to_openspiel("connect_four").utility_sum() == 0.0
    assert bw.game_type(bw.to_openspiel("pig").new_initial_state()) == bw.game_type(load_game("pig"))


@pytest.mark.parametrize("text", ["a,b.txt", "c=d", "(e)", "17", "true"])
def test_a_text_that_openspiel_cannot_write_is_refused(text):
    class Labelled(Corridor):
        label = "plain"

    assert bw.to_openspiel(Labelled).rules is Labelled
    with pytest.raises(bw.GameError, match="OpenSpiel cannot write the option label="):
        bw.to_openspiel(Labelled.configured(label=text))


def test_a_constant_that_is_no_option_of_the_class_is_refused():
    with pytest.raises(bw.GameError, match="sets max_game_length, which cannot be a parameter"):
        bw.to_openspiel(load_game("frozen_lake").configured(max_game_length=9))


def test_wrong_arguments_are_errors():
    with pytest.raises(bw.UnknownNameError, match='no observation "planes"'):
        bw.to_openspiel("nim", observation="planes")
    with pytest.raises(bw.GameError, match="is no game"):
        bw.to_openspiel(3)
    bw.to_openspiel("nim")
    with pytest.raises(RuntimeError, match="Unknown parameter 'heap'"):
        pyspiel.load_game("branchwise_nim(heap=3;)")


# --- copies -------------------------------------------------------------------------------------------------


def test_states_are_copied_and_pickled_and_read_back():
    game = bw.to_openspiel("pig(target=20)")
    state = game.new_initial_state()
    for _ in range(6):
        outcomes = state.chance_outcomes() if state.is_chance_node() else None
        state.apply_action(outcomes[-1][0] if outcomes else 0)
    twins = [state.clone(), pickle.loads(pickle.dumps(state)), game.deserialize_state(state.serialize())]
    for twin in twins:
        assert isinstance(twin, OpenSpielState)
        assert twin.state == state.state
        assert twin.history() == state.history()
        assert str(twin) == str(state)
    before = state.state.copy()
    for twin in twins:
        twin.apply_action(twin.legal_actions()[0])
    assert state.state == before


def test_a_state_outlives_the_game_that_made_it():
    state = bw.to_openspiel("tic_tac_toe").new_initial_state()
    gc.collect()
    twin = state.clone()
    twin.apply_action(4)
    assert twin.legal_actions() == [0, 1, 2, 3, 5, 6, 7, 8]


def test_another_process_reads_a_pickled_state_and_ends_in_order(tmp_path):
    state = bw.to_openspiel("connect_four(rows=5)").new_initial_state()
    state.apply_action(3)
    file = tmp_path / "state"
    file.write_bytes(pickle.dumps(state))
    program = (
        "import pickle, sys; state = pickle.loads(open(sys.argv[1], 'rb').read());"
        "print(state.get_game().rules.name, state.history())"
    )
    command = [sys.executable, "-c", program, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "connect_four(rows=5) [3]\n"


def test_a_state_is_read_from_json():
    ours = load_game("tic_tac_toe").from_actions("b2 a1")
    state = bw.to_openspiel("tic_tac_toe").new_initial_state(ours.to_json())
    assert state.state == ours


def test_different_states_have_different_texts():
    """OpenSpiel's solvers tell states apart by their texts, and boards do not show everything."""
    game = bw.to_openspiel("ultimate_tic_tac_toe")
    draw = np.random.default_rng(1)
    known = {}
    for _ in range(10):
        state = game.new_initial_state()
        while not state.is_terminal():
            assert known.setdefault(str(state), state.state.copy()) == state.state
            state.apply_action(int(draw.choice(state.legal_actions())))


# --- OpenSpiel's algorithms ------------------------------------------------------------------------------


def test_alpha_beta_finds_the_value_of_a_game_written_here():
    game = bw.to_openspiel("tic_tac_toe")
    state = game.new_initial_state()
    for action in (0, 1, 3):
        state.apply_action(action)
    value, action = minimax.alpha_beta_search(game, state=state, maximizing_player_id=1)
    assert value == solve(state.state) == -1.0


def test_the_solver_finds_the_values_of_all_states_of_a_game_written_here():
    solver = minimax_solver.MinimaxSolver(str(bw.to_openspiel("tic_tac_toe")))
    table = solver.solve()
    assert len(table) == 4520  # the states in which a player is to move
    state = pyspiel.load_game("branchwise_tic_tac_toe").new_initial_state()
    assert table[str(state)].value == 0.0
    for action in (0, 1):
        state.apply_action(action)
        assert table[str(state)].value == solve(state.state)


@pytest.mark.parametrize("make", [cfr.CFRSolver, pyspiel.CFRSolver], ids=["Python", "C++"])
def test_cfr_finds_the_strategy_of_a_game_written_here(make):
    game = bw.to_openspiel("nim(heaps=(1,2),max_take=2)")
    solver = make(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    if make is cfr.CFRSolver:
        values = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
        assert values == pytest.approx([1.0, -1.0], abs=0.05)
        assert exploitability.exploitability(game, policy) < 0.05
    else:
        assert pyspiel.exploitability(game, policy) < 0.05


def test_a_learner_of_openspiel_learns_a_problem_written_here():
    environment = rl_environment.Environment(bw.to_openspiel("left_move(moves=4)"))
    agent = tabular_qlearner.QLearner(player_id=0, num_actions=2)
    np.random.seed(1)
    for _ in range(300):
        step = environment.reset()
        while not step.last():
            step = environment.step([agent.step(step).action])
        agent.step(step)
    step, total = environment.reset(), 0.0
    while not step.last():
        step = environment.step([agent.step(step, is_evaluation=True).action])
        total += step.rewards[0]
    assert total == 4.0


def test_openspiels_search_plays_a_game_written_here():
    game = bw.to_openspiel("nim(heaps=(6,))")
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = mcts.MCTSBot(game, 2.0, 300, evaluator, random_state=np.random.RandomState(1))
    assert bot.step(game.new_initial_state()) == 1  # leaves four
