"""A bot that runs a separate program, in any language, through the Universal Game Interface."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Unpack

from branchwise.bots.base.bot import check_sees_all
from branchwise.bots.programs.program import ProgramBot, ProgramOptions
from branchwise.common.argument_checks import whole_number
from branchwise.engines.ugi.client import Engine
from branchwise.engines.ugi.language import Go, Info, Position
from branchwise.engines.ugi.moves import move_word, state_word
from branchwise.engines.ugi.options import STATES_OPTION
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts, legal_action
from branchwise.search.settings.budget import least
from branchwise.search.settings.move_limit import Limit

DEFAULT_SECONDS = 1.0


class EngineBot(ProgramBot[Engine, str]):
    """Plays the answers of a program; docs/engines.md describes the protocol.

    command : the program with its arguments, as typed in a shell; no shell reads it.   folder : its
    working directory; None: the current one.   seconds, nodes, depth : limits sent to it, any of them; the
    default is one second.
    clock, increment : seconds on the bot's clock for a whole game, and seconds that each move adds, in place
    of seconds.   options : values by name for settings that the program offers.   seed : sent to a program
    that has an option `seed`.   patience : seconds to wait for an answer; for a move, beyond its time.

    The first choice, or `new_game` before it, starts the program. `close` ends it, and so do its own faults
    and the end of this process. After a fault the next choice starts it again. Faults raise `EngineError`.

    >>> EngineBot(command="./my_engine --strong", seconds=0.1, options={"hash": 64})
    engine(command='./my_engine --strong',seconds=0.1,options={'hash':64})
    """

    name = "engine"

    engine_type: ClassVar[type[Engine]] = Engine

    info: Info | None = None
    """The program's last report on the search for its last move."""

    def __init__(
        self,
        *,
        nodes: int | None = None,
        depth: int | None = None,
        **common: Unpack[ProgramOptions],
    ) -> None:
        super().__init__({"nodes": nodes, "depth": depth}, **common)
        whole_number("nodes", nodes, 1, 2**53, optional=True)
        whole_number("depth", depth, 1, 2**31 - 1, optional=True)
        seconds = common.get("seconds")
        self._has_own = any(given is not None for given in (seconds, nodes, depth, self._clock))
        self._limits = Go(seconds if self._has_own else DEFAULT_SECONDS, nodes, depth)
        if self._limits == Go(DEFAULT_SECONDS):
            self._options["seconds"] = None

    def check_game(self, game: type[Game]) -> None:
        check_sees_all(game, self.name)  # the program is sent all moves

    def _answer(
        self, engine: Engine, state: Any, facts: GameFacts, limit: Limit | None, told: Sequence[Any] | None
    ) -> Any:
        go = self._go(facts, int(state.current_player()), limit)
        position = self._position(engine, state, facts, told)
        longest = go.seconds or self._remaining or 0.0
        word = engine.search(position, go, longest + self._patience, self._stopping)
        after = " ".join(position.moves) or position.state
        if word in engine.dialect.no_move:
            raise engine.error(f'answered "{word}", which is not a legal move', after=after)
        action = self._legal(engine, word, partial(legal_action, state), after)
        self.info = engine.info
        return action

    def _word(self, state: Any, action: Any) -> str:
        return move_word(state, action)

    def _go(self, facts: GameFacts, player: int, limit: Limit | None) -> Go:
        """Return the limits of the next move."""
        go = self._limits if limit is None else self._within(limit)
        clocks = self._clocks(facts, player, limit)
        return Go(go.seconds, go.nodes, go.depth, clocks, (self._increment,) * len(clocks))

    def _within(self, limit: Limit) -> Go:
        """Return the bot's own limits, tightened by `limit`; the default second gives way to any limit."""
        own = self._limits
        if not self._has_own and (limit.seconds, limit.nodes, limit.depth) != (None, None, None):
            own = Go()
        return Go(
            least(own.seconds, limit.seconds), least(own.nodes, limit.nodes), least(own.depth, limit.depth)
        )

    def _position(self, engine: Engine, state: Any, facts: GameFacts, told: Sequence[Any] | None) -> Position:
        """Return the position line for `state`; announces a new game to the engine first, if one begins."""
        words, goes_on = self._words_to(state, told)
        if self._is_new or (words is not None and not goes_on):
            engine.new_game()
        self._is_new = False
        if words is not None:
            return Position(tuple(words))
        written = self._state_text(engine, state)
        if written is None:
            raise self._unknown_moves(facts)
        return Position(state=written)

    def _state_text(self, engine: Engine, state: Any) -> str | None:
        """Return a state as the engine reads it; None if it reads none."""
        return state_word(state) if isinstance(state, Game) and STATES_OPTION in engine.options else None
