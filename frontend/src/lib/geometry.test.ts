import { describe, expect, test } from "vitest";
import { landing, nearest, neighbour, spot, type Box, type Cell } from "./geometry";

const box = (x: number, y: number, size = 40): Box => ({ x, y, width: size, height: size });
const grid = [0, 1, 2].flatMap((r) => [0, 1, 2].map((c) => box(c * 40, r * 40)));

describe("where a move is shown", () => {
  const cells: Cell[] = [
    { action: 0, box: box(0, 0) },
    { action: 1, box: box(40, 0) },
    { action: 1, box: box(40, 40) },
    { action: 2, box: box(80, 0) },
  ];
  test("the lowest cell of a column, as pieces fall", () => expect(landing(cells, 1)).toBe(cells[2]));
  test("the only cell", () => expect(landing(cells, 2)).toBe(cells[3]));
  test("nowhere for a move without a cell", () => expect(landing(cells, 9)).toBeUndefined());
  test("the first of those equally low", () => {
    const heap: Cell[] = [10, 0].map((x) => ({ action: 5, box: box(x, 0) }));
    expect(landing(heap, 5)).toBe(heap[0]);
  });
});

describe("circles", () => {
  test("are in the middle and stay inside", () => {
    const all = spot(box(10, 20), 1);
    expect([all.x, all.y]).toEqual([30, 40]);
    expect(all.r).toBeLessThan(20);
    expect(all.r).toBeGreaterThan(17);
  });
  test("grow with the share, by area", () => {
    const [none, quarter, whole] = [0, 0.25, 1].map((s) => spot(box(0, 0), s).r) as [number, number, number];
    expect(none).toBeGreaterThan(0);
    expect(quarter - none).toBeCloseTo((whole - none) / 2);
  });
  test("fit the shorter side, and shares beyond 0 to 1 are taken as these", () => {
    expect(spot({ x: 0, y: 0, width: 10, height: 100 }, 7).r).toBeCloseTo(4.6);
    expect(spot(box(0, 0), -1)).toEqual(spot(box(0, 0), 0));
  });
});

describe("arrow keys", () => {
  test("go to the next cell and stop at the edge", () => {
    expect(neighbour(grid, 4, "up")).toBe(1);
    expect(neighbour(grid, 4, "down")).toBe(7);
    expect(neighbour(grid, 4, "left")).toBe(3);
    expect(neighbour(grid, 4, "right")).toBe(5);
    expect(neighbour(grid, 0, "left")).toBe(-1);
  });
  test("step over a gap, and round it where the way is shut", () => {
    const gap = [box(0, 0), box(80, 0), box(0, 80)];
    expect(neighbour(gap, 0, "right")).toBe(1);
    expect(neighbour(gap, 0, "down")).toBe(2);
    expect(neighbour([box(0, 0), box(40, 40)], 0, "right")).toBe(1);
  });
  test("a cell that is not there has no neighbours", () => expect(neighbour(grid, 99, "up")).toBe(-1));
});

test("the nearest cell to a place, none of none", () => {
  expect(nearest(grid, { x: 61, y: 59 })).toBe(4);
  expect(nearest([], { x: 0, y: 0 })).toBe(-1);
});
