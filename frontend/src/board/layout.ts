/** Where the squares of a board lie, what stands on them, and what they are called. */
import type { Component, Snippet } from "svelte";
import { centre, type Box } from "../lib/geometry";
import type { Board, BoardStyle } from "../protocol";

export const UNIT = 100;

/** A board's drawing. boxes : of each square. shape : of the squares. marks : how the last move is marked: squares are filled beneath what stands there, or a ring or an outline lies over it. */
export interface Layout {
  width: number;
  height: number;
  boxes: Box[];
  /** Where a square is hit, and where the last move is marked, if not in its box. */
  hits?: Box[];
  spots?: Box[];
  /** By how much what fills a square is smaller, and how round its corners are. */
  inset?: number;
  corner?: number;
  shape: "box" | "round" | "hexagon";
  marks: "fill" | "ring" | "outline";
  /** How pieces come to their squares: they slide there, fall from above, or only appear. */
  motion: "slides" | "falls" | "appears";
  labels: { x: number; y: number; text: string }[];
  labelSize: number;
  /** Whether labels lie on the board and begin where they are said to be. */
  inside?: boolean;
}

/** Something that stands on a square, centred at x, y. place : tells apart those that share a square. */
export interface Piece {
  square: number;
  place: number;
  owner: number;
  kind: number;
  text: string;
  x: number;
  y: number;
}

/** A piece that is shown. from : where it comes from, if it moved; turned : it changed where it stands. */
export interface Shown extends Piece {
  key: string;
  arrival: "none" | "moved" | "new" | "turned";
  dx: number;
  dy: number;
}

export interface Lift {
  square: number;
  dx: number;
  dy: number;
}

export interface FamilyProps {
  style: BoardStyle;
  layout: Layout;
  pieces: Shown[];
  lift: Lift | null;
  /** Marks that lie on the board beneath what stands there. */
  under: Snippet;
  /** The dice that were rolled, such as "6-1". */
  rolled?: string;
}

export interface Family {
  default: Component<FamilyProps>;
  layoutOf: (style: BoardStyle, board: Board) => Layout;
  /** Whether the layout changes with what the board holds. */
  follows?: boolean;
  piecesOf?: (style: BoardStyle, board: Board, layout: Layout) => Piece[];
}

export const ownerOf = (board: Board, square: number) => board.cells[2 * square] ?? -1;
export const kindOf = (board: Board, square: number) => board.cells[2 * square + 1] ?? -1;

/** The outline of a square as an SVG path, smaller by `inset` on every side. */
export function outlineOf({ shape, corner = 0 }: Layout, box: Box, inset = 0): string {
  const [x, y, w, h] = [box.x + inset, box.y + inset, Math.max(box.width - 2 * inset, 0), Math.max(box.height - 2 * inset, 0)];
  if (shape === "hexagon") return `M${x + w / 2} ${y}l${w / 2} ${h / 4}v${h / 2}l${-w / 2} ${h / 4}l${-w / 2} ${-h / 4}v${-h / 2}z`;
  const r = Math.min(shape === "round" ? Infinity : corner, w / 2, h / 2);
  const turn = (dx: number, dy: number) => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
  return `M${x + r} ${y}h${w - 2 * r}${turn(r, r)}v${h - 2 * r}${turn(-r, r)}h${2 * r - w}${turn(-r, -r)}v${2 * r - h}${turn(r, -r)}z`;
}

/** The text of a cell; a kind without a symbol is a number. */
export const symbolOf = (style: BoardStyle, owner: number, kind: number) =>
  kind < 0 ? "" : (style.symbols[owner + 1]?.[kind] ?? String(kind));

/** The width that labels beside a board take, in which they can be read on a phone too. */
function labelSizeOf({ rows, columns }: BoardStyle): number {
  return Math.min(3.4 * Math.max(rows, columns, 3), columns > 9 ? 56 : Infinity);
}

/** Squares in straight rows and columns, with labels to the left and beneath; `frame` is the width of the board's edge, `start` and `size` are where a row or a column begins, and how large it is. */
export function lattice(style: BoardStyle, { frame = 0, shape = "box" as Layout["shape"], marks = "fill" as Layout["marks"], motion = "slides" as Layout["motion"], inset = 0, corner = 0, size = (_: number): number => UNIT, start = (i: number) => i * UNIT, labelSize = labelSizeOf(style) } = {}): Layout {
  const { rows, columns, column_labels: names, row_labels: numbers } = style;
  const left = (numbers.some(Boolean) ? labelSize * (0.5 + 0.6 * Math.max(...numbers.map((text) => text.length))) : 0) + frame;
  const [right, bottom] = [left + start(columns), frame + start(rows)];
  const boxes = Array.from({ length: rows * columns }, (_, square) => ({
    x: left + start(square % columns),
    y: frame + start(Math.floor(square / columns)),
    width: size(square % columns),
    height: size(Math.floor(square / columns)),
  }));
  const across = Math.ceil((labelSize * (0.4 + 0.6 * Math.max(0, ...names.map((text) => text.length)))) / UNIT); // columns for each label
  const down = Math.ceil(labelSize / UNIT);
  const labels = [
    ...names.map((text, column) => ({ x: left + start(column) + size(column) / 2, y: bottom + frame + labelSize * 0.8, text: column % across === 0 ? text : "" })),
    ...numbers.map((text, row) => ({ x: (left - frame) / 2, y: frame + start(row) + size(row) / 2, text: (rows - 1 - row) % down === 0 ? text : "" })),
  ].filter((label) => label.text !== "");
  return { width: right + frame, height: bottom + frame + (names.some(Boolean) ? labelSize * 1.5 : 0), boxes, shape, marks, motion, inset, corner, labels, labelSize };
}

/** One piece in the middle of each square on which something stands. */
export function piecesOn(style: BoardStyle, board: Board, layout: Layout): Piece[] {
  return layout.boxes.flatMap((box, square) => {
    const [owner, kind] = [ownerOf(board, square), kindOf(board, square)];
    return kind > 0 ? [{ square, place: 0, owner, kind, text: symbolOf(style, owner, kind), ...centre(box) }] : [];
  });
}

/** The name of a square by its labels, such as "e4". */
export function squareName(style: BoardStyle, square: number): string {
  const [row, column] = [Math.floor(square / style.columns), square % style.columns];
  if (style.family === "backgammon") return column === 12 ? "bar" : column > 12 ? "off" : `point ${row === 0 ? column + 13 : 12 - column}`;
  const name = (style.column_labels[column] ?? "") + (style.row_labels[row] ?? "");
  if (name) return name;
  return style.rows === 1 ? `place ${column + 1}` : `row ${row + 1}, column ${column + 1}`;
}

const CHESSMEN = ["", "pawn", "knight", "bishop", "rook", "queen", "king"];
const NOUNS: Record<string, string> = { discs: "disc", stones: "stone", squares: "piece", hexagons: "stone", backgammon: "men" };

/** What stands on a square, in words: "white pawn", "3 red men", "empty". */
export function contentWords(style: BoardStyle, board: Board, square: number): string {
  const [owner, kind] = [ownerOf(board, square), kindOf(board, square)];
  const text = symbolOf(style, owner, kind);
  const colour = owner < 0 ? "" : (style.players[owner] ?? style.colours[owner] ?? `player ${owner}`).toLowerCase();
  if (kind === 0 && !/[\p{L}\p{N}]/u.test(text)) return "empty";
  if (text === "?") return "face down";
  if (style.family === "cards") return text; // the row says whose it is
  if (style.family === "chess") return `${colour} ${CHESSMEN[kind] ?? text}`;
  if (style.family === "backgammon") return `${kind} ${colour} ${kind === 1 ? "man" : "men"}`;
  if (style.family === "squares" && owner >= 0 && kind === 2) return `${colour} king`;
  const noun = NOUNS[style.family];
  if (owner < 0 || noun === undefined) return colour && colour !== text.toLowerCase() ? `${text} of ${colour}` : text;
  return `${colour} ${noun}`;
}

/** The longest straight line of a player's discs or marks through the last move, if it is long enough to have won. */
export function longestLine(style: BoardStyle, board: Board, owner: number): number[] {
  const last = board.last.at(-1);
  const least = style.family === "discs" ? 4 : style.family === "marks" && style.rows === 3 && style.columns === 3 ? 3 : Infinity;
  if (last === undefined) return [];
  const mine = (row: number, column: number) =>
    row >= 0 && row < style.rows && column >= 0 && column < style.columns && ownerOf(board, row * style.columns + column) === owner && kindOf(board, row * style.columns + column) === 1;
  const [row, column] = [Math.floor(last / style.columns), last % style.columns];
  const lines = [[0, 1], [1, 0], [1, 1], [1, -1]].map(([down, across]) => {
    const reach = (sign: number) => {
      let steps = 0;
      while (mine(row + sign * (steps + 1) * down!, column + sign * (steps + 1) * across!)) steps++;
      return steps;
    };
    const [back, on] = [reach(-1), reach(1)];
    return Array.from({ length: back + on + 1 }, (_, i) => (row + (i - back) * down!) * style.columns + column + (i - back) * across!);
  });
  const longest = lines.sort((a, b) => b.length - a.length)[0]!;
  return mine(row, column) && longest.length >= least ? longest : [];
}
