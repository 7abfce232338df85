// E7: attention through all layers: rollout multiplies them, flow asks how much
// can pass.
import { mergeWeights, sideAxis, specialNote } from "../data/axis";
import type { Doc } from "../data/document";
import { controls, segmented, select } from "../ui/controls";
import { el } from "../ui/dom";
import { emptyNote, panes, type Host, type Mounted, type View } from "../ui/host";
import { unitControls, unitsOf, valuesControl } from "./choice";
import { heatFigure } from "./heat";

const kAbout = {
  rollout:
    "Each layer's heads are averaged, half of every token stays with itself " +
    "(the residual path), and the layers are multiplied. Rows sum to 1.",
  flow:
    "The largest flow from an input to a position when every weight is the " +
    "width of a pipe. Rows need not sum to 1.",
};

function drawFlow(host: Host, doc: Doc, width: number): HTMLElement {
  const stack = doc.rollout[host.state.index("stack", doc.rollout.length)];
  if (!stack) return emptyNote("This model has no stack of self-attention.");
  const wanted = host.state.text("through", "rollout");
  const kind = wanted === "flow" && stack.flow ? "flow" : "rollout";
  const values = kind === "flow" ? stack.flow! : stack.rollout;
  const units = unitsOf(host.state);
  const axis = sideAxis(doc, stack.tokens, units);
  return heatFigure(host, doc, width, {
    name: `Attention ${kind}, ${stack.name}`,
    rows: axis.labels,
    columns: axis.labels,
    values: mergeWeights(values, axis, axis, {
      renormalise: units.special === "renormalise",
    }),
    sums: true,
    showValues: host.state.flag("values"),
    note:
      (wanted === kind ? "" : `Rollout, for ${stack.note || "there is no flow"}. `) +
      `${kAbout[kind]} ${specialNote(units)}`,
  });
}

function mount(host: Host): Mounted {
  const body = el("div");
  const draw = () =>
    body.replaceChildren(panes(host, (doc, w) => drawFlow(host, doc, w)));
  const set = (key: string) => (value: string) => {
    host.state.set(key, value);
    draw();
  };
  const stacks = host.docs.find((d) => d.rollout.length > 0)?.rollout ?? [];
  const bar = controls(
    segmented(
      "Through the layers",
      [
        { value: "rollout", label: "Rollout" },
        { value: "flow", label: "Flow" },
      ],
      host.state.text("through", "rollout"),
      set("through"),
    ),
    select(
      "Stack",
      stacks.map((s, i) => ({ value: String(i), label: s.name })),
      String(host.state.index("stack", stacks.length)),
      set("stack"),
    ),
    ...unitControls(host.state, draw),
    valuesControl(host.state, draw),
  );
  draw();
  return { node: el("div", {}, bar, body), draw };
}

export const flowView: View = {
  id: "flow",
  title: "Rollout",
  about:
    "What a position of the top layer is made of, counted back to the input " +
    "tokens (Abnar and Zuidema 2020).",
  missing: (docs) =>
    docs.some((d) => d.rollout.length > 0)
      ? null
      : "This document has no stack of self-attention.",
  mount,
};
