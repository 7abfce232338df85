// E6: how one query's weights come about, number by number.
import type { Layer } from "./document";

export interface NeuronRow {
  key: number[];
  products: number[];
  score: number; // scale times the sum of the products
  weight: number; // softmax of the scores
  visible: boolean;
}

export interface Neuron {
  query: number[];
  rows: NeuronRow[];
  scale: number;
  /** Largest difference to the weights that the model gave. */
  difference: number;
}

/** Over the scores that are visible; all zero if none is (SPEC Z3). */
export function softmax(scores: number[], visible?: boolean[]): number[] {
  const sees = (j: number) => visible?.[j] ?? true;
  const seen = scores.filter((_, j) => sees(j));
  const most = Math.max(...seen);
  const powers = scores.map((e, j) => (sees(j) ? Math.exp(e - most) : 0));
  const sum = powers.reduce((a, b) => a + b, 0);
  return sum > 0 ? powers.map((u) => u / sum) : scores.map(() => 0);
}

export function neuronOf(
  layer: Layer,
  head: number,
  position: number,
): Neuron | null {
  const vectors = layer.vectors;
  const query = vectors?.query[head]?.[position];
  const keys = vectors?.key[head];
  if (!vectors || !query || !keys) return null;
  const visible = keys.map((_, j) => layer.visible?.[position]?.[j] ?? true);
  const products = keys.map((key) => key.map((k, d) => k * (query[d] ?? 0)));
  const scores = products.map(
    (p) => vectors.scale * p.reduce((a, b) => a + b, 0),
  );
  const weights = softmax(scores, visible);
  const given = layer.weights[head]?.[position] ?? [];
  return {
    query,
    scale: vectors.scale,
    difference: Math.max(
      0,
      ...weights.map((w, j) => Math.abs(w - (given[j] ?? 0))),
    ),
    rows: keys.map((key, j) => ({
      key,
      products: products[j]!,
      score: scores[j]!,
      weight: weights[j]!,
      visible: visible[j]!,
    })),
  };
}
