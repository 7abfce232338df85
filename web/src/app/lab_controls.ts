// The controls of the laboratory.
import { kSetups } from "../data/lab_examples";
import { kLabKeys, maskText } from "../data/lab_link";
import { kNormalisers, kScores, type Normaliser, type Score } from "../data/scores";
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
            for (const key of kLabKeys) state.remove(key);
            act.again();
          },
          { "aria-pressed": String(setup.id === current), class: "chip" },
        ),
      ),
    ),
  );
}

/** The kernel of the inverse distance has no width, the Gaussian no exponent. */
function sliders(bench: Bench, state: State, act: Act): HTMLElement[] {
  const p = bench.parameters;
  const isKernel = bench.score === "kernel";
  const width = range({
    label: isKernel ? "Width w of the kernel" : "Temperature",
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
  });
  const sharpening = range({
    label: isKernel ? "Exponent p" : "Sharpening \u03b2",
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
  });
  if (!isKernel) return [width, sharpening];
  return [p.gaussian ? width : sharpening];
}

function windowSlider(bench: Bench, state: State, act: Act): HTMLElement {
  const n = bench.setup.keys.length;
  return range({
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
  });
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
          state.set("mask", maskText(bench.masks.keys));
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
              state.set("gaussian", value);
              act.again();
            },
          )
        : select(
            "Normaliser",
            kNormalisers.map((value) => ({ value, label: value })),
            p.normaliser,
            (value) => {
              p.normaliser = value as Normaliser;
              state.set("normaliser", value);
              act.draw();
            },
          ),
      ...sliders(bench, state, act),
      windowSlider(bench, state, act),
    ),
    controls(masks(bench, state, act)),
  );
}
