"""The clock by which contenders are timed: the wall's, or on a machine with other work the processor's."""

import time
from collections.abc import Callable

_clock: Callable[[], float] = time.perf_counter


def now() -> float:
    """Return the time in seconds, from any start."""
    return _clock()


def use_processor_time() -> None:
    """Count only the time in which this process runs, in all its threads."""
    global _clock
    _clock = time.process_time


def search_by_processor_time() -> None:
    """Let searches count `seconds` in the same way. All of Python has this clock from then on."""
    time.perf_counter = time.process_time  # type: ignore[assignment]
