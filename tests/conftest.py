"""Tests have their own folders for compiled code and data; what a test registers is forgotten after it."""

import gc
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("unhurried", deadline=None)  # kernels are compiled on first use
settings.load_profile("unhurried")

# Compiling makes many objects that stay, and every collection looks at them again: a fifteenth of the time.
gc.set_threshold(1_000_000, 10, 10)

os.environ.setdefault(
    "BRANCHWISE_CACHE_DIR", str(Path(__file__).parent.parent / ".pytest_cache" / "compiled")
)
os.environ["XDG_DATA_HOME"] = str(Path(__file__).parent.parent / ".pytest_cache" / "data")
os.environ["BRANCHWISE_LEVELS"] = str(Path(__file__).parent.parent / ".pytest_cache" / "levels")


# Background jobs of a shell ignore Ctrl-C, and so would all processes that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SLOW = Path(__file__).with_name("slow_tests.txt")
LONGEST = (
    "games/test_forms.py",
    "compile/test_cache.py",
    "optimise/test_sweeps.py",
    "docs/test_readme.py",
    "arena/test_match.py",
    "arena/tuning/test_for_game.py",
    "optimise/test_searches.py",
    "search/test_faults.py",
    "search/parallel/test_processes.py",
    "optimise/test_leaf_parallel.py",
    "information_sets/test_searches.py",
    "search/test_planner.py",
    "information_sets/test_against_reference.py",
)
"""Files whose tests take longest. Several processes begin with them, so that none has one left at the end."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that `slow_tests.txt` lists; a line that names no test of its file is an error."""
    listed = {line for line in SLOW.read_text(encoding="utf-8").splitlines() if not line.startswith("#")}
    collected = {item.nodeid: item for item in items}
    for name in listed & collected.keys():
        collected[name].add_marker(pytest.mark.slow)
    files = {name.partition("::")[0] for name in collected}
    gone = sorted(name for name in listed - collected.keys() if name.partition("::")[0] in files)
    in_part = config.option.lf or any("::" in argument for argument in config.args)
    if gone and not in_part:
        raise pytest.UsageError(
            f"{SLOW.name} names tests that are not there; remove or mend: {', '.join(gone)}"
        )
    if hasattr(config, "workerinput"):
        _put_longest_first(items)


def _put_longest_first(items: list[pytest.Item]) -> None:
    """Order tests by file: the longest, then those with most tests."""
    ranks = {f"tests/{name}": rank for rank, name in enumerate(LONGEST)}
    sizes = Counter(item.nodeid.partition("::")[0] for item in items)

    def place(item: pytest.Item) -> tuple[int, int]:
        file = item.nodeid.partition("::")[0]
        return ranks.get(file, len(ranks)), -sizes[file]

    items.sort(key=place)


@pytest.fixture(scope="session", autouse=True)
def one_game_at_once() -> Iterator[None]:
    """Let matches play one game at a time unless a test asks for more, because a process takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("branchwise.arena.match_conditions.cores", lambda: 1)
        yield


@pytest.fixture(autouse=True)
def own_registrations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what a test registers, so that later tests in the same process do not see it."""
    from branchwise.bots import BOTS
    from branchwise.games import GAMES

    for registry in (BOTS, GAMES):
        monkeypatch.setattr(registry, "registered", dict(registry.registered))


@pytest.fixture
def late_code(monkeypatch: pytest.MonkeyPatch) -> type:
    """Make machine code arrive late where a search may begin without it; `asked_for` sets how late."""
    from weakref import WeakValueDictionary

    from support.late_code import LateCode

    monkeypatch.setattr("branchwise.search.drivers.background_compiling._under_way", WeakValueDictionary())
    monkeypatch.setattr("branchwise.search.drivers.background_compiling._failed", {})
    monkeypatch.setattr("branchwise.search.drivers.background_compiling.is_loaded", lambda *_: False)
    monkeypatch.setattr("branchwise.search.drivers.background_compiling.Job", LateCode)
    monkeypatch.setattr(LateCode, "asked_for", LateCode.asked_for)
    monkeypatch.setattr(LateCode, "begun", [])
    return LateCode


@pytest.fixture
def uncompilable(late_code: type, monkeypatch: pytest.MonkeyPatch) -> type:
    """Make the compiler refuse all rules, late."""
    from branchwise.common.errors import GameError

    def refuse(*_: object) -> None:
        raise GameError("the rules cannot be compiled: line 7", mend="write them with numbers")

    monkeypatch.setattr("branchwise.search.drivers.background_compiling.call", refuse)
    return late_code
