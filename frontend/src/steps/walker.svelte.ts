/** A walk through simulations: those fetched, its position, and automatic play. */
import type { Explorer } from "../lib/explorer.svelte";
import type { SearchSettings, StepsBegun } from "../protocol";
import { noteValues } from "../lib/spans.svelte";
import { choicesOf, movesTo, type Bounds, type Simulation } from "./simulation";
import { Boards } from "./boards";
import { Growth, beatsOf, endOfSimulation, lastPlace, momentAt, pathAt, type KnownTree, type Moment } from "./walk";

const PREFETCHED = 60;
const MOST_FETCHED = 2000;

export class Walker {
  simulations = $state.raw<Simulation[]>([]);
  place = $state(0);
  beat = $state(0);
  begun = $state.raw<StepsBegun | null>(null);
  over = $state(false);
  waiting = $state(false);
  playing = $state(false);
  trouble = $state("");
  boards: Boards | null = null;

  #growth = $state.raw<Growth>(new Growth([-1, 1]));
  #run = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(readonly explorer: Explorer) {}

  // Not derived: a derived value ends with its component, and a walk outlives it.
  get moment(): Moment | null {
    return momentAt(this.simulations, this.place);
  }
  get beats(): number {
    return beatsOf(this.moment);
  }
  get path(): number[] {
    return pathAt(this.moment, this.beat);
  }
  get ended(): boolean {
    return this.over && this.place >= lastPlace(this.simulations);
  }
  get tree(): KnownTree {
    return this.#growth.at(this.simulations, this.moment, this.beat);
  }

  /** Start a new search; an earlier one is forgotten. */
  begin(settings: SearchSettings, returns: Bounds): Promise<void> {
    const run = ++this.#run;
    this.playing = false;
    return this.#inTurn(() => this.#begin(run, settings, returns));
  }

  async #begin(run: number, settings: SearchSettings, returns: Bounds): Promise<void> {
    if (run !== this.#run) return;
    this.trouble = "";
    this.waiting = true;
    // Results of other settings or positions are not shown as if they belonged to these.
    [this.simulations, this.begun] = [[], null];
    [this.place, this.beat, this.over] = [0, 0, false];
    this.#growth = new Growth(returns);
    try {
      const told = await this.explorer.ask({ type: "begin_steps", settings }, true);
      if (run !== this.#run || told.type !== "steps_begun") return;
      this.#growth = new Growth(returns);
      this.boards = told.is_open ? null : new Boards(this.explorer, told.ply);
      this.begun = told;
    } catch (error) {
      if (run !== this.#run) return;
      this.begun = null;
      this.trouble = wordsOf(error);
    } finally {
      if (run === this.#run) this.waiting = false;
    }
  }

  /** Show the next phase; still : all at once. */
  press(still: boolean): Promise<void> {
    return this.#inTurn(async () => {
      if (await this.#have(this.place + 1)) this.#stand(this.place + 1, still);
    });
  }

  /** Go to the end of the simulation; count : and of this many more. */
  simulate(count = 0): Promise<void> {
    return this.#inTurn(async () => {
      const target = endOfSimulation(this.place) + 4 * count;
      await this.#have(target);
      this.#stand(Math.min(target, lastPlace(this.simulations)), true);
    });
  }

  /** Go to a place, as soon as all earlier requests are done. */
  go(place: number): Promise<void> {
    return this.#inTurn(async () => {
      if (await this.#have(place)) this.#stand(place, true);
    });
  }

  back(): void {
    this.playing = false;
    if (this.place > 0) this.#stand(this.place - 1, true);
  }

  reset(): void {
    this.playing = false;
    this.#stand(0, true);
  }

  /** Show one more beat of the phase. */
  advance(): void {
    if (this.beat < this.beats) this.beat += 1;
  }

  /** Run a request when all earlier ones are done. */
  #inTurn(deed: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(deed);
    return this.#turn;
  }

  #stand(place: number, still: boolean): void {
    this.place = place;
    this.beat = still ? this.beats : 0;
    if (this.moment) this.#prefetch(this.moment.simulation);
  }

  /** Fetch simulations until a place is reached; false if there is no such place. */
  async #have(place: number): Promise<boolean> {
    const missing = Math.ceil(place / 4) - this.simulations.length;
    if (missing <= 0) return true;
    if (this.over || !this.begun) return false;
    if (this.simulations.length + missing > MOST_FETCHED) {
      this.trouble = `a walk has at most ${MOST_FETCHED} simulations: restart it`;
      this.playing = false;
      return false;
    }
    const run = this.#run;
    this.waiting = true;
    try {
      const told = await this.explorer.ask({ type: "make_steps", count: Math.min(missing, 100) }, true);
      if (run !== this.#run || told.type !== "steps_made") return false;
      const made = told.simulations as unknown as Simulation[];
      this.simulations = [...this.simulations, ...made];
      const game = this.explorer.position?.game;
      if (game) for (const simulation of made) noteValues(game, valuesOf(simulation));
      this.over = told.over;
      this.trouble = "";
      return this.simulations.length * 4 >= place;
    } catch (error) {
      if (run === this.#run) this.trouble = wordsOf(error);
      this.playing = false;
      return false;
    } finally {
      if (run === this.#run) this.waiting = false;
    }
  }

  #prefetch(simulation: Simulation): void {
    const way = movesTo(simulation).map((move) => move.action);
    const game = simulation.playout.games[0]?.moves.map((move) => move.action) ?? [];
    const whole = [...way, ...game.slice(0, PREFETCHED)];
    this.boards?.prefetch(Array.from({ length: whole.length + 1 }, (_, length) => whole.slice(0, length)));
  }
}

function valuesOf(simulation: Simulation): (number | null)[] {
  const siblings = choicesOf(simulation).flatMap((choice) => choice.siblings.map((sibling) => sibling.value));
  return [...siblings, ...simulation.backup.updates.map((update) => update.value_after), ...simulation.playout.returns];
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const mend = (error as Error & { mend?: string | null }).mend;
  return mend ? `${error.message}: ${mend}` : error.message;
}
