/** The formula of a selection rule, also with the numbers of a child. */
import { plain, signed } from "../lib/numbers";
import { chosenOf, type Choice } from "./simulation";

interface Formula {
  text: (c: string) => string;
  /** The meaning of letters other than N and n. */
  letters: string;
  /** The exploration of a child with its numbers; without it only the sum of the terms is shown. */
  filled?: (c: string, N: number, n: number, prior: number | null) => string;
}

const FORMULAS: Record<string, Formula> = {
  ucb1: { text: (c) => `value + ${c} · √(ln N / n)`, letters: "", filled: (c, N, n) => `${c} · √(ln ${N} / ${n})` },
  ucb1_tuned: {
    text: (c) => `value + ${c} · √(ln N / n · min(¼, V + √(2 ln N / n)))`,
    letters: "V: variance of the child's results, scaled to 0 to 1",
  },
  sp_mcts: {
    text: (c) => `value + ${c} · √(ln N / n) + √(V + D / n)`,
    letters: "V: variance of the child's results, scaled to 0 to 1; D: the rule's doubt; the last term times the range of returns",
  },
  puct: {
    text: (c) => `value + ${c} · P · √N / (1 + n)`,
    letters: "P: the child's prior",
    filled: (c, N, n, prior) => `${c} · ${prior === null ? "P" : plain(prior)} · √${N} / (1 + ${n})`,
  },
  rave: {
    text: (c) => `(1 − b) · value + b · AMAF + ${c} · √(ln N / n)`,
    letters: "AMAF: mean result of the simulations that played the move then or later; b: its decreasing weight",
  },
  progressive_bias: {
    text: (c) => `value + ${c} · √(ln N / n) + B · H / (n + 1)`,
    letters: "H: the game's evaluation, 0 to 1; B: the rule's bias, times the range of returns",
  },
  progressive_history: {
    text: (c) => `value + ${c} · √(ln N / n) + B · H / (n − wins + 1)`,
    letters: "H: share won of all simulations with the same move; B: the rule's bias, times the range of returns",
  },
  thompson: { text: () => "a random draw around the value", letters: "closer to the value with more visits" },
};

/** The rule's name without its options. */
export function ruleName(rule: string): string {
  return rule.replace(/\(.*$/, "").trim();
}

/** The weight c times the range of returns, because c is for results from 0 to 1: "0.7 · 2"; null: of those seen. */
function weightOf(c: number, span: number | null): string {
  if (span === null) return `${plain(c)} · R`;
  return span === 1 ? plain(c) : `${plain(c)} · ${plain(span)}`;
}

/** "score = value + 0.7 · 2 · √(ln N / n)" and what its parts mean. c : for results from 0 to 1.   span : of returns,
 * null where scores are on the scale of those seen.   open : whether N counts the simulations in which a move was legal. */
export function formulaOf(rule: string, c: number, span: number | null, open = false): { text: string; letters: string } {
  const known = FORMULAS[ruleName(rule)];
  if (!known) return { text: `score: by the rule ${rule}`, letters: "" };
  const weight = weightOf(c, span);
  const text = `score = ${known.text(weight)}`;
  const range = span === null ? "R: range of the returns seen so far" : `${plain(span)}: from the worst to the best return`;
  const scaled = span !== 1 && text.includes(weight) ? `${plain(c)}: c, for results from 0 to 1; ${range}` : "";
  const total = open ? "N: simulations in which the move was legal" : "N: visits of the node";
  const letters = [scaled, text.includes("N") ? `${total}; n: visits of the child` : "", known.letters];
  return { text, letters: letters.filter(Boolean).join("; ") };
}

/** The formula of the chosen child's score with its numbers; "" if the choice was not by score. */
export function filledIn(choice: Choice, rule: string, c: number, span: number): string {
  const chosen = chosenOf(choice);
  if (chosen.score === null || choice.because !== "score") return "";
  if (chosen.value === null || chosen.exploration === null) return `score of ${chosen.move.text} = ${signed(chosen.score, 4)}`;
  const { filled } = FORMULAS[ruleName(rule)] ?? {};
  const weight = weightOf(c, span);
  const term = filled ? filled(weight, chosen.available ?? choice.visits, chosen.visits, chosen.prior) : plain(chosen.exploration, 4);
  const sum = filled ? ` = ${signed(chosen.value, 4)} + ${plain(chosen.exploration, 4)}` : "";
  return `score of ${chosen.move.text} = ${signed(chosen.value, 4)} + ${term}${sum} = ${signed(chosen.score, 4)}`;
}
