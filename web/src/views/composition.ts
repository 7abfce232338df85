// E16: six steps from words to composites, with the numbers of the loaded
// model's first layer; below, a toy to play with.
import { sideAxis } from "../data/axis";
import type { Doc, Layer, Matrix } from "../data/document";
import { neuronOf } from "../data/neuron";
import { controls, select } from "../ui/controls";
import { el } from "../ui/dom";
import { emptyNote, type Host, type Mounted, type View } from "../ui/host";
import { layerLabel } from "./choice";
import { heatFigure } from "./heat";
import { toySection } from "./toy";

const kTokens = { merge: false, special: "show" } as const;

function firstLayer(doc: Doc): Layer | undefined {
  return doc.layers.find((l) => l.vectors);
}

function dimensions(m: Matrix): string[] {
  return (m[0] ?? []).map((_, d) => String(d + 1));
}

/** z_i = sum of weight times value; null without values. */
export function composites(weights: Matrix, values: Matrix): Matrix {
  const size = values[0]?.length ?? 0;
  return weights.map((row) =>
    Array.from({ length: size }, (_, d) =>
      row.reduce((sum, w, j) => sum + w * (values[j]?.[d] ?? 0), 0),
    ),
  );
}

function step(number: number, title: string, ...children: HTMLElement[]) {
  return el(
    "section",
    { class: "step" },
    el("h3", {}, el("span", { class: "step-number" }, number), title),
    ...children,
  );
}

function note(text: string): HTMLElement {
  return el("p", { class: "note" }, text);
}

/** The row of one word as a sum, largest parts first. */
function recipe(word: string, weights: number[], keys: string[]): string {
  const parts = weights
    .map((w, j) => ({ w, key: keys[j] ?? "" }))
    .filter(({ w }) => w >= 0.01)
    .sort((a, b) => b.w - a.w)
    .slice(0, 6)
    .map(({ w, key }) => `${w.toFixed(2)} \u00d7 ${key}`);
  return `composite of ${word} \u2248 ${parts.join(" + ")}`;
}

function vectorsMap(
  host: Host,
  doc: Doc,
  name: string,
  labels: string[],
  values: Matrix,
): HTMLElement {
  return heatFigure(host, doc, Math.min(host.width(), 520), {
    name,
    rows: labels,
    columns: dimensions(values),
    values,
    signed: true,
    caution: false,
  });
}

function sixSteps(host: Host, doc: Doc, layer: Layer): HTMLElement {
  const head = host.state.index("composehead", layer.weights.length);
  const queries = sideAxis(doc, layer.queries, kTokens).labels;
  const keys = sideAxis(doc, layer.keys, kTokens).labels;
  const vectors = layer.vectors!;
  const weights = layer.weights[head]!;
  const word = host.state.index("word", queries.length, 2);
  const scores = queries.map(
    (_, i) =>
      neuronOf(layer, head, i)?.rows.map((r) => (r.visible ? r.score : NaN)) ?? [],
  );
  const values = vectors.value?.[head];
  const map = (name: string, m: Matrix, signed: boolean, note?: string) =>
    heatFigure(host, doc, Math.min(host.width(), 620), {
      name,
      rows: queries,
      columns: keys,
      values: m,
      signed,
      max: signed ? undefined : 1,
      note,
      showValues: queries.length <= 12,
    });
  return el(
    "div",
    {},
    step(1, "Words", el("p", { class: "sentence", dir: "auto" }, queries.join("  "))),
    step(
      2,
      "Embeddings",
      doc.states.embedding.length === queries.length
        ? vectorsMap(host, doc, "Embeddings, first numbers", queries, doc.states.embedding)
        : note(
            "This document does not carry the embeddings; each word is a " +
              "vector that the projections read.",
          ),
    ),
    step(
      3,
      "Queries, keys, values",
      el(
        "div",
        { class: "toy-row" },
        vectorsMap(host, doc, "Queries: what a word looks for", queries, vectors.query[head]!),
        vectorsMap(host, doc, "Keys: what a word offers", keys, vectors.key[head]!),
        values ? vectorsMap(host, doc, "Values: what a word gives", keys, values) : el("span"),
      ),
    ),
    step(4, "Scores", map("Scores: query times key, scaled", scores, true)),
    step(5, "Weights", map("Weights: softmax of each row", weights, false)),
    step(
      6,
      "Composite",
      el(
        "p",
        { class: "sentence", dir: "auto" },
        recipe(queries[word] ?? "", weights[word] ?? [], keys),
      ),
      values
        ? vectorsMap(
            host,
            doc,
            "Composites: weighted means of values",
            queries,
            composites(weights, values),
          )
        : note("This document does not carry the values."),
    ),
  );
}

function choices(host: Host, doc: Doc, layer: Layer, draw: () => void) {
  const queries = sideAxis(doc, layer.queries, kTokens).labels;
  const set = (key: string) => (value: string) => {
    host.state.set(key, value);
    draw();
  };
  return controls(
    select(
      "Head",
      layer.weights.map((_, h) => ({ value: String(h), label: `Head ${h}` })),
      String(host.state.index("composehead", layer.weights.length)),
      set("composehead"),
    ),
    select(
      "Word",
      queries.map((q, i) => ({ value: String(i), label: `${i + 1}. ${q}` })),
      String(host.state.index("word", queries.length, 2)),
      set("word"),
    ),
  );
}

function mount(host: Host): Mounted {
  const doc = host.docs.find(firstLayer);
  const layer = doc && firstLayer(doc);
  const body = el("div");
  const toy = toySection(host);
  const draw = () =>
    body.replaceChildren(
      doc && layer
        ? sixSteps(host, doc, layer)
        : emptyNote("This document has no query and key vectors; the toy below needs none."),
    );
  const redraw = () => {
    draw();
    toy.draw();
  };
  const node = el(
    "div",
    {},
    doc && layer ? el("h3", { class: "section" }, `The model: ${layerLabel(layer.name)}`) : null,
    doc && layer ? choices(host, doc, layer, draw) : null,
    body,
    toy.node,
  );
  draw();
  return { node, draw: redraw };
}

export const compositionView: View = {
  id: "composition",
  title: "Composition",
  about: "How attention puts a word together from other words, in six steps.",
  missing: () => null,
  mount,
};
