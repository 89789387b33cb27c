/** Keyboard navigation in a tree (WAI-ARIA, tree view pattern). */
import type { Item, Placed } from "./layout";

export type Deed = { go: string } | { toggle: string } | null;

/**
 * The effect of a key. order : nodes in the order of reading.   canOpen : whether a node can be opened.
 * Right opens, then goes to the first child; left closes, then goes to the node above.
 */
export function deedOf<T extends Item>(
  key: string,
  order: readonly Placed<T>[],
  at: string,
  isOpen: (item: T) => boolean,
  canOpen: (item: T) => boolean,
): Deed {
  const place = order.findIndex((node) => node.item.key === at);
  const here = order[place];
  if (!here) return order[0] ? { go: order[0].item.key } : null;
  const to = (node: Placed<T> | null | undefined): Deed => (node ? { go: node.item.key } : null);
  switch (key) {
    case "ArrowDown":
      return to(order[place + 1]);
    case "ArrowUp":
      return to(order[place - 1]);
    case "Home":
      return to(order[0]);
    case "End":
      return to(order[order.length - 1]);
    case "ArrowRight":
      if (isOpen(here.item)) return to(here.children[0]);
      return canOpen(here.item) ? { toggle: at } : null;
    case "ArrowLeft":
      return isOpen(here.item) && here.above ? { toggle: at } : to(here.above);
    case "Enter":
    case " ":
      return { toggle: at };
    default:
      return null;
  }
}
