"""Figures: valid files, light and dark, drawn only from the table beside them."""

import csv
import io
import math
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.statistics.score import Score
from branchwise.arena.tuning.setting_grid import axes_of, grid
from branchwise.arena.tuning.sweep import Cell, SweepResult
from branchwise.figures.exploration import bonus, exploration
from branchwise.figures.figure_list import FIGURES, ComputedFigure, find_figure
from branchwise.figures.figure_table import Table
from branchwise.figures.outcomes import stacks
from branchwise.figures.strength import _ink_on
from branchwise.figures.style import DARK, FORMS, LIGHT, THEMES, render, stem_and_forms, write
from branchwise.figures.sweeps import drawing_of, kind_for, table_of

matplotlib = pytest.importorskip("matplotlib")


def swept(*vary, missing=()):
    """A made-up result of a sweep: cell i has won i pairs of ten and drawn three."""
    axes = axes_of(list(vary))
    cells = []
    for at, values in enumerate(grid(axes)):
        won = min(at, 7)
        score = Score(pairs=(7 - won, 0, 3, 0, won), drawn_pairs=2)
        bots = f"bot{at}", "random"
        cells.append(Cell(values, *bots) if at in missing else Cell(values, *bots, at + 1, score, 0, True))
    return SweepResult(1, "nim", axes, 20, tuple(cells))


ONE = swept("n=10:10000:4:log")
TWO = swept("c=0.5,1,2", "n=100,1000,10000", missing=[4])
WORDS = swept("playout=uniform,decisive", "c=0.5,1")
DRAWINGS = {
    "lines": drawing_of(ONE),
    "lines of two": drawing_of(TWO, "lines"),
    "lines of words": drawing_of(WORDS, "lines"),
    "map": drawing_of(TWO),
    "map of words": drawing_of(WORDS),
    "stacks": drawing_of(ONE, "stacks", bot="MCTS", against="random"),
    "exploration": exploration(10),
}


def figure_of(drawing, theme=LIGHT):
    """The figure itself, for checking what was drawn."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=drawing.size)
    drawing.draw(figure, drawing.table, theme)
    return figure


# --- files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DRAWINGS)
def test_the_table_in_the_file_gives_the_same_figure_again(name, tmp_path):
    drawing = DRAWINGS[name]
    files = write(drawing, tmp_path / "figure")
    assert [file.name for file in files] == [
        *("figure.svg", "figure-dark.svg", "figure.png", "figure-dark.png", "figure.csv")
    ]
    table = Table.read(tmp_path / "figure.csv")
    assert table == drawing.table
    again = type(drawing)(table, drawing.draw, drawing.size)
    for theme in THEMES:
        svg = (tmp_path / f"figure{theme.suffix}.svg").read_bytes()
        assert ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
        assert theme.ground in svg.decode()
        assert render(again, theme, "svg") == svg
        png = (tmp_path / f"figure{theme.suffix}.png").read_bytes()
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        width, height = struct.unpack(">II", png[16:24])
        assert (width, height) == tuple(int(side * 110) for side in drawing.size)
        assert len(svg) < 100_000
    assert (tmp_path / "figure.svg").read_bytes() != (tmp_path / "figure-dark.svg").read_bytes()


def test_an_ending_asks_for_one_form(tmp_path):
    names = [file.name for file in write(DRAWINGS["lines"], tmp_path / "new" / "one.png")]
    assert names == ["one.png", "one-dark.png", "one.csv"]
    assert stem_and_forms("a/b.v2/c_0.5") == (Path("a/b.v2/c_0.5"), FORMS)


def test_where_no_figure_can_be_written_is_reported(tmp_path):
    for output, told in (
        (tmp_path / "one.pdf", "not written as .pdf"),
        (tmp_path, "is not a file name"),
        ("/proc/nowhere/one.svg", "cannot write"),
    ):
        with pytest.raises(bw.SettingsError, match=told):
            write(DRAWINGS["lines"], output)


def test_without_matplotlib_it_is_said_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from branchwise.cli.app import app\n"
        "app(['figure', 'exploration-10'], prog_name='branchwise')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert 'mend: pip install "branchwise[figures]"' in done.stderr
    assert "Traceback" not in done.stderr


# --- what is drawn ----------------------------------------------------------------------------------


def test_stacks_are_the_shares_in_the_table_and_fill_the_axis():
    figure = figure_of(DRAWINGS["stacks"])
    table = DRAWINGS["stacks"].table
    bars = [container for container in figure.axes[0].containers if hasattr(container, "patches")]
    for bar, name in zip(bars, ("wins", "draws", "losses"), strict=True):
        heights = [patch.get_height() for patch in bar.patches]
        assert heights == pytest.approx([100 * n / 20 for n in table.numbers(name)])
    tops = [patch.get_y() + patch.get_height() for patch in bars[-1].patches]
    assert tops == pytest.approx([100] * 4)
    (points,) = (container for container in figure.axes[0].containers if not hasattr(container, "patches"))
    assert points[0].get_ydata() == pytest.approx([100 * value for value in table.numbers("score")])
    spans = [[low, high] for (_, low), (_, high) in points[2][0].get_segments()]
    wanted = [
        [100 * low, 100 * high] for low, high in zip(table.numbers("low"), table.numbers("high"), strict=True)
    ]
    assert [end for span in spans for end in span] == pytest.approx([end for span in wanted for end in span])


def test_lines_are_the_scores_in_the_table_without_cells_that_were_not_played():
    axes = figure_of(DRAWINGS["lines of two"]).axes[0]
    scores = {}
    for cell in TWO.cells:
        if cell.score.games:
            scores.setdefault(cell.values[1], []).append(100 * cell.score.mean)
    drawn = {c.get_label(): list(c[0].get_ydata()) for c in axes.containers}
    assert drawn == {f"n = {n}": pytest.approx(line) for n, line in scores.items()}
    assert len(drawn["n = 1000"]) == 2


def test_a_logarithmic_range_is_drawn_on_a_logarithmic_axis_and_words_side_by_side():
    assert figure_of(DRAWINGS["lines"]).axes[0].get_xscale() == "log"
    axes = figure_of(DRAWINGS["lines of words"]).axes[0]
    assert axes.get_xscale() == "linear"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["uniform", "decisive"]


def test_a_map_shows_score_and_interval_of_each_cell_where_it_belongs():
    axes = figure_of(DRAWINGS["map"]).axes[0]
    shown = {}
    for text in axes.texts:
        shown.setdefault(tuple(map(round, text.xy)), []).append(text.get_text())
    wanted = {}
    for cell in TWO.cells:
        if cell.score.games:
            low, high = cell.score.interval()
            place = ([0.5, 1, 2].index(cell.values[0]), [100, 1000, 10000].index(cell.values[1]))
            wanted[place] = [f"{100 * cell.score.mean:.0f}", f"{100 * low:.0f}\N{EN DASH}{100 * high:.0f}"]
    assert shown == wanted
    mesh = axes.collections[0].get_array()
    assert mesh.mask.tolist() == [[False] * 3, [False, True, False], [False] * 3]  # not played
    assert mesh[0][2] == pytest.approx(100 * TWO.cells[6].score.mean)


def test_numbers_on_a_map_stand_out_from_their_cells():
    assert _ink_on((1.0, 1.0, 1.0, 1.0)) == "#000000"
    assert _ink_on((0.0, 0.0, 0.3, 1.0)) == "#ffffff"


def contrast(one, other):
    """WCAG 2's ratio of two colours, 1 to 21."""

    def luminance(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=["light", "dark"])
def test_colours_can_be_read_on_their_ground(theme):
    assert contrast(theme.ink, theme.ground) >= 7
    assert all(contrast(colour, theme.ground) >= 3 for colour in theme.series)
    assert all(contrast(colour, "#000000") >= 3 for colour in (theme.win, theme.draw, theme.loss))


def test_exploration_is_what_the_formula_says():
    table = exploration(10).table
    for n, row in enumerate(table.rows, start=1):
        assert row[0] == n
        for whole, value in enumerate(row[1:], start=1):
            assert value == pytest.approx(math.sqrt(2) * math.sqrt(math.log(whole) / n), abs=5e-5)
    assert bonus(100, 1, 0.5) == pytest.approx(1.07298, abs=1e-5)
    with pytest.raises(bw.SettingsError, match="visits = 1 is outside"):
        exploration(1)


# --- tables and kinds -------------------------------------------------------------------------------


def test_the_table_of_a_sweep_has_a_line_for_each_cell():
    text = table_of(TWO).to_csv()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 9
    assert list(rows[0])[:4] == ["c", "n", "bot", "against"]
    assert (rows[4]["games"], rows[4]["score"], rows[4]["elo"]) == ("0", "", "")
    assert float(rows[8]["score"]) == TWO.cells[8].score.mean
    assert rows[0]["elo"] == repr(TWO.cells[0].elo.value)


def test_tables_that_are_damaged_are_refused(tmp_path):
    for text in ("", "a,b\n1\n"):
        with pytest.raises(bw.BranchwiseError, match="the table has"):
            Table.from_csv(text)
    with pytest.raises(bw.BranchwiseError, match="cannot read"):
        Table.read(tmp_path / "nowhere.csv")
    with pytest.raises(bw.BranchwiseError, match='no column "wins"'):
        figure_of(stacks(Table(("x", "games"), ()), "x", title="", x_label=""))


def test_kinds_take_as_many_settings_as_they_can_show():
    one, two, three = (axes_of(texts) for texts in (["a=1,2"], ["a=1,2", "b=1"], ["a=1", "b=1", "c=1"]))
    assert (kind_for(one), kind_for(two), kind_for(two, "lines"), kind_for(one, "stacks")) == (
        *("lines", "map", "lines", "stacks"),
    )
    for axes, kind, told in (
        (three, None, "one or two varying settings, not 3"),
        (one, "map", "a map takes two varying settings"),
        (two, "stacks", "stacks take one varying setting"),
        (one, "pie", 'no kind of figure "pie"'),
    ):
        with pytest.raises(bw.SettingsError, match=told):
            kind_for(axes, kind)


# --- those that come with it ------------------------------------------------------------------------


@pytest.mark.parametrize("name", FIGURES)
def test_figures_of_the_catalogue_can_be_played_and_drawn(name):
    figure = find_figure(name)
    if isinstance(figure, ComputedFigure):
        assert len(figure.drawing().table.rows) == figure.visits
        return
    sweep = figure.sweep(seed=1)
    assert sweep.game == "connect_four"
    played = swept(*figure.vary)
    drawing = figure.drawing(played)
    assert len(drawing.table.rows) == len(sweep.cells)
    title = figure_of(drawing).axes[0].get_title(loc="left") or figure_of(drawing).axes[0].get_title()
    assert figure.names[0] in title


def test_an_unknown_figure_offers_the_nearest():
    with pytest.raises(bw.UnknownNameError, match='did you mean "mcts-against-random"'):
        find_figure("mcts-against-radnom")


DOCS = Path(__file__).parents[2] / "docs"


def test_the_pictures_of_the_guide_are_there_and_agree_with_their_tables():
    page = (DOCS / "figures.md").read_text(encoding="utf-8")
    shown = set(re.findall(r'(?:src|srcset)="(figures/[^"]+)"', page))
    assert {f"figures/{name}" for name in FIGURES} <= {
        file.rpartition(".")[0].removesuffix(DARK.suffix) for file in shown
    }
    for file in shown:
        assert (DOCS / file).stat().st_size < 100_000, file
    for name, figure in FIGURES.items():
        table = Table.read(DOCS / "figures" / f"{name}.csv")
        if isinstance(figure, ComputedFigure):
            assert table == figure.drawing().table
        else:
            sweep = figure.sweep(seed=1)
            assert [tuple(row[: len(sweep.axes)]) for row in table.rows] == [c.values for c in sweep.cells]
            assert table.column("bot") == [cell.bot for cell in sweep.cells]
            for cell, row in zip(sweep.cells, table.rows, strict=True):
                entry = dict(zip(table.columns, row, strict=True))
                assert entry["games"] == figure.games
                assert entry["score"] == (entry["wins"] + entry["draws"] / 2) / entry["games"], cell
                assert entry["low"] < entry["score"] < entry["high"] or entry["score"] in (0, 1)
