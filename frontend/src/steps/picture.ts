/** The drawn part of a growing tree: the path, and the other nodes with the most visits. */
import { CHANCE } from "../lib/players";
import { isSettled as haveMet } from "../lib/values";
import type { Item } from "../tree/layout";
import type { KnownNode, KnownTree } from "./walk";

export interface StepNode extends Item {
  kind: "node";
  known: KnownNode;
  onPath: boolean;
  fresh: boolean;
  share: number;
}

export interface StepRest extends Item {
  kind: "rest";
  count: number;
  /** Whether these are outcomes of chance. */
  byChance: boolean;
}

export type StepItem = StepNode | StepRest;

const MOST_SIBLINGS = 9;
const MOST_NODES = 90;

/** Nodes in the order of drawing, parents first. path, fresh : highlighted nodes, always drawn. */
export function pictureOf(tree: KnownTree, path: readonly number[], fresh: ReadonlySet<number>): StepItem[] {
  const onPath = new Set(path);
  let items: StepItem[] = [];
  for (let siblings = MOST_SIBLINGS; siblings >= 0; siblings--) {
    items = withSiblings(tree, onPath, fresh, siblings);
    if (items.length <= MOST_NODES) break;
  }
  return items;
}

function withSiblings(tree: KnownTree, onPath: ReadonlySet<number>, fresh: ReadonlySet<number>, most: number): StepItem[] {
  const items: StepItem[] = [];
  const waiting = [0];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const known = tree.get(node);
    if (!known) continue;
    const parent = tree.get(known.parent);
    const share = parent ? known.visits / Math.max(1, parent.visits) : 1;
    items.push({ kind: "node", key: String(node), parent: parent ? String(parent.node) : null, known, onPath: onPath.has(node), fresh: fresh.has(node), share });
    const shown = chooseChildren(tree, known, onPath, fresh, most);
    waiting.push(...[...shown].reverse());
    const rest = known.children.length - shown.length;
    if (rest > 0) items.push({ kind: "rest", key: `${node}+`, parent: String(node), count: rest, byChance: tree.get(known.children[0]!)?.move?.player === CHANCE });
  }
  // d3 keeps siblings in the order of the list: the item for the rest comes last.
  return [...items.filter((item) => item.kind === "node"), ...items.filter((item) => item.kind === "rest")];
}

function chooseChildren(tree: KnownTree, known: KnownNode, onPath: ReadonlySet<number>, fresh: ReadonlySet<number>, most: number): number[] {
  const needed = known.children.filter((node) => onPath.has(node));
  const merit = (node: number) => (tree.get(node)?.visits ?? 0) + (fresh.has(node) ? 0.5 : 0);
  const others = known.children
    .filter((node) => !onPath.has(node) && (merit(node) > 0 || isSettled(tree.get(node))))
    .sort((a, b) => merit(b) - merit(a))
    .slice(0, Math.max(0, most - needed.length));
  const shown = new Set([...needed, ...others]);
  return known.children.filter((node) => shown.has(node));
}

function isSettled(known: KnownNode | undefined): boolean {
  return known !== undefined && haveMet(known.bounds);
}
