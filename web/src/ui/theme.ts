// Light or dark: as the system says, unless the reader chose.
import { palette, type Palette } from "../draw/color";
import { el } from "./dom";

type Choice = "system" | "light" | "dark";
const kKey = "fovea-theme";

function stored(): Choice {
  try {
    const value = localStorage.getItem(kKey);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system"; // storage may be forbidden
  }
}

export class Theme {
  private choice: Choice = stored();
  private system = matchMedia("(prefers-color-scheme: dark)");
  private listeners: (() => void)[] = [];

  constructor() {
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get dark(): boolean {
    return this.choice === "system"
      ? this.system.matches
      : this.choice === "dark";
  }

  get palette(): Palette {
    return palette(this.dark);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    for (const listener of this.listeners) listener();
  }

  private choose(choice: Choice): void {
    this.choice = choice;
    try {
      localStorage.setItem(kKey, choice);
    } catch {
      // The choice then lasts as long as the page.
    }
    this.apply();
  }

  /** A button that names what it will do. */
  button(): HTMLElement {
    const node = el("button", {
      type: "button",
      class: "quiet-button",
      on: { click: () => this.choose(this.dark ? "light" : "dark") },
    });
    const label = () => {
      node.textContent = this.dark ? "Light" : "Dark";
      node.setAttribute(
        "aria-label",
        this.dark ? "Switch to light colours" : "Switch to dark colours",
      );
    };
    label();
    this.onChange(label);
    return node;
  }
}
