"""Loading Numba's implementations of functions, without SciPy.

Numba loads them all before it compiles or loads the first function. Among them, `numba.np.arraymath` imports
SciPy's linear algebra, which takes longer than all the rest, only to find out whether it is installed. It
is, because Branchwise needs it. Rules that use linear algebra still import it when they are compiled.
"""

from __future__ import annotations

import importlib
from functools import cache

from numba.np import linalg


@cache
def load_without_scipy() -> None:
    """Import `numba.np.arraymath` without SciPy; must be called before Numba imports it."""
    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure_blas
