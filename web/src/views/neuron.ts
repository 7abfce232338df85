// E6: the query, each key, their products, the sum times the scale, the weight.
import { sideAxis } from "../data/axis";
import type { Doc, Layer } from "../data/document";
import { neuronOf, type Neuron } from "../data/neuron";
import { isolated } from "../draw/text";
import { controls, select } from "../ui/controls";
import { el } from "../ui/dom";
import { figure } from "../ui/figure";
import { emptyNote, panes, type Host, type Mounted, type View } from "../ui/host";
import { layerLabel } from "./choice";
import { neuronPicture } from "./neuron_picture";

const kTokens = { merge: false, special: "show" } as const;

function layersWithVectors(doc: Doc): Layer[] {
  return doc.layers.filter((l) => l.vectors);
}

interface Chosen {
  layer: Layer;
  head: number;
  query: number;
}

function chosen(host: Host, doc: Doc): Chosen | null {
  const layers = layersWithVectors(doc);
  const layer = layers[host.state.index("neuron", layers.length)];
  if (!layer) return null;
  return {
    layer,
    head: host.state.index("neuronhead", layer.weights.length),
    query: host.state.index("query", layer.weights[0]?.length ?? 0),
  };
}

function csv(neuron: Neuron, keys: string[]) {
  const size = neuron.query.length;
  const names = (what: string) =>
    Array.from({ length: size }, (_, d) => `${what} ${d}`);
  return [
    ["key", ...names("key"), ...names("product"), "score", "weight"],
    ...neuron.rows.map((row, j) => [
      keys[j] ?? "",
      ...row.key,
      ...row.products,
      row.score,
      row.weight,
    ]),
  ];
}

function drawNeuron(host: Host, doc: Doc, width: number): HTMLElement {
  const at = chosen(host, doc);
  const neuron = at && neuronOf(at.layer, at.head, at.query);
  if (!at || !neuron)
    return emptyNote(
      "This document has no query and key vectors: the layer's score is not a " +
        "product of them, or they were not asked for.",
    );
  const queries = sideAxis(doc, at.layer.queries, kTokens).labels;
  const keys = sideAxis(doc, at.layer.keys, kTokens).labels;
  const title =
    `${layerLabel(at.layer.name)}, head ${at.head}: ` +
    `query ${isolated(queries[at.query] ?? "")}`;
  const near = neuron.difference < 1e-4;
  return figure(host, doc, {
    name: title,
    note:
      `score = ${Number(neuron.scale.toPrecision(4))} \u00d7 the sum of the ` +
      "products, weight = softmax of the scores. " +
      (near
        ? "This reproduces the model's weights."
        : "The model's weights differ by up to " +
          `${neuron.difference.toFixed(3)}: its score has other terms, too ` +
          "(such as positions)."),
    picture: neuronPicture(neuron, {
      name: title,
      query: queries[at.query] ?? "",
      keys,
      width,
      palette: host.palette,
    }),
    rows: () => csv(neuron, keys),
    shown: { layer: at.layer.name, head: at.head, heads: at.layer.weights.length },
  });
}

function choices(host: Host, changed: () => void, draw: () => void) {
  const doc = host.docs.find((d) => layersWithVectors(d).length > 0);
  const at = doc && chosen(host, doc);
  if (!doc || !at) return [];
  const set = (key: string, then: () => void) => (value: string) => {
    host.state.set(key, value);
    then();
  };
  const layers = layersWithVectors(doc);
  const queries = sideAxis(doc, at.layer.queries, kTokens).labels;
  return [
    select(
      "Layer",
      layers.map((l, i) => ({ value: String(i), label: layerLabel(l.name) })),
      String(layers.indexOf(at.layer)),
      set("neuron", changed),
    ),
    select(
      "Head",
      at.layer.weights.map((_, h) => ({
        value: String(h),
        label: `Head ${h}`,
      })),
      String(at.head),
      set("neuronhead", draw),
    ),
    select(
      "Query",
      queries.map((q, i) => ({ value: String(i), label: `${i + 1}. ${q}` })),
      String(at.query),
      set("query", draw),
    ),
  ];
}

function mount(host: Host): Mounted {
  const bar = el("div");
  const body = el("div");
  const draw = () =>
    body.replaceChildren(panes(host, (doc, w) => drawNeuron(host, doc, w)));
  const all = () => {
    bar.replaceChildren(controls(...choices(host, all, draw)));
    draw();
  };
  all();
  return { node: el("div", {}, bar, body), draw };
}

export const neuronView: View = {
  id: "neuron",
  title: "Neurons",
  about:
    "How a weight comes about: the query vector, each key vector, their " +
    "products dimension by dimension, the score, the softmax.",
  missing: (docs) =>
    docs.some((d) => layersWithVectors(d).length > 0)
      ? null
      : "This document has no query and key vectors.",
  mount,
};
