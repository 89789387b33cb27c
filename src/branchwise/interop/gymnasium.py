"""Gymnasium both ways: plan in its environments, and use problems of one player as environments.

`EnvState` turns an environment into a state that `MCTS` can search, and `check_env_copies` checks that the
environment can be copied reliably. `make_env` turns a problem into an environment.
"""

from branchwise.common.errors import BranchwiseError

try:
    import gymnasium as _gymnasium  # noqa: F401
except ImportError as error:
    raise BranchwiseError(
        f"branchwise.interop.gymnasium needs the package gymnasium ({error})",
        mend='pip install "branchwise[interop]"',
    ) from error

from branchwise.interop.gymnasium_bridge.env_state import EnvState, check_env_copies
from branchwise.interop.gymnasium_bridge.game_env import GameEnv, make_env

__all__ = ["EnvState", "GameEnv", "check_env_copies", "make_env"]
