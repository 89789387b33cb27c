"""`branchwise serve` as it is run."""

import re
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest


@pytest.fixture
def serve():
    """Start the command; gives the process and the address that it tells."""
    started = []

    def serve(*words):
        process = subprocess.Popen(
            [sys.executable, "-m", "branchwise", "serve", "--no-open", *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + process.stderr.read()
        return process, found[0]

    yield serve
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def test_serves_until_ctrl_c_and_leaves_quietly(serve):
    process, url = serve("--port", 0)
    assert httpx.get(url).status_code == 200
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - started < 5
    assert "Traceback" not in err
    assert out == ""


def test_takes_the_next_port_that_is_free_unless_one_is_asked_for(serve, run, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        shown = run("serve", "--no-open", "--port", port)
        assert shown.code == 2
        assert f"port {port} of 127.0.0.1 is in use" in shown.err
        assert "--port 0" in shown.err
        from branchwise.web.app.serve import listening_socket

        with listening_socket("127.0.0.1", port, others=True) as other:
            assert other.getsockname()[1] > port


def test_bad_options_are_reported(run):
    for words in (
        ["--port", 70_000],
        ["--searches", 0],
        ["--memory", 1],
        ["no_such_game"],
        ["--host", "203.0.113.77", "--port", 0],
    ):
        shown = run("serve", "--no-open", *words)
        assert shown.code == 2, words
        assert "Error" in shown.err
        assert "Traceback" not in shown.err


def test_a_users_file_is_offered(serve, rules):
    _, url = serve(rules(), "--port", 0)
    games = httpx.get(url + "api/games").json()
    assert games[0]["about"].startswith("Take one to three chips")
    assert games[0]["name"] == "chips"
