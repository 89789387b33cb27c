"""Compiled code of the tests is kept apart from the user's, and from one run to the next; so are levels."""

import os
from pathlib import Path

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)  # kernels are compiled on first use
settings.load_profile("unhurried")

os.environ.setdefault(
    "BRANCHWISE_CACHE_DIR", str(Path(__file__).parent.parent / ".pytest_cache" / "compiled")
)
os.environ["BRANCHWISE_LEVELS"] = str(Path(__file__).parent.parent / ".pytest_cache" / "levels")
