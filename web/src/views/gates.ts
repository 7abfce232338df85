// E11: gates that let tokens in or keep them out.
import type { Doc, Gates } from "../data/document";
import { tokenTexts } from "../data/token_text";
import { barChart } from "../draw/bars";
import { el } from "../ui/dom";
import { figure } from "../ui/figure";
import { emptyNote, panes, type Host, type Mounted, type View } from "../ui/host";

function weightsOf(doc: Doc, gates: Gates): number[] | null {
  const layer =
    doc.layers.find((l) => l.name === gates.layer && l.keys === "source") ??
    doc.layers.find((l) => l.kind === "pooling" && l.keys === "source");
  return layer?.weights[0]?.[0] ?? null;
}

function drawGates(host: Host, doc: Doc, gates: Gates, width: number) {
  const labels = tokenTexts(doc.source.tokens);
  const open = gates.open.filter(Boolean).length;
  const density = gates.open.length > 0 ? open / gates.open.length : 0;
  const weights = weightsOf(doc, gates);
  return figure(host, doc, {
    name: `Gates of ${gates.layer}`,
    note:
      `${open} of ${gates.open.length} gates are open (density ` +
      `${density.toFixed(2)}). A bar is the probability that a gate is open; ` +
      "tokens behind closed gates are faint, and nothing is computed for them.",
    picture: barChart({
      name: `Gates of ${gates.layer}`,
      labels,
      values: gates.probability,
      max: 1,
      width: Math.min(width, 680),
      palette: host.palette,
      dim: gates.open.map((o) => !o),
      marks: gates.open.map(
        (o, i) =>
          (o ? "open" : "closed") +
          (weights ? `, weight ${(weights[i] ?? 0).toFixed(2)}` : ""),
      ),
    }),
    rows: () => [
      ["token", "probability", "open", ...(weights ? ["weight"] : [])],
      ...labels.map((label, i) => [
        label,
        gates.probability[i] ?? NaN,
        gates.open[i] ? 1 : 0,
        ...(weights ? [weights[i] ?? 0] : []),
      ]),
    ],
  });
}

function mount(host: Host): Mounted {
  const node = el("div");
  const draw = () =>
    node.replaceChildren(
      panes(host, (doc, w) =>
        doc.gates.length > 0
          ? el("div", {}, ...doc.gates.map((g) => drawGates(host, doc, g, w)))
          : emptyNote("This model has no gates."),
      ),
    );
  draw();
  return { node, draw };
}

export const gatesView: View = {
  id: "gates",
  title: "Gates",
  about: "Which tokens a gated model let in at all.",
  missing: (docs) =>
    docs.some((d) => d.gates.length > 0) ? null : "This model has no gates.",
  mount,
};
