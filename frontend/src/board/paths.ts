/** Choosing a move by its squares, one after the other: the squares picked so far are the start of its path. */
import type { Board, MoveTold } from "../protocol";
import { kindOf, ownerOf } from "./layout";

export type Pathed = Pick<MoveTold, "action" | "text" | "squares" | "player">;

/** What picking a square leads to. play : the move to make. choose : moves between which the squares do not decide. */
export interface Picked<M> {
  path: readonly number[];
  play?: M;
  choose?: M[];
}

const pathOf = (move: Pathed) => move.squares ?? [];

/** The moves that have no place on the board, such as a pass. */
export const offBoard = <M extends Pathed>(moves: readonly M[]) => moves.filter((move) => pathOf(move).length === 0);

/** The moves whose path begins with the squares picked so far. */
export function narrowed<M extends Pathed>(moves: readonly M[], path: readonly number[]): M[] {
  return moves.filter((move) => pathOf(move).length > 0 && path.every((square, i) => pathOf(move)[i] === square));
}

/** The squares that can be picked next. */
export function targets(moves: readonly Pathed[], path: readonly number[]): Set<number> {
  const next = narrowed(moves, path).map((move) => pathOf(move)[path.length]);
  return new Set(next.filter((square) => square !== undefined));
}

/**
 * Pick a square. A path that is complete is played at once, unless others go on from it or have the same; the
 * last square of a long path may be picked at once; another start begins anew, and any other square ends it.
 */
export function pick<M extends Pathed>(moves: readonly M[], path: readonly number[], square: number): Picked<M> {
  const further = [...path, square];
  const open = narrowed(moves, further);
  const complete = open.filter((move) => pathOf(move).length === further.length);
  if (open.length > 0) {
    if (complete.length === 0) return { path: further };
    if (complete.length === 1 && open.length === 1) return { path: [], play: complete[0]! };
    return { path: further, choose: complete };
  }
  if (path.length === 0) return { path };
  const ending = narrowed(moves, path).filter((move) => pathOf(move).at(-1) === square);
  if (ending.length === 1) return { path: [], play: ending[0]! };
  if (ending.length > 1) return { path, choose: ending };
  return square === path.at(-1) ? { path: path.slice(0, -1) } : pick(moves, [], square);
}

/** In a column where pieces fall, every square stands for the one in which they land. */
export function fallen(moves: readonly Pathed[], square: number, columns: number): number {
  const landings = moves.flatMap((move) => (pathOf(move).length === 1 ? pathOf(move) : []));
  return landings.find((landing) => landing % columns === square % columns) ?? square;
}

/** Where every move takes a piece from the board, all that touches it and is like it stands for it. */
export function together(moves: readonly Pathed[], board: Board, columns: number): number[] {
  const found: number[] = [];
  if (!moves.every((move) => pathOf(move).length === 1 && kindOf(board, pathOf(move)[0]!) > 0)) return found;
  for (const first of targets(moves, [])) {
    const reached = [first];
    for (const square of reached) {
      found[square] ??= first;
      const beside = [square - columns, square + columns, ...(square % columns > 0 ? [square - 1] : []), ...((square + 1) % columns > 0 ? [square + 1] : [])];
      reached.push(...beside.filter((other) => found[other] === undefined && !reached.includes(other) && kindOf(board, other) === kindOf(board, first) && ownerOf(board, other) === ownerOf(board, first)));
    }
  }
  return found;
}

/** Moves of two pieces, also with the second one first, unless that is another move or goes on from where the first ends. */
export function inAnyOrder<M extends Pathed>(moves: readonly M[]): M[] {
  const known = new Set(moves.map((move) => pathOf(move).join()));
  const swapped = moves.flatMap((move) => {
    const [a, b, c, d] = pathOf(move);
    const squares = [c!, d!, a!, b!];
    return d === undefined || c === b || known.has(squares.join()) ? [] : [{ ...move, squares }];
  });
  return [...moves, ...swapped];
}
