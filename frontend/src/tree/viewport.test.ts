import { describe, expect, it } from "vitest";
import { LEAST, MOST, fit, hold, reveal, zoom } from "./viewport";

const box = { x: -50, y: 20, width: 400, height: 300 };

describe("the view", () => {
  it("zooms about a point that stays", () => {
    const view = { x: 12, y: -7, scale: 0.8 };
    const next = zoom(view, 1.5, 200, 90);
    expect(next.scale).toBeCloseTo(1.2);
    expect((200 - next.x) / next.scale).toBeCloseTo((200 - view.x) / view.scale);
    expect((90 - next.y) / next.scale).toBeCloseTo((90 - view.y) / view.scale);
  });

  it("zooms so far and no farther", () => {
    expect(zoom({ x: 0, y: 0, scale: 1 }, 1e9, 0, 0).scale).toBe(MOST);
    expect(zoom({ x: 0, y: 0, scale: 1 }, 1e-9, 0, 0).scale).toBe(LEAST);
  });

  it("fits a box in", () => {
    const view = fit(box, 300, 200);
    expect(box.x * view.scale + view.x).toBeGreaterThanOrEqual(0);
    expect((box.x + box.width) * view.scale + view.x).toBeLessThanOrEqual(300);
    expect(box.y * view.scale + view.y).toBeGreaterThanOrEqual(0);
    expect((box.y + box.height) * view.scale + view.y).toBeLessThanOrEqual(200);
  });

  it("does not make what is large too small to be read", () => {
    expect(fit({ x: 0, y: 0, width: 1e5, height: 1e5 }, 300, 200).scale).toBe(0.45);
  });

  it("moves as little as needed to show a part", () => {
    const seen = { x: 100, y: 100, width: 50, height: 20 };
    const view = { x: 0, y: 0, scale: 1 };
    expect(reveal(view, seen, 400, 400)).toEqual(view);
    expect(reveal(view, seen, 140, 400)).toEqual({ x: -26, y: 0, scale: 1 });
    expect(reveal({ x: -200, y: 0, scale: 1 }, seen, 400, 400).x).toBe(-84);
  });

  it("never loses the drawing", () => {
    const lost = hold({ x: 1e6, y: -1e6, scale: 1 }, box, 300, 200);
    expect(box.x + lost.x).toBe(24);
    expect(box.y + box.height + lost.y).toBe(200 - 24);
    const small = hold({ x: 1e6, y: -1e6, scale: 0.1 }, box, 300, 200);
    expect((box.x + box.width) * 0.1 + small.x).toBeCloseTo(300 - 24);
    expect(box.y * 0.1 + small.y).toBeCloseTo(24);
  });
});
