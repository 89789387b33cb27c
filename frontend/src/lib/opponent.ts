/** The bot of a page, when the game changes. */
import type { GameInfo, Opponent } from "../protocol";

/** The same bot for another game, as far as that game has it; null: the bot that the server chooses.
 * game : undefined for a variant that the page does not know yet. */
export function keptOpponent(opponent: Opponent, game: Pick<GameInfo, "has_levels" | "tuned" | "bots"> | undefined): Opponent | null {
  if (opponent.bot != null && !game?.bots.some(({ name }) => name === opponent.bot)) return null;
  if (opponent.level != null && !game?.has_levels) return null;
  return opponent.tuned && !isTuned(game) ? { ...opponent, tuned: false } : opponent;
}

/** Whether there are settings that were found for a game. */
export function isTuned(game: Pick<GameInfo, "tuned"> | undefined): boolean {
  return Object.keys(game?.tuned ?? {}).length > 0;
}
