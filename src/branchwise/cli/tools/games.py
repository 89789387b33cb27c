"""`branchwise games`: lists the known games."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

from branchwise.cli.terminal.options import JsonOption

if TYPE_CHECKING:
    from branchwise.cli.terminal.screen import Screen
    from branchwise.game.rules_class import Game


def games(as_json: JsonOption = False) -> None:
    """List the known games with their options and defaults.

    \b
    Examples:
      branchwise games
      branchwise play "connect_four(rows=5,columns=5)"
    """
    from branchwise.cli.terminal.screen import Screen, show_json

    screen = Screen(quiet=as_json)
    listed = [_described(name) for name in _names()]
    if as_json:
        show_json(listed)
    for entry in listed:
        _show(entry, screen)
    screen.show('Name a variant with its options: "connect_four(rows=5,columns=5)".', style="dim")
    screen.show("Name your own game by its file: my_game.py, or my_game.py:MyGame.", style="dim")


def _names() -> list[str]:
    from branchwise.games import game_names

    return game_names()


def _described(name: str) -> dict[str, Any]:
    """Return the description of a game, or why it cannot be loaded."""
    from branchwise.common.errors import BranchwiseError
    from branchwise.game.kinds.continuous_actions import box_size
    from branchwise.games import load_game
    from branchwise.rules.facts.game_type import game_type
    from branchwise.rules.facts.options import game_options

    try:
        game = load_game(name)
        kind = game_type(game)
    except BranchwiseError as error:
        return {"name": name, "error": error.problem}
    except Exception as error:  # a faulty package must not hide the other games
        return {"name": name, "error": f"{type(error).__name__}: {error}"}
    return {
        "name": name,
        "about": about(game),
        "num_players": game.num_players,
        "type": kind.to_dict(),
        "num_actions": game.num_actions,
        "dimensions": box_size(game),
        "max_game_length": game.max_game_length,
        "options": game_options(game),
    }


def _show(entry: dict[str, Any], screen: Screen) -> None:
    from rich.text import Text

    from branchwise.rules.facts.game_type import GameType

    if "error" in entry:
        screen.show(Text(entry["name"], style="bold"), f"  cannot be loaded: {entry['error']}", "")
        return
    players = "1 player" if entry["num_players"] == 1 else f"{entry['num_players']} players"
    kind = ", ".join(filter(None, [players, str(GameType(**entry["type"]))]))
    options = " ".join(f"{name}={_plain(value)}" for name, value in entry["options"].items())
    options = options and f"options: {options}"
    screen.show(
        Text.assemble((entry["name"], "bold"), f"   {kind}, {_actions(entry)}"),
        *(f"  {line}" for line in (entry["about"], options) if line),
        "",
    )


def _actions(entry: dict[str, Any]) -> str:
    numbers = entry["dimensions"]
    if numbers:
        return f"actions of {numbers} number{'s' if numbers > 1 else ''}"
    return f"{entry['num_actions']:,} actions"


def about(game: type[Game]) -> str:
    """Return one line about the game, from its module if it is built in, else from its class."""
    from branchwise.games import is_shipped

    module = sys.modules.get(game.__module__)
    text = (module.__doc__ if is_shipped(game) and module else game.__doc__) or ""
    return inspect.cleandoc(text).partition("\n")[0]


def _plain(value: object) -> str:
    return repr(value).replace(" ", "")
