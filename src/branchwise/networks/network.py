"""A network that values states and weighs actions: its weights, and what it computes, in NumPy.

Of the rows of the first layer those that are active are added up, H numbers; a second layer has K. The value
is for the player to move. The kernels of `core.networks.evaluate` compute the same, bit for bit.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import SettingsError
from branchwise.core.machine.memory import aligned_zeros
from branchwise.game.rules_class import Game
from branchwise.networks.inputs import Inputs

WIDTHS = (32, 16)
_WIDEST = 256
Weights = NDArray[np.float32]


class Network:
    """The weights of a network for one game, in one array, `weights`; all others are views of it.

    rows [R, H], bias1 [H], hidden [H, K], bias2 [K], value [K], policy [A, K], policy_bias [A],
    value_bias [1], all float32. They may be changed in place, between searches: nothing is compiled anew.
    """

    def __init__(self, inputs: Inputs, widths: tuple[int, int] = WIDTHS) -> None:
        width, second = widths
        for name, one in (("first", width), ("second", second)):
            if one not in (4, 8, 16, 32, 64, 128, _WIDEST):
                raise SettingsError(
                    f"the {name} layer of a network cannot be {one} wide",
                    mend=f"give a power of 2 from 4 to {_WIDEST}",
                )
        self.inputs, self.widths = inputs, (width, second)
        self.seed: int | None = None
        """Of the random rows that it had at first; None if there were none."""
        actions = inputs.num_policy_rows
        shapes: dict[str, tuple[int, ...]] = {
            "rows": (inputs.num_rows, width),
            "bias1": (width,),
            "hidden": (width, second),
            "bias2": (second,),
            "value": (second,),
            "policy": (actions, second),
            "policy_bias": (actions,),
            "value_bias": (1,),
        }
        self.weights: Weights = aligned_zeros(
            sum(int(np.prod(shape)) for shape in shapes.values()), np.float32
        )
        self.parts: dict[str, Weights] = {}
        """The views by name, in their order in `weights`."""

        start = 0
        for name, shape in shapes.items():
            size = int(np.prod(shape))
            self.parts[name] = self.weights[start : start + size].reshape(shape)
            start += size
        self.rows, self.bias1, self.hidden, self.bias2 = list(self.parts.values())[:4]
        self.value, self.policy, self.policy_bias, self.value_bias = list(self.parts.values())[4:]

    @classmethod
    def initial(cls, inputs: Inputs, seed: int, widths: tuple[int, int] = WIDTHS) -> Self:
        """Return a network to train: random rows, and a value and a policy that know nothing yet.

        Each piece on each square has a random vector, and a pattern's row is the sum of those of its pieces,
        so that a pattern that was never met counts as its pieces. The same on every machine.

        >>> from branchwise.games.connect_four import ConnectFour
        >>> network = Network.initial(Inputs.of(ConnectFour), seed=1)
        >>> network.evaluate(ConnectFour())[0]
        0.0
        """
        made = cls(inputs, widths)
        made.seed = seed
        random = np.random.PCG64(seed)
        made.rows[:] = _rows(inputs, widths[0], random)
        made.hidden[:] = _drawn(random, made.hidden.shape, widths[0])
        made.bias1[:], made.bias2[:] = 0.01, 0.01
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        game = self.inputs.game
        return _rebuilt, (game._base or game, game._options, self.widths, self.weights, self.seed)

    def __repr__(self) -> str:
        return f"Network({self.inputs.name!r}, widths={self.widths})"

    def evaluate(self, state: Any) -> tuple[float, dict[int, float]]:
        """Return the value of a state that is not over for the player to move, -1 to 1, and the policy."""
        _, last = self.layers(self.inputs.active(state))
        value = np.float32(_total(last * self.value) + self.value_bias[0])
        legal = [int(action) for action in state.legal_actions()]
        logits = np.array([self._logit(last, action) for action in legal], np.float64)
        weights = np.array([_exp(logit) for logit in logits - logits.max()]).astype(np.float32)
        total = sum(map(float, weights))
        policy = [float(np.float32(float(weight) / total)) for weight in weights]
        return _tanh(float(value)), dict(zip(legal, policy, strict=True))

    def layers(self, active: list[int]) -> tuple[Weights, Weights]:
        """Return both layers for the rows that are active, in their order."""
        layer = self.bias1.copy()
        for row in active:
            layer += self.rows[row]
        layer = np.maximum(layer, np.float32(0.0))
        last = self.bias2.copy()
        for number, weights in zip(layer, self.hidden, strict=True):
            last += weights * number
        return layer, np.maximum(last, np.float32(0.0))

    def _logit(self, last: Weights, action: int) -> np.float32:
        rows = self.inputs.policy_rows
        row, other = (action, -1) if rows is None else rows[action]
        more = np.float32(0.0)
        if other >= 0:
            more = _total(last * self.policy[other]) + self.policy_bias[other]
        return np.float32(_total(last * self.policy[row]) + self.policy_bias[row] + more)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a search that this network evaluates: see `core.simulation.search_arrays`."""
        inputs = self.inputs
        cells = inputs.rows * inputs.columns
        return {
            "net_weights": self.weights,
            "net_tables": inputs.tables,
            "net_board": np.zeros(2 * cells, np.int16),
            "net_codes": np.zeros(cells, np.int32),
            "net_more": np.zeros(inputs.num_more, np.int32),
            "net_inputs": np.zeros(inputs.max_active, np.int32),
            "net_layers": aligned_zeros(sum(self.widths), np.float32),
        }


def _rows(inputs: Inputs, width: int, random: np.random.PCG64) -> Weights:
    """Return the rows of the first layer of a new network, [R, width]."""
    active = inputs.typical
    rows = _drawn(random, (inputs.num_rows, width), active)
    sides = 2 if inputs.side else 1
    shape = sides, inputs.rows * inputs.columns, inputs.base, width
    pieces = _drawn(random, shape, active)
    pieces[:, :, 0] = 0.0
    of_square = np.bincount([square for pattern in inputs.patterns for square in pattern], minlength=shape[1])
    pieces /= np.maximum(of_square, 1)[:, None, None].astype(np.float32)
    for side in range(sides):
        for start, pattern in zip(inputs.starts, inputs.patterns, strict=True):
            sums = np.zeros((1, width), np.float32)
            for square in pattern:
                sums = (sums[:, None] + pieces[side, square]).reshape(-1, width)
            first = start + side * inputs.side
            rows[first : first + len(sums)] = sums
    return rows


def _drawn(random: np.random.PCG64, shape: tuple[int, ...], inflow: float) -> Weights:
    """Return random weights for a layer of whose inputs `inflow` are active (He et al., 2015)."""
    shares = (random.random_raw(int(np.prod(shape))) >> np.uint64(11)) * 2.0**-53
    drawn: Weights = ((2.0 * shares - 1.0) * np.sqrt(6.0 / inflow)).astype(np.float32)
    return drawn.reshape(shape)


def _rebuilt(
    game: type[Game], options: dict[str, Any], widths: tuple[int, int], weights: Weights, seed: int | None
) -> Network:
    """Return the network that was pickled."""
    network = Network(Inputs.of(game.configured(**options) if options else game), widths)
    network.weights[:], network.seed = weights, seed
    return network


def _total(numbers: Weights) -> np.float32:
    """Return the sum: halves are added until one number is left."""
    while numbers.size > 1:
        half = numbers.size // 2
        numbers = numbers[:half] + numbers[half:]
    return np.float32(numbers[0])


def _exp(number: float) -> float:
    part = max(number, -20.0) / 64.0
    power = 1.0 / 40320.0
    for term in (5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0):
        power = power * part + 1.0 / term
    for _ in range(6):
        power = power * power
    return power


def _tanh(number: float) -> float:
    power = _exp(-2.0 * abs(number))
    found = (1.0 - power) / (1.0 + power)
    return found if number >= 0.0 else -found
