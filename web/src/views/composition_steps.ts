// The pictures of the composition view: from words to composites and what the
// next layer makes of them.
import { mergeWeights, sideAxis, type Axis } from "../data/axis";
import {
  afterNext,
  composites,
  looksAtItself,
  meanRows,
  nextLayer,
  pairScores,
  scoresOfLayer,
} from "../data/composition";
import type { Doc, Layer, Matrix } from "../data/document";
import { isolated, shortNumber } from "../draw/text";
import { el } from "../ui/dom";
import type { Host } from "../ui/host";
import { layerLabel, unitsOf } from "./choice";
import { heatFigure, type HeatOptions } from "./heat";

interface Shown {
  host: Host;
  doc: Doc;
  layer: Layer;
  head: number;
  merged: boolean; // tokens to words
  word: number; // whose row is told
  queries: Axis;
  keys: Axis;
}

export function wordAxis(host: Host, doc: Doc, side: Layer["queries"]): Axis {
  return sideAxis(doc, side, { merge: unitsOf(host.state).merge, special: "show" });
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
function recipe(what: string, weights: number[], keys: string[]): HTMLElement {
  const parts = weights
    .map((w, j) => ({ w, key: keys[j] ?? "" }))
    .filter(({ w }) => w >= 0.01)
    .sort((a, b) => b.w - a.w)
    .slice(0, 6)
    .map(({ w, key }) => `${w.toFixed(2)} \u00d7 ${isolated(key)}`);
  return el("p", { class: "sentence" }, `${what} \u2248 ${parts.join(" + ")}`);
}

/** The pairs with the largest scores. */
function strongest(pairs: Matrix, words: string[]): string {
  return pairs
    .flatMap((row, i) => row.map((score, j) => ({ score, text: `${isolated(words[i]!)} + ${isolated(words[j]!)}` })))
    .filter(({ score }) => !Number.isNaN(score))
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ score, text }) => `${text} ${shortNumber(score)}`)
    .join(", ");
}

function vectorsMap(shown: Shown, name: string, axis: Axis, vectors: Matrix): HTMLElement {
  return heatFigure(shown.host, shown.doc, Math.min(shown.host.width(), 520), {
    name,
    rows: axis.labels,
    columns: (vectors[0] ?? []).map((_, d) => String(d)),
    values: meanRows(vectors, axis),
    signed: true,
    caution: false,
  });
}

function wordsMap(
  shown: Shown,
  options: Pick<HeatOptions, "name" | "values"> & Partial<HeatOptions>,
): HTMLElement {
  const { host, queries, keys } = shown;
  const room = keys.labels.length > 20 ? host.width() : Math.min(host.width(), 620);
  return heatFigure(host, shown.doc, room, {
    rows: queries.labels,
    columns: keys.labels,
    showValues: queries.labels.length <= 12,
    ...options,
  });
}

function inputs(shown: Shown): HTMLElement[] {
  const { doc, layer, head, queries, keys } = shown;
  const vectors = layer.vectors!;
  const values = vectors.value?.[head];
  const embedded = doc.states.embedding;
  return [
    step(
      1,
      "Words",
      el("p", { class: "sentence", dir: "auto" }, queries.labels.join("  ")),
      note(
        shown.merged
          ? "Vectors and scores of a word are the means over its tokens."
          : "A dot begins a token that continues a word.",
      ),
    ),
    step(
      2,
      "Embeddings",
      embedded.length === layer.weights[head]!.length
        ? vectorsMap(shown, "Embeddings, first numbers", queries, embedded)
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
        vectorsMap(shown, "Queries: what a word looks for", queries, vectors.query[head]!),
        vectorsMap(shown, "Keys: what a word offers", keys, vectors.key[head]!),
        values ? vectorsMap(shown, "Values: what a word gives", keys, values) : el("span"),
      ),
    ),
  ];
}

function attention(shown: Shown, scores: Matrix): HTMLElement[] {
  const { layer, head, queries, keys } = shown;
  const all = layer.weights[head]!;
  const weights = mergeWeights(all, queries, keys, { visible: layer.visible });
  const values = layer.vectors!.value?.[head];
  const name = `composite of ${isolated(queries.labels[shown.word] ?? "")}`;
  return [
    step(
      4,
      "Scores",
      wordsMap(shown, { name: "Scores: query times key, scaled", values: scores, signed: true }),
    ),
    step(
      5,
      "Weights",
      wordsMap(shown, {
        name: "Weights: softmax of each row",
        values: weights,
        max: 1,
        shown: { layer: layer.name, head, heads: layer.weights.length },
        note: shown.merged
          ? "The softmax is over tokens; weights of a word's tokens are added for " +
            "keys, averaged for queries."
          : undefined,
      }),
    ),
    step(
      6,
      "Composite",
      recipe(name, weights[shown.word] ?? [], keys.labels),
      values
        ? vectorsMap(shown, "Composites: weighted means of values", queries, composites(all, values))
        : note("This document does not carry the values."),
    ),
  ];
}

function pairsStep(shown: Shown, scores: Matrix): HTMLElement {
  const pairs = pairScores(scores);
  return step(
    7,
    "Pairs",
    wordsMap(shown, {
      name: "Pairs: the mean of both scores of two words",
      values: pairs,
      signed: true,
      note: `Strongest: ${strongest(pairs, shown.queries.labels)}.`,
    }),
  );
}

function nextStep(shown: Shown, next: Layer): HTMLElement {
  const { layer, queries } = shown;
  const values = mergeWeights(afterNext(layer, next), queries, queries);
  const after = `after ${layerLabel(next.name)}`;
  const word = isolated(queries.labels[shown.word] ?? "");
  return step(
    8,
    "After the next layer",
    recipe(`${word} ${after}`, values[shown.word] ?? [], queries.labels),
    wordsMap(shown, {
      name: `How much of each word is in each position ${after}`,
      layer: next.name,
      values,
      note: "Heads are averaged; half of each layer is its residual path.",
    }),
  );
}

/** Six steps; where words look at words also pairs and the next layer. */
export function compositionSteps(host: Host, doc: Doc, layer: Layer): HTMLElement {
  const queries = wordAxis(host, doc, layer.queries);
  const shown: Shown = {
    host,
    doc,
    layer,
    head: host.state.index("composehead", layer.weights.length),
    merged: unitsOf(host.state).merge,
    word: host.state.index("word", queries.labels.length, 2),
    queries,
    keys: wordAxis(host, doc, layer.keys),
  };
  const scores = scoresOfLayer(layer, shown.head, shown.queries, shown.keys);
  const node = el("div", {}, ...inputs(shown), ...attention(shown, scores));
  if (!looksAtItself(layer)) return node;
  node.append(pairsStep(shown, scores));
  const next = nextLayer(doc, layer);
  if (next) node.append(nextStep(shown, next));
  return node;
}
