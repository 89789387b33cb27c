"""What happened in a game at a terminal, in words: moves, players' names in their colours, how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from branchwise.common.players import CHANCE, NO_PLAYER, SIMULTANEOUS
from branchwise.drawing.grid import TERMINAL_STYLES
from branchwise.rules.facts.player_symbols import symbols_of_players
from branchwise.rules.playthrough.choices_collected import made_choice

if TYPE_CHECKING:
    from branchwise.cli.play.terminal_session import Move, Session
    from branchwise.rules.playthrough.moves_seen import SeenMove


def chance_told(move: Move) -> Text:
    """Return a move of chance as text."""
    return Text(f"chance: {move.text}", style="bold")


def move_told(session: Session, move: Move) -> Text:
    """Return who played what; a joint move as the actions of all who had a choice, with colons between."""
    if move.player != SIMULTANEOUS:
        return Text.assemble(player_name(session, move.player), f" plays {move.text}")
    texts = move.text.split(",")
    if len(texts) != len(move.action):  # an action's own text has a comma
        return Text(move.text)
    made = [player for player in range(len(texts)) if made_choice(move.action, player)]
    return Text(" : ").join(Text.assemble(player_name(session, p), f" {texts[p]}") for p in made)


def history_told(session: Session) -> Text:
    """Return the moves made so far, as people may see them: one of which they saw less is a question mark."""
    seen = session.seen_moves()
    if seen is None:
        return Text(" ".join(move.text for move in session.moves))
    return Text(", ").join(Text.assemble(_mover_name(session, move), f" {move.text}") for move in seen)


def _mover_name(session: Session, move: SeenMove) -> Text:
    if move.player == CHANCE:
        return Text("chance")
    return Text("someone") if move.player == NO_PLAYER else player_name(session, move.player)


def player_name(session: Session, player: int) -> Text:
    """Return a player's name in the player's colour: the symbol on the board, or the number.

    In a single-player game it is "you" or the bot.
    """
    symbols = symbols_of_players(session.game)
    style = TERMINAL_STYLES[player % len(TERMINAL_STYLES)]
    if session.game.num_players == 1:
        return Text("you" if player in session.humans else session.bot.name, style=style)
    return Text(symbols[player] if symbols else f"player {player}", style=style)


def outcome(session: Session) -> Text:
    """Return how a finished game ended, by player and symbol."""
    game, winners = session.game, session.winners()
    returns = session.returns
    count = len(session.moves)
    told = Text(f"Game over after {count} move{'' if count == 1 else 's'}: ")
    if game.num_players == 1:
        told.append(f"the return is {returns[0]:+g}.", style="bold")
        return told
    if not winners:
        told.append("a draw.", style="bold")
    else:
        told.append_text(listed([_full_name(session, player) for player in winners]))
        told.append(" wins." if len(winners) == 1 else " share the win.", style="bold")
    if winners or set(returns) != {0.0}:
        marks = [Text.assemble(player_name(session, p), f" {r:+g}") for p, r in enumerate(returns)]
        told.append_text(Text.assemble("  Returns: ", Text(", ").join(marks), "."))
    return told


def listed(names: list[Text]) -> Text:
    """Return the names as a list in words.

    >>> listed([Text("X"), Text("O"), Text("A")]).plain
    'X, O and A'
    """
    *before, last = names
    return Text.assemble(Text(", ").join(before), " and ", last) if before else last


def _full_name(session: Session, player: int) -> Text:
    """Return a player's number and symbol, and who plays it."""
    name = player_name(session, player)
    who = "you" if player in session.humans else session.bot.name
    if name.plain == f"player {player}":
        return Text.assemble(name, f" ({who})")
    return Text.assemble(f"player {player} (", name, f", {who})")
