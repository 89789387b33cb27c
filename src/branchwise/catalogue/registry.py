"""Finding games and bots by name: built-in ones, those of other packages, and those in files.

A name is looked up among the classes given to `register`, then among the built-in ones, then among the entry
points of installed packages (groups `branchwise.games` and `branchwise.bots`). A name with a colon is a
place: `my_game.py:MyGame` or `package.module:MyGame`.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from branchwise.catalogue.files import failure_of, file_module
from branchwise.catalogue.trusted_code import is_place
from branchwise.common.errors import BranchwiseError, SettingsError, UnknownNameError, nearest_name
from branchwise.common.moved_modules import MOVED


@dataclass
class Registry:
    """Classes of one kind by name; built-in classes are imported on first use."""

    kind: str
    base: str
    """`module:Class` that every entry must derive from."""
    builtin: dict[str, str]
    """`module:Class` by name."""
    registered: dict[str, type[Any]] = field(default_factory=dict)

    @property
    def group(self) -> str:
        return f"branchwise.{self.kind}s"

    def register(self, name: str, cls: type[Any]) -> None:
        """Add a class under `name`; it takes precedence over any other of that name."""
        self.registered[name] = self._checked(cls, name)

    def names(self) -> list[str]:
        """Return every known name."""
        installed = (point.name for point in entry_points(group=self.group))
        return sorted({*self.registered, *self.builtin, *installed})

    def find(self, name: str) -> type[Any]:
        """Return the class with this name, or at this place.

        Raises `UnknownNameError` for an unknown name or a place without such a class, `GameError` if the
        code there cannot be run.
        """
        if name in self.registered:
            return self.registered[name]
        if name in self.builtin:
            return self._at(self.builtin[name])
        if is_place(name):
            return self._at(name)
        for point in entry_points(group=self.group):
            if point.name == name:
                return self._checked(_loaded(point), name)
        raise nearest_name(self.kind, name, self.names())

    def _at(self, reference: str) -> type[Any]:
        where, class_name, module = _module_at(reference)
        if class_name:
            if not hasattr(module, class_name):
                raise nearest_name(f"{self.kind} in {where}", class_name, self._classes(module))
            return self._checked(getattr(module, class_name), reference)
        found = self._classes(module)
        if not found:
            raise self._nothing_in(where, module)
        if len(found) > 1:
            raise UnknownNameError(
                f"{where} contains {len(found)} {self.kind}s: {', '.join(found)}",
                mend=f"name one: {where}:{found[-1]}",
            )
        return self._checked(getattr(module, found[0]), reference)

    def _nothing_in(self, where: str, module: ModuleType) -> UnknownNameError:
        """Return the error for a module that defines no such class, with advice."""
        base = self._base()
        parent = f"branchwise.{base.__name__}"
        write = f"write class My{base.__name__}(bw.{base.__name__}): ... in it"
        classes = {name: value for name, value in vars(module).items() if isinstance(value, type)}
        imported = [name for name, cls in classes.items() if issubclass(cls, base) and cls is not base]
        if imported:
            return UnknownNameError(
                f"{where} defines no {self.kind}, it only imports {', '.join(imported)}",
                mend=f"name the one you mean, {where}:{imported[0]}, or {write}",
            )
        own = [name for name, cls in classes.items() if cls.__module__ == module.__name__]
        similar = [name for name in own if _looks_like(classes[name], base)]
        if similar:
            return UnknownNameError(
                f"{where} defines no {self.kind}: {similar[0]} does not derive from {parent}",
                mend=f"write class {similar[0]}(bw.{base.__name__}):",
            )
        return UnknownNameError(f"{where} defines no {self.kind}", mend=write)

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
                f"{name} is not a {self.kind}: it does not derive from branchwise.{base.__name__}",
                mend=f"write class {getattr(cls, '__name__', f'My{base.__name__}')}(bw.{base.__name__}):",
            )
        return cls


def object_at(place: str, kind: str) -> Any:
    """Return what a place such as `my_rules.py:rule` names; kind : what it is, for errors.

    Raises `UnknownNameError` for a place without such a thing, `GameError` if the code there cannot be run.
    """
    where, name, module = _module_at(place)
    if not hasattr(module, name):
        known = [n for n, value in vars(module).items() if callable(value) and n[0] != "_"]
        raise nearest_name(f"{kind} in {where}", name or place, known)
    return getattr(module, name)


def _module_at(place: str) -> tuple[str, str, ModuleType]:
    """Return file or module of a place, the name in it, which may be empty, and the module that was run."""
    where, _, name = place.rpartition(":") if ":" in place else (place, "", "")
    return where, name, file_module(Path(where)) if where.endswith(".py") else _module(where)


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(MOVED.get(name, name))
    except ImportError as error:
        raise UnknownNameError(f'cannot import "{name}": {error}') from error
    except BranchwiseError:
        raise
    except (Exception, SystemExit) as error:
        raise failure_of(name, error) from error


def _loaded(point: EntryPoint) -> Any:
    """Return the object of an entry point of an installed package."""
    try:
        return point.load()
    except BranchwiseError:
        raise
    except (Exception, SystemExit) as error:
        package = "a package" if point.dist is None else f"the package {point.dist.name}"
        raise failure_of(f"{point.value}, registered by {package} as {point.name},", error) from error


def _looks_like(cls: type, base: type) -> bool:
    """Whether a class has a method that only subclasses of `base` have."""
    wanted = "legal_actions" if base.__name__ == "Game" else "choose"
    return callable(getattr(cls, wanted, None))
