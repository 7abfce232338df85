// E4: the minimal pair, for instance two pronouns. A difference is shown and
// said to be no proof.
import type { Doc } from "../data/document";
import { minimalPair, pairMap, type MinimalPair } from "../data/pair";
import { largest } from "../draw/heatmap";
import { isolated, longNumber } from "../draw/text";
import { controls, select } from "../ui/controls";
import { el } from "../ui/dom";
import { type Host, type Mounted, type View } from "../ui/host";
import { heatFigure } from "./heat";

export const kNoProof =
  "This is no causal proof: other weights than these may give the same output, " +
  "and a head that looks elsewhere need not change what the model says.";

/** All are of the encoder; a phone has no room to repeat that in each row. */
function rowLabel(name: string): string {
  const layer = /^encoder\.layer\.(\d+)\.self$/.exec(name);
  return layer ? `layer ${layer[1]}` : name;
}

const quoted = (word: string) => `\u2018${isolated(word)}\u2019`;

/** As the command writes it: 'He' less 'She'. */
function titleOf(pair: MinimalPair, from: number): string {
  const less = `${quoted(pair.first)} less ${quoted(pair.second)}`;
  return from === pair.word ? less : `From ${quoted(pair.words[from]!)}: ${less}`;
}

function drawPair(host: Host, a: Doc, b: Doc, from: number): HTMLElement {
  const pair = minimalPair(a, b)!;
  const map = pairMap(a, b, pair, from, rowLabel);
  const most = largest(map.difference);
  const both = (i: number, j: number) =>
    `${longNumber(map.first[i]![j]!)} with ${quoted(pair.first)}, ` +
    `${longNumber(map.second[i]![j]!)} with ${quoted(pair.second)}`;
  let top = "";
  map.difference.forEach((row, i) =>
    row.forEach((d, j) => {
      if (Math.abs(d) === most && top === "")
        top = `Most in ${map.rows[i]}: ${isolated(map.columns[j]!)} gets ${both(i, j)}. `;
    }),
  );
  const figure = heatFigure(host, a, host.width(), {
    name: titleOf(pair, from),
    rows: map.rows,
    columns: map.columns,
    values: map.difference,
    signed: true,
    showValues: host.state.flag("values", true),
    note:
      `Orange: more with ${quoted(pair.first)}; blue: more with ` +
      `${quoted(pair.second)}. ${top}Layers: ${map.layers[0]} to ${map.layers[map.layers.length - 1]}.`,
    watch: {
      say: (i, j) => `${map.rows[i]}, on ${isolated(map.columns[j]!)}: ${both(i, j)}`,
    },
  });
  return el("div", {}, figure, el("p", { class: "caution" }, kNoProof));
}

function mount(host: Host): Mounted {
  const [a, b] = [host.all[0]!, host.all[1]!];
  const pair = minimalPair(a, b)!;
  const body = el("div");
  const from = () => host.state.index("from", pair.words.length, pair.from);
  const draw = () => body.replaceChildren(drawPair(host, a, b, from()));
  const chooser = select(
    "From the word",
    pair.words.map((word, i) => ({
      value: String(i),
      label: i === pair.word ? `${word} / ${pair.second}` : word,
    })),
    String(from()),
    (value) => {
      host.state.set("from", value);
      draw();
    },
  );
  draw();
  return { node: el("div", {}, controls(chooser), body), draw };
}

export const pairView: View = {
  id: "pair",
  title: "Minimal pair",
  about:
    "The sentences differ in one word. Each row is a head, each column a word " +
    "that is looked at, from the word that differs or from another; the colour " +
    "is the difference of the weights.",
  missing: (docs) =>
    docs.length === 2 &&
    minimalPair(docs[0]!, docs[1]!) &&
    docs[0]!.layers.some((l) => l.queries === "source")
      ? null
      : "There are no two sentences that differ in one word.",
  mount,
};
