// What labels the rows or columns of a map: tokens, or words that tokens were
// merged into, with or without marks such as the end of the sentence.
import type { Doc, Matrix, Side } from "./document";
import { joinTokens, tokenTexts, wordsOf } from "./token_text";

export type Special = "show" | "hide" | "renormalise";

export interface Units {
  merge: boolean; // tokens to words
  special: Special;
}

export interface Axis {
  labels: string[];
  groups: number[][]; // tokens of each label
}

interface Labelled {
  text: string;
  tokens: string[];
  words: number[];
}

/** Tokens that continue a word are marked, or "un" "able" look like words. */
function tokenLabels({ tokens, words }: Labelled): string[] {
  return tokenTexts(tokens).map((text, i) => {
    const continues = i > 0 && words[i] !== -1 && words[i] === words[i - 1];
    return (continues ? "\u00b7" : "") + text;
  });
}

/** Words as they stand in the text; tokens know less of them. */
function wordLabels({ text, tokens, words }: Labelled, groups: number[][]) {
  const written = wordsOf(text);
  const known = Math.max(-1, ...words) < written.length;
  return groups.map((group) => {
    const word = known ? written[words[group[0]!]!] : undefined;
    return word ?? joinTokens(group.map((i) => tokens[i]!));
  });
}

export function axisOf(of: Labelled, units: Units): Axis {
  const { words } = of;
  const groups: number[][] = [];
  of.tokens.forEach((_, i) => {
    const special = words[i] === -1;
    if (special && units.special !== "show") return;
    const joins =
      units.merge && !special && i > 0 && words[i] === words[i - 1];
    if (joins && groups.length > 0) groups[groups.length - 1]!.push(i);
    else groups.push([i]);
  });
  if (units.merge) return { labels: wordLabels(of, groups), groups };
  const all = tokenLabels(of);
  return { labels: groups.map(([i]) => all[i!]!), groups };
}

/** The axis of one side of a document. Pooling has one nameless query. */
export function sideAxis(doc: Doc, side: Side, units: Units): Axis {
  if (side === "none") return { labels: ["text"], groups: [[0]] };
  if (side === "source") return axisOf(doc.source, units);
  if (!doc.target) return { labels: [], groups: [] };
  if (side === "target") return axisOf(doc.target, units);
  // What is read is what was written, one step later.
  const { text, words, read } = doc.target;
  return axisOf({ text, tokens: read, words: [-1, ...words.slice(0, -1)] }, units);
}

/** The sentence of each label of an axis. */
export function axisSentences(doc: Doc, side: Side, axis: Axis): number[] {
  const written = doc.target?.sentences ?? [];
  const all =
    side === "source"
      ? doc.source.sentences
      : side === "target"
        ? written
        : side === "read"
          ? [0, ...written.slice(0, -1)]
          : [0];
  return axis.groups.map((group) => all[group[0] ?? 0] ?? 0);
}

/** Weights from one sentence to another; null stands for all sentences. */
export interface SentencePair {
  from: number | null;
  to: number | null;
}

/** The others become not a number: they are not drawn. */
export function withinSentences(
  weights: Matrix,
  pair: SentencePair,
  rows: number[],
  columns: number[],
): Matrix {
  return weights.map((row, i) =>
    row.map((x, j) =>
      (pair.from === null || rows[i] === pair.from) &&
      (pair.to === null || columns[j] === pair.to)
        ? x
        : NaN,
    ),
  );
}

/**
 * Weights of merged units: the sum over the pieces of a key, the mean over the
 * pieces of a query (SPEC E2). Not a number: not visible to any piece.
 */
export function mergeWeights(
  weights: Matrix,
  rows: Axis,
  columns: Axis,
  options: { renormalise?: boolean; visible?: boolean[][] | null } = {},
): Matrix {
  return rows.groups.map((queries) => {
    const row = columns.groups.map((keys) => {
      let sum = 0;
      let seen = false;
      for (const q of queries)
        for (const k of keys) {
          if (options.visible && !options.visible[q]?.[k]) continue;
          seen = true;
          sum += weights[q]?.[k] ?? 0;
        }
      return seen ? sum / queries.length : NaN;
    });
    return options.renormalise ? renormalised(row) : row;
  });
}

function renormalised(row: number[]): number[] {
  const sum = rowSum(row);
  return sum > 0 ? row.map((x) => x / sum) : row;
}

/** Without the places that are not visible. */
export function rowSum(row: number[]): number {
  return row.reduce((sum, x) => (Number.isNaN(x) ? sum : sum + x), 0);
}

/** The mean over the heads named, or over all. */
export function meanOfHeads(heads: Matrix[], chosen?: number[]): Matrix {
  const picked = (chosen ?? heads.map((_, h) => h))
    .map((h) => heads[h])
    .filter((h): h is Matrix => h !== undefined);
  const first = picked[0];
  if (!first) return [];
  return first.map((row, i) =>
    row.map((_, j) => {
      let sum = 0;
      for (const head of picked) sum += head[i]?.[j] ?? 0;
      return sum / picked.length;
    }),
  );
}

/** Says what was done to special tokens; maps must not leave that open. */
export function specialNote(units: Units): string {
  if (units.special === "hide")
    return "Special tokens are hidden; rows are not renormalised.";
  if (units.special === "renormalise")
    return "Special tokens are hidden; rows are renormalised to sum to 1.";
  return "Special tokens are shown.";
}
