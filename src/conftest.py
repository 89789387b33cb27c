"""Examples in modules that need a package which is not installed are not run."""

from importlib.util import find_spec

collect_ignore_glob = [
    path
    for package, path in (
        ("gymnasium", "branchwise/interop/*"),
        ("rdkit", "branchwise/problems/molecules.py"),
    )
    if find_spec(package) is None
]
