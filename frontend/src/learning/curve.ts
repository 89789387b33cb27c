/** The curve of a training: its graphs and its numbers in words. */
import type { Line } from "../board/graph";
import { percent, plain, signed } from "../lib/numbers";
import type { GameInfo, LearningPoint } from "../protocol";

export interface Graph {
  title: string;
  lines: Line[];
  low: number;
  high: number;
  words: (value: number) => string;
}

const [FIRST, SECOND] = ["var(--good)", "var(--bad)"];
const LEAST_ELO = 50;

/** Whether networks can learn a game. */
export function learns(game: GameInfo): boolean {
  return game.num_players === 2 && !(game.hides || game.joint || game.has_chance || game.simulates || game.dimensions > 0);
}

/** "+132 [−29, +294]", or only a bound if every game was won or lost. */
export function leadWords([value, low, high]: readonly (number | null)[]): string {
  const whole = (elo: number) => signed(Math.round(elo));
  if (value == null) return low == null ? (high == null ? "–" : `below ${whole(high)}`) : `above ${whole(low)}`;
  return `${whole(value)} [${low == null ? "−∞" : whole(low)}, ${high == null ? "+∞" : whole(high)}]`;
}

/** The last lead that was measured. */
export function lastLead(points: readonly LearningPoint[]): string {
  return leadWords(points.findLast((point) => point.lead)?.lead ?? []);
}

/** Strength, errors and losses, over percent of the training's time. */
export function graphsOf(points: readonly LearningPoint[]): Graph[] {
  const last = points.at(-1);
  const at = (point: LearningPoint) => (last ? (100 * last.share * point.seconds) / (last.seconds || 1) : 0);
  const line = (value: (point: LearningPoint) => number, dashed: boolean): Line => ({
    colour: dashed ? SECOND : FIRST,
    points: points.map((point) => [at(point), value(point)]),
    dashed,
  });
  const upTo = (title: string, lines: Line[], words: (value: number) => string): Graph => {
    return { title, lines, words, low: 0, high: Math.max(...lines.flatMap((one) => one.points.map(([, value]) => value)), 0.01) };
  };
  return [
    strength(points, at),
    upTo("Wrong where solved: the first move; dashed: the value’s sign", [line((p) => p.policy_error, false), line((p) => p.value_error, true)], percent),
    upTo("Losses: of the policy; dashed: of the value", [line((p) => p.policy_loss, false), line((p) => p.value_loss, true)], (value) => plain(value, 2)),
  ];
}

function strength(points: readonly LearningPoint[], at: (point: LearningPoint) => number): Graph {
  const known = points.flatMap((point) => (point.lead ? [{ at: at(point), lead: point.lead }] : []));
  const edge = 1.1 * Math.max(LEAST_ELO, ...known.flatMap(({ lead }) => lead.map((end) => Math.abs(end ?? 0))));
  const line: Line = {
    colour: FIRST,
    points: known.map(({ at, lead: [value, low] }) => [at, value ?? (low == null ? -edge : edge)]),
    spans: known.map(({ at, lead: [, low, high] }) => [at, low ?? -edge, high ?? edge]),
  };
  const words = (value: number) => signed(Math.round(value));
  return { title: "Elo against playouts at equal simulations, with 95 % intervals", lines: [line], low: -edge, high: edge, words };
}
