"""What commands show at a terminal of 80 and of 60 columns."""

import io
import json
import os
import re
import subprocess
import sys

import pytest
from rich.cells import cell_len
from rich.console import Console

import branchwise as bw
from branchwise.arena.records.record import GamePlan, GameRecord, MoveRecord
from branchwise.arena.store.store import MATCH, RUN, TOURNAMENT, Store
from branchwise.cli.app import app
from branchwise.cli.terminal.screen import show_error

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")

DRIVER = """
import json, sys, termios
from branchwise.cli.app import app
for width, name, words in json.loads(sys.argv[1]):
    termios.tcsetwinsize(1, (40, width))
    print(f"\\x1e{name} {width}\\x1f", end="", flush=True)
    try:
        app(words, prog_name="branchwise")
    except SystemExit as end:
        if end.code:
            print(f"exit {end.code}")
    sys.stdout.flush()
"""
SEARCH = ["--simulations", "12", "--seed", "1"]
WIDE, WIDER = "mcts(simulations=2,compiled=False,c=0.25)", "mcts(simulations=3,compiled=False,c=0.75)"
METHODS = "mcts(c=1.25,proofs=false),mcts(c=0.75,proofs=false),nrpa(level=1),dfs"
COMPARISON = ["--methods", METHODS, "--steps", "40", "--seeds", "2", "--python"]
TALLY = "points share won drawn lost faults"
SWEEP = ["--bot", "mcts(simulations=2,compiled=False,c={c})", "--vary", "c=1", "--against", "random"]
SHOWN = {
    "search": (["search", "driving", *SEARCH, "--python"], "action visits share value line 21.8"),
    "search of joint moves": (
        ["search", "oshi_zumo", *SEARCH, "--python"],
        "player action probability visits value",
    ),
    "optimise": (
        ["optimise", "left_move", "--playouts", "50", "--seed", "1", "--python"],
        "left_move: score",
    ),
    "compare": (
        ["compare", "left_move", *COMPARISON],
        "method runs best mean 95 % found after states in all ended by",
    ),
    "tree": (["tree", "tic_tac_toe", *SEARCH], "move visits value"),
    "walkthrough": (["walkthrough", "left_move", "--simulations", "1", "--seed", "1"], "Expansion:"),
    "sweep": (["sweep", "tic_tac_toe", *SWEEP, "-n", "2"], "c games won drawn lost score 95 % Elo"),
    "results": (["results"], "match begun game bots games state"),
    "results of a match": (["results", "1"], f"bot {TALLY} score Elo pairs"),
    "results of a match of three": (
        ["results", "2"],
        "Elo bot points share 1st 2nd 3rd faults mean return, all games as player 0 1 2 random",
    ),
    "results of games": (["results", "2", "--games"], "player 0 1 2 returns ending moves seconds"),
    "results of a run": (["results", "3"], "mean return 95 % best games faults difference"),
    "results of a tournament": (["results", "4"], f"Elo 95 % {TALLY} points against, 1 2 3 4"),
    "replay": (["replay", "1", "0"], "the start X O"),
    "review": (["review", "1", "0", "--simulations", "20", "--seed", "1"], "move player bot lost thought"),
    "figure": (["figure"], "exploration-10"),
    "levels": (["levels", "tic_tac_toe"], "level bot above random the before"),
    "games": (["games"], "light_dark yahtzee options: players=2"),
    "check": (["check", "tic_tac_toe", "--games", "5", "--python"], "optional methods: players:"),
    "perft": (["perft", "tic_tac_toe", "--depth", "2", "--divide"], "move sequences"),
    "bench": (["bench", "tic_tac_toe", "--seconds", "0.01"], "game simulations/s random games/s"),
    "play": (
        ["play", "left_move(moves=45)", "--opponent", "random", "--seed", "1"],
        "plays left_move(moves=45)",
    ),
}
HELP = ["", *sorted(command.callback.__name__ for command in app.registered_commands)]
COPIED = ("branchwise ", "written to ")
"""Beginnings of lines with commands, which the terminal breaks, so that they can be copied."""


def stored(file):
    """Write a match, a match of three, a run and a tournament to `file`, as if they had been played."""
    four, settings = (
        (WIDE, WIDER, "random", "flat"),
        {"format": "round-robin", "games": 2, "further_pairs": 0},
    )
    one = tuple(MoveRecord(ply, ply % 2, action, 0.1) for ply, action in enumerate((0, 1, 3, 4, 6)))
    pairs = [(a, b) for a in range(4) for b in range(4) if a != b]
    with Store(file) as store:
        for kind, game, bots, seatings, returns, moves in (
            (MATCH, "tic_tac_toe", four[:2], [(0, 1), (1, 0)], (1.0, -1.0), one),
            (MATCH, "goofspiel(players=3)", four[:3], [(0, 1, 2), (2, 0, 1)], (1.0, -0.5, -0.5), ()),
            (RUN, "left_move", four[:2], [(0,), (1,)] * 2, (57.25,), ()),
            (TOURNAMENT, "tic_tac_toe", four, pairs, (1.0, -1.0), one),
        ):
            number = store.begin(game, bots, len(seatings), {"game": game, **settings}, {}, kind=kind)
            for at, seating in enumerate(seatings):
                plan = GamePlan(at, at // 2, (), seating, (at, at))
                store.add(number, GameRecord(plan, returns, "end", seconds=1.5, moves=moves))


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Return what each command of `SHOWN` and each help shows, by name and width; all in one process."""
    file = tmp_path_factory.mktemp("terminal") / "matches.sqlite"
    stored(file)
    asked = [(width, name, words) for width in (80, 60) for name, (words, _) in SHOWN.items()]
    asked += [(w, f"help {name}", [*filter(None, [name]), "--help"]) for w in (80, 60) for name in HELP]
    here, there = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER, json.dumps(asked)],
        stdin=subprocess.DEVNULL,
        stdout=there,
        stderr=subprocess.PIPE,
        text=True,
        env={k: v for k, v in os.environ.items() if k != "COLUMNS"}
        | {"TERM": "xterm", "BRANCHWISE_STORE": str(file)},
    )
    os.close(there)
    read = bytearray()
    while True:
        try:
            read += os.read(here, 65536)
        except OSError:  # the program has ended
            break
    os.close(here)
    said = process.communicate()[1]
    assert process.returncode == 0, said
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", read.decode())
    parts = [part.partition("\x1f") for part in text.split("\x1e")[1:]]
    return {head: body.replace("\r", "").splitlines() for head, _, body in parts} | {"errors": said}


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize("name", SHOWN)
def test_what_a_command_shows_fits_the_terminal_and_lacks_nothing(shown, name, width):
    lines = shown[f"{name} {width}"]
    assert len(lines) > 1
    assert not [line for line in lines if line.startswith("exit ")], shown["errors"]
    assert not [line for line in lines if cell_len(line) > width and not line.startswith(COPIED)]
    words = set(" ".join(lines).split())
    assert set(SHOWN[name][1].split()) <= words
    if name not in ("search", "review", "walkthrough", "tree"):  # which cut lines of play
        assert "…" not in "".join(lines)


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize("name", HELP)
def test_help_fits_the_terminal_and_is_not_cut(shown, name, width):
    lines = shown[f"help {name} {width}"]
    examples = [line for line in lines if re.match(r"    (branchwise|    (--|\"))", line)]
    assert not [line for line in lines if cell_len(line) > (80 if line in examples else width)]
    if not name:
        assert not [line for line in lines if line.endswith("...") and not line.startswith("Usage")]
        assert {"UCI.", "Elo.", "game."} <= {line.split()[-1] for line in lines if line}


@pytest.mark.parametrize("width", [80, 60])
def test_bots_and_methods_can_be_told_apart(shown, width):
    for name in SHOWN:
        if name.startswith(("results of", "compare")):
            text = "".join("".join(shown[f"{name} {width}"]).split())
            assert "c=1.25" in text if name == "compare" else "c=0.25" in text
            assert "c=0.75" in text


def test_an_error_is_folded_and_its_long_command_reads_the_moves_from_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    moves = " ".join(f"step{number % 3}" for number in range(400))
    replay = f'branchwise check my_game.py --moves "{moves}"'
    error = bw.GameError("word " * 30, mend="mend it " * 20, replay=replay)
    text = {}
    for terminal in (True, False):
        out = io.StringIO()
        show_error(error, Console(file=out, width=60, force_terminal=terminal, color_system=None))
        text[terminal] = out.getvalue().rstrip("\n")
    *folded, command = text[True].split("\n")
    (file,) = tmp_path.iterdir()
    assert command == f'  replay: branchwise check my_game.py --moves "$(cat {file})"'
    assert max(map(cell_len, folded)) <= 60
    assert len(folded) == 6
    typed = command.removeprefix("  replay: branchwise check my_game.py --moves ")
    assert subprocess.check_output(["/bin/sh", "-c", f"printf %s {typed}"], text=True) == moves
    assert text[False] == f"GameError: {error}"
