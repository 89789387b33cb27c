"""`branchwise serve`: the explorer, a page where people play and watch the search think."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated

import typer

from branchwise.cli.terminal.declare_options import argument, option

DEFAULT_PORT = 8642


def serve(
    games: Annotated[
        list[str] | None,
        argument(
            "[GAME]...",
            "Games to list first: connect_four(rows=5), my_game.py or my_game.py:MyGame. All registered "
            "games are listed too.",
        ),
    ] = None,
    opponent: Annotated[
        list[str] | None,
        option(
            "--opponent BOT",
            "A bot to play against in the games named, or in all: minimax(depth=6), my_bot.py:MyBot, "
            "gtp(command='gnugo --mode gtp'). Give it again for more; the first plays unless "
            "another is chosen on the page.",
        ),
    ] = None,
    host: Annotated[
        str,
        option("--host ADDRESS", "Address to listen on; 0.0.0.0: other machines too."),
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        option("--port N", f"Port to listen on, 0: any; default {DEFAULT_PORT}, or the next free one."),
    ] = None,
    open_page: Annotated[bool, option("--open/--no-open", "Open the page in a browser.")] = True,
    memory_mb: Annotated[
        float, option("--memory MB", "Memory for the trees of all searches together.")
    ] = 2048.0,
    searches: Annotated[int, option("--searches N", "Searches at the same time; others wait.")] = 16,
    seconds: Annotated[float, option("--seconds S", "Maximum seconds of one search.")] = 600.0,
    http_seconds: Annotated[float, option("--http-seconds S", "Maximum seconds of a search by HTTP.")] = 60.0,
    waiting: Annotated[int, option("--waiting N", "Maximum number of waiting searches by HTTP.")] = 64,
    sessions: Annotated[int, option("--sessions N", "Pages at the same time.")] = 100,
    session_seconds: Annotated[
        float,
        option("--session-seconds S", "Seconds to keep a game after its page closes."),
    ] = 600.0,
    message_bytes: Annotated[int, option("--message-bytes N", "Maximum bytes of one message.")] = 65_536,
    messages_per_second: Annotated[float, option("--messages N", "Messages per second of one page.")] = 100.0,
    burst: Annotated[int, option("--burst N", "Messages of one page at once.")] = 200,
    variants: Annotated[int, option("--variants N", "Maximum number of variants of games.")] = 64,
    allow_host: Annotated[
        list[str] | None,
        option(
            "--allow-host NAME", "A host name, besides localhost and IP addresses, that requests may use."
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        option(
            "--allow-origin URL", "Another origin whose pages may connect, such as http://localhost:3000."
        ),
    ] = None,
    trust_states: Annotated[
        bool,
        option("--trust-states", "Accept states by HTTP that this server has not signed: only for friends."),
    ] = False,
) -> None:
    """Play in the browser and watch the tree think.

    Serves one page, and an HTTP interface for your own front end: docs/serving.md. Only this machine can
    reach it unless you give --host. Ctrl-C ends it.

    The page offers the bots of --opponent by name. A browser can start no other bot and no other program.

    \b
    Examples:
      branchwise serve
      branchwise serve my_game.py "connect_four(rows=5,columns=5)"
      branchwise serve go --opponent "gtp(command='gnugo --mode gtp')"
      branchwise serve --port 8000 --no-open --memory 1024 --searches 4
    """
    given = dict(locals())
    from branchwise.common.errors import SettingsError
    from branchwise.web.app.app import ServerSettings
    from branchwise.web.app.serve import Running, listening_socket
    from branchwise.web.protocol.limits import ServerLimits

    if port is not None and not 0 <= port <= 65_535:
        raise SettingsError(f"port = {port} is outside its range", mend="0 to 65535")
    limits = ServerLimits(**{limit.name: given[limit.name] for limit in fields(ServerLimits)})
    wanted = DEFAULT_PORT if port is None else port
    listening = listening_socket(host, wanted, others=port is None)
    with listening:
        running = Running(
            ServerSettings(
                games=games or (),
                opponents=opponent or (),
                limits=limits,
                hosts=allow_host or (),
                origins=allow_origin or (),
                trusts_states=trust_states,
            ),
            listening,
        )
        if port is None and listening.getsockname()[1] != wanted:
            typer.echo(f"Port {wanted} is in use.", err=True)
        running.warm_up()
        running.run(lambda: _started(running.url, open_page=open_page))


def _started(url: str, *, open_page: bool) -> None:
    """Print the address of the page, and open it."""
    import webbrowser

    typer.echo(f"Branchwise is at {url}  (Ctrl-C ends it)")
    if open_page:
        webbrowser.open(url)
