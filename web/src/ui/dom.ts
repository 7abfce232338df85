// Makes elements. Texts become text nodes only, never markup: tokens may look
// like HTML. Styles go through the CSSOM, which a strict policy allows.

export type Child = Node | string | number | null | undefined | false;

type Handlers = {
  [E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E]) => void;
};

export interface Props {
  class?: string;
  on?: Handlers;
  style?: Record<string, string>;
  [attribute: string]: unknown;
}

const kSvg = "http://www.w3.org/2000/svg";

function setProps(node: HTMLElement | SVGElement, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [event, handler] of Object.entries(value as Handlers))
        node.addEventListener(event, handler as EventListener);
    } else if (name === "style") {
      for (const [key, style] of Object.entries(value as Props))
        node.style.setProperty(key, String(style));
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

function append(node: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  setProps(node, props);
  append(node, children);
  return node;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const node = document.createElementNS(kSvg, tag);
  setProps(node, props);
  append(node, children);
  return node;
}

/** Words of a text, in whichever direction it is written. */
export function words(text: string, props: Props = {}): HTMLElement {
  return el("bdi", { dir: "auto", ...props }, text);
}

/** Lets keys scroll what has no room for its content. */
export function scrollable(node: HTMLElement, content: Element, name: string): void {
  const observer = new ResizeObserver(() => {
    const scrolls =
      node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight;
    if (scrolls) setProps(node, { tabindex: 0, role: "region", "aria-label": name });
    else for (const key of ["tabindex", "role", "aria-label"]) node.removeAttribute(key);
  });
  observer.observe(node);
  observer.observe(content);
}

let last = 0;

/** An id that no other element of the page has. */
export function newId(prefix: string): string {
  return `${prefix}-${++last}`;
}

const live = new WeakMap<Document, HTMLElement>();

/** Tells screen readers, politely. */
export function announce(text: string): void {
  let region = live.get(document);
  if (!region) {
    region = el("div", { class: "only-read", "aria-live": "polite" });
    live.set(document, region);
    document.body.append(region);
  }
  region.textContent = text;
}
