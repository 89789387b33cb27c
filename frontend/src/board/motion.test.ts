import { expect, test } from "vitest";
import type { Piece } from "./layout";
import { arrive } from "./motion";

const piece = (square: number, owner: number, kind: number): Piece => ({ square, place: 0, owner, kind, text: "", x: (square % 8) * 100, y: Math.floor(square / 8) * 100 });
const seen = (...after: Parameters<typeof arrive>) => arrive(...after).map(({ square, arrival, dx, dy }) => [square, arrival, dx, dy]);
const first = (...pieces: Piece[]) => arrive(null, pieces, true);

test("on the first board nothing moves, and what stays keeps its element", () => {
  const before = first(piece(0, 0, 1), piece(9, 1, 1));
  expect(before.map((one) => one.arrival)).toEqual(["none", "none"]);
  expect(arrive(before, [piece(0, 0, 1), piece(9, 1, 1)], true)).toEqual(before);
});

test("a piece comes from where its like has gone, also when it takes another", () => {
  const before = first(piece(0, 0, 2), piece(10, 1, 1));
  expect(seen(before, [piece(10, 0, 2)], true)).toEqual([[10, "moved", -200, -100]]);
});

test("castling moves king and rook, and a pawn comes as the queen that it becomes", () => {
  expect(seen(first(piece(4, 0, 6), piece(7, 0, 4)), [piece(6, 0, 6), piece(5, 0, 4)], true)).toEqual([
    [6, "moved", -200, 0],
    [5, "moved", 200, 0],
  ]);
  expect(seen(first(piece(8, 0, 1)), [piece(0, 0, 5)], true)).toEqual([[0, "moved", 0, 100]]);
});

test("a new stone appears, and stones that change hands turn over", () => {
  const before = first(piece(1, 1, 1));
  expect(seen(before, [piece(0, 0, 1), piece(1, 0, 1)], true)).toEqual([
    [0, "new", 0, 0],
    [1, "turned", 0, 0],
  ]);
});

test("two tiles merge into one that comes from the farther of them", () => {
  expect(seen(first(piece(0, -1, 1), piece(2, -1, 1)), [piece(0, -1, 2)], true)).toEqual([[0, "moved", 200, 0]]);
});

test("where pieces do not move they only appear, and nothing moves where very much changed", () => {
  expect(seen(first(piece(0, 0, 2)), [piece(1, 0, 2)], false)).toEqual([[1, "new", 0, 0]]);
  const many = Array.from({ length: 60 }, (_, i) => piece(i, 0, 1));
  expect(new Set(arrive(first(), many, true).map((one) => one.arrival))).toEqual(new Set(["none"]));
});
