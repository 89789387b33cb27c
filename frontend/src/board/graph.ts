/** The numbers in the graph of values. */
import type { Analysis, GameInfo, Position } from "../protocol";

/** A line of a graph. spans : what reaches from one value to another, such as an interval. */
export interface Line {
  colour: string;
  points: [at: number, value: number][];
  spans?: [at: number, from: number, to: number][];
  dashed?: boolean;
}

/** Whether in a two-player game one player's value follows from the other's. */
export function mirrored(values: readonly number[], game: Pick<GameInfo, "min_return" | "max_return">): boolean {
  return values.length === 2 && Math.abs(values[0]! + values[1]! - sumOfTwo(game)) < 1e-3;
}

/** The sum of two players' returns if it is constant. */
export function sumOfTwo({ min_return: min, max_return: max }: Pick<GameInfo, "min_return" | "max_return">): number {
  return min === null || max === null ? 0 : min + max;
}

/** The players whose values are drawn; one line is enough if one's gain is the other's loss. */
export function linesShown({ game, values }: Position, now: Analysis | null): number[] {
  const known = [...values.map((told) => told.values), ...(now?.values ? [now.values] : [])];
  if (game.num_players === 1 || (game.num_players === 2 && known.every((values) => mirrored(values, game)))) return [0];
  return Array.from({ length: game.num_players }, (_, p) => p);
}

/**
 * Plies, and a list of values for each of `players`, null without a search. A finished game ends with its
* result, and a running search shows its value at its position.
 */
export function graphData(position: Position, players: number[], now: Analysis | null): [number[], ...(number | null)[][]] {
  const { game, moves, values, returns, ply } = position;
  const plies = Array.from({ length: moves.length + 1 }, (_, i) => i);
  const told = new Map(values.map((v) => [v.ply, v.values]));
  if (now?.values) told.set(now.ply, now.values);
  // If rewards are paid on the way, values count future rewards: 0 at the end.
  if (returns) told.set(ply, game.pays ? returns.map(() => 0) : returns);
  return [plies, ...players.map((p) => plies.map((at) => told.get(at)?.[p] ?? null))];
}
