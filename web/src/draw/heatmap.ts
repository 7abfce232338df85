// A heat map: labels, cells, row sums, a frame around the cell that is looked
// at. Hover and keyboard are in heatmap_pointer.ts.
import { rowSum } from "../data/axis";
import type { Matrix } from "../data/document";
import { svg } from "../ui/dom";
import { cellTexts, cells, colorScale, type ColorOf } from "./cells";
import { hex, type Palette } from "./color";
import {
  kSumsWidth,
  labelStep,
  layoutHeatmap,
  type Layout,
} from "./heatmap_layout";
import { fitText, label, maxWidth, picture, shortNumber } from "./text";

export interface HeatmapSpec {
  name: string; // read out
  rows: string[];
  columns: string[];
  values: Matrix; // not a number: not visible
  signed?: boolean;
  max?: number; // value with the strongest colour; else the largest
  showValues?: boolean;
  sums?: boolean;
}

export interface Heatmap {
  svg: SVGSVGElement;
  spec: HeatmapSpec;
  layout: Layout;
  /** Frames a cell and marks its labels; null: none. */
  mark(row: number, column: number): void;
  unmark(): void;
}

const kFont = 12.5;

export function largest(values: Matrix): number {
  let most = 0;
  for (const row of values)
    for (const x of row) if (!Number.isNaN(x)) most = Math.max(most, Math.abs(x));
  return most;
}

/** Behind labels that stay in sight while the cells scroll (zoom.ts). */
function backing(width: number, height: number, palette: Palette) {
  return svg("rect", { width, height, fill: palette.ground });
}

function rowLabels(spec: HeatmapSpec, at: Layout, palette: Palette) {
  const group = svg(
    "g",
    {
      class: "row-labels",
      "font-size": kFont,
      fill: palette.text,
      "text-anchor": "end",
    },
    backing(at.left - 1, at.height, palette),
  );
  const step = labelStep(at.cellHeight, kFont);
  spec.rows.forEach((text, i) => {
    const shown = fitText(text, kFont, at.rowRoom);
    const y = at.top + (i + 0.5) * at.cellHeight + 0.35 * kFont;
    group.append(
      label(shown, at.left - 8, y, kFont, {
        "data-label-row": i,
        "data-rest": i % step === 0 ? 1 : 0,
        opacity: i % step === 0 ? 1 : 0,
      }),
    );
  });
  return group;
}

function columnLabels(spec: HeatmapSpec, at: Layout, palette: Palette) {
  const group = svg(
    "g",
    {
      class: "column-labels",
      "font-size": kFont,
      fill: palette.text,
      "text-anchor": at.turn === 0 ? "middle" : "start",
    },
    backing(at.width, at.top - 1, palette),
  );
  const step = labelStep(at.cellWidth, kFont);
  const place = {
    0: (x: number) => `translate(${x},${at.top - 8})`,
    45: (x: number) => `translate(${x + 4},${at.top - 7}) rotate(-45)`,
    // The first must not go under the corner where columns are thin.
    90: (x: number) =>
      `translate(${Math.max(x + 0.35 * kFont, at.left + 0.8 * kFont)},${at.top - 7}) rotate(-90)`,
  };
  spec.columns.forEach((text, j) => {
    const shown = fitText(text, kFont, at.columnRoom);
    const x = at.left + (j + 0.5) * at.cellWidth;
    const props = {
      "data-label-column": j,
      "data-rest": j % step === 0 ? 1 : 0,
      opacity: j % step === 0 ? 1 : 0,
      transform: place[at.turn](x),
    };
    group.append(label(shown, 0, 0, kFont, props));
  });
  return group;
}

function sums(spec: HeatmapSpec, at: Layout, palette: Palette): SVGElement {
  const x = at.left + spec.columns.length * at.cellWidth + kSumsWidth - 4;
  const group = svg("g", {
    class: "sums",
    "font-size": kFont - 1.5,
    fill: palette.quiet,
    "text-anchor": "end",
  });
  const step = labelStep(at.cellHeight, kFont);
  spec.values.forEach((row, i) => {
    if (i % step !== 0) return;
    const y = at.top + (i + 0.5) * at.cellHeight + 0.33 * kFont;
    group.append(
      label("\u03a3 " + shortNumber(rowSum(row)), x, y, kFont - 1.5),
    );
  });
  return group;
}

const kLegend = 34; // height

/** What the colours mean. */
function legend(at: Layout, max: number, signed: boolean, palette: Palette) {
  const color = colorScale(palette, max, signed);
  const steps = 24;
  const box = { x: at.left, y: at.height + 10, width: 5, height: 9 };
  const values = Array.from({ length: steps }, (_, i) => {
    const t = i / (steps - 1);
    return max * (signed ? 2 * t - 1 : t);
  });
  const group = svg("g", {
    class: "legend",
    "font-size": 11,
    fill: palette.quiet,
  });
  values.forEach((v, i) =>
    group.append(
      svg("rect", { ...box, x: box.x + i * 5, fill: hex(color(v)) }),
    ),
  );
  const y = box.y + 20;
  const end = box.x + steps * 5;
  group.append(
    label(shortNumber(signed ? -max : 0), box.x, y, 11),
    label(shortNumber(max), end, y, 11, { "text-anchor": "end" }),
  );
  return group;
}

function setMarks(root: SVGSVGElement, row: number, column: number): void {
  const step = (node: Element, mine: boolean) => {
    node.setAttribute("font-weight", mine ? "700" : "400");
    const rest = node.getAttribute("data-rest") ?? "1";
    // Neighbours of a marked label step back when labels are crowded.
    node.setAttribute("opacity", mine ? "1" : rest);
  };
  for (const node of root.querySelectorAll("[data-label-row]"))
    step(node, Number(node.getAttribute("data-label-row")) === row);
  for (const node of root.querySelectorAll("[data-label-column]"))
    step(node, Number(node.getAttribute("data-label-column")) === column);
}

function marker(root: SVGSVGElement, at: Layout, palette: Palette) {
  const frame = svg("rect", {
    fill: "none",
    stroke: palette.text,
    "stroke-width": 2,
    rx: 2,
    visibility: "hidden",
    "pointer-events": "none",
    class: "marker",
  });
  root.append(frame);
  return {
    mark(row: number, column: number) {
      frame.setAttribute("x", String(at.left + column * at.cellWidth - 0.5));
      frame.setAttribute("y", String(at.top + row * at.cellHeight - 0.5));
      frame.setAttribute("width", String(at.cellWidth));
      frame.setAttribute("height", String(at.cellHeight));
      frame.setAttribute("visibility", "visible");
      setMarks(root, row, column);
    },
    unmark() {
      frame.setAttribute("visibility", "hidden");
      setMarks(root, -1, -1);
    },
  };
}

export function heatmap(
  spec: HeatmapSpec,
  width: number,
  palette: Palette,
  zoom = 1,
): Heatmap {
  const at = layoutHeatmap({
    rows: spec.rows.length,
    columns: spec.columns.length,
    rowLabel: maxWidth(spec.rows, kFont),
    columnLabel: maxWidth(spec.columns, kFont),
    width,
    zoom,
    sums: spec.sums ?? false,
    font: kFont,
  });
  const max = spec.max ?? (largest(spec.values) || 1);
  const signed = spec.signed ?? false;
  const color: ColorOf = colorScale(palette, max, signed);
  const box = {
    x: at.left,
    y: at.top,
    width: at.cellWidth,
    height: at.cellHeight,
  };
  const root = picture(
    Math.max(at.width, at.left + 130),
    at.height + kLegend,
    spec.name,
  );
  const ground = svg("rect", {
    x: at.left - 1,
    y: at.top - 1,
    width: spec.columns.length * at.cellWidth + 1,
    height: spec.rows.length * at.cellHeight + 1,
    fill: palette.card,
    stroke: palette.line,
  });
  root.append(ground, cells(spec.values, box, color));
  if (spec.showValues && at.cellWidth >= 24 && at.cellHeight >= 13)
    root.append(cellTexts(spec.values, box, color, at.cellWidth < 32 ? 9.5 : 11));
  if (spec.sums) root.append(sums(spec, at, palette));
  root.append(legend(at, max, signed, palette));
  const marks = marker(root, at, palette);
  root.append(columnLabels(spec, at, palette), rowLabels(spec, at, palette));
  const corner = backing(at.left - 1, at.top - 1, palette);
  corner.setAttribute("class", "corner");
  root.append(corner);
  return { svg: root, spec, layout: at, ...marks };
}
