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
from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation  # noqa: E402

from branchwise.interop.openspiel import OpenSpielState  # noqa: E402
from branchwise.testing import exact_value  # noqa: E402
from support import all_at_once  # noqa: E402
from support.all_at_once import Dominated, Odd, PaidPennies  # noqa: E402
from support.hiding import Dealt, Glimpse, Peek, Told  # noqa: E402
from support.paying import Auction, Corridor  # noqa: E402
from support.rows import slow  # noqa: E402
from support.rules import Race  # noqa: E402
from support.shipped import AT_ONCE, HIDDEN, PARTLY_SEEN  # noqa: E402

REFUSED = ("pendulum", *PARTLY_SEEN)
"""They have continuous actions, or are partially observed."""
LONG = (
    "acrobot",
    "amazons",
    "atari_go",
    "battleship",
    "chess",
    "chinese_checkers",
    "cliff_walking",
    "go",
    "havannah",
    "hex",
    "micro_grid",
    "morpion",
    "motion_planning",
    "mountain_car",
    "nogo",
    "quoridor",
    "racetrack",
    "same_game",
    "y",
    "yahtzee",
)
"""Their random games, in plain Python with a copy for each move, take seconds."""
SHIPPED = [name for name in sorted(GAMES.builtin) if name not in REFUSED]


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
def test_what_openspiel_cannot_have_is_refused_in_a_sentence_about_openspiel(name):
    why = "has continuous actions, which" if name == "pendulum" else "is partially observed.* to"
    with pytest.raises(bw.GameError, match=f"{why} OpenSpiel"):
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


# --- what is drawn ------------------------------------------------------------------------------------------


class Walk(bw.Game):
    """Each step goes as far as a die says, which chance rolls, and then a little on; the start is drawn."""

    num_players = 1
    num_actions = 2
    num_outcomes = 6
    max_game_length = 200

    place: np.int16 = 0
    steps: np.int8 = 0
    is_rolled: bool = True

    def setup(self, random):
        self.place = random.below(10)

    def current_player(self):
        return 0 if self.is_rolled else bw.CHANCE

    def sample_outcome(self, random):
        return random.below(6)

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action, random):
        self.place += action + random.below(3)
        self.steps += self.is_rolled
        self.is_rolled = not self.is_rolled
        return float(action)

    def is_terminal(self):
        return self.steps == 3 and self.is_rolled


def seeded(game, seeds, actions):
    """Return the state at the end, if chance takes the next seed, a list, and the player the next action."""
    state, seeds, actions = game.new_initial_state(), iter(seeds), iter(actions)
    while not state.is_terminal():
        if state.is_chance_node():
            for part in next(seeds):
                assert state.is_chance_node()
                state.apply_action(part)
        else:
            state.apply_action(next(actions))
    return state


def test_what_rules_draw_follows_from_seeds_that_chance_gives(capfd):
    game = bw.to_openspiel(Walk)
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)
    draw = np.random.default_rng(1)
    seeds = draw.integers(256, size=(7, 4)).tolist()  # the start; thrice a result, and a roll with its result
    state = seeded(game, seeds, [1, 0, 1])
    assert len(state.history()) == 4 * 7 + 3
    start, *numbers = (bw.Random(int.from_bytes(bytes(seed), "little")) for seed in seeds)
    ours = Walk.new_initial_state(start)
    for turn, action in enumerate((1, 0, 1)):
        ours.apply_action(action, numbers[2 * turn])
        roll = numbers[2 * turn + 1]
        ours.apply_action(ours.sample_outcome(roll), roll)
    assert state.state == ours


def test_a_start_is_drawn_by_chance_and_all_outcomes_are_alike():
    game = bw.to_openspiel("mountain_car")
    state = game.new_initial_state()
    assert state.is_chance_node()
    assert state.chance_outcomes() == [(part, 1 / 256) for part in range(256)]
    starts = set()
    for part in range(20):
        state = game.new_initial_state()
        for outcome in (1, 2, 3, part):
            state.apply_action(outcome)
        assert state.current_player() == 0
        starts.add(state.state)
    assert len(starts) == 20
    assert bw.MCTS(seed=1).search(bw.from_openspiel(game, seed=1), simulations=3).simulations == 3


# --- hidden information -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", rows(HIDDEN))
def test_information_states_are_the_same_exactly_where_ours_are(name):
    """Over all moments of some games in which the player is to move."""
    theirs, rules, draw = bw.to_openspiel(name), load_game(name), np.random.default_rng(1)
    known = {}
    for _ in range(3 if name in ("battleship", "hearts") else 40):
        state, played = theirs.new_initial_state(), bw.Playthrough(rules())
        while not state.is_terminal():
            if not state.is_chance_node():
                player = state.current_player()
                ours = played.information_state(player)
                assert known.setdefault(state.information_state_string(player), ours) == ours
            legal = state.legal_actions()
            action = legal[int(draw.integers(len(legal)))]
            state.apply_action(action)
            played.play(action)
    assert len(set(known.values())) == len(known) > 10


def test_what_players_see_is_in_openspiels_form():
    game = bw.to_openspiel("leduc_poker")
    kind = game.get_type()
    assert kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    state = game.new_initial_state()
    for action in (0, 3, 2):  # both cards; player 0 raises
        state.apply_action(action)
    seen = make_observation(game)
    seen.set_from(state, 1)
    assert seen.dict["hands"].tolist() == [4.0]
    assert "deck" not in seen.dict
    assert seen.dict["to_move"].tolist() == [0.0, 1.0]
    seen.set_from(state, 0)
    assert seen.dict["hands"].tolist() == [1.0]
    assert seen.dict["to_move"].tolist() == [0.0, 0.0]
    assert state.information_state_string(1).startswith("player 1: dealt=1; hands[1]=4 dealt=2; ")
    assert "hands[0]" not in state.information_state_string(1) + state.observation_string(1)
    recall = make_observation(game, INFO_STATE_OBS_TYPE)
    assert recall.string_from(state, 0) == state.information_state_string(0)
    private = pyspiel.IIGObservationType(public_info=False, perfect_recall=False)
    assert make_observation(game, private) is None


@pytest.mark.parametrize("make", [cfr.CFRPlusSolver, pyspiel.CFRPlusSolver], ids=["Python", "C++"])
def test_cfr_finds_the_value_of_kuhn_poker(make):
    game = bw.to_openspiel("kuhn_poker")
    value, solver = value_by_cfr(game, make, 60)
    assert value == pytest.approx(-1 / 18, abs=2e-3)
    gain = pyspiel.exploitability if make is pyspiel.CFRPlusSolver else exploitability.exploitability
    assert gain(game, solver.average_policy()) < 5e-3
    assert value_by_cfr(pyspiel.load_game("kuhn_poker"), make, 60)[0] == pytest.approx(value)


def test_cfr_learns_in_leduc_poker_what_it_learns_in_openspiels():
    """So it finds the known value, -.085606, after as many iterations."""
    ours, theirs = (
        value_by_cfr(game, pyspiel.CFRPlusSolver, 2)[0]
        for game in (bw.to_openspiel("leduc_poker"), pyspiel.load_game("leduc_poker"))
    )
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_cfr_finds_the_value_of_leduc_poker():
    value, _ = value_by_cfr(bw.to_openspiel("leduc_poker"), pyspiel.CFRPlusSolver, 60)
    assert value == pytest.approx(-0.085606, abs=5e-4)


def value_by_cfr(game, make, iterations):
    """Return the first player's value if both play the average policy, and the solver, which holds it."""
    solver = make(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()

    def value(state):
        if state.is_terminal():
            return state.returns()[0]
        chances = state.chance_outcomes() if state.is_chance_node() else actions(state)
        return sum(chance * value(state.child(action)) for action, chance in chances if chance)

    def actions(state):
        return policy.action_probabilities(state).items()

    return value(game.new_initial_state()), solver


def test_nothing_is_seen_before_a_hidden_start_is_drawn():
    game = bw.to_openspiel(Dealt)
    state, seen = game.new_initial_state(), make_observation(game)
    seen.set_from(state, 0)
    assert not seen.tensor.any()
    assert (state.information_state_string(0), state.observation_string(0)) == ("player 0: ", "")
    for part in (1, 2, 3, 4):
        state.apply_action(part)
    hand = state.state.hands[1]
    assert state.information_state_string(1) == f"player 1: hands[1]={hand}"
    state.apply_action(1)
    assert state.information_state_string(0).endswith("; you: 1, bet=1 mover=1")
    assert state.information_state_string(1) == f"player 1: hands[1]={hand}; bet=1 mover=1"
    twin = game.deserialize_state(state.serialize())
    assert twin.information_state_string(1) == state.information_state_string(1)


# --- moves at once ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", AT_ONCE)
def test_joint_moves_are_in_step_with_the_game(name):
    theirs, rules, draw = bw.to_openspiel(name), load_game(name), np.random.default_rng(1)
    assert theirs.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    state, ours = theirs.new_initial_state(), rules()
    while not ours.is_terminal():
        if ours.current_player() == bw.CHANCE:
            action = state.legal_actions()[0]
            ours.apply_action(action)
            state.apply_action(action)
            continue
        assert state.is_simultaneous_node()
        actions = []
        for player in range(rules.num_players):
            assert state.legal_actions(player) == sorted(ours.legal_actions(player))
            actions.append(int(draw.choice(state.legal_actions(player))))
        ours.apply_actions(actions)
        state.apply_actions(actions)
        assert state.state == ours
    assert state.is_terminal()
    assert state.returns() == pytest.approx(list(ours.returns()))


@pytest.mark.parametrize(
    "game", [all_at_once.Auction, Odd, PaidPennies, Dominated, Peek, Told, Glimpse, Dealt]
)
def test_games_of_other_kinds_pass_openspiels_random_simulations(game, capfd):
    pyspiel.random_sim_test(bw.to_openspiel(game), num_sims=5, serialize=True, verbose=False)


def test_the_action_of_a_player_without_a_choice_is_ignored():
    state = bw.to_openspiel(all_at_once.Auction).new_initial_state()
    for _ in range(2):
        state.apply_action(1)  # the least bid
        state.apply_action(0)  # the lot is worth 1
        assert state.is_simultaneous_node()
        bids = [legal[-1] if legal else 0 for legal in map(state.legal_actions, (0, 1))]
        if state.move_number() < 4:
            bids = [4, 1]
        else:
            assert state.legal_actions(0) == []
            bids = [0, 2]
        state.apply_actions(bids)
    assert state.state.purses.tolist() == [0, 1]
    assert state.state.won.tolist() == [1, 1]


class Sealed(Odd):
    """What players choose is shown to nobody, not even to themselves."""

    chosen: bw.Private[np.int8, 3] = 0

    def apply_actions(self, actions):
        for player in range(3):
            self.chosen[player] = 0
        self.turn += 1


def test_each_player_knows_what_it_has_chosen_where_all_move_at_once_and_nobody_sees_it(capfd):
    game = bw.to_openspiel(Sealed)
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)
    state = game.new_initial_state()
    state.apply_actions([0, 1, 1])
    assert [state.information_state_string(player) for player in range(3)] == [
        "player 0: you: 0, turn=1",
        "player 1: you: 1, turn=1",
        "player 2: you: 1, turn=1",
    ]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("rock_paper_scissors", "matrix_rps"),
        ("goofspiel(num_cards=3,points_order='descending')", None),
    ],
)
def test_cfr_solves_games_with_moves_at_once_by_turns(ours, theirs):
    game = pyspiel.convert_to_turn_based(bw.to_openspiel(ours))
    if theirs is None:
        parameters = {"num_cards": 3, "points_order": "descending", "imp_info": False}
        theirs = pyspiel.convert_to_turn_based(pyspiel.load_game("goofspiel", parameters))
    else:
        theirs = pyspiel.convert_to_turn_based(pyspiel.load_game(theirs))
    value, solver = value_by_cfr(game, cfr.CFRPlusSolver, 20)
    assert value == pytest.approx(value_by_cfr(theirs, cfr.CFRPlusSolver, 20)[0], abs=1e-9)
    assert exploitability.exploitability(game, solver.average_policy()) < 0.05


def test_a_table_of_payoffs_is_a_parameter():
    payoffs = ((2.0, 0.0), (3.0, 1.0))
    game = bw.to_openspiel(load_game("matrix_game").configured(payoffs=payoffs, others=()))
    again = pyspiel.load_game(str(game))
    assert again.rules.payoffs == payoffs
    assert "payoffs=2.0;0.0/3.0;1.0/" in str(game)


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
    names = ("connect_four", "pig", "sailing", "cart_pole")
    kinds = {name: bw.to_openspiel(name).get_type() for name in names}
    assert kinds["cart_pole"].chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
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
    assert value == exact_value(state.state) == -1.0


def test_the_solver_finds_the_values_of_all_states_of_a_game_written_here():
    solver = minimax_solver.MinimaxSolver(str(bw.to_openspiel("tic_tac_toe")))
    table = solver.solve()
    assert len(table) == 4520  # the states in which a player is to move
    state = pyspiel.load_game("branchwise_tic_tac_toe").new_initial_state()
    assert table[str(state)].value == 0.0
    for action in (0, 1):
        state.apply_action(action)
        assert table[str(state)].value == exact_value(state.state)


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
        assert exploitability.exploitability(game, solver.average_policy()) < 0.05
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
