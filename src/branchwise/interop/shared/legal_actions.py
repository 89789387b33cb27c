"""A space of numbered actions that draws from those that are legal now."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray


class LegalActions(spaces.Discrete):
    """The actions of a problem; without a mask given, `sample` draws from the actions that are legal now.

    mask : mask of the actions that are legal now; the environment updates it.
    """

    mask: NDArray[np.int8] | None = None

    def sample(
        self, mask: NDArray[np.int8] | None = None, probability: NDArray[np.float64] | None = None
    ) -> np.int64:
        """Return a random action."""
        if mask is None and probability is None:
            mask = self.mask
        action: np.int64 = super().sample(mask, probability)
        return action
