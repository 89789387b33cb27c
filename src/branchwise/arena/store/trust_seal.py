"""Recognising entries that this user began on this machine, so that a store from elsewhere runs no code
unasked.

A store names games and bots, and resuming a match runs them: Python files, and commands of engines. So each
match is sealed when it begins, with a key that is kept among the user's data and never in a store [RFC2104].
If the seal is missing or made with another key, the user must agree before anything the store names is run.

[RFC2104] Krawczyk, Bellare, Canetti, "HMAC: Keyed-Hashing for Message Authentication", 1997.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from branchwise.catalogue.trusted_code import runs_code
from branchwise.common.errors import StoreError

_KEY_BYTES = 32
_SHOWN = 200


class UntrustedError(StoreError):
    """A store names code to run, and was not written by this user on this machine."""


def key_file() -> Path:
    """Return the path of the key, whether or not it exists."""
    from platformdirs import user_data_path

    return user_data_path("branchwise", appauthor=False) / "store.key"


def seal(kind: str, settings: Mapping[str, Any]) -> str:
    """Return the seal of a match or series with these settings; '' if no key can be kept."""
    key = _key(make=True)
    return "" if key is None else _sealed(key, kind, settings)


def is_sealed(kind: str, settings: Mapping[str, Any], found: str) -> bool:
    """Whether `found` shows that this user began it on this machine."""
    key = _key(make=False)
    return key is not None and bool(found) and hmac.compare_digest(found, _sealed(key, kind, settings))


def code_in(settings: Mapping[str, Any]) -> list[str]:
    """Return the games and bots in the settings of a match or a series that would run code."""
    names = [settings.get(name) for name in ("game", "bot", "against")]
    bots = settings.get("bots")
    names += bots if isinstance(bots, list | tuple) else []
    return list(dict.fromkeys(name for name in names if isinstance(name, str) and runs_code(name)))


def need_trust(what: str, kind: str, settings: Mapping[str, Any], found: str, trust: bool) -> None:
    """Raise `UntrustedError` for settings that would run code, unless they are sealed or `trust` is true.

    what : the thing to be run, for the error.
    """
    code = code_in(settings)
    if trust or not code or is_sealed(kind, settings, found):
        return
    named = ", ".join(_shown(name) for name in code)
    raise UntrustedError(
        f"{what} was not begun by you on this machine, and would run {named}",
        mend="if you know where it is from, --trust (trust=True in Python) runs it",
    )


def _sealed(key: bytes, kind: str, settings: Mapping[str, Any]) -> str:
    text = json.dumps([kind, dict(settings)], sort_keys=True)
    return hmac.digest(key, text.encode(), "sha256").hex()


def _key(*, make: bool) -> bytes | None:
    """Return the user's key; None if there is none, or if others may read or write it."""
    file = key_file()
    with suppress(OSError):
        if make and not file.exists():
            _make(file)
        with file.open("rb") as opened:
            owned = os.fstat(opened.fileno())
            if owned.st_uid == os.getuid() and not stat.S_IMODE(owned.st_mode) & 0o077:
                key = opened.read(_KEY_BYTES + 1)
                return key if len(key) == _KEY_BYTES else None
    return None


def _make(file: Path) -> None:
    """Create the key, completely or not at all, unless another process was faster."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, secrets.token_bytes(_KEY_BYTES))
        with suppress(FileExistsError):
            os.link(new, file)
    finally:
        os.close(descriptor)
        new.unlink()


def _shown(text: str) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in text[: _SHOWN + 1])
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
