"""The package as a whole: its public names, and what importing it costs."""

import subprocess
import sys

import pytest

import branchwise as bw


def test_public_names_are_exactly_all_and_each_can_be_had():
    for name in bw.__all__:
        assert getattr(bw, name) is not None
    assert bw.MCTS
    assert dir(bw) == sorted(bw.__all__)
    with pytest.raises(AttributeError, match="nothing_like_it"):
        bw.nothing_like_it  # noqa: B018


def test_public_names_have_docstrings():
    for name in bw.__all__:
        value = getattr(bw, name)
        if isinstance(value, type) or callable(value):
            assert value.__doc__, name


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import branchwise", ["numpy", "numba", "rich", "typer"]),
        ("import branchwise as bw; bw.Game; bw.Array", ["numba", "rich", "typer"]),
    ],
)
def test_importing_loads_nothing_heavy(code, absent):
    check = f"{code}\nimport sys\nprint([name for name in {absent!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_module_can_be_run():
    done = subprocess.run(
        [sys.executable, "-m", "branchwise", "--version"], capture_output=True, text=True, check=True
    )
    assert bw.__version__ in done.stdout
