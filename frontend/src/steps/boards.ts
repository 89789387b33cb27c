/** Boards of lines of play, each requested once. */
import type { Answer, Explorer } from "../lib/explorer.svelte";
import type { Action } from "../lib/actions";
import type { Phase, Simulation } from "./simulation";

type Told = Answer<"board_told">;
type Line = readonly Action[];

const AT_ONCE = 4;
const MOST = 600;
/** Milliseconds between requests: a server limits requests per second. */
const APART = 20;

interface Wanted {
  line: Line;
  told: (board: Told) => void;
  failed: (error: unknown) => void;
}

export interface Shown {
  svg: string | null;
  text: string;
  label: string;
}

/** The board at a step in an open loop, where moves alone do not lead to it again; null before the first step. */
export function openBoard(simulation: Simulation, phase: Phase, beat: number): Shown | null {
  const { selection, expansion, playout, pictures } = simulation;
  const [game] = playout.games;
  const way = (line: readonly string[]) => (line.length ? `after ${line.join(" ")}, this time` : "at the root");
  if (phase === "selection" && beat < selection.choices.length) {
    const { board, line } = selection.choices[beat]!;
    return { svg: null, text: board ?? "", label: `Board ${way(line)}` };
  }
  if (phase === "selection" || (phase === "expansion" && beat === 0)) {
    return { svg: pictures?.leaf ?? null, text: selection.board, label: `Board ${way(selection.line)}` };
  }
  if (game && (phase === "backup" || (phase === "playout" && beat >= game.moves.length))) {
    return { svg: pictures?.end ?? null, text: game.board, label: "Board at the end of the playout" };
  }
  return { svg: pictures?.node ?? null, text: expansion.board, label: `Board ${way(expansion.line)}` };
}

export class Boards {
  #known = new Map<string, Promise<Told>>();
  #running = 0;
  #wanted: Wanted[] = [];
  #later: Line[] = [];
  #next = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly explorer: Pick<Explorer, "ask">,
    readonly ply: number,
  ) {}

  /** The board after a line from the position; a line that failed is requested again next time. */
  get(line: Line): Promise<Told> {
    const key = line.join("/");
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size >= MOST) this.#known.delete(this.#known.keys().next().value!);
    const asked = new Promise<Told>((told, failed) => this.#wanted.push({ line, told, failed }));
    this.#known.set(key, asked);
    asked.catch(() => this.#known.delete(key));
    this.#pump();
    return asked;
  }

  /** Request, after the boards wanted now, those wanted later; the rest of an earlier list is dropped. */
  prefetch(lines: Iterable<Line>): void {
    this.#later = [...lines].filter((line) => !this.#known.has(line.join("/")));
    this.#pump();
  }

  #pump(): void {
    if (this.#timer !== undefined || this.#running >= AT_ONCE) return;
    const wait = this.#next - performance.now();
    if (wait > 0) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#pump();
      }, wait);
      return;
    }
    const wanted = this.#wanted.shift();
    if (wanted) {
      this.#next = performance.now() + APART;
      void this.#ask(wanted);
    } else {
      const line = this.#later.shift();
      if (!line) return;
      this.get(line).catch(() => {});
    }
    this.#pump();
  }

  async #ask({ line, told, failed }: Wanted): Promise<void> {
    this.#running++;
    try {
      const board = await this.explorer.ask({ type: "ask_board", line: [...line], ply: this.ply }, true);
      if (board.type !== "board_told") throw new Error(`asked for a board, told ${board.type}`);
      told(board);
    } catch (error) {
      failed(error);
    } finally {
      this.#running--;
      this.#pump();
    }
  }
}
