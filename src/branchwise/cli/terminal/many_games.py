"""Helpers of the commands that play many games: storing games, showing progress, and resuming."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

if TYPE_CHECKING:
    from branchwise.cli.terminal.screen import Screen

R = TypeVar("R")

GETTING_READY = "getting the bots ready; new rules are compiled first"


def number_to_resume(
    kind: str, text: str, options: Mapping[str, object], others: Mapping[str, object] | None = None
) -> int | None:
    """Return the number of the match, run, tournament, sweep or tune to resume; None: the latest of its kind.

    kind : "match", "run", "tournament", "sweep", "tune".   options, others : the other options, None or empty
    unless given; `others` have their names on the command line.
    Raises `SettingsError` for a text that is not a number, and for any other option that is given.
    """
    from branchwise.common.errors import SettingsError

    given = {f"--{name.replace('_', '-')}": value is not None for name, value in options.items()}
    for name, value in (given | dict(others or {})).items():
        if value:
            raise SettingsError(f"{name} cannot be changed when resuming a {kind}", mend="leave it out")
    if text and not text.isdecimal():
        raise SettingsError(
            f'"{text}" is not the number of a {kind}',
            mend=f"branchwise {kind} --resume 1; without a number the latest is resumed",
        )
    return int(text) if text else None


def keep_and_tell(
    run: Callable[..., R], screen: Screen, store: str | None, so_far: Callable[[Any], str], *, create: bool
) -> R:
    """Return the result of `run(store=..., progress=...)`; keep the games and show the standing meanwhile.

    so_far : returns the standing in one line.   create : whether the store may be a new one.
    """
    from branchwise.arena.store.store import Store

    with Store(store, create=create) as kept, screen.working(GETTING_READY) as tell:
        return run(store=kept, progress=lambda state: tell(f"{so_far(state)}, Ctrl-C: pause"))


def resumed(
    run: Callable[..., R], screen: Screen, store: str | None, so_far: Callable[[Any], str], trust: bool
) -> R:
    """Return the result of `run(store=..., progress=..., trust=...)`, which continues what was begun."""
    return with_consent(
        lambda trust: keep_and_tell(partial(run, trust=trust), screen, store, so_far, create=False), trust
    )


def with_consent(run: Callable[[bool], R], trust: bool, *, ask: Callable[[str], str] | None = None) -> R:
    """Return the result of `run(trust)`; at a terminal, ask before running someone else's code.

    ask : shows a question and returns the answer; None: `input`, if there is a terminal. Raises
    `UntrustedError` if there is no terminal, or the answer is not yes.
    """
    import sys

    from branchwise.arena.store.trust_seal import UntrustedError

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


def leave_if_interrupted(
    screen: Screen, kind: str, result: Any, store: str | None, output: str | None = None
) -> None:
    """If Ctrl-C has ended the run, show how to continue it and exit as on Ctrl-C."""
    if result.ended_by == "interrupted":
        words = f"branchwise {kind} --resume {result.id}{store_words(store)}"
        words += "" if output is None else f' --output "{output}"'
        screen.show(f"To continue: {words}", whole=True)
        raise typer.Exit(130)


def place_to_write(file: Path, what: str, mend: str) -> Path:
    """Return `file`, after making its folder and checking that it can be written.

    what : what will be written, for the error.   mend : its advice. Raises `SettingsError`.
    """
    from branchwise.common.errors import SettingsError

    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8"):
            pass
        if not file.stat().st_size:
            file.unlink()
    except OSError as error:
        raise SettingsError(f"the {what} cannot be written to {file}: {error}", mend=mend) from error
    return file


def store_words(store: str | None) -> str:
    """Return the command-line words that name the store."""
    return "" if store is None else f' --store "{store}"'
