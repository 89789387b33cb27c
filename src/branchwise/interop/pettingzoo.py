"""PettingZoo both ways: search its environments, and use games as environments.

`branchwise.from_pettingzoo` and `branchwise.to_pettingzoo` are the functions to call; here are their classes,
and `check_aec_copies`, which checks that an environment can be copied reliably.
"""

from branchwise.interop.bridges import from_pettingzoo, needs, to_pettingzoo

needs("pettingzoo", "branchwise.interop.pettingzoo")

from branchwise.interop.pettingzoo_bridge.aec_check import check_aec_copies  # noqa: E402
from branchwise.interop.pettingzoo_bridge.aec_state import AecSimulator, AecState  # noqa: E402
from branchwise.interop.pettingzoo_bridge.game_aec_env import GameAecEnv  # noqa: E402
from branchwise.interop.pettingzoo_bridge.game_parallel_env import GameParallelEnv  # noqa: E402

__all__ = [
    "AecSimulator",
    "AecState",
    "GameAecEnv",
    "GameParallelEnv",
    "check_aec_copies",
    "from_pettingzoo",
    "to_pettingzoo",
]
