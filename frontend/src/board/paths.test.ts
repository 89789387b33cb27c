import { expect, test } from "vitest";
import { fallen, narrowed, offBoard, pick, targets, type Pathed, inAnyOrder, together } from "./paths";

const move = (action: number, ...squares: number[]): Pathed => ({ action, text: `m${action}`, player: 0, squares });

test("a square that is a whole path is played at once", () => {
  expect(pick([move(0, 4), move(1, 5)], [], 5)).toEqual({ path: [], play: move(1, 5) });
});

test("a path is followed square by square, and only its next squares are targets", () => {
  const moves = [move(0, 1, 2), move(1, 1, 3), move(2, 4, 2)];
  expect([...targets(moves, [])]).toEqual([1, 4]);
  expect(pick(moves, [], 1)).toEqual({ path: [1] });
  expect([...targets(moves, [1])]).toEqual([2, 3]);
  expect(pick(moves, [1], 3).play?.action).toBe(1);
});

test("another start begins anew, the last square again steps back, and any other square ends it", () => {
  const moves = [move(0, 1, 2), move(1, 4, 2)];
  expect(pick(moves, [1], 4)).toEqual({ path: [4] });
  expect(pick(moves, [1], 1)).toEqual({ path: [] });
  expect(pick(moves, [1], 9)).toEqual({ path: [] });
  expect(pick(moves, [], 9)).toEqual({ path: [] });
});

test("moves with the same path are a second choice", () => {
  const moves = [move(0, 1, 2), move(1, 1, 2), move(2, 1, 3)];
  expect(pick(moves, [1], 2)).toEqual({ path: [1, 2], choose: [moves[0], moves[1]] });
});

test("a path from which others go on is a choice between making it and going on", () => {
  const moves = [move(0, 1, 2), move(1, 1, 2, 5)];
  expect(pick(moves, [1], 2)).toEqual({ path: [1, 2], choose: [moves[0]] });
  expect(pick(moves, [1, 2], 5).play?.action).toBe(1);
});

test("the end of a long path may be picked at once, if it is the only one that ends there", () => {
  const moves = [move(0, 1, 2, 5), move(1, 1, 3, 6), move(2, 1, 4, 6)];
  expect(pick(moves, [1], 5).play?.action).toBe(0);
  expect(pick(moves, [1], 6).choose?.map((m) => m.action)).toEqual([1, 2]);
});

test("a jump that returns to where it began is a path like any other", () => {
  expect(pick([move(0, 1, 2, 1)], [1, 2], 1).play?.action).toBe(0);
});

test("moves without squares, or from a server that tells none, are off the board", () => {
  const pass: Pathed = { action: 9, text: "pass", player: 0 };
  const moves = [move(0, 1), move(1), pass];
  expect(offBoard(moves).map((m) => m.action)).toEqual([1, 9]);
  expect(narrowed(moves, [])).toEqual([move(0, 1)]);
});

test("any square of a column stands for the one in which a disc lands", () => {
  const moves = [move(3, 38), move(4, 32)];
  expect(fallen(moves, 3, 7)).toBe(38);
  expect(fallen(moves, 39, 7)).toBe(32);
  expect(fallen(moves, 0, 7)).toBe(0);
});

test("a pair of dice is played in either order", () => {
  const told = [{ action: 0, text: "", player: 0, squares: [1, 2, 3, 4] }, { action: 1, text: "", player: 0, squares: [1, 2, 2, 5] }];
  expect(inAnyOrder(told).map((move) => move.squares)).toEqual([[1, 2, 3, 4], [1, 2, 2, 5], [3, 4, 1, 2]]);
});

test("all tiles of a group stand for the one that its move names", () => {
  const board = { cells: [1, 1, 2, 1, 2, 2].flatMap((kind) => [-1, kind]), last: [] };
  const moves = [0, 2].map((square, action) => ({ action, text: "", player: 0, squares: [square] }));
  expect(together(moves, board, 3)).toEqual([0, 0, 2, 0, 2, 2]);
});
