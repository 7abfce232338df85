import assert from "node:assert/strict";
import { test } from "node:test";
import { readWords, Writing, type WrittenToken } from "../../src/data/live_words";

// Two sentences, each a part of its own.
const source = {
  text: "Go home.\n\u00c9mile sleeps.",
  tokens: ["\u2581Go", "\u2581home", ".", "</s>", "\u2581", "<0xC3>", "<0x89>", "mile", "\u2581sleeps", ".", "</s>"],
  words: [0, 1, 1, -1, 2, 2, 2, 2, 3, 3, -1],
};

function token(piece: string, text: string, weights: number[] | null, log = -1): WrittenToken {
  return { token: piece, text, weights, logProbability: log, alternatives: [] };
}

const on = (...places: number[]) =>
  source.tokens.map((_, j) => (places.includes(j) ? 1 / places.length : 0));

test("words that were read stand as in the text, in their parts", () => {
  const words = readWords(source);
  assert.deepEqual(words.map((w) => w.text), ["Go", "home.", "</s>", "\u00c9mile", "sleeps.", "</s>"]);
  assert.deepEqual(words.map((w) => w.part), [0, 0, 0, 1, 1, 1]);
  assert.deepEqual(words.map((w) => w.mark), [false, false, true, false, false, true]);
});

test("tokens become words: scores are added, weights averaged over them and added over keys", () => {
  const writing = new Writing(source);
  writing.add(token("\u2581Ren", "Ren", on(0), -0.5));
  const before = writing.words[0];
  writing.add(token("tre", "Rentre", on(0, 1, 2, 3), -0.25));
  assert.notEqual(writing.words[0], before); // another word, so that it is drawn again
  assert.deepEqual(writing.words.map((w) => w.text), ["Rentre"]);
  assert.equal(writing.words[0]!.logProbability, -0.75);
  assert.deepEqual(writing.words[0]!.weights, [0.625, 0.25, 0.125, 0, 0, 0]);
});

test("a part that ended is left, with weights and without", () => {
  for (const attention of [true, false]) {
    const w = (...places: number[]) => (attention ? on(...places) : []);
    const writing = new Writing(source);
    writing.add(token("\u2581Rentre", "Rentre", w(0)));
    writing.add(token(".", "Rentre.", w(2)));
    writing.add(token("</s>", "Rentre.", w(3)));
    writing.add(token("\u2581", "Rentre. ", w(5)));
    writing.add(token("<0xC3>", "Rentre. \ufffd", w(5)));
    writing.add(token("<0x89>", "Rentre. \u00c9", w(6)));
    writing.add(token("mile", "Rentre. \u00c9mile", w(7)));
    writing.add(token("\u2581dort", "Rentre. \u00c9mile dort", w(8)));
    writing.add(token("</s>", "Rentre. \u00c9mile dort", w(10)));
    assert.deepEqual(writing.words.map((x) => x.text), ["Rentre.", "</s>", "\u00c9mile", "dort", "</s>"]);
    assert.deepEqual(writing.words.map((x) => x.part), [0, 0, 1, 1, 1]);
    assert.equal(writing.parts, 2);
    assert.deepEqual(writing.partTexts(0), { source: "Go home.", target: "Rentre." });
    assert.deepEqual(writing.partTexts(1), { source: "\u00c9mile sleeps.", target: "\u00c9mile dort" });
  }
});

test("a beam's words have the server's scores, and tokens of the part that was explained", () => {
  const writing = new Writing(source);
  writing.add(token("\u2581Ren", "Ren", on(0), NaN));
  writing.add(token("tre", "Rentre", on(1), NaN));
  writing.add(token("</s>", "Rentre", on(3), NaN));
  writing.add(token("\u2581Oui", "Rentre Oui", on(5), NaN));
  writing.score([-0.5, -2]);
  assert.deepEqual(writing.words.map((w) => w.logProbability), [-0.5, NaN, -2]);
  const known = (piece: string, log: number) => ({ token: piece, logProbability: log, alternatives: [{ token: "x", probability: 0.5 }] });
  writing.complete(0, [known("\u2581Ren", -0.25), known("tre", -0.25), known("</s>", -0.125)]);
  assert.deepEqual(writing.words.map((w) => w.logProbability), [-0.5, -0.125, -2]);
  assert.equal(writing.words[0]!.tokens[1]!.alternatives.length, 1);
  writing.complete(1, [known("a", -1), known("b", -1)]); // of another length
  assert.equal(writing.words[2]!.logProbability, -2);
});
