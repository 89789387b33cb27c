"""Asking helpers of compiled rules: one kernel calls many of them."""

import numpy as np

from branchwise.compile.code.call_kernel import call
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.machine.kernel import entry_kernel


def game_of(name, base, functions):
    """Return a subclass of a game with `functions`, each of (self, action), as further methods.

    name : of the class, different for each: the fingerprint has no methods that no rule calls.
    """
    return type(name, (base,), {function.__name__: function for function in functions})


def plain_answer(game, name, action):
    """Return what a helper answers in plain Python, as a float, and the state that it leaves."""
    state = game()
    return float(getattr(state, name)(action)), state.to_record().tobytes()


def compiled_answers(game, names, actions):
    """Return the same from compiled rules, by name and action; all helpers are compiled together."""
    calls = "\n".join(
        f"    if which == {i}: return float(state.{name}(action))" for i, name in enumerate(names)
    )
    text = {}
    exec(f"def ask(state, which, action):\n{calls}\n    return np.nan", {"np": np}, text)
    ask = entry_kernel(text["ask"])
    native = NativeRecords(compiled_type(game))
    found = {}
    for which, name in enumerate(names):
        for action in actions:
            native.records[0] = game().to_record()
            found[name, action] = call(ask, native, which, action), native.records[0].tobytes()
    return found
