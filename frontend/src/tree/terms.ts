/** The terms of a child's score, and the bar that shows them. */
import { compareTexts, type Action } from "../lib/actions";

export interface ScoreTerm {
  action: Action;
  text: string;
  visits: number;
  value: number | null;
  exploration: number | null;
  score: number | null;
  prior: number | null;
  proven: number | null;
  /** Of an outcome of chance. */
  probability?: number | null;
}

export type Column = "text" | "visits" | "value" | "exploration" | "score" | "prior" | "probability";

/** Sorted by a column; rows without a number come last, equal rows keep their order. */
export function sorted<T extends ScoreTerm>(terms: readonly T[], by: Column, descending: boolean): T[] {
  const sign = descending ? -1 : 1;
  return [...terms].sort((a, b) => {
    const [left, right] = [a[by] ?? null, b[by] ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    if (typeof left === "string" || typeof right === "string") {
      return sign * compareTexts(String(left), String(right));
    }
    return sign * (left - right);
  });
}

/** The mean of the outcomes' values by their probabilities; null if one of them is unknown. */
export function expectedValue(outcomes: readonly { probability?: number | null; value: number | null; proven: number | null }[]): number | null {
  let total = 0;
  for (const { probability, value, proven } of outcomes) {
    const known = proven ?? value;
    if (probability == null || known === null) return null;
    total += probability * known;
  }
  return total;
}

export interface Bar {
  /** Start and end of the value's part, and the end of the score, as shares of the width. */
  value: number;
  score: number;
}

/** The lowest return, where bars start, and the highest score or return, where they end at most. */
export function rangeOf(terms: readonly Pick<ScoreTerm, "value" | "score">[], least: number, greatest: number): [number, number] {
  const seen = terms.flatMap((term) => [term.score ?? term.value ?? least, term.value ?? least]);
  return [Math.min(least, ...seen), Math.max(greatest, ...seen)];
}

/** The bar of a score: its value, then its exploration. Null if a part is missing. */
export function barOf(term: Pick<ScoreTerm, "value" | "exploration" | "score">, [low, high]: [number, number]): Bar | null {
  const end = term.score ?? term.value;
  if (end === null) return null;
  const share = (x: number) => Math.min(1, Math.max(0, (x - low) / (high - low || 1)));
  const value = term.exploration === null ? end : (term.value ?? end - term.exploration);
  return { value: share(Math.min(value, end)), score: share(end) };
}
