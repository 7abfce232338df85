// E10: what was tested, in words first, then in numbers.
import type { Doc } from "../data/document";
import {
  plainWords,
  readFaithfulness,
  verdictText,
  type Faithfulness,
} from "../data/faithfulness";
import { el } from "../ui/dom";
import { emptyNote, panes, type Host, type Mounted, type View } from "../ui/host";
import { table } from "../ui/table";
import { layerLabel } from "./choice";

function bullets(title: string, lines: string[]): HTMLElement | string {
  if (lines.length === 0) return "";
  return el(
    "div",
    {},
    el("h3", {}, title),
    el("ul", { class: "plain" }, ...lines.map((line) => el("li", {}, line))),
  );
}

function numbers(f: Faithfulness): HTMLElement {
  const box = el("div", {}, el("h3", {}, "Agreement of the weights with"));
  box.append(
    table(
      [
        ["test", "tau-b", "same first token", "p < .05"],
        ...f.agreements.map((a) => [
          a.name,
          a.value.tau,
          a.value.sameTop,
          a.value.significant,
        ]),
      ],
      "Agreement of the weights with other tests",
    ),
  );
  if (f.retrained.length > 0)
    box.append(
      el("h3", {}, "Trained again, percent right"),
      table(
        [["model", "percent right"], ...f.retrained.map((r) => [r.name, r.value])],
        "Models that were trained again",
      ),
    );
  return box;
}

export function faithfulnessCard(value: unknown): HTMLElement {
  const f = readFaithfulness(value);
  if (!f)
    return emptyNote(
      "This model was not tested. fovea explain MODEL --faithfulness DATA --save " +
        "tests it; until then its maps show where it looked, not why it decided.",
    );
  return el(
    "div",
    { class: "figure" },
    el("p", { class: "verdict" }, verdictText(f)),
    el(
      "p",
      { class: "note" },
      `Tested with ${f.texts} ${f.texts === 1 ? "text" : "texts"} of ${f.data} (${f.cases} ` +
        `${f.sequence ? "words" : "texts"}), weights of ${layerLabel(f.layer)} (${f.layer}); ` +
        `${f.accuracy.toFixed(1)} % of the outputs are right.`,
    ),
    bullets("What was found", plainWords(f)),
    bullets("You may say", f.allowed),
    bullets("You may not say", f.notAllowed),
    numbers(f),
  );
}

function mount(host: Host): Mounted {
  const node = el("div");
  const draw = () =>
    node.replaceChildren(
      panes(host, (doc: Doc) => faithfulnessCard(doc.faithfulness)),
    );
  draw();
  return { node, draw };
}

export const faithfulnessView: View = {
  id: "faithfulness",
  title: "Faithfulness",
  about:
    "Do these weights explain anything? The tests of both sides of the debate, " +
    "run on this very model.",
  missing: () => null,
  mount,
};
