"""Broken rules, states and settings: one clear error each, and the interpreter lives."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.queries.checked_games import CompiledState
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.search.run import run
from branchwise.testing import check_game
from support import narrow


class Count(bw.Game):
    """Count to five; subclasses break one rule each."""

    num_players = 2
    num_actions = 2
    max_game_length = 20

    total: np.int16 = 0

    def current_player(self):
        return self.total % 2

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.total += action + 1

    def is_terminal(self):
        return self.total >= 5

    def returns(self):
        return (1.0, -1.0)


class NoLegal(Count):
    def legal_actions(self):
        if self.total < 3:
            yield 0
            yield 1


class OutOfRange(Count):
    def legal_actions(self):
        yield 0
        yield 7 if self.total == 4 else 1


class TooMany(Count):
    def legal_actions(self):
        for action in range(100):
            yield action % 2


class WrongPlayer(Count):
    def current_player(self):
        return 5 if self.total == 2 else 0


class ReturnsTooLarge(Count):
    def returns(self):
        return (3.0, -3.0)


class ReturnsNotANumber(Count):
    def returns(self):
        return (np.nan, np.nan)


class ReturnsTooShort(Count):
    def returns(self):
        return (1.0,)


class Endless(Count):
    def is_terminal(self):
        return False

    def apply_action(self, action):
        self.total = (self.total + action + 1) % 5


class Raises(Count):
    def apply_action(self, action):
        self.total += 1 + 0 // (3 - self.total)


class OutOfArray(Count):
    cells: bw.Array[np.int8, 4] = 0

    def apply_action(self, action):
        self.total += action + 1
        self.cells[self.total] = 1


BROKEN = [
    (NoLegal, "NoLegal.legal_actions"),
    (OutOfRange, "OutOfRange.legal_actions gave action 7"),
    (TooMany, "TooMany.legal_actions"),
    (WrongPlayer, "WrongPlayer.current_player gave 5"),
    (ReturnsTooLarge, "ReturnsTooLarge.returns gave"),
    (ReturnsNotANumber, "ReturnsNotANumber.returns gave"),
    (ReturnsTooShort, "ReturnsTooShort.returns gave"),
    (Endless, "20 moves"),
    (Raises, "ZeroDivisionError"),
    (OutOfArray, "IndexError"),
]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("game", "text"), BROKEN, ids=lambda value: getattr(value, "__name__", ""))
def test_broken_rules_are_named_before_they_do_harm(game, text, compiled):
    with pytest.raises(bw.GameError, match=text) as caught:
        bw.MCTS(seed=1, compiled=compiled).search(game(), simulations=300)
    assert caught.value.after is not None


class LateFault(Count):
    """Wrong only after a line that random games hardly ever play: the actions 0 and 1 in turn."""

    max_game_length = 60

    run: np.int16 = 0

    def apply_action(self, action):
        self.run = self.run + 1 if action == self.total % 2 else 0
        self.total += 1

    def is_terminal(self):
        return self.total >= 40

    def current_player(self):
        return 9 if self.run >= 30 else 0


def test_a_fault_that_only_the_compiled_search_meets_is_reported_by_the_kernel():
    state = LateFault(run=28, total=28)
    with pytest.raises(bw.GameError, match=r"LateFault.current_player gave .* outside 0") as caught:
        bw.MCTS(seed=1, compiled=True).search(state, simulations=1000)
    assert caught.value.after.startswith("0 1")


WRONG_NUMBERS = {
    "too few": (1.0,),
    "too many": (1.0, -1.0, 0.0),
    "a scalar": 1.0,
    "a short array": np.array([1.0]),
    "a long array": np.zeros(3),
    "a board": np.zeros((2, 2)),
}
wrong_numbers = pytest.mark.parametrize("numbers", WRONG_NUMBERS.values(), ids=WRONG_NUMBERS)


def wrong_in(rule, numbers):
    """Return a game whose rule, `returns` or `evaluate`, gives the same whatever the state."""
    return type("Wrong", (Count,), {rule: lambda self: numbers, "__module__": __name__})


@wrong_numbers
def test_returns_that_are_not_one_number_a_player_are_reported(numbers):
    game = wrong_in("returns", numbers)
    with pytest.raises(bw.GameError, match=r"Wrong\.returns gave .*, but num_players is 2"):
        bw.MCTS(seed=1).search(game(), simulations=10)


@wrong_numbers
def test_an_evaluation_that_is_not_one_number_a_player_is_reported(numbers):
    game = wrong_in("evaluate", numbers)
    with pytest.raises(bw.GameError, match=r"Wrong\.evaluate gave .*, but num_players is 2"):
        bw.load_bot("minimax(depth=2)", seed=1).choose(game())


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ((1.0,), "gives 1 numbers, but there are 2 players"),
        ((1.0, -1.0, 0.0), "gives 3 numbers, but there are 2 players"),
        (1.0, "gives a float64, not one number a player"),
        (("win", "loss"), r"gives a UniTuple\(unicode_type x 2\), not one number a player"),
        (np.zeros((2, 2)), r"gives a .*array\(float64, 2d, C\), not one number a player"),
    ],
    ids=["too few", "too many", "a scalar", "texts", "a board"],
)
@pytest.mark.parametrize("rule", ["returns", "evaluate"])
def test_rules_that_give_other_than_one_number_a_player_are_not_compiled(rule, numbers, told):
    with pytest.raises(bw.GameError, match=rf"Wrong\.{rule} cannot be compiled .*: {rule} {told}"):
        CompiledState(wrong_in(rule, numbers))


@pytest.mark.parametrize("numbers", [(1, -1.0), (True, False), np.array([1, -1], np.int8)], ids=str)
def test_numbers_of_any_type_will_do(numbers):
    state = CompiledState(wrong_in("evaluate", numbers))
    assert state.evaluation == tuple(map(float, numbers))


class Sum(bw.Game):
    """One player adds or subtracts; returns and evaluations are numbers, and one calls the other."""

    num_players = 1
    num_actions = 2
    min_return, max_return = -20.0, 20.0
    max_game_length = 10

    total: np.int16 = 0
    moves: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield from range(2)

    def apply_action(self, action):
        self.total += 2 * action - 1
        self.moves += 1

    def is_terminal(self):
        return self.moves == 10

    def returns(self):
        return self.total

    def evaluate(self):
        return self.returns() / 2


def test_the_returns_of_one_player_may_be_a_number():
    assert Sum(total=3).returns() == (3.0,)
    assert Sum(total=3).evaluate() == (1.5,)
    assert check_game(Sum, 100).compared == 100
    results = [
        bw.MCTS(seed=1, cutoff=3, compiled=compiled).search(Sum(), simulations=300)
        for compiled in (True, False)
    ]
    assert results[0].children == results[1].children
    for compiled in (True, False):
        planner = bw.NRPA(level=2, seed=1, compiled=compiled)
        assert planner.search(Sum(), playouts=300).best_score == 10.0


def test_two_players_have_two_numbers():
    game = type("Two", (Sum,), {"num_players": 2})
    with pytest.raises(bw.GameError, match=r"Two.evaluate gave 0.0, but num_players is 2"):
        check_game(game, 10, compiled=False)
    with pytest.raises(bw.GameError, match=r"Two.\w+ cannot be compiled .*not one number a player"):
        CompiledState(game)


class ListOfReturns(Count):
    def returns(self):
        numbers = [1.0]
        numbers.append(-1.0)
        return numbers


def test_a_list_of_returns_will_do():
    result = bw.MCTS(seed=1).search(ListOfReturns(), simulations=200)
    assert result.value == bw.MCTS(seed=1, compiled=False).search(ListOfReturns(), simulations=200).value


class LateWrite(LateFault):
    cells: bw.Array[np.int8, 4] = 0

    def current_player(self):
        if self.run >= 30:
            self.cells[100_000 * self.run] = 1
        return 0


class LateRead(LateFault):
    cells: bw.Array[np.int8, 4] = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        if self.run < 30 or self.cells[-100_000 * self.run] == 0:
            yield 1


class LateReadWithoutBuffer(LateRead):
    def legal_actions(self):
        _ = yield 0
        if self.run < 30 or self.cells[-100_000 * self.run] == 0:
            yield 1


@pytest.mark.parametrize("game", [LateWrite, LateRead, LateReadWithoutBuffer])
def test_an_index_out_of_range_that_only_the_compiled_search_meets_is_an_error(game):
    state = game(run=28, total=28)
    with pytest.raises(bw.GameError, match=r"raised IndexError: .* \(.*test_faults.py, line") as caught:
        bw.MCTS(seed=1, compiled=True).search(state, simulations=1000)
    assert caught.value.after.startswith("0 1")
    assert isinstance(caught.value.__cause__, IndexError)
    with pytest.raises(bw.GameError, match="raised IndexError"):
        bw.load_bot("minimax(depth=4)", seed=1).choose(state)
    assert bw.MCTS(seed=1, compiled=True).search(game(), simulations=50).simulations == 50


@pytest.mark.parametrize("parallel", ["tree", "root", "leaf"])
def test_an_index_out_of_range_in_any_thread_ends_the_search(parallel):
    for seed in range(6):
        planner = bw.MCTS(seed=seed, threads=2, parallel=parallel, compiled=True)
        with pytest.raises(bw.GameError, match=r"raised IndexError: .* \(.*test_faults.py, line"):
            planner.search(LateRead(run=28, total=28), simulations=10_000)


class LateJudgement(LateFault):
    def current_player(self):
        return 0

    def evaluate(self):
        return np.zeros(2)[0 if self.run < 30 else 1 :]


def test_an_evaluation_that_only_minimax_meets_is_reported_by_its_own_name():
    state = LateJudgement(run=28, total=28)
    with pytest.raises(bw.GameError, match=r"LateJudgement.evaluate gave .* not one a player") as caught:
        bw.load_bot("minimax(depth=4)", seed=1).choose(state)
    assert "returns gave" not in str(caught.value)


class NoReturns(bw.Game):
    num_players = 1
    num_actions = 1
    x: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0

    def apply_action(self, action):
        self.x = 1

    def is_terminal(self):
        return self.x == 1


def test_a_missing_method_is_named():
    with pytest.raises(bw.GameError, match="NoReturns has no method returns") as caught:
        NoReturns()
    assert "def returns(self)" in str(caught.value)


def test_missing_constants_are_named():
    with pytest.raises(bw.GameError, match="num_actions is missing"):

        class Bare(NoReturns):
            num_actions = None

            def returns(self):
                return (0.0,)

        Bare()


def test_an_untyped_field_is_named():
    class Untyped(NoReturns):
        turn = 0

        def returns(self):
            return (0.0,)

        def apply_action(self, action):
            self.turn = 1

    with pytest.raises(bw.GameError, match=r"Untyped.turn is a constant"):
        Untyped().apply_action(0)
    with pytest.raises(bw.GameError, match=r"turn is a constant"):
        bw.MCTS().search(Untyped(), simulations=10)


def test_a_field_of_an_impossible_type_is_named():
    with pytest.raises(bw.GameError, match=r"Odd.board has the type <class 'list'>"):

        class Odd(NoReturns):
            board: list = 0


class Uncompilable(Count):
    def returns(self):
        names = {"a": 1.0, "b": -1.0}
        return tuple(sorted(names.values(), reverse=True))


class UsesMissingAttribute(Count):
    def is_terminal(self):
        return self.total >= 5 or (self.total > 100 and self.nowhere)


@pytest.mark.parametrize("game", [Uncompilable, UsesMissingAttribute])
def test_source_that_numba_cannot_compile_is_reported_by_the_users_own_line(game):
    with pytest.raises(bw.GameError, match="cannot be compiled") as caught:
        bw.MCTS().search(game(), simulations=10)
    text = str(caught.value)
    assert game.__name__ in text
    assert "test_faults.py, line" in text
    assert "numba" not in text.lower().replace("numba cannot", "")
    assert caught.value.__cause__ is not None
    assert bw.MCTS(compiled=False, proofs=False).search(game(), simulations=10).simulations == 10


def descend(n):
    return descend(n - 1)


def count_down(n):
    return 0 if n < 1 else 1 + count_down(n - 1)


class CallsItself(Count):
    def steps(self, action):
        return 1 if action == 0 else 1 + self.steps(action - 1)

    def apply_action(self, action):
        self.total += self.steps(action)


class CallsEachOther(CallsItself):
    def steps(self, action):
        return 1 if action == 0 else self.more(action)

    def more(self, action):
        return 1 + self.steps(action - 1)


class CallsItselfWithin(Count):
    def apply_action(self, action):
        def steps(n):
            return 1 if n == 0 else 1 + steps(n - 1)

        self.total += steps(action)


class WithoutBottom(Count):
    def apply_action(self, action):
        self.total += action + 1 if self.total < 100 else descend(action)


@pytest.mark.parametrize(
    ("game", "rule", "line", "told"),
    [
        (CallsItself, "steps", "1 + self.steps(action - 1)", "a method cannot call itself"),
        (CallsEachOther, "more", "return 1 + self.steps(action - 1)", "a method cannot call itself"),
        (WithoutBottom, "apply_action", "return descend(n - 1)", "the recursion has no base case"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_numba_cannot_compile_is_reported_with_the_line_itself_and_what_to_write(game, rule, line, told):
    with pytest.raises(bw.GameError, match="cannot be compiled") as caught:
        bw.MCTS().search(game(), simulations=10)
    problem = caught.value.problem
    assert problem.startswith(f"{game.__name__}.{rule} cannot be compiled (test_faults.py, line ")
    assert f"{line}): {told}" in problem


def test_a_function_within_a_rule_that_calls_itself_is_reported():
    with pytest.raises(bw.GameError, match=r"CallsItselfWithin.* a function inside a rule calls itself"):
        bw.MCTS().search(CallsItselfWithin(), simulations=10)


class CallsAHelper(Count):
    def apply_action(self, action):
        self.total += 1 + count_down(action)


def test_a_function_of_the_module_may_call_itself():
    assert bw.MCTS(seed=1, proofs=False).search(CallsAHelper(), simulations=50).simulations == 50


class SetsArray(Count):
    cells: bw.Array[np.int8, 4] = 0

    def apply_action(self, action):
        changed = self.cells + 1
        self.cells = changed
        self.total += action + 1


class SetsFlags(SetsArray):
    cells: bw.Array[bool, 4] = False

    def apply_action(self, action):
        self.cells = np.zeros(4, np.bool_)
        self.total += action + 1


@pytest.mark.parametrize("game", [SetsArray, SetsFlags])
def test_setting_an_array_field_as_a_whole_is_reported_by_the_users_own_line(game):
    with pytest.raises(bw.GameError, match=r"cannot be set as a whole; write self\.name\[:\]") as caught:
        bw.MCTS().search(game(), simulations=10)
    assert "test_faults.py, line" in str(caught.value)


def test_states_of_openspiel_that_hide_something_are_refused():
    pyspiel = pytest.importorskip("pyspiel")
    with pytest.raises(bw.GameError, match=r"phantom_ttt has .*hidden"):
        bw.MCTS().search(pyspiel.load_game("phantom_ttt").new_initial_state(), simulations=5)


def test_openspiel_games_of_chance_are_searched():
    pyspiel = pytest.importorskip("pyspiel")
    state = pyspiel.load_game("pig(winscore=10)").new_initial_state()
    result = bw.MCTS(seed=1).search(state, simulations=200)
    assert sum(child.visits for child in result.children) >= 199
    state.apply_action(0)
    with pytest.raises(bw.GameError, match="chance is to move"):
        bw.MCTS().search(state, simulations=5)


def test_a_missing_attribute_is_named():
    with pytest.raises(bw.GameError, match=r"self\.nowhere is not a field"):
        bw.MCTS().search(UsesMissingAttribute(), simulations=10)


def test_a_finished_game_cannot_be_searched():
    over = Nim.from_actions(["3"] * 7)
    for compiled in (None, False):
        with pytest.raises(bw.GameError, match="this nim game is over"):
            bw.MCTS(compiled=compiled).search(over, simulations=10)


def test_a_class_is_no_state():
    with pytest.raises(bw.GameError, match=r"give a state: ConnectFour\(\)"):
        bw.MCTS().search(ConnectFour, simulations=10)


def test_an_object_without_the_methods_is_no_state():
    with pytest.raises(bw.GameError, match="a list cannot be searched: it has no method current_player"):
        bw.MCTS().search([], simulations=10)


@pytest.mark.parametrize(
    "budget",
    [
        {},
        {"simulations": 0},
        {"simulations": -5},
        {"simulations": 10**12},
        {"simulations": 1.5},
        {"simulations": "many"},
        {"simulations": True},
        {"seconds": 0},
        {"seconds": -1},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"seconds": "x"},
        {"max_nodes": 0},
        {"max_nodes": 1},
        {"max_nodes": 10**12},
    ],
    ids=str,
)
def test_absurd_budgets_are_refused(budget):
    with pytest.raises(bw.SettingsError):
        bw.MCTS().search(ConnectFour(), **budget)


@pytest.mark.parametrize(
    "settings",
    [
        {"c": -1},
        {"c": float("nan")},
        {"c": "x"},
        {"memory_mb": 0},
        {"memory_mb": -3},
        {"max_depth": 0},
        {"seed": 1.5},
        {"seed": "x"},
        {"first_play": float("nan")},
    ],
    ids=str,
)
def test_absurd_settings_are_refused(settings):
    with pytest.raises(bw.SettingsError):
        bw.MCTS(**settings)


def test_a_misspelt_setting_is_refused():
    with pytest.raises(TypeError, match="exploration"):
        bw.MCTS(exploration=1)


@pytest.mark.parametrize("limits", [{"max_nodes": 3}, {"simulations": 100}])
def test_no_room_for_the_first_moves_is_reported(limits):
    planner = bw.MCTS(memory_mb=1024 if "max_nodes" in limits else 0.00005)
    with pytest.raises(bw.SettingsError, match="no room for the first moves"):
        planner.search(ConnectFour(), **limits)


def test_states_that_cannot_be_compiled_are_refused_where_compiling_was_asked_for():
    class Plain:
        current_player = legal_actions = apply_action = is_terminal = returns = clone = lambda self: 0

    with pytest.raises(bw.SettingsError, match=r"is not a branchwise\.Game"):
        bw.MCTS(compiled=True).search(Plain(), simulations=1)


class FailingPrior(Count):
    def prior(self, action):
        if self.total == 3:
            raise ValueError("three")
        return 1.0


class FailingEvaluation(Count):
    def evaluate(self):
        if self.total == 3:
            raise TypeError("three")
        return (0.0, 0.0)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("game", "settings", "told"),
    [
        (FailingPrior, {"selection": "puct"}, r"FailingPrior\.prior\([01]\) raised ValueError: three"),
        (
            FailingEvaluation,
            {"cutoff": 0, "proofs": False},
            r"evaluate raised TypeError: three",
        ),
    ],
)
def test_an_exception_of_an_optional_rule_is_not_taken_for_a_wrong_number(game, settings, told, compiled):
    with pytest.raises(bw.GameError, match=told):
        bw.MCTS(**settings, seed=1, compiled=compiled).search(game(), simulations=300)


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (narrow.Burn(fuel=1, moves=4), r"Burn.fuel = -1 does not fit np.uint8"),
        (narrow.Climb(height=126, moves=4), r"Climb.height = 128 does not fit np.int8"),
    ],
    ids=["a line that looks good", "a line that looks bad"],
)
def test_a_number_that_does_not_fit_its_field_is_found_beside_the_expected_line(monkeypatch, state, told):
    monkeypatch.setattr(run, "_LEAST_SECONDS", 0.0)
    monkeypatch.setattr(run, "_CHECK_SHARE", 1e9)
    monkeypatch.setattr(run, "_CHECK_SECONDS", 5.0)
    with pytest.raises(bw.GameError, match=told) as caught:
        bw.MCTS(seed=1, compiled=True).search(state, simulations=5000)
    assert caught.value.after.endswith("(from the state that was searched)")
