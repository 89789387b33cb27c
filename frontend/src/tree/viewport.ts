/** The visible part of a drawing: a point is at scale * point + offset on the screen. */
import type { Box } from "../lib/geometry";

export interface View {
  x: number;
  y: number;
  scale: number;
}

export const LEAST = 0.15;
export const MOST = 3;

export function pan(view: View, dx: number, dy: number): View {
  return { ...view, x: view.x + dx, y: view.y + dy };
}

/** Zoom by a factor so that the point (x, y) of the screen stays where it is. */
export function zoom(view: View, factor: number, x: number, y: number): View {
  const scale = Math.min(MOST, Math.max(LEAST, view.scale * factor));
  const by = scale / view.scale;
  return { scale, x: x - (x - view.x) * by, y: y - (y - view.y) * by };
}

/** Fit a box as large as possible, but at least at scale `least`, showing its left edge and middle. */
export function fit(box: Box, width: number, height: number, least = 0.45, margin = 12): View {
  const whole = Math.min((width - 2 * margin) / box.width, (height - 2 * margin) / box.height);
  const scale = Math.min(1.15, Math.max(least, whole));
  const spare = width - 2 * margin - box.width * scale;
  const x = margin + Math.max(0, Math.min(spare / 2, 40)) - box.x * scale;
  return { scale, x, y: height / 2 - (box.y + box.height / 2) * scale };
}

/** Move as little as needed to show a box. */
export function reveal(view: View, box: Box, width: number, height: number, margin = 16): View {
  const left = box.x * view.scale + view.x;
  const top = box.y * view.scale + view.y;
  return pan(view, shift(left, box.width * view.scale, width, margin), shift(top, box.height * view.scale, height, margin));
}

function shift(start: number, length: number, room: number, margin: number): number {
  if (start < margin || length > room - 2 * margin) return margin - start;
  const over = start + length - (room - margin);
  return over > 0 ? -over : 0;
}

/** Keep a box in view: all of it if there is room, else with at most a margin of empty space beside it. */
export function hold(view: View, box: Box, width: number, height: number, margin = 24): View {
  const held = (offset: number, start: number, length: number, room: number) => {
    const [first, last] = [margin - start * view.scale, room - margin - (start + length) * view.scale];
    return Math.min(Math.max(first, last), Math.max(Math.min(first, last), offset));
  };
  return { scale: view.scale, x: held(view.x, box.x, box.width, width), y: held(view.y, box.y, box.height, height) };
}
