"""Libraries that only some of the package needs, which the extras install."""

from __future__ import annotations

from importlib import import_module

from branchwise.common.errors import SettingsError


def need_library(name: str, doing: str, extra: str) -> None:
    """Raise `SettingsError` if a library is missing; doing : what is done by it.   extra : installs it."""
    try:
        import_module(name)
    except ImportError as error:
        raise SettingsError(
            f"{doing} by {name}, which is not installed", mend=f'pip install "branchwise[{extra}]"'
        ) from error
