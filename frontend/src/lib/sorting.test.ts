import { expect, test } from "vitest";
import type { ChildTold } from "../protocol";
import { ariaSort, pressed, sorted } from "./sorting";

const row = (text: string, part: Partial<ChildTold> = {}) => ({ text, visits: 0, value: null, proven: null, ...part }) as ChildTold;
const names = (rows: ChildTold[]) => rows.map((r) => r.text).join(" ");

test("visits are sorted both ways", () => {
  const rows = [row("a", { visits: 2 }), row("b", { visits: 9 }), row("c", { visits: 5 })];
  expect(names(sorted(rows, { column: "visits", descending: true }))).toBe("b c a");
  expect(names(sorted(rows, { column: "visits", descending: false }))).toBe("a c b");
  expect(names(rows)).toBe("a b c");
});

test("rows without a value come last either way", () => {
  const rows = [row("none"), row("bad", { value: -1 }), row("good", { value: 1 })];
  expect(names(sorted(rows, { column: "value", descending: true }))).toBe("good bad none");
  expect(names(sorted(rows, { column: "value", descending: false }))).toBe("bad good none");
});

test("equal rows stay best first, whichever way", () => {
  const rows = [row("a", { visits: 1 }), row("b", { visits: 1 }), row("c", { visits: 1 })];
  for (const descending of [true, false]) expect(names(sorted(rows, { column: "visits", descending }))).toBe("a b c");
});

test("moves with numbers are sorted by them", () => {
  const rows = [row("a10"), row("a2"), row("b1")];
  expect(names(sorted(rows, { column: "text", descending: false }))).toBe("a2 a10 b1");
});

test("quick wins come before slow ones, slow losses before quick ones", () => {
  const proof = (proven: number, moves_to_end: number) => ({ proven, moves_to_end });
  const rows = [row("l2", proof(-1, 2)), row("w5", proof(1, 5)), row("open"), row("l8", proof(-1, 8)), row("w1", proof(1, 1))];
  expect(names(sorted(rows, { column: "proven", descending: true }))).toBe("w1 w5 l8 l2 open");
});

test("the order of the search is kept, or turned around", () => {
  const rows = [row("a"), row("b")];
  expect(names(sorted(rows, { column: "order", descending: false }))).toBe("a b");
  expect(names(sorted(rows, { column: "order", descending: true }))).toBe("b a");
});

test("a press sorts numbers from the greatest, texts from a, and turns around the second time", () => {
  const first = pressed({ column: "order", descending: false }, "visits");
  expect(first).toEqual({ column: "visits", descending: true });
  expect(pressed(first, "visits")).toEqual({ column: "visits", descending: false });
  expect(pressed(first, "text")).toEqual({ column: "text", descending: false });
  const heads = ["visits", "text"].map((column) => ariaSort(first, column));
  expect(heads).toEqual(["descending", "none"]);
});
