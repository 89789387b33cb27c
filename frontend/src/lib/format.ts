/** Numbers as people read them. */
import type { ChildTold } from "../protocol";

export interface Range {
  min_return: number;
  max_return: number;
}

const MINUS = "−";

/** 1,234 up to six digits, then 1.23 M and 4.56 G. */
export function count(n: number): string {
  if (n < 1e6) return Math.round(n).toLocaleString("en-US");
  if (n < 1e9) return `${(n / 1e6).toFixed(2)} M`;
  return `${(n / 1e9).toFixed(2)} G`;
}

/** 950, 12.3 k, 4.56 M: for what changes ten times a second. */
export function rough(n: number): string {
  if (n < 1e3) return Math.round(n).toString();
  if (n < 1e6) return `${(n / 1e3).toFixed(n < 1e4 ? 2 : n < 1e5 ? 1 : 0)} k`;
  return count(n);
}

export function share(part: number): string {
  const percent = part * 100;
  return `${percent > 0 && percent < 9.95 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** A return with its sign; whole numbers without decimals only if `exact`. */
export function value(v: number | null, exact = false): string {
  if (v === null) return "–";
  const size = exact && Number.isInteger(v) ? Math.abs(v).toString() : Math.abs(v).toFixed(2);
  if (Number(size) === 0) return size;
  return (v < 0 ? MINUS : "+") + size;
}

export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Memory in units of 2**20 bytes. */
export function megabytes(bytes: number): string {
  const mb = bytes / 2 ** 20;
  return `${mb < 10 ? mb.toFixed(1) : Math.round(mb).toLocaleString("en-US")} MB`;
}

/** What is proven of a move, in words: "win in 3", "at least a draw"; "" if nothing is. */
export function proven(child: ChildTold, { min_return: min, max_return: max }: Range): string {
  const middle = (min + max) / 2;
  if (child.proven !== null) {
    const word =
      child.proven === max ? "win" : child.proven === min ? "loss" : child.proven === middle ? "draw" : value(child.proven, true);
    return child.moves_to_end === null ? word : `${word} in ${child.moves_to_end}`;
  }
  if (child.at_least > min) return child.at_least === middle ? "at least a draw" : `at least ${value(child.at_least, true)}`;
  if (child.at_most < max) return child.at_most === middle ? "at most a draw" : `at most ${value(child.at_most, true)}`;
  return "";
}

const ENDS: Record<string, string> = {
  proven: "proven: nothing is left to search",
  complete: "complete: nothing new to visit",
  decided: "decided: no other move can catch up",
  simulations: "all its simulations done",
  seconds: "its time is up",
  nodes: "its nodes are used up",
  stopped: "stopped",
  interrupted: "interrupted",
};

/** Why a search ended, in words; "" while it goes on. */
export function ending(endedBy: string): string {
  return endedBy === "" ? "" : (ENDS[endedBy] ?? endedBy);
}

/** Where a value lies between the worst, 0, and the best, 1. */
export function gain(v: number, { min_return: min, max_return: max }: Range): number {
  return max > min ? Math.min(1, Math.max(0, (v - min) / (max - min))) : 0.5;
}

/** The colour of a value: orange is bad for whose value it is, grey even, blue good. */
export function valueColour(v: number | null, range: Range): string {
  if (v === null) return "var(--even)";
  const lean = 2 * gain(v, range) - 1;
  const weight = Math.round(Math.sqrt(Math.abs(lean)) * 100);
  return `color-mix(in oklab, var(${lean < 0 ? "--bad" : "--good"}) ${weight}%, var(--even))`;
}
