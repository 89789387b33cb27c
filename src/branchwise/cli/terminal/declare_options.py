"""Declaring arguments and options of commands: names, what stands for the value, and help, in one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer


def option(
    names: str, text: str, *, shown: bool | None = None, parser: Callable[[str], Any] | None = None
) -> Any:
    """Return an option for `Annotated`.

    names : its names, then what stands for its value, if it takes one, such as "--games -n N".
    text : its help.   shown : whether help shows the default; None: unless the text tells it.
    parser : reads the value.
    """
    words = names.split()
    flags = [word for word in words if word.startswith("-")]
    return typer.Option(
        *flags,
        metavar=" ".join(words[len(flags) :]) or None,
        help=text,
        show_default="default" not in text if shown is None else shown,
        parser=parser,
    )


def argument(metavar: str, text: str) -> Any:
    """Return an argument for `Annotated`; metavar : what stands for it.   text : its help."""
    return typer.Argument(metavar=metavar, show_default=False, help=text)
