// A laboratory for attention mechanisms (SPEC A16). All is computed here.
import {
  kFacts,
  kSetups,
  parametersOf,
  type Setup,
} from "../data/lab_examples";
import { itemsText, readItems, readMask } from "../data/lab_link";
import {
  kNormalisers,
  kScores,
  scoreOf,
  visibleKeys,
  weightsFormula,
  weightsOf,
  type Masks,
  type Normaliser,
  type Parameters,
  type Score,
} from "../data/scores";
import { barChart } from "../draw/bars";
import { el } from "../ui/dom";
import { figure } from "../ui/figure";
import type { Host } from "../ui/host";
import type { State } from "../ui/state";
import type { Theme } from "../ui/theme";
import { heatFigure } from "../views/heat";
import { labControls } from "./lab_controls";
import { itemTable } from "./lab_items";

export interface Bench {
  setup: Setup; // a copy: keys and queries may be edited
  score: Score;
  parameters: Parameters;
  masks: Masks;
  query: number;
}

export interface Outcome {
  scores: number[][]; // not a number: masked
  weights: number[][];
  outputs: number[];
}

export function outcomeOf(bench: Bench): Outcome {
  const { setup, score, parameters } = bench;
  const seen = setup.queries.map((_, i) => visibleKeys(i, bench.masks));
  const raw = setup.queries.map((q) =>
    setup.keys.map((k, j) => scoreOf(score, q.vector, k.vector, j, parameters)),
  );
  const weights = raw.map((row, i) =>
    weightsOf(score, row, seen[i]!, parameters),
  );
  return {
    scores: raw.map((row, i) => row.map((e, j) => (seen[i]![j] ? e : NaN))),
    weights,
    outputs: weights.map((row) =>
      row.reduce((sum, w, j) => sum + w * setup.keys[j]!.value, 0),
    ),
  };
}

function benchOf(state: State): Bench {
  const setup =
    kSetups.find((s) => s.id === state.text("example")) ?? kSetups[0]!;
  const wanted = state.text("score") as Score;
  const parameters = parametersOf(setup);
  parameters.sharpening = state.number("beta", parameters.sharpening);
  parameters.temperature = Math.max(
    0.05,
    state.number("temperature", parameters.temperature),
  );
  const normaliser = state.text("normaliser") as Normaliser;
  if (kNormalisers.includes(normaliser)) parameters.normaliser = normaliser;
  parameters.gaussian = state.flag("gaussian", parameters.gaussian);
  const own = structuredClone(setup);
  readItems(state.text("keys"), own.keys);
  readItems(state.text("queries"), own.queries);
  const window = state.number("window", -1);
  return {
    setup: own,
    score: kScores.includes(wanted) ? wanted : setup.score,
    parameters,
    masks: {
      keys: readMask(state.text("mask"), setup),
      window: window < 0 ? null : window,
      causal: state.flag("causal"),
    },
    query: state.index("labquery", setup.queries.length),
  };
}

export class Laboratory {
  readonly node = el("div");
  private bench: Bench;
  private bar = el("div");
  private facts = el("div");
  private charts = el("div");
  private items = el("div");

  constructor(
    private state: State,
    private theme: Theme,
  ) {
    this.bench = benchOf(state);
    this.node.append(
      el("h2", {}, "Laboratory"),
      el(
        "p",
        { class: "about" },
        "A query meets keys: a score for each, weights from the scores, and a " +
          "weighted mean of what the keys give. Choose a mechanism, move the " +
          "sliders, edit the vectors.",
      ),
      this.bar,
      this.facts,
      this.charts,
      this.items,
    );
    theme.onChange(() => this.draw());
    addEventListener("resize", () => this.draw());
    state.onOpen(() => this.load());
    this.controls();
  }

  private controls(): void {
    this.bar.replaceChildren(
      labControls(this.bench, this.state, {
        draw: () => this.draw(),
        again: () => this.load(),
      }),
    );
    this.items.replaceChildren(
      itemTable(this.bench, () => {
        this.state.set("keys", itemsText(this.bench.setup.keys));
        this.state.set("queries", itemsText(this.bench.setup.queries));
        this.draw();
      }),
    );
  }

  /** As the state says. */
  load(): void {
    this.bench = benchOf(this.state);
    this.controls();
    this.draw();
  }

  private host(): Host {
    const theme = this.theme;
    return {
      docs: [],
      all: [],
      state: this.state,
      get palette() {
        return theme.palette;
      },
      width: () => this.charts.clientWidth - 40,
      open: () => undefined,
    };
  }

  draw(): void {
    if (this.node.hidden || !this.node.isConnected) return;
    const { bench } = this;
    const outcome = outcomeOf(bench);
    const fact = kFacts[bench.score];
    this.facts.replaceChildren(
      el("p", { class: "formula" }, `score(s, h) = ${fact.formula}`),
      el("p", { class: "formula" }, `weights = ${weightsFormula(bench.score, bench.parameters)}`),
      el("p", { class: "note" }, `${fact.facts}. ${bench.setup.about}`),
    );
    this.charts.replaceChildren(
      el(
        "div",
        { class: "chart-row" },
        this.bars(outcome, "scores"),
        this.bars(outcome, "weights"),
      ),
      this.map(outcome),
    );
  }

  private bars(outcome: Outcome, what: "scores" | "weights"): HTMLElement {
    const host = this.host();
    const { bench } = this;
    const query = bench.setup.queries[bench.query]!;
    const labels = bench.setup.keys.map((k) => k.label);
    const values = outcome[what][bench.query]!;
    const name = what === "scores" ? "Scores" : "Weights";
    const title = `${name} of ${query.label}`;
    const sum = values.reduce((a, b) => a + b, 0);
    return figure(host, null, {
      name: title,
      note:
        what === "scores"
          ? "One for each key; masked keys have none."
          : `They sum to ${sum.toFixed(3)}; the output is ` +
            `${outcome.outputs[bench.query]!.toFixed(3)}.`,
      picture: barChart({
        name: title,
        labels,
        values,
        width: this.barWidth(host.width()),
        palette: host.palette,
        signed: what === "scores" && values.some((v) => v < 0),
        max: what === "weights" ? 1 : undefined,
      }),
      rows: () => [
        ["key", what],
        ...labels.map((label, j) => [label, values[j] ?? NaN]),
      ],
    });
  }

  private barWidth(room: number): number {
    return Math.max(260, Math.min(560, (room - 40) / (room > 760 ? 2 : 1)));
  }

  private map(outcome: Outcome): HTMLElement {
    const { bench } = this;
    const host = this.host();
    return heatFigure(host, null, Math.min(host.width(), 760), {
      name: "All queries and keys",
      rows: bench.setup.queries.map((q) => q.label),
      columns: bench.setup.keys.map((k) => k.label),
      values: outcome.weights.map((row, i) =>
        row.map((w, j) => (Number.isNaN(outcome.scores[i]![j]!) ? NaN : w)),
      ),
      max: 1,
      sums: true,
      showValues: true,
    });
  }
}
