/** A child's score as the selection rule makes it up, and how it is drawn as a bar. */

export interface ScoreTerm {
  action: number;
  text: string;
  visits: number;
  value: number | null;
  exploration: number | null;
  score: number | null;
  prior: number | null;
  proven: number | null;
}

export type Column = "text" | "visits" | "value" | "exploration" | "score" | "prior";

/** Sorted by a column; what has no number there comes last, equals stay in their order. */
export function sorted<T extends ScoreTerm>(terms: readonly T[], by: Column, descending: boolean): T[] {
  const sign = descending ? -1 : 1;
  return [...terms].sort((a, b) => {
    const [left, right] = [a[by], b[by]];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    if (typeof left === "string" || typeof right === "string") {
      return sign * String(left).localeCompare(String(right), "en", { numeric: true });
    }
    return sign * (left - right);
  });
}

export interface Bar {
  /** From where to where the value's part goes, and the score's end; shares of the width. */
  value: number;
  score: number;
}

/** The least return, where bars begin, and the greatest score or return, where they end at most. */
export function rangeOf(terms: readonly Pick<ScoreTerm, "value" | "score">[], least: number, greatest: number): [number, number] {
  const seen = terms.flatMap((term) => [term.score ?? term.value ?? least, term.value ?? least]);
  return [Math.min(least, ...seen), Math.max(greatest, ...seen)];
}

/** The bar of a score: as far as its value, then on by its exploration. Without either part null. */
export function barOf(term: Pick<ScoreTerm, "value" | "exploration" | "score">, [low, high]: [number, number]): Bar | null {
  const end = term.score ?? term.value;
  if (end === null) return null;
  const share = (x: number) => Math.min(1, Math.max(0, (x - low) / (high - low || 1)));
  const value = term.exploration === null ? end : (term.value ?? end - term.exploration);
  return { value: share(Math.min(value, end)), score: share(end) };
}
