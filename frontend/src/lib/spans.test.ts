import { expect, test } from "vitest";
import { noteValues, spanOf } from "./spans.svelte";
import { boundsText, gain, proven } from "./values";
import type { ChildTold } from "../protocol";

test("games with close bounds have these as their scale, whatever is seen", () => {
  const nim = { name: "nim", min_return: -1, max_return: 1, wide: false };
  noteValues(nim, [0.1, 0.2]);
  expect(spanOf(nim)).toEqual([-1, 1]);
});

test("others are shown on the scale of the values seen, which only grows", () => {
  const taxi = { name: "taxi", min_return: null, max_return: null, wide: true };
  expect(spanOf(taxi)).toEqual([-1, 1]);
  noteValues(taxi, [null, 3]);
  expect(spanOf(taxi)).toEqual([2, 4]);
  noteValues(taxi, [-7, 8]);
  noteValues(taxi, [0]);
  expect(spanOf(taxi)).toEqual([-7, 8]);
  expect([-7, 0.5, 8, 20].map((value) => gain(value, taxi))).toEqual([0, 0.5, 1, 1]);
  expect(spanOf({ name: "another", min_return: null, max_return: 0, wide: true })).toEqual([-1, 0]);
});

test("bounds that are infinite prove nothing", () => {
  const taxi = { name: "taxi", min_return: null, max_return: null, wide: true, pays: true };
  expect([boundsText(null, null, taxi), boundsText(-3, null, taxi), boundsText(null, 4, taxi), boundsText(2, 2, taxi)]).toEqual(["", "at least −3", "at most +4", "+2"]);
  const child = { proven: 6.2, at_least: 6.2, at_most: 6.2, moves_to_end: 3 } as ChildTold;
  expect(proven(child, taxi)).toBe("+6.2 in 3");
  expect(proven({ ...child, proven: null, at_least: -3, at_most: null }, taxi)).toBe("at least −3");
});

test("where rewards are paid on the way, nothing is a win", () => {
  const lake = { name: "lake", min_return: 0, max_return: 1, wide: false, pays: true };
  expect(proven({ proven: 1, at_least: 1, at_most: 1, moves_to_end: null } as ChildTold, lake)).toBe("+1");
});
