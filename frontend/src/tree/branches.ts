/**
 * The open branches of the tree, and the number of children shown for each.
 *
 * A branch is named by its path of actions from the position searched. All branches above an
 * open branch are open.
 */
import type { Action } from "../lib/actions";
import type { Branch, TreeNode } from "../protocol";

export type Path = readonly Action[];
export type OpenBranches = ReadonlyMap<string, Branch>;

export const FIRST = 4;
export const STEP = 8;
/** Children that are shown of each child of the root, until somebody opens or closes a branch. */
const SECOND = 2;
const MOST_BRANCHES = 400;
const MOST_CHILDREN = 500;

export function keyOf(path: Path): string {
  return path.join("/");
}

function startsWith(path: Path, prefix: Path): boolean {
  return prefix.length <= path.length && prefix.every((action, i) => path[i] === action);
}

/** The root with its best few children; nodes : the tree as shown so far, whose best children are open, too. */
export function atRoot(nodes: readonly TreeNode[] = []): OpenBranches {
  const best = nodes.filter((node) => node.parent === 0).slice(0, FIRST);
  const second = best.filter((node) => node.num_children > 0).map(({ path }) => ({ path, top: SECOND }));
  return new Map([{ path: [], top: FIRST }, ...second].map((branch) => [keyOf(branch.path), branch]));
}

/** Open a branch and those above it; has no effect if too many are open. */
export function open(branches: OpenBranches, path: Path, top = FIRST): OpenBranches {
  const opened = new Map(branches);
  for (let depth = 0; depth <= path.length; depth++) {
    const part = path.slice(0, depth);
    if (!opened.has(keyOf(part))) opened.set(keyOf(part), { path: part, top: depth === path.length ? top : FIRST });
  }
  return opened.size > MOST_BRANCHES ? branches : opened;
}

/** Close a branch and all below it. */
export function close(branches: OpenBranches, path: Path): OpenBranches {
  return new Map([...branches].filter(([, branch]) => !startsWith(branch.path, path)));
}

export function toggle(branches: OpenBranches, path: Path): OpenBranches {
  return branches.has(keyOf(path)) ? close(branches, path) : open(branches, path);
}

/** Show more children of an open branch. */
export function showMore(branches: OpenBranches, path: Path): OpenBranches {
  const branch = branches.get(keyOf(path));
  if (!branch) return open(branches, path, FIRST + STEP);
  return new Map(branches).set(keyOf(path), { path: branch.path, top: Math.min((branch.top ?? FIRST) + STEP, MOST_CHILDREN) });
}

/**
 * The branches that stay open when the position changes.
 *
 * before, after : moves from the start of the game. If the game continued, branches below
 * the new position stay open; if moves were undone, the branches hang below them; otherwise all but the root
 * are closed.
 */
export function moved(branches: OpenBranches, before: Path, after: Path): OpenBranches {
  if (startsWith(after, before)) {
    const played = after.slice(before.length);
    const kept = [...branches.values()].filter((branch) => startsWith(branch.path, played));
    return within(kept.map(({ path, top }) => ({ path: path.slice(played.length), top })));
  }
  if (startsWith(before, after)) {
    const undone = before.slice(after.length);
    return within([...branches.values()].map(({ path, top }) => ({ path: [...undone, ...path], top })));
  }
  return atRoot();
}

function within(kept: Branch[]): OpenBranches {
  let branches = atRoot();
  for (const branch of kept.sort((a, b) => a.path.length - b.path.length)) {
    const root = branch.path.length === 0;
    branches = root ? new Map([["", branch]]) : open(branches, branch.path, branch.top);
  }
  return branches;
}
