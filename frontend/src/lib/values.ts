/** Values between the worst and the best return: their position, their colour, and proven bounds. */
import type { ChildTold } from "../protocol";
import { signed } from "./numbers";

export interface Range {
  min_return: number;
  max_return: number;
}

/** The position of a value between the worst, 0, and the best, 1. */
export function gain(value: number, { min_return: min, max_return: max }: Range): number {
  return max > min ? Math.min(1, Math.max(0, (value - min) / (max - min))) : 0.5;
}

/** Colour of a value for its player: orange is bad, grey even, blue good; none if it is unknown. */
export function colourOf(value: number | null, range: Range): string {
  if (value === null) return "var(--surface)";
  const lean = 2 * gain(value, range) - 1;
  const weight = Math.round(Math.sqrt(Math.abs(lean)) * 100);
  return `color-mix(in oklab, var(${lean < 0 ? "--bad" : "--good"}) ${weight}%, var(--even))`;
}

/** Proven bounds as text: "+1", "at least 0", "at most 0", or "". */
export function boundsText(lower: number, upper: number, { min_return: min, max_return: max }: Range): string {
  if (lower >= upper) return signed(lower);
  const parts = [];
  if (lower > min) parts.push(`at least ${signed(lower)}`);
  if (upper < max) parts.push(`at most ${signed(upper)}`);
  return parts.join(", ");
}

/** The proof of a move in words: "win in 3", "at least a draw"; "" if nothing is proven. */
export function proven(child: ChildTold, { min_return: min, max_return: max }: Range): string {
  const middle = (min + max) / 2;
  if (child.proven !== null) {
    const word = child.proven === max ? "win" : child.proven === min ? "loss" : child.proven === middle ? "draw" : signed(child.proven);
    return child.moves_to_end === null ? word : `${word} in ${child.moves_to_end}`;
  }
  if (child.at_least > min) return child.at_least === middle ? "at least a draw" : `at least ${signed(child.at_least)}`;
  if (child.at_most < max) return child.at_most === middle ? "at most a draw" : `at most ${signed(child.at_most)}`;
  return "";
}
