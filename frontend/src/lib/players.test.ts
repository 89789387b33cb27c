import { describe, expect, test } from "vitest";
import type { GameInfo, MoveTold, Position } from "../protocol";
import { asked, canPlay, hasChosen, moveText, movesNow } from "./players";

const game = { name: "goofspiel", num_players: 2, symbols: [] as string[], hides: false, joint: true } as unknown as GameInfo;
const legal = [0, 1].flatMap((player) => [0, 1].map((action) => ({ player, action, text: String(action + 1) }) as MoveTold));
const position = (part: Partial<Position>) => ({ game, player: -2, seats: [0], waiting: [0], legal, viewer: null, ...part }) as Position;

describe("where all move at once", () => {
  test("the next person who has not chosen is asked, and chooses among actions of their own", () => {
    expect(asked(position({}))).toBe(0);
    expect(asked(position({ seats: [0, 1], waiting: [1] }))).toBe(1);
    expect(movesNow(position({ seats: [0, 1], waiting: [1] })).map((move) => move.player)).toEqual([1, 1]);
    expect(canPlay(position({}))).toBe(true);
  });
  test("while the bot chooses, there is nothing to choose, and the choice can be taken back", () => {
    const waits = position({ waiting: [] });
    expect(asked(waits)).toBe(null);
    expect(movesNow(waits)).toEqual([]);
    expect(canPlay(waits)).toBe(false);
    expect(hasChosen(waits)).toBe(true);
  });
  test("who has no choice has not chosen", () => {
    expect(hasChosen(position({}))).toBe(false);
    expect(hasChosen(position({ waiting: [], legal: legal.filter((move) => move.player === 1) }))).toBe(false);
  });
  test("a joint move has colons between what the players chose", () => {
    expect(moveText({ player: -2, text: "rock,paper" })).toBe("rock : paper");
    expect(moveText({ player: 0, text: "a,b" })).toBe("a,b");
  });
});

test("in turn, the player to move is asked if a person plays it", () => {
  expect(asked(position({ player: 1, seats: [0, 1], waiting: [] }))).toBe(1);
  expect(asked(position({ player: 1, waiting: [] }))).toBe(null);
  expect(movesNow(position({ player: 1, waiting: [] }))).toBe(legal);
  expect(hasChosen(position({ player: 1, waiting: [] }))).toBe(false);
  expect(canPlay(position({ player: -1, waiting: [] }))).toBe(true);
  expect(canPlay(position({ player: null, waiting: [] }))).toBe(false);
});
