"""Helpers of the commands that play many games: storing games, showing progress, and resuming."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import typer

if TYPE_CHECKING:
    from branchwise.cli.terminal.screen import Screen

T = TypeVar("T")
R = TypeVar("R", bound="GamesResult")
INTERRUPTED = "interrupted"

GETTING_READY = "getting the bots ready; new rules are compiled first"
_OF_COMMANDS = ("resume", "trust", "store", "as_json", "executor")
_NAMES = {"bots": "bots", "proofs": "--no-proofs"}
"""What people call settings that are not given as --NAME."""


class GamesResult(Protocol):
    """What a match, a tournament, a sweep or a tuner gives."""

    @property
    def id(self) -> int | None: ...
    @property
    def ended_by(self) -> str: ...


@dataclass(frozen=True)
class GamesCommand:
    """A command that plays many games, as it was called: it begins them or goes on, and keeps them all.

    kind : what it plays, as `branchwise KIND --resume` calls it.   given : its arguments and options, by
    name, which are all names that its function knows at first.   so_far : returns the standing in one line.
    """

    kind: str
    given: Mapping[str, Any]
    so_far: Callable[[Any], str]

    @cached_property
    def screen(self) -> Screen:
        """What it shows its results on."""
        from branchwise.cli.terminal.screen import Screen

        return Screen(quiet=self.given["as_json"])

    def settings(self, *without: str) -> dict[str, Any]:
        """Return what was given to decide how the games are played; without : names that are left out."""
        return {name: value for name, value in self.given.items() if name not in (*_OF_COMMANDS, *without)}

    def number(self, *free: str) -> int | None:
        """Return the number of what is to be resumed, given in the place of the game; None: the latest.

        free : names of options that may change. Raises `SettingsError` for a text that is not a number, and
        for any other option that is given.
        """
        from branchwise.common.errors import SettingsError

        kind, text = self.kind, self.given.get("game", self.given.get("problem", ""))
        for name, value in self.settings("game", "problem", "concurrency", *free).items():
            if value is not None and value is not True and value != []:
                option = _NAMES.get(name, f"--{name.replace('_', '-')}")
                raise SettingsError(f"{option} cannot be changed when resuming a {kind}", mend="leave it out")
        if text and not text.isdecimal():
            raise SettingsError(
                f'"{text}" is not the number of a {kind}',
                mend=f"branchwise {kind} --resume 1; without a number the latest is resumed",
            )
        return int(text) if text else None

    def begin(self, run: Callable[..., R]) -> R:
        """Return the result of `run`; keep the games, in a new store if need be, and show the standing."""
        return self._kept(run, create=True)

    def resume(self, run: Callable[..., R], number: int | None) -> R:
        """Return the result of `run`, which continues what was begun."""
        again = partial(run, id=number, concurrency=self.given["concurrency"])
        return with_consent(
            lambda trust: self._kept(partial(again, trust=trust), create=False), self.given["trust"]
        )

    def _kept(self, run: Callable[..., R], *, create: bool) -> R:
        from branchwise.arena.cluster.choice import on_executor
        from branchwise.arena.store.store import Store

        with (
            Store(self.given["store"], create=create) as kept,
            self.screen.working(GETTING_READY) as tell,
            on_executor(self.given.get("executor")),
        ):
            return run(
                store=kept,
                progress=lambda state: tell(f"{self.so_far(state)}{engine_words()}, Ctrl-C: pause"),
            )

    def end(
        self, result: R, to_dict: Callable[[R], dict[str, Any]], show: Callable[[Screen, R], object]
    ) -> None:
        """Print the result, as JSON if asked to; if Ctrl-C has ended it, tell how to go on, and exit so."""
        from branchwise.cli.terminal.screen import show_json

        if self.given["as_json"]:
            show_json(to_dict(result))
        show(self.screen, result)
        if result.ended_by == INTERRUPTED:
            words = f"branchwise {self.kind} --resume {result.id}{store_words(self.given['store'])}"
            if self.kind == "tune" and self.given["output"] is not None:
                words += f' --output "{self.given["output"]}"'
            self.screen.show(f"To continue: {words}", whole=True)
            raise typer.Exit(130)


def engine_words() -> str:
    """Return a comma and the progress of the engine that plays the games; '' without an engine."""
    from branchwise.arena.cluster.choice import current_engine

    engine = current_engine()
    return "" if engine is None else f", {engine.told()}"


def with_consent(run: Callable[[bool], T], trust: bool, *, ask: Callable[[str], str] | None = None) -> T:
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
