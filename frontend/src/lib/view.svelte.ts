/** The person's view settings, kept in the browser. */

export type Label = "value" | "share" | "visits" | "none";
export type Theme = "system" | "light" | "dark";

const KEY = "branchwise-view";

class View {
  overlay = $state(true);
  label = $state<Label>("value");
  legal = $state(true);
  theme = $state<Theme>("system");

  constructor() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<View>;
      if (typeof kept.overlay === "boolean") this.overlay = kept.overlay;
      if (typeof kept.legal === "boolean") this.legal = kept.legal;
      if (kept.label && ["value", "share", "visits", "none"].includes(kept.label)) this.label = kept.label;
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
    const { overlay, label, legal, theme } = this;
    localStorage.setItem(KEY, JSON.stringify({ overlay, label, legal, theme }));
  }

  #showTheme(): void {
    if (this.theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = this.theme;
  }
}

export const view = new View();
