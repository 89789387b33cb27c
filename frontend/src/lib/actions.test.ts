import { expect, test } from "vitest";
import { compareTexts, numbersOf, snapped, within } from "./actions";

test("the numbers of a continuous action are read from its word", () => {
  expect(numbersOf("0.25,-1.0")).toEqual([0.25, -1]);
  expect(numbersOf("1e-07")).toEqual([1e-7]);
  expect(numbersOf(3)).toEqual([3]);
  expect(["d1", "", "1,", "nan"].map(numbersOf)).toEqual([null, null, null, null]);
});

test("texts are ordered by their numbers, other texts by the alphabet", () => {
  expect(["0.5", "-1", "-0.25", "10", "9"].sort(compareTexts)).toEqual(["-1", "-0.25", "0.5", "9", "10"]);
  expect(["1,2", "1,-2", "0,9"].sort(compareTexts)).toEqual(["0,9", "1,-2", "1,2"]);
  expect(["d10", "d9", "c1"].sort(compareTexts)).toEqual(["c1", "d9", "d10"]);
});

test("a slider gives few digits and reaches its ends exactly", () => {
  expect(snapped(0.123456, -2, 2)).toBe("0.12");
  expect(snapped(-2.0001, -2, 2)).toBe("-2");
  expect(snapped(0.4999, 0, 0.4999)).toBe("0.4999");
  expect(snapped(0.49989, 0, 0.4999)).toBe("0.4999");
  expect(snapped(1234.5678, 0, 5000)).toBe("1235");
  expect(snapped(1.23456e-9, 0, 1e-8)).toBe("1.23e-9");
  expect(snapped(3, 3, 3)).toBe("3");
});

test("a whole number stays whole", () => {
  expect(snapped(1.6, 0, 3, true)).toBe("2");
  expect(snapped(9, 0, 3, true)).toBe("3");
  expect([within("", 0, 3, true), within("1", 0, 3, true), within("1.0", 0, 3, true), within("1.2", 0, 3, true)]).toEqual(["2", "1", "1.0", "1"]);
});

test("a number stays if the box of the next position has it, and else moves to its edge", () => {
  expect(within("0.30000000000000004", 0, 1)).toBe("0.30000000000000004");
  expect(within("0.3", 0.5, 1)).toBe("0.5");
  expect(within("3", 0.5, 1)).toBe("1");
  expect(within("", 0, 1)).toBe("0.5");
});
