/**
 * The position of a walk through simulations, and the tree at that position.
 *
 * A place counts phases: 0 is before the first, 4 after the first simulation; within a phase a beat counts
 * the parts shown: choices on the path, moves of a playout, updates.
 */
import { PHASES, choicesOf, type Bounds, type Move, type Phase, type Simulation } from "./simulation";

export interface KnownNode {
  node: number;
  parent: number;
  move: Move | null;
  visits: number;
  value: number | null;
  bounds: Bounds;
  children: number[];
  terminal: boolean;
}

export type KnownTree = ReadonlyMap<number, KnownNode>;

export interface Moment {
  simulation: Simulation;
  /** Index of the simulation among those fetched. */
  index: number;
  phase: Phase;
}

/** The phase that ends at a place, null before the first. */
export function momentAt(simulations: readonly Simulation[], place: number): Moment | null {
  const index = Math.floor((place - 1) / PHASES.length);
  const simulation = simulations[index];
  const phase = PHASES[(place - 1) % PHASES.length];
  return simulation && phase ? { simulation, index, phase } : null;
}

export function lastPlace(simulations: readonly Simulation[]): number {
  return simulations.length * PHASES.length;
}

/** The phase that comes after a place. */
export function nextPhase(place: number): Phase {
  return PHASES[place % PHASES.length]!;
}

/** The end of the simulation that a place is in, or that starts there. */
export function endOfSimulation(place: number): number {
  return (Math.floor(place / PHASES.length) + 1) * PHASES.length;
}

/** The number of beats in a phase, besides its start. */
export function beatsOf(moment: Moment | null): number {
  if (!moment) return 0;
  const { simulation, phase } = moment;
  switch (phase) {
    case "selection":
      return simulation.selection.choices.length;
    case "expansion":
      return simulation.expansion.choice ? 1 : 0;
    case "playout":
      return simulation.playout.games[0]?.moves.length ?? 0;
    case "backup":
      return simulation.backup.updates.length;
  }
}

/** Nodes from the root as far as a phase has gone at a beat. */
export function pathAt(moment: Moment | null, beat: number): number[] {
  if (!moment) return [0];
  const { simulation, phase } = moment;
  const nodes = [0, ...choicesOf(simulation).map((choice) => choice.siblings[choice.chosen]!.node)];
  if (phase === "selection") return nodes.slice(0, Math.min(beat, simulation.selection.choices.length) + 1);
  if (phase === "expansion") return nodes.slice(0, simulation.selection.choices.length + 1 + (beat > 0 ? 1 : 0));
  return nodes;
}

function start(returns: Bounds): Map<number, KnownNode> {
  const root = { node: 0, parent: -1, move: null, visits: 0, value: null, bounds: returns, children: [], terminal: false };
  return new Map([[0, root]]);
}

function grow(tree: Map<number, KnownNode>, { selection, expansion, pictures }: Simulation, returns: Bounds): void {
  const open = pictures !== undefined;
  const leaf = tree.get(selection.leaf);
  if (!leaf) throw new Error(`simulation grows from node ${selection.leaf}, which no simulation added`);
  // In an open loop the game may go on from there another time.
  if (expansion.without === "game over" && !open) tree.set(leaf.node, { ...leaf, terminal: true });
  if (expansion.children.length) {
    tree.set(leaf.node, { ...leaf, children: [...leaf.children, ...expansion.children.map((child) => child.node)] });
    for (const { node, move, settled } of expansion.children) {
      const bounds: Bounds = settled === null ? returns : [settled, settled];
      tree.set(node, { node, parent: leaf.node, move, visits: 0, value: null, bounds, children: [], terminal: settled !== null });
    }
  }
  for (const proof of expansion.proofs) {
    const known = tree.get(proof.node);
    if (known) tree.set(proof.node, { ...known, bounds: proof.after });
  }
}

function backUp(tree: Map<number, KnownNode>, { backup }: Simulation, count: number): void {
  for (const update of backup.updates.slice(0, count)) {
    const known = tree.get(update.node);
    if (!known) continue;
    tree.set(update.node, { ...known, visits: update.visits_after, value: update.value_after, bounds: update.bounds_after });
  }
}

/** The trees after the simulations, kept so that any place of the walk is available at once. */
export class Growth {
  #after: Map<number, KnownNode>[];
  constructor(readonly returns: Bounds) {
    this.#after = [start(returns)];
  }

  /** The tree after `count` simulations. */
  after(simulations: readonly Simulation[], count: number): KnownTree {
    for (let done = this.#after.length - 1; done < count; done++) {
      const tree = new Map(this.#after[done]);
      grow(tree, simulations[done]!, this.returns);
      backUp(tree, simulations[done]!, Infinity);
      this.#after.push(tree);
    }
    return this.#after[count]!;
  }

  /** The tree at a moment of the walk: without new children until expansion, with updates up to the beat. */
  at(simulations: readonly Simulation[], moment: Moment | null, beat: number): KnownTree {
    if (!moment) return this.after(simulations, 0);
    const before = this.after(simulations, moment.index);
    if (moment.phase === "selection") return before;
    const tree = new Map(before);
    grow(tree, moment.simulation, this.returns);
    if (moment.phase === "backup") backUp(tree, moment.simulation, beat);
    return tree;
  }
}
