"""Search trees as text, DOT and SVG: numbers in the right places, and valid files."""

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwise as bw
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.pictures.tree.dot import tree_dot
from branchwise.pictures.tree.svg import MOST_NODES, tree_div, tree_page, tree_svg
from branchwise.pictures.tree.text import tree_text
from branchwise.pictures.tree.tree import TreeDrawing, scale_colour
from support.trees import made_tree, random_trees

SVG = "{http://www.w3.org/2000/svg}"
NASTY = [
    'say "hi"',
    "back\\slash\\",
    "two\nlines",
    "<b>&amp;</b>",
    "\x1b[31m\x00",
    "{|}",
    "\\N",
    "日本",
    "\ud800",
]


def made(**numbers):
    """A drawing of a root with two children, of which the first has one."""
    return made_tree([[1, 2], [3], [], []], visits=[8, 6, 2, 5], means=[0, 1, -1, 0.5], **numbers).drawing()


def named(drawing, texts):
    nodes = [replace(node, text=text) for node, text in zip(drawing.nodes, ["", *texts], strict=False)]
    return replace(drawing, nodes=tuple(nodes))


# --- text -------------------------------------------------------------------------------------------


def test_text_shows_each_node_with_a_bar_for_its_share():
    assert tree_text(made(), width=60).splitlines() == [
        "made: player 0 to move, 8 visits, 4 nodes",
        "  move  by  visits  share                         value",
        "▸ 1      0       6  75.0%  ███████████████       +1.000",
        "▸ └ 3    1       5  83.3%  ████████████████▋     +0.500",
        "  2      0       2  25.0%  █████                 -1.000",
    ]


def test_text_in_ascii():
    shown = tree_text(made(), width=60, plain=True)
    assert shown.isascii()
    assert "> `- 3   1       5  83.3%  #################     +0.500" in shown


def test_text_shows_proofs_priors_and_what_is_left_out():
    tree = made_tree(
        [[1, 2, 3], [], [], []],
        visits=[9, 6, 2, 1],
        bounds=[(0, 1), (0.5, 0.5), (-1, 0), (0, 1)],
        priors=[0, 0.5, 0.3, 0.2],
    )
    shown = tree.to_text(top=2)
    assert re.search(r"1 .* =\+0.5 +50.0%", shown)
    assert re.search(r"3 .* >=\+0 +20.0%", shown)
    assert re.search(r"\+1 more +2 +22.2%", shown)
    assert re.search(r"2 .* <=\+0 +30.0%", tree.to_text())


def test_text_of_a_line_is_numbered_and_tells_how_many_other_moves_there_were():
    shown = made_tree([[1, 2], [3], [], []], visits=[8, 6, 2, 5]).to_text(line=True).splitlines()
    assert shown[2].startswith("  1 1 ")
    assert shown[2].endswith("+1")
    assert shown[3].startswith("  2 3 ")


@given(random_trees(), st.integers(40, 120), st.booleans())
def test_text_keeps_within_its_width_in_aligned_columns(tree, width, plain):
    heading, *lines = tree.to_text(top=None, depth=None, min_visits=0, width=width, plain=plain).splitlines()
    assert heading == tree.drawing().title
    assert max(map(len, lines), default=0) <= width
    if lines:
        end = lines[0].index("visits") + len("visits")
        assert all(line[end - 1].isdigit() and not line[end : end + 1].strip() for line in lines[1:])


def test_text_of_a_deep_tree_cuts_its_guides_and_not_its_moves():
    deep = made_tree([[i + 1, i + 2] if i % 2 == 0 and i < 80 else [] for i in range(81)])
    lines = deep.to_text(depth=None, top=None, width=50).splitlines()
    assert max(map(len, lines[1:])) <= 50
    assert any("…" in line and " 80 " in line for line in lines)


def test_wide_characters_take_two_columns():
    lines = tree_text(named(made(), ["日本", "b", "c"]), width=60).splitlines()
    assert lines[2].index("75.0%") == lines[4].index("25.0%") - 2


def test_a_terminal_too_narrow_is_refused():
    with pytest.raises(bw.SettingsError, match="width = 39"):
        tree_text(made(), width=39)


# --- DOT --------------------------------------------------------------------------------------------

STRING = r'"(?:[^"\\]|\\.)*"'
STATEMENT = re.compile(
    rf"\s*(?:digraph tree {{|}}|(?:graph|node|edge|\w+|\w+ -> \w+) "
    rf"\[\w+=(?:{STRING}|\w+|[\d.]+)(?:, \w+=(?:{STRING}|\w+|[\d.]+))*\];)"
)


def labels(dot):
    """Return what Graphviz shows for each node: the strings of `label` with their escapes undone."""
    found = re.findall(rf"n\d+ \[.*?label=({STRING})", dot)
    return [re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text[1:-1]) for text in found]


@given(random_trees())
def test_dot_is_one_statement_a_line(tree):
    lines = tree.to_dot(top=2).splitlines()
    assert (lines[0], lines[-1]) == ("digraph tree {", "}")
    assert all(STATEMENT.fullmatch(line) for line in lines)


@pytest.mark.parametrize("text", NASTY[:3])
def test_dot_shows_moves_as_they_are_written(text):
    dot = tree_dot(named(made(), [text, text, text]))
    assert all(STATEMENT.fullmatch(line) for line in dot.splitlines())
    assert [label.startswith(text + "\n") for label in labels(dot)[1:]] == [True, True, True]


def test_dot_names_every_node_and_edge_and_what_is_left_out():
    dot = made_tree([[1, 2, 3], [], [], []]).to_dot(top=2)
    assert re.findall(r"(\w+ -> \w+)", dot) == ["n0 -> n1", "n0 -> n2", "n0 -> more0"]
    assert 'label="+1 more"' in dot


# --- SVG --------------------------------------------------------------------------------------------


def parsed(drawing):
    return ElementTree.fromstring(tree_svg(drawing))


def nodes(svg):
    return [element for element in svg.iter() if element.get("data-node") is not None]


def test_svg_marks_nodes_with_index_action_and_all_their_numbers():
    shown = nodes(parsed(made(priors=[0, 0.5, 0.25, 1.0])))
    assert [(e.get("data-node"), e.get("data-action")) for e in shown] == [
        ("0", None),
        ("1", "1"),
        ("3", "3"),
        ("2", "2"),
    ]
    title = shown[1].find(f"{SVG}title").text.splitlines()
    assert title == ["1, by player 0", "6 visits, 75.0%", "value +1.000", "prior 50.0%", "player 1 to move"]
    assert [e.get("class") for e in shown] == ["node line", "node line", "node line", "node"]


def test_svg_areas_are_visits_and_colours_are_values():
    tree = made_tree([[1, 2, 3], [], [], []], visits=[400, 100, 25, 0], means=[0, 1, -1, 0])
    root, won, lost, unknown = (e.find(f"{SVG}circle") for e in nodes(parsed(tree.drawing(min_visits=0))))
    assert float(root.get("r")) == pytest.approx(2 * float(won.get("r")), abs=0.1)
    assert float(won.get("r")) == pytest.approx(2 * float(lost.get("r")), abs=0.1)
    assert float(unknown.get("r")) > 2
    assert (won.get("fill"), lost.get("fill")) == (scale_colour(1), scale_colour(0))
    assert "unvisited" in unknown.get("class")
    assert "root" in root.get("class")


def test_svg_lines_are_as_wide_as_priors_or_shares():
    def widths(drawing):
        edges = [e for e in parsed(drawing).iter(f"{SVG}path") if e.get("class") in ("edge", "edge line")]
        return sorted((float(e.get("stroke-width")) for e in edges), reverse=True)

    equal = widths(made_tree([[1, 2], [], []], visits=[10, 9, 1], priors=[0, 0.5, 0.5]).drawing())
    assert equal[0] == equal[1]
    heavy, light = widths(made_tree([[1, 2], [], []], visits=[10, 9, 1]).drawing())
    assert heavy > 3 * light


def test_svg_marks_what_is_proven_and_where_the_game_is_over():
    tree = made_tree([[1, 2], [3], [], []], bounds=[(-1, 1), (0, 0), (1, 1), (0, 0)])
    _, proven, _, over = sorted(nodes(parsed(tree.drawing())), key=lambda e: int(e.get("data-node")))
    assert [len(list(proven.iter(f"{SVG}{shape}"))) for shape in ("circle", "rect")] == [2, 0]
    assert [len(list(over.iter(f"{SVG}{shape}"))) for shape in ("circle", "rect")] == [0, 2]


@pytest.mark.parametrize("text", NASTY, ids=repr)
def test_svg_and_html_are_well_formed_whatever_moves_are_called(text):
    class Named(TicTacToe):
        def action_to_string(self, action):
            return text

    drawing = bw.MCTS(seed=1, compiled=False).search(Named(), simulations=30).tree.drawing(top=2, depth=2)
    svg = ElementTree.fromstring(tree_svg(drawing).encode())
    assert len(nodes(svg)) == len(drawing.nodes)
    assert ElementTree.fromstring(tree_div(drawing).encode()) is not None
    assert "\x1b" not in tree_page(drawing)
    assert STATEMENT.fullmatch(tree_dot(drawing).splitlines()[2])
    assert tree_text(drawing).encode()


@given(random_trees())
def test_svg_has_everything_within_its_frame_and_no_label_over_another(tree):
    svg = parsed(tree.drawing(top=None, min_visits=0, depth=None))
    _, _, width, height = map(float, svg.get("viewBox").split())
    columns = {}
    for shown in nodes(svg):
        for circle in shown.iter(f"{SVG}circle"):
            x, y, r = (float(circle.get(name)) for name in ("cx", "cy", "r"))
            assert r <= x <= width - r
            assert r <= y <= height - r
        label = shown.find(f"{SVG}text[@class='move']")
        columns.setdefault(label.get("x"), []).append(float(label.get("y")))
    for rows in columns.values():
        assert all(below - above > 24 for above, below in pairwise(sorted(rows)))


def test_svg_is_readable_on_light_and_dark_pages():
    text = tree_svg(made())
    assert "fill:currentColor" in text
    assert "@media (prefers-color-scheme:dark){svg.bw-tree:root{" in text
    assert "value, for the player who made the move" in text


def test_too_many_nodes_for_a_picture_are_refused():
    drawing = made()
    many = replace(drawing, nodes=drawing.nodes * (MOST_NODES // 4 + 1))
    with pytest.raises(bw.SettingsError, match="are too many for one picture"):
        tree_svg(many)


def test_values_beyond_the_bounds_take_the_colours_of_the_bounds():
    drawing = TreeDrawing("", (), (0.0, 10.0))
    assert drawing.colour(99) == drawing.colour(10) == scale_colour(1)
    assert drawing.colour(-99) == drawing.colour(0) == scale_colour(0)
    assert drawing.colour(5) == scale_colour(0.5)
