"""`branchwise ugi`, `gtp` and `uci`: a bot as an engine for other programs."""

from __future__ import annotations

from typing import Annotated

from branchwise.cli.serve.serving import BotOption, serve_bot
from branchwise.cli.terminal.declare_options import argument, option
from branchwise.cli.terminal.options import GameArgument, SeedOption


def ugi(
    game: GameArgument,
    bot: BotOption = None,
    seed: SeedOption = None,
    trust: Annotated[
        bool,
        option("--trust", "Allow the other program to set the bot to an engine's command or a file."),
    ] = False,
) -> None:
    """Let other programs play against a bot, as an engine that speaks UGI.

    The engine reads commands of the Universal Game Interface line by line until quit or the end of its input.
    docs/engines.md explains them; in short: ugi, isready, position startpos moves d1 d2, go movetime 1000,
    stop, quit.

    \b
    Examples:
      branchwise ugi connect_four --bot "mcts(simulations=1000)" --seed 1
      branchwise play tic_tac_toe \\
          --opponent "engine(command='branchwise ugi tic_tac_toe --bot flat')"
    """
    from branchwise.bots.servers.engine_server import EngineServer

    serve_bot(EngineServer, game, bot, seed, trust=trust)


def gtp(game: GameArgument, bot: BotOption = None, seed: SeedOption = None) -> None:
    """Let Sabaki, GoGui and other programs play against a bot, and watch it think, by GTP.

    The bot reads commands of the Go Text Protocol line by line until quit or the end of its input; black
    moves first. It plays any game of two players without chance; GoGui shows those on boards by its rules
    extension. docs/engines.md explains the commands; list_commands lists them.

    \b
    Examples:
      branchwise gtp "mnk(rows=15,columns=15,in_a_row=5)" --bot "mcts(seconds=5)"
      branchwise play tic_tac_toe \\
          --opponent "gtp(command='branchwise gtp tic_tac_toe --bot flat')"
    """
    from branchwise.bots.servers.gtp_server import GtpServer

    serve_bot(GtpServer, game, bot, seed)


def uci(
    game: Annotated[str, argument("[GAME]", "A game whose moves are written as in chess.")] = "chess",
    bot: BotOption = None,
    seed: SeedOption = None,
    trust: Annotated[
        bool,
        option("--trust", "Allow the window to set the bot to an engine's command or a file."),
    ] = False,
) -> None:
    """Let the windows of chess programs play against a bot, as an engine that speaks UCI.

    The engine reads commands of the Universal Chess Interface line by line until quit or the end of its
    input. MultiPV shows several lines. docs/engines.md has more.

    \b
    Examples:
      branchwise uci --bot "mcts(seconds=5)"
      branchwise uci connect_four --bot "minimax(depth=8)"
    """
    from branchwise.bots.servers.uci_server import UciServer

    serve_bot(UciServer, game, bot, seed, trust=trust)
