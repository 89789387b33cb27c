/** The terms of a child's score, and the bar that shows them. */
import type { Term } from "../protocol";

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
export function rangeOf(terms: readonly Pick<Term, "value" | "score">[], least: number, greatest: number): [number, number] {
  const seen = terms.flatMap((term) => [term.score ?? term.value ?? least, term.value ?? least]);
  return [Math.min(least, ...seen), Math.max(greatest, ...seen)];
}

/** The bar of a score: its value, then its exploration. Null if a part is missing. */
export function barOf(term: Pick<Term, "value" | "exploration" | "score">, [low, high]: [number, number]): Bar | null {
  const end = term.score ?? term.value;
  if (end === null) return null;
  const share = (x: number) => Math.min(1, Math.max(0, (x - low) / (high - low || 1)));
  const value = term.exploration === null ? end : (term.value ?? end - term.exploration);
  return { value: share(Math.min(value, end)), score: share(end) };
}
