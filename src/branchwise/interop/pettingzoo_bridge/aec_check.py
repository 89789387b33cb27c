"""Checking that copies of a PettingZoo environment step like the original."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import data_equivalence

from branchwise.common.errors import GameError
from branchwise.game.kinds.random_numbers import Draws
from branchwise.interop.pettingzoo_bridge.aec_state import check_env_kind, env_name, shown_mask, turn
from branchwise.interop.shared.snapshots import SharedTables, exact_copy


def check_aec_copies(env: Any, *, steps: int = 200, seed: int = 0, shared: Collection[str] = ()) -> None:
    """Raise `GameError` unless copies of an environment step exactly like the original.

    The environment is reset and stepped with random actions. At each step two copies do the same with the
    same random numbers, one made just before and one made at the start of the episode. Agents, observations,
    rewards and ends have to be equal, and the rewards have to add up to those that `env.last()` shows. It
    also finds hidden information, if an agent sees the same at two moments and another agent does not.
    shared : as in `from_pettingzoo`; the check includes that no step changes these attributes.

    >>> import branchwise as bw
    >>> check_aec_copies(bw.to_pettingzoo("pig"), steps=50)
    """
    check_env_kind(env)
    draws = Draws(seed)
    tables = SharedTables(env, shared)
    sights = _Sights()
    episode = taken = 0
    over = True
    owed: dict[str, float] = {}
    for _ in range(steps):
        if over:
            env.reset(seed=seed + episode)
            follower = exact_copy(env, shared)
            episode, taken, owed = episode + 1, 0, dict.fromkeys(env.possible_agents, 0.0)
            sights.add(env)
        agent, is_out, _ = turn(env)
        action = None if is_out else _random_action(env, agent, draws)
        twin = exact_copy(env, shared)
        taken += 1
        told = {"the start": _stepped(follower, action), "the step before": _stepped(twin, action)}
        wanted = _stepped(env, action)
        for since, got in told.items():
            _compare(env, wanted, got, f"after step {taken} of an episode", since)
        owed[agent] = 0.0
        for one, reward in env.rewards.items():
            owed[one] += float(reward)
        over = turn(env).is_over
        if not over:
            selected = env.agent_selection
            paid = float(env.last(observe=False)[1])
            if not np.isclose(paid, owed[selected]):
                raise GameError(
                    f"{env_name(env)} rewards {selected} with {paid:g} by env.last() after step {taken} of "
                    f"an episode, but env.rewards added up to {owed[selected]:g} since it acted",
                    mend="clear env.rewards at each step, so that they are those of the last step",
                )
            sights.add(env)
    tables.check()


class _Sights:
    """What each agent saw while the same agent was to act."""

    def __init__(self) -> None:
        self._others: dict[tuple[str, str, str, bytes], bytes] = {}

    def add(self, env: Any) -> None:
        """Raise `GameError` if an agent saw the same before and another agent did not."""
        selected = env.agent_selection
        seen = {agent: _content(env.observe(agent)) for agent in env.agents}
        for agent, mine in seen.items():
            for other, theirs in seen.items():
                if self._others.setdefault((selected, agent, other, mine), theirs) != theirs:
                    raise GameError(
                        f"{env_name(env)} has hidden information, which a search of its copies would see: "
                        f"{agent} saw the same twice, but {other} did not"
                    )


def _content(seen: Any) -> bytes:
    """Return what an observation holds, without the mask of legal actions."""
    if isinstance(seen, dict):
        return b"|".join(_content(seen[name]) for name in sorted(seen) if name != "action_mask")
    return np.asarray(seen).tobytes()


def _random_action(env: Any, agent: str, draws: Draws) -> Any:
    space, mask = env.action_space(agent), shown_mask(env, agent)
    legal = list(range(int(space.n))) if mask is None else np.flatnonzero(mask).tolist()
    return int(space.start) + legal[draws.below(len(legal))]


def _stepped(env: Any, action: Any) -> dict[str, Any]:
    """Step an environment, and return what it shows at once, before another one is stepped."""
    env.step(action)
    return {
        "the agent to act": env.agent_selection if env.agents else None,
        "the observation": {agent: env.observe(agent) for agent in env.agents},
        "the reward": dict(env.rewards),
        "the end": dict(env.terminations),
        "the truncation": dict(env.truncations),
    }


def _compare(env: Any, wanted: dict[str, Any], got: dict[str, Any], when: str, since: str) -> None:
    for part, mine in wanted.items():
        theirs = got[part]
        if data_equivalence(mine, theirs, exact=True):
            continue
        if isinstance(mine, dict) and isinstance(theirs, dict) and mine.keys() == theirs.keys():
            agent = next(one for one in mine if not data_equivalence(mine[one], theirs[one], exact=True))
            part, mine, theirs = f"{part} of {agent}", mine[agent], theirs[agent]
        raise GameError(
            f"copies of {env_name(env)} step differently: {when} {part} {_difference(mine, theirs)} in a "
            f"copy made at {since}",
            mend="a copy has to hold the whole state and share none of it, and all chance has to come from "
            "random generators of the environment",
        )


def _difference(mine: Any, theirs: Any) -> str:
    """Return how two values differ, as a part of a sentence; arrays are too long to be shown."""
    if isinstance(mine, dict | np.ndarray) or isinstance(theirs, dict | np.ndarray):
        return "is another one"
    return f"is {mine!r}, but {theirs!r}"
