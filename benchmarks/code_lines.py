"""Lines of code a package, as the project's formatter lays them out.

A line counts if it has anything but docstrings, comments and imports; so moving a module changes nothing,
and neither does formatting, since `ruff format` gives all code its one form.

    python benchmarks/code_lines.py
    python benchmarks/code_lines.py --modules src/branchwise/core
"""

from __future__ import annotations

import argparse
import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def lines_of(source: str) -> int:
    """Return the number of lines of code in the text of a module."""
    free: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or isinstance(node, ast.Import | ast.ImportFrom):
            free.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    used: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            used.update(range(token.start[0], token.end[0] + 1))
    return len(used - free)


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
