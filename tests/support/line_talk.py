"""A conversation with a server of bots in a thread of this process, line by line."""

import os
import queue
import threading
import time

import pytest

PATIENCE = 60.0


class LineTalk:
    """Sends lines to a `BotServer` of the given kind, and collects what it writes."""

    def __init__(self, kind, game, bot, seed=1, **options):
        to_server, self._write = os.pipe()
        self._read, from_server = os.pipe()
        self._lines = queue.SimpleQueue()
        read, write = os.fdopen(to_server, "rb"), os.fdopen(from_server, "wb")
        self.server = kind(game, bot, seed, read=read, write=write, **options)
        self.ended = None
        self._running = threading.Thread(target=self._run, daemon=True)
        self._running.start()
        threading.Thread(target=self._listen, daemon=True).start()

    def _run(self):
        self.ended = self.server.run()

    def _listen(self):
        with os.fdopen(self._read, encoding="utf-8") as lines:
            for line in lines:
                self._lines.put(line.rstrip("\n"))

    def say(self, *lines):
        os.write(self._write, "".join(f"{line}\n" for line in lines).encode())

    def hear(self, is_last, seconds=PATIENCE):
        """Return the lines up to one for which `is_last` holds, or that begins with it."""
        heard = []
        until = time.monotonic() + seconds
        while True:
            heard.append(self._lines.get(timeout=max(until - time.monotonic(), 0.01)))
            if heard[-1].startswith(is_last) if isinstance(is_last, str) else is_last(heard[-1]):
                return heard

    def silence(self, seconds=0.2):
        with pytest.raises(queue.Empty):
            self._lines.get(timeout=seconds)

    def close(self):
        """End the input; return whether the server has ended with its bot."""
        os.close(self._write)
        self._running.join(PATIENCE)
        return self.ended
