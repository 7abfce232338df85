// One frame of the seq2seq animation.
import { contextOf, scoresOf, type Frame } from "../data/animation";
import type { Doc } from "../data/document";
import { tokenTexts } from "../data/token_text";
import { hex, type Palette } from "../draw/color";
import { fitText, label, maxWidth, picture, shortNumber } from "../draw/text";
import { svg } from "../ui/dom";

const kCell = 6;
const kStates = 34; // top of the encoder's states
const kFont = 13;

interface Stage {
  doc: Doc;
  frame: Frame;
  palette: Palette;
  column: number; // width of a source token
  height: number; // of a state
  width: number;
}

function strip(stage: Stage, values: number[], x: number, y: number) {
  const group = svg("g");
  const most = Math.max(1e-9, ...values.map(Math.abs));
  values.forEach((v, d) =>
    group.append(
      svg("rect", {
        x: x - 9,
        y: y + d * kCell,
        width: 18,
        height: kCell - 0.5,
        fill: hex(stage.palette.diverging(v / most)),
      }),
    ),
  );
  group.append(
    svg("rect", {
      x: x - 10,
      y: y - 1,
      width: 20,
      height: values.length * kCell + 1.5,
      fill: "none",
      stroke: stage.palette.line,
      rx: 2,
    }),
  );
  return group;
}

function center(stage: Stage, i: number): number {
  return (i + 0.5) * stage.column + 4;
}

function encoder(stage: Stage): SVGElement {
  const group = svg("g", { fill: stage.palette.text });
  const { doc, frame, palette } = stage;
  tokenTexts(doc.source.tokens).forEach((token, i) => {
    const x = center(stage, i);
    const done = i < frame.read;
    group.append(
      label(fitText(token, kFont, stage.column - 6), x, 18, kFont, {
        "text-anchor": "middle",
        opacity: done ? 1 : 0.25,
        "font-weight": frame.phase === "read" && i === frame.read - 1 ? 700 : 400,
      }),
    );
    if (!done) return;
    group.append(strip(stage, doc.states.encoder[i] ?? [], x, kStates));
    if (i > 0)
      group.append(
        svg("line", {
          x1: center(stage, i - 1) + 12,
          y1: kStates + stage.height / 2,
          x2: x - 12,
          y2: kStates + stage.height / 2,
          stroke: palette.line,
          "stroke-width": 1.5,
        }),
      );
  });
  return group;
}

/** Numbers and bars under the states. */
function looks(stage: Stage, top: number): SVGElement {
  const group = svg("g", { "font-size": 11, "text-anchor": "middle" });
  const { doc, frame, palette } = stage;
  const weights = doc.alignment?.weights[frame.step];
  if (!weights || frame.step < 0) return group;
  const scores = scoresOf(doc, frame.step).values;
  weights.forEach((w, i) => {
    const x = center(stage, i);
    const score = frame.phase === "score";
    const shown = score ? shortNumber(scores[i] ?? 0) : shortNumber(w);
    group.append(label(shown, x, top, 11, { fill: palette.quiet }));
    if (score) return;
    group.append(
      svg("rect", {
        x: x - 9,
        y: top + 8,
        width: 18,
        height: Math.max(1, 40 * w),
        rx: 2,
        fill: hex(palette.sequential(0.25 + 0.6 * w)),
        "data-weight": w,
      }),
    );
  });
  return group;
}

function lines(stage: Stage, from: number, to: number): SVGElement {
  const group = svg("g", { fill: "none", stroke: stage.palette.accent });
  const { doc, frame } = stage;
  if (frame.step < 0 || frame.phase === "score" || frame.phase === "weigh")
    return group;
  const x = stage.width / 2;
  const last = doc.source.tokens.length - 1;
  doc.source.tokens.forEach((_, i) => {
    const w = doc.alignment?.weights[frame.step]?.[i] ?? (i === last ? 1 : 0);
    if (w < 0.01) return;
    const s = center(stage, i);
    group.append(
      svg("path", {
        d: `M${s},${from}C${s},${(from + to) / 2} ${x},${(from + to) / 2} ${x},${to}`,
        "stroke-width": 0.6 + 3 * w,
        "stroke-opacity": (0.15 + 0.85 * w).toFixed(2),
      }),
    );
  });
  return group;
}

function written(stage: Stage, y: number): SVGElement {
  const { doc, frame, palette } = stage;
  const group = svg("g", { fill: palette.text });
  const target = doc.target!;
  const sofar = frame.phase === "write" ? frame.step + 1 : frame.step;
  let x = 4;
  const texts = tokenTexts(target.tokens);
  texts.slice(0, Math.max(0, sofar)).forEach((text, i) => {
    const starts = i === 0 || target.words[i] !== target.words[i - 1];
    const wide = maxWidth([text], 17);
    if (starts && i > 0) x += 6;
    const isNew = i === frame.step && frame.phase === "write";
    group.append(
      label(text, x, y, 17, {
        "font-weight": isNew ? 700 : 400,
        fill: isNew ? palette.accent : palette.text,
      }),
    );
    x += wide;
  });
  return group;
}

export function animationPicture(
  doc: Doc,
  frame: Frame,
  width: number,
  palette: Palette,
): SVGSVGElement {
  const labels = tokenTexts(doc.source.tokens);
  const size = doc.states.encoder[0]?.length ?? 0;
  const column = Math.max(
    46,
    Math.min((width - 8) / labels.length, Math.max(76, maxWidth(labels, kFont) + 10)),
  );
  const stage: Stage = {
    doc,
    frame,
    palette,
    column,
    height: size * kCell,
    width: Math.max(column * labels.length + 8, Math.min(width, 420)),
  };
  const numbers = kStates + stage.height + 20;
  const bars = numbers + 52;
  const context = bars + 62;
  const words = context + stage.height + 40;
  const root = picture(stage.width, words + 14, "Translation, step by step");
  root.append(
    encoder(stage),
    looks(stage, numbers),
    lines(stage, doc.alignment ? bars : numbers - 12, context - 4),
  );
  const seen = frame.phase === "context" || frame.phase === "write";
  if (frame.step >= 0 && seen) {
    const x = stage.width / 2;
    const quiet = { fill: palette.quiet };
    root.append(
      strip(stage, contextOf(doc, frame.step), x, context),
      label("context", x + 16, context + 12, 12, quiet),
    );
    const state = doc.states.decoder[frame.step];
    if (state && frame.phase === "write")
      root.append(
        strip(stage, state, x - 90, context),
        label("state", x - 106, context + 12, 12, { ...quiet, "text-anchor": "end" }),
      );
  }
  root.append(written(stage, words));
  return root;
}
