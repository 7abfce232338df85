// Tables of numbers: what a picture shows, for those who cannot see it.
import type { Cell, Rows } from "../draw/download";
import { longNumber } from "../draw/text";
import { el } from "./dom";

function cellText(cell: Cell): string {
  if (typeof cell === "string") return cell;
  return Number.isInteger(cell) ? String(cell) : longNumber(cell);
}

export function table(rows: Rows, caption: string): HTMLElement {
  const [head = [], ...body] = rows;
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", { class: "only-read" }, caption),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ...head.map((c) => el("th", { scope: "col", dir: "auto" }, cellText(c))),
        ),
      ),
      el(
        "tbody",
        {},
        ...body.map((row) =>
          el(
            "tr",
            {},
            ...row.map((c, j) =>
              j === 0
                ? el("th", { scope: "row", dir: "auto" }, cellText(c))
                : el("td", { dir: "auto" }, cellText(c)),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Closed until asked for: a table of 200 x 200 is made only then. */
export function tableOnDemand(rows: () => Rows, caption: string): HTMLElement {
  const node = el(
    "details",
    { class: "numbers" },
    el("summary", {}, "Numbers as a table"),
  );
  node.addEventListener("toggle", () => {
    if (node.open && node.childElementCount === 1)
      node.append(table(rows(), caption));
  });
  return node;
}
