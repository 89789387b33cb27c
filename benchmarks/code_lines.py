"""Lines of code a package: statements and signatures, whatever their format, without imports and texts.

Each statement and each signature is one line, however it is broken; docstrings, comments, imports and empty
lines do not count. So moving a module or formatting it changes nothing.

    python benchmarks/code_lines.py
    python benchmarks/code_lines.py --modules src/branchwise/core
    git stash; python benchmarks/code_lines.py    # of an earlier state
"""

from __future__ import annotations

import argparse
import ast
from collections import Counter
from pathlib import Path


def lines_of(source: str) -> int:
    """Return the number of lines of code in the text of a module."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list):
                setattr(node, field, [each for each in statements if not _is_free(each)])
    return sum(1 for line in ast.unparse(tree).splitlines() if line.strip())


def _is_free(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return True
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("src/branchwise"))
    parser.add_argument("--modules", action="store_true", help="a line for each module, not for each package")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for path in sorted(options.folder.rglob("*.py")):
        parts = path.relative_to(options.folder).parts
        name = "/".join(parts) if options.modules else parts[0]
        counts[name] += lines_of(path.read_text(encoding="utf-8"))
    for name, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"{count:7,d}  {name}")
    print(f"{counts.total():7,d}  {options.folder}")


if __name__ == "__main__":
    main()
