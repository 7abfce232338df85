import assert from "node:assert/strict";
import { test } from "node:test";
import { kSetups } from "../../src/data/lab_examples";
import { itemsText, maskText, readItems, readMask } from "../../src/data/lab_link";
import { State } from "../../src/ui/state";

test("a link carries the state", () => {
  const state = new State("#view=head&text=caf%C3%A9+%26+th%C3%A9");
  assert.equal(state.text("view"), "head");
  assert.equal(state.text("text"), "caf\u00e9 & th\u00e9");
  state.set("heads", "0-2");
  state.set("words", true);
  const again = new State(state.fragment());
  assert.equal(again.text("heads"), "0-2");
  assert.equal(again.flag("words"), true);
  assert.equal(again.text("text"), "caf\u00e9 & th\u00e9");
});

test("numbers that make no sense fall back", () => {
  const state = new State("#layer=99&head=x&least=-&query=");
  assert.equal(state.index("layer", 4), 0);
  assert.equal(state.index("head", 4, 2), 2);
  assert.equal(state.index("query", 4, 1), 1);
  assert.equal(state.number("least", 0.05), 0.05);
  assert.equal(state.index("none", 0), 0);
});

test("a link that is opened replaces all, and says so", () => {
  const state = new State("#view=head&text=a");
  let opened = 0;
  state.onOpen(() => ++opened);
  state.set("view", "map");
  assert.equal(opened, 0);
  state.open("#text=b");
  assert.equal(opened, 1);
  assert.deepEqual([state.text("text"), state.text("view")], ["b", ""]);
});

test("what is changed in the laboratory comes back from its text", () => {
  const setup = structuredClone(kSetups[0]!);
  setup.keys[2]!.vector = [-1.5, 0.25];
  setup.keys[0]!.value = 1e-7;
  const again = structuredClone(kSetups[0]!);
  readItems(itemsText(setup.keys), again.keys);
  assert.deepEqual(again.keys, setup.keys);
  for (const bad of ["", "1_2", "1_2_x*1_2_3", "NaN_0_0"]) readItems(bad, again.keys);
  assert.deepEqual(again.keys, setup.keys);
  const mask = setup.keys.map((_, i) => i !== 3);
  assert.deepEqual(readMask(maskText(mask), setup), mask);
  assert.ok(readMask("10", setup).every(Boolean) && readMask("", setup).every(Boolean));
});
