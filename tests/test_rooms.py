"""The plan of the package holds: small rooms, each with a text that says what is in it."""

import ast
from pathlib import Path

import pytest

import branchwise

PACKAGES = sorted(file.parent for file in Path(branchwise.__path__[0]).rglob("__init__.py"))
MOST = 12
LISTS = ("games", "problems")
"""Rooms that are lists: a file for each game."""


@pytest.mark.parametrize("package", PACKAGES, ids=lambda folder: folder.name)
def test_a_room_has_at_most_a_dozen_modules(package):
    modules = [file.name for file in package.glob("*.py") if file.name not in ("__init__.py", "__main__.py")]
    assert len(modules) <= MOST or package.name in LISTS
    assert modules or any(package.glob("*/__init__.py"))


@pytest.mark.parametrize("package", PACKAGES[1:], ids=lambda folder: folder.name)
def test_a_room_says_what_is_in_it_and_what_may_import_it(package):
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
    assert text is not None
    first, _, second = text.partition("\n\n")
    assert first.endswith(".")
    assert second


def test_nothing_is_loose_at_the_root():
    assert {file.name for file in PACKAGES[0].glob("*.py")} == {"__init__.py", "__main__.py"}
