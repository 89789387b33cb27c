/** How pieces come from one board to the next: which stay, which moved from where, and which are new. */
import type { Piece, Shown } from "./layout";

const MOST_MOVES = 40;

let serial = 0;

const same = (a: Piece, b: Piece) => a.owner === b.owner && a.kind === b.kind;
const promoted = (now: Piece, old: Piece) => now.owner >= 0 && now.owner === old.owner;
const merged = (now: Piece, old: Piece) => now.owner < 0 && now.owner === old.owner && now.kind === old.kind + 1;
const spot = (piece: Piece) => `${piece.square}:${piece.place}`;

/** The pieces of the next board after those that are shown; without these, or where very many changed, nothing moves. slides : whether pieces of this board move at all, or only come and go. */
export function arrive(before: readonly Shown[] | null, next: readonly Piece[], slides: boolean): Shown[] {
  const still = (piece: Piece): Shown => ({ ...piece, key: `${spot(piece)} ${piece.owner} ${piece.kind} ${++serial}`, arrival: "none", dx: 0, dy: 0 });
  if (before === null) return next.map(still);
  const old = new Map(before.map((piece) => [spot(piece), piece]));
  const kept: Shown[] = [];
  const fresh: Piece[] = [];
  for (const piece of next) {
    const there = old.get(spot(piece));
    if (there && same(there, piece)) {
      old.delete(spot(piece));
      kept.push(there.x === piece.x && there.y === piece.y ? there : { ...there, ...piece, arrival: "none" });
    } else fresh.push(piece);
  }
  if (fresh.length > MOST_MOVES) return [...kept, ...fresh.map(still)];
  const left = new Set(old.values());
  const sources = new Map<Piece, Shown>();
  // A piece comes from where its like has gone, else a queen from where a pawn has, or a tile from one of its halves.
  for (const alike of slides ? [same, promoted, merged] : []) {
    const pairs = fresh
      .filter((piece) => !sources.has(piece))
      .flatMap((piece) => [...left].filter((gone) => gone.square !== piece.square && alike(piece, gone)).map((gone) => ({ piece, gone, way: Math.hypot(piece.x - gone.x, piece.y - gone.y) })))
      .sort((a, b) => a.way - b.way);
    for (const { piece, gone } of pairs) {
      if (sources.has(piece) || !left.has(gone)) continue;
      sources.set(piece, gone);
      left.delete(gone);
    }
  }
  const come = fresh.map((piece): Shown => {
    const from = sources.get(piece);
    const turned = [...left].some((gone) => spot(gone) === spot(piece) && gone.owner >= 0 && piece.owner >= 0);
    const arrival = from ? "moved" : turned ? "turned" : "new";
    return { ...still(piece), arrival, dx: (from?.x ?? piece.x) - piece.x, dy: (from?.y ?? piece.y) - piece.y };
  });
  return [...kept, ...come];
}
