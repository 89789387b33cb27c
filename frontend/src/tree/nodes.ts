/** The nodes of a tree as they are drawn: named, measured, coloured. */
import type { Action } from "../lib/actions";
import type { TreeNode } from "../protocol";
import { keyOf } from "./branches";
import type { Item } from "./layout";
import { grouped, percent, short, signed } from "../lib/numbers";
import { CHANCE, playerCapital, type Players } from "../lib/players";
import { valueWords } from "../lib/values";

export interface DrawnNode extends Item {
  kind: "node";
  node: TreeNode;
  isOpen: boolean;
}

/** Represents the children of a node that are not shown. */
export interface DrawnMore extends Item {
  kind: "more";
  path: Action[];
  count: number;
}

export type Drawn = DrawnNode | DrawnMore;

export const RADIUS = 13;
const LEAST_RADIUS = 2.5;

/** Nodes, and items for those left out, in the order of reading. */
export function drawn(nodes: readonly TreeNode[], isOpen: (key: string) => boolean): Drawn[] {
  const items: Drawn[] = [];
  for (const node of nodes) {
    const parent = nodes[node.parent];
    const key = keyOf(node.path);
    items.push({ kind: "node", key, parent: parent ? keyOf(parent.path) : null, node, isOpen: isOpen(key) });
  }
  for (const node of nodes) {
    const key = keyOf(node.path);
    if (node.more > 0 && isOpen(key)) {
      items.push({ kind: "more", key: `${key}+`, parent: key, path: node.path, count: node.more });
    }
  }
  return items;
}

/** Radius of a node's disk: its area is the share of its parent's visits. */
export function radius(share: number): number {
  return Math.max(LEAST_RADIUS, RADIUS * Math.sqrt(Math.min(1, Math.max(0, share))));
}

/** The value of a node for the player who moved there, at the root for the player to move; "" if it is unknown. */
export function valueOf({ value, mover, player }: TreeNode, game: Players): string {
  const whose = mover ?? player;
  return value === null || whose === null ? "" : valueWords(value, game, whose);
}

/** The text beside a node: its visits and its value. */
export function figures(node: TreeNode, game: Players): string {
  return [short(node.visits), node.proven === null ? "" : "proven", valueOf(node, game)].filter(Boolean).join(" · ");
}

/** A node in words, for screen readers; byChance : an outcome of chance led to it. */
export function spoken(node: TreeNode, game: Players, byChance = false): string {
  const value = valueOf(node, game);
  const parts = [node.mover === null ? "root" : `${playerCapital(game, byChance ? CHANCE : node.mover)} ${node.text}`];
  parts.push(`${grouped(node.visits)} visits, ${percent(node.share)}`);
  if (node.proven !== null) parts.push(`proven ${signed(node.proven)}`);
  else if (value) parts.push(`value ${value}`);
  if (node.terminal) parts.push("the game is over");
  if (node.on_line) parts.push("on the principal variation");
  return parts.join(", ");
}
