// What the reader changed in the laboratory, as text for a link. Only signs
// that stay as they are in an address.
import type { Item, Setup } from "./lab_examples";

/** Numbers of each item: x_y_value*x_y_value. */
export function itemsText(items: Item[]): string {
  return items.map((i) => [...i.vector, i.value].join("_")).join("*");
}

/** Into items that stand already; a text of another form changes nothing. */
export function readItems(text: string, items: Item[]): void {
  const rows = text.split("*").map((row) => row.split("_").map(Number));
  const fits = rows.every((row) => row.length === 3 && row.every(Number.isFinite));
  if (text === "" || rows.length !== items.length || !fits) return;
  items.forEach((item, i) => {
    const [x, y, value] = rows[i] as [number, number, number];
    item.vector = [x, y];
    item.value = value;
  });
}

/** A sign for each key: 1 may be looked at, 0 not. */
export function maskText(keys: boolean[]): string {
  return keys.map((on) => (on ? "1" : "0")).join("");
}

export function readMask(text: string, setup: Setup): boolean[] {
  const fits = text.length === setup.keys.length && /^[01]*$/.test(text);
  return setup.keys.map((_, j) => !fits || text[j] === "1");
}

/** The state of one example; another begins afresh. */
export const kLabKeys = [
  "score",
  "beta",
  "temperature",
  "window",
  "causal",
  "labquery",
  "normaliser",
  "gaussian",
  "mask",
  "keys",
  "queries",
] as const;
