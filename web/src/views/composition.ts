// E16: how the loaded model's first layer puts words together, step by step;
// below, a toy to play with.
import type { Doc, Layer } from "../data/document";
import { controls, select } from "../ui/controls";
import { el } from "../ui/dom";
import { emptyNote, type Host, type Mounted, type View } from "../ui/host";
import { layerLabel, unitControls } from "./choice";
import { compositionSteps, wordAxis } from "./composition_steps";
import { toySection } from "./toy";

function firstLayer(doc: Doc): Layer | undefined {
  return doc.layers.find((l) => l.vectors);
}

function choices(host: Host, doc: Doc, layer: Layer, draw: () => void) {
  const words = wordAxis(host, doc, layer.queries).labels;
  const set = (key: string) => (value: string) => {
    host.state.set(key, value);
    draw();
  };
  return controls(
    select(
      "Head",
      layer.weights.map((_, h) => ({ value: String(h), label: `Head ${h}` })),
      String(host.state.index("composehead", layer.weights.length)),
      set("composehead"),
    ),
    unitControls(host.state, draw)[0],
    select(
      "Word",
      words.map((word, i) => ({ value: String(i), label: `${i + 1}. ${word}` })),
      String(host.state.index("word", words.length, 2)),
      set("word"),
    ),
  );
}

function mount(host: Host): Mounted {
  const doc = host.docs.find(firstLayer);
  const layer = doc && firstLayer(doc);
  const bar = el("div");
  const body = el("div");
  const toy = toySection(host);
  const draw = () =>
    body.replaceChildren(
      doc && layer
        ? compositionSteps(host, doc, layer)
        : emptyNote("This document has no query and key vectors; the toy below needs none."),
    );
  const choose = () => {
    if (doc && layer) bar.replaceChildren(choices(host, doc, layer, all));
  };
  const all = () => {
    choose();
    draw();
  };
  const node = el(
    "div",
    {},
    doc && layer
      ? el(
          "h3",
          { class: "section" },
          `The model: ${layerLabel(layer.name)} `,
          el("code", { class: "real-name" }, layer.name),
        )
      : null,
    bar,
    body,
    toy.node,
  );
  all();
  return {
    node,
    draw: () => {
      draw();
      toy.draw();
    },
  };
}

export const compositionView: View = {
  id: "composition",
  title: "Composition",
  about: "How attention puts a word together from other words, step by step.",
  missing: () => null,
  mount,
};
