"""Examples in modules that need a package which is not installed are not run."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("gymnasium") else ["branchwise/interop/*"]
