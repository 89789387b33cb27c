"""The modules, files and folders that the page about the architecture names are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "branchwise"
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SPANS = sorted(set(re.findall(r"`([\w./]+)`", TEXT)))
FILES = [span for span in SPANS if "/" in span and "NAME" not in span]
NAMES = [span for span in SPANS if re.fullmatch(r"[a-z_]+(\.\w+)+", span)]
OF_A_SEARCH = re.compile(r"search\.\w+")
"""Such as `search.choose`: an attribute of the object that kernels are given, not of the package."""


@pytest.mark.parametrize("name", FILES)
def test_a_file_or_folder_is_there(name):
    assert any((folder / name).exists() for folder in (PACKAGE, ROOT))


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_a_module_or_stands_in_one(name):
    path = PACKAGE / Path(*name.removeprefix("branchwise.").split("."))
    if path.is_dir() or path.with_suffix(".py").exists() or OF_A_SEARCH.fullmatch(name):
        return
    module = next(f for f in (path.parent.with_suffix(".py"), path.parent / "__init__.py") if f.exists())
    assert re.search(rf"^\s*(def |class )?{path.name}\b", module.read_text(encoding="utf-8"), re.MULTILINE)
