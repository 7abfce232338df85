// The translation as text: each word's probability, and for the word that is
// pointed at where it looked and, token by token, what else might have come.
// For a classifier: its labels.
import { mergeWeights, sideAxis } from "../data/axis";
import { alignmentShown, type Doc } from "../data/document";
import { tokenTexts } from "../data/token_text";
import { el } from "../ui/dom";
import { cautionLine } from "../ui/figure";
import { panes, type Host, type Mounted, type View } from "../ui/host";
import { table } from "../ui/table";
import { alternativesList } from "./steps";
import { notedWord, placesOf, wordNote, wordSentence, type NotedWord } from "./word_note";

const kWords = { merge: true, special: "show" } as const;

function wordsOf(doc: Doc): NotedWord[] {
  const rows = sideAxis(doc, "target", kWords);
  const columns = sideAxis(doc, "source", kWords);
  const weights = doc.alignment
    ? mergeWeights(doc.alignment.weights, rows, columns)
    : [];
  return rows.groups.map((_, i) =>
    notedWord(doc, rows, i, placesOf(weights[i] ?? null, columns.labels)),
  );
}

function wordButton(word: NotedWord, show: () => void): HTMLElement {
  const p = Math.exp(word.logProbability);
  return el(
    "button",
    {
      type: "button",
      class: "word-button",
      dir: "auto",
      on: { click: show, pointerenter: show, focus: show },
    },
    el("span", { class: "word-text" }, word.text),
    Number.isNaN(p)
      ? null
      : el(
          "span",
          { class: "word-track", "aria-hidden": "true" },
          el("span", {
            class: "bar",
            style: { width: `${(100 * p).toFixed(1)}%` },
          }),
        ),
    el("span", { class: "only-read" }, wordSentence(word)),
  );
}

/** Words first, then the tokens that they are made of. */
function numbersTable(doc: Doc, all: NotedWord[]): HTMLElement {
  const row = (text: string, log: number) => [text, log, Math.exp(log)];
  const texts = tokenTexts(doc.target!.tokens);
  const logs = doc.target!.logProbabilities;
  const head = ["log probability", "probability"];
  return el(
    "details",
    { class: "numbers" },
    el("summary", {}, "Numbers as a table"),
    table(
      [["word", ...head], ...all.map((w) => row(w.text, w.logProbability))],
      "Probability of each word",
    ),
    table(
      [["token", ...head], ...texts.map((t, i) => row(t, logs[i] ?? NaN))],
      "Probability of each token",
    ),
  );
}

function translation(host: Host, doc: Doc): HTMLElement {
  const target = doc.target!;
  const all = wordsOf(doc);
  const detail = el("div", { class: "word-detail", "aria-live": "polite" });
  const row = el("div", { class: "word-row", dir: "auto" });
  const show = (at: number) => {
    for (const [i, node] of [...row.children].entries())
      node.classList.toggle("current", i === at);
    detail.replaceChildren(wordNote(all[at]!));
  };
  row.append(...all.map((word, i) => wordButton(word, () => show(i))));
  const total = target.logProbabilities.reduce((a, b) => a + b, 0);
  show(0);
  return el(
    "div",
    {},
    el(
      "p",
      { class: "note" },
      `Log probability of the whole: ${total.toFixed(3)}, of a token on ` +
        `average: ${(total / target.tokens.length).toFixed(3)}. A word's ` +
        "probability is the product of those of its tokens.",
    ),
    row,
    detail,
    doc.alignment ? cautionLine(host, doc, alignmentShown(doc)) : null,
    numbersTable(doc, all),
  );
}

function drawDoc(host: Host, doc: Doc): HTMLElement {
  return el(
    "div",
    { class: "figure" },
    el("h3", {}, "Read"),
    el("p", { class: "sentence", dir: "auto" }, doc.source.text),
    el("h3", {}, doc.target ? "Written" : "Label"),
    doc.target
      ? translation(host, doc)
      : alternativesList(
          doc.labels.map((l) => ({
            token: l.label,
            probability: l.probability,
          })),
          doc.labels[0]?.label,
        ),
  );
}

function mount(host: Host): Mounted {
  const node = el("div");
  const draw = () => node.replaceChildren(panes(host, (doc) => drawDoc(host, doc)));
  draw();
  return { node, draw };
}

export const wordsView: View = {
  id: "words",
  title: "Words",
  about:
    "How sure the model was of each word, where it looked, and what else it " +
    "might have said.",
  missing: (docs) =>
    docs.some((d) => d.target || d.labels.length > 0)
      ? null
      : "This document has neither a translation nor labels.",
  mount,
};
