"""The network that is trained, with Adam's moments and the window of samples it learns from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import SettingsError
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.core.networks.training import Steps, Tensors, Window, Work, add_samples, train
from branchwise.learning.recipe import Recipe
from branchwise.networks.inputs import Inputs
from branchwise.networks.network import Network

keep_on_disk()

LEAST_MEMORY_MB = 8
_MOST_SAMPLES = 2_000_000
_SPARE = 8
"""One part in this many of the window is never read, so that a checkpoint stays whole while new samples are
written: see `Learner.is_due`."""


class Learner:
    """Trains `network` in place; the same samples in the same order give the same weights.

    folder : keeps the window in files there, so that it survives the process; None: in memory.
    """

    def __init__(
        self,
        network: Network,
        inputs: Inputs,
        recipe: Recipe,
        seed: int,
        memory_mb: float,
        folder: Path | None,
    ) -> None:
        self.network = network
        self._recipe = recipe
        rows = (
            np.arange(inputs.num_actions).reshape(-1, 1) if inputs.policy_rows is None else inputs.policy_rows
        )
        self._outputs = np.ascontiguousarray(rows, np.int32)
        self.weights = Tensors.of(network.weights, inputs.num_rows, *network.widths)
        self._first, self._second = self.weights.like(), self.weights.like()
        self._gradient = self.weights.like()
        self._steps = Steps.of(self.weights)
        self._work = Work.of(self.weights, len(self._outputs))
        self._counter = np.array([abs(seed)], np.uint64)
        self._owed = 0.0
        words = int(memory_mb * 2**20) // 4
        samples = min(_MOST_SAMPLES, words // 8)
        self._words = _memory(folder, "words", words, np.int32)
        places = _memory(folder, "places", samples, np.int64)
        self._window = Window(self._words, self._words.view(np.float32), places, np.zeros(3, np.int64))
        self._saved = 0

    @property
    def samples(self) -> int:
        """Number of samples in the window."""
        return int(self._window.span[1] - self._window.span[0])

    @property
    def is_due(self) -> bool:
        """Whether a checkpoint is needed before further samples overwrite those of the last one."""
        return int(self._window.span[2]) - self._saved > self._words.size // _SPARE // 2

    def add(self, words: NDArray[np.int32], count: int) -> None:
        """Add the samples of a game; they count for `train` from the next call on."""
        call(add_samples, self._window, words, count, _SPARE)
        self._owed += count * self._recipe.samples / self._recipe.batch

    def train(self, share: float) -> tuple[float, float]:
        """Train for the samples added since the last call; returns the mean losses of value and policy."""
        batches = int(self._owed)
        if batches == 0 or self.samples == 0:
            return float("nan"), float("nan")
        self._owed -= batches
        self._work.losses[:] = 0.0
        size, rate = self._recipe.batch, self._recipe.rate(share)
        tensors = (self.weights, self._first, self._second, self._steps, self._gradient, self._work)
        samples = (self._window, self._outputs, self._counter[0], batches, size, rate)
        counter = call(train, *tensors, *samples)
        self._counter[0] = np.uint64(counter)
        value, policy = self._work.losses / (batches * size)
        return float(value), float(policy)

    @property
    def met(self) -> NDArray[np.bool_]:
        """Which rows of the inputs training has met."""
        return self._steps.rows[:-1] > 0

    @property
    def is_finite(self) -> bool:
        """Whether all weights are numbers."""
        return bool(np.isfinite(self.network.weights).all())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a checkpoint keeps, besides the window's files."""
        self._saved = int(self._window.span[2])
        found: dict[str, NDArray[Any]]
        found = {"weights": self.network.weights, "counter": self._counter, "span": self._window.span}
        found["owed"] = np.array([self._owed])
        for kind, tensors in (("first", self._first), ("second", self._second), ("steps", self._steps)):
            found |= {f"{kind}_{name}": array for name, array in tensors._asdict().items()}
        return found

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a checkpoint; raises `ValueError` or `KeyError` for one of another network."""
        for name, array in self.arrays().items():
            array[...] = arrays[name]
        self._owed = float(arrays["owed"][0])
        self._saved = int(self._window.span[2])


def _memory(folder: Path | None, name: str, size: int, dtype: Any) -> NDArray[Any]:
    """Return an array of the window: in a file of its full size if there is a folder."""
    try:
        if folder is None:
            return np.zeros(size, dtype)
        file = folder / name
        length = size * np.dtype(dtype).itemsize
        if not file.exists() or file.stat().st_size != length:
            with open(file, "wb") as new:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(new.fileno(), 0, length)  # a full disk is told now, not by a crash
                else:
                    new.truncate(length)
        return np.memmap(file, dtype, "r+", shape=(size,)).view(np.ndarray)
    except (OSError, MemoryError) as error:
        where = "in memory" if folder is None else f"in {folder}"
        needed = size * np.dtype(dtype).itemsize / 2**20
        raise SettingsError(
            f"there is no room {where} for a window of {needed:,.0f} MiB: {error}",
            mend="give less memory_mb, or make room",
        ) from error
