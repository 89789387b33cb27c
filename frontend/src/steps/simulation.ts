/** One simulation as the server sends it; the docstrings of `branchwise.simulation` describe the fields. */

export type Bounds = [number, number];
export type Fate = "chosen" | "lower" | "untried" | "solved" | "beaten" | "left out" | "not drawn";
export type Because = "score" | "untried" | "proven" | "again" | "chance";

export interface Move {
  player: number;
  action: number;
  text: string;
}

export interface Sibling {
  node: number;
  move: Move;
  visits: number;
  value: number | null;
  exploration: number | null;
  score: number | null;
  prior: number | null;
  other: Record<string, number>;
  bounds: Bounds;
  fate: Fate;
  /** Of an outcome of chance. */
  probability?: number | null;
}

export interface Choice {
  node: number;
  line: string[];
  player: number;
  visits: number;
  siblings: Sibling[];
  chosen: number;
  because: Because;
  /** The player whose values the siblings have. */
  credited?: number;
}

export interface NewChild {
  node: number;
  move: Move;
  prior: number | null;
  settled: number | null;
  probability?: number | null;
}

export interface Proof {
  node: number;
  line: string[];
  player: number;
  before: Bounds;
  after: Bounds;
}

export interface Expansion {
  children: NewChild[];
  without: "" | "first visit" | "game over" | "depth" | "memory";
  choice: Choice | null;
  proofs: Proof[];
  node: number;
  line: string[];
  board: string;
}

export interface PlayedGame {
  moves: Move[];
  returns: number[];
  cut_off: boolean;
  board: string;
}

export interface Update {
  node: number;
  line: string[];
  player: number | null;
  returned: number | null;
  visits_before: number;
  visits_after: number;
  value_before: number | null;
  value_after: number | null;
  bounds_before: Bounds;
  bounds_after: Bounds;
  by_chance?: boolean;
}

export interface Simulation {
  number: number;
  selection: { choices: Choice[]; leaf: number; line: string[]; visits: number; board: string };
  expansion: Expansion;
  playout: { games: PlayedGame[]; returns: number[] };
  backup: { updates: Update[] };
}

export const PHASES = ["selection", "expansion", "playout", "backup"] as const;
export type Phase = (typeof PHASES)[number];

export function chosenOf(choice: Choice): Sibling {
  const sibling = choice.siblings[choice.chosen];
  if (!sibling) throw new Error(`a choice among ${choice.siblings.length} children names child ${choice.chosen}`);
  return sibling;
}

/** Every choice on the path, including the one among new children. */
export function choicesOf(simulation: Simulation): Choice[] {
  const { choice } = simulation.expansion;
  return choice ? [...simulation.selection.choices, choice] : simulation.selection.choices;
}

/** Moves from the root to the node where the playout starts. */
export function movesTo(simulation: Simulation): Move[] {
  return choicesOf(simulation).map((choice) => chosenOf(choice).move);
}

/** Moves of the choices only: from the root to the leaf. */
export function movesToLeaf(simulation: Simulation): Move[] {
  return simulation.selection.choices.map((choice) => chosenOf(choice).move);
}
