import assert from "node:assert/strict";
import { test } from "node:test";
import { alignmentShown, cautionOf, readDocument, readDocuments } from "../../src/data/document";
import { makeDocument } from "../support/fixture";

test("a whole document keeps its pieces", () => {
  const doc = readDocument(makeDocument({ gates: true }));
  assert.equal(doc.layers.length, 6);
  assert.equal(doc.layers[0]!.weights.length, 4);
  assert.ok(doc.alignment);
  assert.equal(doc.rollout.length, 2);
  assert.equal(doc.gates.length, 1);
  assert.ok(doc.layers[0]!.vectors);
});

test("missing and null pieces are empty, never an error", () => {
  for (const value of [{}, null, 3, "x", [], { source: null, layers: [null], alternatives: null }]) {
    const doc = readDocument(value);
    assert.deepEqual(doc.source.tokens, []);
    assert.equal(doc.target, null);
    assert.deepEqual(doc.layers, []);
    assert.match(doc.caution, /not by itself an explanation/);
  }
});

test("weights whose shape does not fit the tokens are left out", () => {
  const raw = makeDocument();
  raw.layers[0]!.weights[0]!.pop();
  raw.alignment!.weights[0]!.pop();
  const doc = readDocument(raw);
  assert.equal(doc.layers.length, 5);
  assert.equal(doc.alignment, null);
});

test("an array is several documents", () => {
  assert.equal(readDocuments([makeDocument(), makeDocument()]).length, 2);
  assert.equal(readDocuments(makeDocument()).length, 1);
});

test("a map says that its weights were tested only if just these were", () => {
  const layer = "decoder.layer.1.cross";
  const doc = readDocument({ ...makeDocument(), caution: "not these",
    tested: { layer, head: -1, caution: "in part" } });
  assert.equal(cautionOf(doc, alignmentShown(doc)), "in part");
  assert.equal(cautionOf(doc, { layer, head: 2, heads: 4 }), "not these");
  assert.equal(cautionOf(doc, { layer, head: 0, heads: 1 }), "in part"); // its own mean
  assert.equal(cautionOf(doc, { layer: "encoder.layer.0.self", head: -1, heads: 4 }), "not these");
  assert.equal(cautionOf(doc), "not these");
  const untested = readDocument({ ...makeDocument(), caution: "none" });
  assert.equal(cautionOf(untested, alignmentShown(untested)), "none");
  assert.equal(cautionOf(untested), "none");
});
