/** Names of players, the same on the whole page: the symbol on the board, else the number, from 0. */
import type { GameInfo, MoveTold, Position } from "../protocol";

export type Players = Pick<GameInfo, "num_players" | "min_return" | "max_return" | "symbols"> &
  Partial<Pick<GameInfo, "name" | "wide" | "pays" | "discount">>;

/** In place of the player where chance is to move. */
export const CHANCE = -1;

/** In place of the player where all move at once. */
export const ALL = -2;

/** In place of a player whom the viewer of a game with hidden information cannot tell. */
export const UNSEEN = -3;

/** "X" if the board has a symbol for each player, else "player 1"; in a single-player game "the player". */
export function playerName(game: Players, player: number): string {
  if (player === CHANCE) return "chance";
  if (player === ALL) return "all players";
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
export function canPlay(position: Turn): boolean {
  return !isLaidOpen(position) && (position.player === CHANCE || asked(position) !== null);
}

type Turn = Pick<Position, "player" | "seats" | "game" | "viewer" | "waiting">;

/** The person's player who is to choose now; null if it is nobody's turn of theirs. Where all move at once, one after the other. */
export function asked({ player, seats, waiting }: Pick<Position, "player" | "seats" | "waiting">): number | null {
  if (player === ALL) return waiting[0] ?? null;
  return player !== null && seats.includes(player) ? player : null;
}

/** The moves to choose from now: where all move at once, only those of the player who is asked. */
export function movesNow(position: Position): MoveTold[] {
  if (position.player !== ALL) return position.legal;
  const player = asked(position);
  return position.legal.filter((move) => move.player === player);
}

/** Whether a person has chosen where all move at once, and the move is not made yet. */
export function hasChosen({ player, seats, waiting, legal }: Pick<Position, "player" | "seats" | "waiting" | "legal">): boolean {
  return player === ALL && seats.some((seat) => !waiting.includes(seat) && legal.some((move) => move.player === seat));
}

/** The text of a move; of a joint move, with colons between what the players chose. */
export function moveText({ player, text }: Pick<MoveTold, "player" | "text">): string {
  return player === ALL ? text.split(",").join(" : ") : text;
}

/** Whether a game with hidden information is over: all is shown then, and nothing is played any more. */
export function isLaidOpen({ game, viewer }: Pick<Position, "game" | "viewer">): boolean {
  return game.hides && viewer == null;
}

/** " for X", to follow a value; "" in a single-player game. */
export function forPlayer(game: Players, player: number): string {
  return game.num_players === 1 ? "" : ` for ${playerName(game, player)}`;
}
