/** Positions on a board's picture, in its own coordinates. */
import type { Action } from "./actions";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Cell {
  action: number;
  box: Box;
}

export interface Spot {
  x: number;
  y: number;
  r: number;
}

export type Direction = "up" | "down" | "left" | "right";

export const centre = (box: Box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

/**
 * The cell in which a move is shown. Where pieces fall, all cells of a column stand for one move;
* the piece lands in the lowest.
 */
export function landing(cells: readonly Cell[], action: Action): Cell | undefined {
  let best: Cell | undefined;
  for (const cell of cells) {
    if (cell.action !== action) continue;
    if (!best || centre(cell.box).y > centre(best.box).y + 1e-6) best = cell;
  }
  return best;
}

/** A circle in `box` whose area grows with a share from 0 to 1. */
export function spot(box: Box, share: number): Spot {
  const room = Math.min(box.width, box.height) / 2;
  const least = 0.22;
  const grown = Math.sqrt(Math.min(1, Math.max(0, share)));
  return { ...centre(box), r: room * (least + (0.92 - least) * grown) };
}

/** The nearest box in a direction, straight ones before diagonal ones; -1 if there is none. */
export function neighbour(boxes: readonly Box[], from: number, direction: Direction): number {
  const origin = boxes[from];
  if (!origin) return -1;
  const start = centre(origin);
  let best = -1;
  let least = Infinity;
  boxes.forEach((box, i) => {
    const at = centre(box);
    const [dx, dy] = [at.x - start.x, at.y - start.y];
    const along = { right: dx, left: -dx, down: dy, up: -dy }[direction];
    const across = Math.abs(direction === "left" || direction === "right" ? dy : dx);
    if (i === from || along <= 1e-6 || across > along * 1.5) return;
    const cost = along + 3 * across;
    if (cost < least) [least, best] = [cost, i];
  });
  return best;
}

/** The box whose centre is nearest to a point; -1 if there are none. */
export function nearest(boxes: readonly Box[], place: { x: number; y: number }): number {
  let best = -1;
  let least = Infinity;
  boxes.forEach((box, i) => {
    const at = centre(box);
    const distance = Math.hypot(at.x - place.x, at.y - place.y);
    if (distance < least - 1e-9) [least, best] = [distance, i];
  });
  return best;
}
