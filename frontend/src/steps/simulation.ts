/** One simulation as the server sends it; the docstrings of `branchwise.pictures.simulation_report` describe the fields. */
import type { Action } from "../lib/actions";

/** null: there is no such bound. */
export type Bounds = [number | null, number | null];
export type Fate = "chosen" | "lower" | "untried" | "solved" | "beaten" | "left out" | "not drawn" | "not legal";
export type Because = "score" | "untried" | "proven" | "again" | "chance";

export interface Move {
  player: number;
  action: Action;
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
  /** In an open loop: simulations in which it could have been chosen. */
  available?: number | null;
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
  /** Returns that count as 0 and 1 in scores, where these are on the scale of the returns seen. */
  spread?: [number, number] | null;
  /** The state this time, in an open loop. */
  board?: string | null;
  /** Outcomes that chance brought after the choice, in an open loop. */
  drawn?: Move[];
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
  without: "" | "first visit" | "game over" | "horizon" | "depth" | "memory";
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
  /** Of each move, one a player, where rewards are paid on the way. */
  rewards?: number[][];
  at_horizon?: boolean;
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
  /** Where rewards are paid on the way, what is returned is reward + factor * rest. */
  reward?: number | null;
  rest?: number | null;
  factor?: number;
}

export interface Simulation {
  number: number;
  selection: { choices: Choice[]; leaf: number; line: string[]; visits: number; board: string };
  expansion: Expansion;
  playout: { games: PlayedGame[]; returns: number[] };
  backup: { updates: Update[] };
  /** In an open loop: boards as SVG, since moves alone do not lead there again. */
  pictures?: { leaf: string | null; node: string | null; end: string | null };
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
