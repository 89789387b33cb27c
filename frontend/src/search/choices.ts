/** What a person may choose for a search: the names that `MCTS` knows, and what they are in a line. */

export interface Choice {
  name: string;
  about: string;
}

export const RULES: Choice[] = [
  { name: "ucb1", about: "value + c √(ln N / n)" },
  { name: "ucb1_tuned", about: "as UCB1, with less exploration where results vary little" },
  { name: "puct", about: "value + c · prior · √N / (1 + n), as AlphaZero has it" },
  { name: "rave", about: "mixes in how moves did when they were played later" },
  { name: "grave", about: "as RAVE, with statistics of an ancestor visited often" },
  { name: "progressive_bias", about: "UCB1 and the game's heuristic, which fades with visits" },
  { name: "progressive_history", about: "UCB1 and how a move did anywhere, which fades with losses" },
  { name: "thompson", about: "a random draw from what the value may be" },
];

export const PLAYOUTS: Choice[] = [
  { name: "uniform", about: "every legal move is as likely" },
  { name: "mast", about: "moves that did well anywhere are likelier" },
  { name: "nst", about: "sequences of moves that did well are likelier" },
  { name: "last_good_reply", about: "replies that won last time are played again" },
  { name: "game", about: "the game's own way to play out" },
  { name: "decisive", about: "wins at once are taken" },
  { name: "anti_decisive", about: "wins at once are taken, and those of the next player prevented" },
];
