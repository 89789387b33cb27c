import { expect, test } from "vitest";
import { FIXTURES } from "./fixtures";
import { contentWords, lattice, longestLine, piecesOn, squareName } from "./layout";
import { arrowsOf, marked } from "./values";

const fixture = (name: string) => FIXTURES.find((one) => one.name === name)!;

test("the words for a square are its name and what stands on it", () => {
  const { style, board } = fixture("chess");
  expect([56, 4, 27].map((square) => `${squareName(style, square)} ${contentWords(style, board, square)}`)).toEqual(["a1 white rook", "e8 black king", "d5 empty"]);
  const checkers = fixture("squares, checkers");
  expect([17, 28, 1].map((square) => contentWords(checkers.style, checkers.board, square))).toEqual(["white king", "white piece", "red piece"]);
});

test("points, bar and men that are off have names, and a card that is hidden is only face down", () => {
  const { style, board } = fixture("backgammon");
  expect([0, 25, 12, 27].map((square) => squareName(style, square))).toEqual(["point 13", "point 1", "bar", "off"]);
  expect([0, 5].map((square) => contentWords(style, board, square))).toEqual(["5 white men", "1 white man"]);
  const cards = fixture("cards");
  expect([0, 13, 12 + 13].map((square) => contentWords(cards.style, cards.board, square))).toEqual(["2♣", "face down", "empty"]);
});

test("squares without labels are named by row and column", () => {
  const bare = { ...fixture("marks").style, column_labels: [], row_labels: [] };
  expect([squareName(bare, 5), squareName({ ...bare, rows: 1 }, 2)]).toEqual(["row 2, column 3", "place 3"]);
});

test("every fixture's cells fit its style, and its paths lie on its board", () => {
  for (const { name, style, board, moves } of FIXTURES) {
    const squares = style.rows * style.columns;
    expect([name, board.cells.length]).toEqual([name, 2 * squares]);
    expect(moves.flatMap((move) => move.squares ?? []).every((square) => square >= 0 && square < squares)).toBe(true);
    expect(piecesOn(style, board, lattice(style)).length).toBeGreaterThan(0);
  }
});

test("the line that won goes through the last move, and a short one has not won", () => {
  const { style } = fixture("marks");
  const cells = [0, 1, -1, 1, -1, -1, -1, 1, 0].flatMap((owner) => [owner, owner < 0 ? 0 : 1]);
  expect(longestLine(style, { cells, last: [0] }, 0)).toEqual([]);
  cells.splice(8, 2, 0, 1);
  expect(longestLine(style, { cells, last: [4] }, 0)).toEqual([0, 4, 8]);
  expect(longestLine(style, { cells, last: [3] }, 1)).toEqual([]);
});

test("values stand on all squares where they are few, else on the best and on the one pointed at", () => {
  const boxes = lattice({ ...fixture("marks").style, rows: 5, columns: 5 }).boxes;
  const moves = boxes.map((_, square) => ({ action: square, text: "", player: 0, squares: [square] }));
  const order = [4, 3, 2, 1, 0];
  expect(marked(moves.slice(0, 9), [], order, -1, boxes)).toHaveLength(9);
  expect(marked(moves, [], order, 20, boxes).map((cell) => cell.action)).toEqual([4, 3, 2, 1, 0, 20]);
});

test("once a piece is picked, values stand on its next squares, and before that they are arrows", () => {
  const boxes = lattice(fixture("marks").style).boxes;
  const moves = [[0, 1], [0, 2], [3, 4]].map((squares, action) => ({ action, text: "", player: 0, squares }));
  const children = moves.map(({ action }) => ({ action, visits: 9 - action, value: 0 })) as never[];
  expect(marked(moves, [], [0, 1, 2], -1, boxes)).toEqual([]);
  expect(marked(moves, [0], [0, 1, 2], -1, boxes).map((cell) => cell.box)).toEqual([boxes[1], boxes[2]]);
  expect(arrowsOf(moves, false, children, 2, boxes, null).map((arrow) => [arrow.hint, arrow.points.length])).toEqual([[false, 2], [false, 2], [false, 2], [true, 2]]);
  expect(arrowsOf(moves, true, children, null, boxes, null)).toHaveLength(1);
});
