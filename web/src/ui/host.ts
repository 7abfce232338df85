// What a view gets from the page it is shown on, and what it gives back.
import type { Doc } from "../data/document";
import type { Palette } from "../draw/color";
import { el, words } from "./dom";
import type { State } from "./state";

export interface Host {
  docs: Doc[]; // those to show, side by side
  all: Doc[]; // all that were loaded
  state: State;
  readonly palette: Palette;
  /** Room for a picture of one of `columns`, px. */
  width(columns?: number): number;
  /** Goes to another view. */
  open(view: string): void;
}

export interface Mounted {
  node: HTMLElement;
  draw(): void; // again: other colours or another width
  stop?(): void;
}

export interface View {
  id: string;
  title: string;
  about: string;
  /** Why there is nothing to show, or null. */
  missing(docs: Doc[]): string | null;
  mount(host: Host): Mounted;
}

/** What tells two documents apart. */
export function docTitle(doc: Doc): HTMLElement {
  return el(
    "div",
    { class: "doc-title" },
    el("strong", {}, doc.model.name),
    " ",
    words(doc.source.text, { class: "quiet" }),
  );
}

/** One pane for each document shown; titles only if there are several. */
export function panes(
  host: Host,
  draw: (doc: Doc, width: number) => HTMLElement,
): HTMLElement {
  const count = host.docs.length;
  const width = host.width(count);
  return el(
    "div",
    { class: "panes", "data-panes": count },
    ...host.docs.map((doc) =>
      el(
        "section",
        { class: "pane", "aria-label": doc.model.name },
        count > 1 ? docTitle(doc) : null,
        draw(doc, width),
      ),
    ),
  );
}

export function emptyNote(text: string): HTMLElement {
  return el("p", { class: "empty" }, text);
}
