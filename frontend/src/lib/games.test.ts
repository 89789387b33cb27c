import { beforeEach, expect, test, vi } from "vitest";
import { cardOf, firstGame, found, keepLast } from "./games";
import type { GameCard } from "../protocol";

const card = (name: string, kinds: string[], more: Partial<GameCard> = {}) =>
  ({ name, title: name, about: "", num_players: 2, kinds, reason: null, ...more }) as GameCard;
const GAMES = [
  card("connect_four", ["two players"], { about: "Four in a line." }),
  card("pig", ["two players", "dice"]),
  card("tiger", ["planning"], { reason: "It is partially observed" }),
];

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
});

test("games are found by words and kinds together", () => {
  const names = (text: string, ...kinds: string[]) => found(GAMES, text, kinds).map(({ name }) => name);
  expect(names("")).toHaveLength(3);
  expect(names("LINE four")).toEqual(["connect_four"]);
  expect(names("", "two players", "dice")).toEqual(["pig"]);
  expect(names("dice")).toEqual(["pig"]);
  expect(names("line", "dice")).toEqual([]);
});

test("a variant has the card of its game", () => {
  expect(cardOf("connect_four(rows=5)", GAMES)?.name).toBe("connect_four");
  expect(cardOf("chess", GAMES)).toBeUndefined();
});

test("the server's game comes first, then the last one, then the first that can be played", () => {
  expect(firstGame({ first: null, games: GAMES })).toBe("connect_four");
  keepLast("pig");
  expect(firstGame({ first: null, games: GAMES })).toBe("pig");
  expect(firstGame({ first: "mine", games: GAMES })).toBe("mine");
  keepLast("tiger");
  expect(firstGame({ first: null, games: GAMES })).toBe("connect_four");
});
