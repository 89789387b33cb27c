/** Names of players, the same on the whole page: the symbol on the board, else the number, from 0. */
import type { GameInfo, Position } from "../protocol";

export type Players = Pick<GameInfo, "num_players" | "min_return" | "max_return" | "symbols"> &
  Partial<Pick<GameInfo, "name" | "wide" | "pays" | "discount">>;

/** In place of the player where chance is to move. */
export const CHANCE = -1;

/** In place of a player whom the viewer of a game with hidden information cannot tell. */
export const UNSEEN = -3;

/** "X" if the board has a symbol for each player, else "player 1"; in a single-player game "the player". */
export function playerName(game: Players, player: number): string {
  if (player === CHANCE) return "chance";
  if (player === UNSEEN) return game.num_players === 2 ? "the bot" : "another player";
  if (game.num_players === 1) return "the player";
  return game.symbols[player] ?? `player ${player}`;
}

/** The same at the start of a sentence. */
export function playerCapital(game: Players, player: number): string {
  const name = playerName(game, player);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Whether a person may choose the next move: for their seat, or an outcome of chance. */
export function canPlay(position: Pick<Position, "player" | "seats" | "game" | "viewer">): boolean {
  const { player, seats } = position;
  return player !== null && !isLaidOpen(position) && (player === CHANCE || seats.includes(player));
}

/** Whether a game with hidden information is over: all is shown then, and nothing is played any more. */
export function isLaidOpen({ game, viewer }: Pick<Position, "game" | "viewer">): boolean {
  return game.hides && viewer == null;
}

/** " for X", to follow a value; "" in a single-player game. */
export function forPlayer(game: Players, player: number): string {
  return game.num_players === 1 ? "" : ` for ${playerName(game, player)}`;
}
