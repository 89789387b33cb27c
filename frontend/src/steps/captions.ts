/** Captions of the phases: short sentences with their numbers. */
import { boundsText } from "../lib/values";
import { CHANCE, forPlayer, playerCapital, playerName, type Players } from "../lib/players";
import { placeOf } from "../tree/places";
import { plain, plural, probability, signed } from "../lib/numbers";
import { chosenOf, type Choice, type Fate, type Phase, type Simulation, type Update } from "./simulation";

export const TITLES: Record<Phase, string> = {
  selection: "Select: down the tree to a leaf",
  expansion: "Expand: the tree grows",
  playout: "Play out: a game to its end",
  backup: "Back up: the result goes up the tree",
};

export const VERBS: Record<Phase, string> = { selection: "Select", expansion: "Expand", playout: "Playout", backup: "Backup" };

const PLAYOUTS: Record<string, string> = {
  uniform: "both play at random",
  mast: "players mostly choose moves that have often won so far",
  nst: "players mostly choose moves that have often won after the previous move",
  last_good_reply: "players choose the last good reply to the previous move, or else a random move",
  game: "the game's own rule for playouts chooses the moves",
};
const URGENT: Record<string, string> = {
  decisive: "a player who can win at once does",
  anti_decisive: "players take immediate wins and prevent them",
};

/** The choice of moves in playouts; playout : the setting, such as "decisive+mast(epsilon=0.4)". */
export function playoutWords(playout: string, players: number): string {
  const names = playout.split("+").map((part) => part.replace(/\(.*$/, "").trim());
  const policy = names.find((name) => name in PLAYOUTS) ?? "uniform";
  const words = names.some((name) => name in PLAYOUTS || name in URGENT) ? PLAYOUTS[policy]! : `moves are chosen by ${playout}`;
  const urgent = names.map((name) => URGENT[name]).filter(Boolean);
  const fitting = players === 2 ? words : words.replace("both play", players === 1 ? "moves are made" : "all play");
  return [fitting, ...urgent].join(", but ");
}

export function node(line: readonly string[]): string {
  return line.length ? `the node ${placeOf(line)}` : "the root";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Sentences about a phase of a simulation. */
export function captionOf(phase: Phase, simulation: Simulation, game: Players, playout: string, horizon = 0): string[] {
  if (phase === "playout") return played(simulation, game, playout, horizon);
  return { selection, expansion, backup }[phase](simulation, game);
}

/** The reason for the choice at one node of the path. */
export function choiceWords(choice: Choice, game: Players): string {
  const { move, score, probability: likely } = chosenOf(choice);
  const where = choice.line.length ? `After ${placeOf(choice.line)}` : "At the root";
  const who = playerName(game, choice.player);
  const untried = choice.siblings.filter((sibling) => sibling.fate === "untried").length;
  const spared = choice.siblings.filter((sibling) => sibling.fate === "solved" || sibling.fate === "beaten").length;
  const proofs = spared ? ` Proofs make another visit to ${plural(spared, "move")} unnecessary.` : "";
  const illegal = choice.siblings.filter((sibling) => sibling.fate === "not legal").length;
  const others = illegal ? ` ${plural(illegal, "other is", "others are")} not legal this time.` : "";
  const drawn = choice.drawn?.length ? ` Chance then brings ${choice.drawn.map((outcome) => outcome.text).join(" ")}.` : "";
  const scores = choice.siblings.flatMap((sibling) => (sibling.score === null ? [] : [sibling.score]));
  switch (choice.because) {
    case "chance":
      return `${where} chance decides: ${move.text}, probability ${probability(likely ?? 0)}.`;
    case "untried":
      return `${where} ${who} has untried moves, and these come first: ${move.text}${untried ? `, with ${untried} more to follow` : ", the last of them"}.${drawn}`;
    case "proven":
      return `${where} every move of ${who} is proven: ${move.text} is the best of them.`;
    case "again":
      return `${where} ${who} follows ${move.text} again: a well-visited choice is reused for several simulations.`;
    case "score": {
      if (choice.siblings.length === 1 || (scores.length === 1 && choice.board != null)) return `${where} ${who} takes ${move.text}, the only legal move.${others}${drawn}`;
      if (scores.length === 1) return `${where} only ${move.text} is not yet proven for ${who}.${proofs}`;
      const tie = scores.filter((other) => other === score).length > 1 ? ", the first of those with this score" : "";
      return `${where} ${who} takes the highest score of ${scores.length}: ${move.text} with ${signed(score!, 4)}${tie}.${proofs}${others}${drawn}`;
    }
  }
}

function selection({ selection, expansion }: Simulation, game: Players): string[] {
  if (!selection.choices.length) {
    if (selection.visits) return ["Every simulation starts at the root. This time the root gets another child, so there is nothing to choose: the root is the leaf."];
    return ["Every simulation starts at the root. So far the tree has only its root, so there is nothing to choose: the root is the leaf."];
  }
  const open = selection.choices.some((choice) => choice.board != null);
  const why =
    expansion.without === "game over"
      ? open ? "ends the game this time" : "ends the game"
      : expansion.without === "horizon"
      ? "is the last decision that counts"
      : open && expansion.children.length
      ? "is where a move is played for the first time"
      : selection.visits
        ? `has ${plural(selection.visits, "visit")} but no children yet`
        : "has not been visited before";
  return [
    `Every simulation starts at the root and goes down, at each node to an untried child, or else to the child with the highest score.${
      selection.choices.some((choice) => choice.player === CHANCE) ? " Where chance is to move, it draws an outcome by its probability." : ""
    }`,
    ...selection.choices.map((choice) => choiceWords(choice, game)),
    `${capital(node(selection.line))} ${why}: it is the leaf where selection ends.`,
  ];
}

function expansion({ selection, expansion }: Simulation, game: Players): string[] {
  const leaf = capital(node(selection.line));
  switch (expansion.without) {
    case "first visit":
      return [`${leaf} is new: this is its first visit.`, "It joins the tree as a leaf and gets children on its next visit."];
    case "game over":
      return [`The game is over ${selection.line.length ? `after ${placeOf(selection.line)}` : "here"}: there is no move to add.`];
    case "horizon":
      return ["The horizon is reached: nothing after it counts, so there is no move to add."];
    case "depth":
      return [`${leaf} is at the depth limit of the tree: nothing is added.`];
    case "memory":
      return ["The tree's memory is full: nothing is added."];
  }
  const { choice, children, proofs } = expansion;
  if (!choice) return [];
  if (choice.board != null) return openGrowth(expansion, choice, selection.line, game);
  const byChance = choice.player === CHANCE;
  const what = byChance ? "outcome" : "move";
  const of = playerName(game, choice.player);
  const who = playerName(game, choice.credited ?? choice.player);
  const order = byChance ? "" : ", in random order";
  const count = children.length === 1 ? `one child, the only ${what} of ${of}` : `${children.length} children, one for each ${what} of ${of}${order}`;
  const said = [`${leaf}${selection.visits && selection.line.length ? ", visited before," : ""} gets ${count}.`];
  const ends = children.flatMap(({ move, settled }) => (settled === null ? [] : [`${move.text} ${signed(settled)}`]));
  if (ends.length) said.push(`${byChance ? "An outcome" : "A move"} that ends the game has its value for ${who} at once: ${ends.join(", ")}.`);
  for (const proof of proofs) {
    said.push(`So ${node(proof.line)} is proven to be worth ${boundsText(proof.after[0], proof.after[1], game)} for ${playerName(game, proof.player)}.`);
  }
  const { move, probability: likely } = chosenOf(choice);
  if (byChance) return [...said, `Chance decides: the playout starts from ${move.text}, probability ${probability(likely ?? 0)}.`];
  const because = { chance: "", untried: "the first of them", score: "the one with the highest score", proven: "the best of them", again: "chosen again" };
  said.push(`The playout starts from ${move.text}, ${because[choice.because]}.`);
  return said;
}

function openGrowth({ children }: Simulation["expansion"], choice: Choice, line: readonly string[], game: Players): string[] {
  const who = playerName(game, choice.player);
  const { move } = chosenOf(choice);
  const drawn = choice.drawn?.length ? ` Chance then brings ${choice.drawn.map((outcome) => outcome.text).join(" ")}.` : "";
  if (children.length > 1) return [`${capital(node(line))} gets ${children.length} children, one for each move of ${who}, in random order.`, `The playout starts from ${move.text}, the first of them.${drawn}`];
  return [`${line.length ? `After ${placeOf(line)}` : "At the root"} ${who} plays ${move.text} for the first time: it is the new node.${drawn}`];
}

/** How a game ended, such as "X wins: +1 for X, -1 for O."; or what an evaluation says of one that has not. */
export function outcomeWords(returns: readonly number[], game: Players, estimated = false): string {
  const told = returns.map((value, player) => (game.num_players === 1 ? signed(value) : `${signed(value)} for ${playerName(game, player)}`)).join(", ");
  if (game.pays) return `The rewards after the moves in the tree add up to ${told}.`;
  if (estimated) return `Its values are ${told}.`;
  const winners = returns.flatMap((value, player) => (value === game.max_return ? [player] : []));
  const rest = returns.filter((value) => value !== game.max_return);
  if (game.num_players > 1 && winners.length === 1 && rest.every((value) => value === game.min_return)) {
    return `${playerCapital(game, winners[0]!)} wins: ${told}.`;
  }
  if (game.num_players > 1 && new Set(returns).size === 1) return `A draw: ${signed(returns[0]!)} for ${game.num_players === 2 ? "both" : "all"}.`;
  return `The result: ${told}.`;
}

function played({ playout, expansion, backup, pictures }: Simulation, game: Players, setting: string, horizon: number): string[] {
  const decisions = backup.updates.filter((update) => update.returned !== null && !update.by_chance).length;
  const horizonReached = horizon > 0 && decisions === horizon && expansion.without !== "game over";
  const [first] = playout.games;
  const result = outcomeWords(playout.returns, game, first?.cut_off ?? false);
  if (!first && horizonReached) return ["The horizon is reached: nothing after it counts, so there is no playout.", result];
  if (!first) return ["The game is already over, so there is no playout.", result];
  const replaced = game.pays ? "the rewards still to come" : "a result";
  if (first.cut_off && first.moves.length === 0 && playout.games.length === 1) {
    return [`No moves are played. The game's evaluation of ${node(expansion.line)} replaces ${replaced}.`, result];
  }
  const from = expansion.line.length ? `From ${placeOf(expansion.line)} on` : "From the root on";
  const said = [`${from}, ${playoutWords(setting, game.num_players)}.`];
  const rolled = first.moves.filter((move) => move.player === CHANCE).length;
  if (rolled) said.push(pictures ? "Outcomes of chance are drawn." : "Outcomes of chance are drawn by their probabilities.");
  const moves = plural(first.moves.length, "move") + (rolled ? `, ${rolled} of them by chance,` : "");
  if (playout.games.length > 1) said.push(`${playout.games.length} such games are played, and their mean counts; the first is shown.`);
  else if (first.at_horizon) said.push(`After ${moves} the horizon is reached: nothing after it counts.`);
  else if (first.cut_off) said.push(`After ${moves} the game's evaluation replaces ${replaced}.`);
  else said.push(`After ${moves} the game is over.`);
  return [...said, result, "These moves do not enter the tree; the result does."];
}

const MOST_SUMS = 3;

/** What nodes add where rewards are paid on the way. */
function rewarded(updates: readonly Update[], game: Players): string[] {
  const sums = updates.slice(0, MOST_SUMS).flatMap((update) => {
    if (update.reward == null || update.rest == null || update.player === null) return [];
    const rest = `${update.factor === 1 ? "" : `${plain(update.factor ?? 1)} · `}${plain(Math.abs(update.rest))}`;
    const total = update.rest && update.factor ? ` ${update.rest < 0 ? "−" : "+"} ${rest} = ${signed(update.reward + (update.factor ?? 1) * update.rest)}` : "";
    return [`${capital(node(update.line))}: ${signed(update.reward)}${total}${forPlayer(game, update.player)}.`];
  });
  const undiscounted = (game.discount ?? 1) !== 1 && updates.some((update) => update.reward != null && update.factor === 1);
  return [
    "From the last node up to the root, each counts one more visit and adds the reward for the move into it and what comes after, for the player who moved.",
    ...sums,
    ...(undiscounted ? ["An outcome of chance is not a decision, so rewards after it are not discounted."] : []),
    "A value is the mean of these sums. Nobody moved into the root, so it only counts visits.",
  ];
}

function isCorrected({ player, returned, reward, rest, factor }: Update, returns: readonly number[]): boolean {
  if (player === null || returned === null) return false;
  const total = reward == null || rest == null ? returns[player]! : reward + (factor ?? 1) * rest;
  return reward == null ? returned !== total : Math.abs(returned - total) > 1e-6 * Math.max(1, Math.abs(total));
}

function backup({ backup, playout }: Simulation, game: Players): string[] {
  const movers = [...new Set(backup.updates.flatMap(({ player }) => (player === null ? [] : [player])))].sort();
  const shares = movers.map((player) => (game.num_players === 1 ? signed(playout.returns[player]!) : `${signed(playout.returns[player]!)} where ${playerName(game, player)} moved`));
  const paid = backup.updates.some((update) => update.reward != null);
  const said = paid ? rewarded(backup.updates, game) : movers.length
    ? [
        `From the last node up to the root, each counts one more visit and adds the return of the player who moved into it: ${shares.join(", ")}.`,
        "Its value is the mean of these returns. Nobody moved into the root, so it only counts visits.",
      ]
    : ["The root counts one more visit. Nobody moved into it, so it has no value to update."];
  if (backup.updates.some((update) => update.by_chance)) {
    said.push("An outcome of chance counts for the player who moved before: the mean before the outcomes comes close to the expected value.");
  }
  for (const update of backup.updates) {
    if (isCorrected(update, playout.returns)) {
      said.push(`${capital(node(update.line))} adds ${signed(update.returned!)}: its proven bounds correct the result.`);
    }
  }
  for (const update of backup.updates) {
    const [lower, upper] = update.bounds_after;
    if (lower === update.bounds_before[0] && upper === update.bounds_before[1]) continue;
    const whose = update.player === null ? "the player to move" : playerName(game, update.player);
    said.push(`${capital(node(update.line))} is now proven to be worth ${boundsText(lower, upper, game)} for ${whose}.`);
  }
  return said;
}

/** The reason why a child is not compared; "" if it is. */
export function fateWords(choice: Choice, place: number, game: Players): string {
  const sibling = choice.siblings[place]!;
  if (sibling.score !== null) return "";
  const proven = boundsText(sibling.bounds[0], sibling.bounds[1], game);
  if (choice.player === CHANCE) return proven ? `proven: ${proven}` : "";
  const words: Partial<Record<Fate, string>> = {
    chosen: choice.because === "untried" ? "untried: comes first" : `proven: ${proven}`,
    untried: "untried",
    solved: `solved: ${proven}, no visit needed`,
    beaten: `beaten: ${proven}, another move is at least as good`,
    "left out": "left out for now",
    "not legal": "not legal this time",
  };
  return words[sibling.fate] ?? "";
}
