/** The search's values on a board: on the squares of the best few moves, and as arrows for moves from square to square. */
import type { Action } from "../lib/actions";
import { centre, type Box, type Cell } from "../lib/geometry";
import { count, fixed, percent } from "../lib/numbers";
import { colourOf } from "../lib/values";
import type { Label } from "../lib/view.svelte";
import type { ChildTold, GameInfo } from "../protocol";
import { narrowed, type Pathed } from "./paths";

const FEW = 9;
const BEST = 5;
const ARROWS = 3;

/** What a board says of a move that was searched, as the person wishes. */
export function figureOf({ value, share, visits }: ChildTold, label: Label): string {
  return { value: () => fixed(value, 2), share: () => percent(share), visits: () => count(visits), none: () => "" }[label]();
}

export interface Arrow {
  points: { x: number; y: number }[];
  text: string;
  colour: string;
  width: number;
  hint: boolean;
}

/**
 * Squares on which a move's value is shown, for those that end with the next square or lead on from it: all where
 * there are few, else the best ones and the one that is pointed at. order : the actions, best first.
 */
export function marked(moves: readonly Pathed[], path: readonly number[], order: readonly Action[], pointed: number, boxes: readonly Box[]): Cell[] {
  const rank = new Map(order.map((action, i) => [action, i]));
  const squares = new Map<number, Pathed>();
  for (const move of narrowed(moves, path)) {
    const square = move.squares![path.length];
    if (square === undefined || (path.length === 0 && move.squares!.length > 1)) continue;
    const other = squares.get(square);
    if (!other || (rank.get(move.action) ?? Infinity) < (rank.get(other.action) ?? Infinity)) squares.set(square, move);
  }
  const ranked = [...squares].sort(([, a], [, b]) => (rank.get(a.action) ?? Infinity) - (rank.get(b.action) ?? Infinity));
  return ranked.flatMap(([square, move], i) => {
    const box = boxes[square];
    return box && (ranked.length <= FEW || i < BEST || square === pointed) ? [{ action: Number(move.action), box }] : [];
  });
}

/** Arrows for the best moves from square to square, the best last, and for a hint. pairs : whether a move goes from square to square several times, as with two dice; only the best is drawn then. */
export function arrowsOf(moves: readonly Pathed[], pairs: boolean, children: readonly ChildTold[], hint: Action | null, boxes: readonly Box[], game: GameInfo | null, label: Label = "value"): Arrow[] {
  const points = (action: Action) => (moves.find((move) => move.action === action)?.squares ?? []).flatMap((square) => (boxes[square] ? [centre(boxes[square])] : []));
  const most = Math.max(...children.map((child) => child.visits), 1);
  const found = children
    .filter((child) => child.visits > 0)
    .map((child) => ({ child, points: points(child.action) }))
    .filter(({ points }) => points.length > 1)
    .slice(0, pairs ? 1 : ARROWS)
    .map(({ child, points }) => ({ points, text: figureOf(child, label), colour: game ? colourOf(child.value, game) : "var(--accent)", width: 5 + 9 * (child.visits / most), hint: false }))
    .reverse()
    .flatMap((arrow) => (pairs ? inPairs(arrow) : [arrow]));
  const hinted = hint === null ? [] : points(hint);
  const shown: Arrow = { points: hinted, text: "", colour: "var(--accent)", width: 9, hint: true };
  return hinted.length > 1 ? [...found, ...(pairs ? inPairs(shown) : [shown])] : found;
}

/** An arrow for each two points; the last has the text. */
function inPairs(arrow: Arrow): Arrow[] {
  const starts = arrow.points.flatMap((_, i) => (i % 2 === 0 && i + 1 < arrow.points.length ? [i] : []));
  return starts.map((i) => ({ ...arrow, points: arrow.points.slice(i, i + 2), text: i === starts.at(-1) ? arrow.text : "" }));
}
