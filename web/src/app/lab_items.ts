// Keys and queries of the laboratory, to edit.
import type { Item } from "../data/lab_examples";
import { numberField } from "../ui/controls";
import { el } from "../ui/dom";
import type { Bench } from "./laboratory";

function rows(
  kind: string,
  items: Item[],
  valued: boolean,
  draw: () => void,
): HTMLElement {
  const head = ["", "first", "second", ...(valued ? ["gives"] : [])];
  return el(
    "table",
    {},
    el("caption", {}, kind),
    el("thead", {}, el("tr", {}, ...head.map((h) => el("th", { scope: "col" }, h)))),
    el(
      "tbody",
      {},
      ...items.map((item) =>
        el(
          "tr",
          {},
          el("th", { scope: "row", dir: "auto" }, item.label),
          ...([0, 1] as const).map((d) =>
            el(
              "td",
              {},
              numberField(`${kind} ${item.label}, number ${d + 1}`, item.vector[d], (x) => {
                item.vector[d] = x;
                draw();
              }),
            ),
          ),
          valued
            ? el(
                "td",
                {},
                numberField(`${kind} ${item.label} gives`, item.value, (x) => {
                  item.value = x;
                  draw();
                }),
              )
            : null,
        ),
      ),
    ),
  );
}

export function itemTable(bench: Bench, draw: () => void): HTMLElement {
  return el(
    "details",
    { class: "figure" },
    el("summary", {}, "Edit keys and queries"),
    el(
      "div",
      { class: "item-tables" },
      rows("Keys", bench.setup.keys, true, draw),
      rows("Queries", bench.setup.queries, false, draw),
    ),
  );
}
