import { describe, expect, test } from "vitest";
import { baseName, listIn, listText, moveWords, numbersIn, parseLink, variantName, vectorWords } from "./link";

describe("links", () => {
  test("name a game and its moves, numbers as numbers", () => {
    expect(parseLink("?game=nim&moves=1,2")).toEqual({ game: "nim", moves: [1, 2] });
    expect(parseLink("?game=connect_four&moves=d1,d2")).toEqual({ game: "connect_four", moves: ["d1", "d2"] });
    expect(parseLink("game=nim")).toEqual({ game: "nim", moves: [] });
  });
  test("have continuous actions, with blanks between them", () => {
    expect(parseLink("?game=peak&vectors=0.5,1.0+0.25,-2.0")).toEqual({ game: "peak", moves: ["0.5,1.0", "0.25,-2.0"] });
    expect(parseLink("?game=peak&vectors=1")?.moves).toEqual(["1"]);
  });
  test("may name a variant", () => {
    const query = new URLSearchParams({ game: "connect_four(rows=5,columns=5)", moves: "0" }).toString();
    expect(parseLink(`?${query}`)).toEqual({ game: "connect_four(rows=5,columns=5)", moves: [0] });
  });
  test.each(["", "?", "?moves=1", "?game=", "?game=%20"])("%s names nothing", (query) => expect(parseLink(query)).toBeNull());
  test("what cannot be a number of an action is left for the server to refuse", () => {
    expect(parseLink("?game=nim&moves=-1,99999999999,<b>")?.moves).toEqual(["-1", "99999999999", "<b>"]);
  });
});

test.each([
  ["d1 d2, c1", ["d1", "d2", "c1"]],
  ["1. d1 d2 2. c1", ["d1", "d2", "c1"]],
  ["  ", []],
  ["1...d2", ["1...d2"]],
  ["1 2 3", ["1", "2", "3"]],
])("moves in %j", (text, moves) => expect(moveWords(text)).toEqual(moves));

test.each([
  ["0.5,1 -2, 3", ["0.5,1", "-2,3"]],
  ["0.5;1", ["0.5", "1"]],
  [" ", []],
])("continuous actions in %j", (text, moves) => expect(vectorWords(text)).toEqual(moves));

describe("variants", () => {
  const options = { rows: 6, columns: 7, misere: false, heaps: [3, 4, 5], rule: "standard" };
  test("are named by what is not as usual", () => {
    expect(variantName("g", options, options)).toBe("g");
    expect(variantName("g", options, { ...options, rows: 5, misere: true })).toBe("g(rows=5,misere=True)");
    expect(variantName("g", options, { ...options, heaps: [3, 4, 5] })).toBe("g");
    expect(variantName("g", options, { ...options, heaps: [7] })).toBe("g(heaps=(7,))");
    expect(variantName("g", options, { ...options, rule: 'a"b' })).toBe('g(rule="a\\"b")');
  });
  test("are of the game before the brackets", () => {
    expect(["g", "g(rows=5)", "(x)", "odd(name"].map(baseName)).toEqual(["g", "g", "(x)", "odd(name"]);
  });
  test("tables are named, written and read by rows", () => {
    const table = [[1, -1], [-1, 1.5]];
    expect(variantName("g", { payoffs: [[0]] }, { payoffs: table })).toBe("g(payoffs=((1,-1),(-1,1.5)))");
    expect(listText(table)).toBe("1, -1; -1, 1.5");
    expect(listIn("1, -1; -1, 1.5", [[0]])).toEqual(table);
    expect(listIn("1 2", [[0]])).toEqual([[1, 2]]);
    expect([listIn("1; x", [[0]]), listIn("1;", [[0]]), listIn("", [[0]])]).toEqual([null, null, null]);
  });
  test("a list that is empty by default may stay so, or become a list or a table", () => {
    expect([listIn("", []), listIn(" ", []), listIn("2, 3", []), listIn("2; 3", [])]).toEqual([[], [], [2, 3], [[2], [3]]]);
    expect([listText([]), listText([3, 4])]).toEqual(["", "3, 4"]);
    expect([listIn("3; 4", [5]), listIn("", [5])]).toEqual([[3, 4], null]);
    expect(variantName("g", { values: [] }, { values: [] })).toBe("g");
  });
  test("lists of numbers are read", () => {
    expect([numbersIn("3, 4,5"), numbersIn("7"), numbersIn("x"), numbersIn("")]).toEqual([[3, 4, 5], [7], null, null]);
  });
});
