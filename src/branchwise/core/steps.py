"""The phases of one simulation as separate calls, for searches whose rules are not compiled.

Each is the kernel that the compiled loop uses, for a driver in Python that plays the moves itself between
the calls. With the same streams and the same rules, both build the same tree.

Handing an array to a kernel costs about as much as a whole phase. So a driver writes the addresses of its
arrays into one `SESSION` record and hands over nothing but that record's address.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, types
from numba.core.extending import intrinsic
from numpy.typing import NDArray

from branchwise.core.backup import add_returns
from branchwise.core.expand import Bounds, add_children
from branchwise.core.kernel import entry_kernel, kernel
from branchwise.core.loop import Scratch, Settings
from branchwise.core.playout import check_bounds
from branchwise.core.prove import check_sum, prove_upwards, root_is_solved, settle
from branchwise.core.select import best_ucb1_child
from branchwise.core.status import DONE
from branchwise.core.tree import NODE, ROOT, UNEXPANDED, Tree

ALL_SOLVED = -(2**62)

SESSION = np.dtype(
    [
        ("nodes", np.int64),  # address of Tree.nodes
        ("capacity", np.int64),  # length of Tree.nodes
        ("counters", np.int64),  # address of Tree.counters
        ("path", np.int64),  # address of Scratch.path
        ("path_actions", np.int64),  # address of int32 [max_depth + 2], the actions between path's nodes
        ("actions", np.int64),  # address of Scratch.actions
        ("max_actions", np.int64),  # length of Scratch.actions
        ("returns", np.int64),  # address of Scratch.returns
        ("streams", np.int64),  # address of the streams' counters
        ("max_depth", np.int64),
        ("num_players", np.int64),
        ("num_actions", np.int64),
        ("c", np.float64),
        ("first_play", np.float64),
        ("min_return", np.float64),
        ("max_return", np.float64),
        ("proofs", np.int64),  # 0 or 1
    ],
    align=True,
)


def new_session(
    tree: Tree,
    settings: Settings,
    scratch: Scratch,
    path_actions: NDArray[np.int32],
    streams: NDArray[np.uint64],
    bounds: Bounds,
) -> NDArray[Any]:
    """Return the record, shape (), that stands for these arrays; it does not keep them alive."""
    session = np.zeros((), SESSION)
    session["nodes"], session["capacity"] = tree.nodes.ctypes.data, tree.nodes.size
    session["counters"] = tree.counters.ctypes.data
    session["path"], session["path_actions"] = scratch.path.ctypes.data, path_actions.ctypes.data
    session["actions"], session["max_actions"] = scratch.actions.ctypes.data, scratch.actions.size
    session["returns"], session["streams"] = scratch.returns.ctypes.data, streams.ctypes.data
    session["max_depth"], session["c"] = settings.max_depth, settings.c
    session["first_play"] = settings.first_play
    session["proofs"] = settings.proofs
    for name in Bounds._fields:
        session[name] = getattr(bounds, name)
    return session


@intrinsic
def _pointer(typing_context: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), generate


@kernel
def _session(address):
    return carray(_pointer(address), (1,), SESSION)[0]


@kernel
def _tree(session):
    return Tree(
        carray(_pointer(session.nodes), (session.capacity,), NODE),
        carray(_pointer(session.counters), (2,), np.int64),
    )


@kernel
def _path(session):
    return carray(_pointer(session.path), (session.max_depth + 2,), np.int32)


@kernel
def _bounds(session):
    return Bounds(session.num_players, session.num_actions, session.min_return, session.max_return)


@kernel
def _returns(session):
    return carray(_pointer(session.returns), (session.num_players,), np.float64)


@entry_kernel
def select_path(address):
    """Descend from the root to a leaf; returns its depth, or -1 - depth if it should be expanded.

    Returns ALL_SOLVED if there is nothing left to find out.
    address : int64, of a `SESSION`, whose path and path_actions are modified in place.
    """
    session = _session(address)
    nodes = _tree(session).nodes
    if session.proofs and root_is_solved(nodes):
        return ALL_SOLVED
    path = _path(session)
    actions = carray(_pointer(session.path_actions), (session.max_depth + 2,), np.int32)
    node = ROOT
    depth = 0
    path[0] = ROOT
    while nodes[node].first != UNEXPANDED:
        node = best_ucb1_child(nodes, node, session.c, session.first_play)
        actions[depth] = nodes[node].action
        depth += 1
        path[depth] = node
    if (nodes[node].visits > 0 or node == ROOT) and depth < session.max_depth:
        return -1 - depth
    return depth


@entry_kernel
def grow(address, depth, player, count):
    """Expand the leaf path[depth] by the first `count` actions; returns a status.

    address : int64, of a `SESSION`, whose tree, actions (shuffled into the order of the children) and
    streams are modified in place.   player : who is to move at the leaf.
    """
    session = _session(address)
    actions = carray(_pointer(session.actions), (session.max_actions,), np.int32)
    streams = carray(_pointer(session.streams), (2,), np.uint64)
    return add_children(
        _tree(session), _path(session)[depth], player, _bounds(session), actions, count, streams
    )


@entry_kernel
def settle_child(address, depth, number):
    """Note that the game is over, with the session's returns, at one child of path[depth].

    number : the child's place among its siblings. Returns a status.
    """
    session = _session(address)
    nodes = _tree(session).nodes
    returns = _returns(session)
    status = check_bounds(returns, _bounds(session))
    if status == DONE:
        status = check_sum(returns, _bounds(session))
    if status == DONE:
        node = nodes[_path(session)[depth]]
        settle(nodes, np.int64(node.first) + number, returns[node.player])
    return status


@entry_kernel
def step_into(address, depth, settled):
    """Step from path[depth], just expanded, into its best child; returns the action.

    settled : whether `settle_child` was called for it. The session's path is modified in place.
    """
    session = _session(address)
    nodes = _tree(session).nodes
    path = _path(session)
    if settled:
        prove_upwards(nodes, path, depth, _bounds(session))
    child = best_ucb1_child(nodes, path[depth], session.c, session.first_play)
    path[depth + 1] = child
    return np.int64(nodes[child].action)


@entry_kernel
def back_up(address, depth, over):
    """Add the session's returns to the nodes path[0..depth]; returns a status.

    over : whether the game is over at path[depth], so that the returns are its proven value.
    """
    session = _session(address)
    nodes = _tree(session).nodes
    path = _path(session)
    returns = _returns(session)
    bounds = _bounds(session)
    status = check_bounds(returns, bounds)
    proofs = session.proofs != 0
    if status == DONE and proofs:
        status = check_sum(returns, bounds)
    if status == DONE:
        if proofs and over and depth > 0:
            settle(nodes, path[depth], returns[nodes[path[depth - 1]].player])
            prove_upwards(nodes, path, depth - 1, bounds)
        add_returns(nodes, path, depth, returns, bounds, proofs)
    return status
