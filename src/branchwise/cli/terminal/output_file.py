"""What commands that can write a file have in common: the format, the place, and writing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from branchwise.cli.terminal.declare_options import option
from branchwise.common.errors import SettingsError


def format_option(formats: Sequence[str]) -> Any:
    """Return the option that chooses among the formats, for `Annotated`."""
    names = f"{', '.join(formats[:-1])} or {formats[-1]}"
    return option("--format NAME", f"{names}; default by the ending of --output, or text.")


def format_of(
    name: str | None, output: Path | None, as_json: bool, formats: Sequence[str], endings: Mapping[str, str]
) -> str:
    """Return the requested format, from its name or from the ending of the output file; "text" by default."""
    from branchwise.common.argument_checks import one_of

    if name is not None:
        if as_json and name != "json":
            raise SettingsError(f"--json and --format {name} exclude each other", mend="give one of them")
        return one_of("format", name, formats)
    if as_json:
        return "json"
    return "text" if output is None else endings.get(output.suffix.lower(), "text")


def check_place(output: Path, *, may_be_folder: bool = False) -> None:
    """Raise `SettingsError` if the output cannot be written; called before the search."""
    if output.is_dir() and not may_be_folder:
        raise SettingsError(f"{output} is a folder", mend="give --output the name of a file in it")
    if not output.absolute().parent.is_dir():
        raise SettingsError(f"there is no folder {output.parent}", mend="make it first")


def write(output: Path, text: str) -> None:
    """Write a text; raises `SettingsError` if it cannot be written."""
    trying(output, lambda: output.write_text(text, encoding="utf-8"))


def trying(output: Path, doing: Callable[[], object]) -> None:
    """Do what writes `output`; raises `SettingsError` if it fails."""
    try:
        doing()
    except OSError as error:
        raise SettingsError(f"{output} cannot be written: {error.strerror}") from error
