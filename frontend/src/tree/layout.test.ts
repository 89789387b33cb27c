import { describe, expect, it } from "vitest";
import { boundsOf, cut, link, place, widthFor, type Item, type Size } from "./layout";
import { deedOf } from "./keys";

const SIZE: Size = { width: 100, height: 20, column: 130, row: 30 };
const items: Item[] = [
  { key: "", parent: null },
  { key: "1", parent: "" },
  { key: "2", parent: "" },
  { key: "1.5", parent: "1" },
  { key: "1.6", parent: "1" },
  { key: "1.6.0", parent: "1.6" },
];

describe("layout", () => {
  const placed = place(items, SIZE);
  const at = (key: string) => placed.find((node) => node.item.key === key)!;

  it("reads each node before what is below it", () => {
    expect(placed.map((node) => node.item.key)).toEqual(["", "1", "1.5", "1.6", "1.6.0", "2"]);
  });

  it("gives each depth its column and keeps rows apart", () => {
    expect(placed.map((node) => node.x)).toEqual([0, 130, 260, 260, 390, 130]);
    for (const depth of [0, 1, 2, 3]) {
      const ys = placed.filter((node) => node.depth === depth).map((node) => node.y);
      ys.slice(1).forEach((y, i) => expect(y - ys[i]!).toBeGreaterThanOrEqual(SIZE.row - 1e-9));
    }
    expect(at("1").y).toBeCloseTo((at("1.5").y + at("1.6").y) / 2);
  });

  it("knows who is above and below", () => {
    expect(at("1.6.0").above).toBe(at("1.6"));
    expect(at("1").children).toEqual([at("1.5"), at("1.6")]);
  });

  it("bounds everything", () => {
    const box = boundsOf(placed, SIZE);
    expect([box.x, box.width]).toEqual([0, 490]);
    for (const node of placed) {
      expect(node.y - SIZE.height / 2).toBeGreaterThanOrEqual(box.y);
      expect(node.y + SIZE.height / 2).toBeLessThanOrEqual(box.y + box.height);
    }
  });

  it("places nothing for nothing", () => {
    expect(place([], SIZE)).toEqual([]);
    expect(boundsOf([], SIZE)).toEqual({ x: 0, y: 0, width: 1, height: 1 });
  });

  it("links right edges with left ones", () => {
    expect(link({ x: 0, y: 10 }, { x: 130, y: 40 }, 100)).toBe("M100 10C115 10 115 40 130 40");
  });
});

describe("keys", () => {
  const order = place(items, SIZE);
  const isOpen = (item: Item) => order.find((node) => node.item === item)!.children.length > 0;
  const press = (key: string, at: string) => deedOf(key, order, at, isOpen, (item) => item.key !== "1.5");

  it.each([
    ["ArrowDown", "1", { go: "1.5" }],
    ["ArrowDown", "2", null],
    ["ArrowUp", "2", { go: "1.6.0" }],
    ["ArrowUp", "", null],
    ["Home", "1.6", { go: "" }],
    ["End", "", { go: "2" }],
    ["ArrowRight", "1", { go: "1.5" }],
    ["ArrowRight", "2", { toggle: "2" }],
    ["ArrowRight", "1.5", null],
    ["ArrowLeft", "1.6", { toggle: "1.6" }],
    ["ArrowLeft", "1.5", { go: "1" }],
    ["ArrowLeft", "", null],
    ["Enter", "2", { toggle: "2" }],
    [" ", "2", { toggle: "2" }],
    ["x", "2", null],
  ])("%s at %s", (key, at, deed) => expect(press(key, at)).toEqual(deed));

  it("come back to the root from a node that is gone", () => {
    expect(press("ArrowDown", "9")).toEqual({ go: "" });
  });
});

it("nodes are as wide as their texts, within limits", () => {
  expect([0, 10, 12, 60].map((length) => widthFor(["", "a".repeat(length), "a"], 8, 50, 122))).toEqual([122, 130, 146, 366]);
  expect(widthFor([], 8, 50, 122)).toBe(122);
  expect([cut("0.25,-1", 7), cut("0.25,-1.5", 7)]).toEqual(["0.25,-1", "0.25,-…"]);
});
