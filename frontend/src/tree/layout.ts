/** Positions of the nodes: a tidy tree that grows to the right, with one row for each leaf. */
import { hierarchy, tree } from "d3-hierarchy";
import type { Box } from "../lib/geometry";

export interface Item {
  key: string;
  /** Key of the node above, null at the root. */
  parent: string | null;
}

export interface Placed<T extends Item> {
  item: T;
  /** Middle of the node's left edge. */
  x: number;
  y: number;
  depth: number;
  children: Placed<T>[];
  above: Placed<T> | null;
}

/** The width that nodes need for their texts, with `each` as the width of a character, and parts of a fixed width. */
export function widthFor(texts: readonly string[], each: number, fixed: number, least: number): number {
  const longest = texts.reduce((most, text) => Math.max(most, text.length), 0);
  return Math.max(least, Math.min(fixed + each * longest, 3 * least));
}

/** A text, shortened to the given number of characters. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

export interface Size {
  width: number;
  height: number;
  column: number;
  row: number;
}

/** Place items, parents first; the order of reading is a node, then the nodes below it. */
export function place<T extends Item>(items: readonly T[], size: Size): Placed<T>[] {
  const first = items[0];
  if (!first) return [];
  const below = new Map<string, T[]>();
  for (const item of items) {
    if (item.parent === null) continue;
    const siblings = below.get(item.parent);
    if (siblings) siblings.push(item);
    else below.set(item.parent, [item]);
  }
  const laid = tree<T>()
    .nodeSize([size.row, size.column])
    .separation(() => 1)(hierarchy(first, (item) => below.get(item.key)));
  const placed = new Map<string, Placed<T>>();
  const order: Placed<T>[] = [];
  laid.eachBefore((node) => {
    const above = node.parent ? (placed.get(node.parent.data.key) ?? null) : null;
    const here: Placed<T> = { item: node.data, x: node.y, y: node.x, depth: node.depth, children: [], above };
    placed.set(node.data.key, here);
    above?.children.push(here);
    order.push(here);
  });
  return order;
}

/** The box that holds all nodes. */
export function boundsOf(placed: readonly Placed<Item>[], size: Size): Box {
  if (!placed.length) return { x: 0, y: 0, width: 1, height: 1 };
  const xs = placed.map((node) => node.x);
  const ys = placed.map((node) => node.y);
  const [left, right] = [Math.min(...xs), Math.max(...xs) + size.width];
  const [top, bottom] = [Math.min(...ys) - size.height / 2, Math.max(...ys) + size.height / 2];
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The line from a node's right edge to the left edge of one below it. */
export function link(from: { x: number; y: number }, to: { x: number; y: number }, width: number): string {
  const start = from.x + width;
  const middle = (start + to.x) / 2;
  return `M${round(start)} ${round(from.y)}C${round(middle)} ${round(from.y)} ${round(middle)} ${round(to.y)} ${round(to.x)} ${round(to.y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
