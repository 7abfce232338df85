// E4: two sentences that differ in one word. What does the attention of that
// word do, or that of another which both have?
import { mergeWeights, sideAxis } from "./axis";
import type { Doc, Matrix } from "./document";

const kWords = { merge: true, special: "show" } as const;

export interface MinimalPair {
  words: string[]; // of the first, marks too
  word: number; // where they differ
  from: number; // the word that the document asks for, or else the same
  first: string;
  second: string;
}

/** Null unless the sources differ in exactly one word. */
export function minimalPair(a: Doc, b: Doc): MinimalPair | null {
  const axis = sideAxis(a, "source", kWords);
  const x = axis.labels;
  const y = sideAxis(b, "source", kWords).labels;
  if (x.length !== y.length) return null;
  const different = x.map((_, i) => i).filter((i) => x[i] !== y[i]);
  const word = different[0];
  if (different.length !== 1 || word === undefined) return null;
  const asked = axis.groups.findIndex(
    ([token]) => a.fromWord !== null && a.source.words[token!] === a.fromWord,
  );
  const from = asked < 0 ? word : asked;
  return { words: x, word, from, first: x[word]!, second: y[word]! };
}

export interface PairMap {
  rows: string[]; // layer and head
  layers: string[]; // of each row, its real name
  columns: string[];
  first: Matrix;
  second: Matrix;
  difference: Matrix; // first less second
}

/** The weights from a word to every word, head by head. */
export function pairMap(
  a: Doc,
  b: Doc,
  pair: MinimalPair,
  from: number,
  label: (name: string) => string,
): PairMap {
  const axes = [a, b].map((d) => sideAxis(d, "source", kWords));
  const map: PairMap = {
    rows: [],
    layers: [],
    columns: axes[0]!.labels.map((l, i) =>
      i === pair.word ? `${pair.first}/${pair.second}` : l,
    ),
    first: [],
    second: [],
    difference: [],
  };
  a.layers.forEach((layer) => {
    const twin = b.layers.find((l) => l.name === layer.name);
    if (!twin || layer.queries !== "source" || layer.keys !== "source") return;
    layer.weights.forEach((weights, h) => {
      const other = twin.weights[h];
      if (!other) return;
      const x = mergeWeights(weights, axes[0]!, axes[0]!)[from]!;
      const y = mergeWeights(other, axes[1]!, axes[1]!)[from]!;
      map.rows.push(`${label(layer.name)}, head ${h}`);
      map.layers.push(layer.name);
      map.first.push(x);
      map.second.push(y);
      map.difference.push(x.map((w, j) => w - y[j]!));
    });
  });
  return map;
}
