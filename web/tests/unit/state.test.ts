import assert from "node:assert/strict";
import { test } from "node:test";
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
