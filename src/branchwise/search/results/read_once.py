"""Values of results that are read from trees late, but before the trees change."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class ReadOnce(Generic[T]):
    """A value that `read` returns on first access, or before the tree that it is read from changes."""

    _value: T

    def __init__(self, read: Callable[[], T]) -> None:
        self._read: Callable[[], T] | None = read
        self._reading = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return _known, (self.value,)

    @property
    def value(self) -> T:
        with self._reading:
            if self._read is not None:
                self._value, self._read = self._read(), None
            return self._value

    def read(self) -> None:
        """Read the value now."""
        _ = self.value


def _known(value: T) -> ReadOnce[T]:
    return ReadOnce(lambda: value)
