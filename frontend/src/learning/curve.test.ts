import { describe, expect, test } from "vitest";
import { graphsOf, lastLead, leadWords } from "./curve";
import type { LearningPoint } from "../protocol";

function point(share: number, seconds: number, lead: LearningPoint["lead"] = null): LearningPoint {
  return { share, seconds, lead, games: 10, positions: 100, proven: 0.5, policy_error: 0.4, value_error: 0.2, value_loss: 0.1, policy_loss: 1.5 };
}

describe("a lead in Elo", () => {
  test("has its interval, or only a bound", () => {
    expect(leadWords([132.4, -29, 294])).toBe("+132 [−29, +294]");
    expect(leadWords([null, 407, null])).toBe("above +407");
    expect(leadWords([null, null, -100])).toBe("below −100");
    expect(leadWords([600, 165, null])).toBe("+600 [+165, +∞]");
    expect(leadWords([])).toBe("–");
  });

  test("is the last one that was measured", () => {
    expect(lastLead([point(0.1, 1, [5, 1, 9]), point(0.2, 2)])).toBe("+5 [+1, +9]");
    expect(lastLead([point(0.1, 1)])).toBe("–");
  });
});

describe("the graphs of a training", () => {
  test("are over percent of its time", () => {
    const [, errors, losses] = graphsOf([point(0.1, 3), point(0.5, 10)]);
    expect(errors!.lines.map((line) => line.points)).toEqual([[[15, 0.4], [50, 0.4]], [[15, 0.2], [50, 0.2]]]);
    expect([errors!.low, errors!.high, losses!.high]).toEqual([0, 0.4, 1.5]);
  });

  test("show intervals, and infinite ends at the edge", () => {
    const [elo] = graphsOf([point(0.5, 10, [100, -20, 200]), point(0.75, 15), point(1, 20, [null, 50, null])]);
    expect([elo!.low, elo!.high]).toEqual([-220, 220].map((n) => expect.closeTo(n, 6)));
    expect(elo!.lines[0]!.points).toEqual([[50, 100], [100, expect.closeTo(220, 6)]]);
    expect(elo!.lines[0]!.spans).toEqual([[50, -20, 200], [100, 50, expect.closeTo(220, 6)]]);
  });

  test("are there before the first point", () => {
    expect(graphsOf([]).map((graph) => graph.lines.flatMap((line) => line.points))).toEqual([[], [], []]);
  });
});
