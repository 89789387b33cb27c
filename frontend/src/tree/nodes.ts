/** The nodes of a tree as they are drawn: named, measured, coloured. */
import type { Action } from "../lib/actions";
import type { TreeNode } from "../protocol";
import { sumOfTwo } from "../board/graph";
import { keyOf } from "./branches";
import type { Item } from "./layout";
import { fixed, grouped, percent, short, signed } from "../lib/numbers";
import { CHANCE, playerCapital, playerName, type Players } from "../lib/players";

/** The player whose values are shown: each node's mover, or the player to move at the root. */
export type Whose = "mover" | "root";

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

/**
 * A node's value for the chosen player; null if it is unknown.
* root : the player to move there.   mirrored : one player's value follows from the other's.
 */
export function valueFor(node: Pick<TreeNode, "value" | "mover">, whose: Whose, root: number | null, mirrored: boolean, game: Players): number | null {
  if (node.value === null || node.mover === null) return node.value;
  if (whose === "mover" || root === null || node.mover === root) return node.value;
  return mirrored ? sumOfTwo(game) - node.value : null;
}

/** The text beside a node: its visits and its value. */
export function figures(node: TreeNode, value: number | null): string {
  const parts = [short(node.visits)];
  if (node.proven !== null) parts.push("proven");
  if (value !== null) parts.push(fixed(value, 2));
  return parts.join(" · ");
}

/** A node in words, for screen readers; byChance : an outcome of chance led to it. */
export function spoken(node: TreeNode, game: Players, byChance = false): string {
  const whose = node.mover ?? node.player;
  const parts = [node.mover === null ? "root" : `${playerCapital(game, byChance ? CHANCE : node.mover)} ${node.text}`];
  parts.push(`${grouped(node.visits)} visits, ${percent(node.share)}`);
  if (node.proven !== null) parts.push(`proven ${signed(node.proven)}`);
  else if (node.value !== null && whose !== null) parts.push(`value ${signed(node.value)} for ${playerName(game, whose)}`);
  if (node.terminal) parts.push("the game is over");
  if (node.on_line) parts.push("on the principal variation");
  return parts.join(", ");
}
