"""The words for the frames of a lecture: headings, captions, formulas, in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from branchwise.common.players import CHANCE
from branchwise.pictures.simulation_report import (
    PHASES,
    Bounds,
    Choice,
    Expansion,
    Line,
    Sibling,
    Simulation,
    Update,
)
from branchwise.pictures.tree.tree import cell_width, signed
from branchwise.pictures.walkthrough.walkthrough import Frame, Lecture

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
    "sp_mcts": (
        "value + {c} √(ln N / n) + √(V + D / n)",
        "V: variance of the child's results, scaled to 0 to 1; D: the rule's doubt; the last term times the "
        "range of returns",
    ),
    "puct": ("value + {c} P √N / (1 + n)", "P: the child's prior"),
    "rave": (
        "(1 - b) value + b AMAF + {c} √(ln N / n)",
        "AMAF: mean result of the m simulations with the same move then or later; b: its decreasing weight",
    ),
    "progressive_bias": (
        "value + {c} √(ln N / n) + B H / (n + 1)",
        "H: the game's evaluation, 0 to 1; B: the rule's bias, times the range of returns",
    ),
    "progressive_history": (
        "value + {c} √(ln N / n) + B H / (n - wins + 1)",
        "H: share won of all simulations with the same move; B: the rule's bias, times the range of returns",
    ),
    "thompson": ("a random draw around the value", "closer to the value with more visits"),
}
_POLICIES = {
    "uniform": "random moves",
    "mast": "mostly moves that have often won so far",
    "nst": "mostly moves that have often won after the previous move",
    "last_good_reply": "the last good reply to the previous move, or random moves",
    "game": "moves by the game's own rule for playouts",
}
_MOST_DENOMINATOR = 216
_MOST_SUMS = 3
_URGENT = {
    "": "",
    "decisive": ", but a player who can win at once does",
    "anti_decisive": ", but players take immediate wins and prevent them",
}


# --- of the whole -----------------------------------------------------------------------------------------


def title(lecture: Lecture) -> str:
    """Return the heading of the lecture."""
    return f"{lecture.game}: Monte Carlo Tree Search, step by step"


def introduction(lecture: Lecture) -> list[str]:
    """Return the introduction, in two paragraphs."""
    players, (low, high) = lecture.players, lecture.returns
    names = ", ".join(f"{symbol} is player {p}" for p, symbol in enumerate(players.symbols))
    first, last = (lecture.frames[i].simulation.number for i in (0, -1))
    shown = f"simulation {first}" if first == last else f"simulations {first} to {last}"
    value = "A value is a mean return"
    if lecture.pays:
        value = "A value is the mean of the reward for a move plus what comes after"
    if math.isfinite(high - low):
        value += f", from {low:+g} to {high:+g}"
    value += ", for the player who makes the move."
    return [
        f"{capital_name(lecture.player, lecture)} is to move{'; ' if names else ''}{names}. "
        f"Shown: {shown}, seed {lecture.seed}.",
        "A simulation has four phases: selection goes down the tree to a leaf, expansion adds to the tree, a "
        "playout plays the game to its end, and backup takes the result up the tree. "
        + " ".join([value, *_kind(lecture)]),
    ]


def _kind(lecture: Lecture) -> list[str]:
    """Return sentences on what is special about the problem and its search."""
    said = []
    if lecture.discount != 1.0:
        said.append(f"Each decision counts {lecture.discount:g} of the one before: the discount.")
    if lecture.horizon:
        said.append(f"Nothing counts after {lecture.horizon} decisions.")
    if lecture.is_dealt:
        name = lecture.players.name(lecture.player)
        said.append(
            f"Each simulation deals anew what {name} does not see, and boards show its deal. Below each move "
            f"there is a node for what {name} knows then: ~1 is what was known first, ~2 the next. Another "
            "player chooses among the moves that are legal in the deal."
        )
        return said
    if lecture.is_open:
        said.append(
            "A node stands for the decisions that lead to it. What happens between them is drawn anew in "
            "each simulation: the state at a node, and what is legal there, may be another one each time."
        )
    if lecture.is_drawn:
        said.append(
            "After each move chance is drawn anew. Each state that it leads to has a node below the move: ~1 "
            "is the one that came first, ~2 the next new one."
        )
    return said


def formula(lecture: Lecture) -> list[str]:
    """Return the formula of a score, and the meaning of its letters."""
    known = _FORMULAS.get(lecture.rule)
    if known is None:
        return [f"score: by the rule {lecture.rule}"]
    text, letters = known
    letters = "; ".join(filter(None, [letters, "R: range of the returns seen" if lecture.stretches else ""]))
    weight = f"{lecture.c:.3g} R" if lecture.stretches else f"{lecture.c:.3g}"
    lines = [f"score = {text.format(c=weight)}"]
    if "N" in text:
        visits = "N: visits of the node, n: visits of the child"
        if lecture.is_open:
            visits = "N: simulations in which the move was legal, n: visits of the child"
        if lecture.is_drawn:
            visits = "N: simulations at the node since it has the child, n: visits of the child"
        if lecture.is_dealt:
            visits = "N: simulations at the node in which the move was legal, n: visits of the child"
        lines.append(visits + (f"; {letters}" if letters else ""))
    else:
        lines.append(letters)
    return lines


def ending(lecture: Lecture) -> str:
    """Return the closing words after the last frame, or ""."""
    if lecture.solved is None:
        return ""
    name = lecture.players.name(lecture.player)
    return f"The root is proven: with best play {name} gets {number(lecture.solved)}. The search is complete."


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
    """Return the name of a node: the moves that lead to it."""
    return " ".join(line) if line else "the root"


def number(value: float) -> str:
    """Return a return as text: "+1", "-0.5", "0", "+1,250"."""
    if abs(value) >= 1000:
        return f"{value:+,.0f}"
    return f"{value:+.3g}" if value else "0"


def bounds_text(bounds: Bounds, returns: Bounds) -> str:
    """Return bounds as text: "+1", "at least 0", "at most 0", both, or "" if nothing is proven."""
    lower, upper = bounds
    if lower >= upper:
        return number(lower)
    parts = [f"at least {number(lower)}"] if lower > returns[0] else []
    parts += [f"at most {number(upper)}"] if upper < returns[1] else []
    return ", ".join(parts)


def terms_text(choice: Choice, sibling: Sibling, returns: Bounds) -> str:
    """Return the reason why a child is not compared, or "" if it is."""
    proven = bounds_text(sibling.bounds, returns)
    if sibling.score is not None:
        return ""
    if choice.is_chance:
        return f"proven: {proven}" if proven else ""
    if sibling.fate == "chosen":
        untried = choice.because == "untried"
        return "not tried yet, so it comes first" if untried else f"proven: {proven}"
    return {
        "untried": "not tried yet",
        "solved": f"proven: {proven}, no visit needed",
        "beaten": f"{proven}: cannot be better than another move",
        "left out": "not considered yet",
        "not legal": "not legal this time",
    }.get(sibling.fate, "")


def probability_text(probability: float) -> str:
    """Return a probability as a simple fraction such as "1/6" if it is one, else in percent."""
    fraction = Fraction(probability).limit_denominator(_MOST_DENOMINATOR)
    if abs(float(fraction) - probability) < 1e-9:
        return str(fraction)
    return f"{probability:.3%}" if probability < 0.01 else f"{probability:.1%}"


def chooses_text(choice: Choice, lecture: Lecture) -> str:
    """Return the heading of the table of a choice, such as "After a1, O chooses; N = 12"."""
    at = f"After {where(choice.line)}" if choice.line else "At the root"
    plural = "" if choice.visits == 1 else "s"
    visits = f"{choice.visits:,} visit{plural}" if is_walked(lecture) else f"N = {choice.visits:,}"
    if not choice.is_chance:
        return f"{at}, {lecture.players.name(choice.player)} chooses; {visits}"
    whose = f"; values for {lecture.players.name(choice.credited)}" if lecture.players.count > 1 else ""
    what = "what is known then" if choice.because in ("learnt", "known") else "chance decides"
    return f"{at}, {what}; {visits}{whose}"


def is_walked(lecture: Lecture) -> bool:
    """Whether chance is drawn while a simulation goes down the tree."""
    return lecture.is_open or lecture.is_drawn


def odds_heading(lecture: Lecture) -> str:
    """Return the heading for `odds_text`: the letter of probabilities, or what counts drawn outcomes."""
    return "came" if lecture.is_drawn else "P"


def odds_text(outcome: Sibling) -> str:
    """Return the probability of an outcome, or how often chance brought one that is drawn."""
    if outcome.came is not None:
        return f"{outcome.came:,}"
    return "" if outcome.probability is None else probability_text(outcome.probability)


def expected_text(choice: Choice) -> str:
    """Return the expected value of a draw as a sum over its outcomes, or "" if it is not known yet."""
    value = choice.expected_value
    return "" if value is None else f"expected value: sum of P · value = {signed(value)}"


def drawn_text(choice: Choice) -> str:
    """Return what chance brought after a choice, where that is drawn on the way, or ""."""
    brought = " ".join(move.text for move in choice.drawn)
    after = choice.line[-1] if choice.is_chance else choice.siblings[choice.chosen].move.text
    said = f"after {after} chance brings {brought}" if brought else ""
    how = {
        "new": "a new outcome",
        "learnt": "new",
        "known": "known before",
        "chance": "a known outcome" if choice.siblings[choice.chosen].came is not None else "",
        "back": f"gone back to, as {_allowed(choice)}",
        "full": "gone back to, as the tree's memory is full",
    }.get(choice.because, "")
    return "; ".join(filter(None, [how, said]))


def sum_text(update: Update) -> str:
    """Return what an update adds as a sum, such as "-1 + 0.9 · 4.3"; "" if nothing came after the move."""
    if update.reward is None or not update.rest or not update.factor:
        return ""
    sign = "-" if update.rest < 0 else "+"
    factor = "" if update.factor == 1.0 else f"{update.factor:g} · "
    return f"{number(update.reward)} {sign} {factor}{number(abs(update.rest)).removeprefix('+')}"


def some_siblings(choice: Choice, count: int) -> list[Sibling]:
    """Return at most `count` siblings, in their order: the chosen one and those with high scores.

    Of outcomes of chance these are the drawn one and those with most visits.
    """

    def merit(sibling: Sibling) -> tuple[bool, float, int]:
        return sibling.fate == "chosen", -math.inf if sibling.score is None else sibling.score, sibling.visits

    best = sorted(choice.siblings, key=merit, reverse=True)[:count]
    return [sibling for sibling in choice.siblings if sibling in best]


def is_mean(updates: Sequence[Update]) -> bool:
    """Whether values are means of returns; other backup rules give other values."""
    for update in updates:
        if update.returned is not None and update.value_after is not None:
            total = (update.value_before or 0.0) * update.visits_before + update.returned
            mean = total / update.visits_after
            if abs(mean - update.value_after) > 1e-6 * max(1.0, abs(mean)):
                return False
    return True


def result_text(returns: tuple[float, ...], lecture: Lecture) -> str:
    """Return the result of a game as a sentence, such as "X wins: +1 for X, -1 for O."."""
    players, (low, high) = lecture.players, lecture.returns
    told = ", ".join(f"{number(value)} for {players.name(p)}" for p, value in enumerate(returns))
    if lecture.pays:
        told = number(returns[0]) if players.count == 1 else told
        return f"The rewards after the moves in the tree add up to {told}."
    best = [p for p, value in enumerate(returns) if value == high]
    if players.count > 1 and len(best) == 1 and all(v == low for p, v in enumerate(returns) if p not in best):
        return f"{capital_name(best[0], lecture)} wins: {told}."
    if players.count > 1 and len(set(returns)) == 1:
        return f"A draw: {number(returns[0])} for {'both' if players.count == 2 else 'all'}."
    return f"The returns are {told}."


def assumed_text(choices: Sequence[Choice]) -> str:
    """Return the note on assumed values of unvisited children, or "" if there are none."""
    siblings = [sibling for choice in choices for sibling in choice.siblings]
    some = any(
        sibling.value is not None and not sibling.visits and sibling.score is not None for sibling in siblings
    )
    return "value in brackets, or drawn faintly: assumed, as the child has no visits" if some else ""


def value_text(sibling: Sibling) -> str:
    """Return the value that the rule sees, in brackets if it is assumed."""
    if sibling.value is None:
        return ""
    return signed(sibling.value) if sibling.visits else f"({signed(sibling.value)})"


def other_terms(sibling: Sibling) -> dict[str, str]:
    """Return the other terms of the score, by the letters of the formula."""
    terms = {} if sibling.available is None else {"N": f"{sibling.available:,}"}
    terms |= {} if sibling.prior is None else {"P": f"{sibling.prior:.3f}"}
    if "amaf_visits" in sibling.other:
        seen = sibling.other["amaf_visits"]
        terms["m"] = f"{seen:,.0f}"
        terms["AMAF"] = signed(sibling.other["amaf_value"]) if seen else ""
    return terms


def shortened(text: str, most: int) -> str:
    """Return a text cut to at most `most` columns of a terminal."""
    if cell_width(text) <= most:
        return text
    while cell_width(text) >= most:
        text = text[:-1]
    return f"{text}…"


def capital_name(player: int, lecture: Lecture) -> str:
    """Return a player's name for the start of a sentence."""
    name = lecture.players.name(player)
    return name if lecture.players.symbols else _capital(name)


def _node(line: Line) -> str:
    return f"the node {' '.join(line)}" if line else "the root"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _selection(simulation: Simulation, lecture: Lecture) -> list[str]:
    selection = simulation.selection
    if not selection.choices:
        why = (
            "This time the root gets another child"
            if selection.visits
            else "So far the tree has only its root"
        )
        return [
            "Every simulation starts at the root.",
            f"{why}, so there is no choice: the root is the leaf.",
        ]
    said = [_choice(choice, lecture) for choice in selection.choices[:2]]
    if len(selection.choices) > 2:
        said.append(f"This continues down to {_node(selection.line)}.")
    why = "has not been visited" if not selection.visits else "has no children yet"
    why = {
        "game over": "ends the game this time" if lecture.is_open else "ends the game",
        "horizon": "is the last decision that counts",
    }.get(simulation.expansion.without, why)
    if is_walked(lecture) and simulation.expansion.children:
        why = "is where a move is played for the first time"
        if simulation.expansion.choices[0].is_chance:
            why = "is where something new is known" if lecture.is_dealt else "is where a new outcome comes"
    return [*said, f"{_capital(_node(selection.line))} {why}: it is the leaf where selection ends."]


def _choice(choice: Choice, lecture: Lecture) -> str:
    chosen = choice.siblings[choice.chosen]
    at = f"After {where(choice.line)}" if choice.line else "At the root"
    name, move = lecture.players.name(choice.player), chosen.move.text
    if chosen.probability is not None:
        return f"{at} chance decides: {move}, probability {probability_text(chosen.probability)}."
    if choice.is_chance:
        return _drawn(choice)
    if choice.because == "untried":
        untried = sum(sibling.fate == "untried" for sibling in choice.siblings)
        waiting = f"; {untried} more wait{'s' if untried == 1 else ''}" if untried else ""
        return f"{at} {name} has untried moves, which come first: {move} is next{waiting}.{_chance(choice)}"
    if choice.because == "proven":
        return f"{at} all moves of {name} are proven: {move} is the best of them."
    if choice.because == "again":
        return f"{at} {name} follows {move} again: a well-visited choice is reused for several simulations."
    scores = [sibling.score for sibling in choice.siblings if sibling.score is not None]
    passed = sum(sibling.fate in ("solved", "beaten") for sibling in choice.siblings)
    skipped = ""
    if passed:
        skipped = f" Proofs make another visit to {passed} move{'s' if passed > 1 else ''} unnecessary."
    illegal = sum(sibling.fate == "not legal" for sibling in choice.siblings)
    if illegal:
        skipped = f" {illegal} other{'s are' if illegal > 1 else ' is'} not legal this time."
    skipped += _chance(choice)
    if len(choice.siblings) == 1 or (len(scores) == 1 and is_walked(lecture)):
        return f"{at} {name} takes {move}, the only legal move.{skipped}"
    if len(scores) == 1:
        return f"{at} only {move} is not yet proven for {name}.{skipped}"
    return f"{at} {name} takes the move with the highest score: {move}{_tie(choice)}.{skipped}"


def _drawn(choice: Choice) -> str:
    """Return the sentence on which drawn outcome a simulation goes on from."""
    outcome = choice.siblings[choice.chosen]
    move, times = outcome.move.text, "once" if outcome.came == 1 else f"{outcome.came or 0:,} times"
    brought = " ".join(drawn.text for drawn in choice.drawn)
    comes = f"{f'chance brings {brought}, and ' if brought else ''}the outcome is"
    why = _allowed(choice) if choice.because == "back" else "the tree's memory is full"
    back = (
        f"the outcome is a new one, but {why}: the simulation goes back to {move}, drawn among the known "
        f"ones by how often each came.{f' Chance brings {brought} again.' if brought else ''}"
    )
    said = {
        "learnt": f"what is known is new: it is {move}.",
        "known": f"what is known, {move}, has a node.",
        "new": f"{comes} a new one, {move}.",
        "chance": f"{comes} a known one, {move}, which has come {times} before.",
        "back": back,
        "full": back,
    }
    return f"After {where(choice.line)} {said[choice.because]}"


def _allowed(choice: Choice) -> str:
    """Return how many outcomes the visits of a node of chance allow, if they are limited."""
    if choice.limit is None:
        return ""
    visits = "1 visit allows" if choice.visits == 1 else f"{choice.visits:,} visits allow"
    return f"{visits} at most {choice.limit:,} outcome{'s' if choice.limit != 1 else ''}"


def _chance(choice: Choice) -> str:
    """Return the sentence on what chance brought after a choice, where that is drawn on the way, or ""."""
    return f" {_capital(drawn_text(choice))}." if choice.drawn else ""


def _tie(choice: Choice) -> str:
    """Return the note on ties if other children have the same score, or ""."""
    chosen = choice.siblings[choice.chosen]
    ties = chosen.score is not None and [s.score for s in choice.siblings].count(chosen.score) > 1
    return " (ties go to the child added first)" if ties else ""


def _expansion(simulation: Simulation, lecture: Lecture) -> list[str]:
    expansion, leaf = simulation.expansion, simulation.selection.line
    reasons = {
        "first visit": [
            f"{_capital(_node(leaf))} is new: this is its first visit.",
            "It joins the tree as a leaf and gets children on its next visit.",
        ],
        "game over": [f"The game is over after {where(leaf)}: there are no moves to add."],
        "horizon": ["The horizon is reached: nothing after it counts, so there are no moves to add."],
        "depth": [f"{_capital(_node(leaf))} is at the depth limit of the tree: nothing is added."],
        "memory": ["The tree's memory is full: nothing is added."],
    }
    if expansion.without:
        return reasons[expansion.without]
    return _growth(expansion, leaf, lecture)


def _growth(expansion: Expansion, leaf: Line, lecture: Lecture) -> list[str]:
    """Return the sentences on children that were added to the leaf."""
    choice = expansion.choice
    if choice is not None and is_walked(lecture):
        return _walked_growth(expansion, choice, leaf, lecture)
    mover = expansion.children[0].move.player if choice is None else choice.credited
    name, count = lecture.players.name(mover), len(expansion.children)
    again = ", visited before," if leaf and choice is not None else ""
    by_chance = choice is not None and choice.is_chance
    what, whose = ("outcome", "chance") if by_chance else ("move", name)
    moves = f"the only {what}" if count == 1 else f"the {count} {what}s"
    order = ", in random order" if count > 1 and not by_chance else ""
    said = [f"{_capital(_node(leaf))}{again} gets its children: {moves} of {whose}{order}."]
    settled = [child for child in expansion.children if child.settled is not None]
    if settled:
        ends = ", ".join(f"{child.move.text} {number(child.settled or 0.0)}" for child in settled)
        article = "An" if by_chance else "A"
        said.append(f"{article} {what} that ends the game has its value at once, for {name}: {ends}.")
    for proof in expansion.proofs:
        what = bounds_text(proof.after, lecture.returns)
        said.append(
            f"So {_node(proof.line)} is proven to be worth {what} for {lecture.players.name(proof.player)}."
        )
    if choice is None:
        return said
    chosen = choice.siblings[choice.chosen]
    move = chosen.move.text
    said.append(
        {
            "untried": f"The first of them, {move}, is the new node.",
            "score": f"Of these {move} has the highest score{_tie(choice)}: it is the new node.",
            "proven": f"The best of them, {move}, is the new node.",
            "chance": f"Chance decides: {move}, probability {probability_text(chosen.probability or 0.0)}, "
            "is the new node.",
        }[choice.because]
    )
    return said


def _walked_growth(expansion: Expansion, choice: Choice, leaf: Line, lecture: Lecture) -> list[str]:
    """Return the sentences on children that were added where chance is drawn on the way."""
    name, move = lecture.players.name(choice.player), choice.siblings[choice.chosen].move.text
    count = len(expansion.children)
    if choice.is_chance:
        return [_drawn(choice), f"It is the new node, {where(expansion.line)}."]
    if count > 1:
        said = f"{_capital(_node(leaf))} gets its children: the {count} moves of {name}, in random order. "
        said += f"The first of them, {move}, is the new node."
    else:
        said = f"{f'After {where(leaf)}' if leaf else 'At the root'} {name} plays {move} for the first time: "
        said += "it is the new node."
    said += _chance(choice)
    if not lecture.is_drawn or (lecture.is_dealt and expansion.outcome is None):
        return [said]
    if expansion.outcome is None:
        return [said, "The tree's memory has no room for its outcome."]
    return [said, _drawn(expansion.outcome), "It gets a node as well, where the playout starts."]


def _playout(simulation: Simulation, lecture: Lecture) -> list[str]:
    playout = simulation.playout
    result = result_text(playout.returns, lecture)
    horizon = f"the horizon of {lecture.horizon} decisions is reached: nothing after it counts"
    is_over = simulation.expansion.without == "game over"
    if not playout.games and not is_over and _is_at_horizon(simulation, lecture):
        return [f"{_capital(horizon)}, so there is no playout.", result]
    if not playout.games:
        return ["The game is already over, so there is no playout.", result]
    how = f"From {where(simulation.expansion.line)} on, {_POLICIES[lecture.policy]}{_URGENT[lecture.urgent]}."
    rolled = sum(move.player == CHANCE for move in playout.games[0].moves)
    if rolled:
        how += " Outcomes of chance are drawn" + ("." if is_walked(lecture) else " by their probabilities.")
    kept = "The moves do not enter the tree; the result does."
    count = len(playout.games)
    if count > 1:
        return [how, f"{count} such games are played, and their mean counts.", result, kept]
    game = playout.games[0]
    moves = f"{len(game.moves)} move{'s' if len(game.moves) != 1 else ''}"
    moves += f", {rolled} of them by chance," if rolled else ""
    if game.cut_off:
        replaced = "the rewards still to come" if lecture.pays else "a result"
        if not game.moves:
            by = "game" if simulation.expansion.choice or not simulation.expansion.children else "network"
            at = f"The {by}'s evaluation of {where(simulation.expansion.line)}"
            return [f"No moves are played. {at} replaces {replaced}.", result]
        end = f"After {moves} the game's evaluation replaces {replaced}."
    elif game.at_horizon:
        end = f"After {moves} {horizon}."
    else:
        end = f"After {moves} the game is over."
    return [how, end, result, kept]


def _is_at_horizon(simulation: Simulation, lecture: Lecture) -> bool:
    """Whether the path alone, without its outcomes of chance, is as long as the horizon."""
    updates = simulation.backup.updates
    return bool(lecture.horizon) and sum(u.returned is not None and not u.by_chance for u in updates) == (
        lecture.horizon
    )


def _rewards(simulation: Simulation, lecture: Lecture) -> list[str]:
    """Return the sentences on what the nodes of a path add where rewards are paid on the way."""
    updates, players = simulation.backup.updates, lecture.players
    said = [
        "Every node on the path counts one more visit. It adds the reward for the move into it and what "
        "comes after, for the player who moved."
    ]
    told = 0
    for update in updates:
        if update.returned is None or update.player is None or told == _MOST_SUMS:
            continue
        parts = sum_text(update)
        total = f"{parts} = {number(update.returned)}" if parts else number(update.returned)
        whose = f" for {players.name(update.player)}" if players.count > 1 else ""
        if _is_corrected(update, simulation):
            total = f"{number(update.returned)}, as its proven bounds correct the sum {parts}"
        said.append(f"{_capital(_node(update.line))} adds {total}{whose}.")
        told += 1
    if lecture.discount != 1.0 and any(u.factor == 1.0 and u.returned is not None for u in updates):
        said.append("An outcome of chance is not a decision, so rewards after it are not discounted.")
    said.append("A value is the mean of these sums. Nobody moved into the root, so it only counts visits.")
    return said


def _is_corrected(update: Update, simulation: Simulation) -> bool:
    """Whether proven bounds corrected what an update of a player's node adds."""
    if update.player is None or update.returned is None:
        return False
    if update.reward is None or update.rest is None:
        return update.returned != simulation.playout.returns[update.player]
    total = update.reward + update.factor * update.rest
    return abs(total - update.returned) > 1e-6 * max(1.0, abs(total))


def _backup(simulation: Simulation, lecture: Lecture) -> list[str]:
    said = _rewards(simulation, lecture) if lecture.pays else _results(simulation, lecture)
    for update in simulation.backup.updates:
        if update.bounds_after != update.bounds_before:
            player = lecture.player if update.player is None else update.player
            what = bounds_text(update.bounds_after, lecture.returns)
            said.append(
                f"{_capital(_node(update.line))} is now proven to be worth {what} for "
                f"{lecture.players.name(player)}."
            )
    return said


def _results(simulation: Simulation, lecture: Lecture) -> list[str]:
    """Return the sentences on what the nodes of a path add where the result comes at the end."""
    updates, players = simulation.backup.updates, lecture.players
    movers = sorted({u.player for u in updates if u.player is not None})
    returned = simulation.playout.returns
    shares = " and ".join(f"{number(returned[p])} where {players.name(p)} moved" for p in movers)
    said = [
        "Every node on the path counts one more visit and adds the return of the player who moved into it: "
        f"{shares}.",
        "Its value is the mean of these returns. Nobody moved into the root, so it only counts visits.",
    ]
    if lecture.is_dealt:
        said.append("What is known after a move counts for the player who made it.")
    elif lecture.is_drawn:
        said.append("An outcome of chance counts for the player who moved before.")
    elif any(update.by_chance for update in updates):
        said.append(
            "An outcome of chance counts for the player who moved before; as outcomes are drawn by their "
            "probabilities, the mean before them comes close to the expected value."
        )
    for update in updates:
        if _is_corrected(update, simulation):
            told = f"{_capital(_node(update.line))} adds {number(update.returned or 0.0)}"
            said.append(f"{told}: its proven bounds correct the result.")
    return said
