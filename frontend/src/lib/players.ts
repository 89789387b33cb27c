/** What players are called, in one way on the whole page: as on the board, else by number, from 0 as everywhere. */
import type { GameInfo } from "../protocol";

export type Players = Pick<GameInfo, "num_players" | "min_return" | "max_return" | "symbols">;

/** "X" where the board has a symbol for each player, else "player 1"; the only one is "the player". */
export function playerName(game: Players, player: number): string {
  if (player < 0) return "chance";
  if (game.num_players === 1) return "the player";
  return game.symbols[player] ?? `player ${player}`;
}

/** The same at the beginning of a sentence. */
export function playerCapital(game: Players, player: number): string {
  const name = playerName(game, player);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** " for X", to be put behind a value; "" where there is only one player. */
export function forPlayer(game: Players, player: number): string {
  return game.num_players === 1 ? "" : ` for ${playerName(game, player)}`;
}
