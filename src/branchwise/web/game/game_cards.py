"""Cards of games, with enough to choose one, made without loading the rules of all games.

Those of Branchwise's own games are in `cards.json`, and their pictures in the folder `web/pictures`.
`make pictures` writes both, and a test compares the cards with the rules.
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from importlib import resources

import msgspec

from branchwise.common.name_and_options import parse_spec
from branchwise.game.kinds.game_kinds import has_chance
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.rules_class import Game
from branchwise.games import is_shipped
from branchwise.web.protocol.messages import GameCard

PUZZLES = frozenset(
    {"left_move", "morpion", "peg_solitaire", "same_game", "sliding_puzzle"}
    | {"snake_in_the_box", "sokoban", "twenty_forty_eight", "weak_schur"}
)
"""Which of Branchwise's own games for one player are puzzles; the others are planning problems."""

_LONGEST_SENTENCE = 200
_BYNAME = re.compile(r'(, (or|also|the|with) |, "| \().*')


def card_of(name: str, rules: type[Game], reason: str | None = None) -> GameCard:
    """Return the card of a game; reason : why it cannot be played on the page.

    >>> from branchwise.games import load_game
    >>> card = card_of("konane", load_game("konane"))
    >>> card.title, card.about, card.kinds
    ('Konane', "Jump over the opponent's stones; a player who cannot jump loses.", ['two players'])
    """
    return GameCard(
        name=name,
        title=title_of(name, rules),
        about=_sentence(rules),
        num_players=rules.num_players,
        kinds=_kinds(rules),
        picture=False,
        reason=reason,
    )


@cache
def shipped_cards() -> dict[str, GameCard]:
    """Return the cards of Branchwise's own games by name."""
    content = resources.files("branchwise.web.game").joinpath("cards.json").read_bytes()
    return {card.name: card for card in msgspec.json.decode(content, type=list[GameCard])}


def title_of(name: str, rules: type[Game]) -> str:
    """Return a game's name as a title, with the options of a variant.

    >>> from branchwise.games import load_game
    >>> title_of("connect_four(rows=5)", load_game("connect_four"))
    'Connect Four (rows=5)'
    """
    base, bracket, rest = name.partition("(")
    said = _BYNAME.sub("", _opening(rules)[0]) if is_shipped(rules) else ""
    words = re.sub(r"_+", " ", base).strip()
    return (said or f"{words[:1].upper()}{words[1:]}") + (f" ({rest.replace(',', ', ')}" if bracket else "")


def rules_in_words(rules: type[Game]) -> str:
    """Return the docstrings about a game, without their examples."""
    parts = "\n\n".join(_docstrings(rules)).split("\n\n")
    return "\n\n".join(part for part in parts if not part.lstrip().startswith(">>>"))


def _docstrings(rules: type[Game]) -> list[str]:
    """Return the text of the class, after that of the module for one of Branchwise's own games."""
    module = sys.modules.get(rules.__module__)
    texts = [module.__doc__ if is_shipped(rules) and module else "", inspect.getdoc(rules._base or rules)]
    return [inspect.cleandoc(text) for text in texts if text]


def _opening(rules: type[Game]) -> tuple[str, str]:
    """Return what comes before the first colon of its text and what follows, up to the end of a sentence."""
    text = " ".join("".join(_docstrings(rules)[:1]).split("\n\n")[0].split())
    sentence = re.split(r"(?<=[.!?])\s+(?=[A-Z])", text)[0]
    title, colon, rest = sentence.partition(": ")
    return (title, rest) if colon else ("", sentence)


def _sentence(rules: type[Game]) -> str:
    title, rest = _opening(rules)
    text = rest if is_shipped(rules) or not title else f"{title}: {rest}"
    return f"{text[:1].upper()}{text[1:]}"[:_LONGEST_SENTENCE]


def _kinds(rules: type[Game]) -> list[str]:
    """Return the words by which the page finds a game."""
    text = " ".join(_docstrings(rules)).lower()
    cards = re.search(r"\bcards?\b", text) is not None
    dice = re.search(r"\b(dice|die)\b", text) is not None
    alone = rules.num_players == 1
    puzzle = parse_spec(rules.name)[0] in PUZZLES if is_shipped(rules) else not has_chance(rules)
    found = {
        "two players": rules.num_players == 2,
        "more players": rules.num_players > 2,
        "puzzle": alone and puzzle,
        "planning": alone and not puzzle and not cards and not dice,
        "cards": cards,
        "dice": dice,
        "hidden": hides_information(rules),
        "at once": bool(rules._joint),
        "chance": has_chance(rules),
    }
    return [kind for kind, holds in found.items() if holds]
