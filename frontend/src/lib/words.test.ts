import { describe, expect, test } from "vitest";
import type { GameInfo, Position } from "../protocol";
import { atOnceWords, compilingWords, durationWords, endingWords, hiddenWords, paidWords, playedWords, resultWords, seatChoices, thinkingWords, turnWords } from "./words";

const game = { name: "connect_four", num_players: 2, symbols: ["X", "O"], min_return: -1, max_return: 1 } as GameInfo;
const position = (part: Partial<Position>) => ({ game, player: 0, seats: [0], returns: null, ...part }) as Position;

test("whose turn it is", () => {
  expect(turnWords(position({}))).toBe("Your move, X");
  expect(turnWords(position({ player: 1 }))).toBe("O, the bot, is to move");
  expect(turnWords(position({ player: 1, seats: [0, 1] }))).toBe("O is to move");
  expect(turnWords(position({ player: -1 }))).toBe("Chance is to move");
  expect(turnWords(position({ player: -1, types_dice: true }))).toBe("What do the dice show?");
  expect(turnWords(position({ player: null, returns: [1, -1] }))).toBe("X wins: you win");
});

describe("with hidden information", () => {
  const hiding = { ...game, hides: true };
  const three = { ...hiding, num_players: 3, symbols: [] };
  test("while another player is to move, the words do not say which one", () => {
    expect(turnWords(position({ game: hiding, viewer: 0 }))).toBe("Your move, X");
    expect(turnWords(position({ game: hiding, viewer: 0, player: -3 }))).toBe("The bot is to move");
    expect(turnWords(position({ game: three, viewer: 0, player: -3 }))).toBe("Another player is to move");
    expect(turnWords(position({ game: hiding, viewer: null, player: 0 }))).toBe("X was to move here");
    expect(turnWords(position({ game: hiding, viewer: null, player: null, returns: [1, -1] }))).toBe("X wins: you win");
  });
  test("there is a choice of one seat, and a line says what is shown", () => {
    expect(seatChoices(hiding).map((c) => c.key)).toEqual(["0", "1"]);
    expect(hiddenWords(position({}))).toBe("");
    expect(hiddenWords(position({ game: hiding, viewer: 1 }))).toContain("what O may see");
    expect(hiddenWords(position({ game: hiding, viewer: null }))).toContain("everything is shown");
  });
  test("a move that was not seen has no name", () => {
    const moves = [{ player: 1, action: -1, text: "?" }];
    const before = position({ game: hiding, viewer: 0, moves: [], ply: 0 });
    expect(playedWords(before, { ...before, moves, ply: 1 })).toBe("Move 1: O has moved.");
    expect(playedWords(before, { ...before, moves, ply: 1, viewer: null })).toBe("");
  });
});

describe("where all move at once", () => {
  const joint = { ...game, joint: true, symbols: [] as string[] };
  const three = { ...joint, num_players: 3 };
  const now = (part: Partial<Position>) => position({ game: joint, player: -2, waiting: [0], ...part });
  test("who is to choose", () => {
    expect(turnWords(now({}))).toBe("Your choice, player 0");
    expect(turnWords(now({ waiting: [] }))).toBe("The bot is choosing");
    expect(turnWords(now({ game: three, waiting: [] }))).toBe("The bots are choosing");
    expect(turnWords(now({ seats: [0, 1], waiting: [1] }))).toBe("Player 1 is to choose");
    expect(turnWords(now({ seats: [], waiting: [] }))).toBe("All players choose at once");
  });
  test("that nobody sees a choice", () => {
    expect(atOnceWords(now({}))).toContain("does not see your choice");
    expect(atOnceWords(now({ seats: [0, 1] }))).toContain("until all have chosen");
    expect(atOnceWords(now({ seats: [] }))).toBe("");
    expect(atOnceWords(position({}))).toBe("");
  });
  test("a joint move, without players who had no choice", () => {
    const moves = [{ player: -2, action: "1:-:0", text: "paper,-,rock" }];
    const before = now({ game: three, moves: [], ply: 0 });
    expect(playedWords(before, { ...before, moves, ply: 1 })).toBe("Move 1: player 0 plays paper, player 2 plays rock.");
  });
});

test("the rewards so far", () => {
  const one = { ...game, num_players: 1, pays: true };
  expect(paidWords(position({ paid: null }))).toBe("");
  expect(paidWords(position({ game: one, paid: [-1.9] }))).toBe("Rewards so far: −1.9");
  expect(paidWords(position({ paid: [2, -2] }))).toBe("Rewards so far: +2 for X, −2 for O");
  expect(resultWords({ ...game, pays: true }, [3, 1], [0])).toBe("X has more: +3, +1");
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

test("what is compiled", () => {
  const words = (what: string, searches: boolean) => compilingWords({ type: "compiling", what, elapsed: 0, estimate: 0 }, { name: "connect_four", title: "Connect Four" }, searches);
  expect(words("the search", false)).toBe("compiling the search, once");
  expect(words("connect_four", true)).toBe("compiling Connect Four, once; the search is slow until then");
  expect(words("", true)).toBe("");
});

test("how long the compiler takes", () => {
  expect(durationWords(12.7, 31.2)).toBe(": 12 s so far, about 31 s in all");
  expect(durationWords(40, 31.2)).toBe(": 40 s so far");
  expect(durationWords(0, 0)).toBe(": 0 s so far");
});

describe("what others than people have played", () => {
  const moves = ["a1", "b2", "c3", "d4"].map((text, action) => ({ action, text, player: action % 2 }));
  const after = (ply: number, part: Partial<Position> = {}) => position({ moves: moves.slice(0, ply), ply, ...part });
  test("is each of their moves", () => {
    expect(playedWords(after(1), after(2))).toBe("Move 2: O plays b2.");
    expect(playedWords(after(0), after(4, { seats: [] }))).toContain("Move 1: X plays a1. Move 2: O plays b2.");
    const rolled = (part: Partial<Position>) => position({ moves: [{ player: -1, action: 3, text: "4" }], ply: 1, ...part });
    expect(playedWords(position({ moves: [], ply: 0 }), rolled({}))).toBe("Move 1: chance brings 4.");
    expect(playedWords(position({ moves: [], ply: 0 }), rolled({ types_dice: true }))).toBe("");
  });
  test("is nothing where people moved, went back, went on, or began anew", () => {
    expect(playedWords(after(2), after(3))).toBe("");
    expect(playedWords(after(3), after(2))).toBe("");
    expect(playedWords(position({ moves, ply: 1 }), position({ moves, ply: 2 }))).toBe("");
    expect(playedWords(null, after(2))).toBe("");
    expect(playedWords(position({ moves: [], ply: 0, game: { ...game, name: "nim" } }), after(2))).toBe("");
  });
});

test("what the server is at", () => {
  const words = (who: string, stage: string) => thinkingWords({ type: "thinking", who, stage, seconds: null });
  expect(words("bot", "compiling")).toBe("the bot waits for the compiler");
  expect(words("hint", "waiting")).toBe("the hint waits for other searches");
  expect(words("bot", "searching")).toBe("the bot is thinking");
  expect(words("analysis", "paused")).toBe("the analysis is paused");
  expect(words("", "")).toBe("");
});

test("an end of a later version is told by its name", () => {
  expect(endingWords("")).toBe("");
  expect(endingWords("proven")).toContain("proven");
  expect(endingWords("moonrise")).toBe("moonrise");
});
