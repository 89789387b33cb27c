import { describe, expect, test } from "vitest";
import type { ChildTold } from "../protocol";
import { boundsText, colourOf, gain, proven } from "./values";

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

describe("proofs in words", () => {
  test.each([
    [{ proven: 1, moves_to_end: 3 }, "win in 3"],
    [{ proven: -1, moves_to_end: 4 }, "loss in 4"],
    [{ proven: 0, moves_to_end: 1 }, "draw in 1"],
    [{ proven: 1 }, "win"],
    [{ proven: 0.5 }, "+0.5"],
    [{ at_least: 0 }, "at least a draw"],
    [{ at_most: 0 }, "at most a draw"],
    [{ at_least: 0.5 }, "at least +0.5"],
    [{}, ""],
  ])("%o", (part, words) => expect(proven(child(part), zeroSum)).toBe(words));

  test("where returns go from 0 to 1, a half is a draw and 0 a loss", () => {
    const range = { min_return: 0, max_return: 1 };
    expect(proven(child({ proven: 0.5, at_least: 0.5 }), range)).toBe("draw");
    expect(proven(child({ proven: 0, at_least: 0 }), range)).toBe("loss");
    expect(proven(child({ at_least: 0 }), range)).toBe("");
  });
});

test("gain scales to 0..1 and stays within it", () => {
  expect([-2, -1, 0, 1, 9].map((v) => gain(v, zeroSum))).toEqual([0, 0, 0.5, 1, 1]);
  expect(gain(3, { min_return: 3, max_return: 3 })).toBe(0.5);
});

test("colours lean to orange below the middle and to blue above", () => {
  expect(colourOf(-1, zeroSum)).toContain("--bad) 100%");
  expect(colourOf(1, zeroSum)).toContain("--good) 100%");
  expect(colourOf(0, zeroSum)).toContain(" 0%");
  expect(colourOf(null, zeroSum)).toBe("var(--surface)");
});

test("what bounds prove", () => {
  const wide = { min_return: 0, max_return: 10 };
  expect([boundsText(-1, 1, zeroSum), boundsText(1, 1, zeroSum), boundsText(0, 1, zeroSum), boundsText(2, 7, wide)]).toEqual(["", "+1", "at least 0", "at least +2, at most +7"]);
});
