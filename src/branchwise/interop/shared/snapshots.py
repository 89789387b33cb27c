"""Copying other libraries' environments, with separate random numbers for each copy.

An environment is pickled once and unpickled for each copy, which is several times faster than
`copy.deepcopy`. Its random generators are left out: a copy gets new ones, seeded by the planner.
"""

from __future__ import annotations

import copyreg
import io
import pickle
import random
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, ClassVar, Self

import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils import EzPickle
from gymnasium.wrappers import HumanRendering, RecordVideo, RenderCollection

from branchwise.common.errors import ActionError, GameError
from branchwise.game.kinds.random_numbers import Draws

_SHARED = (type, FunctionType, BuiltinFunctionType, ModuleType, EnvSpec)
"""Types that no step changes; copies share them, so classes need no importable name."""
_WATCHERS = (HumanRendering, RecordVideo, RenderCollection)
"""Wrappers that watch an environment; copies leave them out."""
_SCREENS = ("pygame",)
"""Packages for windows and images, whose objects cannot be copied and are not needed by copies."""
_SEED_BITS = 31


@dataclass(frozen=True)
class Snapshot:
    """An environment at one moment, which can be copied many times.

    content : the pickled environment.   shared : objects that all copies share.
    generators : for each random generator in it, a function that makes one of its kind from a seed.
    """

    content: bytes
    shared: tuple[Any, ...]
    generators: tuple[Callable[[int], Any], ...]

    def copy(self, draws: Draws) -> tuple[Any, list[Any]]:
        """Return a copy of the environment, and its random generators, seeded from `draws`."""
        generators = [
            make(draws.below(2**_SEED_BITS - 1) << _SEED_BITS | draws.below(2**_SEED_BITS - 1))
            for make in self.generators
        ]
        return _Reader(self.content, self.shared, generators).load(), generators


def snapshot(env: Any, shared: Collection[str] = ()) -> tuple[Snapshot, list[Any]]:
    """Return a snapshot of an environment, and its present random generators.

    shared : attributes of the unwrapped environment that copies share with it, because no step changes them.
    Raises `GameError` if it cannot be copied.
    """
    bare = env.unwrapped
    for name in shared:
        if name not in vars(bare):
            raise GameError(
                f'{env} has no attribute "{name}" to share', mend=f"it has {', '.join(sorted(vars(bare)))}"
            )
    common = tuple(vars(bare)[name] for name in shared)
    try:
        writer = _Writer(common)
        writer.dump(env)
    except Exception as error:
        raise _not_copied(env, common, error) from error
    content = writer.buffer.getvalue()
    return Snapshot(content, tuple(writer.shared), tuple(writer.makers)), writer.generators


class _Writer(pickle.Pickler):
    """Pickles an environment without its random generators."""

    def __init__(self, common: tuple[Any, ...]) -> None:
        self.buffer = io.BytesIO()
        super().__init__(self.buffer, pickle.HIGHEST_PROTOCOL)
        self.shared: list[Any] = []
        self.generators: list[Any] = []
        self.makers: list[Callable[[int], Any]] = []
        self._common = {id(one) for one in common}
        self._places: dict[int, tuple[str, int]] = {}

    def persistent_id(self, one: Any) -> tuple[str, int] | None:
        """Return a reference to an object that is not pickled: its list, and its index in it."""
        place = self._places.get(id(one))
        if place is None:
            make = _maker(one)
            if make is not None:
                place = "generators", len(self.generators)
                self.generators.append(one)
                self.makers.append(make)
            elif isinstance(one, _SHARED) or id(one) in self._common or _is_screen(one):
                place = "shared", len(self.shared)
                self.shared.append(one)
            else:
                return None
            self._places[id(one)] = place
        return place

    def reducer_override(self, one: Any) -> Any:
        """Leave out watchers, and copy environments that use `EzPickle` with their state.

        `EzPickle` would make a new environment from the arguments of the first, and lose its state.
        """
        if isinstance(one, _WATCHERS):
            return _itself, (one.env,)
        if getattr(type(one), "__getstate__", None) is EzPickle.__getstate__:
            return copyreg.__newobj__, (type(one),), vars(one), None, None, _set_attributes  # type: ignore[attr-defined]
        return NotImplemented


class _Reader(pickle.Unpickler):
    def __init__(self, content: bytes, shared: tuple[Any, ...], generators: list[Any]) -> None:
        super().__init__(io.BytesIO(content))
        self._kept = {"shared": shared, "generators": generators}

    def persistent_load(self, place: tuple[str, int]) -> Any:
        return self._kept[place[0]][place[1]]


def _itself(one: Any) -> Any:
    return one


def _set_attributes(one: Any, attributes: dict[str, Any]) -> None:
    one.__dict__.update(attributes)


def _is_screen(one: Any) -> bool:
    return type(one).__module__.partition(".")[0] in _SCREENS


@dataclass(frozen=True)
class _Maker:
    """Makes a random generator; kind : class of the bit generator, for NumPy's."""

    outer: Callable[[Any], Any]
    kind: Callable[[int], Any] | None = None

    def __call__(self, seed: int) -> Any:
        return self.outer(seed if self.kind is None else self.kind(seed))


def _maker(one: Any) -> Callable[[int], Any] | None:
    """Return a function that makes random generators of the kind of `one`; None for anything else."""
    if isinstance(one, np.random.Generator):
        return _Maker(np.random.Generator, type(one.bit_generator))
    if isinstance(one, np.random.RandomState):
        return _Maker(np.random.RandomState, getattr(np.random, one.get_state(legacy=False)["bit_generator"]))
    if isinstance(one, np.random.BitGenerator):
        return _Maker(type(one))
    return _Maker(type(one)) if isinstance(one, random.Random) else None


def match(generators: list[Any], others: list[Any]) -> None:
    """Set random generators to the states of `others`, of the same kinds, one by one."""
    for one, other in zip(generators, others, strict=True):
        state = _state_of(other)
        if isinstance(one, np.random.Generator):
            one.bit_generator.state = state
        elif isinstance(one, np.random.BitGenerator):
            one.state = state
        elif isinstance(one, np.random.RandomState):
            one.set_state(state)
        else:
            one.setstate(state)


def _state_of(generator: Any) -> Any:
    """Return the state of a random generator."""
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    if isinstance(generator, np.random.BitGenerator):
        return generator.state
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)
    return generator.getstate()


def generator_states(generators: list[Any]) -> bytes:
    """Return the states of random generators, which differ once one of them has been drawn from."""
    return pickle.dumps(list(map(_state_of, generators)))


class CopiedEnv:
    """A state that steps copies of an environment, never the environment itself.

    It copies when it has to: clones share a snapshot until they are stepped.
    env : the environment.   shared : see `snapshot`.
    """

    ending: ClassVar[str]
    """What is over at the end, for errors."""

    _name: str
    _over: bool
    _env: Any
    _generators: list[Any]
    _snapshot: Snapshot | None
    _shared: tuple[str, ...]

    def is_terminal(self) -> bool:
        """Whether it is over, or truncated, for all players."""
        return self._over

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name}>"

    def _illegal(self, action: object, legal: object) -> ActionError:
        """Return the error for an action that is not one of the legal ones, or that comes after the end."""
        return ActionError(
            f"action {action} is not legal in {self._name}",
            mend=f"the {self.ending} is over" if self._over else f"legal actions are {legal}",
        )

    def _begin(self, env: Any, shared: Collection[str]) -> None:
        """Set the last attributes above; raises `GameError` if the environment cannot be copied."""
        self._shared = tuple(shared)
        self._snapshot = snapshot(env, self._shared)[0]
        self._env, self._generators = None, []

    def _env_to_step(self, random: Draws) -> Any:
        """Return this state's own copy of the environment, to be stepped now.

        random : seeds of its random generators, if the copy is made now.
        """
        if self._env is None:
            assert self._snapshot is not None
            self._env, self._generators = self._snapshot.copy(random)
            hide(self._env)
        self._snapshot = None
        return self._env

    def clone(self) -> Self:
        """Return a copy, which draws other random numbers."""
        if self._snapshot is None:
            self._snapshot, _ = snapshot(self._env, self._shared)
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._env, twin._generators = None, []
        return twin

    def __getstate__(self) -> dict[str, Any]:
        """Return the snapshot to send to another process, without the copy that is being stepped."""
        return vars(self.clone())


class SharedTables:
    """Checks that attributes which copies share stay as they are."""

    def __init__(self, env: Any, shared: Collection[str]) -> None:
        self._env = env
        self._before = {name: pickle.dumps(table) for name, table in self._tables(shared)}

    def check(self) -> None:
        """Raise `GameError` if one of them has changed."""
        for name, table in self._tables(self._before):
            if pickle.dumps(table) != self._before[name]:
                raise GameError(
                    f"{self._env} changes its attribute {name}, which copies were to share",
                    mend="do not share it",
                )

    def _tables(self, names: Collection[str]) -> list[tuple[str, Any]]:
        held = vars(self._env.unwrapped)
        return [(name, held[name]) for name in names if name in held]


def exact_copy(env: Any, shared: Collection[str]) -> Any:
    """Return a copy of an environment that draws the same random numbers."""
    taken, originals = snapshot(env, shared)
    twin, generators = taken.copy(Draws(0))
    match(generators, originals)
    hide(twin)
    return twin


def hide(env: Any) -> None:
    """Turn off an environment's rendering."""
    if getattr(env.unwrapped, "render_mode", None) is not None:
        env.unwrapped.render_mode = None


def _not_copied(env: Any, common: tuple[Any, ...], error: Exception) -> GameError:
    """Return the error for an environment that cannot be pickled, naming the attribute at fault."""
    blame = ""
    for name, value in vars(env.unwrapped).items():
        try:
            _Writer(common).dump(value)
        except Exception:
            blame = f": its attribute {name} cannot be copied"
            break
    return GameError(
        f"{env} cannot be copied{blame} ({type(error).__name__}: {error})",
        mend="planning needs copies; give the environment's class __getstate__ and __setstate__, or write "
        "the problem as a branchwise.Game",
    )
