// The frame of every picture: title, picture, downloads, numbers as a table,
// and the sentence that a weight is not by itself an explanation (SPEC E10).
import { cautionOf, type Doc, type Shown } from "../data/document";
import type { Rows } from "../draw/download";
import { saveCsv, savePng, saveSvg } from "../draw/download";
import { zoomable } from "../draw/zoom";
import { button } from "./controls";
import { announce, el, scrollable, type Child } from "./dom";
import type { Host } from "./host";
import { tableOnDemand } from "./table";

export interface FigureSpec {
  name: string; // of files and for readers
  title?: Child;
  note?: Child;
  /** As a function of the zoom: the reader can zoom. */
  picture: SVGSVGElement | ((zoom: number) => SVGSVGElement);
  rows: () => Rows;
  /** Pictures of what is no map of weights need no caution. */
  caution?: boolean;
  shown?: Shown; // whose weights, if they are of one layer
  layer?: string; // whose picture it is; by default that of `shown`
}

/** The name that cautions and the command call a layer by. */
function realName(spec: FigureSpec): HTMLElement | null {
  const name = spec.layer ?? spec.shown?.layer;
  return name ? el("code", { class: "real-name" }, name) : null;
}

export function cautionLine(host: Host, doc: Doc, shown?: Shown): HTMLElement {
  const line = el("p", { class: "caution" }, cautionOf(doc, shown));
  if (doc.faithfulness)
    line.append(
      " ",
      button("What was tested", () => host.open("faithfulness"), {
        class: "link",
      }),
    );
  return line;
}

function downloads(
  host: Host,
  spec: FigureSpec,
  picture: () => SVGSVGElement,
): HTMLElement[] {
  const ground = () => host.palette.ground;
  const failed = (error: unknown) => announce(`Not saved: ${String(error)}`);
  return [
    button("SVG", () => saveSvg(spec.name, picture(), ground()), {
      "aria-label": `Download ${spec.name} as SVG`,
    }),
    button(
      "PNG",
      () => void savePng(spec.name, picture(), ground()).catch(failed),
      { "aria-label": `Download ${spec.name} as PNG` },
    ),
    button("CSV", () => saveCsv(spec.name, spec.rows()), {
      "aria-label": `Download ${spec.name} as CSV`,
    }),
  ];
}

function still(picture: SVGSVGElement, name: string): HTMLElement {
  const frame = el("div", { class: "picture" }, picture);
  scrollable(frame, picture, name);
  return frame;
}

export function figure(
  host: Host,
  doc: Doc | null,
  spec: FigureSpec,
): HTMLElement {
  const zoom =
    typeof spec.picture === "function" ? zoomable(spec.picture) : null;
  const fixed = zoom ? null : (spec.picture as SVGSVGElement);
  const picture = () => fixed ?? zoom!.picture();
  return el(
    "figure",
    { class: "figure" },
    el(
      "div",
      { class: "figure-head" },
      el("figcaption", {}, spec.title ?? spec.name, " ", realName(spec)),
      el(
        "div",
        { class: "tools" },
        ...(zoom?.buttons ?? []),
        ...downloads(host, spec, picture),
      ),
    ),
    spec.note ? el("p", { class: "note" }, spec.note) : null,
    zoom?.frame ?? still(fixed!, spec.name),
    doc && spec.caution !== false ? cautionLine(host, doc, spec.shown) : null,
    tableOnDemand(spec.rows, spec.name),
  );
}
