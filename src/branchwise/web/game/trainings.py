"""The trainings of a game whose files are in the folder that the server was started in."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from branchwise.game.rules_class import Game
from branchwise.web.protocol.messages import Learning, LearningPoint, finite

if TYPE_CHECKING:
    from branchwise.learning.train import Progress

_MOST = 8


def trainings_told(rules: type[Game], folder: Path | None = None) -> list[Learning]:
    """Return what is told of the latest trainings of a game; folder : None: the one of this process."""
    folder = folder or Path.cwd()
    if not any(folder.glob("*.bwnet*")):
        return []  # without importing what trains
    from branchwise.learning.curve import curves_of

    return [
        Learning(
            file=curve.file.name,
            age=None if curve.is_complete else max(time.time() - curve.written, 0.0),
            points=[_point(one) for one in curve.points],
        )
        for curve in curves_of(rules.name, folder)[:_MOST]
    ]


def _point(told: Progress) -> LearningPoint:
    lead = told.playouts
    return LearningPoint(
        lead=None if lead is None else [finite(lead.value), finite(lead.low), finite(lead.high)],
        **{name: getattr(told, name) for name in LearningPoint.__struct_fields__ if name != "lead"},
    )
