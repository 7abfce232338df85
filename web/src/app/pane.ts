// One model's translation: words as they come, where each looked, what else it
// might have said.
import { tokenText } from "../data/axis";
import type { Doc } from "../data/document";
import type { Palette } from "../draw/color";
import { saveCsv, savePng, saveSvg } from "../draw/download";
import { button } from "../ui/controls";
import { el } from "../ui/dom";
import { alternativesList, percent } from "../views/steps";
import type { Start, TokenEvent } from "./api";
import { livePicture, type Live } from "./live";

export class Pane {
  readonly node: HTMLElement;
  private source: Start = { tokens: [], words: [] };
  private tokens: TokenEvent[] = [];
  private words: number[] = []; // of tokens
  private live: Live | null = null;
  private finished = false;
  private picture = el("div", { class: "picture" });
  private spoken = el("p", { class: "only-read", "aria-live": "polite" });
  private status = el("p", { class: "note" });
  private detail = el("div", { class: "word-detail" });
  private plain = el("p", { class: "sentence strong", dir: "auto" });
  private caution = el("p", { class: "caution", hidden: true });
  private tools: HTMLElement;

  constructor(
    title: string,
    private palette: () => Palette,
  ) {
    this.tools = this.downloads();
    this.node = el(
      "section",
      { class: "figure live", "aria-label": `Translation by ${title}` },
      el("div", { class: "figure-head" }, el("h3", {}, title), this.tools),
      this.plain,
      this.picture,
      this.status,
      this.detail,
      this.caution,
      this.spoken,
    );
    this.tools.hidden = true;
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
    this.source = source;
    this.draw();
  }

  hypothesis(text: string): void {
    this.plain.textContent = text;
    this.plain.classList.add("provisional");
    this.say("This may still change.");
  }

  token(token: TokenEvent): void {
    const special = /^<\/?s>$/.test(token.token);
    const last = this.words[this.words.length - 1] ?? -1;
    const starts = token.token.startsWith("\u2581") || this.tokens.length === 0;
    this.tokens.push(token);
    this.words.push(special ? -1 : starts ? last + 1 : Math.max(0, last));
    if (token.text !== "") this.plain.textContent = token.text;
    this.say("");
    this.draw();
  }

  stopped(): void {
    if (!this.finished) this.say("Stopped.");
  }

  finish(text: string): void {
    this.finished = true;
    this.plain.classList.remove("provisional");
    this.plain.textContent = text;
    this.spoken.textContent = text;
    this.tools.hidden = this.tokens.length === 0;
    this.say(
      this.tokens.length > 0 ? "Point at a word to see where it looked." : "",
    );
  }

  /** A search with a beam streams no tokens; its explanation has them. */
  adopt(doc: Doc): void {
    this.caution.textContent = doc.caution;
    this.caution.hidden = doc.alignment === null;
    if (this.tokens.length > 0 || !doc.target) return;
    this.source = { tokens: doc.source.tokens, words: doc.source.words };
    this.words = doc.target.words;
    this.tokens = doc.target.tokens.map((token, i) => ({
      index: i,
      token,
      text: "",
      weights: doc.alignment?.weights[i] ?? null,
      log_probability: doc.target!.logProbabilities[i] ?? 0,
      alternatives: doc.alternatives[i] ?? [],
    }));
    this.draw();
    this.finish(doc.target.text);
  }

  draw(): void {
    if (this.source.tokens.length === 0) return;
    // A new word must not take the focus away.
    const focused = this.picture.querySelector(":focus")?.getAttribute("data-index");
    this.live = livePicture({
      source: this.source,
      target: this.tokens.map((t, i) => ({
        text: tokenText(t.token),
        word: this.words[i]!,
        probability: Math.exp(t.log_probability),
        weights: t.weights,
      })),
      width: Math.max(280, this.picture.clientWidth || 600),
      palette: this.palette(),
      look: (i) => this.look(i),
    });
    this.picture.replaceChildren(this.live.svg);
    if (focused)
      this.live.svg
        .querySelector<SVGGElement>(`[data-index="${focused}"]`)
        ?.focus();
  }

  private look(i: number | null): void {
    this.live?.focus(i);
    const token = i === null ? undefined : this.tokens[i];
    if (!token) return;
    const top = (token.weights ?? [])
      .map((w, j) => ({ w, word: tokenText(this.source.tokens[j] ?? "") }))
      .sort((a, b) => b.w - a.w)
      .slice(0, 3)
      .map(({ w, word }) => `${word} ${w.toFixed(2)}`);
    this.detail.replaceChildren(
      el(
        "div",
        { class: "step-note" },
        el(
          "p",
          {},
          el("bdi", { class: "token" }, tokenText(token.token)),
          ` with probability ${percent(Math.exp(token.log_probability))}` +
            (top.length > 0 ? `; looked at ${top.join(", ")}` : ""),
        ),
        token.alternatives.length > 0
          ? alternativesList(token.alternatives, token.token)
          : null,
      ),
    );
  }

  private csv(): void {
    saveCsv("translation", [
      ["token", "log probability", ...this.source.tokens.map(tokenText)],
      ...this.tokens.map((t) => [
        tokenText(t.token),
        t.log_probability,
        ...(t.weights ?? []),
      ]),
    ]);
  }
}
