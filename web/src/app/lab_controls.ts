// The controls of the laboratory.
import { kSetups } from "../data/lab_examples";
import { kScores, type Normaliser, type Score } from "../data/scores";
import { button, checkbox, controls, range, segmented, select } from "../ui/controls";
import { el } from "../ui/dom";
import type { State } from "../ui/state";
import type { Bench } from "./laboratory";

const kNames: Record<Score, string> = {
  dot: "Dot",
  scaled_dot: "Scaled dot",
  general: "General",
  additive: "Additive",
  concat: "Concat",
  cosine: "Cosine",
  location: "Location",
  kernel: "Kernel",
};

interface Act {
  draw(): void;
  again(): void; // the example changed
}

/** Slider positions are powers, so that 0.1 is as near to 1 as 10 is. */
const power = (x: number) => 10 ** x;
const short = (x: number) => String(Number(x.toPrecision(2)));

function examples(state: State, act: Act): HTMLElement {
  const current = state.text("example", "sentence");
  return el(
    "div",
    { class: "control", role: "group", "aria-label": "Worked examples" },
    el("span", { class: "control-label" }, "Worked examples"),
    el(
      "div",
      { class: "chips" },
      ...kSetups.map((setup) =>
        button(
          setup.title,
          () => {
            state.set("example", setup.id);
            for (const key of ["score", "beta", "temperature", "window", "causal", "labquery"])
              state.remove(key);
            act.again();
          },
          { "aria-pressed": String(setup.id === current), class: "chip" },
        ),
      ),
    ),
  );
}

function sliders(bench: Bench, state: State, act: Act): HTMLElement[] {
  const p = bench.parameters;
  const n = bench.setup.keys.length;
  return [
    range({
      label: bench.score === "kernel" ? "Width of the kernel" : "Temperature",
      min: -1,
      max: 2,
      step: 0.01,
      value: Math.log10(p.temperature),
      show: (x) => short(power(x)),
      change: (x) => {
        p.temperature = power(x);
        state.set("temperature", short(p.temperature));
        act.draw();
      },
    }),
    range({
      label: bench.score === "kernel" ? "Exponent" : "Sharpening \u03b2",
      min: 0,
      max: 10,
      step: 0.1,
      value: p.sharpening,
      show: (x) => x.toFixed(1),
      change: (x) => {
        p.sharpening = x;
        state.set("beta", x);
        act.draw();
      },
    }),
    range({
      label: "Window",
      min: 0,
      max: n,
      step: 1,
      value: bench.masks.window ?? n,
      show: (x) => (x >= n ? "all" : `\u00b1 ${x}`),
      change: (x) => {
        bench.masks.window = x >= n ? null : x;
        if (x >= n) state.remove("window");
        else state.set("window", x);
        act.draw();
      },
    }),
  ];
}

function masks(bench: Bench, state: State, act: Act): HTMLElement {
  return el(
    "div",
    { class: "control", role: "group", "aria-label": "Mask" },
    el("span", { class: "control-label" }, "Mask: keys that may be looked at"),
    el(
      "div",
      { class: "mask-row" },
      checkbox("Causal", bench.masks.causal, (on) => {
        bench.masks.causal = on;
        state.set("causal", on);
        act.draw();
      }),
      ...bench.setup.keys.map((key, j) =>
        checkbox(key.label, bench.masks.keys[j]!, (on) => {
          bench.masks.keys[j] = on;
          act.draw();
        }),
      ),
    ),
  );
}

export function labControls(bench: Bench, state: State, act: Act): HTMLElement {
  const p = bench.parameters;
  return el(
    "div",
    {},
    examples(state, act),
    controls(
      select(
        "Mechanism",
        kScores.map((s) => ({ value: s, label: kNames[s] })),
        bench.score,
        (value) => {
          state.set("score", value);
          act.again();
        },
      ),
      select(
        "Query",
        bench.setup.queries.map((q, i) => ({
          value: String(i),
          label: `${i + 1}. ${q.label}`,
        })),
        String(bench.query),
        (value) => {
          bench.query = Number(value);
          state.set("labquery", value);
          act.draw();
        },
      ),
      bench.score === "kernel"
        ? segmented(
            "Kernel",
            [
              { value: "0", label: "1 / distance" },
              { value: "1", label: "Gaussian" },
            ],
            p.gaussian ? "1" : "0",
            (value) => {
              p.gaussian = value === "1";
              act.draw();
            },
          )
        : select(
            "Normaliser",
            ["softmax", "sigmoid", "sparsemax"].map((value) => ({
              value,
              label: value,
            })),
            p.normaliser,
            (value) => {
              p.normaliser = value as Normaliser;
              act.draw();
            },
          ),
      ...sliders(bench, state, act),
    ),
    controls(masks(bench, state, act)),
  );
}
