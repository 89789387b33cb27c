"""The glossary: the modules that it names exist, and no term occurs twice in a part."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| [^|]+ \| `([a-z_.]+)` \|$", PAGE, re.MULTILINE)


def test_every_row_is_read():
    tables = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| Term")]
    assert len(ROWS) == len(tables) > 0


@pytest.mark.parametrize(("term", "module"), ROWS)
def test_a_term_is_explained_by_a_module_that_is_there(term, module):
    assert find_spec(f"branchwise.{module}") is not None


def test_no_term_stands_twice_in_one_part():
    for part in PAGE.split("\n## ")[1:]:
        terms = [
            term
            for row in re.findall(r"^\| ([^|]+) \|", part, re.MULTILINE)
            for term in row.split(", ")
            if row != "Term"
        ]
        assert len(terms) == len(set(terms)) > 0
