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
export const DIRECTIONS: Record<string, Direction> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

export const centre = (box: Box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

/**
 * The cell in which a move is shown. Where pieces fall, all cells of a column stand for one move;
* the piece lands in the lowest.
 */
export function landing(cells: readonly Cell[], action: Action): Cell | undefined {
  const same = cells.filter((cell) => cell.action === action);
  return same[least(same.map(({ box }) => -centre(box).y))];
}

/** The place of the least cost, the first of equal ones; -1 if all are infinite. */
function least(costs: readonly number[]): number {
  return costs.reduce((best, cost, i) => (cost < (costs[best] ?? Infinity) - 1e-9 ? i : best), -1);
}

/** A circle in `box` whose area grows with a share from 0 to 1. */
export function spot(box: Box, share: number): Spot {
  const room = Math.min(box.width, box.height) / 2;
  const grown = Math.sqrt(Math.min(1, Math.max(0, share)));
  return { ...centre(box), r: room * (0.22 + 0.7 * grown) };
}

/** The nearest box in a direction, straight ones before diagonal ones; -1 if there is none. */
export function neighbour(boxes: readonly Box[], from: number, direction: Direction): number {
  const origin = boxes[from];
  if (!origin) return -1;
  const start = centre(origin);
  const costs = boxes.map((box, i) => {
    const [dx, dy] = [centre(box).x - start.x, centre(box).y - start.y];
    const along = { right: dx, left: -dx, down: dy, up: -dy }[direction];
    const across = Math.abs(direction === "left" || direction === "right" ? dy : dx);
    return i === from || along <= 1e-6 || across > along * 1.5 ? Infinity : along + 3 * across;
  });
  return least(costs);
}

/** The box whose centre is nearest to a point; -1 if there are none. */
export function nearest(boxes: readonly Box[], place: { x: number; y: number }): number {
  return least(boxes.map((box) => Math.hypot(centre(box).x - place.x, centre(box).y - place.y)));
}
