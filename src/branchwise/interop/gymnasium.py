"""Gymnasium both ways: plan in its environments, and use problems of one player as environments.

`EnvState` turns an environment into a state that `MCTS` can search, and `check_env_copies` checks that the
environment can be copied reliably. `make_env` turns a problem into an environment.
"""

from branchwise.interop.bridges import needs

needs("gymnasium", "branchwise.interop.gymnasium")

from branchwise.interop.gymnasium_bridge.env_state import EnvState, check_env_copies  # noqa: E402
from branchwise.interop.gymnasium_bridge.game_env import GameEnv, make_env  # noqa: E402

__all__ = ["EnvState", "GameEnv", "check_env_copies", "make_env"]
