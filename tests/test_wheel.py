"""The wheel alone, in an empty environment, plays and tests; a registry takes it and the source."""

import os
import subprocess
import sys
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

import branchwise as bw

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow

TESTS = """
import branchwise as bw
from branchwise.testing import check_game, perft

game = bw.load_game("tic_tac_toe")
assert perft(game(), 3) == 504
check_game(game, games=20)
result = bw.MCTS(seed=1).search(game.from_actions("a1 b1 a2 b2"), simulations=500)
print(result.action_text(result.best_action))
"""


def run(*command, said=None, **options):
    done = subprocess.run(command, input=said, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def environment(folder):
    """Return the programs' folder of a new virtual environment with nothing in it but pip."""
    run(sys.executable, "-m", "venv", folder)
    return Path(folder) / ("Scripts" if os.name == "nt" else "bin")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with the wheel and the source of this version, and the tools that built them."""
    folder = tmp_path_factory.mktemp("built")
    tools = environment(folder / "tools")
    got = subprocess.run(
        [tools / "pip", "install", "-q", "build", "twine"], capture_output=True, text=True, check=False
    )
    if got.returncode != 0:
        pytest.skip("pip reaches no registry that has build and twine")
    run(tools / "python", "-m", "build", "--outdir", folder / "dist", ROOT)
    return folder


def test_a_registry_takes_the_wheel_and_the_source(built):
    files = sorted((built / "dist").iterdir())
    assert [file.suffix for file in files] == [".whl", ".gz"]
    said = run(built / "tools" / "bin" / "twine", "check", "--strict", *files)
    assert said.count("PASSED") == 2


def test_the_wheel_has_the_version_and_files_of_games_and_page(built):
    (wheel,) = (built / "dist").glob("*.whl")
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith("dist-info/METADATA"))
        assert Parser().parsestr(archive.read(metadata).decode())["Version"] == bw.__version__
    for file in ("games/levels/connect_four.json", "games/tuned/go.json", "web/static/index.html"):
        assert f"branchwise/{file}" in names
    assert all(name.startswith(("branchwise/", "branchwise-")) for name in names)


def test_the_wheel_alone_plays_and_tests(built, tmp_path):
    (wheel,) = (built / "dist").glob("*.whl")
    programs = environment(tmp_path / "empty")
    run(programs / "pip", "install", "-q", wheel)
    ours = ("BRANCHWISE", "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    alone = {"cwd": tmp_path, "env": kept | home}
    assert run(programs / "branchwise", "--version", **alone) == f"branchwise {bw.__version__}\n"
    assert "tic_tac_toe" in run(programs / "branchwise", "play", "tic_tac_toe", said="b2\nquit\n", **alone)
    assert run(programs / "python", "-c", TESTS, **alone) == "a3\n"
    assert run(programs / "branchwise", "check", "tic_tac_toe", "--games", "50", **alone)
