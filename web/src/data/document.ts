// The explanation document: what `fovea explain --json` writes and
// POST /v1/explain answers. Pieces may be missing; after readDocuments() every
// field is there and every matrix has the shape that its tokens ask for.

export type Matrix = number[][];

export interface Tokens {
  text: string;
  tokens: string[];
  words: number[]; // word of each token, -1: a mark such as the end
  sentences: number[]; // sentence of each token
}

export interface Target extends Tokens {
  read: string[]; // what the decoder read to write them: the begin mark first
  logProbabilities: number[];
}

export interface Alternative {
  token: string;
  probability: number;
}

export interface Vectors {
  query: Matrix[]; // [head][position][dimension]
  key: Matrix[];
  value: Matrix[] | null;
  scale: number;
}

export interface Statistics {
  entropy: number;
  largest: number;
  effective_keys: number;
  distance: number;
  special: number;
  monotonicity: number | null;
}

export type Side = "source" | "target" | "read" | "none";

export interface Layer {
  name: string;
  kind: string;
  score: string;
  queries: Side;
  keys: Side;
  weights: Matrix[]; // [head][query][key]
  visible: boolean[][] | null;
  vectors: Vectors | null;
  statistics: Statistics[];
}

export interface Rollout {
  name: string;
  tokens: Side;
  rollout: Matrix;
  flow: Matrix | null;
  note: string; // why there is no flow
}

export interface Gates {
  layer: string;
  probability: number[];
  open: boolean[];
}

/** Which weights were tested, and what stands below a map of just these. */
export interface Tested {
  layer: string;
  head: number; // -1: the mean over all
  caution: string;
}

/** Weights that a map shows. */
export interface Shown {
  layer: string;
  head: number; // -1: the mean over all
  heads: number; // that the layer has
}

/** What stands below a map; of several layers or heads: without `shown`. */
export function cautionOf(doc: Doc, shown?: Shown): string {
  const { tested } = doc;
  const same =
    tested?.layer === shown?.layer &&
    (tested?.head === shown?.head || shown?.heads === 1);
  return tested && shown && same ? tested.caution : doc.caution;
}

export function alignmentShown(doc: Doc): Shown | undefined {
  const layer = doc.alignment?.layer;
  if (layer === undefined) return undefined;
  const heads = doc.layers.find((l) => l.name === layer)?.weights.length ?? 0;
  return { layer, head: -1, heads };
}

export interface Doc {
  model: { name: string; task: string; parameters: number };
  caution: string; // of weights that were not tested
  tested: Tested | null;
  faithfulness: unknown;
  source: Tokens;
  target: Target | null;
  alternatives: Alternative[][];
  labels: { label: string; probability: number }[];
  fromWord: number | null; // whose weights a minimal pair compares; null: of the one that differs
  alignment: { layer: string; weights: Matrix } | null;
  layers: Layer[];
  rollout: Rollout[];
  gates: Gates[];
  states: { encoder: Matrix; decoder: Matrix; embedding: Matrix };
}

const kCaution =
  "A weight is not by itself an explanation; this model was not tested.";

type Json = Record<string, unknown>;

function object(value: unknown): Json {
  return value && typeof value === "object" && !Array.isArray(value)
    ? (value as Json)
    : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise;
}

function numbers(value: unknown): number[] {
  return list(value).map((x) => (typeof x === "number" ? x : Number(x) || 0));
}

function matrix(value: unknown): Matrix {
  return list(value).map(numbers);
}

function hasShape(m: Matrix, rows: number, columns: number): boolean {
  return m.length === rows && m.every((row) => row.length === columns);
}

function readTokens(value: unknown): Tokens {
  const o = object(value);
  const tokens = list(o.tokens).map((t) => text(t));
  const words = numbers(o.words);
  const sentences = numbers(o.sentences);
  return {
    text: text(o.text),
    tokens,
    // Without words each token is its own.
    words: words.length === tokens.length ? words : tokens.map((_, i) => i),
    sentences:
      sentences.length === tokens.length ? sentences : tokens.map(() => 0),
  };
}

function readTarget(value: unknown): Target | null {
  if (!value) return null;
  const target = readTokens(value);
  if (target.tokens.length === 0) return null;
  const read = list(object(value).read).map((t) => text(t));
  return {
    ...target,
    read:
      read.length === target.tokens.length
        ? read
        : ["<s>", ...target.tokens.slice(0, -1)],
    logProbabilities: numbers(object(value).log_probabilities),
  };
}

function readVectors(value: unknown): Vectors | null {
  const o = object(value);
  const query = list(o.query).map(matrix);
  const key = list(o.key).map(matrix);
  if (query.length === 0 || query.length !== key.length) return null;
  return {
    query,
    key,
    value: o.value ? list(o.value).map(matrix) : null,
    scale: typeof o.scale === "number" ? o.scale : 1,
  };
}

function readSide(value: unknown): Side {
  return value === "source" || value === "target" || value === "read"
    ? value
    : "none";
}

/** How many tokens a side has: pooling has one row without a token. */
export function sideLength(
  doc: Pick<Doc, "source" | "target">,
  side: Side,
): number {
  if (side === "source") return doc.source.tokens.length;
  if (side !== "none") return doc.target?.tokens.length ?? 0;
  return 1;
}

function readLayer(
  value: unknown,
  doc: Pick<Doc, "source" | "target">,
): Layer | null {
  const o = object(value);
  const queries = readSide(o.queries);
  const keys = readSide(o.keys);
  const m = sideLength(doc, queries);
  const n = sideLength(doc, keys);
  const weights = list(o.weights).map(matrix);
  if (weights.length === 0 || !weights.every((w) => hasShape(w, m, n)))
    return null;
  const visible = list(o.visible).map((row) => list(row).map(Boolean));
  return {
    name: text(o.name, "layer"),
    kind: text(o.kind),
    score: text(o.score),
    queries,
    keys,
    weights,
    visible: visible.length === m ? visible : null,
    vectors: readVectors(o.vectors),
    statistics: list(o.statistics).map((s) => object(s) as never as Statistics),
  };
}

function readRollout(
  value: unknown,
  doc: Pick<Doc, "source" | "target">,
): Rollout | null {
  const o = object(value);
  const tokens = readSide(o.tokens);
  const n = sideLength(doc, tokens);
  const rollout = matrix(o.rollout);
  const flow = matrix(o.flow);
  if (!hasShape(rollout, n, n)) return null;
  return {
    name: text(o.name),
    tokens,
    rollout,
    flow: hasShape(flow, n, n) ? flow : null,
    note: text(o.note),
  };
}

function readAlignment(
  value: unknown,
  doc: Pick<Doc, "source" | "target">,
): Doc["alignment"] {
  const o = object(value);
  const weights = matrix(o.weights);
  const m = sideLength(doc, "target");
  if (m === 0 || !hasShape(weights, m, doc.source.tokens.length)) return null;
  return { layer: text(o.layer), weights };
}

function readTested(value: unknown): Tested | null {
  const o = object(value);
  if (typeof o.layer !== "string") return null;
  const head = typeof o.head === "number" ? o.head : -1;
  return { layer: o.layer, head, caution: text(o.caution, kCaution) };
}

function present<T>(value: T | null): value is T {
  return value !== null;
}

export function readDocument(value: unknown): Doc {
  const o = object(value);
  const model = object(o.model);
  const states = object(o.states);
  const sides = {
    source: readTokens(o.source),
    target: readTarget(o.target),
  };
  return {
    model: {
      name: text(model.name, "model"),
      task: text(model.task, "translate"),
      parameters: Number(model.parameters) || 0,
    },
    caution: text(o.caution, kCaution),
    tested: readTested(o.tested),
    faithfulness: o.faithfulness ?? null,
    ...sides,
    alternatives: list(o.alternatives).map((step) =>
      list(step).map((a) => ({
        token: text(object(a).token),
        probability: Number(object(a).probability) || 0,
      })),
    ),
    labels: list(o.labels).map((l) => ({
      label: text(object(l).label),
      probability: Number(object(l).probability) || 0,
    })),
    fromWord: typeof o.from_word === "number" ? o.from_word : null,
    alignment: readAlignment(o.alignment, sides),
    layers: list(o.layers).map((l) => readLayer(l, sides)).filter(present),
    rollout: list(o.rollout).map((r) => readRollout(r, sides)).filter(present),
    gates: list(o.gates).map((g) => ({
      layer: text(object(g).layer),
      probability: numbers(object(g).probability),
      open: list(object(g).open).map(Boolean),
    })),
    states: {
      encoder: matrix(states.encoder),
      decoder: matrix(states.decoder),
      embedding: matrix(states.embedding),
    },
  };
}

/** One document or an array of them. */
export function readDocuments(value: unknown): Doc[] {
  return (Array.isArray(value) ? value : [value]).map(readDocument);
}
