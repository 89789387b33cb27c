"""`branchwise ugi`: a bot as an engine for other programs."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from branchwise import __version__
from branchwise.cli.options import GameArgument, SeedOption

if TYPE_CHECKING:
    from branchwise.bots.engine_server import EngineServer

DEFAULT_BOT = "mcts"


def ugi(
    game: GameArgument,
    bot: Annotated[
        str,
        typer.Option(
            metavar="BOT",
            help="The bot: mcts(simulations=1000), flat, minimax(depth=6), my_bot.py:MyBot. Its own limits "
            "apply besides those of the other program.",
        ),
    ] = DEFAULT_BOT,
    seed: SeedOption = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help="Allow the other program to set the bot to an engine's command or a file.",
        ),
    ] = False,
) -> None:
    """Let other programs play against a bot, as an engine that speaks UGI.

    The engine reads commands of the Universal Game Interface line by line until quit or the end of its input.
    docs/engines.md explains them; in short: ugi, isready, position startpos moves d1 d2, go movetime 1000,
    stop, quit.

    \b
    Examples:
      branchwise ugi connect_four --bot "mcts(simulations=1000)" --seed 1
      branchwise play tic_tac_toe --opponent "engine(command='branchwise ugi tic_tac_toe --bot flat')"
    """
    from branchwise.bots.engine_server import EngineServer
    from branchwise.games import load_game

    rules = load_game(game)
    read, write = _streams()
    name = f"Branchwise {__version__}"
    server = EngineServer(rules, bot, seed, read=read, write=write, name=name, trust=trust)
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


def _send_log_to(server: EngineServer) -> None:
    """Send the package's log messages, for example on compiling, as lines to the other program."""
    import logging

    class Teller(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            server.tell(record.getMessage())

    logging.getLogger("branchwise").addHandler(Teller())
