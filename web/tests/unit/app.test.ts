import assert from "node:assert/strict";
import { test } from "node:test";
import { writtenOf } from "../../src/app/api";
import { examplesOf } from "../../src/app/examples";
import { Lines } from "../../src/app/live";
import { Pace, pauseOf } from "../../src/app/pace";
import { EventReader } from "../../src/app/sse";

const stream = 'event: start\ndata: {"a":1}\n\n: keep alive\n\nevent: token\r\ndata: x\r\ndata: y\r\n\r\ndata: z\n\n';
const expected = [
  { event: "start", data: '{"a":1}' },
  { event: "token", data: "x\ny" },
  { event: "message", data: "z" },
];

test("events come out whole, however the text was cut", () => {
  assert.deepEqual(new EventReader().feed(stream), expected);
  for (const size of [1, 2, 3, 7]) {
    const reader = new EventReader();
    const events = [];
    for (let at = 0; at < stream.length; at += size)
      events.push(...reader.feed(stream.slice(at, at + size)));
    assert.deepEqual(events, expected, `pieces of ${size}`);
  }
});

test("an event that is not finished is not given", () => {
  assert.deepEqual(new EventReader().feed("event: token\ndata: x\n"), []);
});

test("the translation is found in each form of answer", () => {
  assert.equal(writtenOf({ translations: [{ translation: "a" }] }).text, "a");
  assert.equal(writtenOf({ translations: ["b"] }).text, "b");
  assert.equal(writtenOf({ text: "c" }).text, "c");
  assert.equal(writtenOf(null).text, "");
  assert.equal(writtenOf({ translations: [{ translation: "a", cut_off: true }] }).cutOff, true);
  assert.equal(writtenOf({ translations: [{ translation: "a" }] }).cutOff, false);
});

test("an answer's alignment has its tokens, by characters and not by halves of them", () => {
  const written = writtenOf({ translations: [{ translation: "\u{1f431} dort", log_probability: -2,
    word_scores: { words: [-0.5, -1], end: -0.5 },
    alignment: { target: [{ token: "\u2581\u{1f431}", end: 1 }, { token: "\u2581dort", end: 6 }, { token: "</s>", end: 6 }],
      weights: [[1, 0], [0, 1], [0, 1]] } }] });
  assert.deepEqual(written.tokens.map((t) => t.text), ["\u{1f431}", "\u{1f431} dort", "\u{1f431} dort"]);
  assert.deepEqual(written.tokens[1]!.weights, [0, 1]);
  assert.deepEqual([written.logProbability, written.wordScores], [-2, [-0.5, -1]]);
});

test("words that do not fit go to the next line", () => {
  const lines = new Lines(50, (t: string) => 10 * t.length);
  const spots = ["aa", "bb", "cccccccc", "d"].map((t) => lines.add(t));
  assert.deepEqual(spots.map((s) => s.y), [0, 0, 1, 2]);
  assert.deepEqual(spots.map((s) => s.x), [10, 40, 40, 5]);
  assert.equal(lines.count, 3);
});

function queueOf(count: number) {
  const gone: number[] = [];
  const queue = {
    waiting: () => count,
    release: (n: number) => {
      count -= n;
      if (n > 0) gone.push(n);
    },
  };
  return { queue, gone };
}

test("words go one by one, about ten a second, faster when many wait", async () => {
  assert.equal(pauseOf(1), 100);
  assert.ok(pauseOf(400) <= 10);
  const { queue, gone } = queueOf(4);
  const pace = new Pace(queue, false);
  const begun = performance.now();
  pace.wake();
  pace.end();
  await pace.drained;
  assert.ok(performance.now() - begun >= 290, `${performance.now() - begun} ms`);
  assert.equal(gone.reduce((a, b) => a + b), 4);
});

test("who is in a hurry gets all words at once, and who stops none", async () => {
  const { queue, gone } = queueOf(50);
  const pace = new Pace(queue, false);
  pace.end();
  pace.hurry();
  await pace.drained;
  assert.deepEqual(gone, [50]);
  const other = queueOf(50);
  const stopped = new Pace(other.queue, false);
  stopped.wake();
  stopped.end();
  stopped.stop();
  stopped.hurry();
  await stopped.drained;
  assert.deepEqual(other.gone, []);
});

test("examples are in the model's language", () => {
  assert.ok(examplesOf("en").length >= 3 && examplesOf(null).length >= 3);
  assert.match(examplesOf("de")[0]!, /Katze/);
  assert.deepEqual(examplesOf("xx"), []);
});
