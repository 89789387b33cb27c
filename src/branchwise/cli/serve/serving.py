"""What the commands have in common that let other programs use a bot: `ugi`, `gtp` and `uci`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, BinaryIO

from branchwise import __version__
from branchwise.cli.terminal.declare_options import option

if TYPE_CHECKING:
    from branchwise.bots.servers.server import BotServer

BotOption = Annotated[
    str | None,
    option(
        "--bot BOT",
        "The bot: mcts(simulations=1000), flat, minimax(depth=6), my_bot.py:MyBot. Its own limits "
        "apply besides those of the other program. Default mcts; ismcts with hidden information.",
        shown=False,
    ),
]


def serve_bot(
    kind: type[BotServer], game: str, bot: str | None, seed: int | None, *, trust: bool = False
) -> None:
    """Let another program use a bot over standard input and output until it ends the conversation.

    bot : its text form; None: the usual one of the game.
    """
    from branchwise.bots.strength.default_bot import usual_bot
    from branchwise.games import load_game
    from branchwise.rules.facts.game_type import check_joint_is_open, check_open

    rules = load_game(game)
    if kind.only_open:
        check_open(rules, "the other program")
    else:
        check_joint_is_open(rules, "the other program")
    read, write = _streams()
    name = f"Branchwise {__version__}"
    server = kind(rules, bot or usual_bot(rules), seed, read=read, write=write, name=name, trust=trust)
    _send_log_to(server)
    code = 0
    try:
        ended = server.run()
    except KeyboardInterrupt:
        ended, code = False, 130
    if not ended:  # does not wait for a bot that does not end
        os._exit(code)


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """Return the streams from and to the other program; a bot's printed output goes to standard error."""
    sys.stdout.flush()
    read, write = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return read, write


def _send_log_to(server: BotServer) -> None:
    """Send the package's log messages, for example on compiling, as lines to the other program."""
    import logging

    class Teller(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            server.tell(record.getMessage())

    logging.getLogger("branchwise").addHandler(Teller())
