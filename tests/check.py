"""What one needs before a commit, in about a minute: linters, types, tests of what has changed (make check).

    python tests/check.py [SINCE]

Changed is what differs from the commit SINCE; without it from where the branch left `main`, or on `main` from
the last commit. Tests run in the order of their nearness: those that were changed, those named like a changed
module, those that import it, those in its folder, those of its room. What does not fit in the time is left
out, and named.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
SECONDS = 45.0
"""After which no more tests begin, from the start of the program on."""
MOST_FILES = 40
"""Files with tests that are read: more than run in this time."""
NAMED = 10
"""Files that are named among those left out."""
LINTERS = (["ruff", "check", "--quiet"], ["ruff", "format", "--check", "--quiet"], ["lint-imports"])


def changed_files(since: str | None) -> list[Path]:
    """Return the files that differ from a commit, or from where the branch left `main`."""
    base = [since] if since else _git("merge-base", "HEAD", "main") or ["HEAD"]
    names = [
        *_git("diff", "--name-only", "--diff-filter=d", base[0]),
        *_git("ls-files", "--others", "--exclude-standard"),
    ]
    return sorted(ROOT / name for name in names)


def _git(*words: str) -> list[str]:
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()


def nearest_tests(changed: list[Path]) -> list[Path]:
    """Return files with tests of what has changed, the nearest first."""
    files = sorted(file for file in TESTS.rglob("test_*.py") if file.parent.name != "browser")
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    nearness: dict[Path, int] = {}
    for file in changed:
        for test in files:
            near = _nearness(file, test, texts[test])
            if near is not None:
                nearness[test] = min(near, nearness.get(test, near))
    return sorted(nearness, key=lambda test: (nearness[test], test))


def _nearness(changed: Path, test: Path, text: str) -> int | None:
    """Return how near a file with tests is to a changed file, 0 for the nearest; None if it is elsewhere."""
    if changed == test:
        return 0
    if changed.suffix != ".py":
        return 3 if "docs" in test.parts and changed.suffix == ".md" else None
    if TESTS / "support" in changed.parents:
        return 2 if re.search(rf"\bsupport\.{changed.stem}\b", text) else None
    if TESTS in changed.parents:
        return 3 if changed.parent in test.parents and changed.name == "conftest.py" else None
    package = ROOT / "src" / "branchwise"
    if package not in changed.parents:
        return 3 if test.parent == TESTS / changed.relative_to(ROOT).parts[0] else None
    place = changed.relative_to(package)
    room = TESTS / place.parts[0]
    if room in test.parents and test.stem == f"test_{place.stem}":
        return 1
    if re.search(rf"\b{'.'.join(('branchwise', *place.with_suffix('').parts))}\b", text):
        return 2
    if test.parent == TESTS / place.parent:
        return 3
    return 4 if room in test.parents else None


class InTime:
    """Lets pytest begin no test after `end`; `left` counts those of each file that did not run."""

    def __init__(self, end: float) -> None:
        self._end = end
        self.left: Counter[str] = Counter()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        if time.monotonic() < self._end:
            return None
        self.left[item.nodeid.partition("::")[0]] += 1
        return True


def run_tests(files: list[Path], end: float) -> bool:
    """Run tests until a time, the first files first; returns whether none has failed."""
    in_time = InTime(end)
    words = ["-q", "-n", "0", "-m", "not slow and not browser", *map(str, files[:MOST_FILES])]
    status = pytest.main(words, plugins=[in_time])
    left = [f"{file} ({count} tests)" for file, count in in_time.left.items()]
    left += [str(file.relative_to(ROOT)) for file in files[MOST_FILES:]]
    if left:
        print(f"left out, to end after {SECONDS:.0f} s:", *left[:NAMED], sep="\n  ")
        if len(left) > NAMED:
            print(f"  and {len(left) - NAMED} more files")
    return status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def failed(started: list[tuple[list[str], subprocess.Popen[str]]]) -> Iterator[str]:
    """Wait for programs, print what those say that fail, and yield their commands."""
    for words, process in started:
        said = process.communicate()[0]
        if process.returncode:
            print(f"$ {' '.join(words)}\n{said}")
            yield " ".join(words)


def start(words: list[str]) -> tuple[list[str], subprocess.Popen[str]]:
    program = str(Path(sys.executable).with_name(words[0]))
    return words, subprocess.Popen(
        [program, *words[1:]], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def main(since: str | None = None) -> int:
    """Check what has changed; returns the exit status."""
    end = time.monotonic() + SECONDS
    types = start(["mypy"])  # remembers what it has found: the first time takes longer
    wrong = list(failed([start(words) for words in LINTERS]))
    changed = changed_files(since)
    files = nearest_tests(changed)
    sources = [file for file in changed if file.suffix == ".py" and ROOT / "src" in file.parents]
    if files and not run_tests([*files[: MOST_FILES // 2], *sources, *files[MOST_FILES // 2 :]], end):
        wrong.append("pytest")
    wrong += failed([types])
    if any("frontend" in file.parts for file in changed):
        print("the source of the page has changed: `make page` builds and tests it")
    print(f"not right: {', '.join(wrong)}" if wrong else "all is well; `make test` runs all tests")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
