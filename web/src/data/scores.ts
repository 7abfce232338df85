// The score functions of SPEC A16 and what turns scores into weights, for the
// laboratory. Vectors are short; clarity goes before speed.
import type { Matrix } from "./document";
import { softmax } from "./neuron";

export const kScores = [
  "dot",
  "scaled_dot",
  "general",
  "additive",
  "concat",
  "cosine",
  "location",
  "kernel",
] as const;
export type Score = (typeof kScores)[number];
export const kNormalisers = ["softmax", "sigmoid", "sparsemax"] as const;
export type Normaliser = (typeof kNormalisers)[number];

export interface Parameters {
  keySize: number; // d_k of the scale
  general: Matrix; // [query size][key size]
  keyPart: Matrix; // W1, of the key
  queryPart: Matrix; // W2, of the query
  direction: number[]; // v
  places: Matrix; // one row for each source position
  sharpening: number; // beta; exponent of the inverse distance
  temperature: number; // width of the Gaussian kernel
  gaussian: boolean;
  normaliser: Normaliser;
}

function dot(a: number[], b: number[]): number {
  return a.reduce((sum, x, d) => sum + x * (b[d] ?? 0), 0);
}

function times(w: Matrix, x: number[]): number[] {
  return w.map((row) => dot(row, x));
}

function norm(a: number[]): number {
  return Math.max(1e-8, Math.sqrt(dot(a, a)));
}

function distance(a: number[], b: number[]): number {
  return Math.sqrt(a.reduce((sum, x, d) => sum + (x - (b[d] ?? 0)) ** 2, 0));
}

/** v . tanh(W1 h + W2 s). */
function additive(q: number[], k: number[], p: Parameters): number {
  const key = times(p.keyPart, k);
  const query = times(p.queryPart, q);
  return dot(p.direction, key.map((x, c) => Math.tanh(x + query[c]!)));
}

/** v . tanh(W [s ; h]) with W = [W2 | W1]: the same thing, written at once. */
function concat(q: number[], k: number[], p: Parameters): number {
  const w = p.queryPart.map((row, c) => [...row, ...p.keyPart[c]!]);
  return dot(p.direction, times(w, [...q, ...k]).map(Math.tanh));
}

function kernel(q: number[], k: number[], p: Parameters): number {
  const far = distance(q, k);
  return p.gaussian
    ? Math.exp(-(far ** 2) / (2 * p.temperature ** 2))
    : far ** -p.sharpening; // infinite for an equal key
}

/** Of a query and the key at position j. */
export function scoreOf(
  score: Score,
  q: number[],
  k: number[],
  j: number,
  p: Parameters,
): number {
  switch (score) {
    case "dot":
      return dot(q, k);
    case "scaled_dot":
      return dot(q, k) / Math.sqrt(p.keySize);
    case "general":
      return dot(q, times(p.general, k));
    case "additive":
      return additive(q, k, p);
    case "concat":
      return concat(q, k, p);
    case "cosine":
      return (p.sharpening * dot(q, k)) / (norm(q) * norm(k));
    case "location":
      return dot(p.places[j] ?? [], q);
    case "kernel":
      return kernel(q, k, p);
  }
}

/** Euclidean projection on the simplex (Martins and Astudillo 2016). */
export function sparsemax(scores: number[], visible?: boolean[]): number[] {
  const seen = scores.filter((_, j) => visible?.[j] ?? true);
  if (seen.length === 0) return scores.map(() => 0);
  seen.sort((a, b) => b - a);
  let sum = 0;
  let threshold = 0;
  seen.forEach((z, i) => {
    sum += z;
    if (1 + (i + 1) * z > sum) threshold = (sum - 1) / (i + 1);
  });
  return scores.map((z, j) =>
    (visible?.[j] ?? true) ? Math.max(0, z - threshold) : 0,
  );
}

/** Similarities divided by their sum; an equal key takes all. */
function bySum(values: number[], visible: boolean[]): number[] {
  const seen = values.map((x, j) => (visible[j] ? x : 0));
  const equal = seen.filter((x) => x === Infinity).length;
  if (equal > 0) return seen.map((x) => (x === Infinity ? 1 / equal : 0));
  const sum = seen.reduce((a, b) => a + b, 0);
  return sum > 0 ? seen.map((x) => x / sum) : seen.map(() => 0);
}

export function weightsOf(
  score: Score,
  scores: number[],
  visible: boolean[],
  p: Parameters,
): number[] {
  if (score === "kernel") return bySum(scores, visible);
  // A cosine is sharpened as a score already.
  const factor = score === "cosine" ? 1 : p.sharpening;
  const sharp = scores.map((e) => (e * factor) / p.temperature);
  if (p.normaliser === "sparsemax") return sparsemax(sharp, visible);
  if (p.normaliser === "sigmoid")
    return sharp.map((e, j) => (visible[j] ? 1 / (1 + Math.exp(-e)) : 0));
  return softmax(sharp, visible);
}

/** What weightsOf() does, for people. */
export function weightsFormula(score: Score, p: Parameters): string {
  if (score === "kernel") return "score / the sum of all scores";
  const factor = score === "cosine" ? "" : "\u03b2 \u00b7 ";
  return `${p.normaliser}(${factor}score / temperature)`;
}

export interface Masks {
  keys: boolean[]; // of each key
  window: number | null; // D of local-m; null: global
  causal: boolean;
}

/** What query i may look at. Local-m stands at the query's own place. */
export function visibleKeys(i: number, masks: Masks): boolean[] {
  const last = masks.keys.length - 1;
  const place = Math.min(i, last);
  return masks.keys.map(
    (on, j) =>
      on &&
      (masks.window === null || Math.abs(j - place) <= masks.window) &&
      (!masks.causal || j <= i),
  );
}

export function defaultParameters(places: number): Parameters {
  return {
    keySize: 2,
    general: [[2, 0], [0, 1]],
    keyPart: [[1, 0], [0, 1]],
    queryPart: [[1, 0], [0, 1]],
    direction: [1, -1],
    places: Array.from({ length: places }, (_, j) => [
      Math.round(10 * Math.cos(j)) / 10,
      Math.round(10 * Math.sin(j)) / 10,
    ]),
    sharpening: 1,
    temperature: 1,
    gaussian: false,
    normaliser: "softmax",
  };
}
