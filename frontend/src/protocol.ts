// Written from src/branchwise/web/messages.py by `make protocol`; do not edit.

/** Who plays the seats that no person has: one of the three is given. level : of difficulty, 1 to 10. seconds, simulations : what a search has for a move. */
export interface Opponent {
  level?: number | null;
  seconds?: number | null;
  simulations?: number | null;
}

/** Settings of `MCTS` that a page may choose; None: its own default. */
export interface SearchSettings {
  selection?: string | null;
  c?: number | null;
  playout?: string | null;
  seed?: number | null;
}

/** A node of the tree whose children are to be shown, and how many of them, best first. */
export interface Branch {
  path: number[];
  top?: number;
}

/** The first message; session : the token of an earlier `Welcome`, to go on where it was left. */
export interface Hello {
  type: "hello";
  session?: string | null;
  id?: number | null;
}

/** Begin a game anew; moves : already played. seats : those that people have. */
export interface NewGame {
  type: "new_game";
  game: string;
  moves?: (string | number)[];
  seats?: number[] | null;
  opponent?: Opponent | null;
  id?: number | null;
}

/** Play an action of a person's; ply : moves before it, so that a late click does nothing. */
export interface Play {
  type: "play";
  action: number;
  ply: number;
  id?: number | null;
}

/** Show the position after so many moves of the game; those behind it can be made again. The bot does not move there until `Play` or `BotMove`. */
export interface GoTo {
  type: "go_to";
  ply: number;
  id?: number | null;
}

/** Take moves back until it is a person's turn. */
export interface Undo {
  type: "undo";
  id?: number | null;
}

/** Make moves again that were taken back, until it is a person's turn. */
export interface Redo {
  type: "redo";
  id?: number | null;
}

/** Go on with moves that were replaced; those that stand in their place become a variation in turn. variation : its place in the list of `Position`. The bot does not move there until `Play` or `BotMove`. */
export interface TakeUp {
  type: "take_up";
  variation: number;
  id?: number | null;
}

/** Change who plays; None leaves it as it is. Without any seat the bot plays all by itself. */
export interface SetPlayers {
  type: "set_players";
  seats?: number[] | null;
  opponent?: Opponent | null;
  id?: number | null;
}

/** Let the bot move for whoever is to move. */
export interface BotMove {
  type: "bot_move";
  id?: number | null;
}

/** Ask what to play; answered by `Hinted`. */
export interface Hint {
  type: "hint";
  id?: number | null;
}

/** End the thinking of the bot, which then plays the best it has found, or of a hint. */
export interface Stop {
  type: "stop";
  id?: number | null;
}

/** Search the position shown for as long as it is shown, or pause; settings hold from now on. */
export interface Analyse {
  type: "analyse";
  on: boolean;
  settings?: SearchSettings | null;
  id?: number | null;
}

/** Tell which nodes of the tree are to be shown from now on; none: the tree is not wanted. */
export interface WatchTree {
  type: "watch_tree";
  branches: Branch[];
  id?: number | null;
}

/** Ask all about a node of the tree; answered by `NodeTold`. */
export interface AskNode {
  type: "ask_node";
  path: number[];
  id?: number | null;
}

/** Ask for the board after a line of play from the position shown; answered by `BoardTold`. ply : of the position that the line starts from, None: of the one shown. */
export interface AskBoard {
  type: "ask_board";
  line: number[];
  ply?: number | null;
  id?: number | null;
}

/** Begin a search of the position shown that goes step by step; answered by `StepsBegun`. */
export interface BeginSteps {
  type: "begin_steps";
  settings?: SearchSettings | null;
  id?: number | null;
}

/** Run simulations of that search and tell what they did; answered by `StepsMade`. */
export interface MakeSteps {
  type: "make_steps";
  count?: number;
  id?: number | null;
}

/** A game that can be played here. symbols : what stands for each player on the board, empty where nothing does. options : constants that variants may set, with their values here. */
export interface GameInfo {
  name: string;
  title: string;
  about: string;
  num_players: number;
  symbols: string[];
  min_return: number;
  max_return: number;
  has_levels: boolean;
  options: Record<string, unknown>;
}

/** What a client may not exceed; message_bytes : of one message to the server. */
export interface Limits {
  message_bytes: number;
  seconds: number;
  memory_mb: number;
}

/** A move; player : who made or may make it, -1 for chance. */
export interface MoveTold {
  action: number;
  text: string;
  player: number;
}

/** Moves that were replaced by others; ply : moves before the first of them. count : how many they are. text : of the first of them, as people write them. */
export interface Variation {
  ply: number;
  count: number;
  text: string[];
}

/** What a search came to before a move; ply : moves before it. values : for each player. */
export interface PlyValue {
  ply: number;
  values: number[];
}

/** An action at the root of a search, best first; value, lower, proven : for the player to move. share : of all visits. lower : confidence bound. at_least, at_most : proven bounds. moves_to_end : of a proven game. line : of play expected, this action first. */
export interface ChildTold {
  action: number;
  text: string;
  visits: number;
  share: number;
  value: number | null;
  lower: number | null;
  prior: number | null;
  proven: number | null;
  at_least: number;
  at_most: number;
  moves_to_end: number | null;
  line: number[];
  line_text: string[];
}

/** A node of the tree that is shown, parents before children and these best first. parent : place in the list, -1 at the root. mover : who moved into it, whose value, bounds and proof are told; at the root, those of the player to move. player : who is to move, if it is expanded. more : children that are not shown. on_line : it is on the principal variation. */
export interface TreeNode {
  path: number[];
  parent: number;
  text: string;
  mover: number | null;
  player: number | null;
  visits: number;
  share: number;
  value: number | null;
  lower: number;
  upper: number;
  proven: number | null;
  prior: number | null;
  terminal: boolean;
  on_line: boolean;
  num_children: number;
  more: number;
}

/** One child of a node as the selection rule sees it: score = value + exploration, for who chooses. share : of the node's visits. All None for a child without visits. */
export interface Term {
  action: number;
  text: string;
  visits: number;
  value: number | null;
  exploration: number | null;
  score: number | null;
  prior: number | null;
  proven: number | null;
}

/** Answer to `Hello`; session : the token of this one. resumed : whether it was left before. */
export interface Welcome {
  type: "welcome";
  session: string;
  resumed: boolean;
  version: string;
  games: GameInfo[];
  limits: Limits;
  id?: number | null;
}

/** The position shown and the game around it; told whenever any of it changes. moves : all, those behind the position included. ply : moves before the position. last : cells are marked in the picture. svg : None where there is no picture. text : as plain text. player : to move; None when the game is over. returns : of a finished game. values : of searches so far. variations : moves that were replaced when others were played in an earlier position, the latest first. link : query that brings this position back, such as "game=nim&moves=1,2". */
export interface Position {
  type: "position";
  game: GameInfo;
  moves: MoveTold[];
  ply: number;
  svg: string | null;
  text: string;
  legal: MoveTold[];
  player: number | null;
  returns: number[] | null;
  seats: number[];
  opponent: Opponent;
  values: PlyValue[];
  variations: Variation[];
  link: string;
  id?: number | null;
}

/** Who thinks now: "bot", "hint", "analysis", or "" for nobody. stage : "compiling" until the game's machine code is there, "waiting" for room among other searches, "searching", "paused", or "" where nobody thinks. seconds : the limit, if there is one. elapsed, estimate : seconds that compiling has taken so far, and that it may take in all, where known. */
export interface Thinking {
  type: "thinking";
  who: string;
  stage: string;
  seconds: number | null;
  elapsed: number | null;
  estimate: number | null;
  id?: number | null;
}

/** What a search has found; told about ten times a second while it goes on. ply : of the position searched. rate : simulations a second. depth : moves of the expected line. value : for the player to move. values : for each player, None where not all are known. ended_by : see `SearchResult`; "" while it goes on. */
export interface Analysis {
  type: "analysis";
  ply: number;
  who: string;
  player: number;
  simulations: number;
  seconds: number;
  rate: number;
  depth: number;
  nodes: number;
  memory_bytes: number;
  memory_full: boolean;
  ended_by: string;
  value: number | null;
  values: number[] | null;
  children: ChildTold[];
  id?: number | null;
}

/** The nodes of the tree that the page watches. ply : of the position searched. nodes_in_all : of the tree. mirrored : there are two players, whose returns always come to the same sum: one's value is `min_return + max_return` less the other's. */
export interface Tree {
  type: "tree";
  ply: number;
  nodes_in_all: number;
  mirrored: boolean;
  nodes: TreeNode[];
  id?: number | null;
}

/** All about a node: its board, and how the selection rule sees its children; rule, c : of the search. */
export interface NodeTold {
  type: "node_told";
  path: number[];
  svg: string | null;
  text: string;
  visits: number;
  player: number | null;
  returns: number[] | null;
  rule: string;
  c: number;
  terms: Term[];
  id?: number | null;
}

/** The board after a line; line_text : as people write it. */
export interface BoardTold {
  type: "board_told";
  line: number[];
  line_text: string[];
  svg: string | null;
  text: string;
  player: number | null;
  returns: number[] | null;
  id?: number | null;
}

/** What to play in the position after `ply` moves. */
export interface Hinted {
  type: "hinted";
  ply: number;
  action: number;
  text: string;
  value: number | null;
  id?: number | null;
}

/** A search step by step begins. rule, c, playout, seed : its settings, written out. */
export interface StepsBegun {
  type: "steps_begun";
  ply: number;
  rule: string;
  c: number;
  playout: string;
  seed: number;
  id?: number | null;
}

/** What simulations did, as `Simulation.to_dict` has it, with `line_actions` beside each node's `line`, and the tree as it then is, up to some hundred nodes. over : the root is solved, or no more can be told. */
export interface StepsMade {
  type: "steps_made";
  simulations: Record<string, unknown>[];
  nodes: TreeNode[];
  over: boolean;
  id?: number | null;
}

/** Something that a page said is not done; mend : what would be right. about : type of the message. superseded : nothing was wrong with it, but a later message came before it was done. */
export interface Refused {
  type: "refused";
  message: string;
  mend: string | null;
  about: string | null;
  superseded: boolean;
  id?: number | null;
}

/** Body of `POST /api/games/{game}/search`: a position and a budget. moves : from the start, as people write them or by number. state : in place of them, as `Game.to_json` writes it. Without simulations and seconds, one second. */
export interface SearchRequest {
  moves?: (string | number)[];
  state?: Record<string, unknown> | null;
  simulations?: number | null;
  seconds?: number | null;
  settings?: SearchSettings | null;
}

/** Body of `POST /api/games/{game}/position`: what a board looks like, and what may be played there. */
export interface PositionRequest {
  moves?: (string | number)[];
  state?: Record<string, unknown> | null;
}

/** Answer to it; state : to be sent back as it is, in place of moves. */
export interface PositionAnswer {
  game: string;
  player: number | null;
  legal: MoveTold[];
  returns: number[] | null;
  svg: string | null;
  text: string;
  state: Record<string, unknown>;
}

/** What a search found: the best action, the value for the player to move, and every action. */
export interface SearchAnswer {
  game: string;
  player: number;
  best_action: number;
  best_move: string;
  value: number | null;
  simulations: number;
  seconds: number;
  nodes: number;
  ended_by: string;
  memory_full: boolean;
  seed: number;
  children: ChildTold[];
}

/** Body of an answer with a status of 400 or more. */
export interface Problem {
  error: string;
  mend?: string | null;
}

export type SaidByPage = Hello | NewGame | Play | GoTo | Undo | Redo | TakeUp | SetPlayers | BotMove | Hint | Stop | Analyse | WatchTree | AskNode | AskBoard | BeginSteps | MakeSteps;

export type ToldByServer = Welcome | Position | Thinking | Analysis | Tree | NodeTold | BoardTold | Hinted | StepsBegun | StepsMade | Refused;
