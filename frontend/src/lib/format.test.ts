import { describe, expect, test } from "vitest";
import type { ChildTold } from "../protocol";
import { count, duration, ending, gain, megabytes, proven, rough, share, value, valueColour } from "./format";

const zeroSum = { min_return: -1, max_return: 1 };
const child = (part: Partial<ChildTold>): ChildTold => ({
  action: 0,
  text: "a1",
  visits: 1,
  share: 1,
  value: 0,
  lower: null,
  prior: null,
  proven: null,
  at_least: -1,
  at_most: 1,
  moves_to_end: null,
  line: [],
  line_text: [],
  ...part,
});

test.each([
  [0, "0"],
  [999, "999"],
  [1234, "1,234"],
  [999_999, "999,999"],
  [1_234_567, "1.23 M"],
  [5.5e9, "5.50 G"],
])("count %d is written %s", (n, text) => expect(count(n)).toBe(text));

test.each([
  [12, "12"],
  [1234, "1.23 k"],
  [45_678, "45.7 k"],
  [456_789, "457 k"],
  [2_000_000, "2.00 M"],
])("%d a second is written %s", (n, text) => expect(rough(n)).toBe(text));

test.each([
  [0, "0 %"],
  [0.004, "0.4 %"],
  [0.0994, "9.9 %"],
  [0.0996, "10 %"],
  [0.5, "50 %"],
  [1, "100 %"],
])("share %d is written %s", (part, text) => expect(share(part)).toBe(text));

test.each([
  [null, "–"],
  [0, "0.00"],
  [-0.001, "0.00"],
  [0.345, "+0.34"],
  [-1, "−1.00"],
])("value %s is written %s", (v, text) => expect(value(v)).toBe(text));

test("whole values are short where asked", () => {
  expect([value(1, true), value(-3, true), value(0, true), value(0.5, true)]).toEqual(["+1", "−3", "0", "+0.50"]);
});

test.each([
  [0.04, "0.0 s"],
  [9.94, "9.9 s"],
  [59.9, "59 s"],
  [60, "1 min 0 s"],
  [3725, "1 h 2 min"],
])("%d seconds are written %s", (seconds, text) => expect(duration(seconds)).toBe(text));

test("memory is in units of 2**20 bytes", () => {
  expect([megabytes(1.5 * 2 ** 20), megabytes(2 ** 31)]).toEqual(["1.5 MB", "2,048 MB"]);
});

describe("proofs in words", () => {
  test.each([
    [{ proven: 1, moves_to_end: 3 }, "win in 3"],
    [{ proven: -1, moves_to_end: 4 }, "loss in 4"],
    [{ proven: 0, moves_to_end: 1 }, "draw in 1"],
    [{ proven: 1 }, "win"],
    [{ proven: 0.5 }, "+0.50"],
    [{ at_least: 0 }, "at least a draw"],
    [{ at_most: 0 }, "at most a draw"],
    [{ at_least: 0.5 }, "at least +0.50"],
    [{}, ""],
  ])("%o", (part, words) => expect(proven(child(part), zeroSum)).toBe(words));

  test("where returns go from 0 to 1, a half is a draw and 0 a loss", () => {
    const range = { min_return: 0, max_return: 1 };
    expect(proven(child({ proven: 0.5, at_least: 0.5 }), range)).toBe("draw");
    expect(proven(child({ proven: 0, at_least: 0 }), range)).toBe("loss");
    expect(proven(child({ at_least: 0 }), range)).toBe("");
  });
});

test("an end of a later version is told by its name", () => {
  expect(ending("")).toBe("");
  expect(ending("proven")).toContain("proven");
  expect(ending("moonrise")).toBe("moonrise");
});

test("gain scales to 0..1 and stays within it", () => {
  expect([-2, -1, 0, 1, 9].map((v) => gain(v, zeroSum))).toEqual([0, 0, 0.5, 1, 1]);
  expect(gain(3, { min_return: 3, max_return: 3 })).toBe(0.5);
});

test("colours lean to orange below the middle and to blue above", () => {
  expect(valueColour(-1, zeroSum)).toContain("--bad) 100%");
  expect(valueColour(1, zeroSum)).toContain("--good) 100%");
  expect(valueColour(0, zeroSum)).toContain(" 0%");
  expect(valueColour(null, zeroSum)).toBe("var(--even)");
});
