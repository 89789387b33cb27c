/** The ends of the scale on which a game's values are shown. */
import type { GameInfo } from "../protocol";

export type Scaled = Pick<GameInfo, "min_return" | "max_return"> & Partial<Pick<GameInfo, "name" | "wide">>;
export type Span = [number, number];

/** The least and the greatest value seen so far, for each game with wide bounds or none. */
const seen = $state<Record<string, Span>>({});

/** The bounds of returns; of a game with wide bounds, or none, the least and the greatest value seen so far. */
export function spanOf(game: Scaled): Span {
  const { name, min_return: min, max_return: max } = game;
  if (!game.wide && min !== null && max !== null) return [min, max];
  const [low, high] = seen[name ?? ""] ?? [Infinity, -Infinity];
  if (low < high) return [low, high];
  return low === high ? [low - 1, high + 1] : [min ?? -1, max ?? 1];
}

/** Widen the scale of a game to include values. */
export function noteValues(game: Scaled, values: Iterable<number | null>): void {
  if (!game.wide) return;
  const known = [...values].filter((value) => value !== null);
  if (!known.length) return;
  const [low, high] = seen[game.name ?? ""] ?? [Infinity, -Infinity];
  const next: Span = [Math.min(low, ...known), Math.max(high, ...known)];
  if (next[0] !== low || next[1] !== high) seen[game.name ?? ""] = next;
}
