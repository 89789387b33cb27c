"""Our bots as engines: every line of the protocol, and what is no line of it."""

import io
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.bots.servers.engine_server import EngineServer
from branchwise.compile.code.progress import Compiling, begin, end
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim

UNRULY = f"{Path(__file__).parents[1] / 'support/unruly.py'}:"
PATIENCE = 60.0
FIRST_MOVES = ("a1", "b1", "c1", "d1", "e1", "f1", "g1")


class Talk:
    """A conversation with a server in a thread of this process."""

    def __init__(self, game, bot, seed=1, trust=False):
        to_server, self._write = os.pipe()
        self._read, from_server = os.pipe()
        self._lines = queue.SimpleQueue()
        self._server = EngineServer(
            game,
            bot,
            seed,
            read=os.fdopen(to_server, "rb"),
            write=os.fdopen(from_server, "wb"),
            trust=trust,
        )
        self.ended = None
        self._running = threading.Thread(target=self._run, daemon=True)
        self._running.start()
        threading.Thread(target=self._listen, daemon=True).start()

    def _run(self):
        self.ended = self._server.run()

    def _listen(self):
        with os.fdopen(self._read, encoding="utf-8") as lines:
            for line in lines:
                self._lines.put(line.rstrip("\n"))

    def say(self, *lines):
        os.write(self._write, "".join(f"{line}\n" for line in lines).encode())

    def hear(self, wanted, seconds=PATIENCE):
        """Return the lines up to one that begins with `wanted`."""
        heard = []
        until = time.monotonic() + seconds
        while not heard or not heard[-1].startswith(wanted):
            heard.append(self._lines.get(timeout=max(until - time.monotonic(), 0.01)))
        return heard

    def ask(self, *lines, wanted):
        self.say(*lines)
        return self.hear(wanted)

    def silence(self, seconds=0.2):
        with pytest.raises(queue.Empty):
            self._lines.get(timeout=seconds)

    def quit(self):
        self.say("quit")
        self._running.join(PATIENCE)
        return self.ended


@pytest.fixture
def talk():
    talks = []

    def make(game=Nim, bot="random", seed=1, trust=False):
        talks.append(Talk(game, bot, seed, trust))
        return talks[-1]

    yield make
    for one in talks:
        if one.ended is None:
            assert one.quit() is True


def test_it_says_what_it_is_and_what_it_can_be_set_to(talk):
    assert talk(bot="minimax(depth=2)").ask("ugi", wanted="ugiok") == [
        "id name Branchwise minimax(depth=2)",
        "id author The Branchwise authors",
        "option name bot type string default minimax(depth=2)",
        "option name seed type string default 1",
        "option name state_json type check default true",
        "ugiok",
    ]


def test_it_is_ready_once_all_is_compiled_and_then_at_once(talk):
    server = talk()
    assert server.ask("isready", "isready", wanted="readyok") == ["readyok"]
    assert server.hear("readyok") == ["readyok"]
    assert server.ask("isready", wanted="readyok") == ["readyok"]


@pytest.mark.parametrize(
    ("moves", "answers"),
    [
        ("", ["true", "false", "none"]),
        (" moves 1", ["false", "false", "none"]),
        (" moves 3 3 3 3 3 3 3", ["false", "true", "p1win"]),
        (" moves 3 3 3 3 3 3 2 1", ["false", "true", "p2win"]),
    ],
)
def test_queries_are_answered(talk, moves, answers):
    server = talk()
    server.say(f"position startpos{moves}", "query p1turn", "query gameover", "query result")
    assert [server.hear("response")[-1] for _ in range(3)] == [f"response {answer}" for answer in answers]


def test_a_drawn_game_is_a_draw(talk):
    server = talk(bw.load_game("tic_tac_toe"))
    moves = "a1 b1 c1 b2 a2 c2 b3 a3 c3"
    assert server.ask(f"position startpos moves {moves}", "query result", wanted="response") == [
        "response draw"
    ]


def test_it_plays_a_position_that_is_sent_as_a_state(talk):
    server = talk(bot="minimax(depth=5)")
    state = '{"game":"nim","fields":{"chips":[3],"mover":1}}'
    assert server.ask(f"position fen {state}", "go", wanted="bestmove")[-1] == "bestmove 3"
    assert server.ask(f"position fen {state} moves 1", "go", wanted="bestmove")[-1] == "bestmove 2"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["position startpos moves 1 9", "go"], "move 2"),
        (["position somewhere", "go"], '"position somewhere" has no position'),
        (["position", "go"], "has no position"),
        (["position fen {", "go"], ""),
        (["position startpos moves 3 3 3 3 3 3 3", "go"], "the game is over"),
        (["go movetime soon"], 'movetime must be followed by a whole number, not by "soon"'),
        (["go nodes 0"], "nodes = 0 is outside its range"),
        (["go nodes"], 'nodes must be followed by a whole number, not by ""'),
        (["position startpos moves 1", "go p1time 1000"], "the clock of player 2 is missing"),
    ],
)
def test_nonsense_is_reported_and_no_move_is_made_up(talk, lines, told):
    server = talk()
    heard = server.ask(*lines, wanted="bestmove")
    assert heard[0].startswith("info string error: ")
    assert told in heard[0]
    assert heard[-1] == "bestmove none"
    assert server.ask("position startpos", "go", wanted="bestmove")[-1] != "bestmove none"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("setoption name bot value mtcs", 'did you mean "mcts"'),
        ("setoption name bot value mcts(c=)", "cannot read"),
        ("setoption name bot value human", "a person cannot be an engine"),
        ("setoption name seed value x", "seed = x is not a whole number"),
        ("setoption name hash value 1", 'there is no option "hash"'),
        ("setoption bot random", "has no name"),
        ("query weather", 'there is no query "weather"'),
    ],
)
def test_what_cannot_be_set_or_asked_is_reported(talk, line, told):
    (heard,) = talk().ask(line, wanted="info")
    assert told in heard


def test_unknown_lines_blank_ones_and_bytes_that_are_no_text_are_passed_over(talk):
    server = talk()
    os.write(server._write, b"\xff\xfe\x00\nxyzzy\n\n   \nstop\n" + b"a" * (2**20 + 5) + b"\n")
    assert server.ask("isready", wanted="readyok")[0].startswith("info string error: a line has more than")


def test_bot_and_seed_are_set(talk):
    server, first = talk(ConnectFour, seed=1), {}
    for seed in (3, 4, 3, 5):
        server.say(f"setoption name seed value {seed}")
        heard = [server.ask("go", wanted="bestmove")[-1] for _ in range(6)]
        assert first.setdefault(seed, heard) == heard
    assert first[3] != first[4] != first[5]
    server.say("setoption name bot value minimax(depth=3)", "position startpos moves a1 g1 b1 g2 c1 g3")
    assert server.ask("go", wanted="bestmove")[-1] == "bestmove d1"


@pytest.mark.parametrize("kind", ["file", "engine", "levels"])
def test_the_other_program_sets_no_bot_that_runs_what_it_names_unless_it_is_trusted(talk, tmp_path, kind):
    planted = tmp_path / "planted.py"
    planted.write_text(
        "import branchwise as bw\n"
        f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"
        "class Planted(bw.Bot):\n"
        "    def choose(self, state):\n"
        "        return state.legal_actions()[0]\n"
    )
    bot = {
        "file": f"{planted}:Planted",
        "engine": f"engine(command='{sys.executable} {planted}')",
        "levels": f"level(level=1,file='{tmp_path / 'levels.json'}')",
    }[kind]
    server = talk()
    told = server.ask(f"setoption name bot value {bot}", "isready", wanted="readyok")
    assert "which runs a program or a file" in told[0]
    assert "start it with --trust" in told[0]
    assert server.ask("go", wanted="bestmove")[-1] != "bestmove none"
    assert not (tmp_path / "ran").exists()
    if kind == "file":
        trusting = talk(trust=True)
        trusting.say(f"setoption name bot value {bot}")
        assert trusting.ask("go", wanted="bestmove") == ["bestmove 1"]
        named = talk(bot=bot)  # whoever started it has chosen that
        named.say("setoption name bot value random", f"setoption name bot value {bot}")
        assert named.ask("go", wanted="bestmove") == ["bestmove 1"]


def test_limits_of_go_and_of_the_bot_hold_both(talk):
    server = talk(ConnectFour, "mcts(simulations=50)")
    for go, nodes in (("go", 50), ("go nodes 30", 30), ("go nodes 500", 50), ("go movetime 20000", 50)):
        server.say("uginewgame", "position startpos")
        info, best = server.ask(go, wanted="bestmove")[-2:]
        assert f" nodes {nodes} " in info
        assert best.split()[1] in FIRST_MOVES
        assert " pv " in info
        assert " score cp " in info


@pytest.mark.parametrize(
    "go",
    [
        "nodes 9007199254740992",
        "movetime 9007199254740992",
        "depth 9007199254740992",
        "p1time 9007199254740992 p2time 9007199254740992 p1inc 9007199254740992",
    ],
)
def test_limits_beyond_any_bots_are_none(talk, go):
    server = talk(ConnectFour, "mcts(simulations=50)")
    info, best = server.ask(f"go {go}", wanted="bestmove")[-2:]
    assert " nodes 50 " in info
    assert best.split()[1] in FIRST_MOVES


def test_a_clock_is_shared_out(talk):
    server = talk(ConnectFour, "mcts")
    server.ask("isready", wanted="readyok")
    began = time.monotonic()
    server.ask("go p1time 2000 p2time 100 p1inc 0 p2inc 0", wanted="bestmove")
    assert time.monotonic() - began < 2.0


def test_infinite_lasts_until_stop_and_every_line_is_answered_meanwhile(talk):
    server = talk(ConnectFour, "mcts")
    server.ask("isready", wanted="readyok")
    server.say("go infinite")
    assert server.hear("info")[0].startswith("info depth ")
    assert "the last go has not been answered yet" in server.ask("go", wanted="info string")[-1]
    assert "readyok" in server.ask("isready", wanted="readyok")
    assert server.ask("stop", wanted="bestmove")[-1].split()[1] in FIRST_MOVES
    server.say("stop")
    server.silence()


def test_a_go_that_follows_stop_without_waiting_is_answered_too(talk):
    server = talk(ConnectFour, "mcts")
    server.ask("isready", wanted="readyok")
    server.say("go infinite", "stop", "position startpos moves d1", "go nodes 30")
    server.hear("bestmove")
    heard = server.hear("bestmove")
    assert not any("error" in line for line in heard)
    assert " nodes 30 " in heard[-2]


def test_a_move_found_before_stop_is_held_when_infinite(talk):
    server = talk()
    server.ask("isready", wanted="readyok")
    server.say("go infinite")
    server.silence()
    assert server.ask("stop", wanted="bestmove")[-1].startswith("bestmove ")


@pytest.mark.parametrize(
    ("bot", "told"),
    [("Thrower(good=0)", "ValueError: out of ideas"), ("Answers(answer=99,good=0)", "the bot chose 99")],
)
def test_what_goes_wrong_in_the_bot_is_reported(talk, bot, told):
    server = talk(bot=UNRULY + bot)
    heard = server.ask("go", wanted="bestmove")
    assert heard[-1] == "bestmove none"
    assert told in heard[-2]


@pytest.mark.parametrize(("farewell", "answers"), [((), 1), (("quit",), 0)])
def test_commands_that_are_piped_in_are_answered_once_code_is_compiled(monkeypatch, farewell, answers):
    came = threading.Event()

    def compile_slowly(*_):
        under_way = Compiling("nim", expected=1.0)
        begin(under_way)
        came.wait(1.0)
        end(under_way)

    monkeypatch.setattr("branchwise.bots.servers.server.FAREWELL", 0.2)
    monkeypatch.setattr("branchwise.bots.servers.server.rehearse", compile_slowly)
    lines = "\n".join(["position startpos", "go nodes 5", *farewell]) + "\n"
    said = io.BytesIO()
    EngineServer(Nim, "mcts", 1, read=io.BytesIO(lines.encode()), write=said).run()
    heard = said.getvalue().decode()
    came.set()
    assert heard.count("bestmove") == answers, heard


def test_quit_does_not_wait_for_a_bot_that_does_not_end(talk):
    server = talk(bot=f"{UNRULY}Sleeper(good=2)")
    server.say("go", "go")
    server.hear("bestmove")
    server.ask("go", wanted="bestmove")
    server.say("go")
    assert server.quit() is False


def command(*words, said=b"", **options):
    return subprocess.run(
        [sys.executable, "-m", "branchwise", "ugi", *words], input=said, capture_output=True, **options
    )


def test_the_command_keeps_what_a_bot_prints_out_of_the_conversation():
    done = command("nim", "--bot", f"{UNRULY}Chatterer(good=0)", said=b"go\nisready\n", timeout=PATIENCE)
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    assert all(line.split()[0] in ("info", "bestmove", "readyok") for line in lines)
    assert b"chatter" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nim", "--bot", "mtcs"], b'did you mean "mcts"'),
        (["nim", "--bot", "human"], b"a person cannot be an engine"),
        (["kuhn_poker", "--bot", "mcts"], b"use ismcts, pimc or random"),
    ],
)
def test_the_command_refuses_what_it_cannot_run(words, told):
    done = command(*words, timeout=PATIENCE)
    assert done.returncode == 2
    assert told in done.stderr
    assert b"Traceback" not in done.stderr
    assert done.stdout == b""
