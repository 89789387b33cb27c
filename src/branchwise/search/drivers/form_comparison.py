"""Comparing the two forms of the rules when a game is first searched with compiled code.

The same simulations, run in plain Python and compiled, must build the same tree, to the last bit. A search
that began in plain Python has run them already; for any other, a few are run for that. It costs a moment,
once for each version of the rules; `rules.checking.before_compiling` keeps note of them.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError, RuleLeftError
from branchwise.compile.stopping.time_limits import Limits, RulesInPython, current_limits
from branchwise.core.tree.node_fields import (
    MOVES_EACH,
    TABLES_USED,
    USED,
    Tree,
    dimensions_of,
    new_tree,
    own_memory,
)
from branchwise.game.rules_class import Game
from branchwise.rules.checking.before_compiling import is_compared, note_compared
from branchwise.rules.checking.diagnosis import RULE_ERRORS
from branchwise.search.composition.search_object import Search
from branchwise.search.drivers.compiled_loop import CompiledLoop
from branchwise.search.drivers.interpreted import InterpretedDriver, UncompiledSearch

if TYPE_CHECKING:
    from branchwise.search.drivers.root_source import RootSource

_log = logging.getLogger("branchwise")

SECONDS = 0.05
"""How long simulations run in plain Python for the comparison alone."""
MOST = 100
"""How many simulations run for the comparison alone."""
_ROOM = 2**16
"""Nodes of the trees of these simulations."""
_GAMES = 500
_SECONDS_OF_GAMES = 3.0
"""How many random games are compared move by move, and how long, if the trees differ."""

_FAILURES = (*RULE_ERRORS, GameError)


def compare_forms(
    loop: CompiledLoop, state: Game, search: Search, source: RootSource | None, done: int = 0
) -> None:
    """Raise `GameError` if compiled rules and plain Python build different trees.

    loop, state, search, source : of the driver that is about to run compiled simulations.
    done : simulations that built its tree from an empty one, all in plain Python; 0 if there is no such tree.
    """
    game = type(state)
    settings, table = search.composition.settings, search.composition.native.table
    if is_compared(loop.native.rules) or settings.threads > 1 or getattr(table, "score", None) is not None:
        return
    reference, failed = search, False
    if not done:
        reference = _empty_like(search, source, min(_ROOM, search.tree.nodes.size))
        done, failed = _run_in_python(InterpretedDriver(state, reference, UncompiledSearch, source))
        if not done:
            note_compared(game, on_disk=False)  # a single simulation takes too long
            return
    twin = _empty_like(search, source, reference.tree.nodes.size)
    try:
        fails = bool(CompiledLoop(state, twin, source).run(done))
    except _FAILURES:
        fails = True
    if current_limits().asked:  # it may have ended early
        return
    if failed != fails or not (failed or _are_same(reference.tree, twin.tree)):
        _find_difference(game, done)
    if not failed:  # a fault is the search's to report
        note_compared(game)


def _empty_like(search: Search, source: RootSource | None, capacity: int) -> Search:
    """Return a search that begins as `search` did, with a tree for `capacity` nodes."""
    composition = search.composition
    facts = composition.facts
    bounds, widths = (facts.min_return, facts.max_return), (facts.dimensions, facts.num_moves)
    tree = new_tree(capacity, *bounds, composition.kept, own_memory, *widths)
    arrays = {"barred": search.scratch.barred} | ({} if source is None else source.new_arrays())
    return Search(composition, tree, search.seed, arrays=arrays)


def _run_in_python(driver: InterpretedDriver) -> tuple[int, bool]:
    """Run simulations as long as there is time; returns how many, and whether the last one failed.

    Returns 0 if the first one takes too long.
    """
    now = time.perf_counter()
    done, longest, end = 0, 0.0, now + SECONDS
    with RulesInPython(Limits(end, firm=True)):
        while done < MOST and (not done or now + 2 * longest < end):
            try:
                failed = bool(driver.run(1))
            except _FAILURES as error:
                if isinstance(error, RuleLeftError):
                    return 0, False
                failed = True
            done, before, now = done + 1, now, time.perf_counter()
            longest = max(longest, now - before)
            if failed:
                return done, True
    driver.leave()
    return done, False


def _are_same(one: Tree, other: Tree) -> bool:
    """Whether two trees are the same; sums in them may differ by what compiled code rounds otherwise."""
    used = int(one.counters[USED])
    if used != other.counters[USED] or not (one.tables == other.tables).all():
        return False
    lengths = {
        "vectors": used * dimensions_of(one),
        "all_moves": int(one.tables[TABLES_USED] * one.tables[MOVES_EACH]),
    }
    for name in one.names:
        mine, others = getattr(one, name), getattr(other, name)
        if name not in ("counters", "keys", "table") and mine.size:
            length = min(lengths.get(name, used), mine.size)
            if not _are_alike(mine[:length], others[:length]):
                return False
    return True


def _are_alike(one: NDArray[Any], other: NDArray[Any]) -> bool:
    if one.dtype.names:
        return all(_are_alike(one[name], other[name]) for name in one.dtype.names)
    if one.dtype.kind == "f":
        return np.allclose(one, other, rtol=1e-5, atol=1e-9, equal_nan=True)
    return bool((one == other).all())


def _find_difference(game: type[Game], done: int) -> None:
    """Raise `GameError` for a difference of the two forms that shows in random games; else log a warning.

    Where rules compute with numbers that are not whole, rounding alone may have decided a tie.
    """
    from branchwise.rules.checking.checker import (
        check_game,  # much to load, and most rules have no difference
    )

    check_game(game, _GAMES, seconds=_SECONDS_OF_GAMES)
    rounds = any(field.dtype.kind == "f" for field in game._fields)
    _log.log(
        logging.INFO if rounds else logging.WARNING,
        "%s: %d simulations build another tree in compiled code than in plain Python, though some random "
        "games agree; branchwise check looks for the difference in more games",
        game.name,
        done,
    )
