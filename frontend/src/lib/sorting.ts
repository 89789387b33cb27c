/** The order of the rows of a table. */
import { compareTexts } from "./actions";

export interface Sorting {
  column: string;
  descending: boolean;
}

/** Rows sorted by a column; rows without a value come last in both directions, equal ones stay as they were: best first. */
export function sorted<Row extends object>(rows: readonly Row[], { column, descending }: Sorting): Row[] {
  if (column === "order") return descending ? [...rows].reverse() : [...rows];
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [left, right] = [keyOf(a, column), keyOf(b, column)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    if (typeof left === "string" || typeof right === "string") return sign * compareTexts(String(left), String(right));
    return sign * (left - right);
  });
}

/** The order after a click on a column's head: numbers start with the largest, texts with a. */
export function pressed(now: Sorting, column: string): Sorting {
  if (now.column === column) return { column, descending: !now.descending };
  return { column, descending: column !== "text" && column !== "order" };
}

export function ariaSort(now: Sorting, column: string): "ascending" | "descending" | "none" {
  return now.column !== column ? "none" : now.descending ? "descending" : "ascending";
}

function keyOf(row: object, column: string): string | number | null {
  const { [column]: value = null, moves_to_end } = row as Record<string, string | number | null>;
  // A quick win is better than a slow one, a slow loss better than a quick one.
  return column === "proven" && typeof value === "number" ? value - Math.sign(value) * Number(moves_to_end ?? 0) * 1e-4 : value;
}
