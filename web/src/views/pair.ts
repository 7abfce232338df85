// E4: the minimal pair, for instance two pronouns. A difference is shown and
// said to be no proof.
import type { Doc } from "../data/document";
import { minimalPair, pairMap } from "../data/pair";
import { largest } from "../draw/heatmap";
import { longNumber } from "../draw/text";
import { el } from "../ui/dom";
import { type Host, type Mounted, type View } from "../ui/host";
import { layerLabel } from "./choice";
import { heatFigure } from "./heat";

export const kNoProof =
  "This is no causal proof: other weights than these may give the same output, " +
  "and a head that looks elsewhere need not change what the model says.";

function drawPair(host: Host, a: Doc, b: Doc): HTMLElement {
  const pair = minimalPair(a, b)!;
  const map = pairMap(a, b, pair, layerLabel);
  const most = largest(map.difference);
  let top = "";
  map.difference.forEach((row, i) =>
    row.forEach((d, j) => {
      if (Math.abs(d) === most && top === "")
        top =
          `Most in ${map.rows[i]}: ${map.columns[j]} gets ` +
          `${longNumber(map.first[i]![j]!)} from ${pair.first}, ` +
          `${longNumber(map.second[i]![j]!)} from ${pair.second}. `;
    }),
  );
  const figure = heatFigure(host, a, host.width(), {
    name: `Weights of ${pair.second} minus weights of ${pair.first}`,
    rows: map.rows,
    columns: map.columns,
    values: map.difference,
    signed: true,
    showValues: host.state.flag("values", true),
    note: `Orange: ${pair.second} looks there more; blue: ${pair.first} does. ${top}`,
    watch: {
      say: (i, j) =>
        `${map.rows[i]}, on ${map.columns[j]}: ${pair.first} ` +
        `${longNumber(map.first[i]![j]!)}, ${pair.second} ` +
        longNumber(map.second[i]![j]!),
    },
  });
  return el("div", {}, figure, el("p", { class: "caution" }, kNoProof));
}

function mount(host: Host): Mounted {
  const node = el("div");
  const draw = () =>
    node.replaceChildren(drawPair(host, host.all[0]!, host.all[1]!));
  draw();
  return { node, draw };
}

export const pairView: View = {
  id: "pair",
  title: "Minimal pair",
  about:
    "The sentences differ in one word. Each row is a head, each column a word " +
    "that the differing word looks at; the colour is the difference.",
  missing: (docs) =>
    docs.length === 2 &&
    minimalPair(docs[0]!, docs[1]!) &&
    docs[0]!.layers.some((l) => l.queries === "source")
      ? null
      : "There are no two sentences that differ in one word.",
  mount,
};
