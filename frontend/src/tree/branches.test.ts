import { describe, expect, it } from "vitest";
import type { TreeNode } from "../protocol";
import { FIRST, STEP, atRoot, close, keyOf, moved, open, showMore, toggle, type OpenBranches } from "./branches";

const keys = (branches: OpenBranches) => [...branches.keys()].sort();

describe("open branches", () => {
  it("begin with the best few children of the root", () => {
    expect([...atRoot().values()]).toEqual([{ path: [], top: FIRST }]);
  });

  it("begin two levels deep where the tree is known", () => {
    const node = (path: number[], parent: number, num_children: number) => ({ path, parent, num_children }) as unknown as TreeNode;
    const nodes = [node([], -1, 7), node([4], 0, 3), node([2], 0, 0), node([1], 0, 6), node([0], 0, 1), node([9], 0, 5), node([4, 1], 1, 2)];
    expect([...atRoot(nodes).values()]).toEqual([
      { path: [], top: FIRST },
      ...[4, 1, 0].map((action) => ({ path: [action], top: 2 })),
    ]);
  });

  it("open with all those above", () => {
    expect(keys(open(atRoot(), [3, 0, 7]))).toEqual(["", "3", "3/0", "3/0/7"]);
  });

  it("close with all those below, and no other that begins alike", () => {
    const branches = open(open(open(atRoot(), [1, 2]), [1, 2, 5]), [12]);
    expect(keys(close(branches, [1]))).toEqual(["", "12"]);
    expect(keys(toggle(toggle(branches, [12]), [12]))).toEqual(keys(branches));
  });

  it("show eight more, at most 500", () => {
    let branches = showMore(atRoot(), []);
    expect(branches.get("")?.top).toBe(FIRST + STEP);
    for (let i = 0; i < 100; i++) branches = showMore(branches, []);
    expect(branches.get("")?.top).toBe(500);
  });

  it("are never more than the server takes", () => {
    let branches = atRoot();
    for (let i = 0; i < 600; i++) branches = open(branches, [i]);
    expect(branches.size).toBe(400);
    expect(open(branches, [9999])).toBe(branches);
  });

  it("leave the one they were made from as it was", () => {
    const before = atRoot();
    toggle(before, [1]);
    showMore(before, []);
    expect([...before.values()]).toEqual([{ path: [], top: FIRST }]);
  });
});

describe("open branches when the position changes", () => {
  const branches = showMore(open(open(atRoot(), [4, 2]), [5]), [4, 2]);

  it("go on below the move that was made", () => {
    const after = moved(branches, [9], [9, 4]);
    expect(keys(after)).toEqual(["", "2"]);
    expect(after.get("2")).toEqual({ path: [2], top: FIRST + STEP });
  });

  it("are but the root below a move that was not open", () => {
    expect([...moved(branches, [], [77]).values()]).toEqual([{ path: [], top: FIRST }]);
  });

  it("hang below the moves that are taken back", () => {
    const after = moved(branches, [9, 1], []);
    expect(keys(after)).toEqual(["", "9", "9/1", "9/1/4", "9/1/4/2", "9/1/5"]);
    expect(after.get("9/1/4/2")?.top).toBe(FIRST + STEP);
    expect(keys(moved(after, [], [9, 1]))).toEqual(keys(branches));
  });

  it("are forgotten where another line is played", () => {
    expect(keys(moved(branches, [1, 2], [1, 3]))).toEqual([keyOf([])]);
  });
});
