"""Statuses of kernels: success, or how the rules or the budget stopped them."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """Outcome of a kernel call."""

    DONE = 0
    TREE_FULL = 1  # no room for more children; the search continues without growing
    NO_LEGAL_ACTION = 2  # a state that is not over has no legal action
    TOO_MANY_ACTIONS = 3  # more legal actions than distinct ones, or than a node can have children
    ACTION_OUT_OF_RANGE = 4
    PLAYER_OUT_OF_RANGE = 5
    RETURN_OUT_OF_BOUNDS = 6
    NEVER_ENDS = 7  # longer than max_game_length
    NOT_CONSTANT_SUM = 8  # two players' returns do not always add up to the same: no proofs are possible
    CLAIMED_BY_OTHER = 9  # another thread is expanding the node; the leaf is played out as it is
    SCORE_IS_NO_NUMBER = 10  # a selection rule gave NaN
    EVALUATION_OUT_OF_BOUNDS = 11
    BAD_PRIOR = 12  # a prior weight is negative or no number, or all are 0
    ILLEGAL_PLAYOUT_ACTION = 13  # the game's own playout_action gave an action that is not legal
    HELPER_RAISED = 14  # the rules raised an exception in another thread, which tells it
    HALTED = 15  # the thread was asked to end, and left a simulation between two moves
    ROOT_IS_SOLVED = 16  # there is nothing left to find out
    BAD_PROBABILITY = 17  # probabilities of outcomes are negative, no numbers, or do not add up to 1
    BAD_OUTCOME = 18  # no outcome, more than num_outcomes, one out of range or one twice
    REWARD_IS_NO_NUMBER = 19  # a reward is infinite or NaN
    OUTCOME_DIFFERS = 20  # the same random numbers led from a state to two different ones
    BAD_CODE = 21  # action_code gave a negative number
    BAD_BOX = 22  # a side of a state's box of actions is no interval of finite numbers
    ACTION_OUTSIDE_BOX = 23  # sample_action gave a vector outside the state's box, or of another length

    STAYED = 24  # a leaf got its children, and the path ends at the leaf
    SAMPLE_OUT_OF_RANGE = 25  # sample_action gave a number that is no action
    NO_DEAL = 26  # no state was found that fits what the observer knows
    DEAL_DIFFERS = 27  # the observer sees different things in two dealt states
    BAD_OBSERVATION = 28  # observe gave NaN, or more numbers than an observation can have
    BAD_DENSITY = 29  # observation_density gave a negative or infinite number, or NaN
    NET_INPUT_OUT_OF_RANGE = 30  # net_inputs yielded an index out of range, or too many


# Numba takes enum members for slow objects in comparisons; kernels use plain integers.
DONE = int(Status.DONE)
TREE_FULL = int(Status.TREE_FULL)
NO_LEGAL_ACTION = int(Status.NO_LEGAL_ACTION)
TOO_MANY_ACTIONS = int(Status.TOO_MANY_ACTIONS)
ACTION_OUT_OF_RANGE = int(Status.ACTION_OUT_OF_RANGE)
PLAYER_OUT_OF_RANGE = int(Status.PLAYER_OUT_OF_RANGE)
RETURN_OUT_OF_BOUNDS = int(Status.RETURN_OUT_OF_BOUNDS)
NEVER_ENDS = int(Status.NEVER_ENDS)
NOT_CONSTANT_SUM = int(Status.NOT_CONSTANT_SUM)
CLAIMED_BY_OTHER = int(Status.CLAIMED_BY_OTHER)
SCORE_IS_NO_NUMBER = int(Status.SCORE_IS_NO_NUMBER)
EVALUATION_OUT_OF_BOUNDS = int(Status.EVALUATION_OUT_OF_BOUNDS)
BAD_PRIOR = int(Status.BAD_PRIOR)
ILLEGAL_PLAYOUT_ACTION = int(Status.ILLEGAL_PLAYOUT_ACTION)
HELPER_RAISED = int(Status.HELPER_RAISED)
HALTED = int(Status.HALTED)
ROOT_IS_SOLVED = int(Status.ROOT_IS_SOLVED)
BAD_PROBABILITY = int(Status.BAD_PROBABILITY)
BAD_OUTCOME = int(Status.BAD_OUTCOME)
REWARD_IS_NO_NUMBER = int(Status.REWARD_IS_NO_NUMBER)
OUTCOME_DIFFERS = int(Status.OUTCOME_DIFFERS)
BAD_CODE = int(Status.BAD_CODE)
BAD_BOX = int(Status.BAD_BOX)
ACTION_OUTSIDE_BOX = int(Status.ACTION_OUTSIDE_BOX)
STAYED = int(Status.STAYED)
SAMPLE_OUT_OF_RANGE = int(Status.SAMPLE_OUT_OF_RANGE)
NO_DEAL = int(Status.NO_DEAL)
DEAL_DIFFERS = int(Status.DEAL_DIFFERS)
BAD_OBSERVATION = int(Status.BAD_OBSERVATION)
BAD_DENSITY = int(Status.BAD_DENSITY)
NET_INPUT_OUT_OF_RANGE = int(Status.NET_INPUT_OUT_OF_RANGE)
