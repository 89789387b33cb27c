"""Games that begin at a start that is drawn."""

import pickle

import numpy as np
import pytest

import branchwise as bw
from branchwise.arena.records.playback import played_again
from branchwise.arena.store.store import Store
from branchwise.rules.facts.game_type import game_type
from branchwise.testing import Expectimax, check_game


class Pile(bw.Game):
    """Take 1 to 3 of a pile of 5 to 20; who takes the last one wins."""

    num_players = 2
    num_actions = 3
    max_game_length = 20
    utility = "zero_sum"

    chips: np.int8 = 0
    mover: np.int8 = 0

    def setup(self, random):
        self.chips = 5 + random.below(16)

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for action in range(min(3, self.chips)):
            yield action

    def apply_action(self, action):
        self.chips -= action + 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)


class Walk(bw.Game):
    """One player walks from a start that is drawn to 0; each step may slip."""

    num_players = 1
    num_actions = 2
    max_game_length = 30

    place: np.int8 = 0
    steps: np.int8 = 0

    def setup(self, random):
        self.place = 1 + random.choice((1.0, 0.0, 2.0))

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action, random):
        slips = random.uniform() < 0.2
        self.place += 1 if (action == 1) != slips else -1
        self.steps += 1
        return -1.0

    def is_terminal(self):
        return self.place == 0 or self.steps == 30


def test_the_same_numbers_draw_the_same_start():
    starts = [Pile.new_initial_state(bw.Random(seed)) for seed in range(40)]
    assert starts == [Pile.new_initial_state(bw.Random(seed)) for seed in range(40)]
    assert {state.chips for state in starts} <= set(range(5, 21))
    assert len({state.chips for state in starts}) > 8
    assert len({Pile().chips for _ in range(40)}) > 8
    assert Pile(chips=7).chips == 7
    assert pickle.loads(pickle.dumps(starts[0])) == starts[0]
    assert Pile.from_json(starts[0].to_json()) == starts[0]


def test_games_from_such_starts_are_searched_and_solved():
    for seed in range(6):
        state = Pile.new_initial_state(bw.Random(seed))
        result = bw.MCTS(seed=1).search(state, simulations=20_000)
        assert result.ended_by == "proven"
        assert result.value == (1.0 if state.chips % 4 else -1.0) == Expectimax().value(state)


@pytest.mark.parametrize("game", [Pile, Walk])
def test_the_checker_plays_from_many_starts_in_both_forms(game):
    report = check_game(game, games=300)
    assert report.games == 300
    assert report.compared > 0
    assert report.shortest < report.longest
    assert game_type(game).chance == "sampled_stochastic"


def test_a_start_that_is_not_drawn_from_what_is_given_is_found():
    kept = [0]

    class Counting(Pile):
        def setup(self, random):
            kept[0] += 1
            self.chips = 5 + kept[0] % 10

    with pytest.raises(bw.GameError, match="for the same random numbers") as caught:
        check_game(Counting, games=5, compiled=False)
    assert "random" in caught.value.mend


def test_a_fault_is_reported_from_the_start_where_it_was():
    class Sticking(Pile):
        def apply_action(self, action):
            self.chips -= action + 1 if self.chips != 6 else 7
            self.mover = 1 - self.mover

        def is_terminal(self):
            return self.chips <= 0

        def returns(self):
            return (-2.0, 2.0) if self.chips < 0 else (1.0, -1.0)

    with pytest.raises(bw.GameError, match=r"returns") as caught:
        check_game(Sticking, games=400, compiled=False)
    assert "seed" in caught.value.replay


def test_a_match_gives_both_seats_the_same_starts(tmp_path):
    game, file = f"{__file__}:Pile", tmp_path / "s.sqlite"
    bw.Match(game, ["mcts(simulations=60)", "random"], games=12, seed=3).run(store=file)
    with Store(file, create=False) as store:
        records = store.games(1)
    assert len(records) == 12
    games = [played_again(bw.load_game(game), record) for record in records]
    starts = [played.start.chips for played in games]
    assert starts[::2] == starts[1::2]
    assert len(set(starts)) > 2
    for record, played in zip(records, games, strict=True):
        assert played.is_over or record.ending == "proof"
        assert list(played.actions) == [move.action for move in record.moves]


def test_such_games_have_no_openings():
    with pytest.raises(bw.SettingsError, match="the start is drawn"):
        bw.Match(__file__ + ":Pile", ["random", "random"], games=2, openings_depth=2)


@pytest.mark.parametrize("text", ["mcts(simulations=50)", "minimax(depth=3)", "flat(simulations=20)"])
def test_bots_play_from_any_start(text):
    bot = bw.load_bot(text, seed=1)
    for seed in range(20):
        bot.new_game()
        played = bw.Playthrough(Pile.new_initial_state(bw.Random(seed)))
        while not played.is_over:
            action = bot.choose(played.state)
            assert action in played.state.legal_actions()
            played.play(action)
        again = bw.Playthrough.from_json(played.to_json(), Pile)
        assert again.state == played.state
    with pytest.raises(bw.GameError, match="does not tell its start"):
        bw.Playthrough.from_json('{"game": "pile", "actions": [0]}', Pile)


def test_the_seed_of_a_command_draws_the_start(capsys):
    from branchwise.cli.terminal.position import asked_about

    states = [asked_about(Pile, "1 0", seed).state for seed in range(20)]
    assert states == [asked_about(Pile, "1 0", seed).state for seed in range(20)]
    assert len({state.chips for state in states}) > 5
    after, before = (asked_about(Walk, moves, 3).state for moves in ("0 1 1", "0 1"))
    assert (after.steps, before.steps) == (3, 2)
    assert abs(after.place - before.place) == 1
