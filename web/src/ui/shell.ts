// Shows the views of one or more documents: tabs, which documents, the view.
import type { Doc } from "../data/document";
import { views } from "../views/all";
import { controls, select } from "./controls";
import { el, newId } from "./dom";
import { emptyNote, type Host, type Mounted } from "./host";
import type { State } from "./state";
import type { Theme } from "./theme";

export class Shell {
  readonly node: HTMLElement;
  private docs: Doc[] = [];
  private mounted: Mounted | null = null;
  private tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Views" });
  private panel: HTMLElement;
  private chooser = el("div");
  private lastWidth = 0;

  constructor(
    private state: State,
    private theme: Theme,
  ) {
    this.panel = el("div", { class: "panel", role: "tabpanel", id: newId("panel") });
    this.node = el("div", { class: "shell" }, this.tabs, this.chooser, this.panel);
    this.tabs.addEventListener("keydown", (event) => this.tabKeys(event));
    theme.onChange(() => this.mounted?.draw());
    addEventListener("resize", () => this.resized());
  }

  show(docs: Doc[]): void {
    this.docs = docs;
    this.drawChooser();
    this.drawTabs();
    this.mount();
  }

  open(view: string): void {
    this.state.set("view", view);
    this.drawTabs();
    this.mount();
    this.node.scrollIntoView({ block: "start" });
    this.panel.querySelector<HTMLElement>("h2")?.focus();
  }

  private shown(): Doc[] {
    if (this.docs.length < 2) return this.docs;
    const choice = this.state.text("show", "both");
    const one = this.docs[Number(choice)];
    return choice !== "both" && one ? [one] : this.docs.slice(0, 2);
  }

  private current() {
    const wanted = this.state.text("view", "map");
    const usable = views.filter((v) => v.missing(this.docs) === null);
    return (
      views.find((v) => v.id === wanted && usable.includes(v)) ??
      usable[0] ??
      views[0]!
    );
  }

  private drawTabs(): void {
    const current = this.current();
    const usable = views.filter((v) => v.missing(this.docs) === null);
    this.tabs.replaceChildren(
      ...usable.map((view) =>
        el(
          "button",
          {
            type: "button",
            role: "tab",
            class: "tab",
            id: `tab-${view.id}`,
            "aria-selected": String(view === current),
            "aria-controls": this.panel.id,
            tabindex: view === current ? 0 : -1,
            on: {
              click: () => {
                this.state.set("view", view.id);
                this.drawTabs();
                this.mount();
                this.tabs.querySelector<HTMLElement>(`#tab-${view.id}`)?.focus();
              },
            },
          },
          view.title,
        ),
      ),
    );
    this.panel.setAttribute("aria-labelledby", `tab-${current.id}`);
    const mine = this.tabs.querySelector<HTMLElement>('[aria-selected="true"]');
    if (mine) this.tabs.scrollLeft = mine.offsetLeft - 40;
  }

  private tabKeys(event: KeyboardEvent): void {
    const all = [...this.tabs.querySelectorAll<HTMLElement>(".tab")];
    const at = all.indexOf(event.target as HTMLElement);
    const to: Record<string, number> = {
      ArrowRight: (at + 1) % all.length,
      ArrowLeft: (at + all.length - 1) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    const next = to[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    all[next]?.click();
  }

  private drawChooser(): void {
    if (this.docs.length < 2) return this.chooser.replaceChildren();
    const options = [
      { value: "both", label: "Side by side" },
      ...this.docs.map((d, i) => ({
        value: String(i),
        label: `${i + 1}. ${d.model.name}: ${d.source.text.slice(0, 40)}`,
      })),
    ];
    this.chooser.replaceChildren(
      controls(
        select("Documents", options, this.state.text("show", "both"), (v) => {
          this.state.set("show", v);
          this.mount();
        }),
      ),
    );
  }

  private host(): Host {
    const theme = this.theme;
    return {
      docs: this.shown(),
      all: this.docs,
      state: this.state,
      get palette() {
        return theme.palette;
      },
      width: (columns = 1) => this.width(columns),
      open: (view) => this.open(view),
    };
  }

  private width(columns: number): number {
    const room = this.panel.clientWidth || 900;
    // Panes stand one below the other on a phone; see style/page.css.
    const beside = columns > 1 && room >= 820 ? columns : 1;
    const padding = 2 * 18 + 2;
    return Math.floor((room - (beside - 1) * 20) / beside) - padding;
  }

  private mount(): void {
    this.mounted?.stop?.();
    const view = this.current();
    const missing = view.missing(this.docs);
    this.panel.replaceChildren(
      el("h2", { tabindex: -1 }, view.title),
      el("p", { class: "about" }, view.about),
    );
    if (missing) {
      this.mounted = null;
      this.panel.append(emptyNote(missing));
      return;
    }
    this.lastWidth = this.panel.clientWidth;
    this.mounted = view.mount(this.host());
    this.panel.append(this.mounted.node);
  }

  /** Draws again if there is another width. */
  resized(): void {
    // Phones report a resize when the address bar goes; only width counts.
    if (this.panel.clientWidth === this.lastWidth) return;
    this.lastWidth = this.panel.clientWidth;
    this.mounted?.draw();
  }
}
