"""Output of commands: results on stdout, progress on stderr."""

from __future__ import annotations

import json
import logging
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.text import Text

from branchwise.boards.layer import has_layer
from branchwise.compile.code.progress import compiling_now

if TYPE_CHECKING:
    from branchwise.common.errors import BranchwiseError
    from branchwise.drawing.grid import Grid
    from branchwise.game.rules_class import Game
    from branchwise.search.results.result import SearchResult

_WIDEST = 100_000
_LONGEST_MOVES = 400
_LABEL = re.compile(r"\s*(\S+\s{2,})?")

Report = Callable[["SearchResult"], object]


class Screen:
    """Two consoles, one for results and one for progress and messages of the package.

    quiet : only `show_json` may write on stdout.
    """

    def __init__(
        self, out: Console | None = None, err: Console | None = None, *, quiet: bool = False
    ) -> None:
        plain: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False}
        self.out = out or Console(**plain, quiet=quiet)
        self.err = err or Console(**plain, stderr=True)
        self._log = _send_log_to(self.err)

    def show(self, *parts: RenderableType, style: str | None = None, whole: bool = False) -> None:
        """Print `parts` on stdout, one below the other, in lines that fit the terminal if there is one.

        whole : leave long lines to the terminal, so that commands in them can be copied.
        """
        for part in parts:
            text = Text(part) if isinstance(part, str) else part
            if isinstance(text, Text):
                shown = text if whole or not self.out.is_terminal else _hanging(text, self.out)
                self.out.print(shown, style=style, soft_wrap=True)
            else:
                with self._at_full_width(text):
                    self.out.print(text, style=style)

    @contextmanager
    def _at_full_width(self, part: RenderableType) -> Iterator[None]:
        """Return a context in which there is room for all of `part` if nothing is shown on a terminal."""
        width = self.out.width
        if not self.out.is_terminal:
            options = self.out.options.update(width=_WIDEST)
            self.out.width = max(width, Measurement.get(self.out, options, part).maximum)
        try:
            yield
        finally:
            self.out.width = width

    def show_board(self, state: Game, before: Game | None = None) -> None:
        """Print the board, with the changes since `before` highlighted."""
        self.show(board(state, before, self.out.width if self.out.is_terminal else None))

    @contextmanager
    def working(self, what: str) -> Iterator[Callable[[str], None]]:
        """Show a live line while something runs; yield a function that changes its text.

        While rules are compiled, the line says so and shows the expected time. Nothing is shown if stderr is
        not a terminal.
        """
        if not self.err.is_terminal:
            yield lambda _: None
            return
        line = _LiveLine(what)
        with self.err.status(line), self._log.without_compiling():
            yield line.say

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Return a context in which a prompt waits for an answer; messages of the package come after it.

        On a terminal, without those about compiling, which goes on meanwhile: nobody waits for it.
        """
        with self._log.held(), self._log.without_compiling() if self.err.is_terminal else nullcontext():
            yield

    @contextmanager
    def thinking(self, who: str, note: str = "") -> Iterator[Report]:
        """Show a live line while a search runs; yield the function for its progress reports."""
        with self.working(f"{who} is thinking{note}") as tell:
            yield lambda result: tell(f"{who}: {_so_far(result)}{note}")


def show_json(content: object) -> None:
    """Print `content` as JSON on stdout."""
    print(json.dumps(content, indent=2, ensure_ascii=False))


def show_error(error: BranchwiseError, console: Console) -> None:
    """Print an error; on a terminal, a command with very many moves reads them from a file."""
    title = Text(f"{type(error).__name__}: ", style="bold red")
    for line in str(error).split("\n"):
        text = Text.assemble(title, line)
        title = Text()
        if console.is_terminal:
            text = Text(_brief(line)) if line.startswith("  replay: ") else _hanging(text, console)
        console.print(text, soft_wrap=True)


def _brief(command: str) -> str:
    """Return a command that reads its moves from a new file if they are very long."""
    start, option, moves = command.partition(" --moves ")
    if len(moves) <= _LONGEST_MOVES:
        return command
    number, file = tempfile.mkstemp(prefix="branchwise-", suffix=".moves")
    with open(number, "w", encoding="utf-8") as written:
        written.write(shlex.split(moves)[0])
    return f'{start}{option}"$(cat {shlex.quote(file)})"'


def board(state: Game, before: Game | None = None, width: int | None = None) -> Text:
    """Return the board for a terminal of `width` columns, with the changes since `before` highlighted."""
    from branchwise.drawing.grid import grid_terminal
    from branchwise.game.rules_class import Game

    grid = state.to_grid()
    has_text = has_layer(type(state)) and type(state).__str__ is not Game.__str__
    if grid is None or has_text:
        return Text(str(state))
    grid_before = None if before is None else before.to_grid()
    return grid_terminal(grid, () if grid_before is None else _last_move(grid, grid_before), width)


def _hanging(text: Text, console: Console) -> Text:
    """Return `text` folded at the width of `console`.

    Lines that are folded go on below the first word behind a label, as in "score     66.7 %", or where they
    began.
    """
    lines = []
    for line in text.split("\n", allow_blank=True):
        if line.cell_len <= console.width:
            lines.append(line)
            continue
        indent = min(len(_LABEL.match(line.plain)[0]), console.width // 2)  # type: ignore[index]
        rest = line[indent:].wrap(console, console.width - indent)
        for part in rest:
            part.rstrip()
        lines.append(Text.assemble(line[:indent], Text("\n" + " " * indent).join(rest)))
    return Text("\n").join(lines)


def _last_move(grid: Grid, before: Grid) -> set[tuple[int, int]]:
    """Return the cells that changed owner since `before`; if none did, all that changed."""
    changed = grid.changed(before)
    taken = {(r, c) for r, c in changed if grid.cells[r][c].owner != before.cells[r][c].owner}
    return taken or changed


def _so_far(result: SearchResult) -> str:
    best = result.action_text(result.best_action)
    return f"{result.simulations:,} simulations, best {best} {result.value:+.3f}"


class _LiveLine:
    """A live line that shows the current work or compile."""

    def __init__(self, text: str) -> None:
        self._text = text

    def say(self, text: str) -> None:
        """Change the text."""
        self._text = text

    def __rich__(self) -> Text:
        compiling, text = compiling_now(), self._text
        if compiling is not None:
            text = f"{text}; {compiling}" if compiling.meanwhile else f"{compiling}, Ctrl-C: give up"
        return Text(text, overflow="ellipsis", no_wrap=True)


class _ConsoleHandler(logging.Handler):
    """Shows the package's log messages above a live line on the same console."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self.console = console
        self._omits_compiling = False
        self._held: list[logging.LogRecord] | None = None

    @contextmanager
    def without_compiling(self) -> Iterator[None]:
        """Omit messages about compiling."""
        before, self._omits_compiling = self._omits_compiling, True
        try:
            yield
        finally:
            self._omits_compiling = before

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep messages back until the end of the context."""
        self._hold([])
        try:
            yield
        finally:
            for record in self._hold(None):
                self.handle(record)

    def _hold(self, records: list[logging.LogRecord] | None) -> list[logging.LogRecord]:
        """Keep messages back in `records`, None: show them; returns those that were kept back before."""
        self.acquire()  # no message is on its way
        try:
            before, self._held = self._held, records
        finally:
            self.release()
        return before or []

    def emit(self, record: logging.LogRecord) -> None:
        if self._omits_compiling and getattr(record, "compiling", False):
            return
        if self._held is None:
            self.console.print(record.getMessage(), style="dim")
        else:
            self._held.append(record)


def _send_log_to(console: Console) -> _ConsoleHandler:
    log = logging.getLogger("branchwise")
    for handler in log.handlers[:]:
        if isinstance(handler, _ConsoleHandler):
            log.removeHandler(handler)
    shown = _ConsoleHandler(console)
    log.addHandler(shown)
    return shown
