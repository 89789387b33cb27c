"""Everything that benchmarks import from Branchwise exists, even if the packages to compare are missing."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parents[2] / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_names_exist(script):
    tree = ast.parse(script.read_text(encoding="utf-8"))
    ours = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "branchwise"
    ]
    for node in ours:
        module = import_module(node.module)
        for alias in node.names:
            assert hasattr(module, alias.name) or import_module(f"{node.module}.{alias.name}"), alias.name


def test_there_are_scripts():
    assert len(SCRIPTS) > 5
