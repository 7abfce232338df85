// E16: the numbers of the composition view, of tokens or of words.
import { mergeWeights, meanOfHeads, type Axis } from "./axis";
import type { Doc, Layer, Matrix } from "./document";
import { neuronOf } from "./neuron";

/** z_i = sum of weight times value. */
export function composites(weights: Matrix, values: Matrix): Matrix {
  const size = values[0]?.length ?? 0;
  return weights.map((row) =>
    Array.from({ length: size }, (_, d) =>
      row.reduce((sum, w, j) => sum + w * (values[j]?.[d] ?? 0), 0),
    ),
  );
}

/** The vector of a word is the mean of those of its tokens. */
export function meanRows(vectors: Matrix, axis: Axis): Matrix {
  return axis.groups.map((group) =>
    (vectors[0] ?? []).map(
      (_, d) => group.reduce((sum, i) => sum + (vectors[i]?.[d] ?? 0), 0) / group.length,
    ),
  );
}

/**
 * The mean over the tokens of both words: just the score of their mean query
 * and mean key. Not a number: not visible.
 */
export function scoresOfLayer(layer: Layer, head: number, rows: Axis, columns: Axis): Matrix {
  const scores = (layer.weights[head] ?? []).map(
    (_, i) => neuronOf(layer, head, i)?.rows.map((r) => r.score) ?? [],
  );
  const sums = mergeWeights(scores, rows, columns, { visible: layer.visible });
  return sums.map((row) => row.map((s, j) => s / columns.groups[j]!.length));
}

/** Where words look at words, and every one at every one. */
export function looksAtItself(layer: Layer): boolean {
  const all = layer.visible?.every((row) => row.every(Boolean)) ?? true;
  return layer.queries === layer.keys && all;
}

/** What two words have to do with each other, whoever asks: the mean of both scores. */
export function pairScores(scores: Matrix): Matrix {
  return scores.map((row, i) =>
    row.map((s, j) => (i < j ? (s + (scores[j]?.[i] ?? 0)) / 2 : NaN)),
  );
}

export function nextLayer(doc: Doc, layer: Layer): Layer | undefined {
  return doc.layers
    .slice(doc.layers.indexOf(layer) + 1)
    .find((l) => l.kind === layer.kind && l.queries === layer.queries && l.keys === layer.keys);
}

/** How much of each token is in each position after one layer more (SPEC E7). */
export function afterNext(layer: Layer, next: Layer): Matrix {
  const half = (l: Layer) =>
    meanOfHeads(l.weights).map((row, i) => row.map((w, j) => 0.5 * w + (i === j ? 0.5 : 0)));
  return composites(half(next), half(layer));
}
