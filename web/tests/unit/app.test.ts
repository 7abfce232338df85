import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "../../src/app/api";
import { placeTokens } from "../../src/app/live";
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
  assert.equal(textOf({ translations: [{ translation: "a" }] }), "a");
  assert.equal(textOf({ translations: ["b"] }), "b");
  assert.equal(textOf({ text: "c" }), "c");
  assert.equal(textOf(null), "");
});

test("words that do not fit go to the next line whole", () => {
  const measure = (t: string) => 10 * t.length;
  const { spots, lines } = placeTokens(["aa", "bb", "cc"], [0, 1, 1], 50, measure);
  assert.equal(lines, 2);
  assert.deepEqual(spots.map((s) => s.y), [0, 1, 1]);
  assert.equal(spots[2]!.x - spots[1]!.x, 20); // pieces of a word touch
});
