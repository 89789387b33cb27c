"""README and guide are correct: their programs run and print what is shown, and their commands work.

A Python block that begins with a comment naming a file, `# nim.py`, is that file. The other Python blocks
of a page are one program, run in its folder. A `text` block after a Python block is what that prints.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from branchwise.cli.app import app
from support.known_programs import PATH, missing, programs_in
from support.rows import slow

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "docs/games.md",
    "docs/bots.md",
    "docs/class-attributes.md",
    "docs/command-line.md",
    "docs/writing-a-game.md",
    "docs/chance-and-rewards.md",
    "docs/continuous-actions.md",
    "docs/hidden-information-rules.md",
    "docs/boards.md",
    "docs/drawing.md",
    "docs/compiled-rules.md",
    "docs/fast-and-strong-rules.md",
    "docs/reading-the-tree.md",
    "docs/searching.md",
    "docs/evaluators.md",
    "docs/hidden-information.md",
    "docs/simultaneous-moves.md",
    "docs/partial-observability.md",
    "docs/statistics.md",
    "docs/walkthrough.md",
    "docs/matches.md",
    "docs/tournaments.md",
    "docs/sweeps.md",
    "docs/tuning.md",
    "docs/learning.md",
    "docs/levels.md",
    "docs/engines.md",
    "docs/programs.md",
    "docs/gymnasium.md",
    "docs/interop.md",
    "docs/solve.md",
    "docs/optimising.md",
    "docs/planning-problems.md",
    "docs/optimiser-settings.md",
    "docs/puzzle-scores.md",
    "docs/molecules.md",
    "docs/comparing.md",
    "docs/exercises.md",
    "docs/serving.md",
]
COMMANDS_ALONE = (
    "docs/games.md",
    "docs/command-line.md",
    "docs/boards.md",
    "docs/drawing.md",
    "docs/optimiser-settings.md",
    "docs/programs.md",
    "docs/serving.md",
)
SLOW_PAGES = [
    "docs/searching.md",
    "docs/hidden-information.md",
    "docs/simultaneous-moves.md",
    "docs/partial-observability.md",
    "docs/interop.md",
    "docs/walkthrough.md",
    "docs/matches.md",
    "docs/tournaments.md",
    "docs/sweeps.md",
    "docs/tuning.md",
    "docs/learning.md",
    "docs/levels.md",
    "docs/engines.md",
    "docs/programs.md",
    "docs/optimising.md",
    "docs/puzzle-scores.md",
    "docs/molecules.md",
    "docs/exercises.md",
    "docs/writing-a-game.md",
    "docs/chance-and-rewards.md",
    "docs/continuous-actions.md",
    "docs/hidden-information-rules.md",
    "docs/boards.md",
    "docs/drawing.md",
    "docs/fast-and-strong-rules.md",
    "docs/evaluators.md",
]
"""Their programs, and commands that no other page shows, are among the slow tests.

They play many games, search for long, or compile a search for nearly every line.
"""
NEEDED = {"docs/gymnasium.md": ["gymnasium"], "docs/interop.md": ["pettingzoo", "pyspiel", "pygame"]}
"""Packages that the programs of a page need."""
MARK = "-- next block --"
BRANCHWISE = [sys.executable, "-m", "branchwise"]


@dataclass(frozen=True)
class Block:
    """Text between fences; `line` is the number of its first line in the page."""

    language: str
    text: str
    line: int

    @property
    def file(self):
        """The file that the block contains, or None."""
        named = re.match(r"# (\w+\.py)\n", self.text)
        return named[1] if named and self.language == "python" else None


@cache
def blocks(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(m[1], m[2], text.count("\n", 0, m.start()) + 2) for m in found]


def shown_after(page, block):
    """Return what a page shows as the output of a Python block, or None."""
    following = {one.line: other for one, other in pairwise(blocks(page))}
    after = following.get(block.line)
    return comparable(after.text) if after is not None and after.language == "text" else None


def comparable(output):
    """Remove what differs from run to run (times and speeds), and blanks at the ends of lines."""
    output = re.sub(r"in [\d.]+ s(, [\d,]+ k/s)?", "in ... s", output)
    return [line.rstrip() for line in output.strip("\n").splitlines()]


def run(command, folder, said=""):
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "BRANCHWISE_STORE": str(Path(folder) / "matches.sqlite")},
        input=said,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path):
    """A folder with the files that the pages show."""
    for page in PAGES:
        for block in blocks(page):
            if block.file is not None:
                (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    (tmp_path / "plan.csv").write_text("\n".join(map(str, ["action", *range(1, 20)])))  # of tsp(cities=20)
    return tmp_path


@pytest.mark.parametrize(
    "page", [slow(page) if page in SLOW_PAGES else page for page in PAGES if page not in COMMANDS_ALONE]
)
def test_the_program_of_a_page_runs_and_prints_what_is_shown(page, folder):
    programs = [b for b in blocks(page) if b.language == "python" and b.file is None]
    for package, word in (("pyspiel", "pyspiel"), ("rdkit", "Molecule")):
        if find_spec(package) is None:
            programs = [block for block in programs if word not in block.text]
    for package in NEEDED.get(page, ()):
        pytest.importorskip(package)
    assert programs
    lines = [""] * max(block.line + block.text.count("\n") for block in programs)
    for block in programs:  # at the page's line numbers, so that errors name them
        lines[block.line - 2] = f"print({MARK!r})"
        body = block.text.splitlines()
        lines[block.line - 1 : block.line - 1 + len(body)] = body
    (folder / "page.py").write_text("\n".join(lines), encoding="utf-8")
    done = run([sys.executable, "page.py"], folder)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.split(f"{MARK}\n")[1:]
    for block, output in zip(programs, printed, strict=True):
        shown = shown_after(page, block)
        assert shown is None or comparable(output) == shown


@pytest.mark.parametrize(
    ("page", "block"),
    [
        (page, b)
        for page in PAGES
        for b in blocks(page)
        if b.file is not None and shown_after(page, b) is not None
    ],
    ids=lambda value: value.file if isinstance(value, Block) else None,
)
def test_a_file_prints_what_is_shown(page, block, folder):
    done = run([sys.executable, block.file], folder)
    assert comparable(done.stdout) == shown_after(page, block), done.stderr


def commands_of(pages):
    return {
        line.strip()
        for page in pages
        for block in blocks(page)
        if block.language == "sh"
        for line in block.text.splitlines()
        if line.startswith("branchwise ")
    }


COMMANDS = sorted(commands_of(PAGES))
QUICK_COMMANDS = commands_of(page for page in PAGES if page not in SLOW_PAGES)


OF_A_STORE = ("results", "replay", "review")
PROTOCOLS = ("gtp", "ugi", "uci")
IN_A_PROCESS_OF_ITS_OWN = ("doctor", "figure", "play", *PROTOCOLS)
"""Commands that read what is typed, or that measure or change the process; the others run in the test's."""
QUICKLY = ("--seconds", "1.5")
"""Given to checks that are shown without a limit; they would play for half a minute."""
FEWER_GAMES = 20
"""Games of a match in the quick tests; a match that is shown with more is played whole by the slow ones."""
SERVERS = [command for command in COMMANDS if command.split()[1] == "serve"]

ALIKE = [
    "branchwise check glider.py:Glider",
    'branchwise compare "left_move(moves=12)"',
    'branchwise match connect_four "mcts(simulations=300)"',
    "branchwise match phantom_tic_tac_toe",
    "branchwise play domineering.py",
    "branchwise run glider.py:Glider",
    'branchwise run "inventory(products=2,lead_time=2)"',
    "branchwise run micro_grid",
    "branchwise run pendulum",
    "branchwise sweep frozen_lake",
    'branchwise tournament tic_tac_toe "mcts(simulations=200)"',
    "branchwise tune frozen_lake",
]
"""Commands that take long, and that others are like, which differ in the game or in numbers."""


def shortened(command):
    """Return a command with fewer games of a match."""
    long = command.startswith("branchwise match ") and (found := re.search(r" --games (\d+)", command))
    if not long or int(found[1]) <= FEWER_GAMES:
        return command
    return command.replace(found[0], f" --games {FEWER_GAMES}")


@pytest.mark.parametrize(
    "command",
    [
        slow(command)
        if command.startswith(tuple(ALIKE)) or command not in QUICK_COMMANDS
        else shortened(command)
        for command in COMMANDS
        if command not in SERVERS
    ]
    + [slow(command) for command in sorted(QUICK_COMMANDS) if shortened(command) != command],
)
def test_a_command_that_is_shown_works(command, folder, monkeypatch):
    words = shlex.split(command, comments=True)[1:]
    programs = programs_in(command)
    reason = missing(programs) if programs else None
    if reason is not None:
        pytest.skip(reason)
    monkeypatch.setenv("PATH", PATH)
    if words[0] == "check" and "--games" not in words:
        words += QUICKLY
    if words[0] in IN_A_PROCESS_OF_ITS_OWN or ".py" in command:
        done = run(
            [*BRANCHWISE, *words], folder, f"{words[0]}\nname\nquit\n" if words[0] in PROTOCOLS else ""
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout
        return
    monkeypatch.chdir(folder)
    monkeypatch.setenv("BRANCHWISE_STORE", str(folder / "matches.sqlite"))
    if words[0] in OF_A_STORE:
        two = ["match", "tic_tac_toe", "random", "random", "--games", "2", "--openings-depth", "0"]
        assert CliRunner().invoke(app, two).exit_code == 0
    done = CliRunner().invoke(app, words, prog_name="branchwise")
    assert done.exit_code == 0, done.output + repr(done.exception)
    assert done.stdout


@pytest.mark.parametrize("command", SERVERS)
def test_a_server_that_is_shown_says_where_it_is_and_ends_by_an_interrupt(command, folder):
    words = [*BRANCHWISE, *shlex.split(command)[1:], "--no-open"]
    started = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    with started:
        assert "Branchwise is at http://127.0.0.1:" in started.stdout.readline()
        started.send_signal(signal.SIGINT)
        assert started.wait(30) in (0, 130)


def test_the_fault_in_the_guide_is_reported_as_shown(folder):
    file = folder / "domineering.py"
    rules = file.read_text(encoding="utf-8")
    whole = "if row_2 == self.rows or column_2 == self.columns:"
    assert whole in rules
    file.write_text(rules.replace(whole, "if column_2 == self.columns:"), encoding="utf-8")
    (shown,) = (block for block in blocks("docs/writing-a-game.md") if block.language == "console")
    command, _, output = shown.text.partition("\n")
    done = run([*BRANCHWISE, *shlex.split(command)[2:]], folder)
    assert done.returncode == 1
    assert comparable(done.stdout) == comparable(output)


def table(name):
    """Return the first column of the table of the page `name`, as its rows' code spans."""
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    within = text.partition(f"<!-- {name}: begin")[2].partition(f"<!-- {name}: end -->")[0]
    rows = [re.findall(r"`([^`]+)`", line) for line in within.splitlines() if line.startswith("| `")]
    assert rows
    return rows


def test_the_table_of_games_lists_the_built_in_games_and_their_options():
    from branchwise.games import GAMES, load_game
    from branchwise.rules.facts.options import game_options

    shown = {name: options for name, *options in table("games")}
    known = {
        name: [f"{key}={value!r}" for key, value in game_options(load_game(name)).items()]
        for name in GAMES.builtin
    }
    assert shown == known
    assert f"lists the {len(known)} that ship" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_of_bots_lists_the_built_in_bots():
    from branchwise.bots import BOTS, load_bot

    texts = [row[0] for row in table("bots")]
    named = [
        "random",
        "rule",
        "flat",
        "mcts",
        "minimax",
        "ismcts",
        "moismcts",
        "oos",
        "pimc",
        "pomcp",
        "net",
        "optimal",
        "level",
        "tuned",
        "engine",
        "gtp",
        "uci",
        "human",
    ]
    assert [text.partition("(")[0] for text in texts] == named
    assert {load_bot(text).name for text in texts} == BOTS.builtin.keys()


def test_every_command_is_shown():
    shown = {command.split()[1] for command in COMMANDS}
    assert {command.callback.__name__ for command in app.registered_commands} <= shown


def test_make_has_the_targets_that_readme_and_contributing_name():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    readme += (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"\bmake ([a-z-]+)$|`make ([a-z-]+)`", readme, re.MULTILINE))
    for target in {one or other for one, other in targets}:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("docs/**/*.md")) + sorted(ROOT.glob("*.md")), ids=lambda p: p.name
)
def test_links_lead_to_files_and_headings_that_are_there(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        place, _, heading = target.partition("#")
        if "://" in target:
            continue
        file = page.parent / place if place else page
        assert file.exists(), target
        assert not heading or heading in headings(file), target


def headings(page):
    """Return the headings of a page as links name them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_map_leads_to_every_page():
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", (ROOT / "docs" / "README.md").read_text(encoding="utf-8")))
    assert linked == {page.name for page in ROOT.glob("docs/*.md")} - {"README.md"}


def test_the_readme_is_short():
    assert (ROOT / "README.md").stat().st_size <= 8000


def test_the_index_of_decisions_is_complete():
    decisions = ROOT / "docs" / "decisions"
    numbered = sorted(file.name for file in decisions.glob("[0-9]*.md"))
    assert [int(name[:4]) for name in numbered] == list(range(1, len(numbered) + 1))
    index = (decisions / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\((\d{4}[^)]+)\)", index) == numbered
    for name in numbered:
        first = (decisions / name).read_text(encoding="utf-8").partition("\n")[0]
        assert f"[{name[:4]}]({name}) | {first.partition(': ')[2]} |" in index
