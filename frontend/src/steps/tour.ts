/** The guided tour of a search: ten stops in the step-by-step view of one position near its end. */
import type { SearchSettings } from "../protocol";

export interface Stop {
  title: string;
  text: string;
  /** CSS selector of what the stop is about. */
  at: string;
  /** Place of the walk: phases made so far. */
  place: number;
  /** The weight of exploration, if not the usual one. */
  c?: number;
}

/** X is to move, and O threatens c1. With this seed the first playouts mislead a search that does not explore. */
export const POSITION = { game: "tic_tac_toe", moves: ["c3", "a3", "b3", "b2"] };

export const searchOf = ({ c = 0.7 }: Stop): SearchSettings => ({ seed: 456, proofs: false, c });

const [SIXTH, FORTY] = [4 * 5, 4 * 40];
const TREE = ".steps .main > .drawing";
const CHOICE = ".steps .choice:first-child";
const WEIGHT = ".steps .weight";

export const TOUR: readonly Stop[] = [
  {
    title: "A game near its end",
    text: "X is to move, and five squares are free. O threatens to win on the diagonal with c1, so X must play c1. The search does not know that yet. Let us watch it find out.",
    at: ".board",
    place: 0,
  },
  {
    title: "The tree",
    text: "A search keeps a tree of positions. It begins with one node, the root: this position. A simulation has four phases: selection, expansion, playout and backup. Each simulation adds a little to what the tree knows.",
    at: TREE,
    place: 0,
  },
  {
    title: "Every move once",
    text: "After five simulations every move of X has been tried once. Beside each move stand its visits and its value: the mean result for the player who made it, from −1, a loss, to +1, a win. All five have lost so far, even c1: one playout says little.",
    at: TREE,
    place: SIXTH,
  },
  {
    title: "Selection",
    text: "The sixth simulation goes down the tree. Each move has a score: its value plus exploration, which is larger for moves with few visits. The move with the highest score is selected. Here all five are equal, so it is the first of them, a2.",
    at: CHOICE,
    place: SIXTH + 1,
  },
  {
    title: "Expansion",
    text: "Selection has reached a leaf, a node without children. Now the leaf gets a child for each move of O. In this way the tree grows deepest where the search looks most often.",
    at: '.steps ul[aria-label="New children"]',
    place: SIXTH + 2,
  },
  {
    title: "Playout",
    text: "From the first of the new nodes the game is played to its end, here a draw. Who can win at once does; other moves are random. The result is a rough guess of what the position is worth. Press a move to see its board.",
    at: ".steps .film",
    place: SIXTH + 3,
  },
  {
    title: "Backup",
    text: "The result goes back up the path. Each node counts one more visit, and its value becomes the mean of its results for the player who moved there. After a loss and a draw a2 has a value of −0.5.",
    at: ".steps .updates",
    place: SIXTH + 4,
  },
  {
    title: "After forty simulations",
    text: "Here are the visits n and the values of X's moves when the next selection begins. Most visits went to c1, although it lost its first playout. A search plays the move with the most visits: it has found the only move that does not lose.",
    at: CHOICE,
    place: FORTY + 1,
  },
  {
    title: "Without exploration: c = 0",
    text: "The number c is the weight of exploration. With c = 0 the search follows the best value alone. After its draw a2 has the best value, so it gets almost every visit. The other moves, and c1 among them, never get a second chance.",
    at: `${WEIGHT}, ${CHOICE}`,
    place: FORTY + 1,
    c: 0,
  },
  {
    title: "Much exploration: c = 2",
    text: "With c = 2 visits are spread widely. The search still finds c1, but spends most of its time on moves that lose. A good c is in between. Now try it yourself: change c, or press 10 more.",
    at: `${WEIGHT}, ${CHOICE}`,
    place: FORTY + 1,
    c: 2,
  },
];
