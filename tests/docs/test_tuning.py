"""The page about tuning shows what the games' files say, and the files are what the package can use."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.cli.tuning.tune_game import gain_text
from branchwise.games import load_game
from branchwise.rules.facts.facts import game_facts
from branchwise.search.composition.composition import Composition
from branchwise.search.settings.tuned import ELO, RETURN

PAGE = Path(__file__).parents[2] / "docs" / "tuning.md"
FOLDER = files("branchwise.games") / "tuned"
GAMES = sorted(file.name.removesuffix(".json") for file in FOLDER.iterdir())


@pytest.fixture(autouse=True)
def only_of_the_package(tmp_path, monkeypatch):
    monkeypatch.setenv("BRANCHWISE_TUNED", str(tmp_path))


def table():
    """Return the table of the page, from the files."""
    lines = [
        "| game | settings | Elo against the defaults | games | simulations | of the defaults | command |"
    ]
    lines.append("|---|---|---:|---:|---:|---:|---|")
    for game in GAMES:
        tuned = bw.load_tuned(game)
        found = ", ".join(f"`{name}={value}`" for name, value in tuned.found.items())
        settings = found if tuned.confirmed else f"the defaults; {found} did best"
        gain = gain_text(tuned) + (" in mean return" if tuned.unit == RETURN else "")
        counts = f"{tuned.games:,} | {tuned.simulations:,} | {tuned.of_defaults:,}"
        lines.append(f"| `{game}` | {settings} | {gain} | {counts} | `{tuned.command}` |")
    return "\n".join(lines)


def test_the_table_of_the_page_is_what_the_files_say():
    text = PAGE.read_text(encoding="utf-8")
    assert text.partition("<!-- tuned: begin -->\n")[2].partition("\n<!-- tuned: end -->")[0] == table()


@pytest.mark.parametrize("game", GAMES)
def test_a_file_of_the_package_is_whole_and_repeatable(game):
    text = (FOLDER / f"{game}.json").read_text(encoding="utf-8")
    tuned = bw.load_tuned(game)
    assert bw.TunedSettings.from_json(text) == tuned
    assert tuned.to_json() == text
    assert tuned.command.startswith(f"branchwise tune {game} --")
    assert " --seconds " in tuned.command
    assert f"--final {tuned.games} " in tuned.command
    assert tuned.unit == (RETURN if load_game(game).num_players == 1 else ELO)
    assert str(Path.home()) not in json.dumps(tuned.to_json())


@pytest.mark.parametrize("game", GAMES)
def test_the_game_accepts_its_settings(game):
    rules = load_game(game)
    planner = bw.MCTS.for_game(rules)
    assert planner.settings.changed == bw.load_tuned(game).of_planner
    state = rules()
    settings = planner.settings
    Composition(state, game_facts(state), settings, proofs=settings.proofs)
    bw.load_bot("tuned(simulations=10)").check_game(rules)
