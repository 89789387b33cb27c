/** The colours of players on the whole page: those of their men, where the game names its players by them. */
import type { GameInfo } from "../protocol";

const COLOURS: Record<string, string> = {
  white: "light-dark(#b3ab98, #f3eddc)",
  black: "light-dark(#26282c, #868d96)",
  red: "light-dark(#c22f25, #ff7a6e)",
  yellow: "light-dark(#c79a08, #f7cb2d)",
  blue: "light-dark(#1565c0, #6db3ff)",
  green: "light-dark(#1e7a3c, #5fcf85)",
  orange: "light-dark(#c85a0c, #ff9a4d)",
  purple: "light-dark(#8235ad, #cf93ef)",
};

/** The colour of each player, or null for the page's own. */
export function coloursOf(game: Pick<GameInfo, "board" | "symbols"> | undefined): (string | null)[] {
  const style = game?.board;
  const named = style && game.symbols.length > 0 && game.symbols.every((name, player) => name === style.players[player]);
  return [0, 1, 2, 3].map((player) => (named && COLOURS[style.colours[player] ?? ""]) || null);
}

export function showColours(game: GameInfo | undefined): void {
  const root = document.documentElement.style;
  coloursOf(game).forEach((colour, player) => root.setProperty(`--player${player}`, colour));
}
