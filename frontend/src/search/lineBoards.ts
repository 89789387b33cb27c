/** Boards along lines of play, each requested once. */
import type { Explorer } from "../lib/explorer.svelte";
import type { Action } from "../lib/actions";
import type { BoardTold } from "../protocol";

const MOST = 400;

export class LineBoards {
  #kept = new Map<string, Promise<BoardTold>>();
  #explorer: Pick<Explorer, "ask">;

  constructor(explorer: Pick<Explorer, "ask">) {
    this.#explorer = explorer;
  }

  /** The board after `line` from the position `start`, which is reached after `ply` moves. */
  board(start: string, ply: number, line: readonly Action[]): Promise<BoardTold> {
    const key = `${start} ${line.join("/")}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const asked = this.#explorer.ask({ type: "ask_board", line: [...line], ply }, true).then((told) => {
      if (told.type !== "board_told") throw new Error(`a board was asked for, ${told.type} was told`);
      return told;
    });
    this.#kept.set(key, asked);
    asked.catch(() => this.#kept.delete(key));
    if (this.#kept.size > MOST) this.#kept.delete(this.#kept.keys().next().value!);
    return asked;
  }
}
