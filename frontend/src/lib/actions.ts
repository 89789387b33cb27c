/** Actions: a number, or the numbers of a continuous action as one word, "0.25,-1.0". */

export type Action = number | string;

/** The numbers of a continuous action; null if the text has anything else. */
export function numbersOf(action: Action): number[] | null {
  const parts = String(action).split(",");
  const numbers = parts.map((part) => (part.trim() === "" ? NaN : Number(part)));
  return numbers.every(Number.isFinite) ? numbers : null;
}

/** The order of two moves' texts: numbers by size, one after the other, other texts by the alphabet. */
export function compareTexts(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  if (left === null || right === null || left.length !== right.length) return a.localeCompare(b, "en", { numeric: true });
  const place = left.findIndex((number, i) => number !== right[i]);
  return place < 0 ? 0 : left[place]! - right[place]!;
}

/** A number that a slider from `low` to `high` stands at, as text with only as many digits as it can show. */
export function snapped(number: number, low: number, high: number, whole = false): string {
  if (whole) return String(Math.min(Math.max(Math.round(number), low), high));
  if (number <= low) return String(low);
  if (number >= high) return String(high);
  const digits = Math.max(0, Math.min(15, 3 - Math.ceil(Math.log10(high - low))));
  const rounded = Number(number.toFixed(digits));
  return String(Math.min(Math.max(rounded, low), high));
}

/** A number as near to `number` as the bounds allow; the text of one inside them stays as it is. */
export function within(text: string, low: number, high: number, whole = false): string {
  const number = text.trim() === "" ? NaN : Number(text);
  if (Number.isNaN(number)) return snapped((low + high) / 2, low, high, whole);
  if (whole && !Number.isInteger(number)) return snapped(number, low, high, whole);
  return number < low ? String(low) : number > high ? String(high) : text;
}
