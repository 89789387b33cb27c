"""`make check` runs the tests nearest to a change, for a while."""

import time
from types import SimpleNamespace

import pytest

from check import ROOT, TESTS, InTime, nearest_tests


def places(*names):
    return [str(file.relative_to(TESTS)) for file in nearest_tests([ROOT / name for name in names])]


def test_tests_named_like_a_module_come_before_those_of_its_folder_and_room():
    found = places("src/branchwise/search/tree/view.py")
    assert found[0] == "search/tree/test_view.py"
    in_folder = found.index("search/tree/test_rewards_in_tables.py")
    in_room = found.index("search/test_joint.py")
    assert 0 < in_folder < in_room


def test_changed_tests_come_first():
    found = places("src/branchwise/search/tree/view.py", "tests/web/test_http.py")
    assert found[:2] == ["web/test_http.py", "search/tree/test_view.py"]


@pytest.mark.parametrize(
    ("changed", "tested", "not_tested"),
    [
        ("tests/support/puzzles.py", "optimise/test_sweeps.py", "web/test_http.py"),
        ("tests/games/conftest.py", "games/test_forms.py", "optimise/test_sweeps.py"),
        ("docs/searching.md", "docs/test_readme.py", "optimise/test_sweeps.py"),
        ("benchmarks/ablation.py", "benchmarks/test_ablation.py", "web/test_http.py"),
        ("src/branchwise/__main__.py", "test_package.py", "optimise/test_sweeps.py"),
    ],
)
def test_other_files_have_tests_too(changed, tested, not_tested):
    found = places(changed)
    assert tested in found
    assert not_tested not in found


def test_what_begins_too_late_is_left_out_and_counted():
    items = [SimpleNamespace(nodeid=f"tests/a.py::{name}") for name in "xy"]
    late, early = InTime(time.monotonic()), InTime(time.monotonic() + 60)
    assert [late.pytest_runtest_protocol(item) for item in items] == [True, True]
    assert late.left == {"tests/a.py": 2}
    assert [early.pytest_runtest_protocol(item) for item in items] == [None, None]
    assert not early.left
