/** A position of each family, to look at at boards.html of the development server; not part of the page. */
import type { Board, BoardStyle, MoveTold } from "../protocol";

export interface Fixture {
  name: string;
  style: BoardStyle;
  board: Board;
  moves: MoveTold[];
}

const letters = (count: number) => Array.from({ length: count }, (_, i) => String.fromCharCode(97 + i));
const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(count - i));

function style(family: string, rows: number, columns: number, part: Partial<BoardStyle> = {}): BoardStyle {
  const symbols = [[".", "#", "#"], [".", "X", "K"], [".", "O", "k"]];
  return { family, rows, columns, symbols, colours: ["orange", "blue"], players: [], column_labels: letters(columns), row_labels: numbers(rows), block: null, shifts: [], lines: [], checkered: true, ...part };
}

/** A board from rows of characters, each with its owner and kind; other characters are empty cells. */
function board(rows: string[], key: Record<string, [number, number]>, last: number[] = []): Board {
  return { cells: rows.flatMap((row) => [...row].flatMap((c) => key[c] ?? [-1, 0])), last };
}
const moves = (...paths: (number[] | [string])[]): MoveTold[] =>
  paths.map((path, action) => (typeof path[0] === "string" ? { action, text: path[0], player: 0, squares: [] } : { action, text: `${path.join("-")}`, player: 0, squares: path as number[] }));

const men: Record<string, [number, number]> = { x: [0, 1], o: [1, 1], X: [0, 2], O: [1, 2], "#": [-1, 1], "*": [-1, 2], " ": [-1, -1] };
const bw = { colours: ["black", "white"], players: ["Black", "White"] };
const wb = { colours: ["white", "black"], players: ["White", "Black"] };
const chessmen: Record<string, [number, number]> = Object.fromEntries([..."PNBRQK"].flatMap((c, i) => [[c, [0, i + 1]], [c.toLowerCase(), [1, i + 1]]]));
const shifted = (count: number, by: number) => Array.from({ length: count }, (_, i) => i * by);
const suits = ["♠", "♥", "♦", "♣"];
const deck = ["", "?", ...suits.flatMap((suit) => ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"].map((rank) => rank + suit))];
const card = (text: string): [number, number] => [-1, deck.indexOf(text)];
const hand = (...texts: string[]) => Array.from({ length: 13 }, (_, i) => (texts[i] ? card(texts[i]) : [-1, 0])).flat();
const morris = [[0, 3], [3, 6], [0, 21], [21, 42], [42, 45], [45, 48], [6, 27], [27, 48], [8, 10], [10, 12], [8, 22], [22, 36], [36, 38], [38, 40], [12, 26], [26, 40], [16, 17], [17, 18], [16, 23], [23, 30], [30, 31], [31, 32], [18, 25], [25, 32], [3, 10], [10, 17], [21, 22], [22, 23], [25, 26], [26, 27], [31, 38], [38, 45]];

export const FIXTURES: Fixture[] = [
  {
    name: "discs",
    style: style("discs", 6, 7, { colours: ["red", "yellow"], players: ["Red", "Yellow"], row_labels: [], column_labels: letters(7) }),
    board: board([".......", ".......", "...o...", "..xx...", "..oxo..", ".xoxox."], men, [24]),
    moves: moves([35], [29], [16], [10], [32], [33], [41].map(() => 34)),
  },
  {
    name: "chess",
    style: style("chess", 8, 8, { ...wb, symbols: [["."], [..." PNBRQK"], [..." pnbrqk"]] }),
    board: board(["r.bqk..r", "ppPp.ppp", "..n..n..", "..b.p...", "..B.P...", "..NP.N..", "PP...PPP", "R.BQK..R"], chessmen, [3, 1].map((i) => [61, 45, 12, 28][i]!)),
    moves: [
      ...moves([42, 25], [42, 27], [42, 32], [42, 36], [45, 28], [45, 30], [60, 62], [34, 13], [34, 27], [34, 25]),
      ...["q", "r", "b", "n"].map((text, i) => ({ action: 20 + i, text: `c8=${text.toUpperCase()}`, player: 0, squares: [10, 2] })),
    ],
  },
  {
    name: "stones 19",
    style: style("stones", 19, 19, bw),
    board: board([...Array(3).fill("."), "...o............x..", ".", "..x.............o..", "....x....xo........", ".....oo.xo", ".", "....x", ".....oxx", ".", ".", ".", "...x.......o...x...", ".", "..o..x..........o..", "..", ".."].map((row: string) => row.padEnd(19, ".")), men, [126]),
    moves: moves(...Array.from({ length: 361 }, (_, i) => [i]), ["pass"]),
  },
  {
    name: "stones with lines",
    style: style("stones", 7, 7, { ...wb, lines: morris }),
    board: board(["x  .  o", " x . . ", "  ...  ", "oo. .x.", "  .o.  ", " . x . ", ".  .  ."].map((row) => row), men, [31]),
    moves: moves([0, 3], [8, 10], [8, 22], [26, 12], [26, 40], [26, 25, 31], [38, 45]),
  },
  {
    name: "squares, checkers",
    style: style("squares", 8, 8, { colours: ["white", "red"], players: ["White", "Red"] }),
    board: board([".o.o...o", "o.......", ".X.o.o..", "....x...", "...o....", "x.....x.", ".x...x..", "x...O.x."], men, [12, 26]),
    moves: moves([28, 14], [17, 8], [17, 10, 24], [54, 47]),
  },
  {
    name: "squares, amazons",
    style: style("squares", 10, 10, wb),
    board: board(["...o..o...", "....*.....", "..........", "o..*.....o", "....x.....", "..**......", "x.........", ".....*....", "..........", "......x..."], men, [60, 44, 52]),
    moves: moves([44, 45, 46], [44, 45, 35], [44, 54, 64], [60, 61, 62]),
  },
  {
    name: "hexagons, hex",
    style: style("hexagons", 11, 11, { colours: ["red", "blue"], players: ["Red", "Blue"], shifts: shifted(11, 1), row_labels: numbers(11).reverse() }),
    board: board([".", "...x", "......o", "....x", ".....xo", "....ox", "....x", "..o.o", ".", ".", "."].map((row) => row.padEnd(11, ".")), men, [59]),
    moves: moves([0], [1], [60], [61]),
  },
  {
    name: "hexagons, havannah",
    style: style("hexagons", 9, 9, { ...bw, shifts: shifted(9, 1) }),
    board: board(["    .....", "   ....x.", "  .o.....", " ....x...", ".....o...", "...x.... ", ".......  ", "..o...   ", ".....    "], men, [25]),
    moves: moves([40], [41]),
  },
  {
    name: "marks",
    style: style("marks", 3, 3, { players: ["X", "O"] }),
    board: board(["x.o", ".x.", "..."], men, [2]),
    moves: moves([1], [3], [5], [6], [7], [8]),
  },
  {
    name: "marks, blocks",
    style: style("marks", 9, 9, { players: ["X", "O"], block: [3, 3] }),
    board: board(["x.o...x..", ".x.......", "...o.....", ".........", "...xo....", "......o..", ".........", "..x......", "........."], men, [39]),
    moves: moves([57], [58]),
  },
  {
    name: "marks, kalah",
    style: style("marks", 2, 8, { symbols: [[""], Array.from({ length: 40 }, (_, i) => String(i)), Array.from({ length: 40 }, (_, i) => String(i))], column_labels: ["", "A", "B", "C", "D", "E", "F", ""], row_labels: [] }),
    board: { cells: [1, 12, 1, 4, 1, 4, 0, 0, 1, 10, 1, 4, 1, 5, -1, -1, -1, -1, 0, 4, 0, 1, 0, 5, 0, 6, 0, 4, 0, 4, 0, 9], last: [12] },
    moves: moves([9], [10], [11], [12]),
  },
  {
    name: "cards",
    style: style("cards", 5, 13, { symbols: [deck], row_labels: ["You", "West", "North", "East", "Table"], column_labels: [] }),
    board: { cells: [...hand("2♣", "9♣", "K♣", "3♦", "10♦", "4♠", "8♠", "J♠", "Q♠", "5♥", "7♥", "K♥", "A♥"), ...hand(...Array<string>(12).fill("?")), ...hand(...Array<string>(12).fill("?")), ...hand(...Array<string>(12).fill("?")), ...hand("A♣", "6♣", "10♣")], last: [54] },
    moves: moves([0], [1], [2]),
  },
  {
    name: "backgammon",
    style: style("backgammon", 2, 14, { colours: ["white", "black"], players: ["White", "Black"], column_labels: [], row_labels: [] }),
    board: { cells: [[0, 5], [], [], [], [1, 3], [0, 1], [1, 5], [], [], [0, 2], [], [0, 2], [1, 1], [], [1, 4], [], [], [1, 1], [0, 3], [], [0, 7], [], [], [], [], [1, 2], [], [0, 3]].flatMap((cell) => (cell.length ? cell : [-1, 0])), last: [14, 17] },
    moves: moves([11, 10], [11, 9], [0, 5, 20, 22], [0, 18], [20, 22], [20, 24], ["no move"]),
  },
  {
    name: "tiles, 2048",
    style: style("tiles", 4, 4, { symbols: [[".", ...Array.from({ length: 16 }, (_, i) => String(2 ** (i + 1)))]], column_labels: [], row_labels: [], colours: ["orange"] }),
    board: { cells: [1, 2, 0, 1, 3, 5, 0, 0, 6, 9, 1, 0, 11, 10, 4, 7].flatMap((kind) => [-1, kind]), last: [] },
    moves: moves(["up"], ["left"], ["right"], ["down"]),
  },
  {
    name: "tiles, same game",
    style: style("tiles", 15, 15, { symbols: [[".", ..."ABCDE"]], colours: ["orange"] }),
    board: { cells: Array.from({ length: 225 }, (_, i) => (i < 30 && i % 3 === 0 ? [-1, 0] : [-1, 1 + (((i * 7919) >> 3) % 5)])).flat(), last: [] },
    moves: moves([31], [32]),
  },
  {
    name: "tiles, sliding puzzle",
    style: style("tiles", 3, 3, { symbols: [[".", ..."12345678"]], column_labels: [], row_labels: [], colours: ["orange"] }),
    board: { cells: [2, 0, 6, 8, 3, 1, 4, 7, 5].flatMap((kind) => [-1, kind]), last: [] },
    moves: moves(["up"], ["left"], ["right"]),
  },
  {
    name: "walls, quoridor",
    style: style("walls", 17, 17, { ...wb, column_labels: Array.from({ length: 17 }, (_, i) => (i % 2 ? "" : String.fromCharCode(97 + i / 2))), row_labels: Array.from({ length: 17 }, (_, i) => (i % 2 ? "" : String(9 - i / 2))) }),
    board: board(Array.from({ length: 17 }, (_, row) => Array.from({ length: 17 }, (_, column) => (row === 4 && column === 8 ? "o" : row === 12 && column === 8 ? "x" : row === 5 && column >= 8 && column <= 10 ? "#" : column === 5 && row >= 10 && row <= 12 ? "#" : ".")).join("")), men, [206, 212].slice(1)),
    moves: moves([212, 178], [212, 210], [212, 214], [212, 246], [86, 87, 88], [18, 35, 52]),
  },
  {
    name: "walls, dots and boxes",
    style: style("walls", 7, 7, { colours: ["red", "blue"], players: ["Red", "Blue"] }),
    board: board(["#x#.#.#", "x.o....", "#o#.#.#".replace("o", "x"), "..x.o..", "#.#o#.#", ".......", "#.#.#.#"].map((row, i) => (i === 1 ? "xxo...." : row)), men, [1]),
    moves: moves([3], [5], [11], [13]),
  },
];
