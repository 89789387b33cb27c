"""Reading the result of a search at a joint root from the tree of its session."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from branchwise.core.tree.child_indices import children_of_one
from branchwise.core.tree.node_fields import ROOT, Tree
from branchwise.search.results.joint_result import JointResult, cells_of
from branchwise.search.results.read_once import ReadOnce
from branchwise.search.results.result import Child, Source
from branchwise.search.results.root_choice import lower_bound
from branchwise.search.session.search_session import Session
from branchwise.search.tree.view import SearchTree


def joint_result_of(session: Session, tree: SearchTree, state: Any, **spent: Any) -> JointResult:
    """Return the result of a session whose root is joint; spent : what it took, as in `SearchResult`."""
    search, facts = session.runner.searches[0], session.facts
    method = session.settings.joint_method
    cells = ReadOnce(partial(cells_of, search.tree, facts))
    session.unread.add(cells)
    marginals, policies = [], []
    for player in range(facts.num_players):
        children, policy = _of_player(session, search.tree, player, is_mixed=method.is_mixed)
        marginals.append(children)
        policies.append(policy)
    return JointResult(
        state=state,
        player=tree.root.player or 0,
        children=(),
        seed=session.seed,
        facts=facts,
        is_open=True,
        is_drawn=True,
        marginals=tuple(marginals),
        policies=tuple(policies),
        method=method.name,
        _cells=cells,
        _source=Source(tree, session.stand, session.unread),
        **spent,
    )


def _of_player(
    session: Session, tree: Tree, player: int, *, is_mixed: bool
) -> tuple[tuple[Child, ...], dict[int, float]]:
    """Return the actions of one player at the root, best first, and their probabilities by action."""
    facts = session.facts
    edges = children_of_one(tree.nodes, ROOT) if tree.nodes[ROOT]["first"] > ROOT else np.zeros(0, np.int64)
    edges = edges[tree.choosers[edges] == player]
    edges = edges[np.argsort(tree.nodes["action"][edges], kind="stable")]
    visits = tree.nodes["visits"][edges].astype(np.int64)
    weights = tree.strategies[edges] if is_mixed else visits.astype(np.float64)
    total = weights.sum()
    shares = weights / total if total > 0 else np.full(edges.size, 1.0 / max(edges.size, 1))
    actions = tree.nodes["action"][edges].tolist()
    children = []
    for action, edge, count in zip(actions, edges.tolist(), visits.tolist(), strict=True):
        value = bound = None
        if count:
            value = facts.no_gain + facts.span * float(tree.nodes[edge]["value"]) / count
            bound = lower_bound(value, count, facts.min_return, facts.max_return)
        children.append(
            Child(action, count, value, bound, (action,), lower=facts.min_return, upper=facts.max_return)
        )
    policy = dict(zip(actions, shares.tolist(), strict=True))
    ranked = sorted(children, key=lambda child: (-policy[child.action], -child.visits, child.action))
    return tuple(ranked), policy
