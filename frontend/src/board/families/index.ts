/** The families of boards, each loaded when the first board of it is shown. */
import type { Family } from "../layout";

const FAMILIES: Record<string, () => Promise<Family>> = {
  discs: () => import("./Discs.svelte"),
  stones: () => import("./Stones.svelte"),
  squares: () => import("./Squares.svelte"),
  chess: () => import("./Chess.svelte"),
  hexagons: () => import("./Hexagons.svelte"),
  marks: () => import("./Marks.svelte"),
  cards: () => import("./Cards.svelte"),
  backgammon: () => import("./Backgammon.svelte"),
  tiles: () => import("./Tiles.svelte"),
  walls: () => import("./Walls.svelte"),
};
const loaded = new Map<string, Promise<Family>>();

/** The family of a name; marks stand for one that this page does not know. */
export function familyOf(name: string): Promise<Family> {
  const known = name in FAMILIES ? name : "marks";
  const there = loaded.get(known) ?? FAMILIES[known]!();
  loaded.set(known, there);
  there.catch(() => loaded.delete(known)); // the next board asks again
  return there;
}
