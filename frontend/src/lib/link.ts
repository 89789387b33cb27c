/** Links that restore a position, and names of variants: `connect_four(rows=5,columns=5)`. */
import type { Action } from "./actions";

export interface Link {
  game: string;
  moves: Action[];
}

/**
 * Read `?game=nim&moves=1,2`; null if it names no game. Whole numbers are action numbers. Continuous actions
 * have blanks between them: `?game=peak&vectors=0.5,1.0+0.25,2.0`.
 */
export function parseLink(query: string): Link | null {
  const fields = new URLSearchParams(query);
  const game = fields.get("game")?.trim();
  if (!game) return null;
  if (fields.has("vectors")) return { game, moves: vectorWords(fields.get("vectors")!) };
  return { game, moves: moveWords(fields.get("moves") ?? "").map((m) => (/^\d{1,9}$/.test(m) ? Number(m) : m)) };
}

/** The moves in a text such as "d1 d2, c1", with or without "1." before them. */
export function moveWords(text: string): string[] {
  return text
    .replace(/(^|\s)\d+\.+(?=\s|$)/g, " ")
    .split(/[\s,;]+/)
    .filter(Boolean);
}

/** The continuous actions in a text such as "0.5,1.0 0.25,2.0"; a blank after a comma does not end one. */
export function vectorWords(text: string): string[] {
  return text
    .replace(/\s*,\s*/g, ",")
    .split(/[\s;]+/)
    .filter(Boolean);
}

/** The base game of a variant: the name before its options. */
export function baseName(name: string): string {
  const at = name.endsWith(")") ? name.indexOf("(") : -1;
  return at > 0 ? name.slice(0, at) : name;
}

/** Name the variant of `base` with `values`; values equal to `defaults` are left out. */
export function variantName(base: string, defaults: Record<string, unknown>, values: Record<string, unknown>): string {
  const changed = Object.keys(defaults).filter((key) => key in values && written(values[key]) !== written(defaults[key]));
  if (changed.length === 0) return base;
  return `${base}(${changed.map((key) => `${key}=${written(values[key])}`).join(",")})`;
}

/** A value as written in the name of a variant: a Python literal. */
export function written(v: unknown): string {
  if (typeof v === "boolean") return v ? "True" : "False";
  if (Array.isArray(v)) return v.length === 1 ? `(${written(v[0])},)` : `(${v.map(written).join(",")})`;
  return typeof v === "string" ? JSON.stringify(v) : String(v);
}

/** The value of an option that is a list of numbers, or a table of them, as text: "3, 4, 5", "1, -1; -1, 1". */
export function listText(value: unknown[]): string {
  return value.map((item) => (Array.isArray(item) ? item.join(", ") : String(item))).join(isTable(value) ? "; " : ", ");
}

/** The list or the table in such a text; null if there is anything else. standard : the value by default, of
 * the same kind; an empty one may stand for either. */
export function listIn(text: string, standard: unknown[]): number[] | number[][] | null {
  if (text.trim() === "") return standard.length === 0 ? [] : null;
  if (!isTable(standard) && !(standard.length === 0 && text.includes(";"))) return numbersIn(text);
  const rows = text.split(";").map(numbersIn);
  return rows.some((row) => row === null) ? null : (rows as number[][]);
}

function isTable(value: unknown[]): boolean {
  return value.some(Array.isArray);
}

/** Numbers in a text such as "3, 4, 5"; null if there is anything else. */
export function numbersIn(text: string): number[] | null {
  const words = text.split(/[\s,;]+/).filter(Boolean);
  const numbers = words.map(Number);
  return words.length > 0 && numbers.every(Number.isFinite) ? numbers : null;
}
