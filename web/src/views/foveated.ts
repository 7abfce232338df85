// E15: the source as an eye would see it: sharp where the weight is, blurred
// elsewhere, while the focus moves from one written word to the next.
import { mergeWeights, sideAxis } from "../data/axis";
import type { Doc, Matrix, Shown } from "../data/document";
import { fitText, flowWords, isolated, label, picture } from "../draw/text";
import { el, svg } from "../ui/dom";
import { figure } from "../ui/figure";
import { emptyNote, panes, type Host, type Mounted, type View } from "../ui/host";
import { player, type Player } from "../ui/player";
import { chosenMap } from "./choice";

const kSize = 26;
const kLine = 48;
const kLevels = 6; // of blur

interface Sight {
  steps: string[];
  words: string[];
  weights: Matrix;
  shown?: Shown;
}

function sightOf(host: Host, doc: Doc): Sight | null {
  const map = chosenMap(doc, host.state);
  if (!map) return null;
  const units = { merge: true, special: "hide" } as const;
  const rows = sideAxis(doc, map.queries, units);
  const columns = sideAxis(doc, map.keys, units);
  return {
    steps: rows.labels,
    words: columns.labels,
    weights: mergeWeights(map.weights, rows, columns, { visible: map.visible }),
    shown: map.shown,
  };
}

/** 1 for the word with the largest weight of the row. */
export function sharpness(row: number[]): number[] {
  const most = Math.max(1e-9, ...row.filter((x) => !Number.isNaN(x)));
  return row.map((x) => (Number.isNaN(x) ? 0 : x / most));
}

function drawSight(host: Host, sight: Sight, step: number, width: number) {
  const room = Math.min(width, 900);
  const sharp = sharpness(sight.weights[step] ?? []);
  const texts = sight.words.map((word) => fitText(word, kSize, room - 12));
  const spots = flowWords(texts, { size: kSize, room: room - 8, gap: 10 });
  const height = 52 + kLine * (spots[spots.length - 1]?.line ?? 0);
  const root = picture(room, height, `What ${sight.steps[step] ?? ""} looked at`);
  const defs = svg("defs");
  for (let level = 1; level < kLevels; ++level)
    defs.append(
      svg(
        "filter",
        { id: `blur-${level}`, x: "-20%", y: "-30%", width: "140%", height: "160%" },
        svg("feGaussianBlur", { stdDeviation: level * 0.75 }),
      ),
    );
  root.append(defs);
  texts.forEach((text, j) => {
    const spot = spots[j]!;
    const s = sharp[j] ?? 0;
    const level = Math.round((kLevels - 1) * (1 - s));
    root.append(
      label(text, 4 + spot.x, 34 + spot.line * kLine, kSize, {
        fill: host.palette.text,
        opacity: (0.35 + 0.65 * s).toFixed(2),
        filter: level > 0 ? `url(#blur-${level})` : undefined,
        "data-weight": sight.weights[step]?.[j],
      }),
    );
  });
  return root;
}

function written(sight: Sight, step: number): HTMLElement {
  return el(
    "p",
    { class: "focus-line", dir: "auto" },
    ...sight.steps.flatMap((word, i) => [
      el("span", { class: i === step ? "focus" : i < step ? "" : "ahead" }, word),
      " ",
    ]),
  );
}

function mount(host: Host): Mounted {
  const body = el("div");
  const sights = host.docs.map((doc) => sightOf(host, doc));
  const frames = Math.max(1, ...sights.map((s) => s?.steps.length ?? 0));
  let step = host.state.index("focus", frames);
  const draw = () =>
    body.replaceChildren(
      panes(host, (doc, width) => {
        const sight = sights[host.docs.indexOf(doc)];
        if (!sight) return emptyNote("This model has no attention to show.");
        const at = Math.min(step, sight.steps.length - 1);
        return el(
          "div",
          {},
          written(sight, at),
          figure(host, doc, {
            name: `What ${isolated(sight.steps[at] ?? "")} looked at`,
            picture: drawSight(host, sight, at, width),
            shown: sight.shown,
            rows: () => [
              ["word", "weight"],
              ...sight.words.map((w, j) => [w, sight.weights[at]?.[j] ?? NaN]),
            ],
          }),
        );
      }),
    );
  const play: Player = player({
    frames,
    frame: step,
    delay: 900,
    show: (frame) => {
      step = frame;
      host.state.set("focus", frame);
      draw();
    },
    say: (frame) => sights[0]?.steps[frame] ?? "",
  });
  return {
    node: el("div", {}, play.node, body),
    draw,
    stop: () => play.stop(),
  };
}

export const foveatedView: View = {
  id: "foveated",
  title: "Foveated",
  about:
    "An eye sees sharply only where it looks. Words are as sharp as their " +
    "weight, step by step; the map chosen in the first view is used.",
  missing: (docs) =>
    docs.some((d) => d.alignment || d.layers.length > 0)
      ? null
      : "This document has no attention weights.",
  mount,
};
