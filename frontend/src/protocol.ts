// Written from src/branchwise/web/protocol/messages.py by `make protocol`; do not edit.

/** The bot for the seats that no person has; one of level, seconds, simulations and bot is given. level : level of difficulty, 1 to 10. seconds, simulations : limit of the search for a move. tuned : whether the search has the settings of `GameInfo.tuned`; with seconds or simulations. bot : the name of one of the bots in `GameInfo.bots`. */
export interface Opponent {
  level?: number | null;
  seconds?: number | null;
  simulations?: number | null;
  tuned?: boolean;
  bot?: string | null;
}

/** Settings of `MCTS` that a page may choose; None: its own default. joint : how players choose where all move at once; by default "regret_matching". Other games ignore it. tuned : use the settings that `branchwise tune` found for the game, as `MCTS.for_game` does, unless another is given. Refused for a game that has not been tuned; a new game without such settings drops it. proofs : whether a search proves positions, and ends when the root is proven. */
export interface SearchSettings {
  selection?: string | null;
  c?: number | null;
  playout?: string | null;
  seed?: number | null;
  joint?: string | null;
  tuned?: boolean;
  proofs?: boolean | null;
}

/** A line of moves, and how many visits it gets. */
export interface LineVisits {
  line: (number | string)[];
  visits: number;
}

/** A node of the tree whose children to show, and how many of them, best first. */
export interface Branch {
  path: (number | string)[];
  top?: number;
}

/** The first message; session : the token of an earlier `Welcome`, to resume its session. */
export interface Hello {
  type: "hello";
  session?: string | null;
  id?: number | null;
}

/** Start a new game; moves : moves already played. seats : seats of people. With hidden information no moves can be given, and one person plays. types_dice : whether people enter the outcomes of chance, from dice that they roll themselves. */
export interface NewGame {
  type: "new_game";
  game: string;
  moves?: (number | string)[];
  seats?: number[] | null;
  opponent?: Opponent | null;
  types_dice?: boolean;
  id?: number | null;
}

/** Play a person's action; ply : number of moves before it, so that a late click does nothing. player : whose action it is. It may be left out unless several people choose at once. Where all players move at once, the server keeps what people choose until all have chosen: see `Position.waiting`. */
export interface Play {
  type: "play";
  action: number | string;
  ply: number;
  player?: number | null;
  id?: number | null;
}

/** Show the position after `ply` moves of the game; the moves after it can be made again. The bot does not move there until `Play` or `BotMove`. */
export interface GoTo {
  type: "go_to";
  ply: number;
  id?: number | null;
}

/** Take moves back until it is a person's turn; a choice that waits for others is taken back first. */
export interface Undo {
  type: "undo";
  id?: number | null;
}

/** Redo moves that were taken back, until it is a person's turn. */
export interface Redo {
  type: "redo";
  id?: number | null;
}

/** Resume moves that were replaced; the moves that replaced them become a variation. variation : its index in the list of `Position`. The bot does not move there until `Play` or `BotMove`. */
export interface TakeUp {
  type: "take_up";
  variation: number;
  id?: number | null;
}

/** Change the players; None leaves them unchanged. If people have no seat, the bot plays itself. types_dice : as in `NewGame`; with false the server rolls dice that are due. */
export interface SetPlayers {
  type: "set_players";
  seats?: number[] | null;
  opponent?: Opponent | null;
  types_dice?: boolean | null;
  id?: number | null;
}

/** Let the bot move for the player to move. */
export interface BotMove {
  type: "bot_move";
  id?: number | null;
}

/** Ask for a hint; answered by `Hinted`. */
export interface Hint {
  type: "hint";
  id?: number | null;
}

/** Stop the bot, which then plays the best move found, or stop a hint. */
export interface Stop {
  type: "stop";
  id?: number | null;
}

/** Search the position shown while it is shown, or pause; settings apply from now on. A new game of another name pauses it, too. simulations, seconds : how many more until it pauses. at_least : a line below the position that is visited before the search goes on as usual. */
export interface Analyse {
  type: "analyse";
  on: boolean;
  settings?: SearchSettings | null;
  simulations?: number | null;
  seconds?: number | null;
  at_least?: LineVisits | null;
  id?: number | null;
}

/** Choose the nodes of the tree to show from now on; empty: do not send the tree. */
export interface WatchTree {
  type: "watch_tree";
  branches: Branch[];
  id?: number | null;
}

/** Ask for all data of a node of the tree; answered by `NodeTold`. */
export interface AskNode {
  type: "ask_node";
  path: (number | string)[];
  id?: number | null;
}

/** Ask for the board after a line of play from the position shown; answered by `BoardTold`. ply : of the position where the line starts; None: of the one shown. */
export interface AskBoard {
  type: "ask_board";
  line: (number | string)[];
  ply?: number | null;
  id?: number | null;
}

/** Start a step-by-step search of the position shown; answered by `StepsBegun`. */
export interface BeginSteps {
  type: "begin_steps";
  settings?: SearchSettings | null;
  id?: number | null;
}

/** Run simulations of that search and report their steps; answered by `StepsMade`. */
export interface MakeSteps {
  type: "make_steps";
  count?: number;
  id?: number | null;
}

/** A bot that the server was started with; about : the bot in full, as text. */
export interface BotInfo {
  name: string;
  about: string;
}

/** How the board of a game looks, as `branchwise.boards.style.BoardStyle` has it. symbols : symbols[owner + 1][kind], the text of a cell. colours, players : of each player; players may be empty. column_labels, row_labels : empty for none. block : rows and columns of a block. */
export interface BoardStyle {
  family: string;
  rows: number;
  columns: number;
  symbols: string[][];
  colours: string[];
  players: string[];
  column_labels: string[];
  row_labels: string[];
  block: number[] | null;
  shifts: number[];
  lines: number[][];
  checkered: boolean;
}

/** What a board holds: the owner, -1 for nobody, and the kind of each cell, row by row. A kind is 0 for an empty cell and -1 for no cell. last : the squares of the last move, in order. caption : what the rules say below it, for problems of one player. */
export interface Board {
  cells: number[];
  last: number[];
  caption?: string;
}

/** A game in the list of games; about : one sentence. kinds : such as "two players", "puzzle", "cards". picture : whether there is a picture of it. reason : why it cannot be played on the page, if it cannot. */
export interface GameCard {
  name: string;
  title: string;
  about: string;
  num_players: number;
  kinds: string[];
  picture?: boolean;
  reason?: string | null;
}

/** A game that can be played here. board : how its board looks, None if it has none. rules : the rules in words. symbols : the name of each player, or the symbol on the board; empty if there are none. wide : whether values are best shown on the scale of those seen, as they use only a part of their bounds or have none. pays : whether rewards are paid on the way; discount : of each decision after the first, else 1. draws : whether its rules draw outcomes without listing them, so that a line of the search has no fixed board. simulates : whether moves, even with the outcomes of chance, do not determine a position, or games start at random. dimensions : how many numbers a continuous action has; 0 if actions are numbered. hides : whether players see only a part of the position: see `Position.viewer`. joint : whether all players move at once at some positions: see `Position.waiting`. tuned : the settings of a search that `branchwise tune` found for it; empty if it has not been tuned, or if nothing was better than the defaults. bots : the bots besides the searches of `Opponent` that play it, named when the server was started. options : constants that variants may set, with their current values. */
export interface GameInfo {
  name: string;
  title: string;
  about: string;
  num_players: number;
  rules: string;
  symbols: string[];
  min_return: number | null;
  max_return: number | null;
  wide: boolean;
  pays: boolean;
  discount: number;
  draws: boolean;
  simulates: boolean;
  dimensions: number;
  has_levels: boolean;
  has_chance: boolean;
  hides: boolean;
  joint: boolean;
  tuned: Record<string, unknown>;
  bots: BotInfo[];
  options: Record<string, unknown>;
  board: BoardStyle | null;
}

/** Limits of a client; message_bytes : of one message to the server. */
export interface Limits {
  message_bytes: number;
  seconds: number;
  memory_mb: number;
}

/** A move; player : the player who made it or may make it, -1 for chance, -2 for a move of all players at once, -3 if the viewer cannot tell. action of such a joint move : the actions' numbers with colons between, "-" for a player without a choice, such as "2:0:-"; its text has commas between the actions' texts. action, text : -1 and a question mark for a move of which the viewer does not know which it was. squares : those that the move touches, in order, each row * columns + column. rewards : one a player, of a move that was made where rewards are paid on the way. probability : of an outcome of chance, if the rules list them. */
export interface MoveTold {
  action: number | string;
  text: string;
  player: number;
  rewards?: number[] | null;
  probability?: number | null;
  squares?: number[];
}

/** The bounds of each number of a continuous action in the position shown; whole : whether it is whole. */
export interface Box {
  low: number[];
  high: number[];
  whole: boolean[];
}

/** Moves that were replaced by others; ply : number of moves before them. count : number of moves. text : the first moves, in the game's notation. */
export interface Variation {
  ply: number;
  count: number;
  text: string[];
}

/** The value of a search before a move; ply : number of moves before it. values : for each player. */
export interface PlyValue {
  ply: number;
  values: number[];
}

/** An action at the root of a search, best first; value, lower, proven : for the player to move. value : the mean return, or the proven value. share : share of all visits. lower : lower confidence bound. at_least, at_most : proven bounds. moves_to_end : moves to the end of a proven game. line : expected play, with this action first. */
export interface ChildTold {
  text: string;
  visits: number;
  value: number | null;
  prior: number | null;
  proven: number | null;
  action: number | string;
  share: number;
  lower: number | null;
  at_least: number | null;
  at_most: number | null;
  moves_to_end: number | null;
  line: (number | string)[];
  line_text: string[];
}

/** An action of one player where all move at once; probability : in the player's mean strategy. value : for that player. */
export interface ChoiceTold {
  text: string;
  visits: number;
  value: number | null;
  action: number;
  probability: number;
}

/** What each pair of actions of two players brings the first of them, None for a pair not tried yet. rows, columns : the texts of the first and of the second player's actions. values : by row. */
export interface Matrix {
  rows: string[];
  columns: string[];
  values: ((number | null)[])[];
}

/** A node of the tree that is shown; parents come before children, and children best first. parent : index in the list, -1 at the root. mover : the player who moved into it; value, bounds and proof are for this player, and at the root for the player to move. value : as in `ChildTold`, and of the root that of its best move. player : the player to move, if expanded. more : number of children that are not shown. on_line : whether it is on the principal variation. */
export interface TreeNode {
  text: string;
  visits: number;
  value: number | null;
  prior: number | null;
  proven: number | null;
  path: (number | string)[];
  parent: number;
  mover: number | null;
  player: number | null;
  share: number;
  lower: number | null;
  upper: number | null;
  terminal: boolean;
  on_line: boolean;
  num_children: number;
  more: number;
}

/** How the selection rule scores one child of a node: score = value + exploration, for the player to move. All None for a child without visits. probability : of an outcome of chance, which has no score; its value is for the player who moved before. */
export interface Term {
  text: string;
  visits: number;
  value: number | null;
  prior: number | null;
  proven: number | null;
  action: number | string;
  exploration: number | null;
  score: number | null;
  probability?: number | null;
}

/** Answer to `Hello`; session : the token of this session. resumed : whether it is an earlier one. games : all games, in brief; `GET /api/games/{game}` tells more of one. first : the game that the server was started for, None if none was named. */
export interface Welcome {
  type: "welcome";
  session: string;
  resumed: boolean;
  version: string;
  games: GameCard[];
  first: string | null;
  limits: Limits;
  id?: number | null;
}

/** The position shown and its game; sent whenever any of it changes. moves : all moves, including those after the position. ply : number of moves before the position. board : what the board holds; None if the game has none, or draws its own. svg : otherwise the picture, with the cells of the last move marked, or None. text : the board as plain text. legal : the legal moves, unless actions are continuous; where all move at once, those of each player. box : the bounds of continuous actions, None otherwise and when the game is over. player : the player to move, -1 for chance, -2 where all move at once; None when the game is over. waiting : where all move at once, the seats of people who have still to choose. types_dice : whether people play outcomes of chance. returns : of a finished game. paid : the sum of each player's rewards so far, discounted; None if returns come only at the end. values : of searches so far. variations : moves that were replaced by others in an earlier position, the latest first. link : query that restores this position, such as "game=nim&moves=1,2"; continuous actions are in "vectors", with blanks between them. viewer : the player whose view this is, until a game with hidden information is over; None: all is shown. With a viewer, all other fields follow from what that player knows. Then ply counts the moves of which the viewer saw something; legal is empty and player is -3 unless it is the viewer's turn; nothing is said of rewards; and link names only the game. seen : all that the viewer has seen and done, as one line. */
export interface Position {
  type: "position";
  board: Board | null;
  svg: string | null;
  text: string;
  player: number | null;
  returns: number[] | null;
  paid: number[] | null;
  game: GameInfo;
  moves: MoveTold[];
  ply: number;
  legal: MoveTold[];
  box: Box | null;
  seats: number[];
  types_dice: boolean;
  opponent: Opponent;
  values: PlyValue[];
  variations: Variation[];
  link: string;
  viewer: number | null;
  seen: string;
  waiting: number[];
  id?: number | null;
}

/** The current search: "bot", "hint", "analysis", or "" for none. stage : "compiling" while a bot waits for the game's machine code, "waiting" for other searches, "searching", "paused", or "" for none. seconds : the limit, if there is one. */
export interface Thinking {
  type: "thinking";
  who: string;
  stage: string;
  seconds: number | null;
  id?: number | null;
}

/** The current compile of the session; sent when that changes. Searches are slow until it has ended. what : name of the game, or "the search"; "" for nothing. elapsed, estimate : seconds of compiling so far, and its estimated total. */
export interface Compiling {
  type: "compiling";
  what: string;
  elapsed: number;
  estimate: number;
  id?: number | null;
}

/** The findings of a search; sent about ten times a second while it runs. ply : of the position searched. rate : simulations per second. depth : length of the expected line. value : for the player to move. values : for each player, or None if not all are known. judged : the value for the player to move that a network gave the position, before the search; None without a network. Its policy are the priors of `children`. ended_by : see `SearchResult`; "" while it runs. Where all move at once, player is -2, value is None and children is empty. Then strategies has the actions of each player, the most probable first, none for a player without a choice; matrix, for two players, what pairs of actions bring, unless there are very many. */
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
  judged: number | null;
  strategies: ChoiceTold[][];
  matrix: Matrix | null;
  id?: number | null;
}

/** The nodes of the tree that the page watches. ply : of the position searched. nodes_in_all : number of nodes in the tree. */
export interface Tree {
  type: "tree";
  ply: number;
  nodes_in_all: number;
  nodes: TreeNode[];
  id?: number | null;
}

/** All data of a node: its board, and the selection rule's scores; rule, c : of the search. paid : the rewards of the moves to it, as in `BoardTold`. text : says so if the node stands for many boards, because the moves lead to random states; board, svg, returns and paid are then None. */
export interface NodeTold {
  type: "node_told";
  board: Board | null;
  svg: string | null;
  text: string;
  player: number | null;
  returns: number[] | null;
  paid: number[] | null;
  path: (number | string)[];
  visits: number;
  rule: string;
  c: number;
  terms: Term[];
  id?: number | null;
}

/** The board after a line; line_text : the line in the game's notation. board, svg : see `Position`. returns : of a finished game, if returns come only at the end. paid : otherwise, the sum of each player's rewards along the line, discounted from its second decision on. */
export interface BoardTold {
  type: "board_told";
  board: Board | null;
  svg: string | null;
  text: string;
  player: number | null;
  returns: number[] | null;
  paid: number[] | null;
  line: (number | string)[];
  line_text: string[];
  id?: number | null;
}

/** The move suggested in the position after `ply` moves, for `player`. Where all move at once, it is drawn from that player's mean strategy. */
export interface Hinted {
  type: "hinted";
  ply: number;
  player: number;
  action: number | string;
  text: string;
  value: number | null;
  id?: number | null;
}

/** The start of a step-by-step search. rule, c, playout, cutoff, seed : its settings in full. stretches : whether scores are on the scale of the returns seen. is_open : whether a node stands for the decisions that lead to it, as in an open loop; simulations then have `pictures`. horizon : number of decisions that count, 0 for all. */
export interface StepsBegun {
  type: "steps_begun";
  ply: number;
  rule: string;
  c: number;
  playout: string;
  cutoff: number | null;
  seed: number;
  stretches: boolean;
  is_open: boolean;
  horizon: number;
  id?: number | null;
}

/** Simulations in the form of `Simulation.to_dict`, with `line_actions` beside each node's `line`, and the tree after them, up to some hundred nodes. over : the root is solved, or no more steps can be sent. In an open loop each has `pictures`: the boards as SVG, or None, of its "leaf", its last "node" and the "end" of its playout, which its moves do not reproduce. */
export interface StepsMade {
  type: "steps_made";
  simulations: Record<string, unknown>[];
  nodes: TreeNode[];
  over: boolean;
  id?: number | null;
}

/** A message of the page was refused; mend : the correction. about : type of the message. superseded : nothing was wrong with it, but a later message replaced it. */
export interface Refused {
  type: "refused";
  message: string;
  mend: string | null;
  about: string | null;
  superseded: boolean;
  id?: number | null;
}

/** Body of `POST /api/games/{game}/search`: a position and a budget. moves : from the start, as text or by number; a question mark stands for the outcomes of chance that are due there. state : in place of moves, in the form of `Game.to_json`. A simulator, and a game that starts at random, can have both, and then the moves begin at the state; a simulator's moves lead to random states. seed : of a random start and of the outcomes that are drawn, for question marks and at the end; without one, each request draws others. Without simulations and seconds the limit is one second. With hidden information, moves are all moves of the game, and what the player to move knows is searched. */
export interface SearchRequest {
  moves?: (number | string)[];
  state?: Record<string, unknown> | null;
  seed?: number | null;
  simulations?: number | null;
  seconds?: number | null;
  settings?: SearchSettings | null;
}

/** Body of `POST /api/games/{game}/position`, which asks for a board and its legal moves. moves, state, seed : as in `SearchRequest`; outcomes are drawn only for question marks and, with hidden information, at the end. viewer : the player whose view is wanted, in a game with hidden information; by default the player to move. */
export interface PositionRequest {
  moves?: (number | string)[];
  state?: Record<string, unknown> | null;
  seed?: number | null;
  viewer?: number | null;
}

/** Answer to it; state : may be sent back unchanged, in place of moves. In a game with hidden information, it tells what one player, `viewer`, knows, until the game is over: player is that player or, while another is to move, -3, legal has that player's moves, seen is the history as that player saw it, and state is None. legal : outcomes of chance, with their probabilities, where chance is to move. box : bounds of continuous actions, as in `Position`. paid : the sum of each player's rewards along the moves, discounted; None if returns come only at the end, and for a state, whose rewards are unknown. returns : of a finished game; the same as paid if rewards are paid on the way. drawn : texts of the outcomes that were drawn, as the viewer saw them. */
export interface PositionAnswer {
  game: string;
  player: number | null;
  legal: MoveTold[];
  box: Box | null;
  returns: number[] | null;
  paid: number[] | null;
  svg: string | null;
  text: string;
  state: Record<string, unknown> | null;
  drawn?: string[];
  viewer?: number | null;
  seen?: string;
}

/** Result of a search: the best action, the value for the player to move, and every action. Where all players move at once, player is -2, best_action has the most probable action of each player, value is None and children is empty; values has the value for each player, and strategies and matrix are those of `Analysis`. drawn : as in `PositionAnswer`. */
export interface SearchAnswer {
  game: string;
  player: number;
  best_action: number | string;
  best_move: string;
  value: number | null;
  simulations: number;
  seconds: number;
  nodes: number;
  ended_by: string;
  memory_full: boolean;
  seed: number;
  children: ChildTold[];
  values?: number[] | null;
  strategies?: ChoiceTold[][];
  matrix?: Matrix | null;
  drawn?: string[];
}

/** A training after a round, as `branchwise.learning.train.Progress` has it. lead : over playouts at equal simulations, in Elo, and the ends of its interval, infinite ones as None; None where strength was not measured. */
export interface LearningPoint {
  share: number;
  seconds: number;
  games: number;
  positions: number;
  proven: number;
  policy_error: number;
  value_error: number;
  value_loss: number;
  policy_loss: number;
  lead: (number | null)[] | null;
}

/** A training of a game; `GET /api/games/{game}/learning` answers with a list of them, the latest first. file : name of its network. age : seconds since its last checkpoint; None if it is complete. */
export interface Learning {
  file: string;
  age: number | null;
  points: LearningPoint[];
}

/** Body of an answer with a status of 400 or more. */
export interface Problem {
  error: string;
  mend?: string | null;
}

export type SaidByPage = Hello | NewGame | Play | GoTo | Undo | Redo | TakeUp | SetPlayers | BotMove | Hint | Stop | Analyse | WatchTree | AskNode | AskBoard | BeginSteps | MakeSteps;

export type ToldByServer = Welcome | Position | Thinking | Compiling | Analysis | Tree | NodeTold | BoardTold | Hinted | StepsBegun | StepsMade | Refused;
