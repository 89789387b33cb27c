"""Libraries that only some of the package needs, which the extras install."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from branchwise.common.errors import SettingsError


def need_library(name: str, doing: str, extra: str) -> ModuleType:
    """Return a library; doing : what is done by it.   extra : installs it.

    Raises `SettingsError` if it is missing.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise SettingsError(
            f"{doing} by {name}, which is not installed", mend=f'pip install "branchwise[{extra}]"'
        ) from error
