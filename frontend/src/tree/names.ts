/** What players are called, on one page in one way. */
import type { GameInfo } from "../protocol";

export type Players = Pick<GameInfo, "num_players" | "min_return" | "max_return" | "options">;

/** "X" where the game's board has a letter for the player, else "player 1"; the only one is "the player". */
export function playerName(game: Players, player: number): string {
  if (player < 0) return "chance";
  if (game.num_players === 1) return "the player";
  const symbols = game.options["symbols"];
  const symbol = typeof symbols === "string" ? symbols[player + 1]?.trim() : undefined;
  return symbol || `player ${player + 1}`;
}

/** The same at the beginning of a sentence. */
export function playerCapital(game: Players, player: number): string {
  const name = playerName(game, player);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** A line of play as a place: "the root", "a1 b2". */
export function placeOf(line: readonly string[]): string {
  return line.length ? line.join(" ") : "the root";
}
