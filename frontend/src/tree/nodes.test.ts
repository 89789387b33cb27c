import { describe, expect, it } from "vitest";
import type { Term, TreeNode } from "../protocol";
import { drawn, figures, radius, spoken, valueOf } from "./nodes";
import { playerName } from "../lib/players";
import { barOf, expectedValue, rangeOf } from "./terms";
import { sorted } from "../lib/sorting";

const two = { num_players: 2, min_return: -1, max_return: 1, symbols: ["X", "O"] };
const three = { num_players: 3, min_return: 0, max_return: 10, symbols: [] };
const one = { num_players: 1, min_return: 0, max_return: 100, symbols: [] };

function node(part: Partial<TreeNode>): TreeNode {
  const base = { path: [], parent: -1, text: "", mover: null, player: 0, visits: 10, share: 1, value: null, lower: -1, upper: 1 };
  return { ...base, proven: null, prior: null, terminal: false, on_line: false, num_children: 3, more: 0, ...part };
}

describe("players", () => {
  it("are called by letters, numbers or not at all", () => {
    expect([playerName(two, 0), playerName(two, 1), playerName(three, 2), playerName(one, 0)]).toEqual(["X", "O", "player 2", "the player"]);
  });
});

describe("values", () => {
  it("are for the player who moved, and at the root for the player to move", () => {
    expect(valueOf(node({ value: 0.25, mover: 1 }), two)).toBe("+0.25 for O");
    expect(valueOf(node({ value: 0.75 }), two)).toBe("+0.75 for X");
    expect(valueOf(node({ value: 4, mover: 2 }), three)).toBe("+4.00 for player 2");
    expect(valueOf(node({ value: 40, mover: 0 }), one)).toBe("+40.00");
    expect(valueOf(node({ mover: 0 }), two)).toBe("");
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
    expect(figures(nodes[1]!, two)).toBe("64 · +0.50 for X");
    expect(figures(nodes[2]!, two)).toBe("30 · proven · +1.00 for X");
    expect(spoken(nodes[1]!, two)).toBe("X b2, 64 visits, 64 %, value +0.50 for X, on the principal variation");
    expect(spoken(nodes[2]!, two)).toBe("X c3, 30 visits, 30 %, proven +1, the game is over");
    expect(spoken({ ...nodes[1]!, text: "6", on_line: false }, two, true)).toBe("Chance 6, 64 visits, 64 %, value +0.50 for X");
  });
});

describe("terms", () => {
  const term = (part: Partial<Term>): Term => ({ action: 0, text: "", visits: 0, value: null, exploration: null, score: null, prior: null, proven: null, ...part });
  const terms = [
    term({ action: 1, text: "a10", visits: 3, value: -0.5, exploration: 1, score: 0.5 }),
    term({ action: 2, text: "a9" }),
    term({ action: 3, text: "b1", visits: 9, value: 0.25, exploration: 2, score: 2.25 }),
  ];

  it("are sorted, with those that have no number at the end", () => {
    expect(sorted(terms, { column: "score", descending: true }).map((t) => t.action)).toEqual([3, 1, 2]);
    expect(sorted(terms, { column: "score", descending: false }).map((t) => t.action)).toEqual([1, 3, 2]);
    expect(sorted(terms, { column: "text", descending: false }).map((t) => t.text)).toEqual(["a9", "a10", "b1"]);
  });

  it("of outcomes have an expected value once each has a value", () => {
    const outcome = (probability: number, value: number | null, proven: number | null = null) => ({ probability, value, proven });
    expect(expectedValue([outcome(0.75, 0.2), outcome(0.25, null, -1)])).toBeCloseTo(-0.1);
    expect(expectedValue([outcome(0.75, 0.2), outcome(0.25, null)])).toBeNull();
    expect(expectedValue(terms)).toBeNull();
  });

  it("become bars: value, then exploration on top", () => {
    const range = rangeOf(terms, -1, 1);
    expect(range).toEqual([-1, 2.25]);
    expect(barOf(terms[2]!, range)).toEqual({ value: 1.25 / 3.25, score: 1 });
    expect(barOf(terms[1]!, range)).toBeNull();
    expect(barOf(term({ score: 0.5 }), range)).toEqual({ value: 1.5 / 3.25, score: 1.5 / 3.25 });
  });
});
