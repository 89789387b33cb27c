"""The command that compares methods on one problem."""

import json

import pytest

from branchwise.figures.comparison import curves
from branchwise.figures.figure_table import Table
from branchwise.figures.style import LIGHT

SMALL = ["left_move(moves=5)", "--methods", "dfs,nrpa(level=1,iterations=5)", "--steps", "60", "--python"]


def test_the_best_scores_are_shown_as_a_table(run):
    outcome = run("compare", *SMALL, "--seeds", "2")
    assert outcome.code == 0
    rows = {line.split()[0]: line for line in outcome.out.splitlines() if line}
    assert rows["dfs"].split()[1:4] == ["1", "5", "5"]
    assert "complete; optimal" in rows["dfs"]
    assert rows["nrpa(level=1,iterations=5)"].split()[1:3] == ["2", "5"]
    assert "playouts" in rows["nrpa(level=1,iterations=5)"]


def test_json_table_and_figure_say_the_same(run, tmp_path):
    pytest.importorskip("matplotlib")
    figure, file = tmp_path / "compared", tmp_path / "curves.csv"
    outcome = run("compare", *SMALL, "--seeds", "2", "--json", "--csv", file, "--figure", figure)
    told = json.loads(outcome.out)
    assert (told["problem"], told["seeds"], told["is_complete"]) == ("left_move(moves=5)", [0, 1], True)
    assert len(told["files"]) == 6
    table = Table.read(file)
    assert table == Table.read(tmp_path / "compared.csv")
    assert [dict(zip(table.columns, row, strict=True)) for row in table.rows] == told["curves"]
    from matplotlib.figure import Figure

    panels = []
    for own_steps in (False, True):
        drawing = curves(table, title="left moves", own_steps=own_steps)
        drawn = Figure(figsize=drawing.size)
        drawing.draw(drawn, table, LIGHT)
        panels += drawn.axes
    shown = ({"seconds"}, {"states entered"}, {"seconds"}, {"states", "playouts"})
    for axes, by in zip(panels, shown, strict=True):
        lines = [list(line.get_ydata()) for line in axes.lines]
        wanted = {}
        for row in told["curves"]:
            if row["by"] in by:
                wanted.setdefault(row["method"], []).append(row["mean"])
        assert lines == list(wanted.values())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["left_move", "--methods", "astar"], "astar needs a method heuristic"),
        (["left_move", "--methods", "dfs,,bfs"], 'cannot read the methods "dfs,,bfs"'),
        (["left_move", "--figure", "x.pdf"], "not written as .pdf"),
        (["left_move", "--csv", "nowhere/x.csv"], "cannot write nowhere/x.csv"),
        (["nim"], "nim is for 2 players"),
    ],
)
def test_bad_input_is_one_clear_error(run, words, told):
    outcome = run("compare", *words)
    assert outcome.code == 2
    assert told in " ".join(outcome.err.split())
