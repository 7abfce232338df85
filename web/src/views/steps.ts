// What the model thought at one step: the word's probability and what else
// might have come.
import { tokenText } from "../data/axis";
import type { Doc } from "../data/document";
import { el, words } from "../ui/dom";

export function percent(p: number): string {
  if (p > 0 && p < 0.0005) return "< 0.1 %";
  return `${(100 * p).toFixed(1)} %`;
}

export function probabilityOf(doc: Doc, step: number): number | null {
  const log = doc.target?.logProbabilities[step];
  return log === undefined ? null : Math.exp(log);
}

export function alternativesList(
  alternatives: { token: string; probability: number }[],
  chosen: string | undefined,
): HTMLElement {
  return el(
    "ol",
    { class: "alternatives" },
    ...alternatives.map((a) =>
      el(
        "li",
        a.token === chosen ? { class: "chosen" } : {},
        words(tokenText(a.token), { class: "alternative" }),
        el(
          "span",
          { class: "bar-track", "aria-hidden": "true" },
          el("span", {
            class: "bar",
            style: { width: `${(100 * a.probability).toFixed(1)}%` },
          }),
        ),
        el("span", { class: "number-cell" }, percent(a.probability)),
      ),
    ),
  );
}

export function stepNote(doc: Doc, step: number): HTMLElement {
  const token = doc.target?.tokens[step] ?? "";
  const p = probabilityOf(doc, step);
  const alternatives = doc.alternatives[step] ?? [];
  return el(
    "div",
    { class: "step-note" },
    el(
      "p",
      {},
      "Step ",
      step + 1,
      ": ",
      words(tokenText(token), { class: "token" }),
      p === null ? "" : ` with probability ${percent(p)}`,
    ),
    alternatives.length > 0 ? alternativesList(alternatives, token) : null,
  );
}
