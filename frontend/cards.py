"""Writes the cards of Branchwise's own games, which the page lists, and a picture of each: `make pictures`.

A picture is a position of a game of random moves, as the first player sees it.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import msgspec
from msgspec.structs import replace

from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.rules_class import Game
from branchwise.games import GAMES, load_game
from branchwise.rules.facts.dice import Dice
from branchwise.rules.facts.facts import random_action
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.web.game.game_cards import card_of
from branchwise.web.game.offered_games import why_not
from branchwise.web.game.position_messages import picture
from branchwise.web.protocol.messages import GameCard

WEB = Path(__file__).parent.parent / "src" / "branchwise" / "web"
MOVES = 10
MOST_CHARACTERS = 60_000
SEED = 4


def drawn(rules: type[Game]) -> str | None:
    """Return the picture of a position of a game; None if it has none, or one that is too large."""
    played, dice, source, made = Playthrough(rules()), Dice(SEED), random.Random(SEED), 0
    while not played.is_over and (made < MOVES or played.is_chance):
        if played.is_chance:
            played.play(dice.roll(played.state))
            continue
        made += 1
        played.play(random_action(played.state, source))
        if played.is_over and made > 1:
            played.undo()
            break
    state = played.information_state(0).view if hides_information(rules) else played.state
    svg = picture(state)
    if svg is None:
        return None
    short = re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", svg)
    short = re.sub(r">\s+<", "><", re.sub(r' data-[a-z]+="[^"]*"', "", short))
    if "xmlns=" not in short:
        short = short.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return short if len(short) <= MOST_CHARACTERS else None


def main() -> None:
    cards: list[GameCard] = []
    folder = WEB / "pictures"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    for name in GAMES.builtin:
        rules = load_game(name)
        card = card_of(name, rules, why_not(rules))
        svg = drawn(rules) if card.reason is None else None
        if svg is not None:
            (folder / f"{name}.svg").write_text(svg + "\n", encoding="utf-8")
        cards.append(replace(card, picture=svg is not None))
    text = msgspec.json.format(msgspec.json.encode(cards), indent=1).decode()
    (WEB / "game" / "cards.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
