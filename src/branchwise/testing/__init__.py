"""Tools for testing games and planners, for use in any test suite.

`perft` and `divide` count move sequences. `check_game` and `replay_moves` check a rules class against the
contract of `Game`. `solve` and `solve_actions` give exact values of small games. `ReferencePlanner` is the
search in plain Python, which the compiled search must match node for node.
"""

from branchwise.rules.checker import check_game, replay_moves
from branchwise.rules.mirror import Mirror, Observation
from branchwise.rules.report import CheckReport
from branchwise.testing.perft import divide, perft
from branchwise.testing.reference import Node, ReferencePlanner
from branchwise.testing.solver import Solver, UnsolvableError, solve, solve_actions

__all__ = [
    "CheckReport",
    "Mirror",
    "Node",
    "Observation",
    "ReferencePlanner",
    "Solver",
    "UnsolvableError",
    "check_game",
    "divide",
    "perft",
    "replay_moves",
    "solve",
    "solve_actions",
]
