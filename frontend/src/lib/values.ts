/** Values between the worst and the best return: their position, their colour, and proven bounds. */
import type { ChildTold } from "../protocol";
import { fixed, signed } from "./numbers";
import { forPlayer, type Players } from "./players";
import { spanOf, type Scaled } from "./spans.svelte";

/** The position of a value between the worst, 0, and the best, 1. */
export function gain(value: number, game: Scaled): number {
  const [min, max] = spanOf(game);
  return max > min ? Math.min(1, Math.max(0, (value - min) / (max - min))) : 0.5;
}

/** The value of a move or a position, in the same words everywhere: "+0.31 for X". */
export function valueWords(value: number | null, game: Players, player: number): string {
  return `${fixed(value, 2)}${forPlayer(game, player)}`;
}

/** Colour of a value for its player: orange is bad, grey even, blue good; none if it is unknown. */
export function colourOf(value: number | null, range: Scaled): string {
  if (value === null) return "var(--surface)";
  const lean = 2 * gain(value, range) - 1;
  const weight = Math.round(Math.sqrt(Math.abs(lean)) * 100);
  return `color-mix(in oklab, var(${lean < 0 ? "--bad" : "--good"}) ${weight}%, var(--even))`;
}

/** Whether bounds have met; null is an infinite one. */
export function isSettled([lower, upper]: readonly [number | null, number | null]): boolean {
  return lower !== null && upper !== null && lower >= upper;
}

/** Proven bounds as text: "+1", "at least 0", "at most 0", or "". */
export function boundsText(lower: number | null, upper: number | null, { min_return: min, max_return: max }: Scaled): string {
  if (lower !== null && isSettled([lower, upper])) return signed(lower);
  const parts = [];
  if (lower !== null && lower > (min ?? -Infinity)) parts.push(`at least ${signed(lower)}`);
  if (upper !== null && upper < (max ?? Infinity)) parts.push(`at most ${signed(upper)}`);
  return parts.join(", ");
}

/** The proof of a move in words: "win in 3", "at least a draw"; "" if nothing is proven.
 * Where rewards are paid on the way, or bounds are wide, nothing is a win or a loss: "+12", "at most +7". */
export function proven(child: ChildTold, game: Scaled & { pays?: boolean }): string {
  const { min_return: min, max_return: max } = game;
  if (game.pays || game.wide || min === null || max === null) {
    const value = child.proven === null ? boundsText(child.at_least, child.at_most, game) : signed(child.proven);
    return child.proven === null || child.moves_to_end === null ? value : `${value} in ${child.moves_to_end}`;
  }
  const middle = (min + max) / 2;
  if (child.proven !== null) {
    const word = child.proven === max ? "win" : child.proven === min ? "loss" : child.proven === middle ? "draw" : signed(child.proven);
    return child.moves_to_end === null ? word : `${word} in ${child.moves_to_end}`;
  }
  if (child.at_least !== null && child.at_least > min) return child.at_least === middle ? "at least a draw" : `at least ${signed(child.at_least)}`;
  if (child.at_most !== null && child.at_most < max) return child.at_most === middle ? "at most a draw" : `at most ${signed(child.at_most)}`;
  return "";
}
