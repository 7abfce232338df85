import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeOf, type Bench } from "../../src/app/laboratory";
import { kSetups, parametersOf } from "../../src/data/lab_examples";
import { defaultParameters, kScores, scoreOf, sparsemax, visibleKeys, weightsOf } from "../../src/data/scores";

function near(actual: number[], expected: number[], error = 1e-6): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((x, i) => assert.ok(Math.abs(x - expected[i]!) <= error, `${actual} but ${expected}`));
}

function bench(id: string, change: Partial<Bench> = {}): Bench {
  const setup = kSetups.find((s) => s.id === id)!;
  return {
    setup, score: setup.score, parameters: parametersOf(setup),
    masks: { keys: setup.keys.map(() => true), window: null, causal: false }, query: 0, ...change,
  };
}

test("A4: a matrix in between", () => {
  const out = outcomeOf(bench("general"));
  near(out.scores[0]!, [2, 1]);
  near(out.weights[0]!, [0.7310586, 0.2689414]);
});

test("A5: additive", () => {
  const out = outcomeOf(bench("additive"));
  near(out.scores[0]!, [0.7615942, 0]);
  near([out.weights[0]![0]!], [0.6816997]);
});

test("A6: concat is additive with the matrix split", () => {
  const p = { ...defaultParameters(3), keyPart: [[0.3, -1], [2, 0.7]], queryPart: [[1.5, 0.2], [-0.4, 1]] };
  for (const q of [[1, 2], [-0.5, 0.3]])
    for (const k of [[0.1, -1], [2, 2]])
      assert.ok(Math.abs(scoreOf("additive", q, k, 0, p) - scoreOf("concat", q, k, 0, p)) < 1e-12);
});

test("A7: cosine, sharpened", () => {
  const at = (beta: number) => {
    const b = bench("cosine");
    b.parameters.sharpening = beta;
    return outcomeOf(b).weights[0]!;
  };
  near(at(0), [1 / 3, 1 / 3, 1 / 3]);
  near(at(1), [0.473041, 0.174022, 0.352937]);
  near(at(10), [0.949217, 0.0000431, 0.0507395]);
  const b = bench("cosine");
  b.parameters.sharpening = 10;
  near(outcomeOf(b).scores[0]!, [10, 0, 10 / Math.SQRT2]); // as the formula says
});

test("A7: cosine does not see lengths, and a zero vector scores 0", () => {
  const p = defaultParameters(1);
  assert.ok(Math.abs(scoreOf("cosine", [3, 4], [1, 2], 0, p) - scoreOf("cosine", [6, 8], [0.5, 1], 0, p)) < 1e-12);
  assert.equal(scoreOf("cosine", [0, 0], [1, 2], 0, p), 0);
});

test("A8: location does not see the keys", () => {
  const p = defaultParameters(4);
  for (let j = 0; j < 4; ++j)
    assert.equal(scoreOf("location", [1, 2], [5, 6], j, p), scoreOf("location", [1, 2], [-7, 0], j, p));
});

test("A10: boxes weigh 36, 30 and 35 pounds", () => {
  const of = (q: number) => {
    const b = structuredClone(bench("boxes"));
    b.setup.queries[0]!.vector = [q, 0];
    return outcomeOf(b);
  };
  near(of(360).weights[0]!, [0.4, 0.6], 1e-12);
  near(of(360).outputs, [36], 1e-12);
  near(of(300).outputs, [30]);
  near(of(350).outputs, [35], 1e-12);
});

test("A10: a narrow Gaussian takes the nearest key, a wide one the mean", () => {
  const of = (width: number) => {
    const b = bench("boxes");
    b.parameters.gaussian = true;
    b.parameters.temperature = width;
    return outcomeOf(b).outputs[0]!;
  };
  near([of(5)], [40], 1e-3);
  near([of(1e6)], [35], 1e-3);
});

test("A11: scaling, and what happens without", () => {
  const scaled = outcomeOf(bench("scaling"));
  near(scaled.scores[0]!, [14, 12]);
  near(scaled.weights[0]!, [0.880797078, 0.119202922], 1e-9);
  const plain = outcomeOf(bench("scaling", { score: "dot" }));
  near(plain.weights[0]!, [0.99999988746, 1.1253e-7], 1e-9);
});

test("A15: sparsemax", () => {
  near(sparsemax([0.1, 1.1, 0.2]), [0, 0.95, 0.05], 1e-12);
  near(sparsemax([5, 1, 1], [false, true, true]), [0, 0.5, 0.5]);
});

test("weights are at least 0, sum to 1, and masked keys get none", () => {
  for (const score of kScores) {
    const b = bench("sentence", { score });
    b.masks.keys[2] = false;
    for (const row of outcomeOf(b).weights) {
      assert.ok(row.every((w) => w >= 0));
      assert.equal(row[2], 0);
      near([row.reduce((a, c) => a + c, 0)], [1], 1e-9);
    }
  }
});

test("a constant added to all scores changes nothing", () => {
  const p = defaultParameters(3);
  const all = [true, true, true];
  near(weightsOf("dot", [1, 2, 3], all, p), weightsOf("dot", [101, 102, 103], all, p), 1e-12);
});

test("window and causal mask", () => {
  const keys = [true, true, true, true, true];
  assert.deepEqual(visibleKeys(2, { keys, window: 1, causal: false }), [false, true, true, true, false]);
  assert.deepEqual(visibleKeys(2, { keys, window: null, causal: true }), [true, true, true, false, false]);
  assert.deepEqual(visibleKeys(9, { keys, window: 1, causal: false }), [false, false, false, true, true]);
  assert.deepEqual(visibleKeys(1, { keys: [true, false, true], window: null, causal: false }), [true, false, true]);
});
