"""Natural ways of writing rules work, or raise an error that names construct, line and alternative."""

import importlib
from pathlib import Path

import pytest

import branchwise as bw

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

QUICK = [
    "any of all",
    "any([list])",
    "all([list])",
    "reversed list",
    "a class method called from a rule",
    "try/except IndexError",
    "board[board == 1] = 0",
    "a field of text",
    "a field of a tuple",
    "a field made in __init__",
    "a misspelt field",
    "a misspelt name",
    "a constant by its bare name",
    "a misspelt field in a rare branch",
    "an array without a type",
    "random in apply_action",
    "a set within a rule",
    "returns that forgets a case",
    "an index that is a fraction",
]
"""Some of each kind; the slow test below has them all."""


@pytest.fixture(scope="module")
def natural():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("natural_rules")


@pytest.fixture(scope="module")
def ways(natural):
    return {way.title: way for way in natural.read_ways(natural.WAYS.read_text(encoding="utf-8"))}


def verdict(natural, way, folder):
    outcome = natural.tried(way, folder)
    return outcome.verdict, outcome.lacks, str(outcome.error)


@pytest.mark.parametrize("title", QUICK)
def test_a_way_works_or_its_error_says_what_to_write(title, natural, ways, tmp_path):
    found = verdict(natural, ways[title], tmp_path)
    assert found[:2] == ("error" if ways[title].should_fail else "works", []), found


@pytest.mark.slow
def test_every_way_works_or_its_error_says_what_to_write(natural, ways, tmp_path):
    assert len(ways) >= 200
    found = {title: verdict(natural, way, tmp_path) for title, way in ways.items()}
    expected = {title: ("error" if way.should_fail else "works", []) for title, way in ways.items()}
    assert {title: told for title, told in found.items() if told[:2] != expected[title]} == {}


def test_a_search_gives_the_same_error_as_the_check(natural, ways, tmp_path):
    way = ways["np.trace"]
    with pytest.raises(bw.GameError, match=r"Way\.has_line cannot be compiled .*np\.trace") as by_check:
        natural.play(way, way.code, tmp_path)
    game = natural.load(way, way.code, tmp_path)
    with pytest.raises(bw.GameError) as by_search:
        bw.MCTS(seed=1).search(game(), simulations=10)
    assert str(by_search.value) == str(by_check.value)
