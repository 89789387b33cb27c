"""The rule checker finds each fault and reports problem, moves, mend, and a command to reproduce it."""

import random
import shlex
import time

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.rules.checking.before_compiling import vet
from branchwise.rules.checking.checker import _StandingOut
from branchwise.rules.checking.cross_check import CompiledMirror, difference
from branchwise.rules.checking.faults import Line
from branchwise.rules.checking.random_game import play_random_game
from branchwise.testing import CheckReport, Observation, check_game, replay_moves
from support import narrow


class Sound(bw.Game):
    """A game without faults, for subclasses to break: take one to three of ten chips; three moves or more."""

    num_players = 2
    num_actions = 3
    max_game_length = 10

    chips: np.int8 = 10
    mover: np.int8 = 0
    taken: bw.Array[np.int8, 2] = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield from range(min(3, self.chips))

    def apply_action(self, action):
        self.chips -= action + 1
        self.taken[self.mover] += action + 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)

    def action_to_string(self, action):
        return f"t{action + 1}"


class EmptyLegal(Sound):
    def legal_actions(self):
        for action in range(min(3, self.chips)):
            if self.chips != 4:
                yield action


class OutOfRange(Sound):
    def legal_actions(self):
        for action in range(min(4, self.chips)):
            yield action if self.chips > 5 or action < 3 else 9


class NegativeAction(Sound):
    def legal_actions(self):
        for action in range(min(3, self.chips)):
            yield action - (1 if self.chips == 3 else 0)


class Twice(Sound):
    def legal_actions(self):
        for action in range(min(3, self.chips)):
            yield min(action, 1) if self.chips < 5 else action


class WithoutEnd(Sound):
    def legal_actions(self):
        while True:
            yield 0


class FractionalAction(Sound):
    def legal_actions(self):
        yield 0.5


class NoGenerator(Sound):
    def legal_actions(self):
        return min(3, self.chips)


class PlayerOutOfRange(Sound):
    def current_player(self):
        return self.mover + (1 if self.chips < 6 else 0)


class PlayerIsNone(Sound):
    def current_player(self):
        if self.chips > 6:
            return self.mover


class OneReturn(Sound):
    def returns(self):
        return (1.0,) if self.mover else (-1.0, 1.0)


class ReturnsANumber(Sound):
    def returns(self):
        return 1.0


class BeyondTheBounds(Sound):
    def returns(self):
        return (-2.0, 2.0) if self.mover == 0 else (1.0, -1.0)


class NotANumber(Sound):
    def returns(self):
        return (float("nan"), 0.0)


class NotFinite(Sound):
    max_return = float("inf")

    def returns(self):
        return (float("inf"), 0.0)


class TextReturns(Sound):
    def returns(self):
        return ("win", "loss")


class NeverEnds(Sound):
    max_game_length = 200

    def apply_action(self, action):
        self.mover = 1 - self.mover


class LongerThanSaid(Sound):
    max_game_length = 4


class TerminalIsANumber(Sound):
    def is_terminal(self):
        return int(self.chips == 0)


class RaisesIndexError(Sound):
    def apply_action(self, action):
        self.chips -= action + 1
        self.taken[self.mover + self.chips // 3] += 1
        self.mover = 1 - self.mover


class RaisesInAHelper(Sound):
    def legal_actions(self):
        yield from range(min(3, self.chips, 3 + 0 // self.spare()))

    def spare(self):
        return self.chips - 5


class RaisesOutright(Sound):
    def returns(self):
        raise NotImplementedError


class RaisesAtSetup(Sound):
    def setup(self):
        self.taken[5] = 1


class FieldTooNarrow(Sound):
    apples: np.int8 = 100

    def apply_action(self, action):
        self.chips -= action + 1
        self.apples += 20
        self.mover = 1 - self.mover


class SharedArrays(Sound):
    def copy(self):
        twin = super().copy()
        twin.__dict__["taken"] = self.taken
        return twin


class CopyIsItself(Sound):
    def copy(self):
        return self


class CopyLosesTheMover(Sound):
    def copy(self):
        return type(self)(chips=self.chips)


class AskingChanges(Sound):
    def legal_actions(self):
        self.taken[0] += 1
        yield 0


class ShowingChanges(Sound):
    def __str__(self):
        self.taken[0] = 0
        return "chips"


class CannotBeShown(Sound):
    def __str__(self):
        return "|" * self.missing


class SameName(Sound):
    def action_to_string(self, action):
        return "Most" if action == 2 else "one" if action == 0 else "most"


class NameWithBlanks(Sound):
    def action_to_string(self, action):
        return f"take {action + 1}"


class NameIsANumber(Sound):
    def action_to_string(self, action):
        return action + 1


class ReadsOtherwise(Sound):
    def action_from_string(self, text):
        return 0


class DoesNotRead(Sound):
    def action_from_string(self, text):
        return super().action_from_string(text + "!")


class RaisesReading(Sound):
    def action_from_string(self, text):
        return int(text)


class RandomOutcome(Sound):
    def apply_action(self, action):
        self.chips -= random.randint(1, action + 1)
        self.mover = 1 - self.mover


class RandomStart(Sound):
    def setup(self):
        self.chips = random.randint(1, 100)


class OneEvaluation(Sound):
    def evaluate(self):
        return (0.0,) if self.chips < 6 else (0.0, 0.0)


class EvaluatesToANumber(Sound):
    def evaluate(self):
        return np.array(self.chips / 10)


class EvaluatesBeyondTheBounds(Sound):
    def evaluate(self):
        worth = np.float64(self.chips)
        return (worth, -worth)


class EvaluatesToNoNumber(Sound):
    def evaluate(self):
        return (float("nan"), 0.0)


class RaisesEvaluating(Sound):
    def evaluate(self):
        return (1 / (self.chips - 10), 0.0)


class EvaluatingChanges(Sound):
    def evaluate(self):
        self.taken[0] += 1
        return (0.0, 0.0)


class EvaluatesByTheWay(Sound):
    def evaluate(self):
        Turns.count += 1
        return (Turns.count % 2, 0.0)


class Turns:
    count = 0


class HiddenState(Sound):
    def legal_actions(self):
        Turns.count += 1
        for action in range(min(3, self.chips)):
            if action == Turns.count % 2:
                continue
            yield action


class UnequalHashes(Sound):
    def __hash__(self):
        return id(self)


FAULTS = [
    (EmptyLegal, "EmptyLegal.legal_actions gave no action in a state that is not over", "is_terminal"),
    (OutOfRange, "OutOfRange.legal_actions gave action 3, but num_actions is 3", "0 to num_actions - 1"),
    (
        NegativeAction,
        "NegativeAction.legal_actions gave action -1, but num_actions is 3",
        "0 to num_actions - 1",
    ),
    (Twice, "Twice.legal_actions gave action 1 twice", "once"),
    (WithoutEnd, "WithoutEnd.legal_actions gave action 0 twice", "once"),
    (FractionalAction, "FractionalAction.legal_actions gave 0.5, which is no whole number", "whole numbers"),
    (NoGenerator, "NoGenerator.legal_actions gave 3, not actions", "yield"),
    (PlayerOutOfRange, "PlayerOutOfRange.current_player gave 2, but num_players is 2", "players are 0 to 1"),
    (PlayerIsNone, "PlayerIsNone.current_player gave None, but num_players is 2", "end in a return"),
    (OneReturn, "OneReturn.returns gave (1.0,), but num_players is 2", "2 numbers, one a player"),
    (ReturnsANumber, "ReturnsANumber.returns gave 1.0, but num_players is 2", "2 numbers, one a player"),
    (BeyondTheBounds, "BeyondTheBounds.returns gave (-2.0, 2.0), but min_return is -1.0", "set min_return"),
    (NotANumber, "NotANumber.returns gave (nan, 0.0), which holds nan", "finite"),
    (NotFinite, "NotFinite.returns gave (inf, 0.0), which holds inf", "finite"),
    (TextReturns, "TextReturns.returns gave ('win', 'loss'), which holds 'win'", "finite"),
    (NeverEnds, "NeverEnds is not over after 200 moves, but max_game_length is 200", "let is_terminal end"),
    (
        LongerThanSaid,
        "LongerThanSaid is not over after 4 moves, but max_game_length is 4",
        "raise max_game_length",
    ),
    (TerminalIsANumber, "TerminalIsANumber.is_terminal gave 0, not True or False", "comparison"),
    (RaisesIndexError, "RaisesIndexError.apply_action(0) raised IndexError: ", "in range"),
    (RaisesInAHelper, "RaisesInAHelper.legal_actions raised ZeroDivisionError: ", "every state"),
    (RaisesOutright, "RaisesOutright.returns raised NotImplementedError (", "every state"),
    (RaisesAtSetup, "RaisesAtSetup.setup raised IndexError: ", "in range"),
    (FieldTooNarrow, "FieldTooNarrow.apply_action(", "wider type"),
    (SharedArrays, "SharedArrays.apply_action(0) on a copy changes the state that was copied", "leave copy"),
    (CopyIsItself, "CopyIsItself.copy gave the state itself", "leave copy"),
    (CopyLosesTheMover, "CopyLosesTheMover.copy gave <CopyLosesTheMover ", "leave copy"),
    (AskingChanges, "AskingChanges.legal_actions changes the fields", "only apply_action"),
    (ShowingChanges, "ShowingChanges.__str__ changes the fields", "only apply_action"),
    (
        CannotBeShown,
        "CannotBeShown.__str__ fails: CannotBeShown has no field, constant or method missing",
        "declare it",
    ),
    (SameName, "SameName.action_to_string gave 'Most' for both action 1 and action 2", "a name of its own"),
    (NameWithBlanks, "NameWithBlanks.action_to_string(0) gave 'take 1'", "without blanks"),
    (NameIsANumber, "NameIsANumber.action_to_string(0) gave 1", "a text"),
    (
        ReadsOtherwise,
        "ReadsOtherwise.action_from_string('t2') gave 0, but that is the name of action 1",
        "Game",
    ),
    (DoesNotRead, "DoesNotRead.action_from_string('t1') gave an error", "leave action_from_string"),
    (RaisesReading, "RaisesReading.action_from_string raised ValueError: ", "every state"),
    (RandomOutcome, "RandomOutcome.apply_action(", "random.below(n)"),
    (RandomStart, "RandomStart.setup gave <RandomStart ", "def setup(self, random)"),
    (HiddenState, "HiddenState.legal_actions gave [", "from the fields alone"),
    (OneEvaluation, "OneEvaluation.evaluate gave (0.0,), but num_players is 2", "2 numbers, one a player"),
    (EvaluatesToANumber, "EvaluatesToANumber.evaluate gave 1.0, but num_players is 2", "2 numbers"),
    (
        EvaluatesBeyondTheBounds,
        "EvaluatesBeyondTheBounds.evaluate gave (10.0, -10.0), but min_return is -1.0",
        "set min_return",
    ),
    (
        EvaluatesToNoNumber,
        "EvaluatesToNoNumber.evaluate gave (nan, 0.0), which holds nan",
        "finite",
    ),
    (RaisesEvaluating, "RaisesEvaluating.evaluate raised ZeroDivisionError: ", "every state"),
    (EvaluatingChanges, "EvaluatingChanges.evaluate changes the fields", "only apply_action"),
    (EvaluatesByTheWay, "EvaluatesByTheWay.evaluate gave (", "from the fields alone"),
    (UnequalHashes, "UnequalHashes.__hash__ differs for equal states", "leave __hash__"),
]
BY_CHANCE = (RandomOutcome, RandomStart, HiddenState, EvaluatesByTheWay)


def fault_of(game, **options):
    with pytest.raises(bw.GameError) as caught:
        check_game(game, 300, **options)
    return caught.value


@pytest.mark.parametrize(
    ("game", "told"),
    [
        (narrow.Burn, r"Burn.fuel = -1 does not fit np.uint8"),
        (narrow.Pour, r"apply_action\(\d\) raised OverflowError: Python integer 276 out of bounds for uint8"),
        (narrow.PourAtOnce, r"apply_action\(\d\) raised OverflowError: .* 276 out of bounds for uint8"),
    ],
)
def test_a_number_that_does_not_fit_its_field_is_found_in_compiled_games(game, told):
    """The returns tell nothing, and games in plain Python are too few to meet it."""
    assert check_game(game, 2000, seconds=None, compiled=False).games == 2000
    with pytest.raises(bw.GameError, match=told) as caught:
        check_game(game, 100_000)
    assert caught.value.mend == "give the field a wider type"


class Growing(narrow.Climb):
    """One action of two adds to a field that is too narrow for a game of only that action."""

    num_actions = 2
    max_game_length = 200

    def legal_actions(self):
        yield from range(2)

    def apply_action(self, action):
        self.height += action
        self.moves += 1

    def is_terminal(self):
        return self.moves == 200


def test_games_of_the_first_and_of_the_last_action_are_played():
    error = fault_of(Growing, compiled=False)
    assert "Growing.height = 128 does not fit np.int8" in str(error)
    assert replayed(error)[1] == ["1"] * 128
    with pytest.raises(bw.GameError, match=r"Growing.height = 128 does not fit"):
        vet(Growing)


def replayed(error):
    """Return the moves of the error's command line."""
    words = shlex.split(error.replay)
    assert words[:2] == ["branchwise", "check"]
    assert words[3] == "--moves"
    return words[2], words[4].split()


@pytest.mark.parametrize(
    ("game", "problem", "mend"), FAULTS, ids=lambda value: getattr(value, "__name__", "")
)
def test_fault_is_found_and_told_with_its_mend(game, problem, mend):
    error = fault_of(game)
    assert problem in error.problem
    assert error.mend is None if mend is None else mend in error.mend
    assert error.after


@pytest.mark.parametrize("game", [game for game, _, _ in FAULTS if game not in BY_CHANCE])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_commands_moves_show_the_same_fault_again(game, seed):
    error = fault_of(game, seed=seed)
    source, moves = replayed(error)
    assert source == f"tests/rules/test_checker.py:{game.__name__}"
    with pytest.raises(bw.GameError) as caught:
        replay_moves(game, moves)
    assert str(caught.value) == str(error)


def test_moves_before_the_fault_are_reported_as_people_write_them():
    error = fault_of(LongerThanSaid)
    assert len(error.after.split()) == 4
    assert set(error.after.split()) <= {"t1", "t2", "t3"}
    assert error.after.split() == replayed(error)[1]


def test_the_move_that_brings_an_exception_on_is_in_the_command_and_not_before_it():
    error = fault_of(RaisesIndexError)
    assert (error.after, replayed(error)[1]) == ("the start", ["t1"])


def test_an_exception_is_reported_with_the_users_line_and_kept_as_the_cause():
    error = fault_of(RaisesIndexError)
    assert "test_checker.py, line " in error.problem
    assert "self.taken[self.mover + self.chips // 3] += 1)" in error.problem
    assert isinstance(error.__cause__, IndexError)
    error = fault_of(RaisesInAHelper)
    assert "3 + 0 // self.spare()" in error.problem
    assert isinstance(error.__cause__, ZeroDivisionError)


def test_a_value_that_does_not_fit_its_field_is_reported_with_field_and_line():
    error = fault_of(FieldTooNarrow)
    assert "FieldTooNarrow.apples = 140 does not fit np.int8" in error.problem
    assert "self.apples += 20" in error.problem


def test_a_long_list_of_moves_is_cut_short_and_the_command_repeats_the_game_by_its_seed():
    class Long(NeverEnds):
        max_game_length = 1000

    error = fault_of(Long)
    assert "(1,000 moves)" in error.after
    assert len(str(error)) < 1000
    assert "games=1, seed=0" in error.replay


def test_the_seed_of_a_long_faulty_game_plays_that_game_first():
    class RarelyTooMuch(Sound):
        """70 moves with long names, and a wrong return in one game of five."""

        max_game_length = 70
        turn: np.int16 = 0
        sum: np.int16 = 0

        def legal_actions(self):
            yield from range(3)

        def apply_action(self, action):
            self.turn += 1
            self.sum += action

        def is_terminal(self):
            return self.turn == 70

        def returns(self):
            return (self.sum % 5 - 3, 0)

        def action_to_string(self, action):
            return f"move-number-{action}-that-is-as-good-as-any"

    error = fault_of(RarelyTooMuch, source="my_game.py", seed=2)
    words = error.replay.split()
    assert words[:6] == ["branchwise", "check", "my_game.py", "--games", "1", "--seed"]
    assert words[6] != "2"  # it was not the first game
    with pytest.raises(bw.GameError) as caught:
        check_game(RarelyTooMuch, 1, seed=int(words[6]), source="my_game.py")
    assert str(caught.value) == str(error)


def test_a_game_out_of_reach_of_the_command_line_is_replayed_from_python():
    class Local(LongerThanSaid):
        size = 3

    error = fault_of(Local)
    assert error.replay.startswith("branchwise.testing.replay_moves(Local, 't")
    error = fault_of(Local.configured(size=4))
    assert error.replay.startswith("branchwise.testing.replay_moves(Local.configured(size=4), 't")


def test_a_built_in_game_and_its_options_are_named_and_quoted_for_a_shell():
    class Wrong:
        label = "wrong"

        def start(self):
            pass

        def apply(self, action):
            pass

        def observation(self):
            return Observation(True)

    error = fault_of(Nim.configured(heaps=(3, 4), max_take=0), mirror=Wrong())
    assert error.replay == 'branchwise check "nim(heaps=(3,4),max_take=0)" --moves ""'
    assert error.after == "the start"


@pytest.mark.parametrize(
    "game", [Sound, Nim, TicTacToe, ConnectFour, Nim.configured(heaps=(3, 4, 5), max_take=0)]
)
def test_a_sound_game_passes_and_is_reported(game):
    report = check_game(game, 50, compiled=False)
    assert report.games == 50 == sum(report.results.values())
    assert 0 < report.shortest <= report.moves / 50 <= report.longest <= game.max_game_length
    assert 1 < report.most_actions <= game.num_actions
    assert set(report.results) <= {(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)}
    assert str(report).startswith(f"{game.name}: no fault in 50 random games, {report.moves} moves\n")


def test_a_game_for_one_and_a_game_for_three_pass():
    class Alone(Sound):
        num_players = 1

        def current_player(self):
            return 0

        def returns(self):
            return (self.taken[0] / 10,)

    class Three(Sound):
        num_players = 3

        def returns(self):
            return np.array([1.0, 0.0, -1.0])

    assert check_game(Alone, 20, compiled=False).games == 20
    assert check_game(Three, 20, compiled=False).results == {(1.0, 0.0, -1.0): 20}


def test_same_seed_same_games():
    first, second, third = (check_game(TicTacToe, 300, seed=seed) for seed in (5, 5, 6))
    for report in (first, second, third):
        report.seconds = report.turned = 0  # positions are turned for a share of the time
    assert first == second != third


def test_the_clock_ends_a_check():
    assert check_game(Nim, 10**9, seconds=0.5).games < 10**9
    assert check_game(Nim, 10**9, seconds=0.5, compiled=False).games < 10**9


def test_compiling_does_not_count():
    class NeverCompiled(Nim):
        NEW = 10**6 + time.time_ns() % 10**9

        def is_terminal(self):
            return self.chips[0] == self.NEW or super().is_terminal()

    assert check_game(NeverCompiled, 500, seconds=0.8).compared > 10


def test_a_class_that_is_no_complete_game_is_told_what_it_lacks():
    class NoReturns(bw.Game):
        num_players = 2
        num_actions = 1
        turn: np.int8 = 0

        def current_player(self):
            return 0

        def legal_actions(self):
            yield 0

        def apply_action(self, action):
            self.turn += 1

        def is_terminal(self):
            return self.turn > 1

    with pytest.raises(bw.GameError, match="NoReturns has no method returns"):
        check_game(NoReturns)


@pytest.mark.parametrize(
    "options", [{"games": 0}, {"games": -1}, {"games": 1.5}, {"seconds": 0}, {"seconds": "1"}]
)
def test_a_budget_that_makes_no_sense_is_refused(options):
    with pytest.raises(bw.SettingsError, match=next(iter(options))):
        check_game(Nim, **options)


@pytest.mark.parametrize("game", [Nim(), "nim", int])
def test_what_is_no_rules_class_is_refused(game):
    with pytest.raises(bw.SettingsError, match="no rules class"):
        check_game(game)


# --- compiled games -------------------------------------------------------------------------------------


class Overflow(Sound):
    def is_terminal(self):
        return self.chips == 0 or (self.chips << 62) * 4 == 0


class RareFaults(bw.Game):
    """The first three of twelve moves choose a fault of the rules, or none; it shows three moves later."""

    num_players = 2
    num_actions = 2
    max_game_length = 12

    turn: np.int8 = 0
    kind: np.int8 = 0
    moves: bw.Array[np.int8, 12] = 0
    asked: np.int8 = 0

    def faulty(self, kind):
        return self.kind == kind and self.turn == 6

    def current_player(self):
        return 2 if self.faulty(0) else self.turn % 2

    def legal_actions(self):
        if self.faulty(1):
            self.asked = 1
        yield 0
        if not self.faulty(2):
            yield 1
        else:
            yield 0
        if self.faulty(3):
            yield 2

    def apply_action(self, action):
        if self.turn < 3:
            self.kind += action << self.turn
        self.moves[self.turn + (7 if self.faulty(4) else 0)] = action
        self.turn += 1

    def is_terminal(self):
        return self.turn == 12 and self.kind != 5

    def returns(self):
        return (2.0, 0.0) if self.kind == 6 else (1.0, -1.0)

    def evaluate(self):
        return (0.0, 0.0)


def test_compiled_games_break_a_rule_where_the_same_games_in_plain_python_do():
    form = CompiledMirror(RareFaults)
    kinds = set()
    for seed in range(60):
        line = Line(RareFaults, None, seed)
        report = CheckReport("rare")
        played = form.play([seed])
        if played.fault_after is None:
            play_random_game(line, seed, report)
            assert (report.results[played.returns[0]], report.moves) == (1, played.lengths[0])
        else:
            with pytest.raises(bw.GameError):
                play_random_game(line, seed, report)
            assert played.count == 0
        kinds.add(sum(action << place for place, action in enumerate(line.actions[:3])))
    assert kinds == set(range(8))


class OneGameInMany(Sound):
    """A fault after one line of 3 ** 6, and after longer ones through it."""

    turn: np.int16 = 0
    number: np.int16 = 0

    def legal_actions(self):
        yield from range(3)

    def apply_action(self, action):
        self.number = self.number * 3 + action if self.turn < 6 else self.number
        self.turn += 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.turn == 9

    def current_player(self):
        return 2 if self.number == 500 and self.turn >= 6 else self.mover


def test_a_fault_too_rare_for_plain_python_is_found_and_told_as_there():
    with pytest.raises(bw.GameError) as caught:
        check_game(OneGameInMany, 20_000)
    assert caught.value.problem.startswith("OneGameInMany.current_player gave 2, but num_players is 2")
    assert replayed(caught.value)[1] == ["t3", "t1", "t1", "t2", "t2", "t3"]


def test_of_several_faulty_games_the_shortest_is_reported():
    class AnyEnd(Sound):
        def returns(self):
            return (3.0, 0.0)

    assert len(fault_of(AnyEnd).after.split()) == 4


def test_the_checker_compares_plain_python_with_compiled_code():
    # A Python number keeps growing where compiled code wraps round at 64 bits.
    told = "is_terminal differs: Python has False, compiled code has True"
    with pytest.raises(bw.GameError, match=told) as caught:
        check_game(Overflow, 30)
    with pytest.raises(bw.GameError, match=told):
        replay_moves(Overflow, replayed(caught.value)[1])
    check_game(Overflow, 30, compiled=False)
    replay_moves(Overflow, replayed(caught.value)[1], compiled=False)


def test_games_that_stand_out_are_compared_first():
    check_game(TicTacToe, 10)  # loads or compiles the code, so that the next check is not timed with it
    report = check_game(TicTacToe, 50_000, seconds=20.0)  # at most 2,000 are compared, in 4 s
    assert report.games > 5 * report.compared > 0
    assert len(report.results) == 3
    assert "of them in step with compiled code" in str(report)


def test_searches_do_not_look_again_at_rules_without_a_fault(monkeypatch, tmp_path):
    from branchwise.rules.checking import before_compiling

    monkeypatch.setenv("BRANCHWISE_CACHE_DIR", str(tmp_path))
    check_game(Sound, 20)
    looked_at = []
    monkeypatch.setattr(before_compiling, "_play_games", looked_at.append)
    monkeypatch.setattr(before_compiling, "_vetted", set())  # as in another process
    before_compiling.vet(Sound)
    assert looked_at == []
    before_compiling.vet(Judged)
    assert looked_at == [Judged]


def test_standing_out_are_the_shortest_the_longest_and_each_result():
    games = _StandingOut()
    games.note([11, 12, 13, 14, 15], [5, 4, 9, 9, 5], [(1.0,), (1.0,), (1.0,), (0.0,), (0.0,)])
    assert games.seeds() == [12, 13, 11, 14]


# --- one line of moves ----------------------------------------------------------------------------------


def test_replayed_moves_lead_to_their_state():
    assert replay_moves(ConnectFour, ["d", 3, "C"]) == ConnectFour.from_actions([3, 3, 2])
    assert replay_moves(Sound, [], compiled=False) == Sound()


def test_an_illegal_move_is_reported_with_its_place():
    with pytest.raises(bw.ActionError) as caught:
        replay_moves(ConnectFour, list("ddx"))
    assert caught.value.problem == 'move 3: "x" is not a legal move here'
    assert caught.value.after == "d1 d2"
    assert caught.value.mend == "legal moves are a1 b1 c1 d3 e1 f1 g1"


def test_a_move_after_the_end_is_reported():
    with pytest.raises(bw.ActionError, match=r"move 8: .* the game is over"):
        replay_moves(ConnectFour, list("dededede"))


def test_every_legal_action_is_tried_at_every_state():
    class RaisesAtTheLast(Sound):
        def apply_action(self, action):
            if self.chips == 5 and action == 2:
                raise RuntimeError("not that one")
            super().apply_action(action)

    with pytest.raises(bw.GameError, match=r"apply_action\(2\) raised RuntimeError: not that one") as caught:
        replay_moves(RaisesAtTheLast, ["t3", "t2", "t1"])
    assert caught.value.after == "t3 t2"


# --- in step with a second implementation ---------------------------------------------------------------


class Twin:
    """A game's own rules as the second implementation, with one answer changed at 4 chips."""

    label = "compiled"

    def __init__(self, game, method=None, answer=None):
        self.game, self.method, self.answer = game, method, answer

    def start(self):
        self.state = self.game()

    def apply(self, action):
        self.state.apply_action(action)
        if self.method == "apply_action" and self.state.chips == 4:
            self.state.taken[1] = 7

    def observation(self):
        state = self.state
        over = state.is_terminal()
        facts = {"terminal": over, "record": state.to_record()}
        if over:
            facts["returns"] = tuple(state.returns())
        else:
            facts |= {"player": state.current_player(), "legal": tuple(state.legal_actions())}
            facts["evaluation"] = tuple(state.evaluate())
        if self.method in facts and (state.chips == 4 or over):
            facts[self.method] = self.answer
        if self.method == "raises" and state.chips < 5:
            raise OverflowError("status 7")
        return Observation(**facts)


class Judged(Sound):
    def evaluate(self):
        worth = 0.1 * self.chips
        return (worth, -worth)


def test_an_implementation_that_agrees_passes_and_is_named_in_the_report():
    report = check_game(Judged, 50, mirror=Twin(Judged), compiled=False)
    assert report.mirror == "compiled"
    assert "50 random games" in str(report)
    assert ", in step with compiled" in str(report)
    assert report.compared == 50
    replay_moves(Judged, ["t1", "t2"], mirror=Twin(Judged), compiled=False)


@pytest.mark.parametrize(
    ("method", "answer", "told"),
    [
        ("terminal", True, "is_terminal differs: Python has False, compiled has True"),
        ("player", 5, "current_player differs: Python has "),
        ("legal", (0, 2, 1), "legal_actions differs: Python has [0, 1, 2], compiled has [0, 2, 1]"),
        ("returns", (0.0, 0.0), "returns differs: Python has ("),
        ("evaluation", (0.4, 0.4), "evaluate differs: Python has (0.4, -0.4), compiled has (0.4, 0.4)"),
        ("apply_action", None, "apply_action differs: Python has taken = ["),
        ("raises", None, "the compiled form of judged failed: status 7"),
    ],
)
def test_a_difference_is_reported_with_method_both_values_and_moves(method, answer, told):
    twin = Twin(Judged, method, answer)
    error = fault_of(Judged, mirror=twin)
    assert told in error.problem
    moves = replayed(error)[1]
    assert error.after.split() == moves
    with pytest.raises(bw.GameError) as caught:
        replay_moves(Judged, moves, mirror=twin)
    assert str(caught.value) == str(error)


def test_what_does_not_matter_is_not_compared():
    assert (
        difference(Observation(True, player=0, returns=(1.0,)), Observation(True, player=1, returns=(1.0,)))
        is None
    )
    assert difference(Observation(False, 0, (1,), returns=(1.0,)), Observation(False, 0, (1,))) is None
    record = Sound().to_record()
    assert difference(Observation(False, 0, (1,), record=record), Observation(False, 0, (1,))) is None
    judged = Observation(False, 0, (1,), evaluation=(0.1 + 0.2, 0.0))
    for other in (None, (0.3, 0.0)):
        assert difference(judged, Observation(False, 0, (1,), evaluation=other)) is None


def test_openspiel_agrees_on_random_games():
    pyspiel = pytest.importorskip("pyspiel")

    class OpenSpiel:
        label = "open_spiel"

        def __init__(self, name):
            self.game = pyspiel.load_game(name)

        def start(self):
            self.state = self.game.new_initial_state()

        def apply(self, action):
            self.state.apply_action(action)

        def observation(self):
            state = self.state
            if state.is_terminal():
                return Observation(True, returns=tuple(state.returns()))
            return Observation(False, state.current_player(), tuple(state.legal_actions()))

    for game in (TicTacToe, ConnectFour):
        report = check_game(game, 50, mirror=OpenSpiel(game.name))
        assert (report.games, report.compared, report.mirror) == (50, 50, "compiled code and open_spiel")
