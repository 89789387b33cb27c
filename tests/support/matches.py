"""Matches and tournaments that a command plays in a separate process, to be killed."""

import subprocess
import sys

import branchwise as bw
from branchwise.arena.store.store import Store


def start(command, file, *words):
    """Start a command that keeps its games in a file."""
    return subprocess.Popen(
        [sys.executable, "-m", "branchwise", command, *words, "--store", str(file), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def played(file):
    """Return how many games of the latest match are in the file."""
    if not file.exists():
        return 0
    try:
        with Store(file, create=False) as store:
            return store.match().played if store.matches() else 0
    except bw.StoreError:  # the file is being created
        return 0
