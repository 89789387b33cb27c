"""What is said of the frames of a lecture: headings, captions, formulas, in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from branchwise.render.tree import cell_width, signed
from branchwise.render.walkthrough import Frame, Lecture
from branchwise.simulation import PHASES, Bounds, Choice, Line, Sibling, Simulation, Update

MEANINGS = {
    "selection": "down the tree to a leaf",
    "expansion": "the tree grows",
    "playout": "the game is played out",
    "backup": "the result goes up the tree",
}

_FORMULAS = {
    "ucb1": ("value + {c} √(ln N / n)", ""),
    "ucb1_tuned": (
        "value + {c} √(ln N / n · min(¼, V + √(2 ln N / n)))",
        "V: variance of the child's results, scaled to 0 to 1",
    ),
    "puct": ("value + {c} P √N / (1 + n)", "P: the child's prior"),
    "rave": (
        "(1 - b) value + b AMAF + {c} √(ln N / n)",
        "AMAF: mean result of the m simulations with the same move then or later; b: its weight, which fades",
    ),
    "progressive_bias": (
        "value + {c} √(ln N / n) + B H / (n + 1)",
        "H: the game's evaluation, 0 to 1; B: the rule's bias, times the range of returns",
    ),
    "progressive_history": (
        "value + {c} √(ln N / n) + B H / (n - wins + 1)",
        "H: share won of all simulations with the same move; B: the rule's bias, times the range of returns",
    ),
    "thompson": ("a draw from what the value may be", "the more visits, the nearer to the value"),
}
_POLICIES = {
    "uniform": "random moves",
    "mast": "mostly moves that have won often so far",
    "nst": "mostly moves that have won often after the one before",
    "last_good_reply": "the last good reply to the move before, or random moves",
    "game": "moves by the game's own rule for playouts",
}
_URGENT = {
    "": "",
    "decisive": ", but whoever can win at once does",
    "anti_decisive": ", but wins at once are taken, and prevented",
}


# --- of the whole -----------------------------------------------------------------------------------------


def title(lecture: Lecture) -> str:
    """Return a heading for the whole."""
    return f"{lecture.game}: Monte Carlo Tree Search, step by step"


def introduction(lecture: Lecture) -> list[str]:
    """Return what is to be seen, in two paragraphs."""
    players, (low, high) = lecture.players, lecture.returns
    names = ", ".join(f"{symbol} is player {p}" for p, symbol in enumerate(players.symbols))
    first, last = (lecture.frames[i].simulation.number for i in (0, -1))
    shown = f"simulation {first}" if first == last else f"simulations {first} to {last}"
    return [
        f"{capital_name(lecture.player, lecture)} is to move{'; ' if names else ''}{names}. "
        f"Shown: {shown}, seed {lecture.seed}.",
        "A simulation has four phases: selection goes down the tree to a leaf, expansion adds to the tree, a "
        "playout plays the game to its end, and backup takes the result up the tree. "
        f"A value is a mean return, from {low:+g} to {high:+g}, of the player who makes the move.",
    ]


def formula(lecture: Lecture) -> list[str]:
    """Return what a score is, and what the letters stand for."""
    known = _FORMULAS.get(lecture.rule)
    if known is None:
        return [f"score: by the rule {lecture.rule}"]
    text, letters = known
    lines = [f"score = {text.format(c=f'{lecture.c:.3g}')}"]
    if "N" in text:
        lines.append("N: visits of the node, n: visits of the child" + (f"; {letters}" if letters else ""))
    else:
        lines.append(letters)
    return lines


def ending(lecture: Lecture) -> str:
    """Return what is said after the last frame, or nothing."""
    if lecture.solved is None:
        return ""
    name = lecture.players.name(lecture.player)
    return (
        f"The root is proven: with best play {name} gets {number(lecture.solved)}. Nothing is left to search."
    )


# --- of a frame -------------------------------------------------------------------------------------------


def head(frame: Frame) -> str:
    """Return a heading such as "Simulation 3, phase 1: selection"."""
    number = PHASES.index(frame.phase) + 1
    return f"Simulation {frame.simulation.number}, phase {number}: {frame.phase}"


def caption(frame: Frame, lecture: Lecture) -> list[str]:
    """Return the sentences that explain a frame."""
    say = {"selection": _selection, "expansion": _expansion, "playout": _playout, "backup": _backup}
    return say[frame.phase](frame.simulation, lecture)


def where(line: Line) -> str:
    """Return how a node is called: by the moves that lead to it."""
    return " ".join(line) if line else "the root"


def number(value: float) -> str:
    """Return a return as people write it: "+1", "-0.5", "0", "+1,250"."""
    if abs(value) >= 1000:
        return f"{value:+,.0f}"
    return f"{value:+.3g}" if value else "0"


def bounds_text(bounds: Bounds, returns: Bounds) -> str:
    """Return what bounds prove: "+1", "at least 0", "at most 0", both, or "" for nothing."""
    lower, upper = bounds
    if lower >= upper:
        return number(lower)
    parts = [f"at least {number(lower)}"] if lower > returns[0] else []
    parts += [f"at most {number(upper)}"] if upper < returns[1] else []
    return ", ".join(parts)


def terms_text(choice: Choice, sibling: Sibling, returns: Bounds) -> str:
    """Return what is said of a child that is not compared, or nothing if it is."""
    proven = bounds_text(sibling.bounds, returns)
    if sibling.score is not None:
        return ""
    if sibling.fate == "chosen":
        untried = choice.because == "untried"
        return "not tried yet, so it comes first" if untried else f"settled: {proven}"
    return {
        "untried": "not tried yet",
        "solved": f"settled: {proven}, no visit needed",
        "beaten": f"{proven}: cannot be better than another",
        "left out": "not considered yet",
    }.get(sibling.fate, "")


def some_siblings(choice: Choice, count: int) -> list[Sibling]:
    """Return at most so many of the siblings, in their order: the chosen one and those with high scores."""

    def merit(sibling: Sibling) -> tuple[bool, float, int]:
        return sibling.fate == "chosen", -math.inf if sibling.score is None else sibling.score, sibling.visits

    best = sorted(choice.siblings, key=merit, reverse=True)[:count]
    return [sibling for sibling in choice.siblings if sibling in best]


def is_mean(updates: Sequence[Update]) -> bool:
    """Whether values are means of what was taken in; with other ways of backup they are not."""
    for update in updates:
        if update.returned is not None and update.value_after is not None:
            total = (update.value_before or 0.0) * update.visits_before + update.returned
            if abs(total / update.visits_after - update.value_after) > 1e-6:
                return False
    return True


def result_text(returns: tuple[float, ...], lecture: Lecture) -> str:
    """Return in a sentence how a game ended, such as "X wins: +1 for X, -1 for O."."""
    players, (low, high) = lecture.players, lecture.returns
    told = ", ".join(f"{number(value)} for {players.name(p)}" for p, value in enumerate(returns))
    best = [p for p, value in enumerate(returns) if value == high]
    if players.count > 1 and len(best) == 1 and all(v == low for p, v in enumerate(returns) if p not in best):
        return f"{capital_name(best[0], lecture)} wins: {told}."
    if players.count > 1 and len(set(returns)) == 1:
        return f"A draw: {number(returns[0])} for {'both' if players.count == 2 else 'all'}."
    return f"It returns {told}."


def assumed_text(choices: Sequence[Choice]) -> str:
    """Return what is said of values that stand in for those of children without visits, if there are any."""
    siblings = [sibling for choice in choices for sibling in choice.siblings]
    some = any(
        sibling.value is not None and not sibling.visits and sibling.score is not None for sibling in siblings
    )
    return "value in brackets, or drawn faintly: assumed, as the child has no visits" if some else ""


def value_text(sibling: Sibling) -> str:
    """Return the value that the rule sees, in brackets where it is assumed."""
    if sibling.value is None:
        return ""
    return signed(sibling.value) if sibling.visits else f"({signed(sibling.value)})"


def other_terms(sibling: Sibling) -> dict[str, str]:
    """Return what else the score is made of, by the letters of the formula."""
    terms = {} if sibling.prior is None else {"P": f"{sibling.prior:.3f}"}
    if "amaf_visits" in sibling.other:
        seen = sibling.other["amaf_visits"]
        terms["m"] = f"{seen:,.0f}"
        terms["AMAF"] = signed(sibling.other["amaf_value"]) if seen else ""
    return terms


def shortened(text: str, most: int) -> str:
    """Return a text in at most so many columns of a terminal, cut at its end."""
    if cell_width(text) <= most:
        return text
    while cell_width(text) >= most:
        text = text[:-1]
    return f"{text}…"


def capital_name(player: int, lecture: Lecture) -> str:
    """Return what a player is called at the beginning of a sentence."""
    name = lecture.players.name(player)
    return name if lecture.players.symbols else _capital(name)


def _node(line: Line) -> str:
    return f"the node {' '.join(line)}" if line else "the root"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _selection(simulation: Simulation, lecture: Lecture) -> list[str]:
    selection = simulation.selection
    if not selection.choices:
        return [
            "Every simulation starts at the root.",
            "So far the tree is nothing but the root, so there is nothing to choose: the root is the leaf.",
        ]
    said = [_choice(choice, lecture) for choice in selection.choices[:2]]
    if len(selection.choices) > 2:
        said.append(f"So it goes on, down to {_node(selection.line)}.")
    why = "was never visited" if not selection.visits else "has no children yet"
    if simulation.expansion.without == "game over":
        why = "is the end of the game"
    return [*said, f"{_capital(_node(selection.line))} {why}: it is the leaf where selection ends."]


def _choice(choice: Choice, lecture: Lecture) -> str:
    chosen = choice.siblings[choice.chosen]
    at = f"After {where(choice.line)}" if choice.line else "At the root"
    name, move = lecture.players.name(choice.player), chosen.move.text
    if choice.because == "untried":
        untried = sum(sibling.fate == "untried" for sibling in choice.siblings)
        waiting = f"; {untried} more wait{'s' if untried == 1 else ''}" if untried else ""
        return f"{at} {name} has moves not tried yet, which come first: {move} is next{waiting}."
    if choice.because == "proven":
        return f"{at} no move of {name} is open any more: {move} is the best of them."
    if choice.because == "again":
        return f"{at} {name} follows {move} again: a choice with many visits holds for several simulations."
    scores = [sibling.score for sibling in choice.siblings if sibling.score is not None]
    passed = sum(sibling.fate in ("solved", "beaten") for sibling in choice.siblings)
    skipped = ""
    if passed:
        skipped = f" Proofs spare {passed} move{'s' if passed > 1 else ''} another visit."
    if len(scores) == 1:
        return f"{at} only {move} is still open for {name}.{skipped}"
    return f"{at} {name} takes the move with the highest score: {move}{_tie(choice)}.{skipped}"


def _tie(choice: Choice) -> str:
    """Return what is said where others have the chosen child's score as well."""
    chosen = choice.siblings[choice.chosen]
    ties = chosen.score is not None and [s.score for s in choice.siblings].count(chosen.score) > 1
    return " (ties go to the child added first)" if ties else ""


def _expansion(simulation: Simulation, lecture: Lecture) -> list[str]:
    expansion, leaf = simulation.expansion, simulation.selection.line
    reasons = {
        "first visit": [
            f"{_capital(_node(leaf))} is new: this is its first visit.",
            "It joins the tree as a leaf, and gets children of its own when it is visited again.",
        ],
        "game over": [f"The game is over after {where(leaf)}: there are no moves to add."],
        "depth": [f"{_capital(_node(leaf))} is as deep as the tree may grow: nothing is added."],
        "memory": ["The tree's memory is full: nothing is added."],
    }
    if expansion.without:
        return reasons[expansion.without]
    assert expansion.choice is not None
    name, count = lecture.players.name(expansion.choice.player), len(expansion.children)
    again = ", visited before," if leaf else ""
    moves = "the only move" if count == 1 else f"the {count} moves"
    order = ", in random order" if count > 1 else ""
    said = [f"{_capital(_node(leaf))}{again} gets its children: {moves} of {name}{order}."]
    settled = [child for child in expansion.children if child.settled is not None]
    if settled:
        ends = ", ".join(f"{child.move.text} {number(child.settled or 0.0)}" for child in settled)
        said.append(f"Where a move ends the game its value is settled at once, for {name}: {ends}.")
    for proof in expansion.proofs:
        what = bounds_text(proof.after, lecture.returns)
        said.append(
            f"So {_node(proof.line)} is proven to be worth {what} to {lecture.players.name(proof.player)}."
        )
    move = expansion.choice.siblings[expansion.choice.chosen].move.text
    said.append(
        {
            "untried": f"The first of them, {move}, is the new node.",
            "score": f"Of these {move} has the highest score{_tie(expansion.choice)}: it is the new node.",
            "proven": f"The best of them, {move}, is the new node.",
        }[expansion.choice.because]
    )
    return said


def _playout(simulation: Simulation, lecture: Lecture) -> list[str]:
    playout = simulation.playout
    result = result_text(playout.returns, lecture)
    if not playout.games:
        return ["The game is over already, so nothing is played.", result]
    how = f"From {where(simulation.expansion.line)} on, {_POLICIES[lecture.policy]}{_URGENT[lecture.urgent]}."
    kept = "The moves do not enter the tree; the result does."
    count = len(playout.games)
    if count > 1:
        return [how, f"{count} such games are played; what counts is their mean.", result, kept]
    game = playout.games[0]
    moves = f"{len(game.moves)} move{'s' if len(game.moves) != 1 else ''}"
    if game.cut_off:
        end = f"After {moves} the game's evaluation takes the place of a result."
    else:
        end = f"After {moves} the game is over."
    return [how, end, result, kept]


def _backup(simulation: Simulation, lecture: Lecture) -> list[str]:
    updates, players = simulation.backup.updates, lecture.players
    movers = sorted({u.player for u in updates if u.player is not None})
    returned = simulation.playout.returns
    shares = " and ".join(f"{number(returned[p])} where {players.name(p)} moved" for p in movers)
    said = [
        "Every node on the path counts one more visit, and takes in the return of who moved into it: "
        f"{shares}.",
        "Its value is the mean of what it took in. Nobody moved into the root, which only counts.",
    ]
    for update in updates:
        if (
            update.player is not None
            and update.returned is not None
            and update.returned != returned[update.player]
        ):
            told = f"{_capital(_node(update.line))} takes in {number(update.returned)}"
            said.append(f"{told}: the result is corrected to what is proven there.")
    for update in updates:
        if update.bounds_after != update.bounds_before:
            player = lecture.player if update.player is None else update.player
            what = bounds_text(update.bounds_after, lecture.returns)
            said.append(
                f"{_capital(_node(update.line))} is now proven to be worth {what} to {players.name(player)}."
            )
    return said
