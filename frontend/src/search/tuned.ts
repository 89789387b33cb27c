/** The settings that `branchwise tune` found for a game, in words. */
import type { GameInfo, SearchSettings } from "../protocol";

type Tuned = GameInfo["tuned"];

/** "selection rave, c 0.03"; "" if nothing was found. */
export function tunedWords(tuned: Tuned): string {
  return Object.entries(tuned)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${String(value)}`)
    .join(", ");
}

/** What a search does where a page leaves a setting out: "tuned: rave", or the words for the usual default. */
export function defaultWords(tuned: Tuned, { tuned: on, selection }: SearchSettings, name: string, usual: string): string {
  if (!on || !(name in tuned) || (name === "c" && otherRule(tuned, selection))) return usual;
  return `tuned: ${String(tuned[name])}`;
}

/** Whether another rule was chosen than the weight `c` was found for. */
function otherRule(tuned: Tuned, selection: string | null | undefined): boolean {
  return selection != null && selection !== (tuned["selection"] ?? "ucb1");
}
