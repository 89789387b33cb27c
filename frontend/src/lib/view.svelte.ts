/** The person's view settings, kept in the browser. */

export type Label = "value" | "share" | "visits" | "none";
export type Theme = "system" | "light" | "dark";

const KEY = "branchwise-view";

class View {
  overlay = $state(true);
  label = $state<Label>("value");
  legal = $state(true);
  theme = $state<Theme>("system");
  /** Whether parts of the page are open, by name, as far as somebody has opened or folded them. */
  panes = $state<Record<string, boolean>>({});

  constructor() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<View>;
      if (typeof kept.overlay === "boolean") this.overlay = kept.overlay;
      if (typeof kept.legal === "boolean") this.legal = kept.legal;
      if (kept.label && ["value", "share", "visits", "none"].includes(kept.label)) this.label = kept.label;
      if (kept.panes && typeof kept.panes === "object") this.panes = kept.panes;
      if (kept.theme && ["system", "light", "dark"].includes(kept.theme)) this.theme = kept.theme;
    } catch {
      localStorage.removeItem(KEY);
    }
    this.#showTheme();
  }

  nextTheme(): void {
    this.theme = this.theme === "system" ? "light" : this.theme === "light" ? "dark" : "system";
    this.#showTheme();
  }

  keep(): void {
    const { overlay, label, legal, theme, panes } = this;
    localStorage.setItem(KEY, JSON.stringify({ overlay, label, legal, theme, panes }));
  }

  /** first : whether it is open until somebody chooses. */
  isOpen(pane: string, first = true): boolean {
    return this.panes[pane] ?? first;
  }

  fold(pane: string, open: boolean, first = true): void {
    if (this.isOpen(pane, first) === open) return;
    this.panes[pane] = open;
    this.keep();
  }

  #showTheme(): void {
    if (this.theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = this.theme;
  }
}

export const view = new View();
