import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Analysis, SearchSettings, Tree } from "../protocol";
import { Explorer, RefusedError } from "./explorer.svelte";

/** A connection of which the test is the server. */
class Socket {
  static OPEN = 1;
  static last: Socket;
  readyState = 1;
  said: { type: string; id: number }[] = [];
  onopen?: () => void;
  onmessage?: (event: { data: string }) => void;
  onclose?: (event: { code: number }) => void;
  constructor() {
    Socket.last = this;
  }
  send(text: string): void {
    this.said.push(JSON.parse(text));
  }
  tell(told: object): void {
    this.onmessage?.({ data: JSON.stringify({ id: null, ...told }) });
  }
  close(): void {
    this.readyState = 3;
    this.onclose?.({ code: 1006 });
  }
}

const analysis = (simulations: number, who = "analysis") => ({ type: "analysis", who, ply: 0, simulations }) as Analysis;
const tree = { type: "tree", ply: 0, nodes: [{}] } as unknown as Tree;
let explorer: Explorer;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("document", { baseURI: "http://127.0.0.1:8642/" });
  vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => {}, removeItem: () => {} });
  explorer = new Explorer(() => {});
  Socket.last.onopen?.();
  Socket.last.tell({ type: "welcome", session: "s", resumed: true, games: [] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function analyse(settings: SearchSettings): { id: number; refused: Promise<unknown> } {
  const refused = explorer.ask({ type: "analyse", on: true, settings }).then(() => null, (error: unknown) => error);
  return { id: Socket.last.said.at(-1)!.id, refused };
}

test("numbers found with other settings are not shown under the new ones", () => {
  const first = analyse({});
  Socket.last.tell({ type: "thinking", id: first.id, who: "analysis", stage: "searching" });
  Socket.last.tell(analysis(100));
  Socket.last.tell(tree);
  const { id } = analyse({ selection: "thompson" });
  expect(explorer.analysis).toBeNull();
  expect(explorer.tree).toBeNull();
  Socket.last.tell(analysis(200)); // on its way when the settings were changed
  Socket.last.tell(tree);
  expect(explorer.analysis).toBeNull();
  expect(explorer.tree).toBeNull();
  Socket.last.tell({ type: "thinking", id, who: "analysis", stage: "compiling" });
  Socket.last.tell(analysis(5));
  expect(explorer.analysis?.simulations).toBe(5);
});

test("the same settings, and what the bot thinks, stay", () => {
  analyse({ selection: null, c: 0.5 });
  Socket.last.tell(analysis(100, "bot"));
  analyse({ c: 0.5 });
  expect(explorer.analysis?.simulations).toBe(100);
  analyse({ c: 0.7 });
  Socket.last.tell(analysis(200, "bot"));
  expect(explorer.analysis?.simulations).toBe(200);
});

test("what another request has taken the place of is no trouble", async () => {
  const { id, refused } = analyse({});
  Socket.last.tell({ type: "refused", id, message: "a later request", mend: null, about: "analyse", superseded: true });
  expect(explorer.problem).toBeNull();
  expect(await refused).toMatchObject({ superseded: true });
});

test("without a connection nothing goes on, and what is asked for is refused", async () => {
  Socket.last.tell({ type: "thinking", who: "analysis", stage: "searching" });
  Socket.last.close();
  expect(explorer.thinking.stage).toBe("");
  const refused = await explorer.ask({ type: "play", action: 1, ply: 0 }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(RefusedError);
  expect(explorer.problem?.message).toContain("not done");
  explorer.problem = null;
  explorer.say({ type: "watch_tree", branches: [] }, true);
  expect(explorer.problem).toBeNull();
  explorer.say({ type: "undo" });
  vi.advanceTimersByTime(1000);
  Socket.last.tell({ type: "welcome", session: "s", resumed: true, games: [] });
  expect(explorer.problem).toBeNull();
});

test("no move can be chosen until what was asked of the position is answered", () => {
  const answer = (told: object) => Socket.last.tell({ id: Socket.last.said.at(-1)!.id, ...told });
  const position = { type: "position", game: { name: "nim" }, ply: 0, moves: [], values: [] };
  for (const type of ["undo", "redo"] as const) {
    explorer.say({ type });
    expect(explorer.moving).toBe(true);
    answer(position);
    expect(explorer.moving).toBe(false);
  }
  explorer.say({ type: "play", action: 1, ply: 0 });
  const first = Socket.last.said.at(-1)!.id;
  explorer.say({ type: "undo" });
  answer(position);
  expect(explorer.moving).toBe(true); // the first is still under way
  Socket.last.tell({ type: "refused", id: first, message: "no", mend: null, about: "play" });
  expect(explorer.moving).toBe(false);
  explorer.say({ type: "hint" });
  expect(explorer.moving).toBe(false);
  explorer.say({ type: "undo" });
  Socket.last.close();
  expect(explorer.moving).toBe(false);
});
