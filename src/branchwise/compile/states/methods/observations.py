"""Compiled observations of partially observed problems: the rules `observe`, `observation_density`, `jitter`.

Kernels handle an observation as an array of its numbers. `observation_density` gets it in the form in which
`observe` returned it: a number, a tuple, or an array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.core import errors
from numba.core.extending import intrinsic, overload

from branchwise.compile.states.methods.returned_numbers import are_numbers, count_of, write_numbers
from branchwise.core.machine.kernel import INNER
from branchwise.core.simulation.playout import play_simulator


def _store(state, out, given):
    """Write what `observe` returned to `out`, if there is room; returns how many numbers it is."""
    raise NotImplementedError  # there is only the compiled form below


@overload(_store, jit_options=INNER)  # type: ignore[arg-type]
def _overload_store(state, out, given):
    if not are_numbers(given):
        raise errors.TypingError(f"observe gives a {given}; give a number, or a tuple or an array of numbers")

    def store(state, out, given):
        count = count_of(given)
        if count <= out.size:
            write_numbers(out, given)
        return count

    return store


@intrinsic
def _as_observed(typing_context: Any, state: Any, random: Any, seen: Any) -> Any:
    """Return the numbers `seen` in the form in which the rules' `observe` returns an observation.

    seen : float64 [at least as many as the form has].
    """
    function = types.Dispatcher(state.table.methods["observe"])
    signature = function.get_call_type(typing_context, (state.self_type, types.int64, random), {})
    form = types.unliteral(signature.return_type)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array_type = signature.args[2]
        if isinstance(form, types.Array):
            return args[2]
        array = context.make_array(array_type)(context, builder, args[2])
        kinds = form.types if isinstance(form, types.BaseTuple) else [form]
        numbers = [
            context.cast(
                builder,
                builder.load(builder.gep(array.data, [context.get_constant(types.intp, place)])),
                types.float64,
                types.unliteral(kind),
            )
            for place, kind in enumerate(kinds)
        ]
        if isinstance(form, types.BaseTuple):
            return context.make_tuple(builder, signature.return_type, numbers)
        return numbers[0]

    if isinstance(form, types.Array | types.List):
        form = seen
    elif isinstance(form, types.BaseTuple):
        form = types.Tuple([types.unliteral(kind) for kind in form.types])
    return form(state, random, seen), generate


@njit(**INNER)
def _write_observation(self, action, random, out):
    """Write what `observe` gives after `action` to `out`, float64; returns how many numbers it is.

    Nothing is written if there are more than `out` has room for.
    """
    return _store(self, out, self.observe(np.int64(action), random))


@njit(**INNER)
def _weigh_observation(self, action, random, seen):
    """Return the rules' density of an observation, float64.

    seen : float64, its numbers.   random : any; it only says which type it has in `observe`.
    """
    observation = _as_observed(self, random, seen)
    return np.float64(self.observation_density(np.int64(action), observation))


@njit(**INNER)
def _jitter_state(self, random):
    """Move a copy of a particle a little, by the rules' `jitter`."""
    self.jitter(random)


OBSERVING_METHODS = {
    "observe": {"write_observation": _write_observation, "play_simulator": play_simulator},
    "observation_density": {"weigh_observation": _weigh_observation},
    "jitter": {"jitter_state": _jitter_state},
}
"""By rule of the class: additional methods of the states of partially observed problems."""
