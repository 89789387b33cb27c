import { describe, expect, test } from "vitest";
import { defaultWords, tunedWords } from "./tuned";

const HEX = { selection: "rave", c: 0.03, first_play: "parent" };

describe("settings that were found for a game", () => {
  test("are listed with their values", () => {
    expect(tunedWords(HEX)).toBe("selection rave, c 0.03, first play parent");
    expect(tunedWords({ proofs: false, cutoff: 0 })).toBe("proofs false, cutoff 0");
    expect(tunedWords({})).toBe("");
  });

  test("are the defaults only while they are on", () => {
    expect(defaultWords(HEX, { tuned: true }, "selection", "default")).toBe("tuned: rave");
    expect(defaultWords(HEX, { tuned: false }, "selection", "default")).toBe("default");
    expect(defaultWords(HEX, {}, "selection", "default")).toBe("default");
    expect(defaultWords(HEX, { tuned: true }, "playout", "game default")).toBe("game default");
    expect(defaultWords({ cutoff: 0 }, { tuned: true }, "cutoff", "none")).toBe("tuned: 0");
  });

  test("leave out the weight of another rule, as the search does", () => {
    expect(defaultWords(HEX, { tuned: true }, "c", "default")).toBe("tuned: 0.03");
    expect(defaultWords(HEX, { tuned: true, selection: "rave" }, "c", "default")).toBe("tuned: 0.03");
    expect(defaultWords(HEX, { tuned: true, selection: "puct" }, "c", "default")).toBe("default");
    expect(defaultWords({ c: 0.35 }, { tuned: true, selection: "ucb1" }, "c", "default")).toBe("tuned: 0.35");
    expect(defaultWords({ c: 0.35 }, { tuned: true, selection: "rave" }, "c", "default")).toBe("default");
  });
});
