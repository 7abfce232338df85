// The picture of the neuron view: one row a key.
import type { Neuron } from "../data/neuron";
import { cells, colorScale } from "../draw/cells";
import { hex, type Palette } from "../draw/color";
import { largest } from "../draw/heatmap";
import { fitText, label, maxWidth, picture, shortNumber } from "../draw/text";
import { svg } from "../ui/dom";
import { hideTip, showTip } from "../ui/tip";

export interface NeuronSpec {
  name: string;
  query: string;
  keys: string[];
  width: number;
  palette: Palette;
}

const kFont = 12.5;
const kTop = 78;
const kScore = 52;
const kWeight = 110;

interface Columns {
  labels: number;
  keys: number; // x of the key vectors
  products: number;
  score: number;
  weight: number;
  cell: number;
  step: number;
  width: number;
}

function columnsOf(spec: NeuronSpec, dimensions: number): Columns {
  const labels = Math.min(0.2 * spec.width, maxWidth(spec.keys, kFont)) + 10;
  const rest = spec.width - labels - kScore - kWeight - 40;
  // Narrower cells could not be told apart; a phone scrolls sideways instead.
  const least = dimensions > 24 ? 2.5 : 5;
  const cell = Math.max(least, Math.min(9, rest / 2 / Math.max(1, dimensions)));
  const strip = cell * dimensions;
  const products = labels + strip + 20;
  const score = products + strip + kScore + 6;
  return {
    labels,
    keys: labels,
    products,
    score,
    weight: score + 14,
    cell,
    step: spec.keys.length > 60 ? 15 : 22,
    width: score + 14 + kWeight,
  };
}

function heads(spec: NeuronSpec, at: Columns): SVGElement {
  const quiet = { fill: spec.palette.quiet };
  const group = svg("g");
  const head = (text: string, x: number, anchor = "start") =>
    group.append(
      label(text, x, kTop - 10, 11.5, { ...quiet, "text-anchor": anchor }),
    );
  head("key k", at.keys);
  head("q \u00d7 k", at.products);
  head("score", at.score, "end");
  head("weight", at.weight);
  group.append(
    label(
      `query q: ${fitText(spec.query, kFont, 160)}`,
      at.keys,
      14,
      kFont,
      { fill: spec.palette.text, "font-weight": 600 },
    ),
  );
  return group;
}

/** Tells the number under the pointer. */
function watch(root: SVGElement, names: (i: number) => string): void {
  root.addEventListener("pointermove", (event) => {
    const node = event.target as Element;
    const value = node.getAttribute("data-value");
    if (value === null) return hideTip();
    const d = Number(node.getAttribute("data-column"));
    const i = Number(node.getAttribute("data-row"));
    const text = `${names(i)}, dimension ${d}: ${Number(value).toPrecision(4)}`;
    showTip(text, event.clientX, event.clientY);
  });
  root.addEventListener("pointerleave", hideTip);
}

function rowTexts(neuron: Neuron, spec: NeuronSpec, at: Columns): SVGElement {
  const group = svg("g", { "font-size": kFont, fill: spec.palette.text });
  neuron.rows.forEach((row, j) => {
    const y = kTop + (j + 0.5) * at.step;
    const text = y + 0.35 * kFont;
    const end = { "text-anchor": "end" };
    group.append(
      label(
        fitText(spec.keys[j] ?? "", kFont, at.labels - 10),
        at.labels - 8,
        text,
        kFont,
        end,
      ),
      label(
        row.visible ? shortNumber(row.score) : "masked",
        at.score,
        text,
        kFont,
        { ...end, "data-score": row.score },
      ),
      svg("rect", {
        x: at.weight,
        y: y - 6,
        width: Math.max(0.5, row.weight * (kWeight - 40)),
        height: 12,
        rx: 2,
        fill: hex(spec.palette.sequential(0.35 + 0.5 * row.weight)),
      }),
      label(
        shortNumber(row.weight),
        at.weight + Math.max(0.5, row.weight * (kWeight - 40)) + 5,
        text,
        11,
        { fill: spec.palette.quiet, "data-weight": row.weight },
      ),
    );
  });
  return group;
}

export function neuronPicture(neuron: Neuron, spec: NeuronSpec): SVGSVGElement {
  const at = columnsOf(spec, neuron.query.length);
  const keys = neuron.rows.map((r) => r.key);
  const products = neuron.rows.map((r) => r.products);
  const root = picture(
    at.width,
    kTop + neuron.rows.length * at.step + 6,
    spec.name,
  );
  const color = (values: number[][]) =>
    colorScale(spec.palette, largest(values), true);
  const strips = (values: number[][], x: number, y: number, height: number) =>
    cells(values, { x, y, width: at.cell, height }, color(values));
  const q = strips([neuron.query], at.keys, 22, 18);
  const k = strips(keys, at.keys, kTop, at.step - 4);
  // Rows of vectors stand apart; cells() knows no gaps, so stretch the step.
  const spread = (node: SVGElement) => spreadRows(node, at.step);
  const p = strips(products, at.products, kTop, at.step - 4);
  watch(q, () => `q of ${spec.query}`);
  watch(k, (i) => `k of ${spec.keys[i] ?? ""}`);
  watch(p, (i) => `q \u00d7 k of ${spec.keys[i] ?? ""}`);
  root.append(
    heads(spec, at),
    q,
    spread(k),
    spread(p),
    rowTexts(neuron, spec, at),
  );
  return root;
}

function spreadRows(node: SVGElement, step: number): SVGElement {
  for (const rect of node.querySelectorAll("rect")) {
    const row = Number(rect.getAttribute("data-row"));
    rect.setAttribute("y", String(kTop + row * step + 2));
  }
  if (node.tagName === "image") {
    // One picture for all rows has no gaps.
    const rows = Number(node.getAttribute("height")) / (step - 4);
    node.setAttribute("height", String(rows * step));
  }
  return node;
}
