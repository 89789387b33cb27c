import { expect, test } from "vitest";
import type { Analysis, Position } from "../protocol";
import { graphData, linesShown } from "./graph";

const game = { num_players: 2, min_return: -1, max_return: 1 };
const position = (part: object) => ({ game, moves: [{}, {}, {}], ply: 3, values: [], returns: null, ...part }) as unknown as Position;

test("plies without a search are empty, and the result ends the line", () => {
  const played = position({ values: [{ ply: 1, values: [0.25, -0.25] }], returns: [1, -1] });
  expect(graphData(played, [0], null)).toEqual([[0, 1, 2, 3], [null, 0.25, null, 1]]);
});

test("a search under way is drawn for the first player, whoever is to move", () => {
  const now = { ply: 3, player: 1, value: 0.5, values: [-0.5, 0.5] } as Analysis;
  expect(graphData(position({}), [0], now)[1]).toEqual([null, null, null, -0.5]);
});

test("one line where what one wins the other loses, else one a player", () => {
  expect(linesShown(position({}), null)).toEqual([0]);
  expect(linesShown(position({ values: [{ ply: 0, values: [1, 1] }] }), null)).toEqual([0, 1]);
  expect(linesShown(position({}), { values: [0.5, 0.25] } as Analysis)).toEqual([0, 1]);
  expect(linesShown(position({ game: { ...game, num_players: 3 } }), null)).toEqual([0, 1, 2]);
});
