"""Operations in place on parts of arrays do in compiled rules what they do in Python, without a copy."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.machine.kernel import entry_kernel
from branchwise.game.kinds.fields import Array

HALVES = np.array([3, 1, 5], np.int64)


class Parts(bw.Game):
    """Each action changes a part of the arrays by another way of writing it."""

    num_players = 1
    num_actions = 15
    max_game_length = 100

    table: Array[np.int64, 4, 6] = 1
    row: Array[np.int16, 6] = 2
    line: Array[np.int16, 6] = 3
    marks: Array[np.bool_, 4, 6] = False
    shares: Array[np.float64, 6] = 1.0

    def setup(self, random):
        self.table[:] = np.arange(24).reshape((4, 6)) * 7 % 11
        self.line[:] = np.arange(6)
        for place in range(0, 24, 5):
            self.marks[place // 6, place % 6] = True

    def current_player(self):
        return 0

    def legal_actions(self):
        for action in range(15):
            yield action

    def apply_action(self, action):
        if action == 0:
            self.table[1, 2 : 2 + self.row[0]] += self.table[2, : self.row[0]]
        elif action == 1:
            self.table[2] -= self.table[3]
        elif action == 2:
            self.table[:, self.row[1]] *= self.table[:, 0]
        elif action == 3:
            self.table[1:3, ::2] ^= 5
        elif action == 4:
            self.table[0, ::-1] += self.table[1]
        elif action == 5:
            self.row[1:] += self.row[0]
        elif action == 6:
            self.marks[1, 1:4] |= self.marks[0, :3]
        elif action == 7:
            self.marks[:2] ^= self.marks[2:]
        elif action == 8:
            self.shares[2:5] /= 4.0
        elif action == 9:
            self.table[0, HALVES] += 100  # an array of indices gives a copy, which has to be stored
        elif action == 10:
            self.line[1:] += self.line[:-1]
        elif action == 11:
            self.marks[1:, 1:] |= self.marks[:-1, :-1]
        elif action == 12:
            self.line[::-1] += self.line
        elif action == 13:
            part = self.table[1, 1:]
            part += self.table[1, :5]
        else:
            self.row[3] += 1
            self.table[3, 3] -= 2
        return float(
            self.table.sum() + self.row.sum() + self.line.sum() + self.marks.sum() + self.shares.sum()
        )

    def is_terminal(self):
        return False


@entry_kernel
def apply(state, action, rewards):
    state.apply_for_rewards(action, rewards, 0)


@pytest.fixture(scope="module")
def memory():
    return NativeRecords(compiled_type(Parts))


@pytest.mark.parametrize("actions", [*[(action,) for action in range(15)], tuple(range(15)) * 2])
def test_compiled_rules_do_what_python_does(memory, actions):
    state = Parts.new_initial_state(bw.Random(1))
    before = state.to_record().tobytes()
    memory.records[0] = state.to_record()
    rewards = np.zeros(1)
    for action in actions:
        paid = state.apply_action(action)
        apply(memory, action, rewards)
        assert state.to_record().tobytes() == memory.records[0].tobytes()
        assert paid == rewards[0]
    assert state.to_record().tobytes() != before


class OnlyViews(Parts):
    def apply_action(self, action):
        self.marks[1, 1 : 1 + action] |= action > 1
        self.table[:, action] += 3
        return 0.0


class Copies(Parts):
    def apply_action(self, action):
        self.marks[1, 1 : 1 + action] = self.marks[0, :action]
        return 0.0


def test_nothing_is_copied_to_itself():
    def allocates(game):
        memory = NativeRecords(compiled_type(game))
        apply(memory, 2, np.zeros(1))
        signature = next(one for one in apply.signatures if one[0] == memory._numba_type_)
        return "NRT_Allocate" in apply.inspect_llvm(signature)

    assert allocates(Copies)  # in case both places overlap
    assert not allocates(OnlyViews)
