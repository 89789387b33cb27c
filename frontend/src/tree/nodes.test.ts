import { describe, expect, it } from "vitest";
import type { TreeNode } from "../protocol";
import { boundsText, colourOf, drawn, figures, radius, spoken, valueFor } from "./nodes";
import { playerName } from "../lib/players";
import { fixed, grouped, percent, plain, plural, short, signed } from "./numbers";
import { barOf, rangeOf, sorted, type ScoreTerm } from "./terms";

const two = { num_players: 2, min_return: -1, max_return: 1, symbols: ["X", "O"] };
const three = { num_players: 3, min_return: 0, max_return: 10, symbols: [] };
const one = { num_players: 1, min_return: 0, max_return: 100, symbols: [] };

function node(part: Partial<TreeNode>): TreeNode {
  const base = { path: [], parent: -1, text: "", mover: null, player: 0, visits: 10, share: 1, value: null, lower: -1, upper: 1 };
  return { ...base, proven: null, prior: null, terminal: false, on_line: false, num_children: 3, more: 0, ...part };
}

describe("numbers", () => {
  it.each([
    [0.41666, "+0.417"],
    [-1, "-1"],
    [0, "0"],
    [-1e-9, "-0.000000001"],
    [1234.5, "+1,235"],
    [-98765, "-98,765"],
  ])("signed %d", (value, text) => expect(signed(value)).toBe(text === "-0.000000001" ? "-1e-9" : text));
  it("in columns", () => expect([0, 0.5, -0.25, -0.0001].map((v) => fixed(v))).toEqual(["+0.000", "+0.500", "-0.250", "+0.000"]));
  it("counts", () => {
    expect([0, 999, 9999, 12345, 999_500, 4_567_000, 2.5e9].map(short)).toEqual(["0", "999", "9,999", "12.3k", "1.00M", "4.57M", "2.50G"]);
    expect(grouped(1234567)).toBe("1,234,567");
    expect([plural(1, "visit"), plural(2, "visit"), plural(0, "child", "children")]).toEqual(["1 visit", "2 visits", "0 children"]);
  });
  it("shares", () => expect([0, 0.0004, 0.0123, 0.0999, 0.5, 1].map(percent)).toEqual(["0 %", "<0.1 %", "1.2 %", "10 %", "50 %", "100 %"]));
  it("without sign", () => expect([plain(1.4), plain(0.70000001), plain(1234.5)]).toEqual(["1.4", "0.7", "1,235"]));
});

describe("players", () => {
  it("are called by letters, numbers or not at all", () => {
    expect([playerName(two, 0), playerName(two, 1), playerName(three, 2), playerName(one, 0)]).toEqual(["X", "O", "player 2", "the player"]);
  });
});

describe("values", () => {
  it("of two players are turned round for the one at the root", () => {
    const child = { value: 0.25, mover: 1 };
    expect(valueFor(child, "mover", 0, two)).toBe(0.25);
    expect(valueFor(child, "root", 0, two)).toBe(-0.25);
    expect(valueFor(child, "root", 1, two)).toBe(0.25);
  });
  it("of other movers are not known among more than two", () => {
    expect(valueFor({ value: 4, mover: 1 }, "root", 0, three)).toBeNull();
    expect(valueFor({ value: 4, mover: 0 }, "root", 0, three)).toBe(4);
  });
  it("have colours on two sides of grey", () => {
    expect(colourOf(-1, two)).toContain("var(--bad) 100%");
    expect(colourOf(1, two)).toContain("var(--good) 100%");
    expect(colourOf(5, three)).toContain("0%, var(--even)");
    expect(colourOf(null, two)).toBe("var(--surface)");
  });
  it("are proven in words", () => {
    expect([boundsText(-1, 1, two), boundsText(1, 1, two), boundsText(0, 1, two), boundsText(2, 7, three)]).toEqual(["", "+1", "at least 0", "at least +2, at most +7"]);
  });
});

describe("drawn nodes", () => {
  const nodes = [
    node({ more: 5, num_children: 7, visits: 100 }),
    node({ path: [4], parent: 0, text: "b2", mover: 0, player: 1, share: 0.64, visits: 64, value: 0.5, more: 3, on_line: true }),
    node({ path: [2], parent: 0, text: "c3", mover: 0, share: 0.3, visits: 30, value: 1, proven: 1, terminal: true, num_children: 0 }),
  ];

  it("end with what stands for the rest, of open branches alone", () => {
    const items = drawn(nodes, (key) => key === "");
    expect(items.map((item) => [item.key, item.parent])).toEqual([["", null], ["4", ""], ["2", ""], ["+", ""]]);
    expect(items[3]).toMatchObject({ kind: "more", path: [], count: 5 });
  });

  it("have areas by their shares, and are never too small to see", () => {
    expect(radius(0.64) ** 2 / radius(0.16) ** 2).toBeCloseTo(4);
    expect(radius(0)).toBe(2.5);
  });

  it("are told in figures and in words", () => {
    expect(figures(nodes[1]!, 0.5)).toBe("64 · +0.5");
    expect(figures(nodes[2]!, 1)).toBe("30 · proven · +1");
    expect(spoken(nodes[1]!, two)).toBe("X b2, 64 visits, 64 %, value +0.5 for X, on the principal variation");
    expect(spoken(nodes[2]!, two)).toBe("X c3, 30 visits, 30 %, proven +1, the game is over");
  });
});

describe("terms", () => {
  const term = (part: Partial<ScoreTerm>): ScoreTerm => ({ action: 0, text: "", visits: 0, value: null, exploration: null, score: null, prior: null, proven: null, ...part });
  const terms = [
    term({ action: 1, text: "a10", visits: 3, value: -0.5, exploration: 1, score: 0.5 }),
    term({ action: 2, text: "a9" }),
    term({ action: 3, text: "b1", visits: 9, value: 0.25, exploration: 2, score: 2.25 }),
  ];

  it("are sorted, with those that have no number at the end", () => {
    expect(sorted(terms, "score", true).map((t) => t.action)).toEqual([3, 1, 2]);
    expect(sorted(terms, "score", false).map((t) => t.action)).toEqual([1, 3, 2]);
    expect(sorted(terms, "text", false).map((t) => t.text)).toEqual(["a9", "a10", "b1"]);
  });

  it("become bars: value, then exploration on top", () => {
    const range = rangeOf(terms, -1, 1);
    expect(range).toEqual([-1, 2.25]);
    expect(barOf(terms[2]!, range)).toEqual({ value: 1.25 / 3.25, score: 1 });
    expect(barOf(terms[1]!, range)).toBeNull();
    expect(barOf(term({ score: 0.5 }), range)).toEqual({ value: 1.5 / 3.25, score: 1.5 / 3.25 });
  });
});
