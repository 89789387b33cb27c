/** The person's view settings, kept in the browser. */

export type Label = "value" | "share" | "visits" | "none";
/** When an analysis pauses: after a number of further simulations or seconds; with "" only a person pauses it. */
export interface Limit {
  by: "" | "simulations" | "seconds";
  simulations: number;
  seconds: number;
}
export type Theme = "system" | "light" | "dark";

const KEY = "branchwise-view";
const THEMES: Theme[] = ["system", "light", "dark"];

class View {
  overlay = $state(true);
  label = $state<Label>("value");
  legal = $state(true);
  limit = $state<Limit>({ by: "", simulations: 100, seconds: 5 });
  theme = $state<Theme>("system");
  /** Whether parts of the page are open, by name, as far as somebody has opened or folded them. */
  panes = $state<Record<string, boolean>>({});

  constructor() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<View>;
      if (typeof kept.overlay === "boolean") this.overlay = kept.overlay;
      if (typeof kept.legal === "boolean") this.legal = kept.legal;
      if (kept.label && ["value", "share", "visits", "none"].includes(kept.label)) this.label = kept.label;
      if (kept.limit && ["", "simulations", "seconds"].includes(kept.limit.by)) this.limit = kept.limit;
      if (kept.panes && typeof kept.panes === "object") this.panes = kept.panes;
      if (kept.theme && ["system", "light", "dark"].includes(kept.theme)) this.theme = kept.theme;
    } catch {
      localStorage.removeItem(KEY);
    }
    this.#showTheme();
  }

  nextTheme(): void {
    this.theme = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length]!;
    this.#showTheme();
    this.keep();
  }

  keep(): void {
    const { overlay, label, legal, limit, theme, panes } = this;
    localStorage.setItem(KEY, JSON.stringify({ overlay, label, legal, limit, theme, panes }));
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
    document.documentElement.dataset["theme"] = this.theme;
  }
}

export const view = new View();
