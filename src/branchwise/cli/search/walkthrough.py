"""`branchwise walkthrough`: shows each phase of a search's first simulations."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from branchwise.cli.terminal.declare_options import option
from branchwise.cli.terminal.options import (
    GameArgument,
    JsonOption,
    MovesOption,
    PlayoutOption,
    SeedOption,
    SettingsOption,
    WeightOption,
    settings_from,
)
from branchwise.cli.terminal.output_file import check_place, format_of, format_option, trying, write
from branchwise.cli.terminal.position import Asked, asked_about
from branchwise.common.errors import SettingsError
from branchwise.pictures.simulation_report import PHASES

if TYPE_CHECKING:
    from branchwise.search.trace.walkthrough import Walkthrough

FORMATS = ("text", "svg", "html", "json")
_ENDINGS = {".svg": "svg", ".html": "html", ".htm": "html", ".json": "json"}


def walkthrough(
    game: GameArgument,
    moves: MovesOption = "",
    simulations: Annotated[int, option("--simulations N", "Simulations to show, from 1.")] = 8,
    after: Annotated[int, option("--after N", "Simulations to skip before the first shown.")] = 0,
    c: WeightOption = None,
    selection: Annotated[str | None, option("--selection NAME", "Selection: ucb1, puct, rave, ...")] = None,
    playout: PlayoutOption = None,
    proofs: Annotated[
        bool, option("--proofs/--no-proofs", "Pass proven values up the tree.", shown=False)
    ] = True,
    settings: SettingsOption = "",
    seed: SeedOption = None,
    form: Annotated[str | None, format_option(FORMATS)] = None,
    output: Annotated[
        Path | None,
        option(
            "--output FILE",
            "Write to a file, replacing any; svg: one numbered file per phase, or a folder for them.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a search simulation by simulation, phase by phase, as a lecture would.

    Shows selection with the terms of every move considered, expansion, playout and backup, as text, as an
    HTML page to step through, or as pictures. The search is that of `branchwise search` with the same seed. A
    search first tries each move once; to see more, start where few moves are left, or use --after.

    \b
    Examples:
      branchwise walkthrough tic_tac_toe --simulations 8 --output walk.html
      branchwise walkthrough tic_tac_toe --moves "b2 a1 c3 a3" --simulations 16 \\
          --seed 1
      branchwise walkthrough connect_four --after 200 --simulations 2 \\
          --selection puct
      branchwise walkthrough nim --simulations 12 --format svg --output frames
    """
    from branchwise.cli.terminal.screen import Screen
    from branchwise.games import load_game
    from branchwise.search.planner import MCTS

    kind = format_of(form, output, as_json, FORMATS, _ENDINGS)
    _check_place(kind, output)
    proven = None if proofs else False
    given = settings_from(settings, c=c, selection=selection, playout=playout, proofs=proven, seed=seed)
    sees_all = given.get("perfect_information", False)
    asked = asked_about(load_game(game), moves, given.get("seed"), sees_all=sees_all)
    with Screen().working("walking through the search"):
        planner = MCTS(**given)
        shown = planner.walkthrough(asked.position.searched, simulations=simulations, after=after)
    if kind == "svg":
        assert output is not None
        _write_pictures(shown, output)
    elif output is not None:
        write(output, _drawn(shown, kind, asked))
    elif kind == "text":
        print(_text(shown, asked))
    else:
        typer.echo(_drawn(shown, kind, asked).encode(), nl=False)


def _check_place(kind: str, output: Path | None) -> None:
    """Raise `SettingsError` if the output cannot be written; called before the search."""
    if output is None:
        if kind == "svg":
            raise SettingsError(
                "pictures are written to files, one for each phase",
                mend="give --output walk.svg, or --output FOLDER",
            )
        return
    if kind == "svg" and output.suffix == "" and output.exists() and not output.is_dir():
        raise SettingsError(f"{output} is a file", mend="give --output FOLDER, or a name that ends in .svg")
    check_place(output, may_be_folder=kind == "svg")


def _text(shown: Walkthrough, asked: Asked) -> str:
    """Return the text as the terminal can show it."""
    from branchwise.cli.terminal.screen import Screen
    from branchwise.pictures.walkthrough.text import LEAST_WIDTH, SIGNS

    try:
        SIGNS.encode(sys.stdout.encoding or "ascii")
        plain = False
    except (UnicodeEncodeError, LookupError):
        plain = True
    asked.show_drawn(Screen())
    return shown.to_text(width=max(Screen().out.width, LEAST_WIDTH), plain=plain)


def _drawn(shown: Walkthrough, kind: str, asked: Asked) -> str:
    if kind == "json":
        content = {**shown.to_dict(), **asked.to_dict()}
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    return (shown.to_html() if kind == "html" else shown.to_text()) + "\n"


def _write_pictures(shown: Walkthrough, output: Path) -> None:
    """Write each picture to a file: walk-12-1-selection.svg, or 12-1-selection.svg in a folder."""
    pictures = shown.to_svg()
    last = shown.simulations[-1].number
    if output.suffix.lower() != ".svg" or output.is_dir():
        trying(output, lambda: output.mkdir(exist_ok=True))
        folder, front = output, ""
    else:
        folder, front = output.parent, f"{output.stem}-"
    for i, picture in enumerate(pictures):
        number = shown.simulations[i // len(PHASES)].number
        step, phase = i % len(PHASES) + 1, PHASES[i % len(PHASES)]
        write(folder / f"{front}{number:0{len(str(last))}}-{step}-{phase}.svg", picture + "\n")
