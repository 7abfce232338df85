// E1: the alignment, or any layer and head, as a heat map.
import { mergeWeights, sideAxis, specialNote } from "../data/axis";
import type { Doc } from "../data/document";
import { controls, segmented } from "../ui/controls";
import { el } from "../ui/dom";
import { emptyNote, panes, type Host, type Mounted, type View } from "../ui/host";
import {
  chosenMap,
  headControl,
  layerControl,
  scaleControl,
  topOf,
  unitControls,
  unitsOf,
  valuesControl,
} from "./choice";
import { heatFigure } from "./heat";
import { notedWord, placesOf, wordNote } from "./word_note";

const kHint = "Point at a row to see how sure the model was of its word.";

function drawMap(host: Host, doc: Doc, width: number): HTMLElement {
  const map = chosenMap(doc, host.state);
  if (!map)
    return emptyNote(
      "This model has no attention over the source: there is nothing to align by.",
    );
  const units = unitsOf(host.state);
  const rows = sideAxis(doc, map.queries, units);
  const columns = sideAxis(doc, map.keys, units);
  const values = mergeWeights(map.weights, rows, columns, {
    renormalise: units.special === "renormalise",
    visible: map.visible,
  });
  const isTarget = map.queries === "target";
  const aside = isTarget
    ? el("div", { class: "word-detail" }, el("p", { class: "note" }, kHint))
    : el("div");
  const picture = heatFigure(host, doc, width, {
    name: map.title,
    rows: rows.labels,
    columns: columns.labels,
    values,
    max: topOf(host.state),
    shown: map.shown,
    sums: true,
    showValues: host.state.flag("values"),
    note:
      "A row is a query, a column is a key. " +
      (units.merge
        ? "Weights of a word's tokens are added for keys, averaged for queries. "
        : "") +
      specialNote(units),
    watch: {
      look: (row) => {
        if (!isTarget || row === null) return;
        const looked = placesOf(values[row] ?? null, columns.labels);
        aside.replaceChildren(wordNote(notedWord(doc, rows, row, looked)));
      },
    },
  });
  return el("div", {}, picture, aside);
}

function mount(host: Host): Mounted {
  const body = el("div");
  const draw = () =>
    body.replaceChildren(panes(host, (doc, w) => drawMap(host, doc, w)));
  const bar = el("div");
  const choices = () => {
    const aligned = host.docs.some((d) => d.alignment);
    const map = host.state.text("map", aligned ? "alignment" : "layer");
    const change = () => {
      choices();
      draw();
    };
    bar.replaceChildren(
      controls(
        aligned && host.docs.some((d) => d.layers.length > 0)
          ? segmented(
              "Map",
              [
                { value: "alignment", label: "Alignment" },
                { value: "layer", label: "One layer" },
              ],
              map,
              (value) => {
                host.state.set("map", value);
                change();
              },
            )
          : null,
        map === "layer" ? layerControl(host, change) : null,
        map === "layer" ? headControl(host, draw) : null,
        ...unitControls(host.state, draw),
        scaleControl(host.state, draw),
        valuesControl(host.state, draw),
      ),
    );
  };
  choices();
  draw();
  return { node: el("div", {}, bar, body), draw };
}

export const alignmentView: View = {
  id: "map",
  title: "Heat map",
  about:
    "How much each word that was written drew on each word that was read. " +
    "Point at a cell, or move with the arrow keys; + and \u2212 zoom.",
  missing: (docs) =>
    docs.some((d) => d.alignment || d.layers.length > 0)
      ? null
      : "This document has no attention weights.",
  mount,
};
