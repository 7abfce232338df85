// The coloured cells of a matrix: rectangles while they are few, else one
// picture of one pixel a cell, which 200 x 200 tokens need to be quick.
import { svg } from "../ui/dom";
import { hex, textOn, type Palette, type Rgb } from "./color";
import { shortNumber } from "./text";
import type { Matrix } from "../data/document";

const kMostRectangles = 3000;

export type ColorOf = (value: number) => Rgb;

export interface CellBox {
  x: number;
  y: number;
  width: number; // of one cell
  height: number;
}

/** Weights 0..max, or signed numbers -max..max. */
export function colorScale(
  palette: Palette,
  max: number,
  signed: boolean,
): ColorOf {
  const size = max > 0 ? max : 1;
  return signed
    ? (v) => palette.diverging(v / size)
    : (v) => palette.sequential(v / size);
}

export function matrixImage(values: Matrix, color: ColorOf): string {
  const rows = values.length;
  const columns = values[0]?.length ?? 0;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, columns);
  canvas.height = Math.max(1, rows);
  const context = canvas.getContext("2d");
  if (!context || rows === 0 || columns === 0) return canvas.toDataURL();
  const image = context.createImageData(columns, rows);
  let at = 0;
  for (const row of values)
    for (const value of row) {
      const visible = !Number.isNaN(value);
      const [r, g, b] = visible ? color(value) : [0, 0, 0];
      image.data[at++] = r;
      image.data[at++] = g;
      image.data[at++] = b;
      image.data[at++] = visible ? 255 : 0;
    }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

function rectangles(values: Matrix, box: CellBox, color: ColorOf): SVGElement {
  const group = svg("g", { class: "cells" });
  const gap = Math.min(box.width, box.height) > 12 ? 1 : 0;
  values.forEach((row, i) =>
    row.forEach((value, j) => {
      if (Number.isNaN(value)) return;
      group.append(
        svg("rect", {
          x: box.x + j * box.width,
          y: box.y + i * box.height,
          width: box.width - gap,
          height: box.height - gap,
          rx: gap ? 1.5 : undefined,
          fill: hex(color(value)),
          "data-row": i,
          "data-column": j,
          "data-value": value,
        }),
      );
    }),
  );
  return group;
}

export function cells(values: Matrix, box: CellBox, color: ColorOf): SVGElement {
  const rows = values.length;
  const columns = values[0]?.length ?? 0;
  if (rows * columns <= kMostRectangles) return rectangles(values, box, color);
  return svg("image", {
    class: "cells",
    x: box.x,
    y: box.y,
    width: columns * box.width,
    height: rows * box.height,
    preserveAspectRatio: "none",
    "image-rendering": "pixelated",
    href: matrixImage(values, color),
  });
}

/** Numbers inside the cells, where they have room. */
export function cellTexts(
  values: Matrix,
  box: CellBox,
  color: ColorOf,
  size: number,
): SVGElement {
  const group = svg("g", {
    class: "values",
    "font-size": size,
    "text-anchor": "middle",
    "pointer-events": "none",
  });
  values.forEach((row, i) =>
    row.forEach((value, j) => {
      if (Number.isNaN(value)) return;
      group.append(
        svg(
          "text",
          {
            x: box.x + (j + 0.5) * box.width,
            y: box.y + (i + 0.5) * box.height + 0.36 * size,
            fill: textOn(color(value)),
          },
          shortNumber(value),
        ),
      );
    }),
  );
  return group;
}
