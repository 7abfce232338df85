// Type a sentence, watch it being translated, look at it from all sides.
import type { Doc } from "../data/document";
import { button, controls, select } from "../ui/controls";
import { el, newId } from "../ui/dom";
import { Shell } from "../ui/shell";
import type { State } from "../ui/state";
import type { Theme } from "../ui/theme";
import { ApiError, explain, translate, type ModelInfo } from "./api";
import { Pane } from "./pane";

const kExample = "The early bird catches the worm.";
const kNone = "-";

export class Translate {
  readonly node: HTMLElement;
  private text: HTMLTextAreaElement;
  private forced: HTMLInputElement;
  private go = button("Translate", () => void this.run(), { class: "primary" });
  private stop = button("Stop", () => this.running?.abort());
  private message = el("p", { class: "message", role: "alert", hidden: true });
  private forcedNote = el("div", { "aria-live": "polite" });
  private out = el("div", { class: "panes" });
  private shell: Shell;
  private views = el("div", { hidden: true });
  private panes: Pane[] = [];
  private docs: Doc[] = [];
  private running: AbortController | null = null;

  constructor(
    private models: ModelInfo[],
    private state: State,
    private theme: Theme,
  ) {
    this.shell = new Shell(state, theme);
    this.views.append(
      el("h2", { class: "section" }, "Look at it"),
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
    this.text.value = state.text("text", kExample);
    this.forced = el("input", {
      type: "text",
      class: "wide-input",
      id: newId("forced"),
      dir: "auto",
    });
    this.forced.value = state.text("target");
    this.stop.disabled = true;
    theme.onChange(() => this.panes.forEach((p) => p.draw()));
    addEventListener("resize", () => this.panes.forEach((p) => p.draw()));
    this.node = el(
      "div",
      {},
      this.form(),
      this.message,
      this.out,
      this.forceForm(),
      this.views,
    );
  }

  /** A link that carries a text is shown at once. */
  begin(): void {
    if (this.state.text("text") !== "")
      void this.run().then(() => {
        if (this.forced.value !== "") void this.force();
      });
  }

  private chosen(): string[] {
    const known = (name: string) => this.models.some((m) => m.name === name);
    const first = this.state.text("model");
    const second = this.state.text("model2", kNone);
    const names = [known(first) ? first : (this.models[0]?.name ?? "")];
    if (known(second)) names.push(second);
    return names;
  }

  private form(): HTMLElement {
    const options = this.models.map((m) => ({ value: m.name, label: m.title }));
    const names = this.chosen();
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
      controls(
        select("Model", options, names[0] ?? "", (v) => this.state.set("model", v)),
        select(
          "Compare with",
          [{ value: kNone, label: "no other" }, ...options],
          names[1] ?? kNone,
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

  private async run(): Promise<void> {
    const text = this.text.value.trim();
    if (text === "") return this.text.focus();
    this.running?.abort();
    this.state.set("text", text);
    this.message.hidden = true;
    this.forcedNote.replaceChildren();
    const names = this.chosen();
    this.panes = names.map((name) => new Pane(name, () => this.theme.palette));
    this.out.dataset.panes = String(names.length);
    this.out.replaceChildren(...this.panes.map((p) => p.node));
    const controller = new AbortController();
    this.busy(controller);
    try {
      const docs = await Promise.all(
        names.map((name, i) => this.one(name, text, this.panes[i]!, controller.signal)),
      );
      this.show(docs);
    } catch (error) {
      this.fail(error);
      for (const pane of this.panes) pane.stopped();
    }
    if (this.running === controller) this.busy(null);
  }

  private async one(
    model: string,
    text: string,
    pane: Pane,
    signal: AbortSignal,
  ): Promise<Doc> {
    const beam = this.state.index("beam", 65, 1) || 1;
    const written = await translate({ model, text, beam }, pane, signal);
    pane.finish(written);
    const doc = await explain(model, text, written, signal);
    pane.adopt(doc);
    return doc;
  }

  private show(docs: Doc[]): void {
    this.docs = docs;
    this.views.hidden = false;
    this.shell.show(docs);
  }

  private async force(): Promise<void> {
    const source = this.text.value.trim();
    const target = this.forced.value.trim();
    if (source === "" || target === "") return this.forced.focus();
    this.state.set("target", target);
    this.message.hidden = true;
    const own = this.docs[0];
    try {
      const docs = await Promise.all(
        this.chosen().map((name) => explain(name, source, target)),
      );
      this.show(docs);
      this.forcedNote.replaceChildren(scoreNote(docs[0]!, own));
    } catch (error) {
      this.fail(error);
    }
  }
}

function total(doc: Doc): number {
  return (doc.target?.logProbabilities ?? []).reduce((a, b) => a + b, 0);
}

/** What the forced translation is worth, beside the model's own. */
function scoreNote(doc: Doc, own: Doc | undefined): HTMLElement {
  const mean = (d: Doc) => total(d) / Math.max(1, d.target?.tokens.length ?? 1);
  const line = (d: Doc) =>
    `${total(d).toFixed(2)} (${mean(d).toFixed(2)} a token)`;
  const compare =
    own && own.target && own.target.text !== doc.target?.text
      ? ` The model's own translation has ${line(own)}.`
      : "";
  return el(
    "p",
    { class: "note" },
    `Log probability of yours: ${line(doc)}.${compare} The views below now ` +
      "show yours; Words has the score of each word.",
  );
}
