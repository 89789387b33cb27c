r"""Motion planning: the car's time to its goal by sampling searches, against the optimum found by A*.

    python benchmarks/motion_planning.py
    python benchmarks/motion_planning.py --scenes 2 --obstacles 20 --seconds 2

Each method has the same seconds, and those that draw numbers run with several seeds. A* runs in plain Python,
the others with compiled rules. A cell has the seconds that the car takes on the lines that arrive, with the
95 % interval over seeds if there are three; in how many runs it arrived, if not in all; and after how long
the line was found.

On two cores with three times as much to do:

| method | parking | yard 1 | yard 2 | yard 3 | yard 4 |
|---|---:|---:|---:|---:|---:|
| astar | 18.29, 0.10 s | 27.82, 0.84 s | 12.97, 0.06 s | 19.36, 0.24 s | 31.30, 0.57 s |
| mcts | 34.30 [20.07, 48.53], 2.37 s | 133.76 in 1 of 5, 1.74 s | 18.08 [13.57, 22.58], 2.67 s \
| 86.61 in 2 of 5, 2.27 s | 147.40 in 2 of 5, 2.57 s |
| nested(level=2) | 21.19 [19.66, 22.72], 1.16 s | 57.76 [41.63, 73.88], 2.32 s \
| 17.58 [12.43, 22.73], 1.58 s | 30.80 [24.94, 36.65], 1.82 s | 49.50 [38.17, 60.83], 2.21 s |
| nrpa(level=3) | 18.50 [18.20, 18.79], 0.76 s | 34.07 [33.24, 34.89], 1.72 s | 12.97, 0.61 s \
| 19.59 [19.33, 19.86], 0.77 s | 33.42 in 2 of 5, 1.69 s |

A* keeps fewer than ten thousand states and knows that its way is the fastest. A line that
does not arrive says nothing of the goal but how near it came, and the way there often leads away from it
first, so that playouts which prefer what is nearer run into dead ends. NRPA learns which motion suits which
pose, and comes close; the mean of a node, by which MCTS goes, is that of lines that hardly ever arrive.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import branchwise as bw
from branchwise.arena.statistics.means import mean_of
from branchwise.compare.comparison import MethodSummary, compare

METHODS = ("astar", "mcts", "nested(level=2)", "nrpa(level=3)")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scenes", type=int, default=4, help="number of yards, in addition to parking")
    parser.add_argument("--obstacles", type=int, default=12, help="obstacles in a yard")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--methods", nargs="*", default=METHODS)
    parser.add_argument("--json", type=Path, help="write all runs to this file")
    options = parser.parse_args()
    texts = ['motion_planning(layout="parking")']
    texts += [
        f"motion_planning(scene={number},obstacles={options.obstacles})"
        for number in range(1, options.scenes + 1)
    ]
    kept = {}
    print("| method |", " | ".join(["parking", *(f"yard {n}" for n in range(1, len(texts)))]), "|")
    print("|---|" + "---:|" * len(texts))
    for text in texts:
        state = bw.load_game(text)()
        kept[text] = compare(state, list(options.methods), seconds=options.seconds, seeds=options.seeds)
    for place, name in enumerate(options.methods):
        cells = [shown(result.state, result.methods[place]) for result in kept.values()]
        print("|", " | ".join([name, *cells]), "|")
    if options.json is not None:
        told: dict[str, Any] = {text: result.to_dict() for text, result in kept.items()}
        options.json.write_text(json.dumps(told, indent=1))


def shown(state: bw.Game, one: MethodSummary) -> str:
    """Return the car's time on the lines that arrive, their number, and the time at which they were found."""
    arrived = [run for run in one.runs if ends(state, run.best_line)]
    if not arrived:
        return "no way"
    times = mean_of([-run.best_score] for run in arrived if run.best_score is not None)
    found = mean(run.history[-1].seconds for run in arrived)
    share = "" if len(arrived) == len(one.runs) else f" in {len(arrived)} of {len(one.runs)}"
    interval = f" [{times.low:.2f}, {times.high:.2f}]" if times.low is not None and len(arrived) > 2 else ""
    return f"{times.mean:.2f}{interval}{share}, {found:.2f} s"


def ends(state: bw.Game, line: Sequence[int]) -> bool:
    """Whether a line leads to the goal."""
    end = state.copy()
    for action in line:
        end.apply_action(action)
    return bool(end.is_terminal())


if __name__ == "__main__":
    main()
