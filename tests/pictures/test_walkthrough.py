"""A walk-through as text, SVG and a page: it shows what the search did, in valid files."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

import branchwise as bw
from branchwise.drawing.grid import Cell
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.pictures.simulation_report import PHASES
from branchwise.pictures.walkthrough.captions import (
    caption,
    ending,
    formula,
    introduction,
    probability_text,
)
from branchwise.pictures.walkthrough.html import walkthrough_page
from branchwise.pictures.walkthrough.svg import walkthrough_svgs
from branchwise.pictures.walkthrough.text import walkthrough_text
from branchwise.pictures.walkthrough.walkthrough import Players
from support.dice import CoinTicTacToe, Ladder
from support.rules import Kalah, Race

SVG = "{http://www.w3.org/2000/svg}"
SOON_OVER = TicTacToe.from_actions(["b2", "a1", "c3", "a3"])


def walked(state, simulations, after=0, **settings):
    return bw.MCTS(seed=1, **settings).walkthrough(state, simulations=simulations, after=after)


@pytest.fixture(scope="module")
def walk():
    return walked(SOON_OVER, 16)


def said(walk, number, phase):
    """The words for one phase of simulation `number`."""
    lecture = walk.lecture
    (frame,) = (f for f in lecture.frames if f.simulation.number == number and f.phase == phase)
    return " ".join(caption(frame, lecture))


def part(text, start, end):
    """The lines of a text between two that begin with `start` and `end`."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(start))
    last = next(i for i, line in enumerate(lines) if i > first and line.startswith(end))
    return lines[first:last]


# --- what is said -----------------------------------------------------------------------------------


def test_the_first_selection_has_nothing_to_choose(walk):
    assert "has only its root" in said(walk, 1, "selection")
    assert said(walk, 1, "expansion") == (
        "The root gets its children: the 5 moves of X, in random order. "
        "The first of them, c2, is the new node."
    )


def test_untried_moves_come_first_and_then_the_highest_score(walk):
    assert "untried moves, which come first: b3 is next; 3 more wait." in said(walk, 2, "selection")
    assert "X takes the move with the highest score: a2." in said(walk, 6, "selection")
    assert "it is its first visit" not in said(walk, 6, "expansion")
    assert "The node b3 is new: this is its first visit." in said(walk, 2, "expansion")


def test_ties_and_proofs_are_reported(walk):
    assert "c1 (ties go to the child added first)" in said(walk, 13, "selection")
    expansion = said(walk, 13, "expansion")
    assert "has its value at once, for X: c2 +1." in expansion
    assert "So the node a2 c1 is proven to be worth -1 for O." in expansion
    assert said(walk, 13, "playout") == (
        "The game is already over, so there is no playout. X wins: +1 for X, -1 for O."
    )
    assert "Proofs make another visit to 1 move unnecessary." in said(walk, 14, "selection")


def test_playouts_are_reported_by_policy_and_result(walk):
    assert said(walk, 7, "playout").startswith(
        "From a2 c2 on, random moves, but a player who can win at once does. After 3 moves the game is over. "
        "A draw: 0 for both."
    )


def test_a_game_without_symbols_calls_players_by_number():
    walk = walked(Race(), 12)
    assert introduction(walk.lecture)[0].startswith("Player 0 is to move. Shown: simulations 1 to 12")
    assert "for player 2" in said(walk, 12, "playout")


def test_the_end_of_a_solved_search_is_reported():
    assert ending(walked(SOON_OVER, 2).lecture) == ""
    solved = walked(SOON_OVER, 60).lecture
    assert ending(solved).startswith("The root is proven: with best play X gets ")


@pytest.mark.parametrize(
    ("selection", "text"),
    [
        ("ucb1", "score = value + 1.4 √(ln N / n)"),
        ("puct", "score = value + 1.4 P √N / (1 + n)"),
        ("thompson", "score = a random draw around the value"),
    ],
)
def test_the_formula_is_in_returns(selection, text):
    assert formula(walked(SOON_OVER, 1, selection=selection).lecture)[0] == text


def test_a_rule_of_ones_own_is_called_by_its_name():
    def greedy(child, parent, options):
        return child.value

    walk = walked(SOON_OVER, 8, selection=greedy)
    assert formula(walk.lecture) == ["score: by the rule greedy"]
    assert "exploration" not in walk.to_text()


# --- chance -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def climb():
    return walked(Ladder(), 40)


def test_draws_are_reported_with_their_probabilities(climb):
    assert "gets its children: the 2 outcomes of chance." in said(climb, 4, "expansion")
    assert "Chance decides: 1, probability 1/4, is the new node." in said(climb, 4, "expansion")
    assert "After 1 chance decides: 0, probability 3/4." in said(climb, 8, "selection")


def test_words_say_whom_an_outcome_counts_for(climb):
    assert "An outcome of chance counts for the player who moved before" in said(climb, 4, "backup")
    assert "An outcome of chance" not in said(climb, 1, "backup")


def test_playouts_say_how_many_moves_chance_made(climb):
    with_chance = [
        f
        for f in climb.lecture.frames
        if f.phase == "playout" and "by chance" in " ".join(caption(f, climb.lecture))
    ]
    assert with_chance
    for frame in with_chance:
        moves = frame.simulation.playout.games[0].moves
        rolled = sum(move.player == bw.CHANCE for move in moves)
        told = " ".join(caption(frame, climb.lecture))
        assert "Outcomes of chance are drawn by their probabilities." in told
        assert f"After {len(moves)} move" in told
        assert f", {rolled} of them by chance, the game is over." in told


def test_the_evaluation_is_named_where_it_replaces_playouts():
    class Evaluated(TicTacToe):
        def evaluate(self):
            return (0.5, -0.5)

    assert said(walked(Evaluated(), 2, cutoff=0), 1, "playout").startswith(
        "No moves are played. The game's evaluation of b2 replaces a result."
    )
    assert "After 2 moves the game's evaluation replaces a result." in said(
        walked(Evaluated(), 2, cutoff=2), 1, "playout"
    )


def test_outcomes_have_a_table_with_the_expected_value():
    walk = walked(CoinTicTacToe.from_actions([0, 4, 1, 0, 0, 8, 1]), 11)
    shown = part(walk.to_text(width=80), "  After 6, chance decides; N = 3", "    score = ")
    assert shown == [
        "  After 6, chance decides; N = 3; values for player 1",
        "    outcome    P  n   value",
        "  ▸ 0        1/2  1  +1.000  ██████████████████████████████",
        "    1        1/2  1  +1.000  ██████████████████████████████",
        "    expected value: sum of P · value = +1.000",
        "",
    ]


def test_pictures_and_the_page_show_draws(climb):
    pictures = climb.to_svg()
    for picture in pictures:
        ElementTree.fromstring(picture)
    assert any("chance decides; N = " in picture for picture in pictures)
    assert any(">0 (3/4)</text>" in picture for picture in pictures)
    assert any("expected value: sum of P · value = " in picture for picture in pictures)
    assert any(">chance 0</text>" in picture for picture in pictures)
    assert "chance decides; N = " in climb.to_html()


def test_an_outcome_in_the_tree_has_the_value_of_the_player_who_moved_before():
    lecture = walked(CoinTicTacToe.from_actions([0, 4, 1, 0, 0, 8, 1]), 30).lecture
    outcomes = [node for node in lecture.frames[-1].nodes if node is not None and node.by_chance]
    assert outcomes
    for node in outcomes:
        above = lecture.frames[-1].nodes[node.parent]
        assert node.mover == above.mover
        assert node.text.startswith("chance ")


@pytest.mark.parametrize(
    ("probability", "text"),
    [(1 / 6, "1/6"), (1.0, "1"), (1 / 36, "1/36"), (0.3, "3/10"), (0.1234567, "12.3%"), (0.000123, "0.012%")],
)
def test_probabilities_are_fractions_where_they_are_simple(probability, text):
    assert probability_text(probability) == text


# --- text -------------------------------------------------------------------------------------------


def test_text_shows_terms_of_siblings_as_a_table_with_bars(walk):
    shown = part(walk.to_text(width=80), "  After a2, O chooses; N = 9", "    score = ")
    assert shown == [
        "  After a2, O chooses; N = 9",
        "    move  n   value  exploration   score",
        "    O c1  2  proven: -1, no visit needed",
        "    O c2  4  +0.000       +1.038  +1.038  ██████████████░░░░░░░░░░░░░░░",
        "  ▸ O b3  1  -1.000       +2.075  +1.075  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░",
        "    O b1  1  -1.000       +2.075  +1.075  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░",
        "",
    ]


def test_text_shows_updates_before_and_after(walk):
    *_, shown = walk.to_text().split("── Simulation 13 ")
    assert part(shown, "    node", "── Simulation 14") == [
        "    node    return   visits            value",
        "    X c2  +1 for X    0 → 1    none → +1.000",
        "    O c1  -1 for O    1 → 2  -1.000 → -1.000",
        "    X a2  +1 for X    8 → 9  +0.500 → +0.556",
        "    root            12 → 13",
        "",
        "    new value = (old value · old visits + return) / new visits",
        "",
    ]


def test_text_shows_boards_side_by_side(walk):
    *_, shown = walk.to_text().split("── Simulation 12 ")
    assert part(shown, "    a2 c2 b1", "4 Backup")[:3] == [
        "    a2 c2 b1      the end",
        "    3  O . X      3  O O X",
        "    2  X X O      2  X X O",
    ]


def test_text_shows_priors_and_assumed_values():
    text = walked(Nim(), 1, after=2, selection="puct").to_text()
    assert re.search(r"move  n +value +P +exploration +score", text)
    assert re.search(r"P0 \d  0  \([+-]\d\.\d{3}\)  0\.333", text)
    assert "value in brackets" in text


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_text_keeps_within_its_width(width, plain):
    for state, settings in ((SOON_OVER, {}), (ConnectFour(), {"selection": "rave"}), (Kalah(), {})):
        walk = walked(state, 4, after=8, **settings)
        text = walk.to_text(width=width, plain=plain)
        assert max(map(len, text.splitlines())) <= width
        assert text.isascii() or not plain
        assert text.count("Simulation ") == 4
        for number, phase in enumerate(PHASES, start=1):
            assert text.count(f"\n{number} {phase.capitalize()}: ") == 4


def test_a_terminal_too_narrow_is_refused(walk):
    with pytest.raises(bw.SettingsError, match="width = 59"):
        walk.to_text(width=59)


# --- SVG --------------------------------------------------------------------------------------------


def test_svg_is_a_picture_for_each_phase(walk):
    pictures = walk.to_svg()
    assert len(pictures) == 4 * len(walk.simulations)
    for picture, frame in zip(pictures, walk.lecture.frames, strict=True):
        svg = ElementTree.fromstring(picture)
        nodes = {int(g.get("data-node")) for g in svg.iter() if g.get("data-node")}
        assert nodes == {node.index for node in frame.nodes if node is not None}
        texts = [text.text for text in svg.iter(f"{SVG}text")]
        assert (
            texts[0]
            == f"Simulation {frame.simulation.number}, phase {PHASES.index(frame.phase) + 1}: {frame.phase}"
        )


def test_nodes_keep_their_places_in_all_pictures(walk):
    places = {}
    for picture in walk.to_svg():
        svg = ElementTree.fromstring(picture)
        shift = next(g for g in svg if g.get("transform"))
        for node in shift.iter(f"{SVG}g"):
            if node.get("data-node"):
                label = next(text for text in node.iter(f"{SVG}text"))
                places.setdefault(node.get("data-node"), set()).add((label.get("x"), label.get("y")))
    assert len(places) > 10
    assert all(len(found) == 1 for found in places.values())


def test_the_path_is_set_off_in_the_tree(walk):
    frame = next(f for f in walk.lecture.frames if f.simulation.number == 12 and f.phase == "backup")
    path = {update.node for update in frame.simulation.backup.updates}
    assert {node.index for node in frame.nodes if node is not None and node.on_line} == path == frame.fresh
    assert path <= {node.index for node in frame.nodes if node is not None}


def test_bars_are_as_long_as_values_and_scores(walk):
    place, frame = next(
        (i, f)
        for i, f in enumerate(walk.lecture.frames)
        if f.simulation.number == 6 and f.phase == "selection"
    )
    svg = ElementTree.fromstring(walk.to_svg()[place])
    explored = [float(r.get("width")) for r in svg.iter(f"{SVG}rect") if r.get("class") == "explored"]
    siblings = frame.simulation.selection.choices[0].siblings
    assert len(explored) == len(siblings)
    ratios = [width / sibling.exploration for width, sibling in zip(explored, siblings, strict=True)]
    assert ratios == pytest.approx([ratios[0]] * len(ratios), rel=1e-2)


def test_short_playouts_on_small_boards_are_shown_move_by_move(walk):
    for frame in walk.lecture.frames:
        moves = len(frame.simulation.playout.games[0].moves) if frame.simulation.playout.games else 0
        assert len(frame.film) == (moves if frame.phase == "playout" else 0)
        if frame.film:
            assert frame.film[-1].text == frame.board.text
    long = walked(ConnectFour(), 8).lecture
    assert any(not frame.film for frame in long.frames if frame.phase == "playout")


def test_cells_of_boards_cannot_be_played_on(walk):
    picture = "".join(walk.to_svg())
    assert "tabindex" not in picture
    assert "cursor" not in picture


def test_a_games_own_picture_is_shown():
    class Drawn(TicTacToe):
        """Tic-tac-toe with a picture of its own."""

        def to_svg(self):
            return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 30"><path d="M0 0h30"/></svg>'

    picture = bw.MCTS(seed=1).walkthrough(Drawn(), simulations=1).to_svg()[0]
    assert '<path d="M0 0h30"/>' in picture
    assert "circle" in picture


def test_larger_trees_are_drawn_in_part():
    lecture = walked(ConnectFour(), 12, after=400).lecture
    nodes = lecture.frames[-1].nodes
    assert len(nodes) <= 120
    path = {update.node for update in lecture.frames[-1].simulation.backup.updates}
    assert path <= {node.index for node in nodes}
    assert any(node.more for node in nodes)


def test_too_many_simulations_for_pictures_are_refused():
    walk = walked(Kalah(), 65, proofs=False)
    for draw in (walk.to_svg, walk.to_html):
        with pytest.raises(bw.SettingsError, match="65 simulations are too many"):
            draw()
    assert walk.to_text()


# --- the page ---------------------------------------------------------------------------------------


def test_page_needs_nothing_else(walk):
    page = walk.to_html()
    assert page.startswith("<!doctype html>")
    outside = re.sub(r' xmlns="http://www.w3.org/2000/svg"', "", page)
    assert not re.search(r"https?:|\bsrc=|\bhref=|@import|url\(", outside)


def test_page_has_a_section_for_each_frame_and_works_without_javascript(walk):
    page = walk.to_html()
    assert page.count('<section class="frame"') == len(walk.lecture.frames)
    style = page[page.index("<style>") : page.index("</style>")]
    hidden = re.findall(r"([^{}]+)\{[^{}]*display:none", style)
    assert set(hidden) == {"nav", ".js .frame", ".js nav"}
    assert 'class="js"' not in page


def test_page_turns_dark_where_that_is_preferred(walk):
    assert walk.to_html().count("@media (prefers-color-scheme:dark)") == 2
    assert all("@media (prefers-color-scheme:dark)" in picture for picture in walk.to_svg())


def test_page_is_well_formed(walk):
    body = re.search(r"<main>.*</main>", walk.to_html(), re.DOTALL)[0]
    main = ElementTree.fromstring(body)
    assert len(main) == len(walk.lecture.frames)
    for section, frame in zip(main, walk.lecture.frames, strict=True):
        assert section.find("p").text == " ".join(caption(frame, walk.lecture))


NASTY = ['say "hi"', "<b>&amp;</b>", "{|}", "日本", "</script>"]


def test_names_that_mean_something_in_html_are_shown_as_they_are():
    class Nasty(Nim):
        """Nim whose moves have nasty names."""

        def action_to_string(self, action):
            return NASTY[action % len(NASTY)]

        def to_grid(self):
            return None

        def __str__(self):
            return "<i>&</i>"

    walk = walked(Nasty(), 6)
    for picture in walk.to_svg():
        ElementTree.fromstring(picture)
    ElementTree.fromstring(re.search(r"<main>.*</main>", walk.to_html(), re.DOTALL)[0])
    assert "<b>&amp;</b>" in walk.to_text()


def test_notebooks_show_the_page(walk):
    assert walk._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')


def test_players_are_called_by_their_symbols_if_each_has_one():
    assert walked(SOON_OVER, 2).lecture.players == Players(2, ("X", "O"))

    class Blank(TicTacToe):
        """Tic-tac-toe with the same symbol for both."""

        def to_grid(self):
            grid = super().to_grid()
            cells = tuple(
                tuple(cell if cell.owner is None else Cell("#", cell.owner) for cell in row)
                for row in grid.cells
            )
            return replace(grid, cells=cells)

    assert walked(Blank(), 2).lecture.players == Players(2)


def test_every_form_is_made_of_the_same_lecture(walk):
    lecture = walk.lecture
    assert walkthrough_page(lecture) == walk.to_html()
    assert walkthrough_svgs(lecture) == walk.to_svg()
    assert walkthrough_text(lecture) == walk.to_text() == str(walk)
    assert repr(walk) == "<branchwise.Walkthrough tic_tac_toe: simulations 1 to 16>"
