// The picture of the head view.
import { linkHorizontal } from "d3-shape";
import type { Matrix } from "../data/document";
import type { Palette } from "../draw/color";
import { fitText, isolated, label, longNumber, maxWidth, picture } from "../draw/text";
import { announce, svg } from "../ui/dom";
import { hideTip, showTip } from "../ui/tip";

export interface Pin {
  side: "query" | "key" | null;
  index: number;
}

export interface LinesSpec {
  name: string;
  rows: string[];
  columns: string[];
  heads: { head: number; values: Matrix }[];
  threshold: number;
  width: number;
  palette: Palette;
  pin: Pin;
}

interface Line {
  head: number;
  row: number;
  column: number;
  weight: number;
}

// More lines than this are a grey mass, and slow.
const kMostLines = 4000;
const kFont = 13.5;

function strongest(spec: LinesSpec): { lines: Line[]; all: number } {
  const lines: Line[] = [];
  for (const { head, values } of spec.heads)
    values.forEach((row, i) =>
      row.forEach((weight, j) => {
        if (weight > 0 && weight >= spec.threshold)
          lines.push({ head, row: i, column: j, weight });
      }),
    );
  const all = lines.length;
  if (all > kMostLines) {
    lines.sort((a, b) => b.weight - a.weight);
    lines.length = kMostLines;
  }
  return { lines, all };
}

interface Place {
  left: number;
  right: number;
  row(i: number): number;
  column(j: number): number;
  height: number;
}

function placeOf(spec: LinesSpec): Place {
  const most = 0.36 * spec.width;
  const left = Math.min(most, maxWidth(spec.rows, kFont)) + 18;
  const right =
    spec.width - Math.min(most, maxWidth(spec.columns, kFont)) - 18;
  const n = Math.max(spec.rows.length, spec.columns.length);
  const step = n > 60 ? 17 : 24;
  // The shorter column stands in the middle.
  const shift = (count: number) => 14 + ((n - count) * step) / 2 + step / 2;
  return {
    left,
    right,
    row: (i) => shift(spec.rows.length) + i * step,
    column: (j) => shift(spec.columns.length) + j * step,
    height: 28 + n * step,
  };
}

function drawLines(spec: LinesSpec, at: Place, lines: Line[]): SVGElement {
  const group = svg("g", { fill: "none", class: "lines" });
  const link = linkHorizontal<Line, [number, number]>()
    .source((l) => [at.left, at.row(l.row)])
    .target((l) => [at.right, at.column(l.column)]);
  for (const line of lines)
    group.append(
      svg("path", {
        d: link(line) ?? "",
        stroke: spec.palette.head(line.head),
        "stroke-width": 0.8 + 2.2 * line.weight,
        "stroke-opacity": Math.min(1, 0.08 + 0.92 * line.weight).toFixed(3),
        "data-row": line.row,
        "data-column": line.column,
        "data-head": line.head,
        "data-value": line.weight,
      }),
    );
  return group;
}

/** Small squares that say how much each head gives: of one token's row. */
function shares(spec: LinesSpec, at: Place, pin: Pin): SVGElement {
  const group = svg("g", { class: "shares", "pointer-events": "none" });
  if (!pin.side) return group;
  const byQuery = pin.side === "query";
  const others = byQuery ? spec.columns : spec.rows;
  const size = Math.min(9, 110 / Math.max(1, spec.heads.length));
  others.forEach((_, k) =>
    spec.heads.forEach(({ head, values }, h) => {
      const w = byQuery ? values[pin.index]?.[k] : values[k]?.[pin.index];
      if (!w || w < 0.01) return;
      const x = byQuery ? at.right + 3 : at.left - 3;
      group.append(
        svg("rect", {
          x: byQuery ? x : x - 4,
          y: (byQuery ? at.column(k) : at.row(k)) - 8 + (16 * h) / spec.heads.length,
          width: 4,
          height: Math.min(size, 16 / spec.heads.length),
          fill: spec.palette.head(head),
          opacity: Math.min(1, w + 0.05),
        }),
      );
    }),
  );
  return group;
}

function say(spec: LinesSpec, pin: Pin): string {
  const byQuery = pin.side === "query";
  const others = byQuery ? spec.columns : spec.rows;
  const mean = others.map((_, k) => {
    let sum = 0;
    for (const { values } of spec.heads)
      sum += (byQuery ? values[pin.index]?.[k] : values[k]?.[pin.index]) || 0;
    return sum / Math.max(1, spec.heads.length);
  });
  const top = mean
    .map((weight, k) => ({ weight, k }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, 3)
    .map(({ weight, k }) => `${isolated(others[k]!)} ${longNumber(weight)}`);
  const self = isolated((byQuery ? spec.rows : spec.columns)[pin.index]!);
  return `${self} ${byQuery ? "looks at" : "is looked at by"}: ${top.join(", ")}`;
}

export function headLines(spec: LinesSpec): {
  svg: SVGSVGElement;
  note: string;
} {
  const at = placeOf(spec);
  const { lines, all } = strongest(spec);
  const root = picture(spec.width, at.height, spec.name, { role: "group" });
  const drawn = drawLines(spec, at, lines);
  const tokens = svg("g", { "font-size": kFont, fill: spec.palette.text });
  const layer = svg("g");
  root.append(drawn, layer, tokens);

  const nodes: SVGGElement[] = [];
  const show = (pin: Pin): void => {
    for (const path of drawn.children) {
      const mine =
        !pin.side ||
        Number(path.getAttribute(pin.side === "query" ? "data-row" : "data-column")) ===
          pin.index;
      path.setAttribute("visibility", mine ? "visible" : "hidden");
    }
    layer.replaceChildren(shares(spec, at, pin));
    for (const node of nodes) {
      const mine =
        node.dataset.side === pin.side && Number(node.dataset.index) === pin.index;
      node.setAttribute("font-weight", mine ? "700" : "400");
      node.setAttribute("aria-pressed", String(mine && spec.pin.side !== null));
    }
  };
  const token = (side: "query" | "key", index: number, text: string) => {
    const isQuery = side === "query";
    const x = isQuery ? at.left - 10 : at.right + 10;
    const y = (isQuery ? at.row(index) : at.column(index)) + 0.35 * kFont;
    const room = isQuery ? at.left - 18 : spec.width - at.right - 18;
    const here: Pin = { side, index };
    const node = svg(
      "g",
      {
        role: "button",
        class: "token-button",
        "data-side": side,
        "data-index": index,
        "aria-label": `${isQuery ? "Query" : "Key"} ${text}`,
        tabindex: index === 0 ? 0 : -1,
      },
      svg("rect", {
        x: isQuery ? 0 : at.right + 6,
        y: y - 15,
        width: isQuery ? at.left - 6 : spec.width - at.right - 6,
        height: 20,
        fill: "transparent",
      }),
      label(fitText(text, kFont, room), x, y, kFont, {
        "text-anchor": isQuery ? "end" : "start",
      }),
    );
    const pinned = () => {
      const same = spec.pin.side === side && spec.pin.index === index;
      spec.pin.side = same ? null : side;
      spec.pin.index = same ? -1 : index;
      show(spec.pin);
      if (spec.pin.side) announce(say(spec, spec.pin));
    };
    node.addEventListener("pointerenter", (event) => {
      show(here);
      showTip(say(spec, here), event.clientX, event.clientY);
    });
    node.addEventListener("pointerleave", () => {
      show(spec.pin);
      hideTip();
    });
    node.addEventListener("click", pinned);
    node.addEventListener("keydown", (event) => keys(event, node, pinned));
    nodes.push(node);
    tokens.append(node);
  };
  spec.rows.forEach((text, i) => token("query", i, text));
  spec.columns.forEach((text, j) => token("key", j, text));
  show(spec.pin);

  const note =
    all > lines.length
      ? `The ${lines.length} strongest of ${all} lines are drawn.`
      : `${lines.length} lines.`;
  return { svg: root, note };
}

/** One stop for the Tab key in each column; arrows move inside and across. */
function keys(event: KeyboardEvent, node: SVGGElement, pin: () => void): void {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    return pin();
  }
  const index = Number(node.dataset.index);
  const other = node.dataset.side === "query" ? "key" : "query";
  const find = (side: string | undefined, i: number) =>
    node.parentElement?.querySelector<SVGGElement>(
      `[data-side="${side}"][data-index="${i}"]`,
    );
  const next =
    event.key === "ArrowDown"
      ? find(node.dataset.side, index + 1)
      : event.key === "ArrowUp"
        ? find(node.dataset.side, index - 1)
        : event.key === "ArrowLeft" || event.key === "ArrowRight"
          ? (find(other, index) ?? find(other, 0))
          : null;
  if (!next) return;
  event.preventDefault();
  node.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}
