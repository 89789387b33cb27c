"""The rules of a game as one Python class.

A subclass of `Game` is a game; an instance of it is a state. Annotated attributes are the fields of the
state, plain class attributes are constants of the game. The class runs as ordinary Python; `compile/`
compiles the same methods to machine code.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import eq, index
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from branchwise.boards.array import DEFAULT_SYMBOLS, board_field
from branchwise.boards.layer import array_cells, default_squares, has_layer, layer_grid, path_name
from branchwise.boards.style import BoardStyle
from branchwise.common.errors import ActionError, GameError, nearest_name
from branchwise.common.name_and_options import (
    file_stamp,
    format_spec,
    numbered,
    snake_case,
    some_of,
    whole_path,
)
from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.drawing.grid import Grid, check_symbols, grid_from_array, grid_svg, grid_text
from branchwise.drawing.value_names import Names, check_value_names, field_lines
from branchwise.game import random_starter as starter
from branchwise.game.definition.declarations import check_plain, collect_fields, initial_array
from branchwise.game.definition.names import check_names
from branchwise.game.definition.requirements import (
    give_box,
    protect_arrays,
    refuse_hidden_state,
    require_rules,
    set_bounds,
)
from branchwise.game.definition.wrappers import trust_rules, wrap_rules
from branchwise.game.kinds import continuous_actions
from branchwise.game.kinds.corrections import field_declaration, nearest_attribute
from branchwise.game.kinds.fields import Field, StateArray, record_dtype, scalar_converter
from branchwise.game.kinds.game_kinds import (
    NET_CONSTANTS,
    PLAYOUT_CONSTANTS,
    Utility,
    samples_outcomes,
    starts_at_random,
    written_rule,
)
from branchwise.game.kinds.hidden_information import POOL, check_hidden, derived_observation, pool_of
from branchwise.game.kinds.random_numbers import Draws, Random
from branchwise.game.kinds.simultaneous_moves import check_joint_move, complete_joint_rules, joint_text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Game:
    """Base of every game: subclass it, declare the fields of a state, and write five methods.

    >>> import numpy as np
    >>> class Nim(Game):
    ...     num_players = 2
    ...     num_actions = 3
    ...     chips: np.int8 = 21
    ...     mover: np.int8 = 0
    ...     def current_player(self):
    ...         return self.mover
    ...     def legal_actions(self):
    ...         for action in range(min(3, self.chips)):
    ...             yield action
    ...     def apply_action(self, action):
    ...         self.chips -= action + 1
    ...         self.mover = 1 - self.mover
    ...     def is_terminal(self):
    ...         return self.chips == 0
    ...     def returns(self):
    ...         return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)
    >>> state = Nim()
    >>> state.legal_actions()
    [0, 1, 2]
    >>> state.apply_action(2)
    >>> state
    <Nim chips=18 mover=1>
    >>> state.apply_action(7)
    Traceback (most recent call last):
    branchwise.common.errors.ActionError: action 7 is not legal here: the actions of nim are 0 to 2
      mend: legal actions are 0 1 2

    Called from outside the rules, `apply_action` refuses illegal actions. Within the rules, and in searches,
    it is the method as you wrote it. `play` also takes a move as people write it.

    `num_players` and `num_actions` (distinct actions, numbered from 0) are required. Returns lie in
    [`min_return`, `max_return`]. A game longer than `max_game_length` moves counts as a fault of the rules.

    Where chance is to move, `current_player` returns `bw.CHANCE`, and `chance_outcomes(self)` yields pairs of
    an outcome and its probability, such as `die, 1 / 6`. Outcomes are numbered from 0 to `num_outcomes` - 1;
    `apply_action` and all other methods that take an action also take an outcome. If a list would be too
    long, `sample_outcome(self, random)` draws an outcome instead. A simulator has neither: its
    `apply_action(self, action, random)` draws the result itself. `random.below(n)` is a whole number from 0
    to n - 1, `random.uniform()` one from 0 to 1, `random.normal()` one of the standard normal distribution,
    `random.choice(weights)` an index, and `random.shuffle(array)` shuffles in place; `integers`,
    `exponential`, `gamma`, `poisson` and `binomial` take the arguments of NumPy's generators; see
    `bw.Random`.

    A problem with rewards on the way has no `returns`: its `apply_action` returns the reward, a number for
    one player, else a tuple with one number per player; None means 0. A return is then the sum of rewards.
    Rewards after the next decision are multiplied by `discount` (0 to 1), those after the second by its
    square, and so on. `min_return` and `max_return` are then bounds of the future return, and unknown unless
    the class gives them. `horizon` is the number of decisions that a search looks ahead, 0 for all; a problem
    without an end needs one, and its episodes end after `max_game_length` moves.

    Where all players move at once, `current_player` returns `bw.SIMULTANEOUS`. Then `legal_actions` takes a
    player, `legal_actions(self, player)`, and yields that player's actions, none for a player without a
    choice; `apply_actions(self, actions)` gets one action a player, `bw.NO_ACTION` for such a player. The
    class needs `apply_action` only if chance or single players move at other times.

    Fields of the type `bw.Private[np.int8, "num_players", 5]` have a row for each player, seen by that player
    alone; those of the type `bw.Secret[np.int8, 52]` are seen by nobody. `pool = ("hands", "deck")` names the
    fields whose unseen cells are shuffled to deal anew. Optional methods: `observation(self, player)`,
    `action_seen(self, action, player)`, `determinize(self, player, random)`, `consistent(self, player)`.

    `utility` may declare how the players' returns relate to each other: "zero_sum", "constant_sum",
    "general_sum" or "identical"; `game_type` contains it with the rest of the game's type.

    `symbols[v]` shows the value v of a board's cell: a text, or a tuple of texts. `value_names` names the
    values of other fields in text, such as cards and kinds: {"hands": ("", "ace", "king"), "trump": Suit};
    None leaves a field out.

    Fields start at the values given in the class; a method `setup(self)` may then complete the start
    position, and keyword arguments set fields last. `setup(self, random)` draws a start: a state then begins
    with new random numbers, and `new_initial_state` takes those of a `bw.Random`.

    A network sees the lines of a board, or `net_patterns`, lists of squares; `sides_alike = True` says that
    the rules stay the same when two players exchange their pieces. In a game without a board
    `net_inputs(self, player)` yields the indices, below `num_net_inputs`, of what is true of a state.

    `tuning` may declare the settings of searches that `branchwise tune` tries for the game, by name:
    {"c": (0.2, 0.4), "playout": ("uniform", "decisive")}.

    A class with `symmetries` above 1 has `symmetry(self, k)`, which turns or mirrors a state in place, and
    `symmetry_action(self, k, action)`, which returns what the symmetry makes of an action of the state before
    it is turned: docs/boards.md. None of them exchanges players.

    A class method `configure(cls)` may derive constants from others and reject invalid ones; it runs for the
    class and for every variant made by `configured`. Each game whose players move in turn and see everything
    also has the option `random_starter=True`: chance first decides who starts.
    """

    min_return: ClassVar[float] = -1.0
    max_return: ClassVar[float] = 1.0
    max_game_length: ClassVar[int] = 10_000
    num_outcomes: ClassVar[int] = 0
    discount: ClassVar[float] = 1.0
    horizon: ClassVar[int] = 0
    symbols: ClassVar[Sequence[str]] = DEFAULT_SYMBOLS
    value_names: ClassVar[Mapping[str, Names]] = {}
    board_style: ClassVar[BoardStyle | str | None] = None
    net_patterns: ClassVar[Sequence[Sequence[int]] | None] = None
    num_net_inputs: ClassVar[int] = 0
    sides_alike: ClassVar[bool] = False
    random_starter: ClassVar[bool] = False

    playout: ClassVar[str] = "uniform"
    """The default playouts of searches: see `MCTS`."""

    playout_cutoff: ClassVar[int | None] = None
    """The default `cutoff` of searches, for games that random moves rarely end: see `MCTS`."""

    symmetries: ClassVar[int] = 1
    """How many symmetries the game has, the identity, symmetry 0, included."""

    name: ClassVar[str] = "game"
    """Text form of the game, such as `connect_four(rows=5)`."""

    if TYPE_CHECKING:
        num_players: ClassVar[int]
        num_actions: ClassVar[int]
        utility: ClassVar[Utility | None]

        def current_player(self) -> int: ...
        def legal_actions(self, player: int | None = None) -> list[int]: ...
        def apply_action(self, action: int) -> float | Sequence[float] | None: ...
        def apply_actions(self, actions: Sequence[int]) -> float | Sequence[float] | None: ...
        def is_terminal(self) -> bool: ...
        def returns(self) -> Sequence[float]: ...

    _fields: ClassVar[tuple[Field, ...]] = ()
    _hidden: ClassVar[tuple[Field, ...]] = ()
    _converters: ClassVar[dict[str, Callable[[Any], Any]]] = {}
    _arrays: ClassVar[tuple[str, ...]] = ()
    _dtype: ClassVar[np.dtype[Any]] = np.dtype([])
    _base: ClassVar[type[Game] | None] = None
    _options: ClassVar[dict[str, object]] = {}
    _variants: ClassVar[dict[tuple[tuple[str, object], ...], tuple[list[object], type[Game]]]] = {}
    _complete: ClassVar[bool] = False
    _joint: ClassVar[bool] = False
    _inner: ClassVar[type[Game] | None] = None
    _codes: ClassVar[dict[int, CodeType]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not isinstance(cls.__dict__.get("_base"), type):  # not a variant made by `configured`
            check_names(cls, Game)
            starter.check_class(cls)
            cls._base, cls._options, cls._variants = None, {}, {}
            cls.name = cls.__dict__.get("name", snake_case(cls.__name__))
            _anchor_files(cls)
        cls._complete = False
        cls.configure()
        refuse_hidden_state(cls)
        give_box(cls)
        complete_joint_rules(cls)
        wrap_rules(cls, Game)
        check_symbols(cls.__name__, cls.symbols)
        cls._fields = collect_fields(cls, Game)
        cls._hidden = tuple(field for field in cls._fields if field.sight != "public")
        check_hidden(cls)
        check_value_names(cls.__name__, [field.name for field in cls._fields], cls.value_names)
        cls._converters = {f.name: scalar_converter(cls.__name__, f) for f in cls._fields if f.is_scalar}
        cls._arrays = tuple(f.name for f in cls._fields if not f.is_scalar)
        cls._dtype = record_dtype(cls._fields)
        protect_arrays(cls)
        set_bounds(cls, Game)

    def __init__(self, **fields: ArrayLike) -> None:
        self._begin(None)
        for name, value in fields.items():
            if name not in self.__dict__:
                raise nearest_name("field", name, self.__dict__)
            setattr(self, name, value)

    @classmethod
    def new_initial_state(cls, random: Draws | None = None) -> Self:
        """Return the state in which a game starts.

        random : source for `setup(self, random)`, if the class has one; None: new numbers.

        >>> from branchwise.games.nim import Nim
        >>> Nim.new_initial_state() == Nim()
        True
        """
        state = object.__new__(cls)
        state._begin(random)
        return state

    def _begin(self, random: Draws | None) -> None:
        """Set every field to its start value."""
        if not self._complete:
            require_rules(type(self))
        for field in self._fields:
            if field.is_scalar:
                setattr(self, field.name, field.initial)
            else:
                self.__dict__[field.name] = initial_array(type(self), field)
        setup = getattr(self, "setup", None)
        if setup is not None:
            drawn = [Random() if random is None else random] if starts_at_random(type(self)) else []
            setup(*drawn)

    def __setattr__(self, name: str, value: Any) -> None:
        convert = self._converters.get(name)
        if convert is not None:
            self.__dict__[name] = convert(value)
        elif name in self._arrays:
            self.__dict__[name][...] = value
        else:
            raise _not_a_field(type(self), name)

    # --- variants -----------------------------------------------------------------------------------

    @classmethod
    def configure(cls) -> None:
        """Derive constants from others, and reject invalid ones; called for the class and each variant.

        A class may write its own; this one does nothing.
        """

    @classmethod
    def constants(cls) -> dict[str, Any]:
        """Return the constants of the game by name: plain class attributes, inherited ones included."""
        found: dict[str, Any] = {}
        for owner in reversed(cls.__mro__):
            for name, value in vars(owner).items():
                if _is_constant(name, value):
                    found[name] = value
                else:  # a method or a property takes the place of a constant
                    found.pop(name, None)
        for field in cls._fields:
            found.pop(field.name, None)
        for name in ("name", "value_names", "board_style", *PLAYOUT_CONSTANTS, *NET_CONSTANTS):
            found.pop(name, None)
        if isinstance(found.get("utility"), str):
            del found["utility"]
        if isinstance(found.get("tuning"), Mapping):
            del found["tuning"]
        if pool_of(cls):
            del found[POOL]
        return found

    @classmethod
    def configured(cls, **options: Any) -> type[Self]:
        """Return the variant of this game with other values for some of its constants.

        The same options give the same class, as long as files that they name stay as they are. Raises
        `UnknownNameError` for an option that the game does not have, and `GameError` for an invalid value.

        >>> from branchwise.games.connect_four import ConnectFour
        >>> ConnectFour.configured(rows=5, columns=5).name
        'connect_four(rows=5,columns=5)'
        >>> state = ConnectFour.configured(random_starter=True).from_actions("player1 d1 d2")
        >>> state.current_player()
        1
        """
        base: type[Self] = cls._base or cls  # type: ignore[assignment]
        constants = base.constants()
        merged: dict[str, Any] = dict(cls._options)
        for name, value in options.items():
            if name not in constants:
                raise nearest_name(f"option of {base.name}", name, constants)
            merged[name] = whole_path(name, _like(constants[name], value, f"{base.name}({name}=...)"))
        in_order = sorted(constants, key=lambda name: name == starter.OPTION)  # the game's own come first
        merged = {name: merged[name] for name in in_order if name in merged}
        chosen = {name: value for name, value in merged.items() if value != constants[name]}
        if not chosen:
            return base
        key = tuple(chosen.items())
        stamps: list[object] = [file_stamp(name, value) for name, value in chosen.items()]
        known, variant = base._variants.get(key, (None, base))
        if known != stamps:
            variant = _make_variant(base, chosen)
            base._variants[key] = stamps, variant
        return variant  # type: ignore[return-value]

    # --- states -------------------------------------------------------------------------------------

    def observation(self, player: int) -> tuple[float, ...]:
        """Return what `player` sees of the state, as numbers.

        By default these are the public fields and the player's own row of each `bw.Private` field, in the
        order in which they are declared. A class may write a generator `observation(self, player)` instead.
        player : from 0; -1 is a spectator, who sees public fields alone.

        >>> from branchwise.games.nim import Nim
        >>> Nim().observation(0)
        (21, 0)
        """
        return derived_observation(self, player)

    def copy(self) -> Self:
        """Return an independent state with the same content."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        for name in self._arrays:
            twin.__dict__[name] = self.__dict__[name].copy()
        return twin

    clone = copy

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        game = type(self)
        return _rebuilt_state, (game._base or game, game._options, self.to_record())

    def to_record(self) -> np.ndarray[Any, Any]:
        """Return the state as an array of shape () of the game's structured dtype."""
        record = np.zeros((), self._dtype)
        for field in self._fields:
            record[field.name] = self.__dict__[field.name]
        return record

    @classmethod
    def from_record(cls, record: np.ndarray[Any, Any]) -> Self:
        """Return the state in `record`, an array of shape () made by `to_record`."""
        if not cls._complete:
            require_rules(cls)
        state = object.__new__(cls)
        for field in cls._fields:
            value = record[field.name]
            state.__dict__[field.name] = value.item() if field.is_scalar else np.array(value).view(StateArray)
        return state

    def to_json(self) -> str:
        """Return the state as JSON text: the game's text form and every field."""
        fields = {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in self.__dict__.items()
        }
        return json.dumps({"game": self.name, "fields": fields})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the state that `to_json` wrote. Raises `GameError` for broken text or another game's."""
        fields = content_of_json(text, cls, "state", "fields", dict)["fields"]
        if fields.keys() != {field.name for field in cls._fields}:
            raise GameError(
                f"the fields {ascii(', '.join(fields))[1:-1][:200]} are not those of {cls.name}",
                mend=f"the fields are {', '.join(field.name for field in cls._fields)}",
            )
        for field in cls._fields:
            check_plain(cls, field, fields[field.name])
        try:
            return cls(**fields)
        except (ValueError, TypeError, OverflowError) as error:
            raise GameError(f"a field of this {cls.name} state has a bad value: {error}") from error

    @classmethod
    def from_actions(cls, actions: str | Iterable[int | str]) -> Self:
        """Return the state after `actions` from the start, each a number or its text.

        A single text is a line of moves with blanks between them. Raises `ActionError` with the first illegal
        move.

        >>> from branchwise.games.connect_four import ConnectFour
        >>> ConnectFour.from_actions(["d1", "d2"]) == ConnectFour.from_actions("d1 d2")
        True
        """
        state = cls()
        played: list[str] = []
        for position, action in enumerate(actions.split() if isinstance(actions, str) else actions, start=1):
            try:
                number = state.check_action(action)
            except ActionError as error:
                raise ActionError(
                    f"move {position}: {error.problem}", after=" ".join(played) or None, mend=error.mend
                ) from None
            is_joint = type(number) is tuple
            played.append(joint_text(state, number) if is_joint else state.action_to_string(number))
            _apply(state, number)
        return state

    def play(self, action: Any, *random: Any) -> Any:
        """Play one move, given as a number or as text; return its number.

        Where all players move at once, a move is a tuple with one action a player, each a number or a text.

        A continuous action is given as numbers, or as text with commas between them; a vector is returned.

        random : the source of a simulator's random numbers, such as `bw.Random()`.
        Raises `ActionError` if it is not legal here. `from_actions` plays a whole line from the start.

        >>> from branchwise.games.tic_tac_toe import TicTacToe
        >>> state = TicTacToe()
        >>> state.play("b2"), state.current_player()
        (4, 1)
        """
        number = self.check_action(action)
        _apply(self, number, *random)
        return number

    def check_action(self, action: Any) -> Any:
        """Return `action`, a number or a text, as the number of a legal action; a continuous one as a vector.

        Where all players move at once, it is a tuple of actions, one a player. Raises `ActionError` if the
        game is over or the action is not legal here.
        """
        if self._joint and not self.is_terminal() and self.current_player() == SIMULTANEOUS:
            return check_joint_move(self, action)
        if self.is_terminal():
            raise ActionError(
                f'"{action}" cannot be played: the game is over', mend="check state.is_terminal() first"
            )
        if continuous_actions.has_box(type(self)):
            vector = self.action_from_string(action) if isinstance(action, str) else action
            return continuous_actions.check_vector(self, vector)
        drawn = samples_outcomes(type(self)) and self.current_player() == CHANCE
        if isinstance(action, str):
            if not (drawn and action.strip().isdecimal()):
                return self.action_from_string(action)
            action = int(action)
        try:
            number = index(action)
        except TypeError:
            raise ActionError(
                f"{action!r} is not an action: give a whole number or a text", mend=self._legal_pairs()
            ) from None
        if not (drawn and 0 <= number < self.num_outcomes) and number not in self.legal_actions():
            what, last = "actions", self.num_actions - 1
            if self.num_outcomes and self.current_player() == CHANCE:
                what, last = "outcomes of chance", self.num_outcomes - 1
            known = "" if 0 <= number <= last else f": the {what} of {self.name} are 0 to {last}"
            raise ActionError(f"action {number} is not legal here{known}", mend=self._legal_pairs())
        return number

    def action_to_string(self, action: Any) -> str:
        """Return the text of `action`.

        By default it is the squares that it touches, if there is a board of several rows that the class does
        not draw itself; else its number, or its numbers with commas between them.
        """
        if continuous_actions.has_box(type(self)):
            return continuous_actions.vector_text(action)
        if has_layer(type(self)) or type(self).to_grid is Game.to_grid:
            return path_name(self, action)
        return str(action)

    action_to_string.is_plain = True  # type: ignore[attr-defined]

    def action_from_string(self, text: str) -> Any:
        """Return the legal action whose text is `text`; case does not matter.

        The action's number works too, if it is no move's text. Raises `ActionError`.
        """
        if continuous_actions.has_box(type(self)):
            return continuous_actions.check_vector(self, text)
        legal = self.legal_actions()
        wanted = text.strip().lower()
        for action in legal:
            if self.action_to_string(action).lower() == wanted:
                return action
        if wanted.isdecimal() and int(wanted) in legal:
            return int(wanted)
        raise ActionError(
            f'"{text}" is not a legal move here',
            mend=f"legal moves are {some_of(legal, self.action_to_string)}",
        )

    def _legal_pairs(self) -> str:
        """List the legal actions: their numbers, and their texts where these differ."""
        pairs = some_of(self.legal_actions(), lambda action: numbered(action, self.action_to_string(action)))
        return f"legal actions are {pairs}"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine, theirs, scalars = self.__dict__, other.__dict__, self._converters
        if not all(map(eq, map(mine.__getitem__, scalars), map(theirs.__getitem__, scalars))):
            return False
        return all(_same(mine[name], theirs[name]) for name in self._arrays)

    def __hash__(self) -> int:
        content = self.__dict__
        arrays = [content[name].tobytes() for name in self._arrays]
        return hash((type(self).name, *map(content.__getitem__, self._converters), *arrays))

    # --- pictures -----------------------------------------------------------------------------------

    def board_cells(self, out: Any) -> None:
        """Fill `out`, int16 [rows, columns, 2], with the owner of each cell, -1 for nobody, and its kind.

        `out` begins with nobody and kind 0, empty; the kind -1 is no cell. The default reads the board array
        that `to_grid` describes: p + 1 is a piece of player p, of the kind 1. It is called on the state as a
        player sees it.

        >>> import numpy as np
        >>> from branchwise.games.tic_tac_toe import TicTacToe
        >>> cells = np.full((3, 3, 2), (-1, 0), np.int16)
        >>> TicTacToe.from_actions("b2").board_cells(cells)
        >>> cells[1, 1].tolist()
        [0, 1]
        """
        array_cells(self, out)

    def action_squares(self, action: int) -> Iterable[int]:
        """Yield the squares that an action touches, in order, such as those of "e2" and "e4".

        A square is row * columns + column. By default it is the action's number, where there are as many
        actions as squares, and the lowest empty cell, where there are as many as columns. Where players move
        at once, a class may write `action_squares(self, action, player=0)`.
        """
        return default_squares(self, action)

    def board_caption(self) -> str:
        """Return a text for below the board, a line or several, such as who is to move; "" for none.

        It is called on the state as a player sees it, and shown with a board that has a `board_style`.
        """
        return ""

    def to_grid(self) -> Grid | None:
        """Return the board as a grid of cells, or None if there is none.

        A class with a `board_style` is drawn from its `board_cells`, above its `board_caption`. The default
        draws an array field: the two-dimensional one, or the only one-dimensional one. Its first row is on
        top; the picture numbers rows from the bottom, as on a chess board. If there are other arrays, all
        other fields are shown below. A field with `value_names` is no board, nor is a `bw.Private` one,
        nor a one-dimensional one for one player without `symbols`, unless it is named `board`.
        """
        says, board = has_layer(type(self)), board_field(self)
        if not says and board is None:
            return None
        nobody_moves = self.is_terminal() or self.current_player() in (CHANCE, SIMULTANEOUS)
        is_listed = not nobody_moves and not continuous_actions.has_box(type(self))
        legal = self.legal_actions() if is_listed else []  # cells stand for actions, not for outcomes
        if says:
            return layer_grid(self, legal)
        assert board is not None
        return grid_from_array(
            self.__dict__[board],
            self.symbols,
            self.num_actions,
            legal,
            self._field_lines(board) if len(self._arrays) > 1 or self.value_names else (),
        )

    def _field_lines(self, board: str = "") -> list[str]:
        """Return all fields as lines, except the one that is drawn as a board."""
        fields = {field.name: self.__dict__[field.name] for field in self._fields if field.name != board}
        return field_lines(fields, self.value_names, self.num_players)

    def to_svg(self) -> str | None:
        """Return a picture of the state as SVG text, or None if there is nothing to draw.

        An element for a legal action has the attribute `data-action`. If several cells stand for one action,
        as in a column, the explorer marks the lowest, where a piece would land.
        """
        grid = self.to_grid()
        return None if grid is None else grid_svg(grid)

    def __str__(self) -> str:
        grid = self.to_grid()
        if grid is not None:
            return grid_text(grid)
        return "\n".join(self._field_lines()) if self.value_names or self._hidden else repr(self)

    def __repr__(self) -> str:
        values = (
            f"{name}={str(value.tolist()).replace(' ', '') if isinstance(value, np.ndarray) else value}"
            for name, value in self.__dict__.items()
        )
        return f"<{' '.join([type(self).__name__, *values])}>"

    def _repr_html_(self) -> str:
        from html import escape

        return self.to_svg() or f"<pre>{escape(str(self))}</pre>"


def rule_functions(game: type[Game]) -> dict[str, Any]:
    """Return the methods, properties and static methods of `game` by name, as they were written.

    Omits methods of `Game` itself and dunder methods.
    """
    found: dict[str, Any] = {}
    for owner in reversed(game.__mro__):
        if owner in (object, Game):
            continue
        for name, value in vars(owner).items():
            if name.startswith("__"):
                continue
            found.pop(name, None)  # a constant takes the place of a method
            if isinstance(value, FunctionType):
                found[name] = written_rule(value)
            elif isinstance(value, property | staticmethod):
                found[name] = value
    return found


def content_of_json(text: str, game: type[Game], what: str, part: str, kind: type) -> dict[str, Any]:
    """Return the content of a JSON text that tells the name of `game`, and more.

    what : it is, a "state" or a "record", for errors.   part, kind : a name that it has, and what that is, a
    dict or a list. Raises `GameError` for anything else, and for that of another game.
    """
    try:
        content: Any = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise GameError(f"this is not the JSON of a {game.name} {what}: {error}") from error
    told = content if isinstance(content, dict) else {}
    name = told.get("game")
    if not isinstance(name, str) or not isinstance(told.get(part), kind):
        writer, opening = ("state", "{") if kind is dict else ("playthrough", "[")
        raise GameError(
            f"this is not the JSON of a {game.name} {what}",
            mend=f'{writer}.to_json() writes {{"game": "{game.name}", "{part}": {opening}...',
        )
    if name != game.name:
        raise GameError(f"this is a {what} of {ascii(name)[1:-1][:80]}, not of {game.name}")
    return told


def _apply(state: Game, action: Any, *random: Any) -> None:
    """Apply a legal action, or a tuple with one of each player, without a check."""
    if type(action) is tuple:
        written_rule(type(state).apply_actions)(state, action)
    else:
        written_rule(type(state).apply_action)(state, action, *random)


def _same(first: Any, second: Any) -> bool:
    """Whether two arrays of a field are equal."""
    if first.dtype.kind == "f":  # -0.0 equals 0.0
        return np.array_equal(first, second)
    return bool(first.tobytes() == second.tobytes())


def _rebuilt_state(base: type[Game], options: dict[str, Any], record: np.ndarray[Any, Any]) -> Game:
    """Return a state from its pickled parts, and rebuild the game's variant from its options."""
    return base.configured(**options).from_record(record)


def _is_constant(name: str, value: object) -> bool:
    if name.startswith("_"):
        return False
    return not isinstance(value, FunctionType | property | classmethod | staticmethod | type)


def _not_a_field(cls: type[Game], name: str) -> GameError:
    if name in cls.constants():
        return GameError(
            f"{cls.__name__}.{name} is a constant of the game and cannot be set in a state",
            mend=f"to make it a field, give it a type: {field_declaration(name, getattr(cls, name))}",
        )
    return GameError(
        f"{cls.__name__}.{name} is set, but it is not a field", mend=nearest_attribute(cls, name)
    )


def _anchor_files(game: type[Game]) -> None:
    """Make the paths of files that a class has as constants relative to the file of the class."""
    source = getattr(sys.modules.get(game.__module__), "__file__", None)
    folder = None if source is None else Path(source).parent
    for name, value in list(vars(game).items()):
        path = whole_path(name, value, folder)
        if path is not value:
            setattr(game, name, path)


def _like(default: Any, value: Any, where: str) -> Any:
    """Return `value` converted to the type of `default`, or raise `GameError`."""
    if isinstance(default, tuple) and isinstance(value, int | list | tuple):
        value = (value,) if isinstance(value, int) else _tupled(value)
    if isinstance(default, float) and type(value) is int:
        value = float(value)
    if isinstance(default, np.ndarray) or type(value) is not type(default):
        kind = type(default).__name__
        raise GameError(f"{where} takes {'an' if kind in ('int', 'ndarray') else 'a'} {kind}, not {value!r}")
    return value


def _tupled(value: Any) -> Any:
    """Return rows of rows, lists or tuples, as tuples, which can be hashed."""
    return tuple(map(_tupled, value)) if isinstance(value, list | tuple) else value


def _has_own(game: type[Game], name: str) -> bool:
    """Whether a class, or a base of it other than `Game`, has an attribute."""
    return any(name in vars(owner) for owner in game.__mro__ if owner is not Game)


def _make_variant(base: type[Game], options: Mapping[str, object]) -> type[Game]:
    name = format_spec(base.name, options)
    body = {
        **options,
        "name": name,
        "_base": base,
        "_options": dict(options),
        "__module__": base.__module__,
        "__doc__": base.__doc__,
    }
    parent = base
    if options.get(starter.OPTION) is True and not _has_own(base, starter.OPTION):
        parent = base.configured(**{name: value for name, value in options.items() if name != starter.OPTION})
        body |= starter.variant_body(parent, Game.action_from_string)
        trust_rules(parent, Game, body.values())
    variant = type(base.__name__, (parent,), body)
    for option, value in options.items():
        if getattr(variant, option) != value:
            raise GameError(
                f"{base.name}({option}={value!r}): {option} follows from other options of the game"
            )
    return variant
