import assert from "node:assert/strict";
import { test } from "node:test";
import { Lines } from "../../src/app/live";
import { isolated, isRightToLeft, writtenOrder } from "../../src/draw/text";

const kShalom = "\u05e9\u05dc\u05d5\u05dd";

test("the first letter tells the direction of words", () => {
  assert.equal(isRightToLeft(["2", kShalom, "a"]), true);
  assert.equal(isRightToLeft(["a", kShalom]), false);
  assert.equal(isRightToLeft(["..."]), false);
});

test("words from right to left begin at the right end of each line", () => {
  const lines = new Lines(100, (t: string) => 10 * t.length);
  const spots = [kShalom, kShalom, kShalom].map((t) => lines.add(t));
  assert.deepEqual(spots.map((s) => [s.x, s.y]), [[80, 0], [30, 0], [80, 1]]);
});

test("a word keeps its direction to itself", () => {
  assert.equal(isolated("bird"), "bird");
  assert.equal(isolated(kShalom), `\u2068${kShalom}\u2069`);
});

test("words of the other direction turn around, and only they", () => {
  const lecha = "\u05dc\u05da";
  assert.deepEqual(writtenOrder(["I", "said", kShalom, lecha, "to", "him."], false), [0, 1, 3, 2, 4, 5]);
  assert.deepEqual(writtenOrder([kShalom, "open", "source", lecha], true), [0, 2, 1, 3]);
  assert.deepEqual(writtenOrder(["a", kShalom, "-", lecha, "!"], false), [0, 3, 2, 1, 4]);
  assert.deepEqual(writtenOrder(["one", "two"], false), [0, 1]);
});
