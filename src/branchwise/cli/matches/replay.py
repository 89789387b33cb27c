"""`branchwise replay`: steps through a stored game, with the findings of its searches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from branchwise.cli.terminal.declare_options import argument, option
from branchwise.cli.terminal.many_games import with_consent
from branchwise.cli.terminal.options import JsonOption, StoreOption, TrustOption
from branchwise.cli.terminal.output_file import write
from branchwise.common.players import CHANCE, SIMULTANEOUS

if TYPE_CHECKING:
    from branchwise.arena.records.record import GameRecord, MoveRecord
    from branchwise.arena.store.store import StoredMatch
    from branchwise.cli.terminal.screen import Screen
    from branchwise.drawing.table import Table
    from branchwise.game.rules_class import Game
    from branchwise.pictures.simulation_report import Move

MatchArgument = Annotated[int, argument("MATCH", "Number of a match; results lists them.")]
GameNumberArgument = Annotated[int, argument("NUMBER", "Number of a game in it, from 0.")]
_SHOWN_CHILDREN = 6
_SHOWN_LINE = 8
_KEYS = "Enter: next, b: back, a number: go to that move, q: quit > "


def replay(
    match: MatchArgument,
    number: GameNumberArgument,
    ply: Annotated[int | None, option("--ply N", "Show only the position after N moves.")] = None,
    film: Annotated[
        Path | None,
        option("--film FILE", "Write the game as a moving picture to this SVG file."),
    ] = None,
    pace: Annotated[
        float | None,
        option("--pace SECONDS", "Of the film, from picture to picture; default 0.5."),
    ] = None,
    trust: TrustOption = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Step through a stored game.

    Each position is shown with the move that led to it, its time, and the search's findings; values are for
    the player who moved. Without a terminal the whole game is shown.

    \b
    Examples:
      branchwise replay 3 0
      branchwise replay 3 17 --ply 12
      branchwise replay 3 0 --film episode.svg --pace 0.3
    """
    from branchwise.arena.store.entries import stored_game
    from branchwise.arena.store.export import game_to_dict
    from branchwise.arena.store.store import Store
    from branchwise.cli.terminal.screen import Screen, show_json
    from branchwise.common.errors import SettingsError
    from branchwise.drawing.animation import PACE

    if pace is not None and film is None:
        raise SettingsError("--pace needs a film", mend="add --film FILE.svg")
    with Store(store, create=False) as kept:
        stored = kept.match(match)
        record = kept.game(match, number)
    game = with_consent(lambda trust: stored_game(kept.file, stored, trust), trust)
    screen = Screen(quiet=as_json)
    shown = Replay(stored, record, game, screen)
    if ply is not None and not 0 <= ply <= shown.length:
        raise SettingsError(f"ply = {ply} is outside its range", mend=f"0 to {shown.length}")
    if film is not None:
        write(film, shown.film(PACE if pace is None else pace))
        screen.show(f"{film} shows {shown.length} moves", whole=True)
    if as_json:
        show_json(game_to_dict(stored, record, game))
    elif film is not None:
        return
    elif ply is not None:
        shown.show(ply)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        shown.step(input)
    else:
        shown.show_all()


class Replay:
    """A stored game on a screen."""

    def __init__(self, stored: StoredMatch, record: GameRecord, game: type[Game], screen: Screen) -> None:
        from branchwise.arena.records.playback import played_again

        self._record = record
        self._screen = screen
        self._bots = [stored.bots[bot] for bot in record.plan.seating]
        self._opening = len(record.plan.opening)
        self._game = played_again(game, record)

    @property
    def length(self) -> int:
        """Number of moves in the game, including the opening."""
        return self._game.length

    def film(self, pace: float) -> str:
        """Return the game as a moving picture; raises `SettingsError` for a game that has no pictures."""
        from branchwise.common.errors import SettingsError
        from branchwise.drawing.animation import film

        pictures = []
        for ply in range(self.length + 1):
            self._game.go_to(ply)
            picture = self._game.state.to_svg()
            if picture is None:
                raise SettingsError(f"{self._game.state.name} has no pictures for a film")
            pictures.append(picture)
        return film(pictures, [move.action for move in self._game.all_moves], pace=pace)

    def show_all(self) -> None:
        """Show every position after the opening."""
        for ply in range(self._opening, self.length + 1):
            self.show(ply)
            self._screen.show("")

    def step(self, ask: Callable[[str], str]) -> None:
        """Show the positions that the answers to `ask` choose, until one quits."""
        ply = self._opening
        while True:
            self.show(ply)
            try:
                answer = ask(_KEYS).strip().lower()
            except EOFError:
                return
            if answer in ("q", "quit"):
                return
            ply = self._next(ply, answer)

    def show(self, ply: int) -> None:
        """Show the position after `ply` moves, and the move that led to it."""
        screen = self._screen
        self._game.go_to(ply)
        before = self._game.before
        screen.show(self._title(ply), style="bold")
        move = self._move(ply)
        if move is not None and not move.is_chance and before is not None:
            screen.show(self._numbers(move, before))
            considered = _children(move, before)
            if considered is not None:
                screen.show(considered)
        if self._game.observed is not None:
            screen.show(f"observed {self._game.observed}")
        screen.show("")
        screen.show_board(self._game.state, before)
        if ply == self.length:
            screen.show("", self._outcome())

    def _next(self, ply: int, answer: str) -> int:
        if answer in ("b", "back"):
            return max(ply - 1, 0)
        if answer.isdecimal() and int(answer) <= self.length:
            return int(answer)
        if answer:
            self._screen.show(f'"{answer}" is not one of: {_KEYS.removesuffix(" > ")}')
            return ply
        if ply == self.length:
            self._screen.show("This is the end of the game.")
        return min(ply + 1, self.length)

    def _move(self, ply: int) -> MoveRecord | None:
        return self._record.moves[ply - self._opening - 1] if ply > self._opening else None

    def _title(self, ply: int) -> str:
        if ply == 0:
            return "the start"
        move = self._game.all_moves[ply - 1]
        if move.player == CHANCE:
            return f"{ply}. chance: {move.text}" + (", of the opening" if ply <= self._opening else "")
        if move.player == SIMULTANEOUS:
            return f"{ply}. {self._joint_move(move, of_bots=ply > self._opening)}"
        who = "of the opening" if ply <= self._opening else self._bots[move.player]
        return f"{ply}. {move.text}, player {move.player}, {who}"

    def _joint_move(self, move: Move, *, of_bots: bool) -> str:
        """Return what each player chose who had a choice, and by which bot."""
        from branchwise.rules.playthrough.choices_collected import made_choice

        texts = move.text.split(",")
        if len(texts) != len(move.action):  # an action's own text has a comma
            return move.text
        made = [player for player in range(len(texts)) if made_choice(move.action, player)]
        if not of_bots:
            return " : ".join(f"player {player} {texts[player]}" for player in made) + ", of the opening"
        return " : ".join(f"player {player} {texts[player]} ({self._bots[player]})" for player in made)

    def _numbers(self, move: MoveRecord, before: Game) -> str:
        """Return the figures of a move in one line."""
        told: list[str] = []
        if move.seconds is not None:
            told.append(f"{move.seconds:.3f} s")
        if move.clock is not None:
            told.append(f"{move.clock:.2f} s left")
        if move.simulations is not None:
            told.append(f"{move.simulations:,} simulations")
        if move.lower is not None and move.lower == move.upper:
            told.append(f"proven {move.lower:+g}")
        elif move.value is not None:
            told.append(f"value {move.value:+.3f}")
        if len(move.line) > 1:
            told.append(f"expected {line_text(before, move.line)}")
        return ", ".join(told)

    def _outcome(self) -> str:
        record = self._record
        from branchwise.arena.records.record import ENDINGS

        returns = ", ".join(
            f"player {player} ({bot}) {number:+g}"
            for player, (bot, number) in enumerate(zip(self._bots, record.returns, strict=True))
        )
        told = f"The end, {ENDINGS[record.ending]}{'' if record.is_void else f': {returns}'}."
        if record.fault is not None:
            told += f"\nLost by {self._bots[record.fault]}: {record.detail}"
        return told


def line_text(state: Game, line: Sequence[Any]) -> str:
    """Return the first moves of a line of play from `state` as text."""
    from branchwise.common.errors import ActionError
    from branchwise.rules.facts.facts import action_text, draws_what_happens
    from branchwise.rules.playthrough.playthrough import Playthrough

    line = line[:_SHOWN_LINE]
    if not draws_what_happens(state):
        with suppress(ActionError):  # an open loop's line leaves out chance
            return " ".join(move.text for move in Playthrough(state, line).moves)
    return " ".join(action_text(state, action) for action in line)


def _children(move: MoveRecord, state: Game) -> Table | None:
    """Return the actions that the search considered, or None if it reported none."""
    if not move.children:
        return None
    from branchwise.drawing.table import Table
    from branchwise.game.kinds.continuous_actions import as_plain

    table = Table()
    table.add_texts("action")
    table.add_numbers("visits", "value", "proven")
    for child in move.children[:_SHOWN_CHILDREN]:
        cells: list[Any] = [
            state.action_to_string(child.action),
            f"{child.visits:,}",
            "" if child.value is None else f"{child.value:+.3f}",
            "" if child.proven is None else f"{child.proven:+g}",
        ]
        table.add_row(*cells, style="bold" if as_plain(child.action) == as_plain(move.action) else "")
    return table
