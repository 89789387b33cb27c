"""The figure of a training: drawn from its table, with infinite ends and with gaps."""

import math

import pytest

from branchwise.figures.figure_table import Table
from branchwise.figures.style import LIGHT, render, write
from branchwise.figures.training import COLUMNS, training

matplotlib = pytest.importorskip("matplotlib")

ROWS = [
    [6.0, 10, 900, None, None, None, 0.9, 0.4, 0.35, 0.14, 1.4],
    [60.0, 100, 9000, 100.0, -20.0, 220.0, 0.5, 0.3, 0.3, 0.12, 1.5],
    [600.0, 900, 90000, math.inf, 300.0, math.inf, 0.2, 0.1, 0.2, 0.11, 1.6],
]
TABLE = Table(COLUMNS, tuple(map(tuple, ROWS)))


def drawn(table):
    from matplotlib.figure import Figure

    figure = Figure()
    training(table, title="nim").draw(figure, table, LIGHT)
    return figure.axes


def test_the_table_in_the_file_gives_the_same_figure_again(tmp_path):
    drawing = training(TABLE, title="nim")
    files = write(drawing, tmp_path / "nim.svg")
    assert [file.name for file in files] == ["nim.svg", "nim-dark.svg", "nim.csv"]
    table = Table.read(tmp_path / "nim.csv")
    assert table == TABLE
    assert render(training(table, title="nim"), LIGHT, "svg") == files[0].read_bytes()


def test_strength_has_intervals_and_infinite_ends_at_the_edge():
    strength, errors, losses = drawn(TABLE)
    assert strength.get_xlabel() == "minutes"
    line = strength.lines[1]
    assert list(line.get_xdata()) == [1.0, 10.0]
    edge = pytest.approx(330.0)
    assert list(line.get_ydata()) == [100.0, edge]
    spans = [path.vertices[:, 1].tolist() for one in strength.collections for path in one.get_paths()]
    assert spans == [[-20.0, 220.0], [300.0, edge]]
    assert [one.get_marker() for one in strength.lines[2:]] == ["o", "^"]
    assert list(errors.lines[0].get_ydata()) == pytest.approx([40.0, 30.0, 10.0])
    assert list(losses.lines[1].get_ydata()) == [1.4, 1.5, 1.6]


def test_a_short_training_without_a_match_has_its_figure():
    strength, *_ = drawn(Table(COLUMNS, TABLE.rows[:1]))
    assert strength.get_xlabel() == "seconds"
    assert len(strength.lines) == 2
