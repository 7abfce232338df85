// E4: two columns of tokens and a line for each weight, for chosen heads of one
// layer. A token can be chosen to see its lines alone.
import {
  axisSentences,
  mergeWeights,
  sideAxis,
  withinSentences,
  type Axis,
  type SentencePair,
} from "../data/axis";
import type { Doc, Layer, Matrix, Side } from "../data/document";
import { controls, range, select } from "../ui/controls";
import { el } from "../ui/dom";
import { figure } from "../ui/figure";
import { emptyNote, panes, type Host, type Mounted, type View } from "../ui/host";
import { layerControl, layerLabel, layerOf, unitControls, unitsOf } from "./choice";
import { headLines, type Pin } from "./head_lines";

/** Heads that are on; "all" until the reader chose. */
export function chosenHeads(host: Host, count: number): number[] {
  const raw = host.state.text("heads", "all");
  const all = Array.from({ length: count }, (_, h) => h);
  if (raw === "all") return all;
  const chosen = raw.split("-").map(Number);
  return all.filter((h) => chosen.includes(h));
}

function headButtons(host: Host, draw: () => void): HTMLElement {
  const count = Math.max(
    0,
    ...host.docs.map((d) => layerOf(d, host.state)?.weights.length ?? 0),
  );
  const box = el("div", { class: "head-buttons" });
  const render = () => {
    const on = chosenHeads(host, count);
    const toggle = (h: number) => {
      const now = chosenHeads(host, count);
      const next = now.includes(h) ? now.filter((x) => x !== h) : [...now, h];
      host.state.set("heads", next.length === count ? "all" : next.join("-"));
      update();
      draw();
    };
    box.replaceChildren(
      ...Array.from({ length: count }, (_, h) =>
        el(
          "button",
          {
            type: "button",
            class: "head-button",
            "aria-pressed": String(on.includes(h)),
            "aria-label": `Head ${h}`,
            style: { "--head": host.palette.head(h) },
            on: { click: () => toggle(h) },
          },
          h,
        ),
      ),
      el(
        "button",
        {
          type: "button",
          on: {
            click: () => {
              const none = chosenHeads(host, count).length === count;
              host.state.set("heads", none ? "0" : "all");
              update();
              draw();
            },
          },
        },
        "All / first",
      ),
    );
  };
  const update = () => {
    const on = chosenHeads(host, count);
    [...box.querySelectorAll(".head-button")].forEach((node, h) =>
      node.setAttribute("aria-pressed", String(on.includes(h))),
    );
  };
  render();
  return el(
    "div",
    { class: "control", role: "group", "aria-label": "Heads" },
    el("span", { class: "control-label" }, "Heads"),
    box,
  );
}

function sentencePair(host: Host): SentencePair {
  const [from, to] = host.state.text("sentences", "all").split("-").map(Number);
  return from === undefined || to === undefined
    ? { from: null, to: null }
    : { from, to };
}

/** From which sentence to which; nothing where each side has only one. */
function sentenceControl(host: Host, draw: () => void): HTMLElement[] {
  const count = (side: Side) =>
    Math.max(
      ...host.docs.map((doc) => {
        const text = side === "source" ? doc.source : doc.target;
        return side === "none" ? 1 : 1 + Math.max(0, ...(text?.sentences ?? []));
      }),
    );
  const layer = host.docs.map((d) => layerOf(d, host.state)).find(Boolean);
  if (!layer) return [];
  const from = count(layer.queries);
  const to = count(layer.keys);
  if (from * to === 1) return [];
  const pairs = Array.from({ length: from * to }, (_, i) => {
    const [a, b] = [Math.floor(i / to), i % to];
    return { value: `${a}-${b}`, label: `${a + 1} \u2192 ${b + 1}` };
  });
  const now = host.state.text("sentences", "all");
  return [
    select(
      "Sentences",
      [{ value: "all", label: "All" }, ...pairs],
      pairs.some((p) => p.value === now) ? now : "all",
      (value) => {
        host.state.set("sentences", value);
        draw();
      },
    ),
  ];
}

interface Lines {
  rows: Axis;
  columns: Axis;
  heads: { head: number; values: Matrix }[];
}

function linesOf(host: Host, doc: Doc, layer: Layer): Lines {
  const units = unitsOf(host.state);
  const rows = sideAxis(doc, layer.queries, units);
  const columns = sideAxis(doc, layer.keys, units);
  const options = {
    renormalise: units.special === "renormalise",
    visible: layer.visible,
  };
  const pair = sentencePair(host);
  const from = axisSentences(doc, layer.queries, rows);
  const to = axisSentences(doc, layer.keys, columns);
  return {
    rows,
    columns,
    heads: chosenHeads(host, layer.weights.length).map((head) => ({
      head,
      values: withinSentences(
        mergeWeights(layer.weights[head]!, rows, columns, options),
        pair,
        from,
        to,
      ),
    })),
  };
}

function drawHeads(host: Host, doc: Doc, width: number, pin: Pin): HTMLElement {
  const layer = layerOf(doc, host.state);
  if (!layer) return emptyNote("This model has no such layer.");
  const lines = linesOf(host, doc, layer);
  const title = `${layerLabel(layer.name)}: heads`;
  const drawn = headLines({
    name: title,
    rows: lines.rows.labels,
    columns: lines.columns.labels,
    heads: lines.heads,
    threshold: host.state.number("least", 0.05),
    width: Math.min(width, 620),
    palette: host.palette,
    pin,
  });
  return figure(host, doc, {
    name: title,
    layer: layer.name,
    note:
      "Left the token that looks, right what it looks at; the stronger a line, " +
      "the larger the weight. Choose a token to see its lines alone. " +
      drawn.note,
    picture: drawn.svg,
    shown:
      lines.heads.length === 1
        ? { layer: layer.name, head: lines.heads[0]!.head, heads: layer.weights.length }
        : undefined,
    rows: () => [
      ["head", "query", "key", "weight"],
      ...lines.heads.flatMap(({ head, values }) =>
        values.flatMap((row, i) =>
          row.map((x, j) => [
            head,
            lines.rows.labels[i] ?? "",
            lines.columns.labels[j] ?? "",
            x,
          ]),
        ),
      ),
    ],
  });
}

function mount(host: Host): Mounted {
  const body = el("div");
  const pin: Pin = { side: null, index: -1 };
  const draw = () =>
    body.replaceChildren(panes(host, (doc, w) => drawHeads(host, doc, w, pin)));
  const bar = el("div");
  const choices = () =>
    bar.replaceChildren(
      controls(
        layerControl(host, () => {
          pin.side = null;
          choices();
          draw();
        }),
        headButtons(host, draw),
        ...sentenceControl(host, draw),
        ...unitControls(host.state, () => {
          pin.side = null;
          draw();
        }),
        range({
          label: "Lines from weight",
          min: 0,
          max: 0.5,
          step: 0.01,
          value: host.state.number("least", 0.05),
          show: (x) => x.toFixed(2),
          change: (x) => {
            host.state.set("least", x);
            draw();
          },
        }),
      ),
    );
  choices();
  draw();
  return { node: el("div", {}, bar, body), draw };
}

export const headView: View = {
  id: "head",
  title: "Heads",
  about: "Who looks at whom, head by head.",
  missing: (docs) =>
    docs.some((d) => d.layers.length > 0)
      ? null
      : "This document has no layers with attention.",
  mount,
};
