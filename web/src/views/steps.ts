// What else might have come at one step, with probabilities.
import { tokenText } from "../data/token_text";
import { el, words } from "../ui/dom";

export function percent(p: number): string {
  if (p > 0 && p < 0.0005) return "<\u00a00.1\u00a0%";
  return `${(100 * p).toFixed(1)}\u00a0%`;
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
