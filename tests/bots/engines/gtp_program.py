"""A program that speaks GTP: it plays the first free point, or breaks as its first argument says.

The second argument is a file in which it writes every line that it reads.
"""

import os
import signal
import sys
import time

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
fault = sys.argv[1] if len(sys.argv) > 1 else ""
log = open(sys.argv[2] if len(sys.argv) > 2 else os.devnull, "a", buffering=1)  # noqa: SIM115
commands = [
    *("list_commands", "name", "version", "boardsize", "clear_board", "komi", "play", "genmove", "quit"),
    *("time_settings", "time_left", "set_random_seed", "level"),
]
extra = {
    "plays Go": ["fixed_handicap"],
    "plays another game": ["gogui-rules_game_id"],
    "plays several games": ["list_games", "set_game"],
    "counts fractions": ["kata-time_settings"],
    "knows rectangles": ["rectangular_boardsize"],
    "thinks until it is interrupted": ["gogui-interrupt"],
    "has no clock": [],
}
commands += extra.get(fault, [])
if fault == "has no clock":
    commands = [command for command in commands if not command.startswith("time_")]
columns, rows, taken = 9, 9, []


def answer(number, text="", mark="="):
    print(f"{mark}{number} {text}".rstrip() + "\n", flush=True)


def free_points():
    points = (f"{letter}{row + 1}" for row in range(rows) for letter in LETTERS[:columns])
    return [point for point in points if point not in taken]


if fault == "dies at the start":
    sys.exit("no room\nfor the tables")
for line in sys.stdin:
    log.write(line)
    number, _, rest = line.strip().partition(" ")
    name, *words = rest.split() or [""]
    if line.strip() == "quit":
        break
    if fault == "speaks UGI" or not number.isdecimal():
        print(f"unknown command: {line.strip()}", flush=True)
    elif fault == "talks without an end":
        answer(number) if name != "genmove" else None
        while name == "genmove":
            print("thinking", flush=True)
    elif name == "list_commands":
        answer(number, "\n".join(commands))
    elif name == "name":
        answer(number, "First Point")
    elif name == "version":
        answer(number, "1.0")
    elif name == "boardsize":
        columns = rows = int(words[0])
        taken = []
        answer(number, *(["unacceptable size", "?"] if fault == "has one size" else []))
    elif name == "rectangular_boardsize":
        columns, rows = map(int, words)
        answer(number)
    elif name == "clear_board":
        taken = []
        answer(number)
    elif name == "gogui-rules_game_id":
        answer(number, "Nine Men's Morris")
    elif name == "list_games":
        answer(number, "Othello\nTic-Tac-Toe")
    elif name == "play":
        if fault == "refuses moves" or (fault == "passes by itself" and words[1] == "pass"):
            answer(number, "illegal move", "?")
        else:
            taken.append(words[1].upper())
            answer(number)
    elif name == "genmove":
        if fault == "dies in the game":
            print("lost\x1b[31m it", file=sys.stderr, flush=True)
            os._exit(1)
        elif fault == "is killed":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif fault == "hangs":
            time.sleep(60)
        elif fault == "thinks until it is interrupted":
            log.write(sys.stdin.readline())
        elif fault == "closes its output":
            os.close(1)
            time.sleep(60)
        elif fault == "answers without an end":
            print(f"={number} A1\n" + "thinking\n" * 20_000, flush=True)
        if fault == "answers the last question again":
            answer(int(number) - 1, "Q16")
        if fault == "plays what is illegal":
            answer(number, "Z25")
        elif fault == "plays nothing":
            answer(number)
        elif fault == "plays two moves":
            answer(number, "A1 B1")
        elif fault == "resigns":
            answer(number, "resign")
        elif fault == "refuses to play":
            answer(number, "it is not my turn", "?")
        elif fault == "numbers nothing":
            taken.append(free_points()[0])
            answer("", taken[-1].lower())
        else:
            taken.append((free_points() or ["PASS"])[0])
            answer(number, taken[-1])
    else:
        answer(number)
