"""Finding games and bots by name: those that come with Branchwise, those of other packages, and files.

A name is looked for among what `register` was given, then among the built-in ones, then among the entry
points of installed packages (groups `branchwise.games` and `branchwise.bots`). Anything with a colon is a
place: `my_game.py:MyGame` or `package.module:MyGame`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from branchwise.errors import GameError, SettingsError, UnknownNameError, nearest_name


@dataclass
class Registry:
    """Classes of one kind by name; a built-in one is imported when it is first asked for."""

    kind: str
    base: str
    """`module:Class` that every entry has to derive from."""
    builtin: dict[str, str]
    """`module:Class` by name."""
    registered: dict[str, type[Any]] = field(default_factory=dict)

    @property
    def group(self) -> str:
        return f"branchwise.{self.kind}s"

    def register(self, name: str, cls: type[Any]) -> None:
        """Add a class under `name`, before any other of that name."""
        self.registered[name] = self._checked(cls, name)

    def names(self) -> list[str]:
        """Return every known name."""
        installed = (point.name for point in entry_points(group=self.group))
        return sorted({*self.registered, *self.builtin, *installed})

    def find(self, name: str) -> type[Any]:
        """Return the class called `name`, or at the place `name`.

        Raises `UnknownNameError` for an unknown name or a place without such a class, `GameError` if the
        code there cannot be run.
        """
        if name in self.registered:
            return self.registered[name]
        if name in self.builtin:
            return self._at(self.builtin[name])
        if ":" in name or name.endswith(".py"):
            return self._at(name)
        for point in entry_points(group=self.group):
            if point.name == name:
                return self._checked(point.load(), name)
        raise nearest_name(self.kind, name, self.names())

    def _at(self, place: str) -> type[Any]:
        where, _, class_name = place.rpartition(":") if ":" in place else (place, "", "")
        module = file_module(Path(where)) if where.endswith(".py") else _module(where)
        if class_name:
            if not hasattr(module, class_name):
                raise nearest_name(f"{self.kind} in {where}", class_name, self._classes(module))
            return self._checked(getattr(module, class_name), place)
        found = self._classes(module)
        if len(found) != 1:
            raise UnknownNameError(
                f"{where} holds {len(found)} {self.kind}s: {', '.join(found) or 'none'}",
                mend=f"say which: {where}:NAME",
            )
        return self._checked(getattr(module, found[0]), place)

    def _classes(self, module: ModuleType) -> list[str]:
        base = self._base()
        return [
            name
            for name, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, base) and value.__module__ == module.__name__
        ]

    def _base(self) -> type[Any]:
        module, _, name = self.base.partition(":")
        found: type[Any] = getattr(importlib.import_module(module), name)
        return found

    def _checked(self, cls: object, name: str) -> type[Any]:
        base = self._base()
        if not (isinstance(cls, type) and issubclass(cls, base)):
            raise SettingsError(
                f"{name} is no {self.kind}: it does not derive from branchwise.{base.__name__}"
            )
        return cls


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UnknownNameError(f'cannot import "{name}": {error}') from error


def file_module(file: Path) -> ModuleType:
    """Run a Python file as a module, once; files beside it can be imported as when it is run itself."""
    path = file.expanduser().resolve()
    if not path.is_file():
        raise UnknownNameError(f"no file {file}")
    name = path.stem
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    if known is not None:
        name = f"{path.stem}_{abs(hash(str(path))):x}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UnknownNameError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    folder = str(path.parent)
    added = folder not in sys.path
    if added:
        sys.path.insert(0, folder)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        if isinstance(error, GameError):
            raise
        raise GameError(f"{file} cannot be run: {type(error).__name__}: {error}") from error
    finally:
        if added:
            sys.path.remove(folder)
    return module
