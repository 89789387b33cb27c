"""Searches and random games against the C++ search template of P. Strandmark, compiled from its source.

    git clone https://github.com/PetterS/monte-carlo-tree-search
    python benchmarks/cpp_template.py --checkout monte-carlo-tree-search
    python benchmarks/cpp_template.py --checkout monte-carlo-tree-search --rounds 9 --json cpp_template.json

Both search from the start with the same number of simulations, one thread and one random game per leaf. They
take turns and are measured in processor time. The template adds sqrt(2 ln N / n) to a mean from 0 to 1,
which is c = sqrt(2) here; nothing is proven. Random games are also played alone. The numbers of moves and the
mean returns of random games must agree. Compiling does not count, and is `g++ -O3 -march=native -DNDEBUG`
there.

- Connect Four, 7x6, is a board of vectors of characters there.
- Nim has one heap of 17 chips, and one to three are taken.
- Kalaha has its own rules, which `template_kalaha.py` writes for Branchwise. A player who moves again does
  so after a pass of the opponent there.
- Its Go is not measured, because it is another game than ours. Nobody may pass while there is another move,
  or fill a point whose neighbours are all own stones; no position, as it is before captures, may come again;
  and the score is stones and such points, without komi. Its five in a row does not compile with g++.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from math import sqrt
from pathlib import Path

import branchwise as bw
from compiled_peers import Contest, Peer, Rounds, heading, row
from template_kalaha import TemplateKalaha

CONTESTS = (
    Contest("connect_four", bw.load_game("connect_four"), 1_000_000, 1_000_000, 6),
    Contest("nim", bw.load_game("nim(heaps=(17,))"), 1_000_000, 1_000_000, 12),
    Contest("kalaha", TemplateKalaha, 1_000_000, 1_000_000, 6),
)
C = sqrt(2)
FLAGS = ("-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-pthread")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checkout", type=Path, required=True, help="folder with its mcts.h")
    parser.add_argument("--on", nargs="+", choices=[contest.name for contest in CONTESTS], metavar="GAME")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write all measurements to this file")
    options = parser.parse_args()
    if not (options.checkout / "mcts.h").is_file():
        parser.error(f"{options.checkout} has no mcts.h: give a checkout of PetterS/monte-carlo-tree-search")
    measured: dict[str, dict[str, Rounds]] = {}
    with tempfile.TemporaryDirectory() as folder:
        peer = Peer(compiled(options.checkout, Path(folder)), C)
        print(heading("C++"))
        for contest in CONTESTS:
            if options.on is None or contest.name in options.on:
                peer.check_moves(contest)
                measured[contest.name] = peer.measure(contest, options.rounds)
                print(row(contest.name, measured[contest.name]), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(measured, indent=1) + "\n")


def compiled(checkout: Path, folder: Path) -> Path:
    """Return the program that runs the checkout's search."""
    program, source = folder / "cpp_template", Path(__file__).with_suffix(".cpp")
    subprocess.run(["g++", *FLAGS, "-w", "-I", checkout, "-o", program, source], check=True)
    return program


if __name__ == "__main__":
    main()
