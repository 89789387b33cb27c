"""Loading a tree from a file."""

from __future__ import annotations

from os import PathLike

from branchwise.game.rules_class import Game
from branchwise.search.tree.tree_file import read_tree
from branchwise.search.tree.view import SearchTree


def load_tree(
    path: str | PathLike[str], *, game: type[Game] | None = None, memory_mb: float | None = 4096
) -> SearchTree:
    """Read a tree that `SearchTree.save` wrote.

    game : the class of the root's state; None: the registered game of the name in the file, if there is one.
    Without its game a tree has no state, and moves are shown by number.
    memory_mb : most memory for the tree, in units of 2**20 bytes; None: no limit.

    Raises `TreeFileError` for a file that is damaged, was not written by Branchwise or was written by a later
    version, or is too large for `memory_mb`; `GameError` for a state that is not one of `game`; `OSError` if
    the file cannot be read. No code from the file is run.

    >>> import tempfile, branchwise as bw
    >>> from branchwise.games.nim import Nim
    >>> tree = bw.MCTS(seed=1).search(Nim(), simulations=1000).tree
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tree.save(f"{folder}/nim.tree")
    ...     again = bw.load_tree(f"{folder}/nim.tree")
    >>> again.root.visits, again.to_text() == tree.to_text()
    (1000, True)
    """
    return SearchTree(*read_tree(path, game, memory_mb))
