// Horizontal bars with labels and numbers.
import { scaleLinear } from "d3-scale";
import { svg } from "../ui/dom";
import { hex, type Palette } from "./color";
import { fitText, label, maxWidth, picture, shortNumber } from "./text";

export interface BarSpec {
  name: string;
  labels: string[];
  values: number[];
  width: number;
  palette: Palette;
  max?: number;
  /** Bars below 0 go to the left. */
  signed?: boolean;
  dim?: boolean[]; // drawn faintly
  marks?: string[]; // at the right end
}

const kFont = 13;
const kStep = 24;
const kNumber = 52;

export function barChart(spec: BarSpec): SVGSVGElement {
  const room = Math.min(0.36 * spec.width, maxWidth(spec.labels, kFont));
  const left = room + 10;
  const marks = spec.marks ? maxWidth(spec.marks, 12) + 10 : 0;
  const sizes = spec.values.map((v) => (Number.isFinite(v) ? Math.abs(v) : 0));
  const most = spec.max ?? Math.max(1e-9, ...sizes);
  const right = spec.width - kNumber - marks;
  const x = scaleLinear()
    .domain([spec.signed ? -most : 0, most])
    .range([left + (spec.signed ? kNumber - 10 : 0), right])
    .clamp(true);
  const root = picture(spec.width, spec.values.length * kStep + 8, spec.name);
  const ink = (v: number) =>
    hex(
      spec.signed
        ? spec.palette.diverging(Math.sign(v) * 0.7)
        : spec.palette.sequential(0.55),
    );
  spec.values.forEach((value, i) => {
    const y = 4 + i * kStep;
    const text = y + kStep / 2 + 0.35 * kFont;
    const zero = x(0);
    const end = Number.isFinite(value) ? x(value) : zero;
    const faint = spec.dim?.[i] ? 0.35 : 1;
    root.append(
      svg(
        "g",
        { "font-size": kFont, fill: spec.palette.text, opacity: faint },
        label(fitText(spec.labels[i] ?? "", kFont, room), room, text, kFont, {
          "text-anchor": "end",
        }),
        svg("rect", {
          x: Math.min(zero, end),
          y: y + 5,
          width: Math.max(1, Math.abs(end - zero)),
          height: kStep - 10,
          rx: 3,
          fill: ink(value),
          "data-value": value,
        }),
        label(
          Number.isFinite(value) ? shortNumber(value) : "\u2212\u221e",
          value < 0 && Number.isFinite(value) ? end - 6 : Math.max(end, zero) + 6,
          text,
          12,
          {
            fill: spec.palette.quiet,
            "text-anchor": value < 0 && Number.isFinite(value) ? "end" : "start",
          },
        ),
        spec.marks
          ? label(spec.marks[i] ?? "", spec.width - 2, text, 12, {
              "text-anchor": "end",
              fill: spec.palette.quiet,
            })
          : null,
      ),
    );
  });
  return root;
}
