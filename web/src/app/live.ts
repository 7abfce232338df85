// The translation as it appears: words that were read above, words that were
// written below, a curve for each weight; part by part. Written words are
// buttons. What stands already is not drawn again when a word is added.
import { linkVertical } from "d3-shape";
import type { ReadWord, WrittenWord } from "../data/live_words";
import type { Palette } from "../draw/color";
import { fitText, isRightToLeft, label, picture, textWidth } from "../draw/text";
import { svg } from "../ui/dom";

export interface LiveSpec {
  read: ReadWord[];
  width: number;
  palette: Palette;
  /** What a voice says of a word. */
  say: (word: WrittenWord) => string;
  look: (word: number | null) => void;
}

const kSize = 18;
const kLine = 34;
const kTop = 26;
const kGap = 84;
const kBetween = 22; // parts
const kSpace = 10; // between words

interface Spot {
  x: number; // middle
  y: number; // line
  width: number;
  text: string;
}

/**
 * Words in lines; the next goes behind the last, or to the next line. The
 * first word tells the direction.
 */
export class Lines {
  readonly spots: Spot[] = [];
  private mirrored = false;

  constructor(
    private room: number,
    private measure: (text: string) => number,
  ) {}

  get count(): number {
    return this.spots.length > 0 ? this.spots[this.spots.length - 1]!.y + 1 : 0;
  }

  add(text: string): Spot {
    const width = this.measure(text);
    const last = this.spots[this.spots.length - 1];
    if (!last) this.mirrored = isRightToLeft([text]);
    const turned = (x: number) => (this.mirrored ? this.room - x : x);
    const x = last ? turned(last.x) + last.width / 2 + kSpace : 0;
    const fits = !last || x + width <= this.room;
    const y = last ? last.y + (fits ? 0 : 1) : 0;
    const spot = { x: turned((fits ? x : 0) + width / 2), y, width, text };
    this.spots.push(spot);
    return spot;
  }
}

interface Part {
  node: SVGGElement;
  top: number;
  bottom: number; // of the first written line, from the top
  first: number; // of the words that were read
  curves: SVGGElement;
  grounds: SVGRectElement[]; // behind words that were read
  read: Lines;
  written: Lines;
}

interface Drawn {
  word: WrittenWord;
  part: Part;
  spot: Spot;
  button: SVGGElement;
  ground: SVGRectElement;
  curves: SVGGElement;
}

export class LivePicture {
  readonly svg: SVGSVGElement;
  private parts: Part[] = [];
  private drawn: Drawn[] = [];
  private focused: number | null = null;

  constructor(private spec: LiveSpec) {
    this.svg = picture(spec.width, kTop, "Translation and where it looked", {
      role: "group",
    });
    this.openPart(0);
    this.fitHeight();
  }

  /** Draws those that are new; words before them must be the same objects. */
  show(words: WrittenWord[]): void {
    let same = 0;
    while (same < this.drawn.length && this.drawn[same]!.word === words[same])
      ++same;
    const focus = this.drawn.findIndex((d) => d.button === document.activeElement);
    for (const old of this.drawn.splice(same)) this.remove(old);
    for (const word of words.slice(same)) this.append(word);
    this.fitHeight();
    this.focus(this.focused);
    if (focus >= same) this.drawn[focus]?.button.focus();
  }

  /** Shows one word's curves alone in its part, or all. */
  focus(index: number | null): void {
    this.focused = index;
    const looked = index === null ? undefined : this.drawn[index];
    this.drawn.forEach((drawn, i) => {
      const hidden = drawn.part === looked?.part;
      drawn.curves.setAttribute("visibility", hidden ? "hidden" : "inherit");
      drawn.ground.setAttribute("opacity", i === index ? "0.3" : "0");
    });
    for (const part of this.parts) {
      part.curves.querySelector(".looked")?.remove();
      part.grounds.forEach((node, j) => {
        const w = looked?.word.weights?.[part.first + j] ?? 0;
        node.setAttribute("opacity", (0.4 * w).toFixed(2));
      });
    }
    // All at once would be a thicket; one word shows its small ones, too.
    looked?.part.curves.append(this.curvesOf(looked, 0.02, "looked"));
  }

  private lines(): Lines {
    return new Lines(this.spec.width - 8, (text) => textWidth(text, kSize));
  }

  private fit(text: string): string {
    return fitText(text, kSize, this.spec.width - 8);
  }

  private openPart(number: number): Part {
    const last = this.parts[this.parts.length - 1];
    const top = last ? last.top + this.heightOf(last) + kBetween : 0;
    const words = this.spec.read.filter((w) => w.part === number);
    const read = this.lines();
    const spots = words.map((w) => read.add(this.fit(w.text)));
    const part: Part = {
      node: svg("g", { transform: `translate(0,${top})` }),
      top,
      bottom: kTop + read.count * kLine + kGap,
      first: this.spec.read.findIndex((w) => w.part === number),
      curves: svg("g", { fill: "none", stroke: this.spec.palette.accent }),
      grounds: spots.map((spot) => this.ground(spot, kTop)),
      read,
      written: this.lines(),
    };
    // Curves of a first line do not cross the words of a second.
    const backs = spots.map((spot) => this.back(spot, kTop));
    const texts = spots.map((s, i) => this.text(s, kTop, words[i]!.mark));
    part.node.append(part.curves, ...backs, ...part.grounds, ...texts);
    this.svg.append(part.node);
    this.parts[number] = part;
    return part;
  }

  private append(word: WrittenWord): void {
    const part = this.parts[word.part] ?? this.openPart(word.part);
    const spot = part.written.add(this.fit(word.text));
    const index = this.drawn.length;
    const ground = this.ground(spot, part.bottom);
    const button = this.button(part, spot, word, index);
    button.prepend(this.back(spot, part.bottom), ground);
    const drawn = { word, part, spot, button, ground, curves: svg("g") };
    drawn.curves = this.curvesOf(drawn, 0.15, "all");
    part.curves.append(drawn.curves);
    part.node.append(button);
    this.drawn.push(drawn);
  }

  private remove(drawn: Drawn): void {
    drawn.button.remove();
    drawn.curves.remove();
    drawn.part.written.spots.pop();
  }

  private heightOf(part: Part): number {
    return part.bottom + Math.max(1, part.written.count) * kLine;
  }

  private fitHeight(): void {
    const last = this.parts[this.parts.length - 1]!;
    const height = last.top + this.heightOf(last);
    this.svg.setAttribute("height", String(height));
    this.svg.setAttribute("viewBox", `0 0 ${Math.round(this.spec.width)} ${height}`);
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

  /** Keeps curves to other lines off the word. */
  private back(spot: Spot, top: number): SVGRectElement {
    const back = this.ground(spot, top);
    back.setAttribute("fill", this.spec.palette.ground);
    back.setAttribute("opacity", "0.8");
    return back;
  }

  private text(spot: Spot, top: number, mark: boolean): SVGTextElement {
    const { palette } = this.spec;
    return label(spot.text, spot.x + 4, top + spot.y * kLine, kSize, {
      "text-anchor": "middle",
      fill: mark ? palette.quiet : palette.text,
    });
  }

  private button(part: Part, spot: Spot, word: WrittenWord, index: number) {
    const p = Math.exp(word.logProbability);
    const y = part.bottom + spot.y * kLine + 9;
    const bar = { x: spot.x + 4 - spot.width / 2, y, height: 3, rx: 1.5 };
    const { line, accent } = this.spec.palette;
    const node = svg(
      "g",
      {
        class: "word-button",
        role: "button",
        tabindex: 0,
        "data-index": index,
        "aria-label": this.spec.say(word),
      },
      this.text(spot, part.bottom, word.number < 0),
      ...(Number.isNaN(p)
        ? []
        : [
            svg("rect", { ...bar, width: spot.width, fill: line }),
            svg("rect", { ...bar, width: spot.width * p, fill: accent, opacity: 0.75 }),
          ]),
    );
    for (const event of ["pointerenter", "focus", "click"])
      node.addEventListener(event, () => this.spec.look(index));
    node.addEventListener("pointerleave", () => this.spec.look(null));
    return node;
  }

  private curvesOf({ word, part, spot }: Drawn, least: number, name: string) {
    const link = linkVertical<[Spot, Spot], [number, number]>()
      .source(([s]) => [s.x + 4, kTop + s.y * kLine + 10])
      .target(([, t]) => [t.x + 4, part.bottom + t.y * kLine - 20]);
    const group = svg("g", { class: name });
    part.read.spots.forEach((from, j) => {
      const w = word.weights?.[part.first + j] ?? 0;
      if (w < least) return;
      group.append(
        svg("path", {
          d: link([from, spot]) ?? "",
          "stroke-width": (0.6 + 3 * w).toFixed(2),
          "stroke-opacity": Math.min(1, 0.1 + 0.8 * w).toFixed(2),
          "data-weight": w,
        }),
      );
    });
    return group;
  }
}
