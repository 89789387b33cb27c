"""Kernels that set or move a node's statistics, generated from their declaration."""

from __future__ import annotations

from branchwise.core.machine.kernel import Kernel, kernel
from branchwise.core.tree.node_fields import STATISTICS


def _kernel(name: str, parameters: str, about: str, lines: list[str]) -> Kernel:
    """Return a kernel made of `lines`; each line runs if the search keeps its statistic."""
    body = [f"    {line}" for line in (f'"""{about}"""', *lines)]
    scope: dict[str, Kernel] = {}
    exec("\n".join([f"def {name}({parameters}):", *body]), scope)
    return kernel(scope[name])


def _first_entries() -> list[str]:
    lines = []
    for name, statistic in STATISTICS.items():
        entry = f"search.{name}[index]"
        for place in [f"{entry}.{field}" for field in statistic.dtype.names or ()] or [entry]:
            if statistic.first is not None:
                lines.append(f"if search.keeps_{statistic.option}: {place} = {statistic.first}")
    return lines


def _moves() -> list[str]:
    lines = []
    for name, statistic in STATISTICS.items():
        entry = f"search.{name}[old]"
        moved = f"places[{entry}]" if statistic.refers else entry
        lines.append(f"if search.keeps_{statistic.option}: search.{name}[new] = {moved}")
    return lines


begin_statistics = _kernel(
    "begin_statistics", "search, index", "Give a new child its first statistics.", _first_entries()
)

move_statistics = _kernel(
    "move_statistics",
    "search, old, new, places",
    "Move a node's statistics; places : int32 [N], where each node goes.",
    _moves(),
)
