"""Positions as sent to clients: picture, moves, turn. Uses the rules in plain Python; compiles nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import urlencode

from branchwise.boards.layer import caption_of, cells_of, has_layer, squares_of
from branchwise.boards.style import look_of
from branchwise.common.errors import ActionError, GameError, SettingsError
from branchwise.common.players import CHANCE, NO_PLAYER, SIMULTANEOUS
from branchwise.drawing.grid import grid_svg
from branchwise.game.kinds.continuous_actions import box_of, has_box, has_texts, whole_of
from branchwise.game.kinds.game_kinds import is_simulator, starts_at_random
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.kinds.random_numbers import Draws
from branchwise.game.rules_class import Game
from branchwise.pictures.tree.tree import clean
from branchwise.rules.facts.facts import check_is_repeatable
from branchwise.rules.facts.game_type import pays
from branchwise.rules.knowledge.information import InformationState
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.rules.playthrough.position import DRAWN, Position, position_after
from branchwise.web.game.offered_games import OfferedGame
from branchwise.web.protocol.action_codes import Sent, received, shown
from branchwise.web.protocol.messages import Board, BoardTold, Box, MoveTold, PositionAnswer, finite
from branchwise.web.protocol.rule_threads import check_budget

MOST_TEXT = 20_000
_FROM_THERE = "play on from a position that is there"
_MOST_SVG = 2_000_000
_LONGEST_MOVE = 60


def picture(state: Game, before: Game | None = None) -> str | None:
    """Return the state as SVG, or None without a picture; changes since `before` are marked."""
    if type(state).to_svg is not Game.to_svg:
        drawn = state.to_svg()
        if drawn is None or len(drawn) <= _MOST_SVG:
            return drawn
        raise GameError(f"the picture of a {state.name} state has {len(drawn):,} characters")
    grid = state.to_grid()
    if grid is None:
        return None
    changed: set[tuple[int, int]] = set()
    old = None if before is None else before.to_grid()
    if old is not None and [len(row) for row in old.cells] == [len(row) for row in grid.cells]:
        changed = grid.changed(old)
        cells, before_cells = grid.cells, old.cells
        taken = {(r, c) for r, c in changed if cells[r][c].owner != before_cells[r][c].owner}
        changed = taken or changed
    return grid_svg(grid, changed)


class Drawn(NamedTuple):
    """A state to look at: what its board holds, or else its picture, and its text."""

    board: Board | None
    svg: str | None
    text: str


def drawn(state: Game, before: Game | None = None, move: Any = None) -> Drawn:
    """Return a state to look at; before, move : the state before it and the move that led from there."""
    own = type(state).to_svg is not Game.to_svg or type(state).to_grid is not Game.to_grid
    says = has_layer(type(state))
    try:
        if look_of(type(state)) is not None and (says or not own):
            last = [] if before is None or not isinstance(move, int) else list(squares_of(before, move))
            caption = caption_of(state)[:MOST_TEXT] if state.num_players == 1 else ""
            board = Board(cells=cells_of(state).ravel().tolist(), last=last, caption=caption)
            return Drawn(board, None, plain_text(state))
    except GameError:  # `branchwise check` tells it; moves can be played by their names
        if says:
            return Drawn(None, None, repr(state)[:MOST_TEXT])
    return Drawn(None, picture(state, before), plain_text(state))


def plain_text(state: Game) -> str:
    """Return the state as plain text; a very long text is cut."""
    return str(state)[:MOST_TEXT]


def move_text(state: Game, action: Any) -> str:
    """Return the text of an action, on one line."""
    return short_text(shown(state, action))


def short_text(text: str) -> str:
    """Return the text of an action on one line; a very long one is cut."""
    return clean(text)[:_LONGEST_MOVE]


def player_to_move(state: Game) -> int | None:
    """Return the player to move, -1 for chance, None when the game is over."""
    return None if state.is_terminal() else int(state.current_player())


def returns_of(state: Game) -> list[float] | None:
    """Return each player's return in a finished game; None if the game is not over, or pays on the way."""
    if not state.is_terminal() or pays(state):
        return None
    return checked_returns(state, state.returns())


def checked_returns(state: Game, given: Iterable[float]) -> list[float]:
    """Return the returns of a finished game as numbers. Raises `GameError` if they are not finite."""
    returns = [float(number) for number in given]
    if not all(map(math.isfinite, returns)):
        raise GameError(f"{state.name}.returns gave {returns}", mend="returns are finite numbers")
    return returns


def legal_moves(state: Game) -> list[MoveTold]:
    """Return the legal moves; empty when the game is over, of each player where all move at once."""
    player = player_to_move(state)
    if player is None:
        return []
    if player == SIMULTANEOUS:
        return [
            _move_told(state, int(action), chooser, chooser=chooser)
            for chooser in range(state.num_players)
            for action in state.legal_actions(chooser)
        ]
    chances: dict[int, float] = {}
    if player == CHANCE and callable(getattr(state, "chance_outcomes", None)):
        chances = {int(outcome): float(chance) for outcome, chance in state.chance_outcomes()}  # type: ignore[attr-defined]
    legal = [] if has_box(state) else map(int, state.legal_actions())
    return [_move_told(state, action, player, finite(chances.get(action))) for action in legal]


def _move_told(
    state: Game, action: int, player: int, probability: float | None = None, chooser: int | None = None
) -> MoveTold:
    check_budget()
    return MoveTold(
        action=action,
        text=move_text(state, action),
        player=player,
        probability=probability,
        squares=[] if player == CHANCE else _squares(state, action, chooser),
    )


def _squares(state: Game, action: int, chooser: int | None = None) -> list[int]:
    """Return the squares that an action touches; none if the rules that say so are at fault.

    chooser : the player, where all move at once.
    """
    try:
        return list(squares_of(state, action, chooser))
    except GameError:
        return []


def box_told(state: Game) -> Box | None:
    """Return the bounds of continuous actions in a state; None if there are none."""
    if not has_box(state) or state.is_terminal():
        return None
    low, high = box_of(state)
    return Box(low=low.tolist(), high=high.tolist(), whole=whole_of(state, low.size).tolist())


def known_moves(known: InformationState) -> list[MoveTold]:
    """Return the legal moves of a player by what that player knows; empty if it is another's turn."""
    return [
        MoveTold(
            action=action,
            text=short_text(known.action_to_string(action)),
            player=known.player,
            squares=_squares(known.view, action),
        )
        for action in known.legal
    ]


def history_told(known: InformationState) -> str:
    """Return the history as a player saw it; of a very long one the end."""
    return known.text[-MOST_TEXT:]


def after(state: Game, line: Iterable[Sent]) -> Playthrough[Game]:
    """Return the game after playing a line from a state.

    A simulator's moves lead to random states. Raises `ActionError` for an illegal move, with its
    position in the line.
    """
    return Playthrough(state, [received(state, action) for action in line], each_move=check_budget)


def check_repeatable(game: type[Game]) -> None:
    """Raise `GameError` for a simulator, whose moves do not determine a position."""
    check_is_repeatable(game, _FROM_THERE)


def check_has_boards(game: type[Game]) -> None:
    """Raise `SettingsError` for a game with hidden information: lines of a search have no fixed boards."""
    if hides_information(game):
        raise SettingsError(
            f"{game.name} has hidden information, which a search deals anew in each simulation, so that its "
            "lines have no fixed boards",
            mend="look at the table of the search",
        )


def check_moves_in_turn(game: type[Game], what: str) -> None:
    """Raise `SettingsError` for a game in which players move at once, of whose search `what` is not shown.

    >>> from branchwise.games.nim import Nim
    >>> check_moves_in_turn(Nim, "the tree")
    """
    if game._joint:
        raise SettingsError(
            f"players of {game.name} move at once, and {what} of such a search cannot be shown yet",
            mend="look at the strategies in the table of the search",
        )


def check_begins_alike(game: type[Game]) -> None:
    """Raise `GameError` for a simulator, and for a game that starts at random."""
    check_repeatable(game)
    if starts_at_random(game):
        raise GameError(
            f"{game.name} starts at random, so that moves from its start do not determine a position",
            mend=_FROM_THERE,
        )


def paid_so_far(played: Playthrough[Game]) -> list[float] | None:
    """Return the sum of each player's rewards, discounted; None for a game that does not pay on the way."""
    return list(played.paid) if pays(played.start) else None


def board_told(state: Game, line: list[Sent], answers: int | None = None) -> BoardTold:
    """Return the message about the board after a line from `state`; raises what `check_repeatable` raises."""
    if line:
        check_repeatable(type(state))
    played = after(state, line)
    reached = played.state
    return BoardTold(
        id=answers,
        line=line,
        line_text=texts_of(played),
        **drawn(reached, played.before, played.actions[-1] if played.actions else None)._asdict(),
        player=player_to_move(reached),
        returns=returns_of(reached),
        paid=paid_so_far(played),
    )


def asked_position(
    start: Game, moves: Iterable[Sent], random: Draws, *, to_decision: bool, hides: bool
) -> Position:
    """Return the position of a request: after moves, with outcomes of chance that `random` draws.

    to_decision : as in `position_after`.   hides : whether errors must not tell what is hidden. Raises
    `ActionError` for an illegal move.
    """
    given = [move if move == DRAWN else received(start, move) for move in moves]
    try:
        return position_after(start, given, random, to_decision=to_decision, each_move=check_budget)
    except ActionError as error:
        if not hides:
            raise
        number = error.problem.partition(":")[0]
        raise ActionError(
            f"{number} is not legal in {start.name}", mend="send all moves of the game, with those of chance"
        ) from None


def seat_answer(game: OfferedGame, position: Position, viewer: int | None) -> PositionAnswer:
    """Return the HTTP answer of a game with hidden information that is not over, as `viewer` knows it.

    viewer : a player; None: the one to move.
    """
    played = position.played
    seat = played.player if viewer is None else viewer
    assert seat is not None
    known = played.information_state(seat)
    is_mover = known.turn == "to move"
    return PositionAnswer(
        game=game.name,
        player=seat if is_mover else NO_PLAYER,
        legal=known_moves(known),
        box=box_told(known.view) if is_mover else None,
        returns=None,
        paid=None,
        svg=picture(known.view),
        text=plain_text(known.view),
        state=None,
        drawn=position.outcomes(seat, each_try=check_budget),
        viewer=seat,
        seen=history_told(known),
    )


def position_answer(
    game: OfferedGame, position: Position, signed: dict[str, Any] | None, paid: list[float] | None
) -> PositionAnswer:
    """Return the HTTP answer; signed : the signed state, which may be sent back.   paid : rewards so far."""
    state = position.state
    returns = returns_of(state)
    if paid is not None and state.is_terminal():
        returns = paid
    return PositionAnswer(
        game=game.name,
        player=player_to_move(state),
        legal=legal_moves(state),
        box=box_told(state),
        returns=returns,
        paid=paid,
        svg=picture(state),
        text=plain_text(state),
        state=signed,
        drawn=position.outcomes(),
    )


def texts_of(played: Playthrough[Game], *, taken_back: bool = False) -> list[str]:
    """Return the texts of the moves made, each on one line; taken_back : also of those that were undone."""
    moves = played.all_moves if taken_back else played.moves
    is_rounded = has_box(played.start) and not has_texts(played.start)
    return [short_text(shown(played.start, move.action) if is_rounded else move.text) for move in moves]


def link_to(game: OfferedGame, moves: Iterable[Sent]) -> str:
    """Return the query that restores a position, or only the game.

    It is the game if moves do not determine a position, or tell what is hidden.

    >>> from branchwise.games.nim import Nim
    >>> link_to(OfferedGame("nim", Nim), [1, 2])
    'game=nim&moves=1,2'
    """
    query = {"game": game.name}
    drawn = is_simulator(game.rules) or starts_at_random(game.rules) or game.hides
    field, between = ("vectors", " ") if has_box(game.rules) else ("moves", ",")
    played = "" if drawn else between.join(map(str, moves))
    return urlencode(query | ({field: played} if played else {}), safe=",:")
