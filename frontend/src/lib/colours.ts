/** The colours of men, and of players on the whole page, where the game names its players by them. */
import type { BoardStyle, GameInfo } from "../protocol";

/** By the name of a colour: a man's face, its edge, what is written on it, writing in its colour on the page, and the player there. */
const COLOURS: Record<string, readonly string[]> = {
  white: ["#faf7ee", "#3a352c", "#3a352c", "light-dark(#6b6250, #f3eddc)", "light-dark(#b3ab98, #f3eddc)"],
  black: ["#26282c", "#0c0d0f", "#d5d8dc", "light-dark(#1c1e21, #aab0b8)", "light-dark(#26282c, #868d96)"],
  red: ["#d93a2f", "#3f0a06", "#ffffff", "light-dark(#b4231a, #ff7a6e)", "light-dark(#c22f25, #ff7a6e)"],
  yellow: ["#f7cb2d", "#6b4e00", "#3a2c00", "light-dark(#7a5c00, #f7cb2d)", "light-dark(#c79a08, #f7cb2d)"],
  blue: ["#2f7fe0", "#0b2a55", "#ffffff", "light-dark(#1560b8, #6db3ff)", "light-dark(#1565c0, #6db3ff)"],
  green: ["#2f9e54", "#135028", "#ffffff", "light-dark(#1e7a3c, #5fcf85)", "light-dark(#1e7a3c, #5fcf85)"],
  orange: ["#ee7a22", "#7f3a05", "#331700", "light-dark(#b34f08, #ff9a4d)", "light-dark(#c85a0c, #ff9a4d)"],
  purple: ["#9a4fc4", "#4d1f68", "#ffffff", "light-dark(#8235ad, #cf93ef)", "light-dark(#8235ad, #cf93ef)"],
};
const NOBODY = ["var(--board-block)", "var(--board-block)", "var(--board-block-mark)", "var(--text)"];

/** The style with the colours of a player's men: `--man`, its edge, what is written on it, and writing in its colour. */
export function menOf(style: BoardStyle, owner: number): string {
  const colours = owner < 0 ? NOBODY : (COLOURS[style.colours[owner] ?? ["orange", "blue", "green", "purple"][owner % 4]!] ?? NOBODY);
  return ["--man", "--man-edge", "--man-ink", "--man-text"].map((name, i) => `${name}:${colours[i]}`).join(";");
}

/** The colour of each player, or null for the page's own. */
export function coloursOf(game: Pick<GameInfo, "board" | "symbols"> | undefined): (string | null)[] {
  const style = game?.board;
  const named = style && game.symbols.length > 0 && game.symbols.every((name, player) => name === style.players[player]);
  return [0, 1, 2, 3].map((player) => (named && COLOURS[style.colours[player] ?? ""]?.[4]) || null);
}

export function showColours(game: GameInfo | undefined): void {
  const root = document.documentElement.style;
  coloursOf(game).forEach((colour, player) => root.setProperty(`--player${player}`, colour));
}
