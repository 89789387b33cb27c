/** The server as the page sees it: its latest messages, and a way to send messages to it. */
import { noteValues } from "./spans.svelte";
import type {
  Analysis,
  Compiling,
  Position,
  SaidByPage,
  Thinking,
  ToldByServer,
  Tree,
  Welcome,
} from "../protocol";

type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;
export type Wish = WithoutId<SaidByPage>;
export type Answer<T extends ToldByServer["type"]> = Extract<ToldByServer, { type: T }>;

/** What went wrong, and how to mend it. */
export interface Trouble {
  message: string;
  mend: string | null;
}

/** A refusal of the server, as an error with a correction. */
export class RefusedError extends Error {
  constructor(
    message: string,
    readonly mend: string | null,
    /** Nothing was wrong, but a later request has replaced this one. */
    readonly superseded = false,
  ) {
    super(message);
  }
}

const RESTING: Thinking = { type: "thinking", who: "", stage: "", seconds: null };
const NOTHING: Compiling = { type: "compiling", what: "", elapsed: 0, estimate: 0 };
const LOST = { message: "This was not done: the connection to the server is lost.", mend: "The page reconnects automatically." };
const SESSION = "branchwise-session";
/** A copy of this tab has taken over the session; this one starts another, at the same position. */
const TAKEN_OVER = 4001;
/** Requests that are answered with a position, often another one. */
const MOVES: readonly Wish["type"][] = ["new_game", "play", "go_to", "undo", "redo", "take_up", "set_players"];
const PATIENCE = [250, 500, 1000, 2000, 5000];

interface Waiting {
  resolve: (answer: ToldByServer) => void;
  reject: (error: Error) => void;
  quiet: boolean;
}

export class Explorer {
  connected = $state(false);
  /** Whether the position is about to change: no move can be chosen until the answer is here. */
  moving = $state(false);
  welcome = $state.raw<Welcome | null>(null);
  position = $state.raw<Position | null>(null);
  thinking = $state.raw<Thinking>(RESTING);
  compiling = $state.raw<Compiling>(NOTHING);
  analysis = $state.raw<Analysis | null>(null);
  tree = $state.raw<Tree | null>(null);
  problem = $state.raw<Trouble | null>(null);

  #socket: WebSocket | null = null;
  #attempts = 0;
  #number = 0;
  #waiting = new Map<number, Waiting>();
  #moves = new Set<number>();
  #begin: () => void;
  /** Settings of the analysis, as sent; null if unknown. */
  #settings: string | null = null;
  /** The request for other settings; until it is answered, results belong to the settings before. */
  #changing: number | null = null;

  /** onNew : called when a session starts without a position, or after the server lost its position. */
  constructor(onNew: () => void) {
    this.#begin = onNew;
    this.#connect();
  }

  /** Send a message; its effects appear in the fields above, an error in `problem`. */
  say(wish: Wish, quiet = false): void {
    this.ask(wish, quiet).catch(() => {});
  }

  /** Send a message and return its answer, or the next of its effects.
   * quiet : an error goes only to the caller and is not shown in `problem`. */
  ask(wish: Wish, quiet = false): Promise<ToldByServer> {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) {
      if (!quiet) this.problem = LOST;
      return Promise.reject(new RefusedError(LOST.message, LOST.mend));
    }
    const id = ++this.#number;
    if (wish.type === "analyse") this.#choose(wish.settings ?? null, id);
    if (MOVES.includes(wish.type)) this.#moves.add(id);
    this.moving = this.#moves.size > 0;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, quiet });
      socket.send(JSON.stringify({ ...wish, id }));
    });
  }

  /** Numbers found with other settings do not belong to the chosen ones, so they are not shown. */
  #choose(settings: object | null, id: number): void {
    if (settings === null) return;
    const chosen = JSON.stringify(Object.entries(settings).filter(([, value]) => value != null).sort());
    if (chosen === this.#settings) return;
    this.#settings = chosen;
    this.#changing = id;
    if (this.analysis?.who !== "bot") this.analysis = null;
    this.tree = null;
  }

  #connect(): void {
    const url = new URL("api/session", document.baseURI);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = (this.#socket = new WebSocket(url));
    socket.onopen = () => {
      const session = sessionStorage.getItem(SESSION);
      socket.send(JSON.stringify({ type: "hello", session }));
    };
    socket.onmessage = (event: MessageEvent<string>) => this.#hear(JSON.parse(event.data) as ToldByServer);
    socket.onclose = (event) => {
      this.connected = false;
      this.thinking = RESTING;
      this.compiling = NOTHING;
      this.#settings = this.#changing = null;
      if (event.code === TAKEN_OVER) sessionStorage.removeItem(SESSION);
      for (const { reject } of this.#waiting.values()) reject(new RefusedError("the connection was lost", null));
      this.#waiting.clear();
      this.#moves.clear();
      this.moving = false;
      setTimeout(() => this.#connect(), PATIENCE[Math.min(this.#attempts++, PATIENCE.length - 1)]);
    };
  }

  #hear(told: ToldByServer): void {
    const waiting = told.id == null ? undefined : this.#waiting.get(told.id);
    if (told.id != null) {
      this.#waiting.delete(told.id);
      this.#moves.delete(told.id);
    }
    this.moving = this.#moves.size > 0;
    if (told.id != null && told.id === this.#changing) this.#changing = null;
    switch (told.type) {
      case "welcome":
        this.#attempts = 0;
        this.welcome = told;
        this.connected = true;
        if (this.problem === LOST) this.problem = null;
        sessionStorage.setItem(SESSION, told.session);
        if (!told.resumed) this.#begin();
        break;
      case "position":
        if (!this.#sameUntil(told, this.analysis?.ply ?? 0)) this.analysis = null;
        if (JSON.stringify(told.game) === JSON.stringify(this.position?.game)) told.game = this.position!.game; // what is made of it stays
        this.position = told;
        for (const { values } of told.values) noteValues(told.game, values);
        this.problem = null;
        break;
      case "thinking":
        this.thinking = told;
        break;
      case "compiling":
        this.compiling = told;
        break;
      case "analysis":
        if (this.#changing === null || told.who === "bot") this.analysis = told;
        if (this.position) noteValues(this.position.game, [...[...told.children, ...told.strategies.flat()].map((one) => one.value), ...(told.values ?? []), ...(told.matrix?.values.flat() ?? [])]);
        break;
      case "tree":
        if (this.#changing === null) this.tree = told;
        if (this.position) noteValues(this.position.game, told.nodes.map((node) => node.value));
        break;
      case "refused":
        if (!waiting?.quiet && !told.superseded) this.problem = { message: told.message, mend: told.mend };
        waiting?.reject(new RefusedError(told.message, told.mend, told.superseded));
        return;
    }
    waiting?.resolve(told);
  }

  /** Whether a position is of the same game and the same `ply` first moves as the one shown. */
  #sameUntil(told: Position, ply: number): boolean {
    const now = this.position;
    if (now === null || now.game.name !== told.game.name || told.moves.length < ply) return false;
    if (now.viewer !== told.viewer) return false;
    // The same moves may lead to another position there.
    if ((told.game.simulates || told.game.hides) && told.ply !== now.ply + 1 && (told.ply !== now.ply || told.text !== now.text)) return false;
    return told.moves.slice(0, ply).every((move, i) => move.action === now.moves[i]?.action);
  }
}
