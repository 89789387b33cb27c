/** Keys that work anywhere on the page. */

const TYPED_INTO = "input, select, textarea, dialog, [contenteditable]";
const PRESSED = "button, a[href], summary, [role='button'], [role='tab'], [role='treeitem'], [tabindex='0']";

/** The action for a key, unless the focused element uses the key. */
export function shortcut(event: KeyboardEvent, deeds: Record<string, () => void>): (() => void) | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return undefined;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest(TYPED_INTO)) return undefined;
  if (event.key === " " && target?.closest(PRESSED)) return undefined;
  return Object.hasOwn(deeds, event.key) ? deeds[event.key] : undefined;
}
