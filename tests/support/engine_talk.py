"""What tests of engines share: the engines, what they were told, and whether a process is still there."""

import shlex
import sys
import time
from pathlib import Path

from branchwise.bots.engine import EngineBot

ENGINES = Path(__file__).parents[1] / "bots" / "engines"
PERL_FOUR = f"perl {shlex.quote(str(ENGINES / 'connect_four.pl'))}"


def faulty(fault, log=None, **options):
    """Return a bot that breaks in the way that `fault` names; log : a file that tells what it was told."""
    words = ["perl", str(ENGINES / "faulty.pl"), fault, *([str(log)] if log else [])]
    return EngineBot(command=shlex.join(words), **{"seconds": 0.05, "patience": 20.0} | options)


def own_engine(game, bot, seed=None):
    """Return the command by which one of our bots is an engine."""
    words = [sys.executable, "-m", "branchwise", "ugi", game, "--bot", bot]
    return shlex.join([*words, *(["--seed", str(seed)] if seed is not None else [])])


def told(log):
    """Return the lines that an engine was told, its process ids left out."""
    return [line for line in log.read_text().splitlines() if not line.isdecimal()]


def process_ids(log):
    return [int(line) for line in log.read_text().splitlines() if line.isdecimal()]


def is_gone(process_id, seconds=10.0):
    """Whether a process ends within so many seconds; one that nobody has asked for its end counts."""
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
