// Colours in Oklab (Ottosson 2020), where distances are about as large as they
// look. Lightness alone tells small from large, so that the scales work for
// colour-blind readers and in print.

export type Rgb = [number, number, number];

function toByte(linear: number): number {
  const c = Math.min(1, Math.max(0, linear));
  const coded = c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
  return Math.round(255 * coded);
}

function fromPolar(lightness: number, chroma: number, degrees: number): Rgb {
  const angle = (degrees * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963378 * a + 0.2158038 * b) ** 3;
  const m = (lightness - 0.1055613 * a - 0.0638542 * b) ** 3;
  const s = (lightness - 0.0894842 * a - 1.2914855 * b) ** 3;
  return [
    toByte(4.0767417 * l - 3.3077116 * m + 0.2309699 * s),
    toByte(-1.2684380 * l + 2.6097574 * m - 0.3413194 * s),
    toByte(-0.0041961 * l - 0.7034186 * m + 1.7076147 * s),
  ];
}

function mix(from: number, to: number, t: number): number {
  return from + t * (to - from);
}

function clamp(t: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, Number.isNaN(t) ? 0 : t));
}

/** 0 fades into the ground, 1 stands out, on either ground. */
export function sequential(t: number, dark: boolean): Rgb {
  t = clamp(t, 0, 1);
  if (dark) {
    const chroma = mix(0.06, 0.155, t) - 0.1 * t * (1 - t);
    return fromPolar(mix(0.25, 0.93, t), chroma, mix(280, 103, t));
  }
  const chroma = mix(0.006, 0.14, t) + 0.12 * t * (1 - t);
  return fromPolar(mix(0.98, 0.28, t), Math.min(chroma, 0.14), mix(175, 280, t));
}

/** -1 blue, 0 ground, 1 orange. */
export function diverging(t: number, dark: boolean): Rgb {
  t = clamp(t, -1, 1);
  const size = Math.abs(t);
  const hue = t < 0 ? 250 : 55;
  const most = t < 0 ? 0.125 : 0.135;
  return dark
    ? fromPolar(mix(0.25, 0.82, size), most * Math.min(1, 1.5 * size), hue)
    : fromPolar(mix(0.97, 0.45, size), most * Math.min(1, 1.6 * size), hue);
}

export function hex([r, g, b]: Rgb): string {
  return "#" + [r, g, b].map((x) => x.toString(16).padStart(2, "0")).join("");
}

export function luminance(color: Rgb): number {
  const [r, g, b] = color.map((byte) => {
    const c = byte / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever is easier to read on it. */
export function textOn(ground: Rgb): string {
  return luminance(ground) > 0.179 ? "#0b0f14" : "#ffffff";
}

export interface Palette {
  dark: boolean;
  ground: string;
  text: string;
  quiet: string;
  line: string;
  card: string;
  accent: string;
  sequential(t: number): Rgb;
  diverging(t: number): Rgb;
  head(i: number): string;
}

// Okabe and Ito 2008, darkened for white ground and lightened for dark.
const kHeadsLight = ["#0072b2", "#c44601", "#00795b", "#a3528b", "#8a6d00",
  "#2f84c0", "#5b5b5b", "#7a3b00"];
const kHeadsDark = ["#56b4e9", "#f0884d", "#2fc79b", "#dd92c0", "#e6c229",
  "#7fb2ff", "#bdbdbd", "#d6a06c"];

/** The same numbers as style/theme.css, so that saved pictures need no CSS. */
export function palette(dark: boolean): Palette {
  const heads = dark ? kHeadsDark : kHeadsLight;
  return {
    dark,
    ground: dark ? "#14171c" : "#ffffff",
    text: dark ? "#e7eaee" : "#1c232b",
    quiet: dark ? "#9aa5b1" : "#5b6673",
    line: dark ? "#2d353f" : "#dfe4e9",
    card: dark ? "#1b2027" : "#f6f8fa",
    accent: dark ? "#8fb8ff" : "#2456b8",
    sequential: (t) => sequential(t, dark),
    diverging: (t) => diverging(t, dark),
    head: (i) => heads[i % heads.length]!,
  };
}
