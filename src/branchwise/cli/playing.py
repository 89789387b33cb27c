"""What the commands that play many games have in common: where games are kept, and how to go on with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import typer

if TYPE_CHECKING:
    from branchwise.cli.screen import Screen

R = TypeVar("R")

GETTING_READY = "getting the bots ready; rules that are new are compiled first"


def number_to_resume(
    kind: str, text: str, options: Mapping[str, object], others: Mapping[str, object] | None = None
) -> int | None:
    """Return the number of the match, or what else, that is to be resumed; None: the latest.

    kind : "match", "tournament", "sweep" or "tune".   options, others : what was given besides, None or
    nothing where it was not; `others` go by the names that they have on the command line.
    Raises `SettingsError` for a text that is no number, and for anything else that is given.
    """
    from branchwise.errors import SettingsError

    given = {f"--{name.replace('_', '-')}": value is not None for name, value in options.items()}
    for name, value in (given | dict(others or {})).items():
        if value:
            raise SettingsError(f"{name} cannot be changed when a {kind} is resumed", mend="leave it out")
    if text and not text.isdecimal():
        raise SettingsError(
            f'"{text}" is not the number of a {kind}',
            mend=f"branchwise {kind} --resume 1; without a number it is the latest",
        )
    return int(text) if text else None


def keep_and_tell(
    run: Callable[..., R], screen: Screen, store: str | None, so_far: Callable[[Any], str], *, create: bool
) -> R:
    """Return what `run(store=..., progress=...)` does, with games kept and how it stands told meanwhile.

    so_far : returns in one line how it stands.   create : whether the store may be a new one.
    """
    from branchwise.arena.store.store import Store

    with Store(store, create=create) as kept, screen.working(GETTING_READY) as tell:
        return run(store=kept, progress=lambda state: tell(f"{so_far(state)}, Ctrl-C: enough for now"))


def with_consent(run: Callable[[bool], R], trust: bool, *, ask: Callable[[str], str] | None = None) -> R:
    """Return what `run(trust)` does; at a terminal, ask before code of somebody else's is run.

    ask : shows a question and returns the answer; None: `input`, where there is a terminal. Raises
    `UntrustedError` where nobody can be asked, or the answer is not yes.
    """
    import sys

    from branchwise.arena.store.seal import UntrustedError

    try:
        return run(trust)
    except UntrustedError as error:
        if ask is None and not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise
        try:
            answer = (ask or input)(f"{error.problem}. Run it? [y/N] ")
        except EOFError:
            raise error from None
        if answer.strip().lower() not in ("y", "yes"):
            raise
    return run(True)


def leave_if_interrupted(screen: Screen, kind: str, result: Any, store: str | None) -> None:
    """Tell how to go on with what Ctrl-C has ended, if it has, and end the command as Ctrl-C does."""
    if result.ended_by == "interrupted":
        words = f"branchwise {kind} --resume {result.id}{store_words(store)}"
        screen.show(f"To go on: {words}", whole=True)
        raise typer.Exit(130)


def store_words(store: str | None) -> str:
    """Return the words by which a command is told which store to use."""
    return "" if store is None else f' --store "{store}"'
