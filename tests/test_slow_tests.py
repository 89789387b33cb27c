"""The lists of slow tests and of long files name what is there."""

from types import SimpleNamespace

import pytest


def _config(argument, failed_alone):
    return SimpleNamespace(args=[argument], option=SimpleNamespace(lf=failed_alone))


@pytest.fixture
def conftest(request):
    plugins = request.config.pluginmanager.get_plugins()
    return next(plugin for plugin in plugins if hasattr(plugin, "SLOW"))


@pytest.fixture
def listed(request, monkeypatch, tmp_path, conftest):
    """listed(line) collects the test itself while the list of slow tests has this line alone."""

    def collect(line, argument="tests", failed_alone=False):
        file = tmp_path / "slow_tests.txt"
        file.write_text(f"# comment\n{line}\n", encoding="utf-8")
        monkeypatch.setattr(conftest, "SLOW", file)
        conftest.pytest_collection_modifyitems(_config(argument, failed_alone), [request.node])

    return collect


def test_a_test_that_is_listed_is_slow(listed, request):
    assert request.node.get_closest_marker("slow") is None
    listed(request.node.nodeid)
    assert request.node.get_closest_marker("slow")


def test_a_line_that_names_no_test_of_a_collected_file_is_an_error(listed):
    with pytest.raises(pytest.UsageError, match=r"slow_tests.txt names .*test_slow_tests.py::test_gone"):
        listed("tests/test_slow_tests.py::test_gone")


def test_other_files_single_tests_and_those_that_failed_may_be_run_alone(listed, request):
    for line, argument, failed_alone in (
        ("tests/test_elsewhere.py::test_gone", "tests", False),
        ("tests/test_slow_tests.py::test_gone", request.node.nodeid, False),
        ("tests/test_slow_tests.py::test_gone", "tests", True),
    ):
        listed(line, argument, failed_alone)
        assert request.node.get_closest_marker("slow") is None


def test_the_files_that_take_longest_come_first(conftest):
    assert all((conftest.SLOW.parent / name).is_file() for name in conftest.LONGEST)
    names = ["tests/a.py::x", "tests/b.py::x", "tests/b.py::y", f"tests/{conftest.LONGEST[0]}::x"]
    items = [SimpleNamespace(nodeid=name) for name in names]
    conftest._put_longest_first(items)
    assert [item.nodeid for item in items] == [names[3], names[1], names[2], names[0]]
