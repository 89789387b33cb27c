"""Nodes of a search tree, which of them are shown, and that all forms show the same."""

import json
from itertools import islice
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.search.tree.view import Node
from support.rules import Kalah
from support.trees import made_graph, made_tree, random_trees


@pytest.fixture(scope="module")
def tree():
    """A tree of 3,000 simulations of tic-tac-toe."""
    return bw.MCTS(seed=1, proofs=False).search(TicTacToe(), simulations=3000).tree


filters = st.fixed_dictionaries(
    {},
    optional={
        "top": st.none() | st.integers(1, 4),
        "min_visits": st.integers(0, 3),
        "depth": st.none() | st.integers(0, 4),
        "line": st.booleans(),
    },
)


def hurry(child):
    """Return by what to sort children of equal value: winners hurry, losers do not."""
    moves = (child.moves_to_end or 1) - 1
    return moves if child.bounds[1] > 0 else -moves if child.bounds[1] < 0 else 0


def in_plain_python(node):
    """Return the children of a node in the order that `Node.children` promises, by its words."""
    found = sorted(node.children, key=lambda child: child.index)
    found.sort(key=lambda c: (c.visits, float("-inf") if c.value is None else c.value), reverse=True)
    if not found:
        return []
    safe = max(child.bounds[0] for child in found)
    sure = [child for child in found if child.proven == safe]
    still_open = [child for child in found if child.proven is None and child.bounds[1] > safe]
    worse = [child for child in found if child not in sure and child not in still_open]
    for proven in (sure, worse):
        proven.sort(key=lambda c: (-c.bounds[1], hurry(c)))
    leader = still_open[0].value if still_open else None
    if sure and (leader is None or leader < safe):
        return sure + still_open + worse
    return still_open + sure + worse


# --- nodes ------------------------------------------------------------------------------------------


@given(random_trees())
def test_children_come_in_the_order_that_is_promised(tree):
    for _, node in tree.walk():
        assert node.children == in_plain_python(node)
        assert node.top(2) == node.children[:2]
        assert node.num_children == len(node.children)


def test_a_sure_value_is_trusted_over_visits_only_where_it_is_better():
    visits, bounds = [30, 20, 9, 1], [(-1, 1), (-1, 1), (0, 0), (-1, -0.5)]
    for mean, first in ((0.4, 1), (-0.4, 2)):
        shown = made_tree([[1, 2, 3], [], [], []], visits=visits, means=[0, mean, 0, 0], bounds=bounds)
        assert [child.index for child in shown.root.children] == [first, 3 - first, 3]


def test_root_has_no_action_no_mover_and_no_value(tree):
    root = tree.root
    assert (root.action, root.mover, root.value, root.prior) == (None, None, None, None)
    assert (root.player, root.visits, root.index) == (0, 3000, 0)


def test_mover_is_the_player_of_the_parent_even_after_an_extra_turn():
    result = bw.MCTS(seed=1, proofs=False).search(Kalah(), simulations=500)
    again = 0
    for _, node in result.tree.walk(min_visits=2):
        for child in node.children:
            assert child.mover == node.player
            again += child.is_expanded and child.player == child.mover
    assert again > 3


def test_nodes_are_the_same_if_tree_and_index_are(tree):
    one, other = tree.root.children[0], tree.find([tree.root.children[0].action])
    assert one == other
    assert len({one, other, tree.root}) == 2
    assert one != bw.MCTS(seed=1).search(Nim(), simulations=50).tree.root
    assert one != one.index


def test_unexpanded_node_has_no_children_and_no_line(tree):
    leaf = next(node for _, node in tree.walk() if not node.is_expanded)
    assert (leaf.children, leaf.best_child(), list(leaf.line()), leaf.player) == ([], None, [], None)


def test_line_follows_best_children_to_the_last_one_visited(tree):
    node, followed = tree.root, []
    while (node := node.best_child()) is not None:
        followed.append(node)
    assert list(tree.root.line()) == followed
    assert len(followed) > 3
    assert all(node.visits for node in followed)


def test_prior_is_that_of_the_search_where_it_keeps_one(tree):
    kept = made_tree([[1, 2], [], []], priors=[0.0, 0.75, 0.25])
    assert [child.prior for child in kept.root.children] == [0.75, 0.25]
    assert kept.root.prior is None
    assert tree.root.children[0].prior is None


def test_public_objects_name_themselves(tree):
    assert repr(tree).startswith("<branchwise.SearchTree tic_tac_toe: ")
    assert repr(tree.root) == "<branchwise.Node action=None visits=3000 value=none>"


# --- what is shown ----------------------------------------------------------------------------------


def by_definition(node, depth, top, min_visits, deepest, line, heirs):
    """Yield what `walk` is to give, from its description."""
    yield depth, node
    if deepest is not None and depth == deepest and not line:
        return
    for rank, child in enumerate(node.children):
        heir = heirs[:1] == [child]
        wanted = (top is None or rank < top) and child.visits >= min_visits
        if heir or (wanted and not line):
            yield from by_definition(
                child, depth + 1, top, min_visits, deepest, line, heirs[1:] if heir else []
            )


@given(random_trees(), filters)
def test_walk_gives_what_the_filter_leaves_best_first(tree, chosen):
    settings = {"top": None, "min_visits": 0, "depth": None, "line": False} | chosen
    top, min_visits, deepest, line = settings.values()
    expected = list(by_definition(tree.root, 0, top, min_visits, deepest, line, list(tree.root.line())))
    assert list(tree.walk(**chosen)) == expected


@given(random_trees(), filters)
def test_all_forms_show_the_same_nodes(tree, chosen):
    walked = list(tree.walk(**chosen))
    table = tree.to_table(**chosen)
    assert table["index"].tolist() == sorted(node.index for _, node in walked)
    settings = {"top": None, "min_visits": 0, "depth": None} | chosen
    drawn = tree.to_dict(**settings)["nodes"]
    assert [(node["depth"], node["index"]) for node in drawn] == [(depth, n.index) for depth, n in walked]
    assert {row["index"]: (row["parent"], row["depth"]) for row in drawn if row["index"]} == {
        index: (parent, depth)
        for index, parent, depth in zip(
            table["index"].tolist(), table["parent"].tolist(), table["depth"].tolist(), strict=True
        )
        if index
    }
    svg = ElementTree.fromstring(tree.to_svg(**settings))
    assert [int(e.get("data-node")) for e in svg.iter() if e.get("data-node")] == [n.index for _, n in walked]
    dot = tree.to_dot(**settings)
    assert dot.count('id="node') == len(walked)


@given(random_trees(), filters)
def test_shown_and_left_out_children_add_up(tree, chosen):
    drawn = tree.drawing(**({"top": None, "min_visits": 0, "depth": None} | chosen))
    deepest = None if chosen.get("line") else chosen.get("depth")
    for node, below in zip(drawn.nodes, drawn.children, strict=True):
        real = Node(tree._reader, node.index)
        if node.depth == deepest:
            assert (below, node.more) == ((), 0)
        elif below or node.more:
            assert len(below) + node.more == real.num_children
            visits = sum(drawn.nodes[place].visits for place in below) + node.more_visits
            assert visits == sum(child.visits for child in real.children)
        else:
            assert not any(child.visits for child in real.children)


def test_a_filter_by_visits_leaves_the_principal_variation(tree):
    shown = [node for _, node in tree.walk(min_visits=10_000)]
    assert shown == [tree.root, *tree.root.line()]
    assert shown == [node for _, node in tree.walk(line=True, depth=1, top=1)]


def test_a_showing_can_start_after_some_moves(tree):
    assert tree.find(["b2", "a1"]) == tree.find([4, 6]) == tree.find("B2 a1")
    start = tree.find(["b2"])
    (depth, first), *others = tree.walk(along=["b2"], depth=1)
    assert (depth, first, first.mover) == (0, start, 0)
    assert [node for _, node in others] == start.children
    assert tree.to_text(along="b2", depth=1, top=1).startswith("tic_tac_toe after b2: player 1 to move, ")
    table = tree.to_table(along=["b2"], depth=1)
    assert (table["mover"][0], table["depth"].max()) == (0, 1)


def test_a_move_that_is_not_in_the_tree_is_refused(tree):
    with pytest.raises(bw.ActionError, match='"b2" is not in the tree here') as caught:
        tree.find(["b2", "b2"])
    assert caught.value.after == "b2"
    assert "a1" in caught.value.mend
    with pytest.raises(bw.ActionError, match='"12" is not in the tree here'):
        tree.find([12])
    deep = [node.action for node in tree.root.line()]
    with pytest.raises(bw.ActionError, match="the tree ends here"):
        tree.find([*deep, *deep])


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"top": 0}, "top = 0 is outside its range"),
        ({"top": 2.5}, "top = 2.5 is not a whole number"),
        ({"depth": -1}, "depth = -1 is outside"),
        ({"min_visits": -1}, "min_visits = -1 is outside"),
    ],
)
def test_impossible_filters_are_refused(tree, chosen, told):
    for show in (tree.to_text, tree.to_table, tree.to_svg, lambda **chosen: list(tree.walk(**chosen))):
        with pytest.raises(bw.SettingsError, match=told):
            show(**chosen)


def test_walking_costs_by_what_is_looked_at():
    """A root with as many children as can be, each with one child of its own."""
    width = 65_535
    children = [
        list(range(1, width + 1)),
        *([width + 1 + i] for i in range(width)),
        *([] for _ in range(width)),
    ]
    visits = [2_000_000_000, *range(width, 0, -1), *([0] * width)]
    wide = made_tree(children, visits=visits)
    assert [node.index for node in wide.root.top(3)] == [1, 2, 3]
    assert "+65,531 more" in wide.to_text(depth=2)
    opened = [node.index for _, node in islice(wide.walk(), 4)]
    assert opened == [0, 1, width + 1, 2]


def test_nodes_that_share_their_children_are_shown_to_an_end():
    shared = made_tree([[1, 2], [3], [], []])
    shared._tree.nodes[2]["first"], shared._tree.nodes[2]["count"] = 3, 1
    assert len(list(shared.walk())) == 4
    assert shared.to_table()["index"].tolist() == [0, 1, 2, 3]
    endless = made_tree([[1], [2], []])
    endless._tree.nodes[2]["first"], endless._tree.nodes[2]["count"] = 1, 1
    assert [node.index for _, node in endless.walk()] == [0, 1, 2]
    assert len(list(endless.root.line())) == 2
    assert endless.to_text(depth=None)


def test_nodes_of_equal_states_are_shown_with_their_own_visits_and_the_shared_value():
    """Moves 1 and 2 lead to the same state, whose two children are shown once."""
    graph = made_graph(
        [[1, 2], [3, 4], [], [], []],
        links=[0, 1, 1, 3, 4],
        edge_visits=[0, 6, 4, 7, 2],
        visits=[10, 10, 0, 7, 2],
        means=[0, 0.5, -1, 0.25, 0.125],
        bounds=[(-1, 1), (0, 1), (-1, 1), (-1, 1), (-1, 1)],
    )
    one, other = graph.root.children
    assert [(n.index, n.action, n.visits) for n in (one, other)] == [(1, 1, 6), (2, 2, 4)]
    assert (
        (one.value, one.bounds, one.player) == (other.value, other.bounds, other.player) == (0.5, (0, 1), 1)
    )
    assert one.children == other.children
    assert [node.index for _, node in graph.walk()] == [0, 1, 3, 4, 2]
    table = graph.to_table()
    assert table["visits"].tolist() == [10, 6, 4, 7, 2]
    assert table["value"].tolist()[1:] == [0.5, 0.5, 0.25, 0.125]
    shown = graph.drawing().nodes
    assert [node.below for node in shown] == [False, False, False, False, True]
    assert [node.share for node in shown] == [1.0, 0.6, 0.7, 0.2, 0.4]


# --- moves as people write them ---------------------------------------------------------------------


def test_moves_are_written_by_the_states_in_which_they_are_made(tree):
    texts = {node["index"]: node["move"] for node in tree.to_dict(depth=2)["nodes"]}
    for _, node in tree.walk(depth=2, top=4, min_visits=1):
        if node.index:
            assert texts[node.index] == TicTacToe().action_to_string(node.action)
    table = tree.to_table(depth=2, moves=True)
    assert dict(zip(table["index"].tolist(), table["move"].tolist(), strict=True)).items() >= {
        (index, text or "") for index, text in texts.items()
    }


def test_rows_of_columns_move_with_the_number_of_discs():
    line = bw.MCTS(seed=1).search(ConnectFour.from_actions(["d1", "d2"]), simulations=2000).tree
    shown = [node["move"] for node in line.to_dict(line=True)["nodes"][1:]]
    state = ConnectFour.from_actions(["d1", "d2"])
    for text in shown:
        assert state.action_to_string(state.action_from_string(text)) == text
        state.apply_action(state.action_from_string(text))


class Grumpy(Nim):
    """Refuses to say how a move is written."""

    def action_to_string(self, action):
        raise RuntimeError("not today")


@pytest.mark.parametrize(
    "state", [None, TicTacToe.from_actions(["b2"]), Grumpy()], ids=["none", "other", "grumpy"]
)
def test_moves_are_numbers_where_no_state_writes_them(state):
    shown = made_tree([[5 - 4, 2], [], []], state=state)
    shown._tree.nodes["action"][1:3] = 4, 77  # 4 is taken in the other game, 77 is no move in any
    assert [node["move"] for node in shown.to_dict()["nodes"]] == [None, "4", "77"]
    assert shown.find(["77"]).index == 2


def test_a_finished_game_is_marked_by_the_state_or_by_its_proof():
    won = TicTacToe.from_actions(["a1", "a2", "b1", "b2"])
    tree = bw.MCTS(seed=1, proofs=False).search(won, simulations=300).tree
    assert [node["move"] for node in tree.to_dict(depth=1)["nodes"] if node["terminal"]] == ["c1"]
    unknown = made_tree([[1, 2], [], []], bounds=[(-1, 1), (1, 1), (-1, 1)])
    assert [node["terminal"] for node in unknown.to_dict()["nodes"]] == [False, True, False]


# --- forms ------------------------------------------------------------------------------------------


def test_table_holds_the_numbers_of_every_node(tree):
    table = tree.to_table()
    assert len(table["index"]) == len(tree)
    known = {node.index: (depth, node) for depth, node in tree.walk()}
    for row, index in enumerate(table["index"].tolist()):
        depth, node = known[index]
        value = table["value"][row]
        assert table["depth"][row] == depth
        assert table["action"][row] == (-1 if node.action is None else node.action)
        assert table["mover"][row] == (-3 if node.mover is None else node.mover)
        assert table["player"][row] == (-3 if node.player is None else node.player)
        assert table["visits"][row] == node.visits
        assert (None if np.isnan(value) else value) == node.value
        assert (table["lower"][row], table["upper"][row]) == node.bounds
    parents = table["parent"]
    assert parents[0] == -1
    assert all(table["depth"][parents[row]] == table["depth"][row] - 1 for row in range(1, len(tree)))


def test_table_has_priors_where_the_search_keeps_them(tree):
    kept = made_tree([[1, 2], [], []], priors=[0.0, 0.75, 0.25])
    assert kept.to_table()["prior"].tolist() == [0.0, 0.75, 0.25]
    assert "prior" not in tree.to_table(depth=1)


def test_dict_is_plain_json(tree):
    content = json.loads(json.dumps(tree.to_dict(), allow_nan=False))
    assert (content["game"], content["tree_nodes"]) == ("tic_tac_toe", len(tree))
    assert content["nodes"][0]["line"] is True


def test_notebooks_show_the_tree_and_the_result():
    result = bw.MCTS(seed=1).search(TicTacToe(), simulations=500)
    for shown in (result.tree._repr_html_(), result._repr_html_()):
        assert ElementTree.fromstring(f"<body>{shown}</body>").find(".//{*}svg") is not None
    assert "tic_tac_toe: player 0 to move" in result._repr_html_()


def test_size_in_bytes_counts_what_is_kept_for_every_node(tree):
    kept = made_tree([[1, 2], [], []], priors=[0.0, 0.75, 0.25])
    assert kept.num_bytes == 3 * (kept._tree.nodes.itemsize + 4)
    assert tree.num_bytes >= len(tree) * tree._tree.nodes.itemsize
