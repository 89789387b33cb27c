"""Draws the README's picture: a position of Connect Four, and beside it the tree of a search from there.

Run by `python docs/pictures/board_and_tree.py`.
"""

from pathlib import Path

import branchwise as bw

PICTURE = Path(__file__).with_suffix(".svg")
MOVES = "d1 d2 d3 c1 c2"
STYLE = (
    "svg.picture:root{color:#212529;background:#fff}"
    "@media (prefers-color-scheme:dark){svg.picture:root{color:#e9ecef;background:#17191c}}"
)


def picture() -> str:
    """Return the picture as SVG; it follows the reader's dark mode."""
    state = bw.load_game("connect_four").from_actions(MOVES)
    tree = bw.MCTS(seed=1).search(state, simulations=100_000).tree
    board = state.to_svg().replace("<svg ", '<svg x="16" y="86" ', 1)
    drawn = tree.to_svg(top=3, depth=2).replace("<svg ", '<svg x="340" y="0" ', 1)
    size = 'viewBox="0 0 900 440" width="900" height="440"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="picture" {size}>'
    return f"{head}<style>{STYLE}</style>{board}{drawn}</svg>\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
