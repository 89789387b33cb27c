/** The choices for a search: the names in `MCTS`, with one line about each. */

export interface Choice {
  name: string;
  about: string;
}

export const RULES: Choice[] = [
  { name: "ucb1", about: "value + c √(ln N / n)" },
  { name: "ucb1_tuned", about: "like UCB1, with less exploration where results vary little" },
  { name: "sp_mcts", about: "UCB1 plus the deviation of results, for one player who wants the best line" },
  { name: "puct", about: "value + c · prior · √N / (1 + n), as in AlphaZero" },
  { name: "rave", about: "also uses the results of moves that were played later" },
  { name: "grave", about: "like RAVE, with the statistics of a well-visited ancestor" },
  { name: "progressive_bias", about: "UCB1 plus the game's heuristic, whose weight falls with visits" },
  { name: "progressive_history", about: "UCB1 plus a move's results anywhere, whose weight falls with losses" },
  { name: "thompson", about: "a random draw around the value" },
];

/** How players choose where all move at once; the first is the default. */
export const METHODS: Choice[] = [
  { name: "regret_matching", about: "by positive regrets; converges to an equilibrium for two players of a zero-sum game" },
  { name: "exp3", about: "by exponential weights of estimated gains" },
  { name: "decoupled_uct", about: "each by UCB1 as if alone; fast, but may miss mixed strategies" },
];

export const PLAYOUTS: Choice[] = [
  { name: "uniform", about: "all legal moves are equally likely" },
  { name: "mast", about: "moves that did well anywhere are more likely" },
  { name: "nst", about: "sequences of moves that did well are more likely" },
  { name: "last_good_reply", about: "replies that won last time are played again" },
  { name: "game", about: "the game's own playouts" },
  { name: "decisive", about: "players take immediate wins" },
  { name: "anti_decisive", about: "players take immediate wins and prevent the opponent's" },
];
