import { describe, expect, test } from "vitest";
import type { GameInfo, Position } from "../protocol";
import { endingWords, resultWords, seatChoices, thinkingWords, turnWords } from "./words";

const game = { name: "connect_four", num_players: 2, symbols: ["X", "O"], min_return: -1, max_return: 1 } as GameInfo;
const position = (part: Partial<Position>) => ({ game, player: 0, seats: [0], returns: null, ...part }) as Position;

test("whose turn it is", () => {
  expect(turnWords(position({}))).toBe("Your move, X");
  expect(turnWords(position({ player: 1 }))).toBe("O, the bot, is to move");
  expect(turnWords(position({ player: 1, seats: [0, 1] }))).toBe("O is to move");
  expect(turnWords(position({ player: -1 }))).toBe("Chance is to move");
  expect(turnWords(position({ player: null, returns: [1, -1] }))).toBe("X wins: you win");
});

describe("results", () => {
  test("of two", () => {
    expect(resultWords(game, [-1, 1], [0])).toBe("O wins: you lose");
    expect(resultWords(game, [-1, 1], [])).toBe("O wins");
    expect(resultWords(game, [0, 0], [0])).toBe("The game is drawn");
  });
  test("of one and of three", () => {
    expect(resultWords({ ...game, num_players: 1, symbols: [] }, [3.5], [0])).toBe("The game is over: +3.5");
    expect(resultWords({ ...game, num_players: 3, symbols: [] }, [1, 0, 1], [1])).toBe("Player 0 and player 2 share the win (+1, 0, +1): you lose");
  });
});

test("who may sit where", () => {
  expect(seatChoices(game).map((c) => c.key)).toEqual(["0", "1", "0,1", ""]);
  expect(seatChoices({ ...game, num_players: 1 }).map((c) => c.key)).toEqual(["0", ""]);
  expect(seatChoices({ ...game, num_players: 5 }).map((c) => c.label).at(4)).toBe("You play as player 4");
});

test("what the server is at", () => {
  const words = (who: string, stage: string) => thinkingWords({ type: "thinking", who, stage, seconds: null }, game);
  expect(words("bot", "compiling")).toBe("compiling connect_four, once");
  expect(words("hint", "waiting")).toBe("the hint waits for room among other searches");
  expect(words("bot", "searching")).toBe("the bot is thinking");
  expect(words("analysis", "paused")).toBe("the analysis is paused");
  expect(words("", "")).toBe("");
});

test("an end of a later version is told by its name", () => {
  expect(endingWords("")).toBe("");
  expect(endingWords("proven")).toContain("proven");
  expect(endingWords("moonrise")).toBe("moonrise");
});
