"""Other libraries' games as states to search, and our games as theirs.

The libraries are imported when they are needed.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, overload

from branchwise.common.errors import BranchwiseError
from branchwise.game.kinds.game_kinds import Utility

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game
    from branchwise.interop.pettingzoo_bridge.aec_state import AecState
    from branchwise.interop.pettingzoo_bridge.game_aec_env import GameAecEnv
    from branchwise.interop.pettingzoo_bridge.game_parallel_env import GameParallelEnv


def from_openspiel(game: Any, *, seed: int | None = None, player: int | None = None) -> Any:
    """Return a state of an OpenSpiel game for `MCTS` and bots to search.

    Players move in turn or all at once; there may be chance. If players do not see everything, the result is
    what the player to move knows, for `PIMC` and its bot, which search other games in which that player saw
    the same.
    game : the name of a game as OpenSpiel writes it, with its parameters; a `pyspiel.Game`, whose first state
    is taken; or a `pyspiel.State`, which is copied.
    seed : if chance is to move, its outcomes are drawn until a player is. The same seed draws the same
    outcomes; None: new ones.
    player : whose knowledge is returned where all players move at once and do not see everything; None: the
    first one's.

    The result is a `pyspiel.State`, or what is known of one, and the search's actions are OpenSpiel's.
    Raises `UnknownNameError` for a name that OpenSpiel does not know, and `GameError` for parameters that it
    refuses, for chance that is drawn by the game itself, for mean-field games, and for actions without
    numbers.

    >>> import branchwise as bw
    >>> state = bw.from_openspiel("mnk(m=3,n=3,k=3)")
    >>> bw.MCTS(seed=1).search(state, simulations=500).best_action
    4
    >>> import pyspiel
    >>> state = pyspiel.load_game("kuhn_poker").new_initial_state()
    >>> for card_or_bet in (0, 2, 1):
    ...     state.apply_action(card_or_bet)
    >>> known = bw.from_openspiel(state)  # player 1 has the king, and player 0 has bet
    >>> bw.PIMC(seed=1).search(known, simulations=1000).best_action
    1
    """
    needs("pyspiel", "branchwise.from_openspiel", "open_spiel")
    from branchwise.interop.openspiel_bridge.imported_state import first_state

    return first_state(game, seed, player)


def to_openspiel(game: str | type[Game], *, observation: str = "fields") -> Any:
    """Return a game as a `pyspiel.Game`, on which OpenSpiel's algorithms run.

    game : a name such as "connect_four(rows=5)", or a class. Information may be hidden, and players may move
    at once. What rules draw at random comes from seeds that chance gives.
    observation : "fields" or "board"; see `docs/interop.md`.

    From then on OpenSpiel also has the game by name: `pyspiel.load_game("branchwise_connect_four(rows=5)")`.
    Its parameters are the options of the class. Rewards on the way are not discounted, and a game that pays
    them is over after `max_game_length` decisions. Raises `GameError` for continuous actions, for a partially
    observed problem, and for options that OpenSpiel cannot write.

    >>> import branchwise as bw
    >>> from open_spiel.python.algorithms import minimax
    >>> nim = bw.to_openspiel("nim(heaps=(1,2),max_take=2)")
    >>> print(nim)
    branchwise_nim(heaps=1;2,max_take=2,misere=False,observation=fields)
    >>> value, action = minimax.alpha_beta_search(nim)
    >>> value, nim.new_initial_state().action_to_string(0, action)
    (1.0, 'b1')
    """
    needs("pyspiel", "branchwise.to_openspiel", "open_spiel")
    from branchwise.interop.openspiel_bridge.exported_game import loaded

    return loaded(game, observation)


def from_pettingzoo(
    env: Any,
    *,
    chance: bool = False,
    utility: Utility = "general_sum",
    min_return: float = -math.inf,
    max_return: float = math.inf,
    discount: float = 1.0,
    horizon: int = 0,
    shared: Collection[str] = (),
) -> AecState:
    """Return the current state of a PettingZoo environment, for `MCTS` and bots to search.

    env : an AEC environment that has been reset, whose agents act in turn and see everything. It is copied,
    and never stepped. Actions that the "action_mask" in an agent's info or observation masks out are not
    legal; without a mask, all are.
    chance : whether steps draw random numbers. The search then draws them itself, from new generators in the
    copies, and plans in an open loop. Without it a step that draws any is an error.
    utility : how the agents' returns relate, as in `Game`. Proofs need "zero_sum" if there are two agents.
    min_return, max_return : bounds of the sum of an agent's rewards, where they are known.
    discount : weight of a reward that comes one decision later.
    horizon : number of decisions that a search looks ahead, 0 for all.
    shared : attributes of the unwrapped environment that no step changes, such as big tables; copies share
    them, which makes them faster.

    The result's players are the agents in the order of `possible_agents`; its `env_action(action)` is the
    environment's action for one of the search. Raises `GameError` for simultaneous moves, hidden information
    as far as it is known, actions that are not `Discrete`, and an environment that cannot be copied.

    >>> import pettingzoo
    >>> import branchwise as bw
    >>> env = pettingzoo.make("aec", "classic/tictactoe_v3")
    >>> env.reset()
    >>> state = bw.from_pettingzoo(env, utility="zero_sum")
    >>> result = bw.MCTS(seed=1).search(state, simulations=300)
    >>> env.step(state.env_action(result.best_action))
    """
    needs("pettingzoo", "branchwise.from_pettingzoo")
    from branchwise.interop.pettingzoo_bridge.aec_state import AecSimulator, AecState

    return (AecSimulator if chance else AecState)(
        env,
        utility=utility,
        min_return=min_return,
        max_return=max_return,
        discount=discount,
        horizon=horizon,
        shared=shared,
    )


@overload
def to_pettingzoo(
    game: str | type[Game],
    *,
    parallel: Literal[False] = False,
    observation: str = "fields",
    render_mode: str | None = None,
) -> GameAecEnv: ...
@overload
def to_pettingzoo(
    game: str | type[Game],
    *,
    parallel: Literal[True],
    observation: str = "fields",
    render_mode: str | None = None,
) -> GameParallelEnv: ...
def to_pettingzoo(
    game: str | type[Game],
    *,
    parallel: bool = False,
    observation: str = "fields",
    render_mode: str | None = None,
) -> GameAecEnv | GameParallelEnv:
    """Return a game as a PettingZoo environment.

    game : a name such as "connect_four(rows=5)", or a class; for any number of players.
    parallel : whether all agents act in one step, in a game whose players move at once; else agents act one
    after another, and do not see what others have chosen for the same move.
    observation : what agents see under "observation": "fields", a vector of all fields that the agent sees,
    or "board", planes of the board; see `docs/interop.md`. Under "action_mask" they see the legal actions.
    render_mode : None, or "ansi" for text.

    Raises `GameError` for a partially observed problem, and for a box of actions that depends on the state.

    >>> import branchwise as bw
    >>> env = bw.to_pettingzoo("tic_tac_toe", observation="board")
    >>> env.reset(seed=1)
    >>> env.agent_selection, env.observe("player_0")["observation"].shape
    ('player_0', (8, 3, 3))
    >>> env.step(4)
    >>> env.observe("player_1")["action_mask"]
    array([1, 1, 1, 1, 0, 1, 1, 1, 1], dtype=int8)
    """
    needs("pettingzoo", "branchwise.to_pettingzoo")
    from branchwise.interop.pettingzoo_bridge.game_aec_env import GameAecEnv
    from branchwise.interop.pettingzoo_bridge.game_parallel_env import GameParallelEnv

    kind = GameParallelEnv if parallel else GameAecEnv
    return kind(game, observation=observation, render_mode=render_mode)


def needs(module: str, caller: str, package: str | None = None) -> Any:
    """Import a module of the extra "interop"; raises `BranchwiseError` if its package is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise BranchwiseError(
            f"{caller} needs the package {package or module} ({error})",
            mend='pip install "branchwise[interop]"',
        ) from error
