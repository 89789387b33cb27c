"""`branchwise tree`: the tree of a search, in many forms."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwise.cli.search.search import DEFAULT_SECONDS
from branchwise.cli.terminal.declare_options import argument, option
from branchwise.cli.terminal.options import (
    JsonOption,
    MovesOption,
    SecondsOption,
    SeedOption,
    SettingsOption,
    SimulationsOption,
    move_list,
    settings_from,
)
from branchwise.cli.terminal.output_file import check_place, format_of, format_option, trying, write
from branchwise.cli.terminal.position import Asked, asked_about
from branchwise.common.csv_text import csv_text
from branchwise.common.errors import SettingsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from branchwise.search.tree.view import SearchTree

FORMATS = ("text", "svg", "html", "dot", "json", "csv", "file")
_ENDINGS = {
    ".svg": "svg",
    ".html": "html",
    ".htm": "html",
    ".dot": "dot",
    ".gv": "dot",
    ".json": "json",
    ".csv": "csv",
    ".tree": "file",
}


def tree(
    game: Annotated[
        str | None,
        argument("[GAME]", "A game, as for search; with --load only if the file does not name a known game."),
    ] = None,
    moves: MovesOption = "",
    seconds: SecondsOption = None,
    simulations: SimulationsOption = None,
    settings: SettingsOption = "",
    seed: SeedOption = None,
    load: Annotated[Path | None, option("--load FILE", "Show the tree in a file, without a search.")] = None,
    top: Annotated[int, option("--top N", "Children of a node, best first.")] = 4,
    depth: Annotated[int, option("--depth N", "Moves from the start.")] = 3,
    min_visits: Annotated[int, option("--min-visits N", "Only nodes with at least N visits.")] = 1,
    everything: Annotated[
        bool, option("--all", "Every node; overrides --top, --depth and --min-visits.")
    ] = False,
    line: Annotated[bool, option("--line", "Only the expected play, to its end.")] = False,
    along: Annotated[str, option("--along MOVES", 'Start after these moves in the tree, "d1 d2".')] = "",
    form: Annotated[str | None, format_option(FORMATS)] = None,
    output: Annotated[
        Path | None,
        option("--output FILE", "Write to a file; an existing file is replaced."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the tree of a search, or save it.

    The search is that of `branchwise search`: it ends at the first of the limits given, by default after one
    second. Values are for the player who made the move. The format `file` keeps the whole tree, which --load
    shows again.

    \b
    Examples:
      branchwise tree connect_four --moves "d1 d2" --simulations 20000 --depth 2
      branchwise tree tic_tac_toe --seconds 0.5 --output tree.svg
      branchwise tree nim --simulations 5000 --seed 1 --line
      branchwise tree connect_four --seconds 2 --output four.tree
      branchwise tree --load four.tree --along "d1 d2" --top 3 --json
    """
    from branchwise.search.tree.node_reader import Filter

    kind = format_of(form, output, as_json, FORMATS, _ENDINGS)
    wanted = Filter(line=line) if everything else Filter(top, min_visits, depth, line)
    _check_place(kind, output)
    asked: Asked | None = None
    if load is None:
        asked, shown, interrupted = _searched(game, moves, seconds, simulations, settings, seed)
    else:
        _refuse_with_load(moves=moves, seconds=seconds, simulations=simulations, settings=settings, seed=seed)
        shown, interrupted = _loaded(game, load), False
    chosen = {**asdict(wanted), "along": move_list(along)}
    if output is None:
        _show(shown, kind, chosen, asked)
    elif kind == "file":
        trying(output, lambda: shown.save(output))
    else:
        write(output, _drawn(shown, kind, chosen, asked))
    if interrupted:
        raise typer.Exit(130)


def _check_place(kind: str, output: Path | None) -> None:
    """Raise `SettingsError` if the output cannot be written; called before the search."""
    if output is not None:
        check_place(output)
    elif kind == "file":
        raise SettingsError("this format needs a file to write to", mend="give --output FILE")


def _refuse_with_load(**options: object) -> None:
    for name, value in options.items():
        if value not in (None, ""):
            raise SettingsError(f"--{name} has no effect with --load", mend=f"leave --{name} out")


def _searched(
    game: str | None,
    moves: str,
    seconds: float | None,
    simulations: int | None,
    settings: str,
    seed: int | None,
) -> tuple[Asked, SearchTree, bool]:
    """Return what was searched, the tree of the search, and whether Ctrl-C ended it."""
    from branchwise.cli.terminal.screen import Screen
    from branchwise.games import load_game
    from branchwise.search.planner import MCTS
    from branchwise.search.settings.budget import Budget

    if game is None:
        raise SettingsError("the game is missing", mend="name a game to search, or give --load FILE")
    given = settings_from(settings, seed=seed)
    asked = asked_about(load_game(game), moves, seed, sees_all=given.get("perfect_information", False))
    if seconds is None and simulations is None:
        seconds = DEFAULT_SECONDS
    budget = Budget(simulations, seconds)
    with Screen().thinking("search", ", Ctrl-C: enough") as report:
        planner = MCTS(**{"rollout": False, **given})
        result = planner.search(asked.position.searched, **asdict(budget), progress=report)
    return asked, result.tree, result.ended_by == "interrupted"


def _loaded(game: str | None, file: Path) -> SearchTree:
    from branchwise.cli.terminal.screen import Screen
    from branchwise.games import load_game
    from branchwise.search.tree.load_tree import load_tree

    Screen()  # shows what the package logs
    rules = None if game is None else load_game(game)
    try:
        return load_tree(file, game=rules, memory_mb=None)
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror}") from error


def _show(tree: SearchTree, kind: str, chosen: dict[str, Any], asked: Asked | None) -> None:
    """Print a tree; formats of files are printed as UTF-8 on every system."""
    from branchwise.cli.terminal.screen import Screen
    from branchwise.pictures.tree.text import LEAST_WIDTH

    if kind == "text":
        if asked is not None:
            asked.show_drawn(Screen())
        plain = not _can_draw(sys.stdout.encoding)
        print(tree.to_text(**chosen, width=max(Screen().out.width, LEAST_WIDTH), plain=plain))
    else:
        typer.echo(_drawn(tree, kind, chosen, asked).encode(), nl=False)


def _drawn(tree: SearchTree, kind: str, chosen: dict[str, Any], asked: Asked | None) -> str:
    if kind == "json":
        content = {**tree.to_dict(**chosen), **({"moves": []} if asked is None else asked.to_dict())}
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    if kind == "csv":
        return _csv(tree.to_table(**chosen, moves=True))
    drawn = {"text": tree.to_text, "svg": tree.to_svg, "html": tree.to_html, "dot": tree.to_dot}[kind]
    return drawn(**chosen) + "\n"


def _csv(table: dict[str, NDArray[Any]]) -> str:
    """Return columns as comma-separated lines; missing values are empty."""
    columns = [["" if cell != cell else cell for cell in column.tolist()] for column in table.values()]
    return csv_text(table, zip(*columns, strict=True))


def _can_draw(encoding: str | None) -> bool:
    """Return whether a terminal of this encoding can show the characters of a tree."""
    try:
        "├▏▸".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
