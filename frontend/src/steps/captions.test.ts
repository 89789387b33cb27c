import { describe, expect, it } from "vitest";
import { openBoard } from "./boards";
import { captionOf, choiceWords, fateWords, playoutWords, outcomeWords } from "./captions";
import nim from "./fixtures/nim_puct.json";
import pig from "./fixtures/pig.json";
import shuttersWalk from "./fixtures/shutters.json";
import ticTacToe from "./fixtures/tic_tac_toe.json";
import wheelWalk from "./fixtures/wheel.json";
import { filledIn, formulaOf, ruleName } from "./formulas";
import { PHASES, choicesOf, chosenOf, type Simulation } from "./simulation";
import { Growth } from "./walk";

const two = { num_players: 2, min_return: -1, max_return: 1, symbols: ["X", "O"] };
const three = { num_players: 3, min_return: 0, max_return: 10, symbols: [] };
const one = { num_players: 1, min_return: 0, max_return: 100, symbols: [] };
const sims = ticTacToe.simulations as unknown as Simulation[];
const nims = nim.simulations as unknown as Simulation[];
const pigs = pig.simulations as unknown as Simulation[];

describe("captions", () => {
  it("say something of every phase, with nothing left open", () => {
    for (const simulation of [...sims, ...nims, ...pigs]) {
      for (const phase of PHASES) {
        const said = captionOf(phase, simulation, two, "uniform");
        expect(said.length).toBeGreaterThan(0);
        for (const sentence of said) {
          expect(sentence).toMatch(/^[A-Z].*\.$/);
          expect(sentence).not.toMatch(/undefined|null|NaN|\[object/);
        }
      }
    }
  });

  it("tell of the first simulation that there is nothing to choose", () => {
    expect(captionOf("selection", sims[0]!, two, "uniform")[0]).toContain("nothing to choose: the root is the leaf");
  });

  it("give draws with their probabilities, and whom an outcome counts for", () => {
    const grown = pigs.find(({ expansion }) => expansion.choice?.because === "chance")!;
    const outcomes = captionOf("expansion", grown, two, "uniform").join(" ");
    expect(outcomes).toMatch(/gets 2 children, one for each outcome of chance\./);
    expect(outcomes).toMatch(/Chance decides: the playout starts from [12], probability 1\/2\./);
    const draw = pigs.flatMap(({ selection }) => selection.choices).find((choice) => choice.because === "chance")!;
    expect(choiceWords(draw, two)).toMatch(/^After .*roll chance decides: [12], probability 1\/2\.$/);
    expect(captionOf("backup", grown, two, "uniform").join(" ")).toContain("An outcome of chance counts for the player who moved before");
    expect(captionOf("backup", pigs[0]!, two, "uniform").join(" ")).not.toContain("chance");
    const moves = pigs[0]!.playout.games[0]!.moves;
    const rolled = moves.filter((move) => move.player === -1).length;
    expect(captionOf("playout", pigs[0]!, two, "uniform").join(" ")).toContain(`After ${moves.length} moves, ${rolled} of them by chance,`);
  });

  it("name who chooses, the move and its score", () => {
    const scored = sims.flatMap((simulation) => simulation.selection.choices).find((choice) => choice.because === "score" && choice.siblings.filter((s) => s.score !== null).length > 1)!;
    const words = choiceWords(scored, two);
    expect(words).toContain(chosenOf(scored).move.text);
    expect(words).toMatch(/ [XO] takes the highest score of \d+: \S+ with [+-]/);
  });

  it("credit each mover with what the playout returned to them", () => {
    const last = sims.at(-1)!;
    const [first] = captionOf("backup", last, two, "uniform");
    for (const update of last.backup.updates) {
      if (update.player !== null) expect(first).toContain(`where ${"XO"[update.player]} moved`);
    }
  });

  it("tell results of any number of players", () => {
    expect(outcomeWords([1, -1], two)).toBe("X wins: +1 for X, −1 for O.");
    expect(outcomeWords([0, 0], two)).toBe("A draw: 0 for both.");
    expect(outcomeWords([4, 6, 10], three)).toBe("The result: +4 for player 0, +6 for player 1, +10 for player 2.");
    expect(outcomeWords([0, 10, 0], three)).toBe("Player 1 wins: 0 for player 0, +10 for player 1, 0 for player 2.");
    expect(outcomeWords([42], one)).toBe("The result: +42.");
  });

  it("tell where an evaluation replaces a result", () => {
    const [leaf] = sims;
    const { games } = leaf!.playout;
    const cut = (moves: number, pays = false) => {
      const game = { ...games[0]!, cut_off: true, moves: games[0]!.moves.slice(0, moves) };
      return captionOf("playout", { ...leaf!, playout: { returns: [0.5, -0.5], games: [game] } }, { ...two, pays }, "uniform").join(" ");
    };
    expect(cut(0)).toMatch(/^No moves are played\. The game's evaluation of the node \S+ replaces a result\. Its values are \+0\.5 for X, −0\.5 for O\.$/);
    expect(cut(2)).toContain("After 2 moves the game's evaluation replaces a result. Its values are");
    expect(cut(0, true)).toContain("replaces the rewards still to come. The rewards after");
    expect(outcomeWords([0, 0], two, true)).toBe("Its values are 0 for X, 0 for O.");
  });

  it("tell how playouts are played", () => {
    expect(playoutWords("uniform", 2)).toBe("both play at random");
    expect(playoutWords("uniform", 1)).toBe("moves are made at random");
    expect(playoutWords("uniform", 3)).toBe("all play at random");
    expect(playoutWords("decisive+mast(epsilon=0.4)", 2)).toBe("players mostly choose moves that have often won so far, but a player who can win at once does");
    expect(playoutWords("decisive", 2)).toBe("both play at random, but a player who can win at once does");
    expect(playoutWords("my_own", 2)).toBe("moves are chosen by my_own");
  });

  it("name what is solved, beaten, untried or left out", () => {
    const fates = new Map<string, string>();
    for (const simulation of sims) {
      for (const choice of choicesOf(simulation)) {
        choice.siblings.forEach((sibling, place) => fates.set(sibling.fate, fateWords(choice, place, two)));
      }
    }
    expect(fates.get("solved")).toMatch(/^solved: [+-]?\d, no visit needed$/);
    expect(fates.get("beaten")).toMatch(/^beaten: /);
    expect(fates.get("untried")).toBe("untried");
    expect(fates.get("lower")).toBe("");
  });
});

describe("formulas", () => {
  it("carry the weight for the game's range of returns", () => {
    expect(formulaOf("ucb1", 0.7, 2).text).toBe("score = value + 0.7 · 2 · √(ln N / n)");
    expect(formulaOf("rave(bias=0.02)", 0.5, 1).letters).toContain("AMAF");
    expect(formulaOf("my_rule", 0.5, 1).text).toBe("score: by the rule my_rule");
    expect(ruleName("puct(c_base=1000)")).toBe("puct");
  });

  it.each([
    ["ucb1", sims, 0.7],
    ["puct", nims, 0.7],
  ] as const)("of %s give what the search computed", (rule, simulations, c) => {
    let seen = 0;
    for (const choice of simulations.flatMap((simulation) => simulation.selection.choices)) {
      if (choice.because !== "score") continue;
      const chosen = chosenOf(choice);
      const line = filledIn(choice, rule, c, 2);
      expect(line).toContain(`score of ${chosen.move.text} = `);
      if (rule === "ucb1") {
        const [, weight, N, n] = line.match(/([\d.]+) · 2 · √\(ln (\d+) \/ (\d+)\)/)!.map(Number) as [number, number, number, number];
        expect(weight * 2 * Math.sqrt(Math.log(N) / n)).toBeCloseTo(chosen.exploration!, 4);
        expect(chosen.value! + chosen.exploration!).toBeCloseTo(chosen.score!, 5);
      } else {
        const [, weight, P, N, n] = line.match(/([\d.]+) · 2 · ([\d.]+) · √(\d+) \/ \(1 \+ (\d+)\)/)!.map(Number) as [number, number, number, number, number];
        expect((weight * 2 * P * Math.sqrt(N)) / (1 + n)).toBeCloseTo(chosen.exploration!, 2);
      }
      seen++;
    }
    expect(seen).toBeGreaterThan(3);
  });

  it("are not filled in for a child that is chosen for another reason", () => {
    const untried = sims.flatMap((simulation) => choicesOf(simulation)).find((choice) => choice.because === "untried")!;
    expect(filledIn(untried, "ucb1", 0.7, 2)).toBe("");
  });
});

describe("rewards on the way", () => {
  const wheel = wheelWalk.simulations as unknown as Simulation[];
  const one = { num_players: 1, min_return: null, max_return: null, symbols: [], name: "wheel", wide: true, pays: true, discount: 0.5 };

  it("what a node adds is told as a sum", () => {
    const told = wheel.map((simulation) => captionOf("backup", simulation, one, "uniform").join(" "));
    for (const text of told) expect(text).toContain("adds the reward for the move into it and what comes after");
    expect(told.some((text) => / [+−]\S+ [+−] 0\.5 · \S+ = [+−]?\S+\./.test(text))).toBe(true);
    expect(told.some((text) => text.includes("An outcome of chance is not a decision"))).toBe(true);
  });

  it("a playout's rewards are added up", () => {
    expect(wheel.some((simulation) => captionOf("playout", simulation, one, "uniform").join(" ").includes("The rewards after the moves in the tree add up to"))).toBe(true);
  });

  it("scores are on the scale of the returns seen", () => {
    const choice = wheel.flatMap((simulation) => simulation.selection.choices).find((made) => made.because === "score")!;
    expect(choice.spread).toHaveLength(2);
    expect(formulaOf("ucb1", 0.7, null).text).toBe("score = value + 0.7 · R · √(ln N / n)");
    expect(filledIn(choice, "ucb1", 0.7, choice.spread![1] - choice.spread![0])).toContain("score of ");
  });
});

describe("an open loop", () => {
  const shutters = shuttersWalk.simulations as unknown as Simulation[];
  const one = { num_players: 1, min_return: null, max_return: null, symbols: [], name: "shutters", wide: true, pays: true };

  it("moves that are not legal this time are told, and what chance brought", () => {
    const told = shutters.map((simulation) => captionOf("selection", simulation, one, "uniform").join(" ") + captionOf("expansion", simulation, one, "uniform").join(" "));
    expect(told.some((text) => text.includes("Chance then brings"))).toBe(true);
    expect(told.some((text) => text.includes("for the first time: it is the new node."))).toBe(true);
  });

  it("a node gets its children one after the other, and the root all at once", () => {
    const growth = new Growth([null, null]);
    const tree = growth.after(shutters, shutters.length);
    expect(tree.get(0)!.children).toHaveLength(5);
    const grown = shutters.reduce((sum, simulation) => sum + simulation.expansion.children.length, 0);
    expect(tree.size).toBe(1 + grown);
    expect([...tree.values()].some((known) => known.terminal)).toBe(false);
  });

  it("boards are those of the simulation", () => {
    const last = shutters.at(-1)!;
    expect(openBoard(last, "selection", 0)!.text).toBe(last.selection.choices[0]!.board);
    expect(openBoard(last, "expansion", 1)!.text).toBe(last.expansion.board);
    expect(openBoard(last, "backup", 1)!.text).toBe(last.playout.games[0]!.board);
  });
});
