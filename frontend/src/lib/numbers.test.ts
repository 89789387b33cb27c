import { expect, test } from "vitest";
import { count, duration, fixed, grouped, megabytes, percent, plain, plural, probability, short, signed } from "./numbers";

test.each([
  [0.41666, "+0.417"],
  [-1, "−1"],
  [0, "0"],
  [-0, "0"],
  [-1e-9, "−1e-9"],
  [1234.5, "+1,235"],
  [-98765, "−98,765"],
  [-Infinity, "−∞"],
])("%d with its sign is %s", (value, text) => expect(signed(value)).toBe(text));

test("values in columns have as many decimals each", () => {
  expect([0, 0.5, -0.25, -0.0001].map((v) => fixed(v))).toEqual(["0.000", "+0.500", "−0.250", "0.000"]);
  expect([null, 0.345, -1, 0.0001, 1234.5].map((v) => fixed(v, 2))).toEqual(["–", "+0.34", "−1.00", "0.00", "+1,235"]);
});

test("numbers without sign", () => {
  expect([1.4, 0.70000001, 1234.5, -2].map((v) => plain(v))).toEqual(["1.4", "0.7", "1,235", "−2"]);
});

test.each([
  [0, "0"],
  [999, "999"],
  [1234, "1,234"],
  [999_999, "999,999"],
  [1_234_567, "1.23 M"],
  [5.5e9, "5.50 G"],
])("count %d is written %s", (n, text) => expect(count(n)).toBe(text));

test("counts in few characters", () => {
  expect([0, 999, 9999, 12345, 999_500, 4_567_000, 2.5e9].map(short)).toEqual(["0", "999", "9,999", "12.3k", "1.00M", "4.57M", "2.50G"]);
  expect(grouped(1234567)).toBe("1,234,567");
  expect([plural(1, "visit"), plural(2, "visit"), plural(0, "child", "children")]).toEqual(["1 visit", "2 visits", "0 children"]);
});

test("shares", () => {
  expect([0, 0.0004, 0.0123, 0.0999, 0.5, 1].map(percent)).toEqual(["0 %", "<0.1 %", "1.2 %", "10 %", "50 %", "100 %"]);
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

test.each([
  [1 / 6, "1/6"],
  [1 / 36, "1/36"],
  [1, "1"],
  [0.3, "3/10"],
  [0.1234567, "12 %"],
  [0.000123, "<0.1 %"],
])("the probability %d is %s", (share, text) => expect(probability(share)).toBe(text));
