// Setups of the laboratory: a sentence, and the worked examples of SPEC A.
import { defaultParameters, type Parameters, type Score } from "./scores";
import { embeddingOf } from "./toy";

export interface Item {
  label: string;
  vector: [number, number];
  value: number; // what a key gives
}

export interface Setup {
  id: string;
  title: string;
  about: string;
  score: Score;
  keys: Item[];
  queries: Item[];
  parameters: Partial<Parameters>;
}

function items(words: string): Item[] {
  return words
    .split(" ")
    .map((label, i) => ({ label, vector: embeddingOf(label), value: i + 1 }));
}

function item(label: string, x: number, y: number, value = 0): Item {
  return { label, vector: [x, y], value };
}

export const kSetups: Setup[] = [
  {
    id: "sentence",
    title: "A sentence",
    about: "Each word looks at each; the places of the words are made up.",
    score: "scaled_dot",
    keys: items("the early bird catches the worm"),
    queries: items("the early bird catches the worm"),
    parameters: {},
  },
  {
    id: "scaling",
    title: "Why scores are scaled",
    about:
      "Scores 112 and 96, d_k = 64: divided by 8 they are 14 and 12, and the " +
      "weights 0.88 and 0.12. With dot instead, all goes to the first. (A slide " +
      "prints the second score as q2 \u00b7 k2; it is q1 \u00b7 k2.)",
    score: "scaled_dot",
    keys: [item("k1", 112, 0, 1), item("k2", 96, 0, 2)],
    queries: [item("q1", 1, 0)],
    parameters: { keySize: 64 },
  },
  {
    id: "general",
    title: "A matrix in between",
    about: "W = diag(2, 1) makes the first direction count twice: 0.73, 0.27.",
    score: "general",
    keys: [item("h1", 1, 0, 1), item("h2", 0, 1, 2)],
    queries: [item("s", 1, 1)],
    parameters: {},
  },
  {
    id: "additive",
    title: "Additive",
    about: "v \u00b7 tanh(W1 h + W2 s) with v = (1, \u22121): scores 0.76 and 0, weight 0.68.",
    score: "additive",
    keys: [item("h1", 0.5, 0, 1), item("h2", -0.5, 0, 2)],
    queries: [item("s", 0.5, 0)],
    parameters: {},
  },
  {
    id: "cosine",
    title: "Cosine and sharpening",
    about:
      "Content addressing: with sharpening 0 all keys are alike, with 10 nearly " +
      "all weight is on the key of the same direction (0.949). It is often " +
      "cited without this factor.",
    score: "cosine",
    keys: [item("(1, 0)", 1, 0, 1), item("(0, 1)", 0, 1, 2), item("(1, 1)", 1, 1, 3)],
    queries: [item("q", 1, 0)],
    parameters: {},
  },
  {
    id: "boxes",
    title: "Boxes: an approximate match",
    about:
      "Boxes of 300 and 400 weigh 30 and 40 pounds; one of 360? Inverse " +
      "distances, divided by their sum (no softmax): 2/5 and 3/5, so 36.",
    score: "kernel",
    keys: [item("300", 300, 0, 30), item("400", 400, 0, 40)],
    queries: [item("360", 360, 0)],
    parameters: {},
  },
];

export function parametersOf(setup: Setup): Parameters {
  return { ...defaultParameters(setup.keys.length), ...setup.parameters };
}

// SPEC A16: n keys, m queries, query size a, key size b, hidden size c.
export const kFacts: Record<Score, { formula: string; facts: string }> = {
  dot: { formula: "s \u00b7 h", facts: "no parameters; 2mna FLOPs; a = b; unbounded" },
  scaled_dot: {
    formula: "s \u00b7 h / \u221ad",
    facts: "no parameters; 2mna FLOPs; a = b; unbounded",
  },
  general: {
    formula: "s \u00b7 W h",
    facts: "ab parameters; 2mna FLOPs after 2nab per source; sizes may differ",
  },
  additive: {
    formula: "v \u00b7 tanh(W1 h + W2 s)",
    facts:
      "c(a + b + 1) parameters; about 3mnc FLOPs after 2nbc per source; " +
      "within \u00b1 the sum of |v|",
  },
  concat: {
    formula: "v \u00b7 tanh(W [s ; h])",
    facts: "c(a + b) + c parameters; the same as additive when W is split",
  },
  cosine: {
    formula: "\u03b2 s \u00b7 h / (|s| |h|)",
    facts: "no parameters, or a + 1 for \u03b2; 2mna FLOPs; within \u00b1 \u03b2",
  },
  location: {
    formula: "row j of W s",
    facts: "aL parameters; 2maL FLOPs; does not depend on the keys",
  },
  kernel: {
    formula: "1 / |s \u2212 h|\u1d56, or exp(\u2212|s \u2212 h|\u00b2 / 2w\u00b2)",
    facts: "at most one parameter; about 3mna FLOPs; divided by the sum, no softmax",
  },
};
