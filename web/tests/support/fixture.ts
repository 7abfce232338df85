// Made-up documents: the numbers mean nothing, but they have the right shapes,
// rows that sum to 1, and vectors whose softmax gives the weights.

export interface FixtureOptions {
  source?: string[];
  target?: string[] | null;
  heads?: number;
  layers?: number;
  dimension?: number;
  attention?: boolean; // over the source
  name?: string;
  seed?: number;
  faithfulness?: unknown;
  gates?: boolean;
}

/** Mulberry32: the same numbers on every machine. */
export function random(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const round = (x: number) => Number(x.toPrecision(6));

function softmaxRow(scores: number[], visible: (j: number) => boolean) {
  const most = Math.max(...scores.filter((_, j) => visible(j)));
  const u = scores.map((e, j) => (visible(j) ? Math.exp(e - most) : 0));
  const sum = u.reduce((a, b) => a + b, 0);
  return u.map((x) => round(x / sum));
}

function wordsOf(tokens: string[]): number[] {
  let word = -1;
  return tokens.map((t) => {
    if (t === "</s>") return -1;
    if (t.startsWith("\u2581") || word < 0) ++word;
    return word;
  });
}

function textOf(tokens: string[]): string {
  return tokens
    .filter((t) => t !== "</s>")
    .join("")
    .replace(/\u2581/g, " ")
    .trim();
}

interface Shape {
  queries: number;
  keys: number;
  heads: number;
  dimension: number;
  causal: boolean;
  diagonal: boolean;
}

function makeLayer(name: string, kind: string, sides: [string, string],
                   shape: Shape, draw: () => number) {
  const normal = () => draw() + draw() + draw() + draw() - 2;
  const vectors = { query: [] as number[][][], key: [] as number[][][],
    value: [] as number[][][], scale: round(1 / Math.sqrt(shape.dimension)) };
  const weights: number[][][] = [];
  const visible = Array.from({ length: shape.queries }, (_, i) =>
    Array.from({ length: shape.keys }, (_, j) => !shape.causal || j <= i));
  for (let h = 0; h < shape.heads; ++h) {
    // A head looks a little to the side: keys carry a code of their place.
    const shift = shape.diagonal ? (h % 3) - 1 : Math.floor(5 * draw()) - 2;
    const code = (p: number) => Array.from({ length: shape.dimension }, (_, d) =>
      (d % 2 ? Math.cos : Math.sin)(p / 1.6 ** (1 + (d >> 1))) * 1.9);
    const add = (a: number[], s: number) => a.map((x) => round(x + s * normal()));
    const ratio = shape.keys / shape.queries;
    const q = Array.from({ length: shape.queries }, (_, i) => add(code(i * ratio + shift), 0.5));
    const k = Array.from({ length: shape.keys }, (_, j) => add(code(j), 0.5));
    vectors.query.push(q);
    vectors.key.push(k);
    vectors.value.push(k.map((row) => row.map(() => round(normal()))));
    weights.push(q.map((row, i) => softmaxRow(
      k.map((key) => vectors.scale * key.reduce((s, x, d) => s + x * row[d]!, 0)),
      (j) => visible[i]![j]!)));
  }
  const statistics = weights.map((w) => {
    const entropies = w.map((row) => -row.reduce((s, p) => s + (p > 0 ? p * Math.log(p) : 0), 0));
    const mean = (xs: number[]) => round(xs.reduce((a, b) => a + b, 0) / xs.length);
    return {
      entropy: mean(entropies),
      largest: mean(w.map((row) => Math.max(...row))),
      effective_keys: mean(entropies.map(Math.exp)),
      distance: mean(w.map((row, i) => row.reduce((s, p, j) => s + p * Math.abs(i - j), 0))),
      special: mean(w.map((row) => row[row.length - 1]!)),
      monotonicity: shape.queries > 1 ? round(2 * draw() - 1) : null,
    };
  });
  return { name, kind, score: "scaled_dot", queries: sides[0], keys: sides[1],
    weights, visible: shape.causal ? visible : null, vectors, statistics };
}

function rolloutOf(name: string, side: string, layers: { weights: number[][][] }[]) {
  let rolled: number[][] | null = null;
  for (const { weights } of layers) {
    const n = weights[0]!.length;
    const mean = weights[0]!.map((row, i) => row.map((_, j) =>
      0.5 * weights.reduce((s, w) => s + w[i]![j]!, 0) / weights.length + (i === j ? 0.5 : 0)));
    const before: number[][] = rolled ?? mean.map((_, i) => mean.map((_, j) => (i === j ? 1 : 0)));
    rolled = mean.map((row) => before[0]!.map((_, j) => {
      let s = 0;
      for (let k = 0; k < n; ++k) s += row[k]! * before[k]![j]!;
      return round(s);
    }));
  }
  return { name, tokens: side, rollout: rolled, flow: rolled };
}

const kSource = ["\u2581The", "\u2581early", "\u2581bird", "\u2581catch", "es", "\u2581the", "\u2581worm", ".", "</s>"];
const kTarget = ["\u2581L", "'", "oiseau", "\u2581mat", "inal", "\u2581attrape", "\u2581le", "\u2581ver", ".", "</s>"];

export function makeDocument(options: FixtureOptions = {}) {
  const draw = random(options.seed ?? 1);
  const normal = () => round(draw() + draw() + draw() + draw() - 2);
  const source = options.source ?? kSource;
  const target = options.target === undefined ? kTarget : options.target;
  const heads = options.heads ?? 4;
  const depth = options.layers ?? 2;
  const dimension = options.dimension ?? 16;
  const attention = options.attention ?? true;
  const layers = [];
  const shape = { heads, dimension, causal: false, diagonal: false };
  for (let l = 0; attention && l < depth; ++l)
    layers.push(makeLayer(`encoder.layer.${l}.self`, "self", ["source", "source"],
      { ...shape, queries: source.length, keys: source.length }, draw));
  for (let l = 0; attention && target && l < depth; ++l) {
    layers.push(makeLayer(`decoder.layer.${l}.self`, "self", ["target", "target"],
      { ...shape, queries: target.length, keys: target.length, causal: true }, draw));
    layers.push(makeLayer(`decoder.layer.${l}.cross`, "cross", ["target", "source"],
      { ...shape, queries: target.length, keys: source.length, diagonal: true }, draw));
  }
  if (!target)
    layers.push(makeLayer("pool", "pooling", ["none", "source"],
      { ...shape, heads: 1, queries: 1, keys: source.length }, draw));
  const cross = layers.filter((l) => l.kind === "cross");
  const last = cross[cross.length - 1];
  const logs = (target ?? []).map(() => round(-1.4 * draw() ** 3));
  return {
    format: 1,
    model: { name: options.name ?? "made up", task: target ? "translate" : "classify", parameters: 6543210 },
    caution: "A weight is not by itself an explanation; this model " +
      (options.faithfulness ? "was tested: its weights explain in part only." : "was not tested."),
    faithfulness: options.faithfulness ?? null,
    source: { text: textOf(source), tokens: source, words: wordsOf(source) },
    target: target && { text: textOf(target), tokens: target, words: wordsOf(target), log_probabilities: logs },
    alternatives: (target ?? []).map((t, i) => {
      const p = Math.exp(logs[i]!);
      const others = ["\u2581la", "\u2581un", "\u2581tôt", "\u2581petit"];
      return [{ token: t, probability: round(p) },
        ...others.map((token, k) => ({ token, probability: round((1 - p) * [0.5, 0.2, 0.1, 0.05][k]!) }))];
    }),
    labels: target ? null : [{ label: "positive", probability: 0.91 }, { label: "negative", probability: 0.09 }],
    alignment: last ? { layer: last.name, weights: last.weights[0]!.map((row, i) =>
      row.map((_, j) => round(last.weights.reduce((s, w) => s + w[i]![j]!, 0) / heads))) } : null,
    layers,
    rollout: attention ? [
      rolloutOf("encoder", "source", layers.filter((l) => l.name.startsWith("encoder"))),
      ...(target ? [rolloutOf("decoder", "target", layers.filter((l) => l.name.startsWith("decoder") && l.kind === "self"))] : []),
    ] : null,
    gates: options.gates ? [{ layer: "pool", probability: source.map(() => round(draw())), open: source.map((_, i) => i % 3 !== 1) }] : [],
    states: {
      encoder: source.map(() => Array.from({ length: 16 }, normal)),
      decoder: (target ?? []).map(() => Array.from({ length: 16 }, normal)),
    },
  };
}

/** faithfulness.json of a model that was tested. */
export const kFaithfulness = {
  data: "test.tsv", layer: "decoder.layer.1.cross", head: -1, sequence: true, tokenwise: false,
  texts: 200, cases: 2412, accuracy: 61.2,
  gradient: { tau: 0.41, deviation: 0.2, significant: 0.52, "same-top": 0.63, cases: 2400 },
  erasure: { tau: 0.37, deviation: 0.22, significant: 0.48, "same-top": 0.58, cases: 2400 },
  input: { tau: 0.31, deviation: 0.2, significant: 0.4, "same-top": 0.5, cases: 2400 },
  integrated: { tau: 0.35, deviation: 0.2, significant: 0.44, "same-top": 0.55, cases: 2400 },
  reference: { tau: 0.66, deviation: 0.2, significant: 0.8, "same-top": 0.8, cases: 2400 },
  "integrated-error": 0.004, threshold: 0.05, permuted: 0.31, "permuted-same": 0.12,
  "adversary-js": 0.34, "adversary-median": 0.33, "adversary-far": 0.21, "adversary-none": 0.1,
  evidence: -1, again: -1, uniform: -1, "seed-js": -1,
  "tokens-uniform": -1, "tokens-learned": -1, "tokens-frozen": -1, "tokens-adversary": -1,
  lambdas: [], "trained-distance": [], "trained-js": [],
};
