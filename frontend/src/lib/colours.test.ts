import { expect, test } from "vitest";
import type { BoardStyle } from "../protocol";
import { coloursOf } from "./colours";

const board = { colours: ["white", "black"], players: ["White", "Black"] } as BoardStyle;

test("players who are named by their men have the colours of these", () => {
  expect(coloursOf({ board, symbols: ["White", "Black"] }).map((colour) => colour !== null)).toEqual([true, true, false, false]);
});

test("where chance draws who starts, men do not tell players", () => {
  expect(coloursOf({ board, symbols: [] })[0]).toBeNull();
  expect(coloursOf({ board, symbols: ["X", "O"] })[0]).toBeNull();
  expect(coloursOf({ board: null, symbols: [] })[0]).toBeNull();
  expect(coloursOf(undefined)[0]).toBeNull();
});
