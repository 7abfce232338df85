// Choices that several views share: units, layer, head. They live in the state,
// so that they survive a change of view.
import type { Special, Units } from "../data/axis";
import { meanOfHeads } from "../data/axis";
import { alignmentShown, type Doc, type Layer, type Matrix, type Shown, type Side } from "../data/document";
import { checkbox, select } from "../ui/controls";
import type { Host } from "../ui/host";
import type { State } from "../ui/state";

export function unitsOf(state: State): Units {
  const special = state.text("special", "show");
  return {
    merge: state.flag("words", true),
    special: (["show", "hide", "renormalise"].includes(special)
      ? special
      : "show") as Special,
  };
}

export function unitControls(state: State, draw: () => void): HTMLElement[] {
  const units = unitsOf(state);
  return [
    select(
      "Units",
      [
        { value: "1", label: "Words" },
        { value: "0", label: "Tokens" },
      ],
      units.merge ? "1" : "0",
      (value) => {
        state.set("words", value);
        draw();
      },
    ),
    select(
      "Special tokens",
      [
        { value: "show", label: "Shown" },
        { value: "hide", label: "Hidden" },
        { value: "renormalise", label: "Hidden, rows renormalised" },
      ],
      units.special,
      (value) => {
        state.set("special", value);
        draw();
      },
    ),
  ];
}

/** encoder.layer.0.self -> encoder 0, self: with the numbers of the command. */
export function layerLabel(name: string): string {
  const parts = /^(\w+)\.layer\.(\d+)\.(\w+)$/.exec(name);
  return parts ? `${parts[1]} ${parts[2]}, ${parts[3]}` : name;
}

/** A classifier's pool is what decides, so it is shown first. */
function layerIndex(doc: Doc, state: State): number {
  const pool = doc.layers.findIndex((l) => l.kind === "pooling");
  return state.index("layer", doc.layers.length, Math.max(0, pool));
}

export function layerOf(doc: Doc, state: State): Layer | undefined {
  return doc.layers[layerIndex(doc, state)];
}

export function layerControl(host: Host, changed: () => void): HTMLElement {
  const doc = longest(host.docs);
  return select(
    "Layer",
    doc.layers.map((layer, i) => ({
      value: String(i),
      label: layerLabel(layer.name),
    })),
    String(layerIndex(doc, host.state)),
    (value) => {
      host.state.set("layer", value);
      changed();
    },
  );
}

function longest(docs: Doc[]): Doc {
  return docs.reduce((a, b) => (b.layers.length > a.layers.length ? b : a));
}

export interface ChosenMap {
  title: string;
  weights: Matrix;
  queries: Side;
  keys: Side;
  visible: boolean[][] | null;
  shown?: Shown;
}

/** The map that the state names: the alignment, or heads of a layer. */
export function chosenMap(doc: Doc, state: State): ChosenMap | null {
  const choice = state.text("map", doc.alignment ? "alignment" : "layer");
  if (choice === "alignment" && doc.alignment)
    return {
      title: `Alignment (${layerLabel(doc.alignment.layer)})`,
      weights: doc.alignment.weights,
      queries: "target",
      keys: "source",
      visible: null,
      shown: alignmentShown(doc),
    };
  const layer = layerOf(doc, state);
  if (!layer || choice === "alignment") return null;
  const one = headIndex(state, layer);
  return {
    title:
      layerLabel(layer.name) +
      (one === null ? ", mean of the heads" : `, head ${one}`),
    weights: one === null ? meanOfHeads(layer.weights) : layer.weights[one]!,
    queries: layer.queries,
    keys: layer.keys,
    visible: layer.visible,
    shown: { layer: layer.name, head: one ?? -1, heads: layer.weights.length },
  };
}

/** null: the mean of all. */
export function headIndex(state: State, layer: Layer): number | null {
  const value = state.text("head", "mean");
  const head = Number(value);
  return value !== "mean" && Number.isInteger(head) && layer.weights[head]
    ? head
    : null;
}

export function headControl(host: Host, changed: () => void): HTMLElement {
  const most = Math.max(
    0,
    ...host.docs.map((d) => layerOf(d, host.state)?.weights.length ?? 0),
  );
  const options = [{ value: "mean", label: "Mean of all" }];
  for (let h = 0; h < most; ++h)
    options.push({ value: String(h), label: `Head ${h}` });
  const value = host.state.text("head", "mean");
  return select(
    "Head",
    options,
    options.some((o) => o.value === value) ? value : "mean",
    (chosen) => {
      host.state.set("head", chosen);
      changed();
    },
  );
}

export function valuesControl(state: State, draw: () => void): HTMLElement {
  return checkbox("Numbers in cells", state.flag("values"), (on) => {
    state.set("values", on);
    draw();
  });
}

/** The value with the strongest colour: 1, or the largest there is. */
export function topOf(state: State): number | undefined {
  return state.text("scale") === "largest" ? undefined : 1;
}

export function scaleControl(state: State, draw: () => void): HTMLElement {
  return select(
    "Colours",
    [
      { value: "1", label: "0 to 1" },
      { value: "largest", label: "0 to the largest" },
    ],
    topOf(state) === 1 ? "1" : "largest",
    (value) => {
      state.set("scale", value);
      draw();
    },
  );
}
