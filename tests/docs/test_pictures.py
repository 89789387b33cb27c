"""The README's picture is what its script draws."""

import runpy
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


def test_the_picture_of_the_board_and_the_tree_is_drawn_by_its_script():
    drawn = runpy.run_path(str(FOLDER / "board_and_tree.py"))["picture"]()
    assert drawn == (FOLDER / "board_and_tree.svg").read_text(encoding="utf-8")
