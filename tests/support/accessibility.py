"""What axe cannot judge of a page: contrast of text and graphics as painted, and the size of targets.

Contrast is measured on the pixels of two screenshots, with and without what is looked at.
"""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page

Pixels = NDArray[np.float32]
"""[height, width] of luminances, or [height, width, 3] of colours from 0 to 255."""

INSIDE, OUTSIDE = 8, 3
"""How many pixels an outline may lie within the edge of a graphic, and what surrounds it beyond a line."""
SEEN = 0.8
"""The part of its outline along which a graphic must stand out."""

COMMON = """
const top = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
const covered = (element, box) => {
  for (let at = element.parentElement; at; at = at.parentElement) {
    if (getComputedStyle(at).overflow !== "visible" && at !== document.documentElement) {
      const room = at.getBoundingClientRect();
      if (box.right > room.right + 2 || box.left < room.left - 2 || box.bottom > room.bottom + 2 || box.top < room.top - 2) return true;
    }
  }
  const [ground, front] = [element.closest(".family") ?? element.closest("svg") ?? element, document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2)];
  if (front && !front.contains(element) && !ground.contains(front)) return true;
  return box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight;
};
const seen = (element, box) => top.contains(element) && box.width + box.height > 2 && !covered(element, box)
  && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
const short = (element) => [element.tagName.toLowerCase(), ...[...element.classList].filter((name) => !name.startsWith("svelte-"))].join(".");
const named = (element) => [element.parentElement?.parentElement, element.parentElement, element].filter(Boolean).map(short).join(" > ");
const edges = (box, wider = 0) => [box.left - wider, box.top - wider, box.right + wider, box.bottom + wider];
const scale = ({ a, b, c, d }) => Math.sqrt(Math.abs(a * d - b * c));
"""  # noqa: E501

TEXTS = """() => {
COMMON
const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
const painted = (colour) => {
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data];
};
const found = [];
const walk = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const [node, element] = [walk.currentNode, walk.currentNode.parentElement];
  if (!node.data.trim()) continue;
  if (element.closest(":disabled, option, script, style, title, .visually-hidden")) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  if (!seen(element, box)) continue;
  const [style, svg] = [getComputedStyle(element), element.closest("svg")];
  let opacity = svg ? Number(style.fillOpacity) : 1;
  for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
  const size = parseFloat(style.fontSize) * (svg ? scale(element.getScreenCTM()) : 1);
  const [red, green, blue, alpha] = painted(svg ? style.fill : style.color);
  found.push({
    what: `"${node.data.trim().slice(0, 20)}" in ${named(element)}`,
    box: edges(box),
    colour: [red, green, blue],
    opacity: (opacity * alpha) / 255,
    least: size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5,
  });
}
return found;
}""".replace("COMMON", COMMON)

GRAPHICS = """(selectors) => {
COMMON
return selectors.flatMap((selector) => [...top.querySelectorAll(selector)].flatMap((element) => {
  const box = element.getBoundingClientRect();
  if (!seen(element, box) || element.closest('.family [role="img"]')) return []; // pictures that repeat a board in little
  const style = getComputedStyle(element);
  const stroke = style.stroke === "none" ? 0 : (parseFloat(style.strokeWidth) * scale(element.getScreenCTM())) / 2;
  return [{ selector, what: named(element), box: edges(box, stroke) }];
}));
}""".replace("COMMON", COMMON)  # noqa: E501

SHAPES = """(selectors) => {
COMMON
const known = selectors.join();
return [...top.querySelectorAll("svg :is(path, rect, circle, ellipse, line, polyline, polygon, image, use)")]
  .filter((element) => !element.closest(known) && !element.closest('defs, .family [role="img"]') && seen(element, element.getBoundingClientRect()))
  .filter((element) => ["fill", "stroke"].some((paint) => !["none", "rgba(0, 0, 0, 0)"].includes(getComputedStyle(element)[paint])))
  .map(named);
}""".replace("COMMON", COMMON)  # noqa: E501

TARGETS = """() => {
COMMON
const LEAST = 23.9;  // a table that is laid out anew may round 24 down
const targets = [...top.querySelectorAll('a[href], button, input, select, summary, textarea, [role="button"], [role="tab"], [role="treeitem"], [data-square]')]
  .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 0)
  .map((element) => {
    const label = element.labels?.[0];
    const hit = (at) => at !== null && (element.contains(at) || label?.contains(at));
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = (label?.contains(element) ? label : element).getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const steps = [-LEAST / 2 + 0.6, 0, LEAST / 2 - 0.6];
    const free = (cx, cy) => steps.every((dx) => steps.every((dy) => hit(document.elementFromPoint(cx + dx, cy + dy))));
    const moved = (size) => Array.from({ length: Math.floor(Math.max(size - LEAST, 0) / 2) + 1 }, (_, i) => (i % 2 ? 1 : -1) * Math.ceil(i / 2) * 2);
    const whole = moved(box.width).some((dx) => moved(box.height).some((dy) => free(x + dx, y + dy)));
    return { element, whole, x: x + scrollX, y: y + scrollY, box: { left: box.left + scrollX, right: box.right + scrollX, top: box.top + scrollY, bottom: box.bottom + scrollY } };
  });
const inline = (element) => element.matches("p a");
const near = (one, other) => {
  if (other === one) return false;
  if (!other.whole && Math.hypot(one.x - other.x, one.y - other.y) < LEAST) return true;
  const [x, y] = [Math.min(Math.max(one.x, other.box.left), other.box.right), Math.min(Math.max(one.y, other.box.top), other.box.bottom)];
  return Math.hypot(one.x - x, one.y - y) < LEAST / 2;
};
return targets.filter((one) => !one.whole && !inline(one.element) && targets.some((other) => near(one, other)))
  .map(({ element, box }) => `${named(element)}: ${(box.right - box.left).toFixed(1)} x ${(box.bottom - box.top).toFixed(1)}`);
}""".replace("COMMON", COMMON)  # noqa: E501


def picture(page: Page, style: str = "") -> Pixels:
    """Return the colours of the window, with rules of style in force meanwhile."""
    shot = page.screenshot(style=style, animations="disabled", caret="hide")
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=np.float32)


def wait_until_still(page: Page) -> None:
    """Return once two pictures of the window, one after the other, are the same."""
    before = page.screenshot()
    for _ in range(100):
        now = page.screenshot()
        if now == before:
            return
        before = now
    raise AssertionError(f"{page.url} never stands still")


def luminance(colours: Pixels) -> Pixels:
    """Return the relative luminance of colours [..., 3], as WCAG defines it."""
    parts = colours / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)


def contrast(one: Pixels, other: Pixels) -> Pixels:
    """Return the contrast of luminances, from 1 to 21."""
    return (np.maximum(one, other) + 0.05) / (np.minimum(one, other) + 0.05)


def faint_texts(page: Page) -> list[str]:
    """Return the texts whose contrast with what is painted beneath their letters is too low."""
    texts = page.evaluate(TEXTS)
    shown = picture(page)
    beneath = picture(
        page,
        "* { -webkit-text-fill-color: transparent !important } text, tspan { fill-opacity: 0 !important }",
    )
    faint = []
    for text in texts:
        part = _part(text["box"])
        letters = np.abs(shown[part] - beneath[part]).max(axis=2) > 8
        ground = beneath[part][letters]
        if not len(ground):
            faint.append(f"{text['what']}: nothing is seen of it")
            continue
        ink = ground + text["opacity"] * (np.array(text["colour"]) - ground)
        found = float(np.percentile(contrast(luminance(ink), luminance(ground)), 10))
        if found < text["least"] - 0.005:
            faint.append(f"{text['what']}: {found:.2f}, needs {text['least']}")
    return faint


def faint_graphics(page: Page, layers: Sequence[Sequence[str]]) -> tuple[list[str], set[str]]:
    """Return the graphics that stand out neither from what surrounds them nor by an outline of their own.

    Also returns the selectors of those that were there.

    layers : selectors of what covers what the later ones find, and is taken away after it was looked at.
    """
    faint, there, hidden = [], set(), []
    shown = picture(page)
    for selectors in layers:
        graphics = page.evaluate(GRAPHICS, list(selectors))
        if not graphics:
            continue
        there |= {graphic["selector"] for graphic in graphics}
        hidden += [f"{selector}, {selector} *" for selector in selectors]
        without = picture(page, f":is({', '.join(hidden)}) {{ visibility: hidden !important }}")
        faint += _not_outlined(graphics, shown, without)
        shown = without
    return faint, there


def _not_outlined(graphics: list[dict[str, Any]], shown: Pixels, without: Pixels) -> list[str]:
    """Look for a contrast of 3 at each pixel around a graphic: between the two, or within the graphic."""
    left, top, right, bottom = np.array([graphic["box"] for graphic in graphics]).T
    window = _part([left.min(), top.min(), right.max(), bottom.max()], 4)
    shown, without = shown[window], without[window]
    corner = np.array([window[1].start, window[0].start] * 2)
    drawn = np.abs(shown - without).max(axis=2) > 8
    light = luminance(shown)
    around = _widened(drawn, 1) & ~drawn
    lightest, darkest = _extremes(light, drawn, INSIDE)
    whitest, blackest = _extremes(light, ~drawn, OUTSIDE)
    best = np.maximum(contrast(lightest, np.minimum(blackest, darkest)), contrast(darkest, whitest))
    faint = []
    for graphic in graphics:
        part = _part(graphic["box"] - corner, 2)
        edge = around[part]
        clear = best[part][edge] >= 2.995
        if not len(clear):
            faint.append(f"{graphic['what']}: nothing is seen of it")
        elif clear.mean() < SEEN:
            middle = float(np.percentile(best[part][edge], 100 * (1 - SEEN)))
            faint.append(
                f"{graphic['what']}: {middle:.2f} along {1 - clear.mean():.0%} of its outline, needs 3"
            )
    return faint


def _extremes(light: Pixels, where: Any, reach: int) -> tuple[Pixels, Pixels]:
    """Return the largest and the least luminance near each pixel, of those pixels that count."""
    return (
        _widened(np.where(where, light, np.float32(0)), reach),
        1 - _widened(np.where(where, 1 - light, np.float32(0)), reach),
    )


def _widened(values: Any, reach: int) -> Any:
    """Return the largest of the values within a square around each pixel."""
    for axis in (0, 1):
        rows = np.moveaxis(values, axis, 0)
        widest = rows.copy()
        for step in range(1, reach + 1):
            np.maximum(widest[step:], rows[:-step], out=widest[step:])
            np.maximum(widest[:-step], rows[step:], out=widest[:-step])
        values = np.moveaxis(widest, 0, axis)
    return values


def _part(box: Sequence[float], wider: int = 0) -> tuple[slice, slice]:
    left, top, right, bottom = box
    return (
        slice(max(int(top) - wider, 0), int(np.ceil(bottom)) + wider),
        slice(max(int(left) - wider, 0), int(np.ceil(right)) + wider),
    )


def unjudged_shapes(page: Page, selectors: Sequence[str]) -> list[str]:
    """Return the shapes of pictures that no selector names: whether they carry meaning was not said."""
    return sorted(set(page.evaluate(SHAPES, list(selectors))))


def small_targets(page: Page) -> list[str]:
    """Return the targets that hold no square of 24 pixels and lie too near to others (WCAG 2.5.8)."""
    found: list[str] = page.evaluate(TARGETS)
    return found
