// Zooming a picture inside its frame: it is laid out again, larger, so that
// more labels have room, and its frame scrolls. Ctrl and wheel, buttons, or the
// keys + - 0; the plain wheel keeps scrolling the page.
import { button } from "../ui/controls";
import { el } from "../ui/dom";

export interface Zoomable {
  frame: HTMLElement;
  buttons: HTMLElement[];
  picture(): SVGSVGElement;
}

const kMost = 16;

/** Labels stay in sight: see heatmap.ts for the groups. */
function keepLabels(frame: HTMLElement): void {
  const x = frame.scrollLeft;
  const y = frame.scrollTop;
  const move = (name: string, dx: number, dy: number) =>
    frame
      .querySelector(`.${name}`)
      ?.setAttribute("transform", `translate(${dx},${dy})`);
  move("row-labels", x, 0);
  move("column-labels", 0, y);
  move("corner", x, y);
}

export function zoomable(draw: (zoom: number) => SVGSVGElement): Zoomable {
  let zoom = 1;
  let picture = draw(1);
  const frame = el("div", { class: "zoom-frame" }, picture);
  frame.addEventListener("scroll", () => keepLabels(frame));

  const to = (next: number, x = 0.5, y = 0.5): void => {
    next = Math.min(kMost, Math.max(1, next));
    if (next === zoom) return;
    // The place under the pointer stays where it is.
    const atX = (frame.scrollLeft + x * frame.clientWidth) / frame.scrollWidth;
    const atY = (frame.scrollTop + y * frame.clientHeight) / frame.scrollHeight;
    const focused = document.activeElement === picture;
    zoom = next;
    picture = draw(zoom);
    frame.replaceChildren(picture);
    frame.classList.toggle("zoomed", zoom > 1);
    frame.scrollLeft = atX * frame.scrollWidth - x * frame.clientWidth;
    frame.scrollTop = atY * frame.scrollHeight - y * frame.clientHeight;
    if (focused) picture.focus();
    keepLabels(frame);
  };
  frame.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "=") to(zoom * 1.5);
    else if (event.key === "-") to(zoom / 1.5);
    else if (event.key === "0") to(1);
    else return;
    event.preventDefault();
  });
  frame.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = frame.getBoundingClientRect();
      to(
        zoom * 1.0015 ** -event.deltaY,
        (event.clientX - box.left) / box.width,
        (event.clientY - box.top) / box.height,
      );
    },
    { passive: false },
  );
  return {
    frame,
    buttons: [
      button("\u2212", () => to(zoom / 1.5), { "aria-label": "Zoom out" }),
      button("+", () => to(zoom * 1.5), { "aria-label": "Zoom in" }),
    ],
    picture: () => picture,
  };
}
