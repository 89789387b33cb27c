"""A game in progress: its start, the moves made so far, and the position that they lead to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar, cast

from branchwise.common.errors import ActionError, GameError
from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.game.kinds.continuous_actions import same_action
from branchwise.game.kinds.game_kinds import is_partially_observed
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.kinds.random_numbers import Draws, Random
from branchwise.game.rules_class import Game
from branchwise.pictures.simulation_report import Move
from branchwise.rules.facts.dice import drawn_outcome
from branchwise.rules.facts.facts import (
    action_text,
    action_word,
    apply_legal,
    check_is_state,
    copied,
    facts_of,
    is_over,
    legal_action,
    reward_of,
)
from branchwise.rules.facts.game_type import pays, simulates
from branchwise.rules.facts.given_to_bots import Shown
from branchwise.rules.facts.rewards import sum_of_rewards
from branchwise.rules.knowledge.information import InformationState
from branchwise.rules.knowledge.information_states import InformationStates
from branchwise.rules.knowledge.observations import Observations, Step, Written
from branchwise.rules.playthrough.joint_choice import JointChoice
from branchwise.rules.playthrough.playthrough_json import WrittenGame, fields_of, game_to_dict, outcome_from

StateT = TypeVar("StateT")
GameT = TypeVar("GameT", bound=Game)

_KEPT_EVERY = 16
_SHOWN_WORDS = 50
_UNKNOWN_PLAYER = -99


class Playthrough(Generic[StateT]):
    """One game in progress.

    Moves are actions of players and outcomes of chance. Moves that were taken back are kept until another
    move replaces them.

    start : the state in which the game begins, of a `Game` or any other class.   moves : made at once, each a
    number or its text; a single text is a line of moves with blanks between them. A continuous action is a
    read-only float64 array, and can be given as any numbers or as text such as `0.25,-1`.
    each_move : called before each move that is played or repeated; if it raises, nothing has changed.
    random : source of the random numbers of `draw`, and of a simulator; None: new ones. All states of a
    simulator are kept, because moves do not determine them.

    Raises `ActionError` with the number of the first move that is not legal.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> playthrough = Playthrough(ConnectFour(), "d1 d2")
    >>> playthrough.play("c1")
    2
    >>> playthrough.text, playthrough.player
    ('d1 d2 c1', 1)
    >>> playthrough.undo()
    >>> playthrough.text, playthrough.player, playthrough.state == ConnectFour.from_actions("d1 d2")
    ('d1 d2', 0, True)
    """

    def __init__(
        self,
        start: StateT,
        moves: str | Iterable[Any] = (),
        *,
        each_move: Callable[[], object] | None = None,
        random: Draws | None = None,
    ) -> None:
        if isinstance(start, type | str):
            check_is_state(start)
        self._each_move = each_move
        self._pays = pays(start)
        self._dice = random
        self._random: Draws | None = None
        if simulates(type(start)):
            self._random = random or Random()
        self._every = _KEPT_EVERY if self._random is None else 1
        self._rewards: list[tuple[float, ...]] = []
        """Rewards of each move, if the game pays on the way."""

        self._actions: list[Any] = []
        self._told: list[Move] = []
        """The first moves, as far as they were needed; texts cost a call of the rules."""

        self._kept: list[StateT] = [copied(start)]
        """States before the moves 0, _every, 2 * _every and so on."""

        self._information = InformationStates()
        self._observations: Observations | None = None
        if is_partially_observed(type(start)):
            self._observations = Observations(random or Random())
        self._before: StateT | None = None
        self._state = self._kept[0]
        self._ply = 0
        self._player: int | None = _UNKNOWN_PLAYER
        for number, move in enumerate(moves.split() if isinstance(moves, str) else moves, start=1):
            self.play_numbered(number, move)

    # --- the position -------------------------------------------------------------------------------

    @property
    def start(self) -> StateT:
        """The state in which the game began; do not change it."""
        return self._kept[0]

    @property
    def state(self) -> StateT:
        """The current state; do not change it."""
        return self._state

    @property
    def before(self) -> StateT | None:
        """The state before the last move, None at the start; do not change it."""
        if self._before is None and self._ply:
            self._before = self.state_at(self._ply - 1)
        return self._before

    @property
    def ply(self) -> int:
        """Number of moves made."""
        return self._ply

    @property
    def length(self) -> int:
        """Number of moves, including those that were taken back."""
        return len(self._actions)

    @property
    def player(self) -> int | None:
        """The player to move, -1 for chance, -2 where all move at once; None when the game is over."""
        if self._player == _UNKNOWN_PLAYER:
            state: Any = self._state
            self._player = None if is_over(state) else int(state.current_player())
        return self._player

    @property
    def is_over(self) -> bool:
        return self.player is None

    @property
    def is_chance(self) -> bool:
        """Whether chance is to move."""
        return self.player == CHANCE

    @property
    def is_joint(self) -> bool:
        """Whether all players move at once; a move is then a tuple with one action a player."""
        return self.player == SIMULTANEOUS

    @property
    def returns(self) -> tuple[float, ...] | None:
        """Each player's return; None until the game is over. Of a game that pays on the way: `paid`."""
        if not self.is_over:
            return None
        if pays(self._state):
            return self.paid
        return tuple(float(number) for number in cast(Any, self._state).returns())

    @property
    def paid(self) -> tuple[float, ...]:
        """The sum of each player's rewards so far, discounted from the first decision on; else zeros."""
        return sum_of_rewards(self.rewards, facts_of(self.start, joint=True), self.positions)

    @property
    def draws(self) -> bool:
        """Whether moves lead to random states, so that a record of the game needs the states, too."""
        return self._random is not None

    @property
    def observes(self) -> bool:
        """Whether it is a partially observed problem, where each move draws an observation."""
        return self._observations is not None

    @property
    def rewards(self) -> tuple[tuple[float, ...], ...]:
        """The rewards of each move, one a player; empty for a game that does not pay on the way."""
        return tuple(self._rewards[: self._ply])

    @property
    def all_rewards(self) -> tuple[tuple[float, ...], ...]:
        """The same with those of moves that were taken back."""
        return tuple(self._rewards)

    def state_at(self, ply: int) -> StateT:
        """Return a copy of the state after `ply` moves. Raises `ActionError` if there are fewer moves."""
        self._check_ply(ply)
        first = min(ply // self._every, len(self._kept) - 1)
        state = copied(self._kept[first])
        for action in self._actions[first * self._every : ply]:
            self._count_move()
            apply_legal(state, action)
        return cast(StateT, state)

    def information_state(self, player: int, ply: int | None = None) -> InformationState:
        """Return what `player` knows: all that the player has seen and done so far, or after `ply` moves.

        Moves that were taken back were never seen. Raises `GameError` for a state that is no `Game`, and for
        an unknown player.

        >>> from branchwise.games.kuhn_poker import KuhnPoker
        >>> playthrough = Playthrough(KuhnPoker(), "J K pass")
        >>> playthrough.information_state(1)
        <branchwise.InformationState kuhn_poker: player 1, 3 events, to move>
        >>> playthrough.information_state(1).legal_actions()
        [0, 1]
        """
        start: Any = self.start
        if self._observations is not None:
            raise GameError(
                f"what is known of {start.name} are its planner's actions and observations",
                mend="give Playthrough(...).shown(0), a history",
            )
        if not isinstance(start, Game):
            raise GameError(f"a {type(start).__name__} is no branchwise.Game: it has no information states")
        if not 0 <= player < start.num_players:
            raise GameError(f"there is no player {player}", mend=f"players are 0 to {start.num_players - 1}")
        known = self._information.of(start, player)
        if len(known) <= self._ply:
            self._information.learn(player, self._transitions(len(known) - 1))
        if ply is None:
            return known[self._ply]
        if not 0 <= ply <= self._ply:
            raise ActionError(f"{ply} moves have not been made", mend=f"{self._ply} moves have")
        return known[ply]

    def shown(self, player: int) -> StateT | Shown:
        """Return what a bot that plays `player` is given: a copy of the state, or what the player knows.

        It is an information state in a game with hidden information, a history of actions and observations
        in a partially observed problem, and a `JointChoice` where all players move at once.
        """
        state: Any = self._state
        if self._observations is not None:
            waits = self.player is None or self.is_chance
            legal = () if waits else state.legal_actions()
            return self._observations.history(type(state), self.moves, legal, over=self.is_over)
        if isinstance(state, Game) and hides_information(type(state)):
            return self.information_state(player)
        if self.is_joint:
            return JointChoice(state, player)
        return copied(state)  # type: ignore[no-any-return]

    def shown_moves(self) -> tuple[Any, ...] | None:
        """Return the moves made; None in a game with hidden information, where they tell what is hidden."""
        state: Any = self._state
        hides = isinstance(state, Game) and hides_information(type(state))
        return None if hides or self.observes else self.actions

    def positions(self) -> Iterator[tuple[StateT, Any]]:
        """Yield the state before each move that was made, with the action; do not change the states."""
        state = copied(self.start)
        for ply, action in enumerate(self.actions):
            yield state, action
            self._count_move()
            state = self._next(state, ply)

    def _transitions(self, first: int) -> Iterator[tuple[Any, Any, Any]]:
        """Yield the state before each move after the first ones, the action, and the state after it."""
        state = self.state_at(first)
        for ply in range(first, self._ply):
            self._count_move()
            after = self._next(state, ply)
            yield state, self._actions[ply], after
            state = after

    # --- moves --------------------------------------------------------------------------------------

    @property
    def actions(self) -> tuple[Any, ...]:
        """The moves made, as numbers or vectors."""
        return tuple(self._actions[: self._ply])

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves made: player, number and text."""
        return tuple(self._known_moves(self._ply)[: self._ply])

    @property
    def all_moves(self) -> tuple[Move, ...]:
        """The same with the moves that were taken back."""
        return tuple(self._known_moves(self.length))

    @property
    def text(self) -> str:
        """The moves made as a line of words, which a new `Playthrough` reads."""
        return " ".join(action_word(state, action) for state, action in self.positions())

    def play(self, move: Any, random: Draws | None = None) -> Any:
        """Play an action, or an outcome of chance, given as a number or as text; return its number.

        A continuous action is given as numbers or as text, and returned as a vector.

        If it is the next of the moves that were taken back, the others stay. Raises `ActionError` if it is
        not legal; nothing has changed then, or after any other error.
        random : source of a simulator's random numbers for this move; None: the playthrough's.
        """
        action = legal_action(self._state, move)
        if self._ply < self.length and same_action(self._actions[self._ply], action):
            self.go_to(self._ply + 1)
        else:
            self._play_new(action, random or self._random)
        return action

    def play_numbered(self, number: int, move: Any) -> Any:
        """Play a move of a list as `play` does; an `ActionError` has its number, from 1."""
        try:
            return self.play(move)
        except ActionError as error:
            raise ActionError(
                f"move {number}: {error.problem}", after=self._last_words(), mend=error.mend
            ) from None

    def draw(self, random: Draws | None = None) -> int:
        """Draw an outcome where chance is to move, play it and return its number.

        Raises `ActionError` if chance is not to move.
        random : source of the random number; None: the playthrough's.

        >>> from branchwise.games.kuhn_poker import KuhnPoker
        >>> played = Playthrough(KuhnPoker(), random=Random(1))
        >>> while played.is_chance:
        ...     _ = played.draw()
        >>> played.text, played.player
        ('J Q', 0)
        """
        if not self.is_chance:
            raise ActionError("chance is not to move here: there is nothing to draw")
        if self._dice is None:
            self._dice = Random()
        outcome = drawn_outcome(self._state, random or self._dice)
        self._play_new(outcome, random or self._random)
        return outcome

    def play_written(
        self,
        move: Any,
        fields: object = None,
        rewards: object = None,
        observation: object = Written.NOTHING_TOLD,
    ) -> Any:
        """Play an action of which a record tells what was drawn after it; return what `play` returns.

        fields, rewards : of the state after a simulator's move, and of the move, as `to_dict` writes them.
        observation : made after it, in a partially observed problem; if it is not given, `shown` is refused
        from then on. Raises `ActionError` if the action is not legal, `GameError` for anything else, also for
        an observation that the rules call impossible.
        """
        start: Any = self.start
        facts = facts_of(start, joint=True)
        if not facts.simulates and not self.observes:
            raise GameError(f"what a move of {facts.name} leads to is not drawn", mend="play(move) plays it")
        action = legal_action(self._state, move)
        if facts.simulates:
            state, paid = outcome_from(start, facts, self._ply + 1, fields, rewards)
            self._add(action, cast(StateT, state), self._state, paid, written=(observation,))
        else:
            self._play_new(action, None, written=(observation,))
        return action

    def written(self) -> tuple[dict[str, Any], list[float] | None]:
        """Return the arguments of `play_written` for the last move: the state's fields, and the rewards."""
        return fields_of(self._state), list(self._rewards[self._ply - 1]) if self._pays else None

    @property
    def observed(self) -> Any:
        """What was observed after the last move, in a partially observed problem; None for nothing.

        >>> import branchwise as bw
        >>> played = Playthrough(bw.load_game("tiger")(tiger=1), ["listen"], random=bw.Random(4))
        >>> played.observed, played.to_dict()["observations"]
        (2, [2])
        """
        if self._observations is None or not self._ply:
            return None
        seen = self._observations.seen(self._ply - 1)
        return None if seen is Written.NOTHING_TOLD else seen

    def undo(self, moves: int = 1) -> None:
        """Take back the last moves. Raises `ActionError` if fewer were made."""
        if not 0 <= moves <= self._ply:
            raise ActionError("there is nothing to undo")
        self.go_to(self._ply - moves)

    def redo(self, moves: int = 1) -> None:
        """Make moves again that were taken back. Raises `ActionError` if there are fewer."""
        if not 0 <= moves <= self.length - self._ply:
            raise ActionError("there is nothing to redo")
        self.go_to(self._ply + moves)

    def go_to(self, ply: int) -> None:
        """Go to the position after `ply` moves. Raises `ActionError` if there are fewer moves."""
        self._check_ply(ply)
        if ply == self._ply + 1:
            before = self._state
            self._count_move()
            self._stand(ply, self._next(before, self._ply), before)
        elif ply != self._ply:
            self._stand(ply, self.state_at(ply), None)

    def copy(self) -> Playthrough[StateT]:
        """Return an independent playthrough of the same game."""
        twin = Playthrough(self.start, each_move=self._each_move, random=self._dice)
        twin._random = self._random
        twin._actions, twin._told, twin._kept = list(self._actions), list(self._told), list(self._kept)
        twin._rewards = list(self._rewards)
        twin._information = self._information.copy()
        if twin._observations is not None and self._observations is not None:
            twin._observations.take(self._observations)
        twin._stand(self._ply, self._state, self._before)
        return twin

    def __copy__(self) -> Playthrough[StateT]:
        return self.copy()

    def _play_new(self, action: Any, random: Draws | None, *, written: tuple[object, ...] = ()) -> None:
        before, state = self._state, copied(self._state)
        self._count_move()
        given = apply_legal(state, action, random)
        rewards = reward_of(state, given, facts_of(state, joint=True)) if self._pays else None
        self._add(action, state, before, rewards, random, written=written)

    def _add(
        self,
        action: Any,
        state: StateT,
        before: StateT,
        rewards: tuple[float, ...] | None,
        random: Draws | None = None,
        *,
        written: tuple[object, ...] = (),
    ) -> None:
        """Append `action`, which led from `before` to `state`, in place of moves that were taken back.

        written : the observation of a record, as its only item; if empty, one is drawn.
        """
        if self._observations is not None:
            step = Step(self._ply, action, before, state, self._move_at)
            if written:
                self._observations.read(step, written[0])
            else:
                self._observations.draw(step, random)
        del self._actions[self._ply :]
        del self._told[self._ply :]
        del self._rewards[self._ply :]
        del self._kept[self._ply // self._every + 1 :]
        self._information.forget_after(self._ply)
        self._actions.append(action)
        if rewards is not None:
            self._rewards.append(rewards)
        self._stand(self._ply + 1, state, before)
        if self._ply % self._every == 0:
            self._kept.append(state)

    def _move_at(self, ply: int) -> tuple[Any, StateT]:
        """Return the move after `ply` moves, and the state before it."""
        return self._actions[ply], self.state_at(ply)

    def _next(self, state: StateT, ply: int) -> StateT:
        """Return the state after move number `ply`, from 0; state : the one before it, not changed."""
        if self._random is not None:
            return copied(self._kept[ply + 1])  # type: ignore[no-any-return]
        after = copied(state)
        apply_legal(after, self._actions[ply])
        return after  # type: ignore[no-any-return]

    def _stand(self, ply: int, state: StateT, before: StateT | None) -> None:
        self._ply, self._state, self._before = ply, state, before
        self._player = _UNKNOWN_PLAYER

    def _count_move(self) -> None:
        if self._each_move is not None:
            self._each_move()

    def _check_ply(self, ply: int) -> None:
        if not 0 <= ply <= self.length:
            raise ActionError(
                f"there is no position after {ply} moves", mend=f"the game has {self.length} moves"
            )

    def _known_moves(self, count: int) -> list[Move]:
        """Return the moves, of which at least the first `count` are known."""
        first = len(self._told)
        if first < count:
            state: Any = copied(self.before) if first == self._ply - 1 else self.state_at(first)
            for ply, action in enumerate(self._actions[first:count], start=first):
                player, text = int(state.current_player()), action_text(state, action)
                self._told.append(Move(player, action, text))
                self._count_move()
                state = self._next(state, ply)
        return self._told

    def _last_words(self) -> str | None:
        words = self.text.split()
        return " ".join(words if len(words) <= _SHOWN_WORDS else ["...", *words[-_SHOWN_WORDS:]]) or None

    # --- text ---------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the moves made as plain values for JSON: game, actions, and moves as words.

        The values include a start other than the game's, all states of a simulator with their rewards, and
        what was observed after each move of a partially observed problem. Raises `GameError` for a state that
        is not a `Game`, which only its own library can write.
        """
        content = game_to_dict(self.start, self.actions, self.text.split())
        if self._random is not None:
            content["states"] = [fields_of(state) for state in self._kept[1 : self._ply + 1]]
            if self._pays:
                content["rewards"] = [list(rewards) for rewards in self.rewards]
        if self._observations is not None:
            seen = self._observations.told(self._ply)
            if seen is not None:
                content["observations"] = seen
        return content

    def to_json(self) -> str:
        """Return `to_dict` as JSON text.

        >>> from branchwise.games.nim import Nim
        >>> Playthrough(Nim(), [2, 0]).to_json()
        '{"game": "nim", "actions": [2, 0], "moves": ["3", "1"]}'
        """
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str, game: type[GameT]) -> Playthrough[GameT]:
        """Return the playthrough that `to_json` wrote of a game.

        Raises `GameError` for broken text, another game's, and moves that `game` does not allow or calls by
        other names: its rules may have changed. A partially observed problem is read without observations,
        too, as earlier versions wrote it; what its planner knows, `shown`, is then refused.

        >>> from branchwise.games.nim import Nim
        >>> Playthrough.from_json('{"game": "nim", "actions": [2, 0]}', Nim).text
        '3 1'
        """
        written = WrittenGame.read(text, game)
        played = Playthrough(written.start)
        for number, (action, word) in enumerate(zip(written.actions, written.words, strict=True), start=1):
            try:
                legal = [legal_action(played.state, move) for move in (action, word)]
            except ActionError as error:
                raise GameError(
                    f"move {number} of this {game.name} record cannot be played: {error.problem}",
                    after=played._last_words(),
                    mend=error.mend,
                ) from None
            if not same_action(*legal):
                raise GameError(
                    f'move {number} of this {game.name} record is action {action} and also "{word}", '
                    "which are different moves",
                    after=played._last_words(),
                )
            state, paid = (None, None) if not played.draws else written.outcome(number, pays=played._pays)
            if played.observes:
                played.play_written(action, state, paid, written.observation(number))
            elif played.draws:
                played.play_written(action, state, paid)
            else:
                played.play(action)
        return played

    def __repr__(self) -> str:
        state = self._state
        name = state.name if isinstance(state, Game) else type(state).__name__
        return f"<branchwise.Playthrough {name}: {self._ply} moves>"
