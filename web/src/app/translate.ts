// Type a sentence, watch it being translated, look at it from all sides.
import type { Doc } from "../data/document";
import { button, controls, select } from "../ui/controls";
import { el, newId } from "../ui/dom";
import { Shell } from "../ui/shell";
import type { State } from "../ui/state";
import type { Theme } from "../ui/theme";
import { ApiError, explain, translate, type ModelInfo } from "./api";
import { examplesOf } from "./examples";
import { Pane } from "./pane";
import { scoreNote } from "./score_note";

const kNone = "-";
const kAbout =
  "A small neural network translates your sentence, here on this machine, " +
  "word by word; the curves show which words it looks at while it writes.";

export class Translate {
  readonly node: HTMLElement;
  private text: HTMLTextAreaElement;
  private forced: HTMLInputElement;
  private choices = el("div");
  private go = button("Translate", () => void this.run(), { class: "primary" });
  private stop = button("Stop", () => this.running?.abort());
  private message = el("p", { class: "message", role: "alert", hidden: true });
  private forcedNote = el("div", { "aria-live": "polite" });
  private out = el("div", { class: "panes" });
  private shell: Shell;
  private partBar = el("div");
  private views = el("div", { hidden: true });
  private panes: Pane[] = [];
  private read = ""; // what the panes translate
  private running: AbortController | null = null;

  constructor(
    private models: ModelInfo[],
    private state: State,
    private theme: Theme,
  ) {
    this.shell = new Shell(state, theme);
    this.views.append(
      el("h2", { class: "section" }, "Look at it"),
      this.partBar,
      this.shell.node,
    );
    this.text = el("textarea", {
      id: newId("text"),
      rows: 3,
      dir: "auto",
      maxlength: 4000,
      on: {
        input: () => state.set("text", this.text.value),
        keydown: (event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void this.run();
        },
      },
    });
    this.forced = el("input", {
      type: "text",
      class: "wide-input",
      id: newId("forced"),
      dir: "auto",
    });
    this.stop.disabled = true;
    theme.onChange(() => this.panes.forEach((p) => p.draw()));
    addEventListener("resize", () => this.draw());
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.panes.forEach((p) => p.hurry());
    });
    this.node = el(
      "div",
      {},
      el("p", { class: "about" }, kAbout),
      this.form(),
      this.message,
      this.out,
      this.forceForm(),
      this.views,
    );
  }

  /** Again: it is seen now, or has another width. */
  draw(): void {
    this.panes.forEach((p) => p.draw());
    this.shell.resized();
  }

  /** Shows what the address says, or the first example. */
  begin(): void {
    const first = examplesOf(this.language())[0] ?? "";
    const target = this.state.text("target");
    this.text.value = this.state.text("text") || first;
    this.forced.value = target;
    this.read = this.text.value.trim();
    this.drawChoices();
    if (this.read === "") return;
    void this.run().then(() => {
      if (target !== "") void this.force();
    });
  }

  private chosen(): ModelInfo[] {
    const find = (name: string) => this.models.find((m) => m.name === name);
    const first = find(this.state.text("model")) ?? this.models[0];
    const second = find(this.state.text("model2", kNone));
    return [first, second].filter((m): m is ModelInfo => m !== undefined);
  }

  private language(): string | null {
    return this.chosen()[0]?.source ?? null;
  }

  private beam(): number {
    return this.state.index("beam", 65, 1) || 1;
  }

  private form(): HTMLElement {
    return el(
      "form",
      {
        class: "translate-form",
        on: {
          submit: (event) => {
            event.preventDefault();
            void this.run();
          },
        },
      },
      el("label", { for: this.text.id, class: "control-label" }, "Text"),
      this.text,
      this.choices,
    );
  }

  private examples(): HTMLElement | null {
    const sentences = examplesOf(this.language());
    if (sentences.length === 0) return null;
    const use = (sentence: string) => () => {
      this.text.value = sentence;
      void this.run();
    };
    return el(
      "div",
      { class: "chips examples", role: "group", "aria-label": "Examples" },
      ...sentences.map((s) => button(s, use(s), { class: "chip", dir: "auto" })),
    );
  }

  private drawChoices(): void {
    const options = this.models.map((m) => ({ value: m.name, label: m.title }));
    const [first, second] = this.chosen();
    this.choices.replaceChildren(
      this.examples() ?? "",
      controls(
        select("Model", options, first?.name ?? "", (v) => {
          this.state.set("model", v);
          this.drawChoices();
        }),
        select(
          "Compare with",
          [{ value: kNone, label: "no other" }, ...options],
          second?.name ?? kNone,
          (v) => this.state.set("model2", v),
        ),
        select(
          "Search",
          [
            { value: "1", label: "Word by word" },
            { value: "4", label: "Beam of 4" },
          ],
          this.state.text("beam", "1"),
          (v) => this.state.set("beam", v),
        ),
        el("div", { class: "buttons" }, this.go, this.stop),
      ),
    );
  }

  private forceForm(): HTMLElement {
    return el(
      "form",
      {
        class: "force-form",
        on: {
          submit: (event) => {
            event.preventDefault();
            void this.force();
          },
        },
      },
      el(
        "label",
        { for: this.forced.id, class: "control-label" },
        "Your own translation: how likely is it, and where would the model look?",
      ),
      el(
        "div",
        { class: "force-row" },
        this.forced,
        button("Score it", () => void this.force()),
      ),
      this.forcedNote,
    );
  }

  private fail(error: unknown): void {
    if (error instanceof DOMException && error.name === "AbortError") return;
    const text = error instanceof ApiError ? error.message : String(error);
    this.message.textContent = text;
    this.message.hidden = false;
  }

  private busy(controller: AbortController | null): void {
    this.running = controller;
    this.go.disabled = controller !== null;
    this.stop.disabled = controller === null;
  }

  /** A link that is copied from now on shows the model's own translation. */
  private forgetForced(text: string): void {
    if (text !== this.read && this.state.text("target") !== "")
      this.forced.value = "";
    this.state.remove("target");
    this.forcedNote.replaceChildren();
    if (text !== this.read) this.state.remove("piece");
    this.read = text;
  }

  private async run(): Promise<void> {
    const text = this.text.value.trim();
    if (text === "") return this.text.focus();
    this.running?.abort();
    this.forgetForced(text);
    this.state.set("text", text);
    this.message.hidden = true;
    const models = this.chosen();
    const palette = () => this.theme.palette;
    this.panes = models.map((model) => new Pane(model, text, palette));
    this.out.dataset.panes = String(models.length);
    this.out.replaceChildren(...this.panes.map((p) => p.node));
    const controller = new AbortController();
    const { signal } = controller;
    const panes = this.panes;
    signal.addEventListener("abort", () => panes.forEach((p) => p.stopped()));
    this.busy(controller);
    try {
      const docs = await Promise.all(
        models.map((model, i) => this.one(model, panes[i]!, signal)),
      );
      this.show(docs);
    } catch (error) {
      this.fail(error);
      for (const pane of panes) pane.stopped();
    }
    if (this.running === controller) this.busy(null);
  }

  private async one(model: ModelInfo, pane: Pane, signal: AbortSignal): Promise<Doc> {
    const request = { model: model.name, text: this.read, beam: this.beam() };
    const written = await translate(request, pane, signal);
    const seen = pane.finish(written);
    // A text that cannot be explained is still to be read to its end.
    const [doc] = await Promise.allSettled([
      this.explainPart(model, pane, signal),
      seen,
    ]);
    signal.throwIfAborted();
    if (doc.status === "rejected") throw doc.reason;
    pane.adopt(doc.value, this.part(pane));
    return doc.value;
  }

  private part(pane: Pane): number {
    return this.state.index("piece", pane.parts);
  }

  private explainPart(model: ModelInfo, pane: Pane, signal?: AbortSignal) {
    const { source, target } = pane.partTexts(this.part(pane));
    return explain(model.name, source, target, this.beam(), signal);
  }

  private show(docs: Doc[]): void {
    this.drawPartBar();
    this.views.hidden = false;
    this.shell.show(docs);
  }

  /** A long text is translated in parts; the views show one of them. */
  private drawPartBar(): void {
    const pane = this.panes[0];
    if (!pane || pane.parts < 2) return this.partBar.replaceChildren();
    const options = Array.from({ length: pane.parts }, (_, i) => {
      const { source } = pane.partTexts(i);
      const short = source.length > 60 ? `${source.slice(0, 57)}\u2026` : source;
      return { value: String(i), label: `${i + 1}. ${short}` };
    });
    this.partBar.replaceChildren(
      el(
        "p",
        { class: "note" },
        `The text was translated in ${pane.parts} parts, each by itself; ` +
          "the views show one of them.",
      ),
      controls(
        select("Part", options, String(this.part(pane)), (value) => {
          this.state.set("piece", value);
          void this.showPart();
        }),
      ),
    );
  }

  private async showPart(): Promise<void> {
    this.message.hidden = true;
    const panes = this.panes;
    try {
      const models = this.chosen().slice(0, panes.length);
      const docs = await Promise.all(
        models.map((model, i) => this.explainPart(model, panes[i]!)),
      );
      if (panes !== this.panes) return;
      docs.forEach((doc, i) => panes[i]!.adopt(doc, this.part(panes[i]!)));
      this.shell.show(docs);
    } catch (error) {
      this.fail(error);
    }
  }

  private async force(): Promise<void> {
    const source = this.text.value.trim();
    const target = this.forced.value.trim();
    if (source === "" || target === "") return this.forced.focus();
    this.message.hidden = true;
    const own = source === this.read ? this.panes.map((p) => p.own) : [];
    try {
      const docs = await Promise.all(
        this.chosen().map((m) => explain(m.name, source, target, this.beam())),
      );
      this.state.set("target", target);
      this.show(docs);
      this.partBar.replaceChildren(); // the whole text is shown
      const scored = docs.map((doc, i) => ({ doc, own: own[i] ?? null }));
      this.forcedNote.replaceChildren(scoreNote(scored));
    } catch (error) {
      this.fail(error);
    }
  }
}
