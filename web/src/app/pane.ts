// One translation as it comes: the text, the picture, the word that is looked
// at. Compared models have a pane each.
import { Writing, type WrittenWord } from "../data/live_words";
import { alignmentShown, cautionOf, type Doc } from "../data/document";
import { tokenTexts } from "../data/token_text";
import type { Palette } from "../draw/color";
import { saveCsv, savePng, saveSvg } from "../draw/download";
import { button } from "../ui/controls";
import { el, scrollable } from "../ui/dom";
import {
  placesOf,
  wordNote,
  wordSentence,
  type NotedWord,
} from "../views/word_note";
import type { ModelInfo, Start, TokenEvent, Written } from "./api";
import { LivePicture } from "./live";
import { Pace } from "./pace";

const kHint = "Point at a word to see where it looked.";
const kCutOff =
  "Cut off: the translation grew to the longest length before it came to its end.";
const kNoAttention =
  "This model has no attention: each word is written from one vector for the " +
  "whole sentence, so there is no place where it looked. Point at a word to " +
  "see what else it might have been.";

export class Pane {
  readonly node: HTMLElement;
  private writing: Writing | null = null;
  private shown = 0; // words
  private live: LivePicture | null = null;
  private frame = 0; // that was asked for
  private pace: Pace;
  private finished: Written | null = null;
  private picture = el("div", { class: "picture" });
  private spoken = el("p", { class: "only-read", "aria-live": "polite" });
  private status = el("p", { class: "note" });
  private detail = el("div", { class: "word-detail", "aria-live": "polite" });
  private plain = el("p", { class: "sentence strong", dir: "auto" });
  private caution = el("p", { class: "caution", hidden: true });
  private tools: HTMLElement;
  private skip = button("At once", () => this.hurry(), { class: "skip" });

  constructor(
    private model: ModelInfo,
    private text: string,
    private palette: () => Palette,
  ) {
    this.tools = this.downloads();
    this.pace = new Pace(
      {
        waiting: () => (this.writing?.words.length ?? 0) - this.shown,
        release: (count) => this.release(count),
      },
      matchMedia("(prefers-reduced-motion: reduce)").matches,
    );
    this.picture.addEventListener("click", () => this.hurry());
    this.node = el(
      "section",
      { class: "figure live", "aria-label": `Translation by ${model.name}` },
      el(
        "div",
        { class: "figure-head" },
        el("h2", { class: "pane-title" }, model.name),
        this.skip,
        this.tools,
      ),
      this.plain,
      el(
        "div",
        { class: "live-body" },
        this.picture,
        el("div", { class: "live-aside" }, this.status, this.detail),
      ),
      this.caution,
      this.spoken,
    );
    this.tools.hidden = true;
    this.skip.hidden = true;
    this.say("Waiting for the first word \u2026");
  }

  private downloads(): HTMLElement {
    const name = "translation";
    const ground = () => this.palette().ground;
    const of = (then: (picture: SVGSVGElement) => unknown) => () => {
      if (this.live) then(this.live.svg);
    };
    const make = (kind: string, click: () => void) =>
      button(kind, click, { "aria-label": `Download translation as ${kind}` });
    return el(
      "div",
      { class: "tools" },
      make("SVG", of((picture) => saveSvg(name, picture, ground()))),
      make("PNG", of((picture) => void savePng(name, picture, ground()))),
      make("CSV", () => this.csv()),
    );
  }

  say(text: string): void {
    this.status.textContent = text;
    this.status.hidden = text === "";
  }

  start(source: Start): void {
    this.writing = new Writing({ text: this.text, ...source });
    this.draw();
  }

  hypothesis(text: string): void {
    this.plain.textContent = text;
    this.plain.classList.add("provisional");
    this.say("This may still change.");
  }

  token(token: TokenEvent): void {
    this.writing?.add(token);
    this.pace.wake();
    // A word that stands already may have got a token.
    this.drawSoon();
  }

  /** Shows what still waits, and all that will come, without a pause. */
  hurry(): void {
    this.pace.hurry();
  }

  stopped(): void {
    if (this.finished && !this.pace.waits) return;
    this.pace.stop();
    this.skip.hidden = true;
    this.finished = null;
    this.say("Stopped.");
  }

  /** No more tokens come; fulfilled when all words are seen. */
  async finish(written: Written): Promise<void> {
    this.finished = written;
    if (this.writing?.words.length === 0) {
      for (const token of written.tokens) this.writing.add(token);
      this.writing.score(written.wordScores);
      this.release(this.writing.words.length);
    }
    this.pace.end();
    await this.pace.drained;
    if (!this.finished) return; // stopped
    this.skip.hidden = true;
    this.plain.classList.remove("provisional");
    this.plain.textContent = written.text;
    this.spoken.textContent = written.text + (written.cutOff ? ` ${kCutOff}` : "");
    if (written.cutOff) this.plain.after(el("p", { class: "note" }, kCutOff));
    this.drawn();
  }

  private drawn(): void {
    const words = this.writing?.words ?? [];
    this.tools.hidden = words.length === 0;
    const looks =
      this.model.attention ?? words.some((w) => w.weights !== null);
    this.say(words.length === 0 ? "" : looks ? kHint : kNoAttention);
  }

  get parts(): number {
    return this.writing?.parts ?? 1;
  }

  /** Of one part: what was read, and what was written if that is known. */
  partTexts(part: number): { source: string; target: string } {
    return this.parts > 1
      ? this.writing!.partTexts(part)
      : { source: this.text, target: this.finished?.text ?? "" };
  }

  /** The model's own translation, once there is one. */
  get own(): { logProbability: number; tokens: number } | null {
    const words = this.writing?.words ?? [];
    const tokens = words.reduce((n, w) => n + w.tokens.length, 0);
    return this.finished && { logProbability: this.finished.logProbability, tokens };
  }

  /** An explanation of a part knows what a search with a beam does not tell. */
  adopt(doc: Doc, part: number): void {
    this.caution.textContent = cautionOf(doc, alignmentShown(doc));
    this.caution.hidden = doc.alignment === null;
    const { target } = doc;
    if (!target) return;
    const tokens = target.tokens.map((token, i) => ({
      token,
      logProbability: target.logProbabilities[i] ?? NaN,
      alternatives: doc.alternatives[i] ?? [],
    }));
    if (this.writing && this.writing.words.length > 0) {
      this.writing.complete(part, tokens);
    } else if (this.parts === 1) {
      this.writing = new Writing(doc.source);
      this.live = null;
      tokens.forEach((t, i) => {
        const weights = doc.alignment?.weights[i] ?? null;
        this.writing!.add({ ...t, text: target.text, weights }, target.words[i]);
      });
    }
    this.shown = this.writing?.words.length ?? 0;
    if (this.live) this.drawSoon();
    else this.draw();
    this.drawn();
  }

  private release(count: number): void {
    this.shown += count;
    const last = this.writing?.words[this.shown - 1];
    const text = last?.tokens[last.tokens.length - 1]!.text;
    if (text) this.plain.textContent = text;
    if (this.shown > 0) this.say("");
    this.skip.hidden = !this.pace.waits;
    this.drawSoon();
  }

  /** Once a frame, however many tokens came. */
  private drawSoon(): void {
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.live?.show(this.shownWords());
      if (this.pace.waits) this.picture.scrollTop = this.picture.scrollHeight;
    });
  }

  private shownWords(): WrittenWord[] {
    return (this.writing?.words ?? []).slice(0, this.shown);
  }

  /** All of it: other colours, or another width. */
  draw(): void {
    if (!this.writing || this.writing.read.length === 0) return;
    this.live = new LivePicture({
      read: this.writing.read,
      width: Math.max(280, this.picture.clientWidth || 600),
      palette: this.palette(),
      say: (word) => word.text + wordSentence(this.noted(word)),
      look: (i) => this.look(i),
    });
    this.live.show(this.shownWords());
    this.picture.replaceChildren(this.live.svg);
    scrollable(this.picture, this.live.svg, "Translation and where it looked");
  }

  private noted(word: WrittenWord): NotedWord {
    const names = this.writing?.read.map((w) => w.text) ?? [];
    return { ...word, looked: placesOf(word.weights, names) };
  }

  private look(i: number | null): void {
    this.live?.focus(i);
    const word = i === null ? undefined : this.writing?.words[i];
    if (!word) return;
    this.say("");
    this.detail.replaceChildren(wordNote(this.noted(word)));
  }

  private csv(): void {
    const tokens = (this.writing?.words ?? []).flatMap((w) => w.tokens);
    const texts = tokenTexts(tokens.map((t) => t.token));
    saveCsv("translation", [
      ["token", "log probability", ...tokenTexts(this.writing?.source.tokens ?? [])],
      ...tokens.map((t, i) => [texts[i]!, t.logProbability, ...(t.weights ?? [])]),
    ]);
  }
}
