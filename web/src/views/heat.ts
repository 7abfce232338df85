// A heat map of weights with everything around it; most views end here.
import type { Doc, Matrix, Shown } from "../data/document";
import type { Rows } from "../draw/download";
import { heatmap, type HeatmapSpec } from "../draw/heatmap";
import { watchHeatmap, type Watch } from "../draw/heatmap_pointer";
import type { Child } from "../ui/dom";
import { figure } from "../ui/figure";
import type { Host } from "../ui/host";

export interface HeatOptions extends HeatmapSpec {
  note?: Child;
  title?: Child;
  watch?: Watch;
  caution?: boolean;
  shown?: Shown;
  layer?: string;
}

export function mapRows(
  corner: string,
  rows: string[],
  columns: string[],
  values: Matrix,
): Rows {
  return [
    [corner, ...columns],
    ...rows.map((label, i) => [label, ...(values[i] ?? [])]),
  ];
}

export function heatFigure(
  host: Host,
  doc: Doc | null,
  width: number,
  options: HeatOptions,
): HTMLElement {
  return figure(host, doc, {
    name: options.name,
    title: options.title,
    note: options.note,
    caution: options.caution,
    shown: options.shown,
    layer: options.layer,
    rows: () =>
      mapRows("", options.rows, options.columns, options.values),
    picture: (zoom) => {
      const map = heatmap(options, width, host.palette, zoom);
      watchHeatmap(map, options.watch);
      return map.svg;
    },
  });
}
