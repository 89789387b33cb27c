"""The command that looks for the best line of a problem."""

import json

import pytest


def test_the_best_line_is_shown(run):
    outcome = run("optimise", "left_move(moves=8)", "--level", "2", "--runs", "2", "--seed", "1", "--python")
    assert outcome.code == 0
    assert "score 8 by nrpa(level=2,iterations=100)" in outcome.out
    assert " ".join(["left"] * 8) in outcome.out


def test_the_best_line_as_json(run):
    words = ["--method", "nested", "--settings", "level=1,playout=uniform", "--playouts", "5", "--python"]
    outcome = run("optimise", "left_move(moves=8)", "--moves", "left", "--seed", "1", "--json", *words)
    told = json.loads(outcome.out)
    assert (told["problem"], told["method"], told["playouts"]) == ("left_move(moves=8)", "nested(level=1)", 5)
    assert told["moves"] == ["left"]
    assert len(told["best_moves"]) == 7
    assert "kept" not in told


def test_without_a_method_it_is_a_portfolio(run):
    words = ["optimise", "tsp(cities=12)", "--playouts", "70", "--seed", "1", "--python"]
    shown = run(*words).out
    assert "by portfolio: nrpa(" in shown
    told = json.loads(run(*words, "--json").out)
    assert told["method"].startswith("portfolio: ")
    assert len(told["arms"]) == 7
    assert run("optimise", "left_move(moves=8)", "--patience", "0.2", "--seed", "1").code == 0


def test_a_plan_is_written_and_begun_from(run, tmp_path):
    words = ["optimise", "tsp(cities=12)", "--seed", "1", "--python", "--json"]
    plan = tmp_path / "plan.csv"
    first = json.loads(run(*words, "--playouts", "400", "--csv", plan).out)
    second = json.loads(run(*words, "--playouts", "1", "--start", plan).out)
    assert second["best_line"] == first["best_line"]
    assert [row["action"] for row in first["plan"]] == first["best_line"]
    assert run(*words, "--playouts", "1", "--start", plan, "--svg", tmp_path / "plan.svg").code == 0
    assert (tmp_path / "plan.svg").read_text().startswith("<svg")
    outcome = run(*words, "--playouts", "1", "--svg", tmp_path / "plan.png")
    assert (outcome.code, "end it in .svg" in outcome.err) == (2, True)
    outcome = run(*words, "--playouts", "1", "--csv", tmp_path / "missing" / "plan.csv")
    assert (outcome.code, "there is no folder" in outcome.err) == (2, True)
    outcome = run("optimise", "tsp(cities=13)", "--playouts", "1", "--python", "--start", plan)
    assert (outcome.code, "is not one of this tsp" in " ".join(outcome.err.split())) == (2, True)


def test_the_best_line_is_kept(run, tmp_path):
    words = ["optimise", "left_move(moves=8)", "--method", "nested", "--python", "--seed", "2"]
    keep = ["--keep", "--folder", tmp_path]
    first = run(*words, "--playouts", "1", *keep)
    assert "kept: the first line of this problem" in first.out
    assert "kept: better than the best line so far" in run(*words, "--runs", "1", *keep).out
    told = json.loads(run(*words, "--playouts", "1", *keep, "--json").out)
    assert (told["best_before"], told["kept"]) == (8.0, False)


def test_lines_are_improved_where_it_is_asked_for(run):
    words = ["optimise", "tsp(cities=12)", "--method", "nrpa", "--playouts", "1", "--seed", "1"]
    plain, improved = (
        json.loads(run(*words, *more, "--python", "--json").out)["best_score"] for more in ([], ["--improve"])
    )
    assert plain < improved


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["left_move", "--method", "nrp"], 'no method "nrp"; did you mean "nrpa"?'),
        (["left_move", "--settings", "alhpa=1.0"], 'no setting of nrpa "alhpa"; did you mean "alpha"?'),
        (["left_move", "--level", "2", "--settings", "level=3"], "level is given twice"),
        (["tsp", "--method", "portfolio", "--level", "2"], 'no setting of portfolio "level"'),
        (["tsp", "--method", "late_acceptance", "--improve"], 'no setting of late_acceptance "improve"'),
        (["left_move", "--folder", "x"], "--folder needs --keep"),
        (["left_move", "--improve"], "improve = True needs a method improve, which left_move does not have"),
        (["nim"], "nim is for 2 players"),
    ],
)
def test_bad_input_is_one_clear_error(run, words, told):
    outcome = run("optimise", *words)
    assert outcome.code == 2
    assert told in " ".join(outcome.err.split())
