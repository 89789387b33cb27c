/** The games of the server: which one to open first, and the details of a game. */
import { baseName } from "./link";
import type { GameCard, GameInfo, Welcome } from "../protocol";

const LAST = "branchwise-last-game";
const told = new Map<string, GameInfo>();

/** Kinds by which people look for a game, in the order of their buttons. */
export const KINDS = ["two players", "more players", "puzzle", "planning", "cards", "dice", "hidden", "at once"] as const;

/** The details of a game or a variant; null if the server refuses it. */
export async function gameInfo(name: string): Promise<GameInfo | null> {
  if (!told.has(name)) {
    const answer = await fetch(`api/games/${encodeURIComponent(name)}`).catch(() => null);
    if (!answer?.ok) return null;
    told.set(name, (await answer.json()) as GameInfo);
  }
  return told.get(name)!;
}

/** The card of a game; of a variant, that of its game. */
export function cardOf(name: string, games: readonly GameCard[]): GameCard | undefined {
  return games.find((card) => card.name === name) ?? games.find((card) => card.name === baseName(name));
}

/** The game to open where no address names one: that of the server, else the last one played, else the first. */
export function firstGame({ first, games }: Pick<Welcome, "first" | "games">): string | undefined {
  const last = localStorage.getItem(LAST);
  return first ?? (last !== null && cardOf(last, games)?.reason === null ? last : games[0]?.name);
}

export function keepLast(name: string): void {
  localStorage.setItem(LAST, name);
}

/** The cards that have all of the words and all of the kinds. */
export function found(games: readonly GameCard[], text: string, kinds: readonly string[]): GameCard[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return games.filter(({ name, title, about, kinds: own }) => {
    const said = `${title} ${name} ${about} ${own.join(" ")}`.toLowerCase();
    return words.every((word) => said.includes(word)) && kinds.every((kind) => own.includes(kind));
  });
}

export const OWN_GAME = `import numpy as np

import branchwise as bw


class MyGame(bw.Game):
    """Take one to three chips; the player who takes the last chip wins."""

    num_players = 2
    num_actions = 3  # action a takes a + 1 chips

    chips: np.int8 = 21  # fields with their initial values: the whole state
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for action in range(min(3, self.chips)):
            yield action

    def apply_action(self, action):
        self.chips -= action + 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)
`;
