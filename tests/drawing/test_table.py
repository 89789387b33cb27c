"""Tables at every width: numbers are whole, texts can be put together again, no column is missing."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from branchwise.drawing.table import Table, folded

NAMES = ["mcts(simulations=1000,c=0.5)", "mcts(simulations=1000,c=0.7)", "flat", "my bot (a new one)"]


def made(cut=False):
    table = Table()
    table.add_column("bot")
    for heading in ("points", "95 % of all"):
        table.add_column(heading, justify="right")
    table.add_column("line", no_wrap=cut)
    for number, name in enumerate(NAMES):
        table.add_row(name, f"{number}.5", f"[{number}.25, {number}.75]", f"d1 d2 d3 d4 {name}")
    return table


def printed(table, width):
    text = io.StringIO()
    Console(file=text, width=width, color_system=None).print(table)
    return [line.rstrip() for line in text.getvalue().splitlines()]


def test_a_table_that_fits_is_printed_as_it_is():
    assert printed(made(), 100) == [
        "bot                           points   95 % of all  line",
        *(
            f"{name:28}  {f'{number}.5':>6}  [{number}.25, {number}.75]  d1 d2 d3 d4 {name}"
            for number, name in enumerate(NAMES)
        ),
    ]


def test_texts_are_folded_after_commas_and_numbers_stay_whole():
    assert printed(made(), 70)[:4] == [
        "bot                      points   95 % of all  line",
        "mcts(simulations=1000,      0.5  [0.25, 0.75]  d1 d2 d3 d4",
        "  c=0.5)                                         mcts(simulations=",
        "                                                 1000,c=0.5)",
    ]


def test_a_column_that_may_be_cut_gives_way_first():
    lines = printed(made(cut=True), 64)
    assert len(lines) == 1 + len(NAMES)
    assert all(name in line and line.endswith("…") for name, line in zip(NAMES, lines[1:], strict=True))


def test_columns_that_have_no_room_follow_below_behind_the_first():
    lines = printed(made(), 44)
    assert lines[:2] == [
        "bot                     points   95 % of all",
        "mcts(simulations=1000,     0.5  [0.25, 0.75]",
    ]
    second = lines.index("") + 1
    assert lines[second : second + 2] == [
        "bot                     line",
        "mcts(simulations=1000,  d1 d2 d3 d4",
    ]


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("width", range(32, 110, 3))
def test_no_number_heading_or_line_is_lost_at_any_width(width, cut):
    lines = printed(made(cut), width)
    assert max(map(cell_len, lines)) <= width
    text = "\n".join(lines)
    for number in range(len(NAMES)):
        assert f"{number}.5" in text
        assert f"[{number}.25, {number}.75]" in text
    assert {"bot", "points", "95", "%", "of", "all", "line"} <= set(text.split())


@given(st.text(st.characters(categories=("L", "N", "P", "Zs", "Lo")), max_size=80), st.integers(4, 40))
def test_a_folded_text_has_all_its_characters_in_lines_that_fit(text, width):
    lines = folded(text, width).split("\n")
    assert all(cell_len(line) <= width for line in lines)
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", text)
