"""Training a network: gradients of a batch of samples, and Adam, which touches only rows that were met.

Loss of a sample: (tanh(v) - z)^2 - sum of p(a) log q(a) over legal actions, with the target's value z and
policy p, the network's value v and policy q. Sources: Silver et al., "Mastering chess and shogi by self-play
with a general reinforcement learning algorithm", 2017; Kingma, Ba, "Adam: a method for stochastic
optimization", 2015. Each row counts its own steps, so the first gradient of a rare pattern moves it no
further than any other. All sums have a fixed order: the same samples give the same weights.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.stop_flags import END_BATCH
from branchwise.core.machine.stop_requests import asked
from branchwise.core.numbers.random_streams import advanced, draw_below

Floats = NDArray[np.float32]

_DECAY_1, _DECAY_2, _LEAST = np.float32(0.9), np.float32(0.999), np.float32(1e-7)
_ZERO, _ONE, _TWO = np.float32(0.0), np.float32(1.0), np.float32(2.0)
_STEPS = np.arange(1, 16_385)
_CORRECTIONS = (np.sqrt(1.0 - 0.999**_STEPS) / (1.0 - 0.9**_STEPS)).astype(np.float32)
"""Adam's correction of the step size by the number of steps; later it is nearly 1."""


class Tensors(NamedTuple):
    """Weights of a network, their gradients, or moments of these; R input rows, W and H wide, A' of actions.

    These are the arrays of `networks.network.Network`, with those that are beside each other joined.
    """

    rows: Floats  # [R + 1, W] the last one is the bias
    hidden: Floats  # [W + 1, H] as well
    outputs: Floats  # [1 + A', H] of the value, and of the policy
    biases: Floats  # [A' + 1, 1] of the policy, and of the value

    @classmethod
    def of(cls, weights: Floats, rows: int, width: int, narrow: int) -> Tensors:
        """Return the views of all weights of a network."""
        ends = np.cumsum([(rows + 1) * width, (width + 1) * narrow])
        rest = weights.size - int(ends[1])
        ends = np.append(ends, ends[1] + rest // (narrow + 1) * narrow)
        shapes = ((-1, width), (-1, narrow), (-1, narrow), (-1, 1))
        return cls(
            *(part.reshape(shape) for part, shape in zip(np.split(weights, ends), shapes, strict=True))
        )

    def like(self) -> Tensors:
        """Return tensors of zeros of the same shapes."""
        return Tensors(*map(np.zeros_like, self))


class Steps(NamedTuple):
    """How many steps each row of each tensor has made, int32."""

    rows: NDArray[np.int32]
    hidden: NDArray[np.int32]
    outputs: NDArray[np.int32]
    biases: NDArray[np.int32]

    @classmethod
    def of(cls, weights: Tensors) -> Steps:
        """Return counters of 0 for these weights."""
        return cls(*(np.zeros(len(tensor), np.int32) for tensor in weights))


class Work(NamedTuple):
    """Scratch of a training step; A actions."""

    sum1: Floats  # [W + 1] the first layer, and 1
    sum2: Floats  # [H]
    slope1: Floats  # [W]
    slope2: Floats  # [H]
    across: Floats  # [H, W] the hidden weights transposed
    logits: Floats  # [A]
    met: NDArray[np.int32]  # [R + 1] input rows met in this batch
    met_outputs: NDArray[np.int32]  # [1 + A']
    is_met: NDArray[np.bool_]  # [R + 1]
    is_met_output: NDArray[np.bool_]  # [1 + A']
    losses: NDArray[np.float64]  # [2] sums of the losses of value and policy

    @classmethod
    def of(cls, weights: Tensors, num_actions: int) -> Work:
        """Allocate the scratch for these weights."""
        (rows, width), narrow, outputs = weights.rows.shape, weights.hidden.shape[1], len(weights.outputs)
        sizes = (width + 1, narrow, width, narrow, (narrow, width), num_actions)
        floats = [np.zeros(size, np.float32) for size in sizes]
        marks = [np.zeros(n, kind) for kind in (np.int32, np.bool_) for n in (rows, outputs)]
        return cls._make([*floats, *marks, np.zeros(2)])


class Window(NamedTuple):
    """The latest samples, in a ring of C words of 32 bits; a sample never goes around its end.

    A sample: the value; the number of inputs, and these; the number of actions, these, and the probability of
    each. Places count all words ever written: place % C is the index.
    """

    words: NDArray[np.int32]  # [C]
    floats: Floats  # [C] the same memory
    places: NDArray[np.int64]  # [S] of the sample number n at n % S
    span: NDArray[np.int64]  # [3] number of the oldest and after the newest sample; the next free place


@entry_kernel
def add_samples(window, words, count, spare):
    """Append `count` samples, one after another in `words`, int32, to the window; the oldest make room.

    spare : one part in this many of the window is left to samples that have been forgotten.
    """
    size, most = window.words.size, window.places.size
    held_words, held = size - size // spare, most - most // spare
    at = 0
    for _ in range(count):
        inputs = words[at + 1]
        length = 3 + inputs + 2 * words[at + 2 + inputs]
        place = window.span[2]
        if place % size + length > size:
            place += size - place % size
        oldest, number = window.span[0], window.span[1]
        while oldest < number and (
            window.places[oldest % most] < place + length - held_words or number - oldest >= held
        ):
            oldest += 1
        start = place % size
        for i in range(length):
            window.words[start + i] = words[at + i]
        window.places[number % most] = place
        window.span[0], window.span[1], window.span[2] = oldest, number + 1, place + length
        at += length


@entry_kernel
def train(weights, first, second, steps, gradient, work, window, outputs, counter, batches, size, rate):
    """Make `batches` steps of `size` samples each, drawn from the window; returns the next random counter.

    weights, first, second : Tensors, modified in place: the weights and Adam's moments.   gradient : zeros,
    and again afterwards.   outputs : int32 [A, K], the rows of the policy that make an action's logit, -1 for
    none.   counter : uint64.   rate : float32, the size of the steps.   work.losses : the losses are added.
    """
    oldest, held = window.span[0], window.span[1] - window.span[0]
    scale = _ONE / np.float32(size)
    for _ in range(batches):
        for i in range(work.across.shape[0]):
            for j in range(work.across.shape[1]):
                work.across[i, j] = weights.hidden[j, i]
        met = _meet(weights.rows.shape[0] - 1, work.met, work.is_met, 0)
        met_outputs = _meet(0, work.met_outputs, work.is_met_output, 0)
        for _ in range(size):
            counter = advanced(counter)
            number = oldest + draw_below(counter, held)
            start = window.places[number % window.places.size] % window.words.size
            met, met_outputs = _learn(weights, gradient, work, window, outputs, start, met, met_outputs)
        for i in range(met):
            row = np.uint64(work.met[i])
            work.is_met[row] = False
            _adam(weights.rows, first.rows, second.rows, gradient.rows, steps.rows, row, scale, rate)
        for i in range(weights.hidden.shape[0]):
            row = np.uint64(i)
            _adam(
                weights.hidden, first.hidden, second.hidden, gradient.hidden, steps.hidden, row, scale, rate
            )
        for i in range(met_outputs):
            row = np.uint64(work.met_outputs[i])
            work.is_met_output[row] = False
            _adam(
                weights.outputs,
                first.outputs,
                second.outputs,
                gradient.outputs,
                steps.outputs,
                row,
                scale,
                rate,
            )
            row = np.uint64(row - 1 if row > 0 else weights.biases.shape[0] - 1)
            _adam(
                weights.biases, first.biases, second.biases, gradient.biases, steps.biases, row, scale, rate
            )
        if asked(END_BATCH):
            break
    return counter


@kernel
def _meet(row, rows, is_met, count):
    """Add a row to those that are met, if it is not among them; returns how many they are."""
    if is_met[row]:
        return count
    is_met[row] = True
    rows[count] = row
    return count + 1


@kernel
def _learn(weights, gradient, work, window, outputs, start, met, met_outputs):
    """Add the gradient of the sample at `start`; returns how many rows of inputs and outputs are met."""
    words, floats = window.words, window.floats
    width, narrow = work.slope1.size, work.sum2.size
    inputs = words[start + 1]
    at = start + 2
    bias, value_bias = np.uint64(weights.rows.shape[0] - 1), weights.biases.shape[0] - 1
    for j in range(width):
        work.sum1[j] = weights.rows[bias, j]
    for i in range(inputs):
        row = np.uint64(words[at + i])
        for j in range(width):
            work.sum1[j] += weights.rows[row, j]
    for k in range(narrow):
        work.sum2[k] = weights.hidden[width, k]
    work.sum1[width] = _ONE
    for j in range(width):
        work.sum1[j] = max(work.sum1[j], _ZERO)
        for k in range(narrow):
            work.sum2[k] += work.sum1[j] * weights.hidden[j, k]
    value = weights.biases[value_bias, 0]
    for k in range(narrow):
        work.sum2[k] = max(work.sum2[k], _ZERO)
        value += work.sum2[k] * weights.outputs[0, k]

    value = np.float32(math.tanh(value))
    error = value - floats[start]
    work.losses[0] += error * error
    slope = _TWO * error * (_ONE - value * value)
    gradient.biases[value_bias, 0] += slope
    for k in range(narrow):
        gradient.outputs[0, k] += slope * work.sum2[k]
        work.slope2[k] = slope * weights.outputs[0, k]

    met_outputs = _learn_policy(weights, gradient, work, window, outputs, at + inputs, met_outputs)

    for j in range(width):
        work.slope1[j] = _ZERO
    for k in range(narrow):
        if work.sum2[k] <= _ZERO:
            work.slope2[k] = _ZERO
        for j in range(width):
            work.slope1[j] += work.slope2[k] * work.across[k, j]
    for j in range(width + 1):
        for k in range(narrow):
            gradient.hidden[j, k] += work.sum1[j] * work.slope2[k]
    for j in range(width):
        if work.sum1[j] <= _ZERO:
            work.slope1[j] = _ZERO
        gradient.rows[bias, j] += work.slope1[j]
    for i in range(inputs):
        row = np.uint64(words[at + i])
        met = _meet(row, work.met, work.is_met, met)
        for j in range(width):
            gradient.rows[row, j] += work.slope1[j]
    return met, met_outputs


@kernel
def _learn_policy(weights, gradient, work, window, outputs, at, met):
    """Add the gradient of the policy, and to work.slope2; returns how many rows of outputs are met.

    at : index of the number of actions of the sample.
    """
    narrow = work.sum2.size
    count = window.words[at]
    first = at + 1
    greatest = np.float32(-np.inf)
    for i in range(count):
        logit = _ZERO
        action = window.words[first + i]
        for part in range(outputs.shape[1]):
            row = outputs[action, part]
            if row >= 0:
                logit += weights.biases[row, 0]
                for k in range(narrow):
                    logit += work.sum2[k] * weights.outputs[row + 1, k]
        work.logits[i] = logit
        greatest = max(greatest, logit)
    total = _ZERO
    for i in range(count):
        total += np.float32(math.exp(work.logits[i] - greatest))
    log_total = np.float32(math.log(total)) + greatest
    for i in range(count):
        log_share = work.logits[i] - log_total
        wanted = window.floats[first + count + i]
        work.losses[1] -= wanted * log_share
        slope = np.float32(math.exp(log_share)) - wanted
        action = window.words[first + i]
        for part in range(outputs.shape[1]):
            row = outputs[action, part]
            if row >= 0:
                met = _meet(row + 1, work.met_outputs, work.is_met_output, met)
                gradient.biases[row, 0] += slope
                for k in range(narrow):
                    gradient.outputs[row + 1, k] += slope * work.sum2[k]
                    work.slope2[k] += slope * weights.outputs[row + 1, k]
    return met


@kernel
def _adam(weights, first, second, gradient, steps, row, scale, rate):
    """Move a row of weights against its gradient, which is then 0."""
    count = min(np.int64(steps[row]), _CORRECTIONS.size - 1)
    steps[row] += 1
    pace = rate * _CORRECTIONS[count]
    for j in range(weights.shape[1]):
        slope = gradient[row, j] * scale
        gradient[row, j] = _ZERO
        first[row, j] = _DECAY_1 * first[row, j] + (_ONE - _DECAY_1) * slope
        second[row, j] = _DECAY_2 * second[row, j] + (_ONE - _DECAY_2) * slope * slope
        weights[row, j] -= pace * first[row, j] / (np.sqrt(second[row, j]) + _LEAST)
