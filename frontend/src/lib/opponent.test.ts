import { describe, expect, test } from "vitest";
import { isTuned, keptOpponent } from "./opponent";

const PLAIN = { has_levels: false, tuned: {}, bots: [] };
const RICH = { has_levels: true, tuned: { c: 0.2 }, bots: [{ name: "gnugo", about: "" }] };

describe("the bot, when the game changes", () => {
  test("keeps its time, and its level where there are levels", () => {
    expect(keptOpponent({ seconds: 2 }, PLAIN)).toEqual({ seconds: 2 });
    expect(keptOpponent({ simulations: 50 }, undefined)).toEqual({ simulations: 50 });
    expect(keptOpponent({ level: 3 }, RICH)).toEqual({ level: 3 });
    expect(keptOpponent({ level: 3 }, PLAIN)).toBeNull();
    expect(keptOpponent({ level: 3 }, undefined)).toBeNull();
  });

  test("keeps tuned settings only where there are some", () => {
    expect(keptOpponent({ seconds: 2, tuned: true }, RICH)).toEqual({ seconds: 2, tuned: true });
    expect(keptOpponent({ seconds: 2, tuned: true }, PLAIN)).toEqual({ seconds: 2, tuned: false });
    expect(keptOpponent({ simulations: 9, tuned: true }, undefined)).toEqual({ simulations: 9, tuned: false });
  });

  test("is the server's bot only in the games that this bot plays", () => {
    expect(keptOpponent({ bot: "gnugo" }, RICH)).toEqual({ bot: "gnugo" });
    expect(keptOpponent({ bot: "pachi" }, RICH)).toBeNull();
    expect(keptOpponent({ bot: "gnugo" }, PLAIN)).toBeNull();
    expect(keptOpponent({ bot: "gnugo" }, undefined)).toBeNull();
  });

  test("is tuned for a game for which settings were found", () => {
    expect([RICH, PLAIN, undefined].map(isTuned)).toEqual([true, false, false]);
  });
});
