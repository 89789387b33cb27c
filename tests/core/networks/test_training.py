"""Training against a plain trainer in NumPy, and the window of samples."""

import numpy as np
import pytest

from branchwise.core.networks.training import Steps, Tensors, Window, Work, add_samples, train
from branchwise.core.numbers.random_streams import new_streams

ROWS, WIDTH, NARROW, ACTIONS, ACTIVE = 40, 8, 4, 5, 6
OUTPUTS = {
    "a row each": np.arange(ACTIONS, dtype=np.int32)[:, None],
    "two rows each": np.array([[0, 3], [1, 3], [2, 4], [0, 4], [1, -1]], np.int32),
}


def random_weights(seed):
    random = np.random.default_rng(seed)
    size = (ROWS + 1) * WIDTH + (WIDTH + 1) * NARROW + (ACTIONS + 1) * (NARROW + 1)
    return Tensors.of(random.normal(0.0, 0.3, size).astype(np.float32), ROWS, WIDTH, NARROW)


def random_samples(count, seed):
    """Return samples as words, and as values, inputs and policies."""
    random = np.random.default_rng(seed)
    words, plain = [], []
    for _ in range(count):
        inputs = random.choice(ROWS, ACTIVE, replace=False)
        legal = random.choice(ACTIONS, 3, replace=False)
        policy = random.dirichlet(np.ones(3)).astype(np.float32)
        value = np.float32(random.uniform(-1.0, 1.0))
        plain.append((value, inputs, legal, policy))
        head = np.array([value], np.float32).view(np.int32)
        words += [head, [ACTIVE], inputs, [3], legal, policy.view(np.int32)]
    return np.concatenate(words).astype(np.int32), plain


def new_window(words, samples):
    memory = np.zeros(words, np.int32)
    return Window(memory, memory.view(np.float32), np.zeros(samples, np.int64), np.zeros(3, np.int64))


class PlainTrainer:
    """The same losses and Adam, written as formulas in 64 bits."""

    def __init__(self, weights, outputs):
        self.w = {name: array.astype(float) for name, array in weights._asdict().items()}
        self.m = {name: np.zeros_like(array) for name, array in self.w.items()}
        self.v = {name: np.zeros_like(array) for name, array in self.w.items()}
        self.t = {name: np.zeros(len(array)) for name, array in self.w.items()}
        self.outputs = outputs

    def step(self, batch, rate):
        w = self.w
        gradient = {name: np.zeros_like(array) for name, array in w.items()}
        met = {name: np.zeros(len(array), bool) for name, array in w.items()}
        losses = np.zeros(2)
        for value, inputs, legal, policy in batch:
            first = np.maximum(w["rows"][-1] + w["rows"][inputs].sum(0), 0.0)
            last = np.maximum(w["hidden"][-1] + first @ w["hidden"][:-1], 0.0)
            told = np.tanh(last @ w["outputs"][0] + w["biases"][-1, 0])
            rows = [self.outputs[a][self.outputs[a] >= 0] for a in legal]
            logits = np.array([(w["outputs"][r + 1] @ last + w["biases"][r, 0]).sum() for r in rows])
            shares = np.exp(logits) / np.exp(logits).sum()
            losses += (told - value) ** 2, -(policy * np.log(shares)).sum()
            slope = 2.0 * (told - value) * (1.0 - told**2)
            gradient["outputs"][0] += slope * last
            gradient["biases"][-1] += slope
            of_last = slope * w["outputs"][0]
            for r, one in zip(rows, shares - policy, strict=True):
                gradient["outputs"][r + 1] += one * last
                gradient["biases"][r] += one
                met["outputs"][r + 1] = met["biases"][r] = True
                of_last = of_last + one * w["outputs"][r + 1].sum(0)
            of_last = of_last * (last > 0)
            gradient["hidden"] += np.outer(np.append(first, 1.0), of_last)
            of_first = (w["hidden"][:-1] @ of_last) * (first > 0)
            gradient["rows"][-1] += of_first
            gradient["rows"][inputs] += of_first
            met["rows"][inputs] = met["rows"][-1] = True
            met["outputs"][0] = met["biases"][-1] = True
        for name, array in w.items():
            chosen = slice(None) if name == "hidden" else met[name]
            g = gradient[name][chosen] / len(batch)
            self.t[name][chosen] += 1
            t = self.t[name][chosen][:, None]
            self.m[name][chosen] = 0.9 * self.m[name][chosen] + 0.1 * g
            self.v[name][chosen] = 0.999 * self.v[name][chosen] + 0.001 * g**2
            pace = rate * np.sqrt(1.0 - 0.999**t) / (1.0 - 0.9**t)
            array[chosen] -= pace * self.m[name][chosen] / (np.sqrt(self.v[name][chosen]) + 1e-7)
        return losses / len(batch)


def drawn(counter, batch, held):
    """Return the samples that a step draws: SplitMix64, the upper half of each number."""
    for _ in range(batch):
        counter = (counter + 0x9E3779B97F4A7C15) % 2**64
        z = counter
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        yield counter, ((z ^ (z >> 31)) >> 32) * held >> 32


@pytest.mark.parametrize("outputs", OUTPUTS.values(), ids=OUTPUTS)
def test_losses_are_those_of_a_plain_trainer(outputs):
    weights = random_weights(1)
    plain = PlainTrainer(weights, outputs)
    words, samples = random_samples(30, 2)
    window = new_window(len(words), 30)
    add_samples(window, words, 30, 10**9)
    assert window.span[1] == 30
    first, second, gradient = weights.like(), weights.like(), weights.like()
    steps, work = Steps.of(weights), Work.of(weights, ACTIONS)
    counter = new_streams(3)[0]
    before = None
    for number in range(60):
        picked = list(drawn(int(counter), 16, 30))
        work.losses[:] = 0.0
        counter = np.uint64(
            train(
                weights,
                first,
                second,
                steps,
                gradient,
                work,
                window,
                outputs,
                counter,
                1,
                16,
                np.float32(0.01),
            )
        )
        assert int(counter) == picked[-1][0]
        losses = plain.step([samples[place] for _, place in picked], 0.01)
        np.testing.assert_allclose(work.losses / 16, losses, atol=1e-4)
        before = losses.sum() if number == 0 else before
    assert losses.sum() < before


def test_the_oldest_samples_make_room():
    words, samples = random_samples(50, 5)
    length = len(words) // 50
    window = new_window(10 * length + 3, 100)
    for start in range(0, 50, 5):
        add_samples(window, words[start * length : (start + 5) * length], 5, 10**9)
    assert window.span[1] == 50
    assert 8 <= window.span[1] - window.span[0] <= 10
    for number in range(window.span[0], window.span[1]):
        place = window.places[number] % window.words.size
        assert window.floats[place] == samples[number][0]
        assert place + length <= window.words.size
