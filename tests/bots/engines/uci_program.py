"""A program that speaks UCI: takes the first free cell of tic-tac-toe, or fails as the first argument says.

The second argument is a file in which it writes every line that it reads.
"""

import os
import sys
import time

CELLS = [f"{column}{row}" for row in (3, 2, 1) for column in "abc"]
fault = sys.argv[1] if len(sys.argv) > 1 else ""
log = open(sys.argv[2] if len(sys.argv) > 2 else os.devnull, "a", buffering=1)  # noqa: SIM115
free = list(CELLS)
for line in sys.stdin:
    log.write(line)
    command, *words = line.split() or [""]
    if command == "uci":
        print("First Cell 1.0 by nobody\nid name First Cell 1.0")
        print("option name Skill Level type spin default 20 min 0 max 20")
        print("option name UCI_Variant type combo default chess var chess var tictactoe")
        print("xboardok" if fault == "speaks another language" else "uciok")
    elif command == "isready":
        print("readyok")
    elif command == "position":
        cells = words[1] if words[0] == "fen" else "........."
        free = [cell for cell, mark in zip(CELLS, cells, strict=True) if mark == "." and cell not in words]
    elif command == "go":
        if fault == "dies in the game":
            print("out of memory", file=sys.stderr, flush=True)
            os._exit(2)
        if fault == "hangs":
            time.sleep(60)
        if fault == "thinks until it is told to stop":
            log.write(sys.stdin.readline())
        print("info depth 1 multipv 1 nodes 9 score cp 12 pv", *free[:2])
        print("info depth 1 multipv 2 nodes 9 score cp 3 pv", *free[1:3])
        answers = {"plays what is illegal": "e2e4", "has no move": "(none)", "has a null move": "0000"}
        print("bestmove", answers.get(fault, free[0]), "ponder", free[-1])
    elif command == "quit":
        break
    sys.stdout.flush()
