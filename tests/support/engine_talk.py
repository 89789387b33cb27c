"""Helpers for tests of engines: the engines, the lines sent to them, and whether a process still runs."""

import shlex
import sys
import time
from pathlib import Path

from branchwise.bots.programs.engine import EngineBot
from branchwise.bots.programs.gtp import GtpBot
from branchwise.bots.programs.uci import UciBot

ENGINES = Path(__file__).parents[1] / "bots" / "engines"
PERL_FOUR = f"perl {shlex.quote(str(ENGINES / 'connect_four.pl'))}"


def faulty(fault, log=None, **options):
    """Return a bot that fails as `fault` names; log : a file for the lines that it receives."""
    words = ["perl", str(ENGINES / "faulty.pl"), fault, *([str(log)] if log else [])]
    return EngineBot(command=shlex.join(words), **{"seconds": 0.05, "patience": 20.0} | options)


def first_point(fault="", log=None, **options):
    """Return a bot by GTP that plays the first free point, and fails as `fault` names."""
    words = [sys.executable, "-S", str(ENGINES / "gtp_program.py"), fault, *([str(log)] if log else [])]
    return GtpBot(command=shlex.join(words), **{"patience": 20.0} | options)


def first_cell(fault="", log=None, **options):
    """Return a bot by UCI that takes the first free cell of tic-tac-toe, and fails as `fault` names."""
    words = [sys.executable, "-S", str(ENGINES / "uci_program.py"), fault, *([str(log)] if log else [])]
    settings = {"UCI_Variant": "tictactoe"} | options.pop("options", {})
    return UciBot(command=shlex.join(words), options=settings, **{"patience": 20.0} | options)


def own_engine(game, bot, seed=None, protocol="ugi"):
    """Return the command that runs one of our bots as an engine."""
    words = [sys.executable, "-m", "branchwise", protocol, game, "--bot", bot]
    return shlex.join([*words, *(["--seed", str(seed)] if seed is not None else [])])


def told(log):
    """Return the lines that an engine received, without its process ids."""
    return [line for line in log.read_text().splitlines() if not line.isdecimal()]


def process_ids(log):
    return [int(line) for line in log.read_text().splitlines() if line.isdecimal()]


def is_gone(process_id, seconds=10.0):
    """Whether a process ends within this many seconds; a zombie has ended."""
    status = Path(f"/proc/{process_id}/stat")
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if status.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False
