// What was tested on the model, in plain words. The limits are those of
// docs/faithfulness.md.

export interface Agreement {
  tau: number;
  significant: number;
  sameTop: number;
}

export interface Faithfulness {
  data: string;
  layer: string;
  sequence: boolean;
  texts: number;
  cases: number;
  accuracy: number;
  agreements: { name: string; about: string; value: Agreement }[];
  threshold: number;
  permuted: number;
  permutedSame: number;
  adversaryJs: number;
  adversaryFar: number;
  evidence: number | null;
  retrained: { name: string; value: number }[];
  verdict: Verdict | null; // that the test gave
  findings: string[];
  allowed: string[];
  notAllowed: string[];
}

type Json = Record<string, unknown>;

const kAgreements: [string, string, string][] = [
  ["gradient", "Gradients", "tokens whose embedding moves the output"],
  ["states", "Hidden states", "gradient \u00d7 state; the weight is a factor of it"],
  ["erasure", "Leaving out", "tokens whose absence moves the output"],
  ["input", "Gradient \u00d7 input", "attribution beside attention"],
  ["integrated", "Integrated gradients", "attribution beside attention"],
  ["reference", "The two tests with each other", "what one can hope for"],
];

const kRetrained: [string, string][] = [
  ["again", "The model, trained again"],
  ["uniform", "The same with uniform weights"],
  ["tokens-uniform", "A token-wise model, uniform weights"],
  ["tokens-learned", "A token-wise model, its own weights"],
  ["tokens-frozen", "A token-wise model with this model's weights"],
  ["tokens-adversary", "A token-wise model with an adversary's weights"],
];

const kGiven: Record<string, Verdict> = {
  supported: "explains",
  partly: "in part",
  not: "does not explain",
};

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** From faithfulness.json or from the whole report; null if it is neither. */
export function readFaithfulness(value: unknown): Faithfulness | null {
  if (!value || typeof value !== "object") return null;
  const report = value as Json;
  const o = (report.summary ?? report) as Json;
  if (typeof o.cases !== "number") return null;
  const number = (key: string) => (typeof o[key] === "number" ? (o[key] as number) : NaN);
  const agreement = (key: string): Agreement | null => {
    const a = o[key] as Json | undefined;
    if (!a || typeof a.tau !== "number") return null;
    return {
      tau: a.tau,
      significant: Number(a.significant) || 0,
      sameTop: Number(a["same-top"]) || 0,
    };
  };
  return {
    data: String(o.data ?? ""),
    layer: String(o.layer ?? ""),
    sequence: Boolean(o.sequence),
    texts: number("texts"),
    cases: o.cases,
    accuracy: number("accuracy"),
    agreements: kAgreements.flatMap(([key, name, about]) => {
      const found = agreement(key);
      return found ? [{ name, about, value: found }] : [];
    }),
    threshold: number("threshold"),
    permuted: number("permuted"),
    permutedSame: number("permuted-same"),
    adversaryJs: number("adversary-js"),
    adversaryFar: number("adversary-far"),
    evidence: number("evidence") >= 0 ? number("evidence") : null,
    retrained: kRetrained.flatMap(([key, name]) =>
      number(key) >= 0 ? [{ name, value: number(key) }] : [],
    ),
    verdict: kGiven[String(o.verdict)] ?? null,
    findings: texts(report.findings ?? o.findings),
    allowed: texts(report.allowed ?? o.allowed),
    notAllowed: texts(report.not_allowed ?? o["not-allowed"]),
  };
}

export type Verdict = "explains" | "in part" | "does not explain";

function agrees(a: Agreement | undefined, tau: number, top: number): boolean {
  return a !== undefined && (a.tau >= tau || a.sameTop >= top);
}

export function verdict(f: Faithfulness): Verdict {
  if (f.verdict) return f.verdict;
  const find = (name: string) =>
    f.agreements.find((a) => a.name === name)?.value;
  const gradient = find("Gradients");
  const erasure = find("Leaving out");
  const good = agrees(gradient, 0.5, 0.75) && agrees(erasure, 0.5, 0.75);
  const fair = agrees(gradient, 0.25, 0.5) && agrees(erasure, 0.25, 0.5);
  if (good && f.adversaryFar < 0.5 && f.permutedSame < 0.5) return "explains";
  return fair ? "in part" : "does not explain";
}

const kVerdicts: Record<Verdict, string> = {
  explains:
    "On these texts, this model's weights may be read as an explanation.",
  "in part":
    "On these texts, this model's weights explain its output in part only.",
  "does not explain":
    "On these texts, this model's weights do not explain its output.",
};

export function verdictText(f: Faithfulness): string {
  return kVerdicts[verdict(f)];
}

const share = (x: number) => `${Math.round(100 * x)} %`;

/** Sentences with their numbers, when the report brought none. */
export function plainWords(f: Faithfulness): string[] {
  if (f.findings.length > 0) return f.findings;
  const lines = f.agreements
    .filter((a) => a.name === "Gradients" || a.name === "Leaving out")
    .map(
      ({ name, about, value }) =>
        `${name}: large weights and ${about} agree with tau ` +
        `${value.tau.toFixed(2)}; the first token is the same in ` +
        `${share(value.sameTop)} of the cases.`,
    );
  if (f.permutedSame >= 0)
    lines.push(
      `Shuffling the weights leaves the output as it was in ` +
        `${share(f.permutedSame)} of the cases.`,
    );
  if (f.adversaryFar >= 0)
    lines.push(
      `Quite different weights with the same output exist in ` +
        `${share(f.adversaryFar)} of the cases (divergence 0.5 or more of at ` +
        `most 0.69; outputs nearer than ${Number(f.threshold.toPrecision(3))} count as the same).`,
    );
  if (f.evidence !== null)
    lines.push(
      `The largest weight lies on the word that decides in ${share(f.evidence)}.`,
    );
  return lines;
}
