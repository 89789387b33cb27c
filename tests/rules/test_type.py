"""A game's type: derived from its methods and declared utility; its effects on searches and checks."""

import re

import numpy as np
import pytest

import branchwise as bw
import branchwise.arena.review
import branchwise.search.run.state_search
import branchwise.search.trace.step_search
from branchwise.bots.players.minimax import MinimaxBot
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.games import game_names, load_game
from branchwise.games.nim import Nim
from branchwise.rules.facts.game_type import GameType, game_type
from branchwise.search.session.search_session import Session
from branchwise.search.settings.settings import Settings
from branchwise.search.trace.step_search import StepSearch
from branchwise.testing import check_game, replay_moves
from support.rules import Kalah, Prisoners, Race
from support.shipped import (
    AT_ONCE,
    FOR_ONE,
    FROM_RANDOM_STARTS,
    HIDDEN,
    PARTLY_SEEN,
    PAYING,
    PUZZLES,
    WITH_CHANCE,
)

# --- what a class says, and what its methods show -----------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(game_names()) - {*FOR_ONE, *PARTLY_SEEN}))
def test_shipped_games_for_several_say_that_they_are_zero_sum_or_hearts(name):
    found = game_type(load_game(name))
    chance = "explicit_stochastic" if name in WITH_CHANCE else "deterministic"
    information = "imperfect" if name in HIDDEN else "perfect"
    utility = "general_sum" if name == "hearts" else "zero_sum"
    dynamics = "simultaneous" if name in AT_ONCE else "sequential"
    assert found == GameType(dynamics, chance=chance, information=information, utility=utility)
    words = [
        utility.replace("_", "-"),
        "simultaneous moves" if name in AT_ONCE else "",
        "chance" if name in WITH_CHANCE else "",
        "hidden information" if name in HIDDEN else "",
    ]
    assert str(found) == ", ".join(filter(None, words))


@pytest.mark.parametrize("name", FOR_ONE)
def test_shipped_problems_show_whether_they_pay_on_the_way(name):
    found = game_type(load_game(name))
    chance = "explicit_stochastic" if name in WITH_CHANCE else "deterministic"
    chance = "sampled_stochastic" if name in FROM_RANDOM_STARTS else chance
    assert (found.chance, found.utility) == (chance, None)
    assert found.rewards == ("rewards" if name in (*PAYING, *PUZZLES) else "terminal")


@pytest.mark.parametrize("name", PARTLY_SEEN)
def test_shipped_problems_that_are_partly_seen_hide_their_state(name):
    found = game_type(load_game(name))
    assert found == GameType(chance="sampled_stochastic", information="imperfect", rewards="rewards")


def test_a_class_that_says_nothing_has_no_utility():
    assert game_type(Kalah) == game_type(Kalah()) == GameType()
    assert str(GameType()) == ""


@pytest.mark.parametrize("word", ["zero_sum", "constant_sum", "general_sum", "identical"])
def test_the_utility_is_what_the_class_says(word):
    said = type("Said", (Kalah,), {"utility": word})
    assert game_type(said).utility == word
    assert said().is_terminal() is False


METHODS = {
    "apply_actions": (lambda self, actions: None, {"dynamics": "simultaneous"}, "simultaneous moves"),
    "chance_outcomes": (lambda self: [(0, 1.0)], {"chance": "explicit_stochastic"}, "chance"),
    "sample_outcome": (lambda self, random: 0, {"chance": "sampled_stochastic"}, "sampled chance"),
    "apply_action": (lambda self, action, random: None, {"chance": "sampled_stochastic"}, "sampled chance"),
    "setup": (lambda self, random: None, {"chance": "sampled_stochastic"}, "sampled chance"),
    "observation": (lambda self, player: [], {"information": "imperfect"}, "hidden information"),
    "observe": (lambda self, action, random: 0, {"information": "imperfect"}, "hidden information"),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_show_the_rest(name):
    method, shown, text = METHODS[name]
    outcomes = {"num_outcomes": 1} if name in ("chance_outcomes", "sample_outcome") else {}
    joint = {"legal_actions": lambda self, player: [0]} if name == "apply_actions" else {}
    players = {"num_players": 1} if name == "observe" else {}
    kind = game_type(type("Shown", (Kalah,), {name: method, **outcomes, **joint, **players}))
    assert kind == GameType(**shown)
    assert str(kind) == text


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"apply_action", "setup"}))
def test_a_helper_with_other_arguments_is_refused(name):
    with pytest.raises(bw.GameError, match=f"Helped.{name} has other arguments than the rule of that name"):
        type("Helped", (Kalah,), {name: lambda self, a, b, c: 0})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("observation", "has hidden information (its method observation)"),
    ],
)
def test_kinds_that_nobody_plans_for_yet_are_refused_by_the_method_that_shows_them(name, text):
    game = type("Other", (Kalah,), {name: METHODS[name][0]})
    with pytest.raises(bw.GameError, match=re.escape(text)):
        bw.MCTS().search(game(), simulations=10)


def test_a_wrong_word_is_reported_with_the_right_ones():
    wrong = type("Wrong", (Kalah,), {"utility": "zerosum"})
    for tried in (wrong, lambda: game_type(wrong), lambda: check_game(wrong, games=1)):
        with pytest.raises(bw.GameError, match='utility is "zerosum"') as caught:
            tried()
        for word in ("zero_sum", "constant_sum", "general_sum", "identical"):
            assert word in caught.value.mend


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"utility": "zero_sum", "num_players": 1}, "there is only one player"),
        ({"utility": "constant_sum", "num_players": 1}, "there is only one player"),
        ({"utility": "zero_sum", "min_return": 0.0}, "returns lie between 0 and 1"),
    ],
)
def test_a_utility_that_cannot_be_true_is_refused(body, text):
    with pytest.raises(bw.GameError, match=text):
        type("Impossible", (Kalah,), body)()


def test_a_class_that_is_not_complete_has_no_type():
    unfinished = type("Unfinished", (bw.Game,), {"utility": "constant_sum"})
    for tried in (game_type, check_game):
        with pytest.raises(bw.GameError, match="Unfinished has no method"):
            tried(unfinished)


class OwnField(Kalah):
    """Its `utility` is a field."""

    utility: np.float64 = 0.5


class OwnMethod(Kalah):
    """Its `utility` is a helper."""

    def utility(self, player):
        return 1.0 if player == self.last else -1.0

    def returns(self):
        return (self.utility(0), self.utility(1))


class OwnNumber(Kalah):
    """Its `utility` is a number that a rule reads."""

    utility = 1.0

    def returns(self):
        return (self.utility, -self.utility) if self.last == 0 else (-self.utility, self.utility)


@pytest.mark.parametrize("game", [OwnField, OwnMethod, OwnNumber])
def test_a_field_a_method_or_a_number_of_that_name_is_the_games_own(game):
    assert game_type(game) == GameType()
    assert bw.MCTS(seed=1).search(game(), simulations=50).simulations > 0


def test_the_constant_may_be_annotated():
    class Annotated(Kalah):
        utility: str = "zero_sum"

    assert game_type(Annotated).utility == "zero_sum"
    assert "utility" not in Annotated().__dict__


def test_the_utility_is_no_option_of_the_game():
    assert "utility" not in Nim.constants()
    with pytest.raises(bw.UnknownNameError):
        Nim.configured(utility="general_sum")


def _made(**body):
    def returns(self):
        return (1.0, -1.0) if self.last == 0 else (-1.0, 1.0)

    return type("Made", (Kalah,), {"returns": returns, **body})


def test_code_does_not_depend_on_the_utility():
    plain, said = _made(), _made(utility="zero_sum")
    fingerprint = compiled_type(plain).rules.fingerprint
    assert compiled_type(said).rules.fingerprint == fingerprint
    said.utility = "general_sum"
    assert compiled_type(said).rules.fingerprint == fingerprint
    changed = _made(returns=lambda self: (0.0, 0.0))
    assert compiled_type(changed).rules.fingerprint != fingerprint


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("tic_tac_toe", GameType(utility="zero_sum")),
        ("pig", GameType(chance="explicit_stochastic", utility="zero_sum")),
        (
            "kuhn_poker",
            GameType(chance="explicit_stochastic", information="imperfect", utility="zero_sum"),
        ),
        ("cliff_walking", GameType(utility="general_sum", rewards="rewards")),
        (
            "matrix_pd",
            GameType(dynamics="simultaneous", utility="general_sum"),
        ),
        (
            "tiny_hanabi",
            GameType(chance="explicit_stochastic", information="imperfect", utility="identical"),
        ),
    ],
)
def test_openspiels_types_are_read(name, kind):
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game(name)
    assert game_type(game) == game_type(game.new_initial_state()) == kind


def test_every_type_of_openspiel_has_words_but_mean_field():
    pyspiel = pytest.importorskip("pyspiel")
    unknown = set()
    for kind in pyspiel.registered_games():
        fake = type("Spiel", (), {"get_type": lambda self, kind=kind: kind})()
        try:
            assert game_type(fake).utility is not None
        except bw.GameError as error:
            unknown.add(error.problem.partition(" has ")[2])
    assert unknown == {"dynamics MEAN_FIELD, which Branchwise does not know"}


# --- proofs -------------------------------------------------------------------------------------------------


class Shared(Kalah):
    """Both players get what the last one took, and the class declares that."""

    utility = "general_sum"

    def returns(self):
        return (1.0, 1.0) if self.last == 0 else (-1.0, 1.0)


class Together(Kalah):
    """Both players win or lose together."""

    utility = "identical"

    def returns(self):
        return (1.0, 1.0) if self.last == 0 else (-1.0, -1.0)


class Unsaid(Shared):
    """The same without declaring it."""

    utility = None


@pytest.fixture
def sessions(monkeypatch):
    """Return a list that records, for each new session, whether it tries proofs."""
    begun = []

    class Counted(Session):
        def __init__(self, *args, proofs, **kwargs):
            begun.append(proofs)
            super().__init__(*args, proofs=proofs, **kwargs)

    for module in (
        branchwise.search.run.state_search,
        branchwise.search.trace.step_search,
        branchwise.arena.review,
    ):
        monkeypatch.setattr(module, "Session", Counted)
    return begun


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("game", "tried"), [(Shared, [False]), (Together, [False]), (Unsaid, [True, False])])
def test_one_search_is_begun_where_the_class_says_that_returns_do_not_add_up(game, tried, compiled, sessions):
    result = bw.MCTS(seed=1, compiled=compiled).search(game(), simulations=300)
    assert sessions == tried
    assert result.ended_by == "simulations"
    assert all(child.proven is None for child in result.children)


def test_a_search_begun_without_proofs_is_the_one_begun_again(sessions):
    said = bw.MCTS(seed=1, compiled=False).search(Shared(), simulations=300)
    unsaid = bw.MCTS(seed=1, compiled=False).search(Unsaid(), simulations=300)
    assert [(c.action, c.visits, c.value) for c in said.children] == [
        (c.action, c.visits, c.value) for c in unsaid.children
    ]


def test_steps_and_reviews_begin_without_proofs_too(sessions):
    steps = StepSearch(Shared(), Settings(seed=1))
    for _ in range(50):
        assert steps.step() is not None
    assert sessions == [False]
    record = bw.Match(Shared, ["random", "random"], games=2, seed=1, concurrency=1).run().records[0]
    sessions.clear()
    reviews = list(branchwise.arena.review.review(Shared, record, simulations=20))
    assert len(reviews) == len(record.moves)
    assert sessions
    assert not any(sessions)


def test_a_class_that_says_zero_sum_keeps_its_proofs(sessions):
    result = bw.MCTS(seed=1).search(Nim(chips=[6]), simulations=5000)
    assert result.ended_by == "proven"
    assert sessions == [True]


def test_more_than_two_players_keep_the_proofs_that_need_no_sum(sessions):
    game = type("GeneralRace", (Race,), {"utility": "general_sum"})
    won = bw.MCTS(seed=1, compiled=False).search(game(total=9, mover=1), simulations=100)
    assert (won.ended_by, sessions) == ("proven", [True])


def test_minimax_refuses_a_game_whose_players_are_no_opponents():
    with pytest.raises(bw.SettingsError, match="another utility: identical"):
        MinimaxBot(depth=2).choose(Together())
    assert MinimaxBot(depth=2, seed=1).choose(Kalah()) in Kalah().legal_actions()


# --- those that say what is not true ------------------------------------------------------------------------


class Liar(Prisoners):
    """Declares that returns add up to 0."""

    utility = "zero_sum"


class LiarInConstant(Prisoners):
    utility = "constant_sum"


class LiarInIdentical(Prisoners):
    utility = "identical"


LIARS = [
    (Liar, r'add up to -0\.\d, but utility is "zero_sum": they must add up to 0'),
    (LiarInConstant, r'but utility is "constant_sum": they must add up to min_return \+ max_return, 0'),
    (LiarInIdentical, r'which differ, but utility is "identical"'),
]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("game", "text"), LIARS)
def test_a_check_finds_returns_that_are_not_what_the_class_says(game, text, compiled):
    with pytest.raises(bw.GameError) as caught:
        check_game(game, games=200, compiled=compiled)
    found = caught.value
    assert found.problem.startswith(f"{game.__name__}.returns gave (")
    assert re.search(text, found.problem)
    assert len(found.after.split()) == 4
    assert "general_sum" in found.mend
    with pytest.raises(bw.GameError) as again:
        replay_moves(game, found.after.split(), compiled=compiled)
    assert again.value.problem == found.problem


class RareLiar(bw.Game):
    """Ten binary digits; only one number of 1024 gives returns that do not add up."""

    num_players = 2
    num_actions = 2
    utility = "zero_sum"

    number: np.int16 = 0
    moves: np.int8 = 0

    def current_player(self):
        return self.moves % 2

    def legal_actions(self):
        for action in range(2):
            yield action

    def apply_action(self, action):
        self.number = 2 * self.number + action
        self.moves += 1

    def is_terminal(self):
        return self.moves == 10

    def returns(self):
        if self.number == 682:
            return (1.0, 1.0)
        return (1.0, -1.0) if self.number % 3 == 0 else (-1.0, 1.0)


RARE = "RareLiar.returns gave (1.0, 1.0), which add up to 2"
MOVES = "1 0 1 0 1 0 1 0 1 0"


def test_compiled_games_find_a_lie_that_few_games_show():
    with pytest.raises(bw.GameError) as caught:
        check_game(RareLiar, games=20_000)
    assert caught.value.problem.startswith(RARE)
    assert caught.value.after == MOVES
    check_game(type("Honest", (RareLiar,), {"utility": "general_sum"}), games=3000, compiled=False)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_search_ends_with_the_moves_and_the_returns_that_are_not_what_the_class_says(compiled, sessions):
    with pytest.raises(bw.GameError) as caught:
        bw.MCTS(seed=1, compiled=compiled, max_depth=2).search(RareLiar(), simulations=100_000)
    assert caught.value.problem.startswith(RARE)
    assert caught.value.after.startswith(MOVES)
    assert len(sessions) == 1


def test_a_search_of_a_later_state_names_the_moves_from_there():
    state = RareLiar.from_actions(MOVES[:13])
    with pytest.raises(bw.GameError) as caught:
        bw.MCTS(seed=1, compiled=False).search(state, simulations=1000)
    assert caught.value.problem.startswith(RARE)
    steps = StepSearch(state, Settings(seed=1))
    with pytest.raises(bw.GameError, match="utility is"):
        for _ in range(1000):
            steps.step()


def test_without_proofs_a_search_needs_no_sum():
    result = bw.MCTS(seed=1, proofs=False, compiled=False).search(Liar(), simulations=100)
    assert result.simulations == 100


class PlainLiar:
    """A state of no `Game` that declares zero-sum but pays both players."""

    utility = "zero_sum"

    def __init__(self):
        self.moves = []

    def clone(self):
        twin = type(self)()
        twin.moves = list(self.moves)
        return twin

    def current_player(self):
        return len(self.moves) % 2

    def legal_actions(self):
        return [0, 1]

    def apply_action(self, action):
        self.moves.append(action)

    def is_terminal(self):
        return len(self.moves) == 3

    def returns(self):
        return [1.0, 1.0] if self.moves == [1, 1, 0] else [1.0, -1.0]


def test_a_state_that_is_no_game_is_held_to_its_word_too():
    with pytest.raises(bw.GameError) as caught:
        bw.MCTS(seed=1).search(PlainLiar(), simulations=100)
    assert caught.value.problem.startswith("PlainLiar.returns gave (1.0, 1.0), which add up to 2")
    assert caught.value.after == "1 1 0 (from the state that was searched)"


class ThreeShares(Race):
    """Three players share one point, or two."""

    utility = "constant_sum"
    min_return = 0.0

    def returns(self):
        if self.total == 10:
            return (1.0, 0.0, 0.0)
        return (1.0, 1.0, 0.0)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_constant_sum_of_three_is_that_of_another_game(compiled):
    with pytest.raises(bw.GameError, match="as in another game"):
        check_game(ThreeShares, games=200, compiled=compiled)
    honest = type("OneShare", (ThreeShares,), {"returns": lambda self: (0.5, 0.25, 0.25)})
    assert check_game(honest, games=20, compiled=False).games == 20


@pytest.mark.parametrize("given", ["tic_tac_toe", dict], ids=str)
def test_a_name_and_another_class_have_no_type(given):
    with pytest.raises(bw.GameError, match=r"is no game\n.*give a class, such as bw.load_game"):
        bw.game_type(given)
