/** Turns, seats, and the ends of games and searches, in words. */
import type { Compiling, GameInfo, Position, Thinking } from "../protocol";
import { signed } from "./numbers";
import { ALL, CHANCE, UNSEEN, asked, forPlayer, isLaidOpen, playerCapital, playerName } from "./players";

export function turnWords(position: Position): string {
  const { game, player, seats, returns } = position;
  if (player === null) return returns ? resultWords(game, returns, seats) : "The game is over";
  if (isLaidOpen(position)) return `${playerCapital(game, player)} was to move here`;
  if (player === UNSEEN) return game.num_players === 2 ? "The bot is to move" : "Another player is to move";
  if (player === CHANCE) return position.types_dice ? "What do the dice show?" : "Chance is to move";
  if (player === ALL) {
    const chooser = asked(position);
    if (chooser === null) return seats.length === 0 ? "All players choose at once" : game.num_players === 2 ? "The bot is choosing" : "The bots are choosing";
    return seats.length === 1 ? `Your choice, ${playerName(game, chooser)}` : `${playerCapital(game, chooser)} is to choose`;
  }
  const name = playerCapital(game, player);
  if (!seats.includes(player)) return `${name}, the bot, is to move`;
  return seats.length === 1 ? `Your move, ${playerName(game, player)}` : `${name} is to move`;
}

export function resultWords(game: GameInfo, returns: number[], seats: number[]): string {
  const best = Math.max(...returns);
  const winners = returns.flatMap((r, player) => (r === best ? [player] : []));
  const figures = returns.map((r) => signed(r)).join(", ");
  if (returns.length === 1) return `The game is over: ${figures}`;
  if (game.pays && winners.length < returns.length && returns.length === 2) {
    return `${playerCapital(game, winners[0]!)} has more: ${figures}`;
  }
  if (winners.length === returns.length) return "The game is drawn";
  const names = winners.map((w) => playerName(game, w)).join(" and ");
  const verb = winners.length > 1 ? "share the win" : "wins";
  const yours = seats.length === 1 ? (winners.includes(seats[0]!) ? ": you win" : ": you lose") : "";
  return `${names.charAt(0).toUpperCase()}${names.slice(1)} ${verb}${returns.length > 2 ? ` (${figures})` : ""}${yours}`;
}

/** The sum of the rewards so far, in words; "" if returns come only at the end. */
export function paidWords({ game, paid }: Position): string {
  if (paid === null) return "";
  const sums = paid.map((sum, player) => `${signed(sum)}${forPlayer(game, player)}`);
  return `Rewards so far: ${sums.join(", ")}`;
}

/** The current search in words; "" if there is none. */
export function thinkingWords({ who, stage }: Thinking): string {
  const searching: Record<string, string> = { bot: "the bot is thinking", hint: "looking for a hint", analysis: "analysing" };
  const other: Record<string, string> = { compiling: "waits for the compiler", waiting: "waits for other searches", paused: "is paused" };
  if (stage === "searching") return searching[who] ?? "";
  return who in searching && stage in other ? `the ${who} ${other[stage]}` : "";
}

/** What is being compiled, in words; "" for nothing. game : the game that is open.   searches : whether a search runs meanwhile. */
export function compilingWords({ what }: Compiling, { name, title }: Pick<GameInfo, "name" | "title">, searches: boolean): string {
  if (what === "") return "";
  return `compiling ${what === name ? title : what}, once${searches ? "; the search is slow until then" : ""}`;
}

/** The time compiling has taken and may take; an estimate that was too low is left out. */
export function durationWords(elapsed: number, estimate: number): string {
  const about = elapsed < estimate ? `, about ${Math.round(estimate)} s in all` : "";
  return `: ${Math.floor(elapsed)} s so far${about}`;
}

/** Moves since `before` that people did not make, such as "Move 4: O plays c3."; "" if there are none. */
export function playedWords(before: Position | null, now: Position): string {
  if (before === null || before.game.name !== now.game.name || now.ply <= before.ply) return "";
  if (before.viewer !== now.viewer) return ""; // what was hidden is shown, and moves are counted anew
  if (now.moves.length <= before.moves.length) return ""; // the person has navigated or redone moves
  return now.moves
    .slice(before.ply, now.ply)
    .flatMap((move, i) => (now.seats.includes(move.player) || (move.player === CHANCE && now.types_dice) ? [] : [`Move ${before.ply + i + 1}: ${playedBy(now, move)}.`]))
    .join(" ");
}

function playedBy({ game }: Position, { action, player, text }: Position["moves"][number]): string {
  if (player === ALL) {
    const texts = text.split(",").map((one, chooser) => (one === "-" ? "" : `${playerName(game, chooser)} plays ${one}`));
    return texts.filter(Boolean).join(", ");
  }
  if (action === UNKNOWN_ACTION) return `${playerName(game, player)} has moved`;
  return player === CHANCE ? `chance brings ${text}` : `${playerName(game, player)} plays ${text}`;
}

/** In place of an action of which the viewer does not know which it was. */
const UNKNOWN_ACTION = -1;

/** What is different while something is hidden; "" where nothing is. */
export function hiddenWords({ game, viewer }: Position): string {
  if (!game.hides) return "";
  if (viewer == null) return "The game is over, and everything is shown.";
  return `You see what ${playerName(game, viewer)} may see. Only one person can play here, and moves cannot be taken back.`;
}

/** How people choose where all move at once; "" elsewhere. */
export function atOnceWords({ player, seats }: Pick<Position, "player" | "seats">): string {
  if (player !== ALL || seats.length === 0) return "";
  if (seats.length === 1) return "All players choose at once. The bot chooses by the position before, and does not see your choice.";
  return "All players choose at once. Choose one after the other: no choice is shown until all have chosen.";
}

export interface SeatChoice {
  key: string;
  label: string;
  seats: number[];
}

/** The seats that a person may choose: each seat, all of them, none; with hidden information, a single one. */
export function seatChoices(game: GameInfo): SeatChoice[] {
  const players = Array.from({ length: game.num_players }, (_, p) => p);
  const ordinals = ["first", "second", "third", "fourth"];
  const single = players.map((p) => ({ label: `You play ${ordinals[p] ?? `as player ${p}`}`, seats: [p] }));
  const all = { label: players.length === 2 ? "People play both" : "People play all", seats: players };
  const none = { label: "The bot plays itself", seats: [] };
  const choices = game.hides ? single : players.length === 1 ? [{ label: "You play", seats: [0] }, none] : [...single, all, none];
  return choices.map((choice) => ({ ...choice, key: choice.seats.join(",") }));
}

const ENDS: Record<string, string> = {
  proven: "proven: the search is complete",
  complete: "complete: every position has been visited",
  decided: "decided: no other move can catch up",
  simulations: "all simulations done",
  seconds: "time is up",
  nodes: "node limit reached",
  stopped: "stopped",
  interrupted: "interrupted",
};

/** Why a search ended, in words; "" while it runs. */
export function endingWords(endedBy: string): string {
  return endedBy === "" ? "" : (ENDS[endedBy] ?? endedBy);
}
