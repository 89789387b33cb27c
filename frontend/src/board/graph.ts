/** The numbers that the graph of values shows. */
import type { Analysis, Position } from "../protocol";

/** Whose values are drawn: one line says all where what one wins the other loses. */
export function linesShown({ game, values }: Position): number[] {
  const sum = game.min_return + game.max_return;
  const mirrored = values.every((told) => Math.abs((told.values[0] ?? 0) + (told.values[1] ?? 0) - sum) < 1e-3);
  if (game.num_players <= 2 && mirrored) return [0];
  return Array.from({ length: game.num_players }, (_, p) => p);
}

/**
 * Plies, and a list of values for each of `players`, null where nothing was searched. The result stands at the
 * end of a finished game, and the value of a search under way where it is searching.
 */
export function graphData(position: Position, players: number[], now: Analysis | null): [number[], ...(number | null)[][]] {
  const { game, moves, values, returns, ply } = position;
  const plies = Array.from({ length: moves.length + 1 }, (_, i) => i);
  const told = new Map(values.map((v) => [v.ply, v.values]));
  if (now?.value != null && players.length === 1) {
    told.set(now.ply, [now.player === 0 ? now.value : game.min_return + game.max_return - now.value]);
  }
  if (returns) told.set(ply, returns);
  return [plies, ...players.map((p) => plies.map((at) => told.get(at)?.[p] ?? null))];
}
