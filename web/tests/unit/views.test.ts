import assert from "node:assert/strict";
import { test } from "node:test";
import { contextOf, framesOf, scoresOf } from "../../src/data/animation";
import { sideAxis } from "../../src/data/axis";
import { afterNext, composites, meanRows, nextLayer, pairScores, scoresOfLayer } from "../../src/data/composition";
import { readDocument } from "../../src/data/document";
import { plainWords, readFaithfulness, verdict } from "../../src/data/faithfulness";
import { coverage, divergence, headDistances } from "../../src/data/heads";
import { minimalPair, pairMap } from "../../src/data/pair";
import { compose, makeToy } from "../../src/data/toy";
import { sharpness } from "../../src/views/foveated";
import { sortRows } from "../../src/views/statistics";
import { kFaithfulness, makeDocument } from "../support/fixture";

test("JS divergence has the numbers of SPEC E8", () => {
  assert.ok(Math.abs(divergence([1, 0], [0, 1]) - 0.693147) < 1e-6);
  assert.ok(Math.abs(divergence([0.9, 0.1], [0.5, 0.5]) - 0.1017492) < 1e-6);
  const d = headDistances([[[1, 0]], [[0, 1]]]);
  assert.equal(d[0]![0], 0);
  assert.equal(d[0]![1], d[1]![0]);
});

test("coverage adds up what each key gets", () => {
  const sums = coverage([[0.9, 0.1], [0.4, 0.6]]);
  assert.ok(Math.abs(sums[0]! - 1.3) < 1e-12 && Math.abs(sums[1]! - 0.7) < 1e-12);
});

const pronoun = (word: string, seed: number) =>
  readDocument(makeDocument({ source: ["\u2581The", "\u2581nurse", "\u2581said", `\u2581${word}`, "\u2581slept", "</s>"], target: null, seed }));

test("two sentences that differ in one word are a minimal pair", () => {
  const [a, b] = [pronoun("she", 1), pronoun("he", 2)];
  const words = ["The", "nurse", "said", "she", "slept", "</s>"];
  assert.deepEqual(minimalPair(a, b), { words, word: 3, from: 3, first: "she", second: "he" });
  assert.equal(minimalPair(a, a), null);
  assert.equal(minimalPair(a, readDocument(makeDocument())), null);
});

test("a pair compares the weights of the word that the document names", () => {
  const [a, b] = [{ ...pronoun("she", 1), fromWord: 1 }, { ...pronoun("he", 2), fromWord: 1 }];
  assert.equal(minimalPair(a, b)!.from, 1);
  assert.equal(readDocument({ ...makeDocument(), from_word: 2 }).fromWord, 2);
  assert.equal(readDocument({ ...makeDocument(), from_word: null }).fromWord, null);
  const map = pairMap(a, b, minimalPair(a, b)!, 1, (name) => name);
  assert.equal(map.first[2]![4], a.layers[0]!.weights[2]![1]![4]);
});

test("the difference of a pair is the first's row less the second's, as the command has it", () => {
  const [a, b] = [pronoun("she", 1), pronoun("he", 2)];
  const map = pairMap(a, b, minimalPair(a, b)!, 3, (name) => name);
  assert.equal(map.rows.length, 8); // two layers of four heads
  const expected = a.layers[0]!.weights[1]![3]![1]! - b.layers[0]!.weights[1]![3]![1]!;
  assert.ok(Math.abs(map.difference[1]![1]! - expected) < 1e-12);
  assert.equal(map.columns[3], "she/he");
});

test("the frames read first, then score, weigh, gather and write", () => {
  const doc = readDocument(makeDocument());
  const frames = framesOf(doc);
  assert.equal(frames.length, 9 + 4 * 10);
  assert.deepEqual(frames.slice(9, 13).map((f) => f.phase), ["score", "weigh", "context", "write"]);
  assert.equal(frames[8]!.read, 9);
});

test("without attention the context is the last state", () => {
  const doc = readDocument(makeDocument({ attention: false }));
  assert.deepEqual(contextOf(doc, 3), doc.states.encoder[8]);
  assert.ok(framesOf(doc).every((f) => f.phase !== "score"));
});

test("with attention the context is the weighted mean", () => {
  const doc = readDocument(makeDocument());
  const expected = doc.alignment!.weights[2]!.reduce((s, w, j) => s + w * doc.states.encoder[j]![5]!, 0);
  assert.ok(Math.abs(contextOf(doc, 2)[5]! - expected) < 1e-12);
  assert.equal(scoresOf(doc, 2).exact, false); // four heads: only their mean is known
});

test("one word with identity projections stays itself", () => {
  const toy = makeToy("bird");
  assert.deepEqual(compose(toy).z, toy.embeddings);
});

test("the toy's weights sum to 1, and the word itself can be left out", () => {
  const toy = makeToy("The early bird catches the worm.");
  toy.excludeSelf = true;
  compose(toy).weights.forEach((row, i) => {
    assert.equal(row[i], 0);
    assert.ok(Math.abs(row.reduce((a, b) => a + b, 0) - 1) < 1e-12);
  });
});

test("composites are weighted means of the values", () => {
  assert.deepEqual(composites([[0.5, 0.5], [1, 0]], [[2, 4], [6, 0]]), [[4, 2], [2, 4]]);
});

test("the score of words is that of their mean vectors", () => {
  const doc = readDocument(makeDocument());
  const layer = doc.layers[0]!;
  const words = sideAxis(doc, "source", { merge: true, special: "show" });
  const scores = scoresOfLayer(layer, 1, words, words);
  const [q, k] = [layer.vectors!.query[1]!, layer.vectors!.key[1]!].map((m) => meanRows(m, words));
  const dot = q![3]!.reduce((s, x, d) => s + x * k![5]![d]!, 0); // catches, worm.
  assert.equal(scores.length, 7);
  assert.ok(Math.abs(scores[3]![5]! - layer.vectors!.scale * dot) < 1e-9);
  const pairs = pairScores(scores);
  assert.ok(Math.abs(pairs[3]![5]! - (scores[3]![5]! + scores[5]![3]!) / 2) < 1e-12);
  assert.ok(Number.isNaN(pairs[5]![3]!) && Number.isNaN(pairs[3]![3]!));
});

test("after the next layer comes rollout of two layers, as in SPEC E7", () => {
  const doc = readDocument(makeDocument());
  const [first, second] = doc.layers;
  assert.equal(nextLayer(doc, first!), second);
  assert.equal(nextLayer(doc, second!), undefined);
  const layer = (weights: number[][]) => ({ ...first!, weights: [weights] });
  const rolled = afterNext(layer([[0.9, 0.1], [0.4, 0.6]]), layer([[0.5, 0.5], [0.2, 0.8]]));
  [[0.7625, 0.2375], [0.275, 0.725]].forEach((row, i) =>
    row.forEach((x, j) => assert.ok(Math.abs(rolled[i]![j]! - x) < 1e-12)));
});

test("the word with the largest weight is sharp", () => {
  assert.deepEqual(sharpness([0.1, 0.4, NaN]), [0.25, 1, 0]);
});

test("what has no number sorts last, up and down", () => {
  const rows = [{ x: 2 }, { x: null }, { x: 1 }];
  assert.deepEqual(sortRows(rows, (r) => r.x, false).map((r) => r.x), [1, 2, null]);
  assert.deepEqual(sortRows(rows, (r) => r.x, true).map((r) => r.x), [2, 1, null]);
});

test("faithfulness is read from the summary and from the report", () => {
  const f = readFaithfulness(kFaithfulness)!;
  assert.equal(f.agreements.length, 5);
  assert.equal(f.evidence, null);
  assert.equal(verdict(f), "in part");
  assert.match(plainWords(f).join(" "), /tau 0\.41/);
  const report = readFaithfulness({ summary: kFaithfulness, findings: ["As found."], allowed: ["This."] })!;
  assert.deepEqual(plainWords(report), ["As found."]);
  assert.equal(readFaithfulness(null), null);
  assert.equal(readFaithfulness({}), null);
});

test("the verdict follows the limits of docs/faithfulness.md", () => {
  const change = (patch: object) => verdict(readFaithfulness({ ...kFaithfulness, ...patch })!);
  const good = { tau: 0.6, significant: 1, "same-top": 0.9 };
  const bad = { tau: 0.1, significant: 0, "same-top": 0.2 };
  assert.equal(change({ gradient: good, erasure: good }), "explains");
  assert.equal(change({ gradient: good, erasure: good, "adversary-far": 0.6 }), "in part");
  assert.equal(change({ gradient: good, erasure: bad }), "does not explain");
});

test("a limit is said without the digits that a float has by chance", () => {
  const f = readFaithfulness({ ...kFaithfulness, threshold: 0.05000000074505806 })!;
  assert.match(plainWords(f).join(" "), /outputs nearer than 0\.05 count/);
});

test("the verdict and the claims are those that the test gave", () => {
  const given = { verdict: "not", findings: ["found"], allowed: ["may"], "not-allowed": ["may not"] };
  const f = readFaithfulness({ ...kFaithfulness, ...given })!;
  assert.equal(verdict(f), "does not explain");
  assert.deepEqual([plainWords(f), f.allowed, f.notAllowed], [["found"], ["may"], ["may not"]]);
});
