// Where the parts of a heat map go. Pure, so that tests can ask.

export interface LayoutInput {
  rows: number;
  columns: number;
  rowLabel: number; // widest row label, px
  columnLabel: number; // widest column label, px
  width: number; // that there is room for
  zoom?: number; // cells this many times larger than fits
  sums: boolean; // a column of row sums
  font: number;
}

export interface Layout {
  width: number;
  height: number;
  left: number; // of the cells
  top: number;
  cellWidth: number;
  cellHeight: number;
  turn: 0 | 45 | 90; // of the column labels, degrees
  rowRoom: number; // for row labels
  columnRoom: number; // for column labels, along the text
}

const kGap = 8;
const kMostLabel = 170;
export const kSumsWidth = 44;
const kSlant = Math.SQRT1_2;

export function layoutHeatmap(input: LayoutInput): Layout {
  // A phone must not give all its width to labels.
  const most = Math.min(kMostLabel, 0.3 * input.width);
  const rowRoom = Math.min(input.rowLabel, most);
  const columnRoom = Math.min(input.columnLabel, kMostLabel);
  const left = rowRoom + kGap;
  const right = input.sums ? kSumsWidth : 0;
  const columns = Math.max(1, input.columns);
  // Slanted labels stick out at the right end.
  const reach = kSlant * columnRoom + 4;
  const fit = (out: number) =>
    Math.min(60, (input.width - left - Math.max(right, out)) / columns);
  // Slanted lines of text are nearer to each other than their columns.
  const apart = (input.font + 1) / kSlant;
  const turn = fit(0) >= columnRoom + 6 ? 0 : fit(reach) >= apart ? 45 : 90;
  const out = turn === 45 ? reach : 0;
  const zoom = input.zoom ?? 1;
  const fitted = Math.max(1.5, fit(out));
  const cellWidth = fitted * zoom;
  const cellHeight =
    Math.max(
      Math.min(fitted, 32),
      Math.min(22, 700 / Math.max(1, input.rows)),
    ) * zoom;
  const along = { 0: input.font + kGap, 45: reach + input.font - 4, 90: columnRoom + kGap };
  const top = along[turn] + 6;
  const plot = cellWidth * columns;
  return {
    width: left + plot + Math.max(right, out),
    height: top + cellHeight * input.rows + 2,
    left,
    top,
    cellWidth,
    cellHeight,
    turn,
    rowRoom,
    columnRoom,
  };
}

/**
 * Every how many labels one is written, so that they do not run into each
 * other.
 */
export function labelStep(cell: number, font: number): number {
  return Math.max(1, Math.ceil((font + 1) / Math.max(cell, 0.01)));
}

/** Which cell a place is in; null outside. */
export function cellAt(
  x: number,
  y: number,
  layout: Layout,
  rows: number,
  columns: number,
): { row: number; column: number } | null {
  const column = Math.floor((x - layout.left) / layout.cellWidth);
  const row = Math.floor((y - layout.top) / layout.cellHeight);
  const inside = row >= 0 && row < rows && column >= 0 && column < columns;
  return inside ? { row, column } : null;
}
