// What is known of one word that was written: how sure the model was, where it
// looked, and, token by token, what else it might have said.
import type { Axis } from "../data/axis";
import type { Alternative, Doc } from "../data/document";
import { tokenTexts } from "../data/token_text";
import { isolated } from "../draw/text";
import { el, words } from "../ui/dom";
import { alternativesList, percent } from "./steps";

export interface Looked {
  word: string;
  weight: number;
}

export interface NotedWord {
  text: string;
  logProbability: number; // not a number: not known
  looked: Looked[];
  tokens: {
    token: string;
    logProbability: number;
    alternatives: Alternative[];
  }[];
}

const kMost = 3; // places that are named
const kLeast = 0.02;

/** The places with the largest weights. */
export function placesOf(weights: number[] | null, names: string[]): Looked[] {
  return (weights ?? [])
    .map((weight, j) => ({ weight, word: names[j] ?? "" }))
    .filter(({ weight }) => weight >= kLeast)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, kMost);
}

/** The word as a sentence: for voices, and above its tokens. */
export function wordSentence(word: NotedWord): string {
  const p = Math.exp(word.logProbability);
  const sure = Number.isNaN(p) ? "" : ` with probability ${percent(p)}`;
  const looked = word.looked.map((l) => `${isolated(l.word)} ${l.weight.toFixed(2)}`);
  return sure + (looked.length > 0 ? `; looked at ${looked.join(", ")}` : "");
}

function tokenChips(word: NotedWord, choose: (i: number) => void): HTMLElement {
  const texts = tokenTexts(word.tokens.map((t) => t.token));
  const row = el("div", { class: "token-row", role: "group", "aria-label": "Tokens" });
  const pick = (i: number) => {
    [...row.children].forEach((node, k) =>
      node.setAttribute("aria-pressed", String(k === i)),
    );
    choose(i);
  };
  row.append(
    ...word.tokens.map((t, i) => {
      const p = Math.exp(t.logProbability);
      const on = () => pick(i);
      return el(
        "button",
        { type: "button", class: "token-chip", on: { click: on, pointerenter: on } },
        words(texts[i]!),
        Number.isNaN(p) ? "" : ` ${percent(p)}`,
      );
    }),
  );
  pick(0);
  return row;
}

export function wordNote(word: NotedWord): HTMLElement {
  const others = el("div");
  const show = (i: number) => {
    const { alternatives, token } = word.tokens[i]!;
    others.replaceChildren(
      alternatives.length > 0 ? alternativesList(alternatives, token) : "",
    );
  };
  const several = word.tokens.length > 1;
  if (!several && word.tokens.length > 0) show(0);
  return el(
    "div",
    { class: "step-note" },
    el("p", {}, words(word.text, { class: "token" }), wordSentence(word)),
    several ? tokenChips(word, show) : null,
    others,
  );
}

/** The word of one row of an axis of written tokens. */
export function notedWord(doc: Doc, axis: Axis, row: number, looked: Looked[]): NotedWord {
  const target = doc.target!;
  const group = axis.groups[row] ?? [];
  const logs = group.map((i) => target.logProbabilities[i] ?? NaN);
  return {
    text: axis.labels[row] ?? "",
    logProbability: logs.reduce((a, b) => a + b, 0),
    looked,
    tokens: group.map((i, k) => ({
      token: target.tokens[i] ?? "",
      logProbability: logs[k]!,
      alternatives: doc.alternatives[i] ?? [],
    })),
  };
}
