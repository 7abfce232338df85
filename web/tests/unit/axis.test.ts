import assert from "node:assert/strict";
import { test } from "node:test";
import { axisSentences, meanOfHeads, mergeWeights, rowSum, sideAxis, specialNote, withinSentences } from "../../src/data/axis";
import { readDocument } from "../../src/data/document";
import { joinTokens, tokenText, tokenTexts } from "../../src/data/token_text";

const doc = readDocument({
  source: { text: "unable to", tokens: ["\u2581un", "able", "\u2581to", "</s>"], words: [0, 0, 1, -1] },
  target: { text: "x", tokens: ["\u2581x", "</s>"], words: [0, -1] },
});

test("tokens that continue a word are marked, and words are merged", () => {
  assert.deepEqual(sideAxis(doc, "source", { merge: false, special: "show" }).labels,
    ["un", "\u00b7able", "to", "</s>"]);
  const axis = sideAxis(doc, "source", { merge: true, special: "hide" });
  assert.deepEqual(axis.labels, ["unable", "to"]);
  assert.deepEqual(axis.groups, [[0, 1], [2]]);
});

test("words are as they stand in the text, whatever their tokens", () => {
  const strange = readDocument({
    source: { text: "\u00c9tactes <script>", words: [0, 0, 0, 0, 1, 1, 1, -1],
      tokens: ["\u2581", "<0xC3>", "<0x89>", "tactes", "\u2581", "<0x3C>", "script>", "</s>"] },
  });
  assert.deepEqual(sideAxis(strange, "source", { merge: true, special: "show" }).labels,
    ["\u00c9tactes", "<script>", "</s>"]);
  assert.deepEqual(sideAxis(strange, "source", { merge: false, special: "hide" }).labels,
    ["\u2423", "\u00b7\u00c9 1/2", "\u00b7\u00c9 2/2", "\u00b7tactes", "\u2423", "\u00b7<", "\u00b7script>"]);
  // Without a text that has so many words, tokens are joined.
  const unknown = readDocument({ source: { ...strange.source, text: "" } });
  assert.deepEqual(sideAxis(unknown, "source", { merge: true, special: "hide" }).labels,
    ["\u00c9tactes", "<script>"]);
});

test("bytes that make no character stay as they are", () => {
  assert.deepEqual(tokenTexts(["<0xC3>", "a", "<0x0A>", "<0x41>", "<0xE2>", "<0x82>", "<0xAC>"]),
    ["<0xC3>", "a", "<0x0A>", "A", "\u20ac 1/3", "\u20ac 2/3", "\u20ac 3/3"]);
  assert.equal(tokenText("<0x3C>"), "<");
  assert.equal(joinTokens(["\u2581", "<0xE2>", "<0x82>", "<0xAC>", "s"]), "\u20acs");
});

test("weights can be those from one sentence to another", () => {
  const two = readDocument({
    source: { text: "a. b.", tokens: ["\u2581a", ".", "\u2581b", ".", "</s>"],
      words: [0, 0, 1, 1, -1], sentences: [0, 0, 1, 1, 1] },
    target: { text: "x", tokens: ["\u2581x", "</s>"], words: [0, -1], sentences: [0, 0] },
  });
  const units = { merge: true, special: "show" } as const;
  const columns = axisSentences(two, "source", sideAxis(two, "source", units));
  assert.deepEqual(columns, [0, 1, 1]);
  const rows = axisSentences(two, "read", sideAxis(two, "read", units));
  assert.deepEqual(rows, [0, 0]);
  const weights = [[1, 2, 3], [4, 5, 6]];
  assert.deepEqual(withinSentences(weights, { from: 0, to: 1 }, rows, columns), [[NaN, 2, 3], [NaN, 5, 6]]);
  assert.deepEqual(withinSentences(weights, { from: null, to: null }, rows, columns), weights);
});

test("keys of a word are added, its queries are averaged", () => {
  const rows = { labels: ["a"], groups: [[0, 1]] };
  const columns = { labels: ["x", "y"], groups: [[0, 1], [2]] };
  const merged = mergeWeights([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]], rows, columns);
  assert.ok(Math.abs(merged[0]![0]! - 0.6) < 1e-12);
  assert.ok(Math.abs(merged[0]![1]! - 0.4) < 1e-12);
});

test("hidden tokens leave sums below 1 unless rows are renormalised", () => {
  const rows = { labels: ["a"], groups: [[0]] };
  const columns = { labels: ["x"], groups: [[0]] };
  const weights = [[0.25, 0.75]];
  assert.equal(rowSum(mergeWeights(weights, rows, columns)[0]!), 0.25);
  assert.equal(rowSum(mergeWeights(weights, rows, columns, { renormalise: true })[0]!), 1);
  assert.match(specialNote({ merge: true, special: "renormalise" }), /renormalised to sum/);
  assert.match(specialNote({ merge: true, special: "hide" }), /not renormalised/);
});

test("places that are not visible are not numbers", () => {
  const axis = { labels: ["a", "b"], groups: [[0], [1]] };
  const merged = mergeWeights([[1, 0], [0.5, 0.5]], axis, axis,
    { visible: [[true, false], [true, true]] });
  assert.ok(Number.isNaN(merged[0]![1]!));
  assert.equal(merged[1]![1], 0.5);
});

test("the mean of heads is taken over those named", () => {
  const heads = [[[1, 0]], [[0, 1]], [[0.5, 0.5]]];
  assert.deepEqual(meanOfHeads(heads), [[0.5, 0.5]]);
  assert.deepEqual(meanOfHeads(heads, [1]), [[0, 1]]);
});
