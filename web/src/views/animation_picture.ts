// One frame of the seq2seq animation.
import { contextOf, scoresOf, type Frame } from "../data/animation";
import type { Doc } from "../data/document";
import { joinTokens, tokenTexts } from "../data/token_text";
import { hex, type Palette } from "../draw/color";
import {
  fitText,
  flowWords,
  label,
  maxWidth,
  picture,
  shortNumber,
} from "../draw/text";
import { svg, type Props } from "../ui/dom";

const kCell = 6;
const kFont = 13;
const kNarrow = 46; // columns for texts that stand upright
const kLeast = 12; // columns for upright texts; more of them scroll
const kUpright = 96; // room for an upright label
const kSmall = 11;
const kWord = 17; // size of what is written
const kLine = 26;

interface Stage {
  doc: Doc;
  frame: Frame;
  palette: Palette;
  column: number; // width of a source token
  narrow: boolean; // labels and numbers stand upright
  strip: number; // width of a state
  top: number; // of the encoder's states
  height: number; // of a state
  width: number;
  left: number; // of what is in sight, if not all is
  sight: number; // width of it
}

/** The source token that a frame is about. */
export function focusOf(doc: Doc, frame: Frame): number {
  if (frame.step < 0) return frame.read - 1;
  const weights = doc.alignment?.weights[frame.step];
  return weights ? weights.indexOf(Math.max(...weights)) : frame.read - 1;
}

function stageOf(doc: Doc, frame: Frame, width: number, palette: Palette): Stage {
  const labels = tokenTexts(doc.source.tokens);
  const longest = maxWidth(labels, kFont) + 10;
  const fit = (width - 8) / Math.max(1, labels.length);
  const column = Math.max(kLeast, Math.min(fit, Math.max(76, longest)));
  const narrow = column < kNarrow;
  const all = Math.max(column * labels.length + 8, Math.min(width, 420));
  const middle = (focusOf(doc, frame) + 0.5) * column + 4;
  return {
    doc,
    frame,
    palette,
    column,
    narrow,
    strip: Math.min(18, column - 3),
    top: narrow ? Math.min(maxWidth(labels, kSmall), kUpright) + 12 : 34,
    height: (doc.states.encoder[0]?.length ?? 0) * kCell,
    width: all,
    left: Math.round(Math.max(0, Math.min(middle - width / 2, all - width))),
    sight: Math.min(width, all),
  };
}

/** Below the token that is looked at most, where not all columns are in sight. */
function contextPlace(stage: Stage): number {
  if (stage.sight >= stage.width) return stage.width / 2;
  const x = center(stage, focusOf(stage.doc, stage.frame));
  return Math.max(stage.left + 150, Math.min(x, stage.left + stage.sight - 74));
}

function strip(stage: Stage, values: number[], x: number, y: number) {
  const group = svg("g");
  const most = Math.max(1e-9, ...values.map(Math.abs));
  values.forEach((v, d) =>
    group.append(
      svg("rect", {
        x: x - stage.strip / 2,
        y: y + d * kCell,
        width: stage.strip,
        height: kCell - 0.5,
        fill: hex(stage.palette.diverging(v / most)),
      }),
    ),
  );
  group.append(
    svg("rect", {
      x: x - stage.strip / 2 - 1,
      y: y - 1,
      width: stage.strip + 2,
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

/** A text over or under a column; upright ones end or begin at `y`. */
function columnText(
  stage: Stage,
  text: string,
  at: { x: number; y: number; below: boolean; size: number },
  props: Props,
): SVGTextElement {
  if (!stage.narrow)
    return label(text, at.x, at.y, at.size, { "text-anchor": "middle", ...props });
  return label(text, 0, 0, kSmall, {
    "text-anchor": at.below ? "end" : "start",
    transform: `translate(${at.x + 0.35 * kSmall},${at.y}) rotate(-90)`,
    ...props,
  });
}

function encoder(stage: Stage): SVGElement {
  const group = svg("g", { fill: stage.palette.text });
  const { doc, frame, palette } = stage;
  tokenTexts(doc.source.tokens).forEach((token, i) => {
    const x = center(stage, i);
    const done = i < frame.read;
    const shown = stage.narrow
      ? fitText(token, kSmall, kUpright)
      : fitText(token, kFont, stage.column - 6);
    const at = { x, y: stage.narrow ? stage.top - 7 : 18, below: false, size: kFont };
    group.append(
      columnText(stage, shown, at, {
        opacity: done ? 1 : 0.25,
        "font-weight": frame.phase === "read" && i === frame.read - 1 ? 700 : 400,
      }),
    );
    if (!done) return;
    group.append(strip(stage, doc.states.encoder[i] ?? [], x, stage.top));
    if (i > 0)
      group.append(
        svg("line", {
          x1: center(stage, i - 1) + stage.strip / 2 + 1,
          y1: stage.top + stage.height / 2,
          x2: x - stage.strip / 2 - 1,
          y2: stage.top + stage.height / 2,
          stroke: palette.line,
          "stroke-width": 1.5,
        }),
      );
  });
  return group;
}

/** Numbers and bars under the states. */
function looks(stage: Stage, top: number, bars: number): SVGElement {
  const group = svg("g");
  const { doc, frame, palette } = stage;
  const weights = doc.alignment?.weights[frame.step];
  if (!weights || frame.step < 0) return group;
  const scores = scoresOf(doc, frame.step).values;
  weights.forEach((w, i) => {
    const x = center(stage, i);
    const score = frame.phase === "score";
    const shown = score ? shortNumber(scores[i] ?? 0) : shortNumber(w);
    const at = { x, y: top, below: true, size: kSmall };
    group.append(columnText(stage, shown, at, { fill: palette.quiet }));
    if (score) return;
    group.append(
      svg("rect", {
        x: x - stage.strip / 2,
        y: bars,
        width: stage.strip,
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
  const x = contextPlace(stage);
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

/** What is written so far, word by word. */
function written(stage: Stage, y: number): { node: SVGElement; lines: number } {
  const { frame, palette } = stage;
  const node = svg("g", { class: "written" });
  const target = stage.doc.target!;
  const isNew = frame.phase === "write";
  const words: string[][] = [];
  target.tokens.slice(0, Math.max(0, frame.step + (isNew ? 1 : 0))).forEach((token, i) => {
    const goes = i > 0 && target.words[i] !== -1 && target.words[i] === target.words[i - 1];
    if (goes) words[words.length - 1]!.push(token);
    else words.push([token]);
  });
  const texts = words.map((word) => fitText(joinTokens(word), kWord, stage.sight - 8));
  const spots = flowWords(texts, { size: kWord, room: stage.sight - 8, gap: 6 });
  texts.forEach((text, i) => {
    const last = isNew && i === texts.length - 1;
    const spot = spots[i]!;
    node.append(
      label(text, stage.left + 4 + spot.x, y + spot.line * kLine, kWord, {
        "font-weight": last ? 700 : 400,
        fill: last ? palette.accent : palette.text,
      }),
    );
  });
  return { node, lines: 1 + (spots[spots.length - 1]?.line ?? 0) };
}

/** Where not all has room, `data-left` tells what must be in sight. */
export function animationPicture(
  doc: Doc,
  frame: Frame,
  width: number,
  palette: Palette,
): SVGSVGElement {
  const stage = stageOf(doc, frame, width, palette);
  const numbers = stage.top + stage.height + (stage.narrow ? 7 : 20);
  const bars = numbers + (stage.narrow ? 44 : 8);
  const from = bars + 44;
  const context = from + 62;
  const words = context + stage.height + 40;
  const text = written(stage, words);
  const root = picture(
    stage.width,
    words + (text.lines - 1) * kLine + 14,
    "Translation, step by step",
    { "data-left": stage.left },
  );
  root.append(
    encoder(stage),
    looks(stage, numbers, bars),
    lines(stage, doc.alignment ? from : numbers - 4, context - 4),
  );
  const seen = frame.phase === "context" || frame.phase === "write";
  if (frame.step >= 0 && seen) {
    const x = contextPlace(stage);
    const wide = { ...stage, strip: 18 };
    const quiet = { fill: palette.quiet };
    root.append(
      strip(wide, contextOf(doc, frame.step), x, context),
      label("context", x + 16, context + 12, 12, quiet),
    );
    const state = doc.states.decoder[frame.step];
    if (state && frame.phase === "write")
      root.append(
        strip(wide, state, x - 90, context),
        label("state", x - 106, context + 12, 12, { ...quiet, "text-anchor": "end" }),
      );
  }
  root.append(text.node);
  return root;
}
