/** The cells of a picture that stand for moves. */
import type { Box, Cell } from "../lib/geometry";

export interface LiveCell extends Cell {
  element: SVGGraphicsElement;
}

/** Every element with `data-action`, with its box in the coordinates of the picture: that of a part of it with `data-mark`, if it has one. */
export function cellsOf(svg: SVGSVGElement): LiveCell[] {
  return [...svg.querySelectorAll<SVGGraphicsElement>("[data-action]")].flatMap((element) => {
    const action = Number(element.dataset["action"]);
    const marked = element.querySelector<SVGGraphicsElement>("[data-mark]") ?? element;
    return Number.isInteger(action) ? [{ action, element, box: boxIn(svg, marked) }] : [];
  });
}

/** The coordinates of a picture: its viewBox; a picture without one gets one from its size. */
export function frameOf(svg: SVGSVGElement): string {
  if (!svg.getAttribute("viewBox")) {
    const [width, height] = [svg.width.baseVal.value || 300, svg.height.baseVal.value || 300];
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  }
  return svg.getAttribute("viewBox")!;
}

function boxIn(svg: SVGSVGElement, element: SVGGraphicsElement): Box {
  const { x, y, width, height } = element.getBBox();
  const [outer, inner] = [svg.getScreenCTM(), element.getScreenCTM()];
  if (!outer || !inner) return { x, y, width, height };
  const map = outer.inverse().multiply(inner);
  const corners = [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ].map(([px, py]) => new DOMPoint(px, py).matrixTransform(map));
  const [left, top] = [Math.min(...corners.map((p) => p.x)), Math.min(...corners.map((p) => p.y))];
  return {
    x: left,
    y: top,
    width: Math.max(...corners.map((p) => p.x)) - left,
    height: Math.max(...corners.map((p) => p.y)) - top,
  };
}
