"""Loading Python files of games and bots as modules.

A file runs as a module of a package that represents its folder, and so do the files that it imports from
there. So two files in two folders may have helpers of the same name. The package's name encodes its folder,
so any process that imports this module can find the others by name, as pickle does.
"""

from __future__ import annotations

import builtins
import importlib
import linecache
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import (
    BuiltinImporter,
    FrozenImporter,
    ModuleSpec,
    NamespaceLoader,
    PathFinder,
    SourceFileLoader,
)
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from branchwise.common.errors import GameError, UnknownNameError

PACKAGE = __name__
__path__: list[str] = []  # makes this module a package, in which `_Finder` finds modules

_GUARD = 'put the actions of the script under: if __name__ == "__main__":'


def file_module(file: Path) -> ModuleType:
    """Run a Python file as a module, once; like a script, it can import files from its folder.

    Raises `UnknownNameError` if there is no file, and `GameError` with the line if it fails.
    """
    path = file.expanduser().resolve()
    if not path.is_file():
        raise UnknownNameError(f"no file {file}")
    known = sys.modules.get(path.stem)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known  # the program has imported it itself
    folder = f"{PACKAGE}.{_encoded(str(path.parent))}"
    importlib.invalidate_caches()
    with _findable(str(path.parent)), _whole(folder):
        try:
            return importlib.import_module(f"{folder}.{_encoded(path.stem)}")
        except GameError as error:
            where = _location(path, error)
            if type(error) is not GameError or not where or re.search(r", line \d+", error.problem):
                raise
            problem = f"{error.problem} ({where})"
            raise GameError(problem, after=error.after, mend=error.mend, replay=error.replay) from error
        except (Exception, SystemExit) as error:
            raise _failure(str(file), path, error) from error


def is_file_module(name: str) -> bool:
    """Whether this module is a file that `file_module` ran, or a file from its folder."""
    return name.startswith(f"{PACKAGE}.")


def files_run_with(module: str) -> list[Path]:
    """Return the file of a module that `file_module` ran, and those that were imported from its folder."""
    return [Path(file) for name in _beside(module) if (file := getattr(sys.modules[name], "__file__", None))]


def forget_files(module: str) -> None:
    """Let `file_module` run a file again, with all that was imported from its folder."""
    for name in _beside(module):
        del sys.modules[name]


def _beside(module: str) -> list[str]:
    if not is_file_module(module):
        return []
    folder, _, _ = module[len(PACKAGE) + 1 :].partition(".")
    return [name for name in sys.modules if name.startswith(f"{PACKAGE}.{folder}.")]


def run_file(file: Path, name: str) -> ModuleType:
    """Run a Python file as the module `name`, as the import system would if it found it."""
    spec = spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        with _findable(str(file.parent)):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


# --- faults -----------------------------------------------------------------------------------------


def failure_of(what: str, error: BaseException) -> GameError:
    """Return the error for the module `what`, whose import raised `error`."""
    return _failure(what, None, error)


def _failure(what: str, path: Path | None, error: BaseException) -> GameError:
    if isinstance(error, SystemExit):
        problem, mend = f"{what} ends the program when it is loaded", _GUARD
    else:
        told = error.msg if isinstance(error, SyntaxError) else str(error)
        if path is not None:
            package = f"{PACKAGE}.{_encoded(str(path.parent))}"
            told = told.replace(f"{package}.", "").replace(package, str(path.parent))
        problem = f"{what} cannot be run: {type(error).__name__}" + (f": {told}" if told else "")
        mend = _mend(error)
    where = _location(path, error)
    return GameError(f"{problem} ({where})" if where else problem, mend=mend)


def _mend(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name:
        name = error.name.rpartition(".")[2] if is_file_module(error.name) else error.name
        return f"put {name}.py beside the file, or install {name} where Branchwise is installed"
    if isinstance(error, EOFError):
        return _GUARD
    return "correct that line; run the file with python to see the whole traceback"


def _location(path: Path | None, error: BaseException) -> str:
    """Return file, line and text of the user's innermost line in the traceback of `error`."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return _line(error.filename, error.lineno, error.text)
    own = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    folder = None if path is None else os.path.join(str(path.parent), "")
    users = [
        (name, line)
        for name, line in frames
        if (name.startswith(folder) if folder else os.path.isfile(name)) and not name.startswith(own)
    ]
    return _line(*users[-1], None) if users else ""


def _line(file: str, line: int, text: str | None) -> str:
    linecache.checkcache(file)
    text = (text or linecache.getline(file, line)).strip()
    return f"{os.path.basename(file)}, line {line}" + (f": {text}" if text else "")


# --- importing --------------------------------------------------------------------------------------


class _Finder(MetaPathFinder):
    """Finds the packages that represent folders, and the modules in them."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not is_file_module(fullname):
            return None
        package, _, inner = fullname[len(PACKAGE) + 1 :].partition(".")
        if not inner:
            spec = ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [_decoded(package)]
            return spec
        found = PathFinder.find_spec(fullname, path)
        if found is None and "%" in inner:
            found = spec_from_file_location(fullname, Path(_decoded(package), f"{_decoded(inner)}.py"))
        if found is not None and type(found.loader) is SourceFileLoader:
            found.loader = _Loader(fullname, found.loader.path)
        return found


class _Loader(SourceFileLoader):
    """Runs a file whose imports search its folder first; recompiles it always, since edits may be quick."""

    def get_code(self, fullname: str) -> CodeType:
        file = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(file), file)
        return code

    def exec_module(self, module: ModuleType) -> None:
        package, _, _ = module.__name__[len(PACKAGE) + 1 :].partition(".")
        importing = _importing(f"{PACKAGE}.{package}", _decoded(package))
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": importing}
        super().exec_module(module)


def _importing(package: str, folder: str) -> Callable[..., ModuleType]:
    """Return the function behind import statements in modules of a package that represents a folder."""

    def import_beside(
        name: str,
        globals: Any = None,  # noqa: A002 - as Python calls them
        locals: Any = None,  # noqa: A002
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        root = name.partition(".")[0]
        if level or not _is_beside(root, package, folder):
            return builtins.__import__(name, globals, locals, fromlist, level)
        module = importlib.import_module(f"{package}.{name}")
        if not fromlist:
            return sys.modules[f"{package}.{root}"]
        return builtins.__import__(module.__name__, globals, locals, fromlist, 0)

    return import_beside


def _is_beside(root: str, package: str, folder: str) -> bool:
    """Whether `import root` in a file of the folder means a module there, as it does in a script.

    False for Branchwise, for Python's built-in modules, and for modules that the program itself imports from
    there.
    """
    if f"{package}.{root}" in sys.modules:
        return True
    if root == "branchwise" or BuiltinImporter.find_spec(root) or FrozenImporter.find_spec(root):
        return False
    found = PathFinder.find_spec(root, [folder])
    if found is None:
        return False
    others = PathFinder.find_spec(root, [place for place in sys.path if place not in _added])
    if found.origin is None or isinstance(found.loader, NamespaceLoader):  # a folder without __init__.py
        return others is None
    return others is None or others.origin != found.origin


_added: list[str] = []
"""Folders that are on sys.path only while a file there is run."""


@contextmanager
def _findable(folder: str) -> Iterator[None]:
    """Make the folder's modules importable with `importlib.import_module`; then remove their plain names."""
    if folder in sys.path:
        yield
        return
    before = set(sys.modules)
    sys.path.insert(0, folder)
    _added.append(folder)
    try:
        yield
    finally:
        _added.remove(folder)
        sys.path.remove(folder)
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if not is_file_module(name) and file and file.startswith(os.path.join(folder, "")):
                del sys.modules[name]


@contextmanager
def _whole(package: str) -> Iterator[None]:
    """On an exception, remove the new modules of the package, so that later edits take effect."""
    before = set(sys.modules)
    try:
        yield
    except BaseException:
        for name in set(sys.modules) - before:
            if name.startswith(f"{package}."):
                del sys.modules[name]
        raise


def _encoded(text: str) -> str:
    """Return a path as one part of a module's name, which may contain anything but dots."""
    return text.replace("%", "%25").replace(".", "%2e")


def _decoded(part: str) -> str:
    return part.replace("%2e", ".").replace("%25", "%")


sys.meta_path.insert(0, _Finder())  # before the one for folders, which would find them too
