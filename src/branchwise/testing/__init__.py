"""Tools for testing games and planners, for use in any test suite.

`perft` and `divide` count move sequences. `check_game` and `replay_moves` check a rules class against the
contract of `Game`. `exact_value` and `solve_actions` give exact values of small games,
`expectimax` and `value_iteration` those of games of chance. `ReferencePlanner` is the
search in plain Python, which the compiled search must match node for node; `InformationReferencePlanner`,
`ReferenceMOISMCTS` and `ReferenceOOS` are those of games with hidden information, `JointReferencePlanner` is
that of games in which players move at once, `BeliefReferencePlanner` that of partially observed problems.
"""

import warnings
from typing import Any

from branchwise.rules.checking.checker import check_game, replay_moves
from branchwise.rules.checking.cross_check import Mirror, Observation
from branchwise.rules.checking.report import CheckReport
from branchwise.testing.belief_reference import ActionEdge, BeliefNode, BeliefReferencePlanner
from branchwise.testing.expectimax import Expectimax, expectimax, expectimax_actions
from branchwise.testing.information_set_reference import ReferenceMOISMCTS, ReferenceOOS
from branchwise.testing.ismcts_reference import (
    Edge,
    InformationNode,
    InformationReferencePlanner,
)
from branchwise.testing.joint_reference import JointEdge, JointNode, JointReferencePlanner, JointRun
from branchwise.testing.perft import divide, perft
from branchwise.testing.reference import Node, ReferencePlanner
from branchwise.testing.solver import Solver, exact_value, solve_actions
from branchwise.testing.state_interface import UnsolvableError
from branchwise.testing.value_iteration import Values, value_iteration

__all__ = [
    "ActionEdge",
    "BeliefNode",
    "BeliefReferencePlanner",
    "CheckReport",
    "Edge",
    "Expectimax",
    "InformationNode",
    "InformationReferencePlanner",
    "JointEdge",
    "JointNode",
    "JointReferencePlanner",
    "JointRun",
    "Mirror",
    "Node",
    "Observation",
    "ReferenceMOISMCTS",
    "ReferenceOOS",
    "ReferencePlanner",
    "Solver",
    "UnsolvableError",
    "Values",
    "check_game",
    "divide",
    "exact_value",
    "expectimax",
    "expectimax_actions",
    "perft",
    "replay_moves",
    "solve_actions",
    "value_iteration",
]


def __getattr__(name: str) -> Any:
    if name != "solve":
        raise AttributeError(f"module 'branchwise.testing' has no attribute {name!r}")
    warnings.warn(
        "branchwise.testing.solve is exact_value now; the old name works until the next release",
        DeprecationWarning,
        stacklevel=2,
    )
    return exact_value
