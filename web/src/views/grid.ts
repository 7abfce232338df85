// E5: every layer and head as a thumbnail; one opens the heat map of its head.
import type { Doc } from "../data/document";
import { matrixImage } from "../draw/cells";
import { label, picture } from "../draw/text";
import { el, svg } from "../ui/dom";
import { figure } from "../ui/figure";
import { emptyNote, panes, type Host, type Mounted, type View } from "../ui/host";
import { layerLabel } from "./choice";

const kLabel = 118;

function openHead(host: Host, layer: number, head: number): void {
  host.state.set("map", "layer");
  host.state.set("layer", layer);
  host.state.set("head", head);
  host.open("map");
}

function thumbnail(
  host: Host,
  doc: Doc,
  layer: number,
  head: number,
  box: { x: number; y: number; width: number; height: number },
): SVGElement {
  const weights = doc.layers[layer]!.weights[head]!;
  const visible = doc.layers[layer]!.visible;
  const shown = visible
    ? weights.map((row, i) => row.map((x, j) => (visible[i]?.[j] ? x : NaN)))
    : weights;
  const real = doc.layers[layer]!.name;
  const name = `${layerLabel(real)}, head ${head}`;
  const go = () => openHead(host, layer, head);
  const node = svg(
    "g",
    {
      role: "button",
      tabindex: 0,
      class: "thumbnail",
      "aria-label": `Open ${name}`,
    },
    svg("rect", {
      ...box,
      fill: host.palette.card,
      stroke: host.palette.line,
      rx: 3,
    }),
    svg("image", {
      x: box.x + 2,
      y: box.y + 2,
      width: box.width - 4,
      height: box.height - 4,
      preserveAspectRatio: "none",
      "image-rendering": "pixelated",
      href: matrixImage(shown, (v) => host.palette.sequential(v)),
    }),
    svg("title", {}, `${name} (${real})`),
  );
  node.addEventListener("click", go);
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    go();
  });
  return node;
}

function drawGrid(host: Host, doc: Doc, width: number): HTMLElement {
  if (doc.layers.length === 0)
    return emptyNote("This model has no attention at all.");
  const heads = Math.max(...doc.layers.map((l) => l.weights.length));
  const side = Math.max(26, Math.min(110, (width - kLabel) / heads - 8));
  const step = side + 8;
  const root = picture(
    kLabel + heads * step,
    26 + doc.layers.length * step,
    `${doc.model.name}: all heads`,
    { role: "group" },
  );
  for (let h = 0; h < heads; ++h)
    root.append(
      label(String(h), kLabel + h * step + side / 2, 14, 12, {
        "text-anchor": "middle",
        fill: host.palette.quiet,
      }),
    );
  doc.layers.forEach((layer, l) => {
    const y = 22 + l * step;
    const x = kLabel - 12;
    root.append(
      svg(
        "g",
        {},
        svg("title", {}, layer.name),
        label(layerLabel(layer.name), x, y + side / 2 + 4, 12.5, {
          "text-anchor": "end",
          fill: host.palette.text,
        }),
      ),
    );
    layer.weights.forEach((_, h) => {
      const box = { x: kLabel + h * step, y, width: side, height: side };
      root.append(thumbnail(host, doc, l, h, box));
    });
  });
  return figure(host, doc, {
    name: `${doc.model.name}: all heads`,
    picture: root,
    rows: () => [
      ["layer", "head", "query", "key", "weight"],
      ...doc.layers.flatMap((layer) =>
        layer.weights.flatMap((m, h) =>
          m.flatMap((row, i) =>
            row.map((w, j) => [layer.name, h, i, j, w]),
          ),
        ),
      ),
    ],
  });
}

function mount(host: Host): Mounted {
  const node = el("div");
  const draw = () =>
    node.replaceChildren(panes(host, (doc, w) => drawGrid(host, doc, w)));
  draw();
  return { node, draw };
}

export const gridView: View = {
  id: "model",
  title: "Model",
  about:
    "All layers (rows) and heads (columns) at a glance. Choose one to open its map.",
  missing: (docs) =>
    docs.some((d) => d.layers.length > 0)
      ? null
      : "This document has no layers with attention.",
  mount,
};
