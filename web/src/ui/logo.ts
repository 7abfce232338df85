// The mark: a fovea, sharp in the middle.
import { svg } from "./dom";

export function logo(): SVGElement {
  return svg(
    "svg",
    { viewBox: "0 0 32 32", class: "logo", "aria-hidden": "true" },
    svg("circle", { cx: 16, cy: 16, r: 14, class: "logo-3" }),
    svg("circle", { cx: 16, cy: 16, r: 9, class: "logo-2" }),
    svg("circle", { cx: 16, cy: 16, r: 4, class: "logo-1" }),
  );
}
