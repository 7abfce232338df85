// The translation as text: each token's probability, and the alternatives at
// the step that is pointed at. For a classifier: its labels.
import { tokenText } from "../data/axis";
import type { Doc } from "../data/document";
import { el } from "../ui/dom";
import { panes, type Host, type Mounted, type View } from "../ui/host";
import { table } from "../ui/table";
import { alternativesList, percent, probabilityOf, stepNote } from "./steps";

function tokenButton(doc: Doc, step: number, show: () => void): HTMLElement {
  const target = doc.target!;
  const p = probabilityOf(doc, step);
  const ends = target.words[step] !== target.words[step + 1];
  return el(
    "button",
    {
      type: "button",
      class: ends ? "word-button ends" : "word-button",
      dir: "auto",
      on: { click: show, pointerenter: show, focus: show },
    },
    el("span", { class: "word-text" }, tokenText(target.tokens[step] ?? "")),
    p === null
      ? null
      : el(
          "span",
          { class: "word-track", "aria-hidden": "true" },
          el("span", {
            class: "bar",
            style: { width: `${(100 * p).toFixed(1)}%` },
          }),
        ),
    p === null ? null : el("span", { class: "only-read" }, percent(p)),
  );
}

function translation(doc: Doc): HTMLElement {
  const target = doc.target!;
  const detail = el("div", { class: "word-detail", "aria-live": "polite" });
  const row = el("div", { class: "word-row", dir: "auto" });
  const show = (step: number) => {
    for (const [i, node] of [...row.children].entries())
      node.classList.toggle("current", i === step);
    detail.replaceChildren(stepNote(doc, step));
  };
  target.tokens.forEach((_, i) =>
    row.append(tokenButton(doc, i, () => show(i))),
  );
  const total = target.logProbabilities.reduce((a, b) => a + b, 0);
  show(0);
  return el(
    "div",
    {},
    el(
      "p",
      { class: "note" },
      `Log probability of the whole: ${total.toFixed(3)}, of a token on ` +
        `average: ${(total / target.tokens.length).toFixed(3)}.`,
    ),
    row,
    detail,
    el(
      "details",
      { class: "numbers" },
      el("summary", {}, "Numbers as a table"),
      table(
        [
          ["token", "log probability", "probability"],
          ...target.tokens.map((t, i) => [
            tokenText(t),
            target.logProbabilities[i] ?? NaN,
            probabilityOf(doc, i) ?? NaN,
          ]),
        ],
        "Probability of each token",
      ),
    ),
  );
}

function drawDoc(doc: Doc): HTMLElement {
  return el(
    "div",
    { class: "figure" },
    el("h3", {}, "Read"),
    el("p", { class: "sentence", dir: "auto" }, doc.source.text),
    el("h3", {}, doc.target ? "Written" : "Label"),
    doc.target
      ? translation(doc)
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
  const draw = () => node.replaceChildren(panes(host, (doc) => drawDoc(doc)));
  draw();
  return { node, draw };
}

export const wordsView: View = {
  id: "words",
  title: "Words",
  about:
    "How sure the model was of each token, and what else it might have said.",
  missing: (docs) =>
    docs.some((d) => d.target || d.labels.length > 0)
      ? null
      : "This document has neither a translation nor labels.",
  mount,
};
