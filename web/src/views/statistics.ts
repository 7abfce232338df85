// F15: what each head is like, in a table that can be sorted; how alike the
// heads of a layer are; what each source word got.
import { mergeWeights, sideAxis } from "../data/axis";
import type { Doc, Statistics } from "../data/document";
import { coverage, headDistances } from "../data/heads";
import { saveCsv } from "../draw/download";
import { longNumber } from "../draw/text";
import { button, controls } from "../ui/controls";
import { el } from "../ui/dom";
import { figure } from "../ui/figure";
import { panes, type Host, type Mounted, type View } from "../ui/host";
import { barChart } from "../draw/bars";
import { layerControl, layerLabel, layerOf, unitsOf } from "./choice";
import { heatFigure } from "./heat";

type Key = "layer" | "head" | keyof Statistics;

interface Row extends Statistics {
  layer: number;
  head: number;
  name: string; // of the layer, as it is shown
  real: string;
}

const kColumns: { key: Key; label: string; about: string }[] = [
  { key: "layer", label: "Layer", about: "" },
  { key: "head", label: "Head", about: "" },
  { key: "entropy", label: "Entropy", about: "of a row, natural logarithm" },
  { key: "largest", label: "Largest", about: "largest weight of a row" },
  { key: "effective_keys", label: "Keys", about: "effective number of keys" },
  { key: "distance", label: "Distance", about: "from query to key, by weight" },
  { key: "special", label: "Special", about: "share on special tokens" },
  {
    key: "monotonicity",
    label: "Monotone",
    about: "rank correlation of queries and the keys they look at most",
  },
];

function rowsOf(doc: Doc): Row[] {
  return doc.layers.flatMap((layer, l) =>
    layer.statistics.map((s, h) => ({
      ...s,
      layer: l,
      head: h,
      name: layerLabel(layer.name),
      real: layer.name,
    })),
  );
}

/** What has no number stands last, whichever way one sorts. */
export function sortRows<T>(
  rows: T[],
  value: (row: T) => number | null | undefined,
  down: boolean,
): T[] {
  return [...rows].sort((a, b) => {
    const x = value(a) ?? NaN;
    const y = value(b) ?? NaN;
    if (Number.isNaN(x) || Number.isNaN(y))
      return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
    return down ? y - x : x - y;
  });
}

function cellText(row: Row, key: Key): string {
  if (key === "layer") return row.name;
  if (key === "head") return String(row.head);
  const value = row[key];
  return typeof value === "number" ? longNumber(value) : "\u2013";
}

function headTable(host: Host, doc: Doc): HTMLElement {
  const box = el("div", { class: "scroll" });
  const sort = (key: Key) => {
    const same = host.state.text("sort", "layer") === key;
    host.state.set("down", same ? !host.state.flag("down") : key !== "layer");
    host.state.set("sort", key);
    draw();
    box.querySelector<HTMLElement>(`[data-sort="${key}"]`)?.focus();
  };
  const open = (row: Row) => {
    host.state.set("map", "layer");
    host.state.set("layer", row.layer);
    host.state.set("head", row.head);
    host.open("map");
  };
  const draw = () => {
    const by = host.state.text("sort", "layer") as Key;
    const down = host.state.flag("down");
    const rows = sortRows(rowsOf(doc), (r) => r[by], down);
    const heads = kColumns.map((column) =>
      el(
        "th",
        {
          scope: "col",
          "aria-sort":
            by === column.key ? (down ? "descending" : "ascending") : "none",
        },
        button(
          column.label + (by === column.key ? (down ? " \u2193" : " \u2191") : ""),
          () => sort(column.key),
          {
            class: "sort",
            "data-sort": column.key,
            title: column.about || column.label,
          },
        ),
      ),
    );
    const body = rows.map((row) =>
      el(
        "tr",
        {},
        ...kColumns.map(({ key }) =>
          key === "layer"
            ? el(
                "th",
                { scope: "row" },
                button(row.name, () => open(row), { class: "link", title: row.real }),
              )
            : el("td", {}, cellText(row, key)),
        ),
      ),
    );
    box.replaceChildren(
      el(
        "table",
        { class: "wide" },
        el("caption", { class: "only-read" }, "Statistics of heads"),
        el("thead", {}, el("tr", {}, ...heads)),
        el("tbody", {}, ...body),
      ),
    );
  };
  draw();
  const csv = () =>
    saveCsv("head statistics", [
      kColumns.map((c) => c.key),
      ...rowsOf(doc).map((row) =>
        kColumns.map(({ key }) =>
          key === "layer" ? row.real : (row[key] ?? NaN) as number,
        ),
      ),
    ]);
  return el(
    "div",
    { class: "figure" },
    el(
      "div",
      { class: "figure-head" },
      el("h3", {}, "Means over the queries of a head"),
      el(
        "div",
        { class: "tools" },
        button("CSV", csv, { "aria-label": "Download head statistics as CSV" }),
      ),
    ),
    box,
  );
}

function likeness(host: Host, doc: Doc, width: number): HTMLElement | null {
  const layer = layerOf(doc, host.state);
  if (!layer || layer.weights.length < 2) return null;
  const names = layer.weights.map((_, h) => `Head ${h}`);
  return heatFigure(host, doc, Math.min(width, 560), {
    name: `${layerLabel(layer.name)}: distance of heads`,
    layer: layer.name,
    rows: names,
    columns: names,
    values: headDistances(layer.weights),
    showValues: true,
    max: Math.LN2,
    note:
      "Jensen-Shannon divergence of two heads' rows, averaged: 0 if they look " +
      "the same way, 0.69 at most.",
  });
}

function covered(host: Host, doc: Doc, width: number): HTMLElement | null {
  if (!doc.alignment || !doc.target) return null;
  const units = unitsOf(host.state);
  const rows = sideAxis(doc, "target", { merge: false, special: "show" });
  const columns = sideAxis(doc, "source", units);
  const sums = coverage(mergeWeights(doc.alignment.weights, rows, columns));
  return figure(host, doc, {
    name: "Coverage of the source",
    note:
      "The sum of each source word's weights over all target tokens. Little: " +
      "hardly looked at, perhaps left out; much: looked at again and again.",
    picture: barChart({
      name: "Coverage of the source",
      labels: columns.labels,
      values: sums,
      width: Math.min(width, 640),
      palette: host.palette,
    }),
    rows: () => [
      ["word", "coverage"],
      ...columns.labels.map((label, j) => [label, sums[j] ?? 0]),
    ],
  });
}

function mount(host: Host): Mounted {
  const body = el("div");
  const draw = () =>
    body.replaceChildren(
      panes(host, (doc, w) =>
        el(
          "div",
          {},
          headTable(host, doc),
          likeness(host, doc, w) ?? "",
          covered(host, doc, w) ?? "",
        ),
      ),
    );
  const bar = controls(layerControl(host, draw));
  draw();
  return { node: el("div", {}, bar, body), draw };
}

export const statisticsView: View = {
  id: "statistics",
  title: "Statistics",
  about:
    "How sharp, how far, how monotone each head looks. A layer's name opens " +
    "that head; the layer chosen below is compared head by head.",
  missing: (docs) =>
    docs.some((d) => d.layers.some((l) => l.statistics.length > 0))
      ? null
      : "This document has no statistics.",
  mount,
};
