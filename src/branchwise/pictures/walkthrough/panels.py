"""The panel beside the tree: terms of siblings, new children, a playout, updates of nodes."""

from __future__ import annotations

import re
from html import escape

from branchwise.common.players import CHANCE
from branchwise.drawing.grid import grid_svg
from branchwise.pictures.simulation_report import Bounds, Choice, Move, PlayedGame, Sibling, Update
from branchwise.pictures.tree.tree import cell_width, signed
from branchwise.pictures.walkthrough.captions import (
    assumed_text,
    bounds_text,
    chooses_text,
    drawn_text,
    expected_text,
    formula,
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
    value_text,
    where,
)
from branchwise.pictures.walkthrough.walkthrough import Board, Frame, Lecture

WIDTH = 500.0
_LABEL, _VISITS, _BAR, _BAR_END = 0.0, 112.0, 128.0, 430.0
_ROW = 22.0
_MOST_ROWS, _LEAST_ROWS = 18, 4
_CHIP, _CHIPS = 82.0, 6
_BOARD, _WIDEST_BOARD = 210.0, 450.0
_FILM_BOARD = 72.0
_MOST_CHIPS = 30
_STRIP_CHARACTERS, _STRIP_LINES = 74, 6
_TEXT_LINES, _TEXT_CHARACTERS = 14, 66


class _Panel:
    """Parts of a picture, one below the other; `y` is the position of the next."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.y = 0.0

    def text(self, x: float, text: str, kind: str = "", *, end: bool = False, up: float = 0.0) -> None:
        """Write at `x` on the baseline `y` minus `up`; end : the text ends at `x`."""
        anchor = ' text-anchor="end"' if end else ""
        of_kind = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text x="{x:.1f}" y="{self.y - up:.1f}"{anchor}{of_kind}>{escape(text)}</text>')

    def line(self, text: str, kind: str = "", step: float = 17.0) -> None:
        """Write a whole line."""
        self.y += step
        self.text(0, text, kind)

    def middle(self, x: float, y: float, text: str, attributes: str) -> None:
        """Write a text centred at `x`."""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" {attributes}>{escape(text)}</text>'
        )

    def rect(self, x: float, y: float, width: float, height: float, attributes: str) -> None:
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {attributes}/>'
        )


def panel(frame: Frame, lecture: Lecture) -> tuple[list[str], float]:
    """Return the panel beside the tree in a frame, from 0, 0, and its height."""
    drawn = _Panel()
    {"selection": _selection, "expansion": _expansion, "playout": _playout, "backup": _backup}[frame.phase](
        drawn, frame, lecture
    )
    return drawn.parts, drawn.y


# --- selection --------------------------------------------------------------------------------------------


def _selection(drawn: _Panel, frame: Frame, lecture: Lecture) -> None:
    selection = frame.simulation.selection
    _choices(drawn, selection.choices, lecture)
    if not selection.choices and selection.visits:
        drawn.line("The root gets another child: there is no choice", "strong", 18.0)
    elif not selection.choices:
        drawn.line("The tree has only its root: there is no choice yet", "strong", 18.0)


def _choices(drawn: _Panel, choices: tuple[Choice, ...], lecture: Lecture) -> None:
    """Draw the terms of the siblings at each node of a path, on one scale."""
    low, high = lecture.scale
    scores = [s.score for c in choices for s in c.siblings if s.score is not None]
    high = max([high, *scores])
    rows = max(_LEAST_ROWS, _MOST_ROWS // max(len(choices), 1))
    for choice in choices:
        _choice(drawn, choice, (low, high), rows, lecture)
    if scores:
        _axis(drawn, (low, high), lecture)
        for line in filter(None, [*formula(lecture), assumed_text(choices)]):
            drawn.line(line, "soft small", 15.0)
        drawn.y += 4


def _choice(drawn: _Panel, choice: Choice, scale: Bounds, rows: int, lecture: Lecture) -> None:
    drawn.line(chooses_text(choice, lecture), "strong", 18.0)
    drawn.y += 15
    if choice.is_chance:
        heads = "outcome", "value", odds_heading(lecture) if lecture.is_drawn else "probability"
    else:
        adds = any(sibling.exploration is not None for sibling in choice.siblings)
        compared = any(sibling.score is not None for sibling in choice.siblings)
        bar = "value, and exploration on top" if adds else "value, and a mark at the score"
        heads = "move", bar, "score" if compared else ""
    drawn.text(_VISITS, "n", "soft small", end=True)
    for x, head in zip((_LABEL, _BAR, WIDTH), heads, strict=True):
        if head:
            drawn.text(x, head, "soft small", end=x == WIDTH)
    shown = some_siblings(choice, rows)
    for sibling in shown:
        _sibling(drawn, choice, sibling, scale, lecture)
    if len(shown) < len(choice.siblings):
        drawn.line(f"and {len(choice.siblings) - len(shown)} more", "soft small", 16.0)
    if expected_text(choice):
        drawn.line(expected_text(choice), "soft small", 16.0)
    if drawn_text(choice):
        drawn.line(shortened(drawn_text(choice), _STRIP_CHARACTERS), "accent small", 18.0)
    drawn.y += 12


def _sibling(drawn: _Panel, choice: Choice, sibling: Sibling, scale: Bounds, lecture: Lecture) -> None:
    """Draw a row with the terms of a child's score, or with the odds of an outcome."""
    chosen, by_chance = sibling.fate == "chosen", choice.is_chance
    drawn.y += _ROW
    if chosen:
        drawn.rect(-6, drawn.y - 15.5, WIDTH + 12, _ROW - 1, 'rx="4" class="chosen"')
    kind = "strong" if chosen else ""
    name = sibling.move.text if by_chance else lecture.players.move(sibling.move)
    drawn.text(_LABEL, shortened(name, 11), kind)
    drawn.text(_VISITS, f"{sibling.visits:,}", kind, end=True)
    told = terms_text(choice, sibling, lecture.returns)
    if told:
        drawn.text(_BAR, told, kind or "soft")
    if by_chance or not told:
        drawn.text(WIDTH, odds_text(sibling) if by_chance else signed(sibling.score), kind, end=True)
    if not told:
        _bar(drawn, sibling, scale, lecture)


def _bar(drawn: _Panel, sibling: Sibling, scale: Bounds, lecture: Lecture) -> None:
    """Draw the value of a child or of an outcome as a bar, and the score of a child on top."""
    notes = value_text(sibling)
    if sibling.score is not None:
        notes = ", ".join(f"{name} = {value}" for name, value in other_terms(sibling).items())
    if notes:
        drawn.parts.append(f"<g><title>{escape(notes)}</title>")
    start = middle = _along(scale[0], scale)
    top = drawn.y - 10.5
    if sibling.value is not None:
        middle = _along(sibling.value, scale)
        assumed = "" if sibling.visits else " assumed"
        look = f'fill="{lecture.tree.colour(sibling.value)}" class="bar{assumed}"'
        drawn.rect(start, top, max(middle - start, 1.0), 12, look)
    if sibling.score is not None:
        end = _along(sibling.score, scale)
        if sibling.exploration is not None:
            drawn.rect(middle, top, max(end - middle, 0.5), 12, 'class="explored"')
        else:
            drawn.rect(end - 1.5, top - 2, 3, 16, "")
    if notes:
        drawn.parts.append("</g>")


def _along(value: float, scale: Bounds) -> float:
    """Return the x of a value in the bars."""
    low, high = scale
    return _BAR + (min(max(value, low), high) - low) / (high - low) * (_BAR_END - _BAR)


def _axis(drawn: _Panel, scale: Bounds, lecture: Lecture) -> None:
    """Draw the axis of returns for the bars."""
    low, high = lecture.scale
    drawn.y += 4
    drawn.parts.append(f'<path class="axis" d="M{_BAR:.1f} {drawn.y - 8:.1f}H{_BAR_END:.1f}"/>')
    ends = {low, (low + high) / 2, high}
    for value in sorted(ends):
        x = _along(value, scale)
        drawn.parts.append(f'<path class="axis" d="M{x:.1f} {drawn.y - 11:.1f}v6"/>')
        drawn.middle(x, drawn.y + 6, number(value), 'class="soft small"')
    drawn.y += 10


# --- expansion --------------------------------------------------------------------------------------------


def _expansion(drawn: _Panel, frame: Frame, lecture: Lecture) -> None:
    simulation = frame.simulation
    expansion, leaf = simulation.expansion, where(simulation.selection.line)
    if expansion.children:
        by_chance = expansion.choice is not None and expansion.choice.is_chance
        order = ", in random order" if len(expansion.children) > 1 and not by_chance else ""
        new = {choice.siblings[choice.chosen].node for choice in expansion.choices}
        drawn.line(f"Children of {leaf}{order}", "strong", 18.0)
        drawn.y += 10
        for i, child in enumerate(expansion.children[:_MOST_CHIPS]):
            if i and i % _CHIPS == 0:
                drawn.y += 34
            kind = "chip new" if child.node in new else "chip"
            kind += " open" if child.settled is None else ""
            x = (i % _CHIPS) * (_CHIP + 1.5)
            settled = "" if child.settled is None else f" {number(child.settled)}"
            if child.probability is not None:
                settled += f" ({probability_text(child.probability)})"
            look = f'fill="{lecture.tree.colour(child.settled)}"' if child.settled is not None else ""
            corner = 3 if child.settled is not None else 13
            drawn.rect(x, drawn.y, _CHIP - 6, 26, f'rx="{corner}" class="{kind}" {look}')
            ink = "" if child.settled is None else f'fill="{_ink(lecture.tree.colour(child.settled))}"'
            text = shortened(child.move.text, 9) + settled
            drawn.middle(x + _CHIP / 2 - 3, drawn.y + 17.5, text, ink)
        drawn.y += 34
        if len(expansion.children) > _MOST_CHIPS:
            drawn.line(f"and {len(expansion.children) - _MOST_CHIPS} more", "soft small", 12.0)
        if any(child.settled is not None for child in expansion.children):
            name = lecture.players.name(expansion.choice.credited) if expansion.choice else ""
            drawn.line(f"square: the game is over there, with this return for {name}", "soft small", 10.0)
        if expansion.outcome is not None:
            outcome = expansion.outcome
            drawn.line(f"Outcome of {where(outcome.line)}", "strong", 18.0)
            drawn.y += 10
            drawn.rect(0, drawn.y, _CHIP - 6, 26, 'rx="13" class="chip new open"')
            drawn.middle(_CHIP / 2 - 3, drawn.y + 17.5, outcome.siblings[outcome.chosen].move.text, "")
            drawn.y += 34
        if expansion.choice is not None and expansion.choice.because == "score":
            _choices(drawn, (expansion.choice,), lecture)
    elif expansion.without == "first visit":
        drawn.line(f"One new node, {leaf}", "strong", 18.0)
    else:
        drawn.line("Nothing to add", "strong", 18.0)


# --- playout ----------------------------------------------------------------------------------------------


def _playout(drawn: _Panel, frame: Frame, lecture: Lecture) -> None:
    playout = frame.simulation.playout
    for game in playout.games[:1]:
        first = f"From {where(frame.simulation.expansion.line)} on"
        several = f"; the first of {len(playout.games)} games" if len(playout.games) > 1 else ""
        drawn.line(f"{first}{several}", "strong", 18.0)
        if frame.film:
            _film(drawn, game, frame.film, lecture)
        else:
            _strip(drawn, game, lecture)
    if playout.games:
        drawn.y += 8
    heading = "Rewards after the moves in the tree" if lecture.pays else "What the simulation returns"
    drawn.line(heading, "strong", 20.0)
    drawn.y += 8
    share = min(150.0, WIDTH / max(len(playout.returns), 1))
    for player, returned in enumerate(playout.returns):
        x = player % 3 * share if len(playout.returns) > 3 else player * share
        if player and player % 3 == 0:
            drawn.y += 34
        colour = lecture.tree.colour(returned)
        drawn.rect(x, drawn.y, 58, 26, f'rx="4" fill="{colour}" class="bar"')
        drawn.middle(x + 29, drawn.y + 17.5, number(returned), f'class="strong" fill="{_ink(colour)}"')
        drawn.text(x + 66, f"for {lecture.players.name(player)}", up=-17.5)
    drawn.y += 32


def _film(drawn: _Panel, game: PlayedGame, film: tuple[Board, ...], lecture: Lecture) -> None:
    """Draw a board for each move of a playout."""
    drawn.y += 10
    across = int((WIDTH + 10) // (_FILM_BOARD + 12))
    for start in range(0, len(film), across):
        heights = []
        for i, (board, move) in enumerate(
            zip(film[start : start + across], game.moves[start : start + across], strict=True)
        ):
            x = i * (_FILM_BOARD + 12)
            picture, _, height = _picture(board, _FILM_BOARD, _FILM_BOARD)
            drawn.parts.append(f'<g transform="translate({x:.1f} {drawn.y + 16:.1f})">{picture}</g>')
            drawn.parts.append(
                f'<text x="{x:.1f}" y="{drawn.y + 10:.1f}" class="small">'
                f"{start + i + 1}. {escape(shortened(lecture.players.move(move), 10))}</text>"
            )
            heights.append(height)
        drawn.y += max(heights) + 26


def _strip(drawn: _Panel, game: PlayedGame, lecture: Lecture) -> None:
    """Write the moves of a playout, in a limited number of lines."""
    words = [lecture.players.move(move) for move in game.moves]
    lines = [""]
    for i, word in enumerate(words):
        piece = word if i == len(words) - 1 else f"{word} · "
        if cell_width(lines[-1] + piece) > _STRIP_CHARACTERS:
            if len(lines) == _STRIP_LINES:
                lines[-1] += f"… {len(words) - i} more"
                break
            lines.append("")
        lines[-1] += piece
    for line in lines:
        drawn.line(line, "", 18.0)
    drawn.y += 6


# --- backup -----------------------------------------------------------------------------------------------


def _backup(drawn: _Panel, frame: Frame, lecture: Lecture) -> None:
    updates = frame.simulation.backup.updates
    drawn.line("From the last node up to the root", "strong", 18.0)
    drawn.y += 18
    columns = ((14.0, "node"), (200.0, "return"), (292.0, "visits"), (WIDTH, "value"))
    for x, text in columns:
        drawn.text(x, text, "soft small", end=x > 100)
    first = drawn.y + 15
    for update in updates:
        _update(drawn, update, lecture)
    drawn.parts.append(f'<path class="up" d="M3 {drawn.y - 6:.1f}V{first:.1f}m-3.5 5.5l3.5 -6l3.5 6" />')
    drawn.y += 8
    if lecture.pays:
        factor = "discount · " if lecture.discount != 1.0 else ""
        drawn.line(f"return = reward + {factor}what comes after", "soft small", 16.0)
    if is_mean(updates):
        drawn.line("new value = (old value · old visits + return) / new visits", "soft small", 16.0)


def _update(drawn: _Panel, update: Update, lecture: Lecture) -> None:
    drawn.y += 25
    name = update.line[-1] if update.line else "root"
    if update.player is not None:
        name = lecture.players.move(Move(CHANCE if update.by_chance else update.player, 0, name))
    drawn.text(14, shortened(name, 16), "strong")
    drawn.text(292, f"{update.visits_before:,} → {update.visits_after:,}", end=True)
    if update.returned is None:
        drawn.text(WIDTH, "nobody moved into it", "soft small", end=True)
    else:
        assert update.player is not None
        whose = lecture.players.name(update.player)
        told = number(update.returned)
        is_alone = lecture.pays and lecture.players.count == 1
        drawn.text(200, told if is_alone else f"{told} for {whose}", end=True)
        after = update.value_after
        before = "none" if update.value_before is None else signed(update.value_before)
        drawn.text(WIDTH, f"{before} → {signed(after)}", end=True)
        if after is not None:
            drawn.rect(
                WIDTH - 152, drawn.y - 10.5, 12, 12, f'fill="{lecture.tree.colour(after)}" class="bar"'
            )
    if sum_text(update):
        drawn.y += 15
        drawn.text(200, sum_text(update), "soft small", end=True)
    if update.bounds_after != update.bounds_before:
        player = lecture.player if update.player is None else update.player
        what = bounds_text(update.bounds_after, lecture.returns)
        drawn.y += 15
        drawn.text(14, f"now proven: {what} for {lecture.players.name(player)}", "accent small")


# --- boards -----------------------------------------------------------------------------------------------


def board(frame: Frame) -> tuple[list[str], float]:
    """Return the board of a frame with its caption, from 0, 0, and its height."""
    simulation = frame.simulation
    leaf, node = (where(line) for line in (simulation.selection.line, simulation.expansion.line))
    told = {
        "selection": f"The leaf: {leaf}",
        "expansion": f"The {'leaf' if simulation.selection.visits and leaf == node else 'new node'}: {node}",
        "playout": "The end of the playout" if simulation.playout.games else f"The game is over: {node}",
        "backup": f"The last node: {node}",
    }[frame.phase]
    drawn = _Panel()
    drawn.line(told, "strong", 18.0)
    drawn.y += 8
    picture, _, height = _picture(frame.board, _WIDEST_BOARD, _BOARD)
    drawn.parts.append(f'<g transform="translate(0 {drawn.y:.1f})">{picture}</g>')
    return drawn.parts, drawn.y + height + 6


def _picture(board: Board, width: float, height: float) -> tuple[str, float, float]:
    """Return a board as a picture that fits into a rectangle, and its width and height."""
    if board.picture is not None:
        picture = board.picture
    elif board.grid is not None:
        picture = grid_svg(board.grid.with_actions(()), board.marked)
    else:
        return _text_picture(board.text)
    size = _size(picture)
    if size is None:
        return _text_picture(board.text)
    scale = min(width / size[0], height / size[1], 1.2)
    own = ' fill="#000"' if board.picture else ' class="board"'
    return f'<g{own} transform="scale({scale:.3f})">{picture}</g>', size[0] * scale, size[1] * scale


def _size(picture: str) -> tuple[float, float] | None:
    """Return width and height of an SVG picture, from its attributes or its view box."""
    head = picture[: picture.find(">")]
    found = [re.search(rf'\b{name}="([\d.]+)(?:px)?"', head) for name in ("width", "height")]
    if found[0] and found[1]:
        return float(found[0][1]), float(found[1][1])
    box = re.search(r'viewBox="[-\d.]+[ ,]+[-\d.]+[ ,]+([\d.]+)[ ,]+([\d.]+)"', head)
    return (float(box[1]), float(box[2])) if box else None


def _text_picture(text: str) -> tuple[str, float, float]:
    lines = [line[:_TEXT_CHARACTERS] for line in text.splitlines()[:_TEXT_LINES]]
    rows = "".join(
        f'<text x="0" y="{14 + 16 * i}" class="mono" xml:space="preserve">{escape(line)}</text>'
        for i, line in enumerate(lines)
    )
    return rows, 7.3 * max(map(len, lines), default=0), 16.0 * len(lines) + 4


def _ink(colour: str) -> str:
    """Return black or white, the one that is easier to read on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#111" if 0.299 * red + 0.587 * green + 0.114 * blue > 120 else "#fff"
