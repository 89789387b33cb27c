"""Telling code of Python, NumPy and Numba from a user's code.

Code of these three changes only with their versions. All other code is a user's, whatever the name of its
module: `queue.py` beside the rules is not the standard library's `queue`.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from functools import cache, lru_cache
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np

_OTHERS = ("site-packages", "dist-packages")
"""Folders of other packages, which can be inside the folder of the standard library."""


def is_users(thing: ModuleType | FunctionType | BuiltinFunctionType | type) -> bool:
    """Whether a module, function or class comes from neither Python nor NumPy nor Numba.

    >>> import math, queue
    >>> is_users(math), is_users(queue.Queue), is_users(ModuleType("queue"))
    (False, False, True)
    """
    if isinstance(thing, ModuleType):
        return not _is_of_the_toolchain(thing)
    module = sys.modules.get(thing.__module__ or "")
    if module is None or not _is_of_the_toolchain(module):
        return True
    found: Any = module
    for name in thing.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is not thing


def _is_of_the_toolchain(module: ModuleType) -> bool:
    spec = getattr(module, "__spec__", None)
    if spec is None:
        return module is sys.modules["builtins"]
    if spec.origin in ("built-in", "frozen"):
        return spec.name in sys.stdlib_module_names and sys.modules.get(spec.name) is module
    file = getattr(module, "__file__", None)
    return file is not None and spec.origin == file and _is_file_of_the_toolchain(file)


@lru_cache(maxsize=4096)
def _is_file_of_the_toolchain(file: str) -> bool:
    path = os.path.realpath(file)
    if any(path.startswith(folder + os.sep) for folder in _package_folders()):
        return True
    return any(
        path.startswith(folder + os.sep) and path[len(folder) + 1 :].split(os.sep)[0] not in _OTHERS
        for folder in _library_folders()
    )


@cache
def _library_folders() -> tuple[str, ...]:
    named = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))
    return tuple({os.path.realpath(folder) for folder in (*named, os.path.dirname(os.__file__))})


@cache
def _package_folders() -> tuple[str, ...]:
    return tuple(os.path.realpath(package.__path__[0]) for package in (np, numba))
