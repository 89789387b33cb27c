import { expect, it } from "vitest";
import type { Wish } from "../lib/explorer.svelte";
import type { ToldByServer } from "../protocol";
import { Boards } from "./boards";

function server(fails: (line: string) => boolean = () => false) {
  const asked: string[] = [];
  let now = 0;
  let most = 0;
  const ask = async (wish: Wish): Promise<ToldByServer> => {
    if (wish.type !== "ask_board") throw new Error(wish.type);
    const line = wish.line.join(".");
    asked.push(line);
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 100));
    now--;
    if (fails(line)) throw new Error("refused");
    return { type: "board_told", line: wish.line, line_text: [], board: null, svg: null, text: `after ${line} from ${wish.ply}`, player: 0, returns: null, paid: null };
  };
  return { asked, ask, most: () => most };
}

it("asks for each board once, for few at a time, and first for those wanted now", async () => {
  const { asked, ask, most } = server();
  const boards = new Boards({ ask }, 3);
  boards.prefetch(Array.from({ length: 12 }, (_, i) => [i]));
  const told = await Promise.all([boards.get([7]), boards.get([11]), boards.get([7])]);
  expect(told.map((board) => board.text)).toEqual(["after 7 from 3", "after 11 from 3", "after 7 from 3"]);
  expect(asked.slice(0, 3)).toEqual(["0", "7", "11"]);
  await Promise.all(Array.from({ length: 12 }, (_, i) => boards.get([i])));
  expect([...asked].sort()).toEqual(Array.from({ length: 12 }, (_, i) => `${i}`).sort());
  expect(most()).toBe(4);
});

it("forgets what was to be fetched for an earlier simulation", async () => {
  const { asked, ask } = server();
  const boards = new Boards({ ask }, 0);
  boards.prefetch(Array.from({ length: 50 }, (_, i) => [1, i]));
  boards.prefetch([[2]]);
  await boards.get([2]);
  expect(asked.filter((line) => line.startsWith("1.")).length).toBeLessThan(5);
});

it("asks again for a board that failed", async () => {
  let down = true;
  const { asked, ask } = server(() => down);
  const boards = new Boards({ ask }, 0);
  await expect(boards.get([1])).rejects.toThrow("refused");
  down = false;
  expect((await boards.get([1])).text).toBe("after 1 from 0");
  expect(asked).toEqual(["1", "1"]);
});
