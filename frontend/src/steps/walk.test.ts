import { describe, expect, it } from "vitest";
import nim from "./fixtures/nim_puct.json";
import pig from "./fixtures/pig.json";
import ticTacToe from "./fixtures/tic_tac_toe.json";
import { pictureOf } from "./picture";
import { choicesOf, chosenOf, movesTo, type Simulation } from "./simulation";
import { Growth, beatsOf, endOfSimulation, lastPlace, momentAt, nextPhase, pathAt } from "./walk";

const sims = ticTacToe.simulations as unknown as Simulation[];
const nims = nim.simulations as unknown as Simulation[];
const pigs = pig.simulations as unknown as Simulation[];

describe("places", () => {
  it("go through four phases a simulation", () => {
    expect(momentAt(sims, 0)).toBeNull();
    expect([1, 2, 3, 4, 5].map((place) => [momentAt(sims, place)?.index, momentAt(sims, place)?.phase])).toEqual([
      [0, "selection"],
      [0, "expansion"],
      [0, "playout"],
      [0, "backup"],
      [1, "selection"],
    ]);
    expect(lastPlace(sims)).toBe(4 * sims.length);
    expect(momentAt(sims, lastPlace(sims) + 1)).toBeNull();
    expect([0, 1, 2, 3, 4].map(nextPhase)).toEqual(["selection", "expansion", "playout", "backup", "selection"]);
    expect([0, 1, 3, 4, 7, 8].map(endOfSimulation)).toEqual([4, 4, 4, 8, 8, 12]);
  });

  it("have a beat for each choice, move and update", () => {
    const late = sims.length - 1;
    const of = (phase: number) => beatsOf(momentAt(sims, 4 * late + phase));
    expect(of(1)).toBe(sims[late]!.selection.choices.length);
    expect(of(3)).toBe(sims[late]!.playout.games[0]?.moves.length ?? 0);
    expect(of(4)).toBe(sims[late]!.backup.updates.length);
    expect(beatsOf(null)).toBe(0);
  });

  it("have a path that is longer with each beat, and ends where the playout starts", () => {
    sims.forEach((simulation, i) => {
      const choices = simulation.selection.choices.length;
      expect(pathAt(momentAt(sims, 4 * i + 1), 0)).toEqual([0]);
      expect(pathAt(momentAt(sims, 4 * i + 1), choices).at(-1)).toBe(simulation.selection.leaf);
      expect(pathAt(momentAt(sims, 4 * i + 2), 1).at(-1)).toBe(simulation.expansion.node);
      expect(pathAt(momentAt(sims, 4 * i + 4), 0)).toEqual(simulation.backup.updates.map((update) => update.node).reverse());
    });
  });
});

describe.each([
  ["tic-tac-toe", sims],
  ["nim by puct", nims],
  ["pig, with chance", pigs],
])("the tree of %s", (_, simulations) => {
  const growth = new Growth([-1, 1]);

  it("has before each choice the visits and values that the search saw", () => {
    simulations.forEach((simulation, i) => {
      const tree = growth.after(simulations, i);
      for (const choice of simulation.selection.choices) {
        expect(tree.get(choice.node)?.visits).toBe(choice.visits);
        for (const sibling of choice.siblings) {
          const known = tree.get(sibling.node)!;
          expect(known.visits).toBe(sibling.visits);
          expect(known.parent).toBe(choice.node);
          expect(known.move).toEqual(sibling.move);
          expect(known.bounds).toEqual(sibling.bounds);
          if (sibling.visits) expect(known.value).toBeCloseTo(sibling.value!, 5);
        }
      }
    });
  });

  it("has children from the expansion on, and visits as backup comes to them", () => {
    simulations.forEach((simulation, i) => {
      const at = (phase: number, beat: number) => growth.at(simulations, momentAt(simulations, 4 * i + phase), beat);
      const children = simulation.expansion.children.map((child) => child.node);
      expect(children.filter((child) => at(1, 9).has(child))).toEqual([]);
      expect(children.filter((child) => at(2, 0).has(child))).toEqual(children);
      simulation.backup.updates.forEach((update, k) => {
        expect(at(4, k).get(update.node)?.visits).toBe(update.visits_before);
        expect(at(4, k + 1).get(update.node)?.visits).toBe(update.visits_after);
      });
      expect([...at(4, Infinity)]).toEqual([...growth.after(simulations, i + 1)]);
    });
  });
});

describe("the picture", () => {
  it("always has the path, and of the rest what was visited or settled", () => {
    const growth = new Growth([-1, 1]);
    sims.forEach((simulation, i) => {
      const path = [0, ...choicesOf(simulation).map((choice) => chosenOf(choice).node)];
      const tree = growth.after(sims, i + 1);
      const items = pictureOf(tree, path, new Set());
      const nodes = items.flatMap((item) => (item.kind === "node" ? [item] : []));
      expect(path.every((node) => nodes.some((item) => item.known.node === node && item.onPath))).toBe(true);
      for (const { known, onPath } of nodes) expect(onPath || known.visits > 0 || known.bounds[0] === known.bounds[1]).toBe(true);
      const rest = items.reduce((sum, item) => sum + (item.kind === "rest" ? item.count : 0), 0);
      const shown = new Set(nodes.map((item) => item.known.node));
      const below = [...tree.values()].filter((known) => shown.has(known.parent) && !shown.has(known.node));
      expect(rest).toBe(below.length);
    });
  });

  it("draws at most some hundred nodes of a large tree", () => {
    const wide = new Map([[0, { node: 0, parent: -1, move: null, visits: 2000, value: null, bounds: [-1, 1] as [number, number], children: [] as number[], terminal: false }]]);
    for (let node = 1; node <= 2000; node++) {
      const parent = node <= 40 ? 0 : ((node - 1) % 40) + 1;
      wide.get(parent)!.children.push(node);
      wide.set(node, { node, parent, move: { player: 0, action: node, text: `${node}` }, visits: 3000 - node, value: 0, bounds: [-1, 1], children: [], terminal: false } as never);
    }
    const items = pictureOf(wide, [0, 40, 2000], new Set());
    expect(items.length).toBeLessThanOrEqual(100);
    expect(items.some((item) => item.key === "2000")).toBe(true);
  });
});

it("the moves of a simulation lead to where its playout starts", () => {
  for (const simulation of sims) expect(movesTo(simulation).map((move) => move.text)).toEqual(simulation.expansion.line);
});
