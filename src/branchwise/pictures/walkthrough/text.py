"""A walk-through as text: phase by phase, with tables of the siblings' terms and of the nodes' updates."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from branchwise.common.errors import SettingsError
from branchwise.common.players import CHANCE
from branchwise.drawing.grid import grid_text
from branchwise.pictures.simulation_report import PHASES, Choice, Move, PlayedGame, Sibling, Update
from branchwise.pictures.tree.tree import cell_width, signed
from branchwise.pictures.walkthrough.captions import (
    MEANINGS,
    assumed_text,
    caption,
    chooses_text,
    drawn_text,
    ending,
    expected_text,
    formula,
    introduction,
    is_mean,
    number,
    odds_heading,
    odds_text,
    other_terms,
    probability_text,
    shortened,
    some_siblings,
    sum_text,
    terms_text,
    title,
    value_text,
    where,
)
from branchwise.pictures.walkthrough.walkthrough import Board, Frame, Lecture

LEAST_WIDTH = 60
_INDENT = "  "
_MOST_ROWS = 12
_MOST_BAR = 30
_LEAST_BAR = 8
_MOST_MOVES = 30
_MOST_MOVE, _OTHER_CELLS = 24, 50
"""Maximum width of a move in a table, and minimum width for the rest."""
_TERMS = ("value", "N", "P", "m", "AMAF", "exploration", "score")
_FIXED = "\u00a0"
"""A non-breaking blank."""


class _Signs(NamedTuple):
    """Characters that tables are drawn with."""

    rule: str
    chosen: str
    value: str
    explored: str
    mark: str
    to: str


_SIGNS = _Signs("─", "▸", "█", "░", "┃", "→")
_PLAIN_SIGNS = _Signs("-", ">", "#", ".", "|", "->")
_PLAIN = {"√": "sqrt", "·": "*", "¼": "1/4", "…": "..."}
SIGNS = "".join((*_SIGNS, *_PLAIN))
"""Replacements for characters outside ASCII."""


def walkthrough_text(lecture: Lecture, width: int = 100, *, plain: bool = False) -> str:
    """Write all frames, one below the other, in lines of at most `width` columns, from 60.

    plain : in ASCII, except the names of the game and its moves. A wider board is not cut.
    """
    if width < LEAST_WIDTH:
        raise SettingsError(f"width = {width} is outside its range", mend=f"at least {LEAST_WIDTH}")
    writer = _Writer(lecture, width, _PLAIN_SIGNS if plain else _SIGNS)
    lines = [*writer.wrapped([title(lecture)], ""), "", *writer.wrapped(introduction(lecture), "")]
    for frame in lecture.frames:
        if frame.phase == PHASES[0]:
            name = f"{writer.signs.rule * 2} Simulation {frame.simulation.number} "
            lines += ["", name + writer.signs.rule * (width - len(name))]
        lines += ["", *writer.frame(frame)]
    if ending(lecture):
        lines += ["", *writer.wrapped([ending(lecture)], "")]
    text = "\n".join(line.rstrip() for line in lines)
    if plain:
        for sign, instead in _PLAIN.items():
            text = text.replace(sign, instead)
    return text


class _Writer:
    def __init__(self, lecture: Lecture, width: int, signs: _Signs) -> None:
        self.lecture = lecture
        self.width = width
        self.signs = signs

    def wrapped(self, paragraphs: Sequence[str], indent: str = _INDENT) -> list[str]:
        """Return the paragraphs wrapped to the width."""
        lines = []
        for paragraph in paragraphs:
            lines += textwrap.wrap(
                paragraph, self.width, initial_indent=indent, subsequent_indent=indent, break_long_words=False
            )
        return lines

    def frame(self, frame: Frame) -> list[str]:
        """Return the lines of one phase."""
        name = f"{PHASES.index(frame.phase) + 1} {frame.phase.capitalize()}: {MEANINGS[frame.phase]}"
        said = self.wrapped([" ".join(caption(frame, self.lecture))])
        shown = {
            "selection": self._selection,
            "expansion": self._expansion,
            "playout": self._playout,
            "backup": self._backup,
        }[frame.phase](frame)
        return [name, *said, *shown]

    def _selection(self, frame: Frame) -> list[str]:
        choices = frame.simulation.selection.choices
        lines = []
        for choice in choices:
            lines += self._choice(choice)
        return lines + self._formula(choices)

    def _formula(self, choices: Sequence[Choice]) -> list[str]:
        """Return the formula of the scores, if there are any tables."""
        if all(sibling.score is None for choice in choices for sibling in choice.siblings):
            return []
        assumed = assumed_text(choices)
        return [
            "",
            *self.wrapped([*formula(self.lecture), *([assumed] if assumed else [])], _INDENT * 2),
        ]

    def _choice(self, choice: Choice) -> list[str]:
        """Return the siblings at one node as a table with bars: the terms of their scores, or their odds."""
        lecture, signs = self.lecture, self.signs
        shown = some_siblings(choice, _MOST_ROWS)
        rows = [self._cells(choice, sibling) for sibling in shown]
        heads = [*rows[0]]
        if not choice.is_chance:
            filled = {head for row in rows for head, cell in row.items() if cell}
            heads = ["move", "n", *(head for head in _TERMS if head in filled)]
        widths = [max(len(head), *(cell_width(row.get(head, "")) for row in rows)) for head in heads]
        scale = (lecture.scale[0], max([lecture.scale[1], *(s.score for s in shown if s.score is not None)]))
        room = min(self.width - 6 - sum(widths) - 2 * len(widths), _MOST_BAR)
        lines = ["", f"{_INDENT}{chooses_text(choice, lecture)}", f"{_INDENT * 2}{_aligned(heads, widths)}"]
        for sibling, row in zip(shown, rows, strict=True):
            mark = signs.chosen if sibling.fate == "chosen" else " "
            told = terms_text(choice, sibling, lecture.returns)
            cells = [row.get(head, "") for head in heads[: 2 if told and not choice.is_chance else None]]
            end = sibling.value if choice.is_chance else sibling.score
            if not told and end is not None and room >= _LEAST_BAR:
                adds = choice.is_chance or sibling.exploration is not None
                told = self._bar(sibling.value, end, adds, scale, room)
            lines.append(f"{_INDENT}{mark} {_aligned(cells, widths)}  {told}")
        if len(shown) < len(choice.siblings):
            lines.append(f"{_INDENT * 2}and {len(choice.siblings) - len(shown)} more")
        for said in filter(None, [expected_text(choice), drawn_text(choice)]):
            lines += self.wrapped([said], _INDENT * 2)
        return lines

    def _cells(self, choice: Choice, sibling: Sibling) -> dict[str, str]:
        """Return the cells of a sibling's row by their headings."""
        most, visits = min(_MOST_MOVE, self.width - _OTHER_CELLS), f"{sibling.visits:,}"
        if choice.is_chance:
            cells = {
                "outcome": shortened(sibling.move.text, most),
                odds_heading(self.lecture): odds_text(sibling),
            }
            return {**cells, "n": visits, "value": value_text(sibling)}
        cells = {"move": shortened(self.lecture.players.move(sibling.move), most), "n": visits}
        if sibling.score is not None:
            cells |= {"value": value_text(sibling), **other_terms(sibling)}
            cells |= {"exploration": signed(sibling.exploration), "score": signed(sibling.score)}
        return cells

    def _bar(
        self, value: float | None, score: float, adds: bool, scale: tuple[float, float], room: int
    ) -> str:
        """Return a bar from the lowest return to a value, and on to the score."""
        low, high = scale
        ends = [
            round((min(max(low if v is None else v, low), high) - low) / (high - low) * room)
            for v in (value, score)
        ]
        bar = self.signs.value * ends[0]
        if adds:
            return bar + self.signs.explored * (ends[1] - ends[0])
        return bar[: ends[1]].ljust(ends[1]) + self.signs.mark + bar[ends[1] + 1 :]

    def _expansion(self, frame: Frame) -> list[str]:
        expansion = frame.simulation.expansion
        if not expansion.children:
            return []
        new = {choice.siblings[choice.chosen].node for choice in expansion.choices}
        words = []
        for child in expansion.children[:_MOST_MOVES]:
            mark = f"{self.signs.chosen}" if child.node in new else ""
            notes = [] if child.probability is None else [probability_text(child.probability)]
            notes += [] if child.settled is None else [number(child.settled)]
            words.append(f"{mark}{child.move.text}" + (f" ({', '.join(notes)})" if notes else ""))
        if len(expansion.children) > _MOST_MOVES:
            words.append(f"and {len(expansion.children) - _MOST_MOVES} more")
        lines = ["", *self.wrapped(["children: " + "  ".join(words)], _INDENT * 2)]
        if expansion.outcome is not None:
            outcome = expansion.outcome.siblings[expansion.outcome.chosen].move.text
            lines += self.wrapped([f"outcome: {self.signs.chosen}{outcome}"], _INDENT * 2)
        if expansion.choice is not None and expansion.choice.because == "score":
            lines += [*self._choice(expansion.choice), *self._formula([expansion.choice])]
        return lines

    def _playout(self, frame: Frame) -> list[str]:
        simulation = frame.simulation
        lines: list[str] = []
        for game in simulation.playout.games[:1]:
            moves = game.moves[:_MOST_MOVES]
            more = f", … {len(game.moves) - len(moves)} more" if len(game.moves) > len(moves) else ""
            words = ", ".join(
                (self.lecture.players.move(move) + _paid_text(game, place)).replace(" ", _FIXED)
                for place, move in enumerate(moves)
            )
            said = self.wrapped([f"moves: {words}{more}"], _INDENT * 2)
            lines = ["", *(line.replace(_FIXED, " ") for line in said)]
        node = where(simulation.expansion.line)
        boards = [(node, simulation.expansion.board)]
        if simulation.playout.games:
            boards.append(("the end", _board_text(frame.board)))
        return [*lines, "", *self._side_by_side(boards)]

    def _side_by_side(self, boards: Sequence[tuple[str, str]]) -> list[str]:
        """Return boards with headings, side by side if there is room."""
        room = self.width - 2 * len(_INDENT)
        blocks = [[head, *_in_pieces(text.splitlines(), room)] for head, text in boards]
        widths = [max(map(cell_width, block)) for block in blocks]
        if sum(widths) + 6 * len(widths) > self.width:
            return [f"{_INDENT * 2}{line}" for block in blocks for line in [*block, ""]][:-1]
        rows = zip_longest(*blocks, fillvalue="")
        return [
            _INDENT * 2
            + "      ".join(c + " " * (w - cell_width(c)) for c, w in zip(row, widths, strict=True))
            for row in rows
        ]

    def _backup(self, frame: Frame) -> list[str]:
        updates = frame.simulation.backup.updates
        heads = ["node", "return", "visits", "value"]
        for with_sums in (True, False):
            rows = [self._update(update, with_sums=with_sums) for update in updates]
            widths = [max(len(head), *(cell_width(row[i]) for row in rows)) for i, head in enumerate(heads)]
            if sum(widths) + 2 * (len(widths) - 1) + 2 * len(_INDENT) <= self.width:
                break
        lines = ["", *(f"{_INDENT * 2}{_aligned(row, widths)}" for row in [heads, *rows])]
        if self.lecture.pays:
            factor = "discount · " if self.lecture.discount != 1.0 else ""
            lines += ["", *self.wrapped([f"return = reward + {factor}what comes after"], _INDENT * 2)]
        if is_mean(updates):
            mean = "new value = (old value · old visits + return) / new visits"
            lines += [*([] if self.lecture.pays else [""]), *self.wrapped([mean], _INDENT * 2)]
        return lines

    def _update(self, update: Update, *, with_sums: bool) -> list[str]:
        players, to = self.lecture.players, self.signs.to
        name = shortened(update.line[-1], _MOST_MOVE) if update.line else "root"
        visits = f"{update.visits_before:,} {to} {update.visits_after:,}"
        if update.player is None or update.returned is None:
            return [name, "", visits, ""]
        name = players.move(Move(CHANCE if update.by_chance else update.player, 0, name))
        before = "none" if update.value_before is None else signed(update.value_before)
        value = f"{before} {to} {signed(update.value_after)}"
        told = number(update.returned)
        parts = sum_text(update) if with_sums else ""
        if self.lecture.pays and players.count == 1:
            return [name, f"{parts} = {told}" if parts else told, visits, value]
        whose = f"{f'{parts} = ' if parts else ''}{told} for {players.name(update.player)}"
        return [name, whose, visits, value]


def _paid_text(game: PlayedGame, place: int) -> str:
    """Return the reward of a move of a playout, as " (+1)", or "" if it paid nothing."""
    if not game.rewards or not any(game.rewards[place]):
        return ""
    return f" ({' '.join(number(reward) for reward in game.rewards[place])})"


def _board_text(board: Board) -> str:
    return board.text if board.grid is None else grid_text(board.grid)


def _in_pieces(lines: Sequence[str], width: int) -> list[str]:
    """Cut a drawing that is wider than `width` into pieces, one below the other."""
    longest = max(map(len, lines), default=0)
    pieces = [[line[start : start + width] for line in lines] for start in range(0, longest, width)]
    return [line for number, piece in enumerate(pieces) for line in [*[""][:number], *piece]]


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return cells in columns, the first aligned left and numbers aligned right."""
    padded = [" " * (width - cell_width(cell)) for cell, width in zip(cells, widths, strict=False)]
    first, *others = zip(cells, padded, strict=True)
    return "  ".join(["".join(first), *(pad + cell for cell, pad in others)])
