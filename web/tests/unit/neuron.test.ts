import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocument } from "../../src/data/document";
import { neuronOf, softmax } from "../../src/data/neuron";
import { makeDocument } from "../support/fixture";

test("softmax gives the numbers of SPEC Z4", () => {
  const expected = [0.09003057, 0.24472847, 0.66524096];
  softmax([1, 2, 3]).forEach((w, i) => assert.ok(Math.abs(w - expected[i]!) < 1e-8));
});

test("softmax skips what is masked, and an empty row is all zeros", () => {
  assert.deepEqual(softmax([1, 99], [true, false]), [1, 0]);
  assert.deepEqual(softmax([1, 2], [false, false]), [0, 0]);
  assert.deepEqual(softmax([1000, 1000]), [0.5, 0.5]);
});

test("products times the scale reproduce scores and weights", () => {
  const doc = readDocument(makeDocument());
  for (const layer of doc.layers)
    for (let h = 0; h < layer.weights.length; ++h) {
      const neuron = neuronOf(layer, h, 2)!;
      assert.ok(neuron.difference < 1e-5);
      for (const row of neuron.rows) {
        const sum = row.products.reduce((a, b) => a + b, 0);
        assert.ok(Math.abs(sum * neuron.scale - row.score) < 1e-5);
      }
    }
});
