// The toy of the composition view: words in a plane, projections to edit.
import { compose, makeToy, type Composed, type Pair, type Square, type Toy } from "../data/toy";
import { label, picture } from "../draw/text";
import { checkbox, controls, numberField } from "../ui/controls";
import { el, newId, svg } from "../ui/dom";
import { figure } from "../ui/figure";
import { type Host } from "../ui/host";
import type { State } from "../ui/state";
import { table } from "../ui/table";
import { heatFigure } from "./heat";

const kSize = 360;

/** Words, and where attention moves them. */
function plane(host: Host, toy: Toy, c: Composed): SVGSVGElement {
  const all = [...toy.embeddings, ...c.z].flat();
  const reach = Math.max(1, ...all.map(Math.abs)) * 1.2;
  const at = (v: number) => kSize / 2 + (v / reach) * (kSize / 2 - 20);
  const p = host.palette;
  const root = picture(kSize, kSize, "Words in a plane");
  const axis = (x1: number, y1: number, x2: number, y2: number) =>
    svg("line", { x1, y1, x2, y2, stroke: p.line });
  root.append(
    svg("rect", { width: kSize, height: kSize, fill: p.card, rx: 8 }),
    axis(0, kSize / 2, kSize, kSize / 2),
    axis(kSize / 2, 0, kSize / 2, kSize),
  );
  toy.words.forEach((word, i) => {
    const [x, y] = toy.embeddings[i]!;
    const [zx, zy] = c.z[i]!;
    const spot = { cx: at(x), cy: kSize - at(y) };
    const moved = { cx: at(zx), cy: kSize - at(zy) };
    root.append(
      svg("line", {
        x1: spot.cx,
        y1: spot.cy,
        x2: moved.cx,
        y2: moved.cy,
        stroke: p.accent,
        "stroke-opacity": 0.5,
        "stroke-dasharray": "3 3",
      }),
      svg("circle", { ...spot, r: 4, fill: p.quiet }),
      svg("circle", { ...moved, r: 5, fill: p.accent }),
      label(word, spot.cx + 7, spot.cy - 6, 12.5, { fill: p.text }),
    );
  });
  return root;
}

function squareField(
  name: string,
  square: Square,
  changed: () => void,
): HTMLElement {
  const id = newId("matrix");
  const cell = (i: 0 | 1, j: 0 | 1) =>
    numberField(`${name}, row ${i + 1}, column ${j + 1}`, square[i][j], (x) => {
      square[i][j] = x;
      changed();
    });
  return el(
    "div",
    { class: "control", role: "group", "aria-labelledby": id },
    el("span", { class: "control-label", id }, name),
    el("div", { class: "square" }, cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1)),
  );
}

const pair = ([a, b]: Pair) => `${a.toFixed(2)}, ${b.toFixed(2)}`;

function wordTable(toy: Toy, c: Composed): HTMLElement {
  return table(
    [
      ["word", "embedding x", "query q", "key k", "value v", "composite z"],
      ...toy.words.map((w, i) => [
        w,
        pair(toy.embeddings[i]!),
        pair(c.q[i]!),
        pair(c.k[i]!),
        pair(c.v[i]!),
        pair(c.z[i]!),
      ]),
    ],
    "Words, embeddings and projections",
  );
}

// The same animals in another context (SPEC E16).
const kExamples = [
  "The early bird catches the worm.",
  "The late worm escapes the early bird.",
];

const kSquares = ["query", "key", "value"] as const;

/** As the link says: four numbers of each projection. */
function toyOf(state: State): Toy {
  const toy = makeToy(state.text("toy", kExamples[0]!));
  for (const name of kSquares) {
    const [a, b, c, d] = state.text(`toy${name}`).split("_").map(Number);
    if ([a, b, c, d].every(Number.isFinite)) toy[name] = [[a!, b!], [c!, d!]];
  }
  toy.excludeSelf = state.flag("toyself", toy.excludeSelf);
  return toy;
}

export function toySection(host: Host): { node: HTMLElement; draw(): void } {
  const toy = toyOf(host.state);
  const body = el("div");
  const doc = host.docs[0]!;
  const draw = () => {
    const c = compose(toy);
    const width = host.width();
    body.replaceChildren(
      el(
        "div",
        { class: "toy-row" },
        figure(host, doc, {
          name: "Words in a plane",
          note: "Grey: a word's embedding; colour: its composite after attention.",
          picture: plane(host, toy, c),
          caution: false,
          rows: () => [
            ["word", "x1", "x2", "z1", "z2"],
            ...toy.words.map((w, i) => [w, ...toy.embeddings[i]!, ...c.z[i]!]),
          ],
        }),
        heatFigure(host, doc, Math.min(480, width), {
          name: "Weights of the toy",
          rows: toy.words,
          columns: toy.words,
          values: c.weights,
          max: 1,
          showValues: true,
          caution: false,
          note: "softmax of q \u00b7 k / \u221a2, row by row.",
        }),
      ),
      wordTable(toy, c),
    );
  };
  const changed = (name: (typeof kSquares)[number]) => {
    host.state.set(`toy${name}`, toy[name].flat().join("_"));
    draw();
  };
  const read = () => {
    const next = makeToy(sentence.value);
    toy.words = next.words;
    toy.embeddings = next.embeddings;
    host.state.set("toy", sentence.value);
    draw();
  };
  const sentence = el("input", {
    type: "text",
    class: "wide-input",
    "aria-label": "Words of the toy",
    dir: "auto",
    on: { input: read },
  });
  sentence.value = toy.words.join(" ");
  const example = (text: string) =>
    el(
      "button",
      {
        type: "button",
        class: "chip",
        on: {
          click: () => {
            sentence.value = text;
            read();
          },
        },
      },
      text,
    );
  const node = el(
    "section",
    {},
    el("h3", { class: "section" }, "A toy in two dimensions"),
    el(
      "p",
      { class: "about" },
      "Change the words or the three projections and watch who looks at whom. " +
        "The places of the words are made up.",
    ),
    el("div", { class: "chips" }, ...kExamples.map(example)),
    controls(
      el(
        "div",
        { class: "control grow" },
        el("span", { class: "control-label" }, "Words"),
        sentence,
      ),
      squareField("W_Q", toy.query, () => changed("query")),
      squareField("W_K", toy.key, () => changed("key")),
      squareField("W_V", toy.value, () => changed("value")),
      checkbox("Leave the word itself out", toy.excludeSelf, (on) => {
        toy.excludeSelf = on;
        host.state.set("toyself", on);
        draw();
      }),
    ),
    body,
  );
  draw();
  return { node, draw };
}
