// Widths of texts in pictures. SVG has no layout, so places are computed.
import { svg, type Props } from "../ui/dom";

export const kFont =
  'system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';

let context: CanvasRenderingContext2D | null = null;
const known = new Map<string, number>();

export function textWidth(text: string, size: number, weight = 400): number {
  const key = `${size}/${weight}/${text}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return 0.6 * size * text.length;
  context.font = `${weight} ${size}px ${kFont}`;
  const width = context.measureText(text).width;
  if (known.size > 20000) known.clear();
  known.set(key, width);
  return width;
}

/** The text, or as much of its beginning as has room. */
export function fitText(text: string, size: number, room: number): string {
  if (textWidth(text, size) <= room) return text;
  // Whole characters: half an emoji is no text.
  const characters = [...text];
  let low = 0;
  let high = characters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const part = characters.slice(0, middle).join("") + "\u2026";
    if (textWidth(part, size) <= room) low = middle;
    else high = middle - 1;
  }
  return characters.slice(0, low).join("") + "\u2026";
}

export function maxWidth(texts: string[], size: number): number {
  return texts.reduce((most, t) => Math.max(most, textWidth(t, size)), 0);
}

const kRightToLeft = /[\u0590-\u08ff\ufb1d-\ufefc]/;

/** Whether words begin at the right: their first letter tells. */
export function isRightToLeft(words: string[]): boolean {
  const first = /\p{L}/u.exec(words.join(""))?.[0] ?? "";
  return kRightToLeft.test(first);
}

/** A word inside a sentence of ours, which its direction must not turn around. */
export function isolated(word: string): string {
  return kRightToLeft.test(word) ? `\u2068${word}\u2069` : word;
}

export interface WordSpot {
  x: number; // left end
  line: number;
  width: number;
}

type Direction = "left" | "right" | "none";

function directionOf(word: string): Direction {
  const first = /\p{L}/u.exec(word)?.[0];
  if (!first) return "none";
  return kRightToLeft.test(first) ? "left" : "right";
}

/**
 * The order in which the words of a line stand, seen from where it begins: words
 * of the other direction turn around, with what has no direction between them.
 */
export function writtenOrder(line: string[], leftward: boolean): number[] {
  const base: Direction = leftward ? "left" : "right";
  const directions = line.map(directionOf);
  const isOther = (i: number) => directions[i] !== "none" && directions[i] !== base;
  const order = line.map((_, i) => i);
  for (let first = 0; first < line.length; ++first) {
    if (!isOther(first)) continue;
    let end = first + 1; // behind the last of the run
    for (let i = end; i < line.length && directions[i] !== base; ++i)
      if (isOther(i)) end = i + 1;
    const run = order.slice(first, end).reverse();
    order.splice(first, run.length, ...run);
    first = end - 1;
  }
  return order;
}

/** Words in lines, in the direction in which they are written. */
export function flowWords(
  texts: string[],
  at: { size: number; room: number; gap: number },
): WordSpot[] {
  const leftward = isRightToLeft(texts);
  const widths = texts.map((text) => textWidth(text, at.size));
  const lines: number[][] = [[]];
  let end = 0;
  widths.forEach((width, i) => {
    if (end > 0 && end + width > at.room) {
      lines.push([]);
      end = 0;
    }
    lines[lines.length - 1]!.push(i);
    end += width + at.gap;
  });
  const spots: WordSpot[] = [];
  lines.forEach((words, line) => {
    let x = 0;
    for (const place of writtenOrder(words.map((i) => texts[i]!), leftward)) {
      const i = words[place]!;
      const width = widths[i]!;
      spots[i] = { x: leftward ? at.room - x - width : x, line, width };
      x += width + at.gap;
    }
  });
  return spots;
}

export function label(
  text: string,
  x: number,
  y: number,
  size: number,
  props: Props = {},
): SVGTextElement {
  // Else a full stop goes to the wrong end; `direction` would move the text.
  const shown = isRightToLeft([text]) ? `\u2067${text}\u2069` : text;
  return svg("text", { x, y, "font-size": size, ...props }, shown);
}

/** A picture that needs nothing from the page's style sheet. */
export function picture(
  width: number,
  height: number,
  name: string,
  props: Props = {},
): SVGSVGElement {
  return svg("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width: Math.round(width),
    height: Math.round(height),
    viewBox: `0 0 ${Math.round(width)} ${Math.round(height)}`,
    "font-family": kFont,
    role: "img",
    "aria-label": name,
    ...props,
  });
}

/** Numbers as people read them in a picture. */
export function shortNumber(x: number): string {
  if (Number.isNaN(x)) return "";
  if (Math.abs(x) < 0.005) return "0";
  const text = Math.abs(x) >= 100 ? x.toFixed(0) : x.toFixed(2);
  return text.replace("-", "\u2212").replace(/^(\u2212?)0\./, "$1.");
}

export function longNumber(x: number): string {
  if (Number.isNaN(x)) return "not visible";
  if (x !== 0 && Math.abs(x) < 0.0001)
    return x.toExponential(1).replace("-", "\u2212");
  return x.toFixed(4).replace("-", "\u2212");
}
