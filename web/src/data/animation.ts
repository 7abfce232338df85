// E17: the frames of a translation: reading, then for each written token its
// scores, weights, context and word.
import type { Doc } from "./document";
import { tokenTexts } from "./token_text";

export type Phase = "read" | "score" | "weigh" | "context" | "write";

export interface Frame {
  phase: Phase;
  read: number; // source tokens read so far
  step: number; // target token at work, -1 while reading
}

const kWithAttention: Phase[] = ["score", "weigh", "context", "write"];
// As many, so that two models side by side keep step.
const kWithout: Phase[] = ["context", "context", "context", "write"];

export function framesOf(doc: Doc): Frame[] {
  const read = doc.source.tokens.length;
  const frames: Frame[] = doc.source.tokens.map((_, i) => ({
    phase: "read",
    read: i + 1,
    step: -1,
  }));
  const phases = doc.alignment ? kWithAttention : kWithout;
  (doc.target?.tokens ?? []).forEach((_, step) => {
    for (const phase of phases) frames.push({ phase, read, step });
  });
  return frames;
}

/** The mean of the states by weight; without attention, the last state. */
export function contextOf(doc: Doc, step: number): number[] {
  const states = doc.states.encoder;
  const last = states[states.length - 1] ?? [];
  const weights = doc.alignment?.weights[step];
  if (!weights) return last;
  return last.map((_, d) =>
    weights.reduce((sum, w, j) => sum + w * (states[j]?.[d] ?? 0), 0),
  );
}

export interface Scores {
  values: number[];
  /** Weights tell scores only up to a constant. */
  exact: boolean;
}

/** Scores of one head are known; of a mean of heads only its weights are. */
export function scoresOf(doc: Doc, step: number): Scores {
  const layer = doc.layers.find((l) => l.name === doc.alignment?.layer);
  const vectors = layer?.vectors;
  if (layer && vectors && layer.weights.length === 1) {
    const q = vectors.query[0]?.[step] ?? [];
    const values = (vectors.key[0] ?? []).map(
      (k) => vectors.scale * k.reduce((s, x, d) => s + x * (q[d] ?? 0), 0),
    );
    return { values, exact: true };
  }
  const weights = doc.alignment?.weights[step] ?? [];
  return { values: weights.map((w) => Math.log(Math.max(w, 1e-9))), exact: false };
}

export function frameText(doc: Doc, frame: Frame): string {
  const token = tokenTexts(doc.target?.tokens ?? [])[frame.step] ?? "";
  switch (frame.phase) {
    case "read":
      return `The encoder reads token ${frame.read}: one state more.`;
    case "score":
      return `Step ${frame.step + 1}: the decoder scores every state.`;
    case "weigh":
      return `Step ${frame.step + 1}: softmax turns scores into weights.`;
    case "context":
      return doc.alignment
        ? `Step ${frame.step + 1}: the context is the weighted mean of the states.`
        : `Step ${frame.step + 1}: without attention the last state must hold the whole sentence.`;
    case "write":
      return `Step ${frame.step + 1}: the token is \u201c${token}\u201d.`;
  }
}
