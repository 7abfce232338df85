// The translation as it appears: source words above, written words below, a
// curve for each weight. Written words are buttons.
import { linkVertical } from "d3-shape";
import { tokenText } from "../data/axis";
import type { Palette } from "../draw/color";
import { fitText, label, picture, textWidth } from "../draw/text";
import { svg } from "../ui/dom";

export interface LiveToken {
  text: string; // as people read it
  word: number; // tokens of one word stand together
  probability: number;
  weights: number[] | null; // on source tokens
}

export interface LiveSpec {
  source: { tokens: string[]; words: number[] };
  target: LiveToken[];
  width: number;
  palette: Palette;
  look: (token: number | null) => void;
}

export interface Live {
  svg: SVGSVGElement;
  /** Shows one word's curves alone, or all. */
  focus(token: number | null): void;
}

const kSize = 18;
const kLine = 34;
const kTop = 26;
const kGap = 84;

interface Spot {
  x: number; // middle
  y: number; // line
  width: number;
  text: string;
}

/** Breaks tokens into lines; words stay whole where they can. */
export function placeTokens(
  texts: string[],
  words: number[],
  room: number,
  measure: (text: string) => number,
): { spots: Spot[]; lines: number } {
  const spots: Spot[] = [];
  let x = 0;
  let line = 0;
  texts.forEach((text, i) => {
    const starts = i === 0 || words[i] === -1 || words[i] !== words[i - 1];
    const wide = measure(text);
    if (starts && i > 0) x += 10;
    if (starts && x > 0) {
      let whole = wide;
      for (
        let k = i + 1;
        k < texts.length && words[k] === words[i] && words[k] !== -1;
        ++k
      )
        whole += measure(texts[k]!);
      if (x + whole > room) {
        x = 0;
        ++line;
      }
    }
    spots.push({ x: x + wide / 2, y: line, width: wide, text });
    x += wide;
  });
  return { spots, lines: texts.length > 0 ? line + 1 : 0 };
}

class LivePicture implements Live {
  readonly svg: SVGSVGElement;
  private from: Spot[];
  private to: Spot[];
  private bottom: number;
  private curves: SVGGElement;
  private grounds: SVGRectElement[]; // behind source words
  private buttons: SVGGElement[];

  constructor(private spec: LiveSpec) {
    const room = spec.width - 8;
    const measure = (t: string) => textWidth(t, kSize);
    const fit = (t: string) => fitText(t, kSize, room);
    const from = placeTokens(
      spec.source.tokens.map((t) => fit(tokenText(t))),
      spec.source.words,
      room,
      measure,
    );
    const to = placeTokens(
      spec.target.map((t) => fit(t.text)),
      spec.target.map((t) => t.word),
      room,
      measure,
    );
    this.from = from.spots;
    this.to = to.spots;
    this.bottom = kTop + from.lines * kLine + kGap;
    this.svg = picture(
      spec.width,
      this.bottom + Math.max(1, to.lines) * kLine,
      "Translation and where it looked",
      { role: "group" },
    );
    this.curves = svg("g", { fill: "none", stroke: spec.palette.accent });
    this.grounds = this.from.map((spot) => this.ground(spot, kTop));
    this.buttons = this.to.map((spot, i) => this.button(spot, i));
    this.svg.append(
      this.curves,
      // Curves of a first line do not cross the words of a second.
      ...this.from.map((spot) => {
        const back = this.ground(spot, kTop);
        back.setAttribute("fill", spec.palette.ground);
        back.setAttribute("opacity", "0.8");
        return back;
      }),
      ...this.grounds,
      ...this.from.map((s) => this.word(s, kTop)),
      ...this.buttons,
    );
    this.focus(null);
  }

  private ground(spot: Spot, top: number): SVGRectElement {
    return svg("rect", {
      x: spot.x + 4 - spot.width / 2 - 3,
      y: top + spot.y * kLine - 19,
      width: spot.width + 6,
      height: 27,
      rx: 5,
      fill: this.spec.palette.accent,
      opacity: 0,
    });
  }

  private word(spot: Spot, top: number): SVGTextElement {
    return label(spot.text, spot.x + 4, top + spot.y * kLine, kSize, {
      "text-anchor": "middle",
      fill: this.spec.palette.text,
    });
  }

  private button(spot: Spot, i: number): SVGGElement {
    const p = this.spec.target[i]!.probability;
    const y = this.bottom + spot.y * kLine + 9;
    const x = spot.x + 4 - spot.width / 2;
    const bar = { x, y, height: 3, rx: 1.5 };
    const node = svg(
      "g",
      {
        class: "word-button",
        role: "button",
        tabindex: 0,
        "data-index": i,
        "aria-label": `${spot.text}, probability ${(100 * p).toFixed(0)} percent`,
      },
      this.ground(spot, this.bottom),
      this.word(spot, this.bottom),
      svg("rect", { ...bar, width: spot.width, fill: this.spec.palette.line }),
      svg("rect", {
        ...bar,
        width: spot.width * p,
        fill: this.spec.palette.accent,
        opacity: 0.75,
      }),
    );
    for (const event of ["pointerenter", "focus", "click"])
      node.addEventListener(event, () => this.spec.look(i));
    node.addEventListener("pointerleave", () => this.spec.look(null));
    return node;
  }

  focus(token: number | null): void {
    const looked = token === null ? null : this.spec.target[token]?.weights;
    this.grounds.forEach((node, j) =>
      node.setAttribute("opacity", (0.4 * (looked?.[j] ?? 0)).toFixed(2)),
    );
    this.buttons.forEach((node, i) =>
      node.firstElementChild!.setAttribute("opacity", i === token ? "0.3" : "0"),
    );
    const paths = this.spec.target.flatMap((_, i) =>
      token === null || i === token ? this.pathsOf(i, token === null) : [],
    );
    this.curves.replaceChildren(...paths);
  }

  private pathsOf(i: number, all: boolean): SVGPathElement[] {
    const link = linkVertical<[Spot, Spot], [number, number]>()
      .source(([s]) => [s.x + 4, kTop + s.y * kLine + 10])
      .target(([, t]) => [t.x + 4, this.bottom + t.y * kLine - 20]);
    return (this.spec.target[i]?.weights ?? []).flatMap((w, j) => {
      const s = this.from[j];
      const t = this.to[i];
      // All at once would be a thicket; one word shows its small ones, too.
      if (w < (all ? 0.15 : 0.02) || !s || !t) return [];
      return svg("path", {
        d: link([s, t]) ?? "",
        "stroke-width": (0.6 + 3 * w).toFixed(2),
        "stroke-opacity": (0.1 + 0.8 * w).toFixed(2),
        "data-weight": w,
      });
    });
  }
}

export function livePicture(spec: LiveSpec): Live {
  return new LivePicture(spec);
}
