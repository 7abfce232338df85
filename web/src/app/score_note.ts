// What a translation of the reader's own is worth to each model, beside the
// model's own.
import type { Doc } from "../data/document";
import { el } from "../ui/dom";
import { table } from "../ui/table";

export interface Scored {
  doc: Doc; // of the reader's translation
  own: { logProbability: number; tokens: number } | null;
}

function total(doc: Doc): number {
  return (doc.target?.logProbabilities ?? []).reduce((a, b) => a + b, 0);
}

function line(log: number, tokens: number): string {
  return `${log.toFixed(2)} (${(log / Math.max(1, tokens)).toFixed(2)} a token)`;
}

export function scoreNote(all: Scored[]): HTMLElement {
  const rows = all.map(({ doc, own }) => [
    doc.model.name,
    line(total(doc), doc.target?.tokens.length ?? 1),
    own && !Number.isNaN(own.logProbability)
      ? line(own.logProbability, own.tokens)
      : "not known",
  ]);
  return el(
    "div",
    { class: "score-note" },
    table([["model", "yours", "its own"], ...rows], "Log probabilities"),
    el(
      "p",
      { class: "note" },
      "Log probability of each translation. The views below now show yours; " +
        "Words has the score of each word.",
    ),
  );
}
