// Self-attention in two dimensions, small enough to follow by hand (SPEC E16).
import type { Matrix } from "./document";
import { softmax } from "./neuron";

export type Pair = [number, number];
export type Square = [Pair, Pair]; // [row][column]

export interface Toy {
  words: string[];
  embeddings: Pair[];
  query: Square;
  key: Square;
  value: Square;
  excludeSelf: boolean;
}

export interface Composed {
  q: Pair[];
  k: Pair[];
  v: Pair[];
  scores: Matrix;
  weights: Matrix;
  z: Pair[];
}

export function apply(w: Square, [x, y]: Pair): Pair {
  return [w[0][0] * x + w[0][1] * y, w[1][0] * x + w[1][1] * y];
}

/** q = W_Q x and so on; score = q.k / sqrt 2; z = the weighted mean of v. */
export function compose(toy: Toy): Composed {
  const q = toy.embeddings.map((x) => apply(toy.query, x));
  const k = toy.embeddings.map((x) => apply(toy.key, x));
  const v = toy.embeddings.map((x) => apply(toy.value, x));
  const scores = q.map((a) =>
    k.map((b) => (a[0] * b[0] + a[1] * b[1]) / Math.SQRT2),
  );
  const weights = scores.map((row, i) =>
    softmax(row, row.map((_, j) => !toy.excludeSelf || i !== j)),
  );
  const z = weights.map((row): Pair => {
    const sum = (d: 0 | 1) => row.reduce((s, w, j) => s + w * v[j]![d], 0);
    return [sum(0), sum(1)];
  });
  return { q, k, v, scores, weights, z };
}

// First number: how much of an animal; second: how much of an act or quality.
const kKnown: Record<string, Pair> = {
  the: [0.1, 0.1],
  early: [0.2, 1.2],
  late: [0.2, -1.2],
  bird: [1.6, 0.4],
  worm: [1.3, -0.5],
  catches: [0.6, 1.6],
  escapes: [0.5, 1.4],
};

/** A made-up place for any other word, the same each time. */
export function embeddingOf(word: string): Pair {
  const plain = word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const known = kKnown[plain];
  if (known) return [...known];
  let a = 7;
  for (const c of plain) a = (Math.imul(a, 31) + c.codePointAt(0)!) >>> 0;
  const place = (x: number) => Math.round(((x % 1000) / 250 - 2) * 10) / 10;
  return [place(a), place(Math.imul(a, 2654435761) >>> 0)];
}

export function makeToy(text: string): Toy {
  const words = text.split(/\s+/).filter(Boolean).slice(0, 12);
  return {
    words,
    embeddings: words.map(embeddingOf),
    query: [[1, 0], [0, 1]],
    key: [[1, 0], [0, 1]],
    value: [[1, 0], [0, 1]],
    excludeSelf: false,
  };
}
