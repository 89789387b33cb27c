/** The order of the rows of the search table. */
import type { ChildTold } from "../protocol";
import { compareTexts } from "./actions";

export type Column = "order" | "text" | "visits" | "value" | "lower" | "prior" | "proven";
export interface Sorting {
  column: Column;
  descending: boolean;
}

/** Rows sorted by a column; rows without a value come last in both directions, equal ones stay best first. */
export function sorted(rows: readonly ChildTold[], { column, descending }: Sorting): ChildTold[] {
  if (column === "order") return descending ? [...rows].reverse() : [...rows];
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [left, right] = [key(a, column), key(b, column)];
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
    if (typeof left === "string" || typeof right === "string") {
      return sign * compareTexts(String(left), String(right));
    }
    return sign * (left - right);
  });
}

/** The order after a click on a column's head: numbers start with the largest, texts with a. */
export function pressed(now: Sorting, column: Column): Sorting {
  if (now.column === column) return { column, descending: !now.descending };
  return { column, descending: column !== "text" && column !== "order" };
}

export function ariaSort(now: Sorting, column: Column): "ascending" | "descending" | "none" {
  return now.column !== column ? "none" : now.descending ? "descending" : "ascending";
}

function key(row: ChildTold, column: Exclude<Column, "order">): string | number | null {
  // A quick win is better than a slow one, a slow loss better than a quick one.
  if (column === "proven" && row.proven !== null) {
    return row.proven - Math.sign(row.proven) * (row.moves_to_end ?? 0) * 1e-4;
  }
  return row[column];
}
