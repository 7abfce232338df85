// Looking into a heat map: by pointer, finger or arrow keys.
import { announce } from "../ui/dom";
import { hideTip, showTip } from "../ui/tip";
import type { Heatmap } from "./heatmap";
import { cellAt } from "./heatmap_layout";
import { isolated, longNumber } from "./text";

export interface Watch {
  /** What a cell says; the default names row, column and value. */
  say?: (row: number, column: number) => string;
  look?: (row: number | null, column: number | null) => void;
}

export function watchHeatmap(map: Heatmap, watch: Watch = {}): void {
  const { svg, spec, layout } = map;
  const rows = spec.rows.length;
  const columns = spec.columns.length;
  if (rows === 0 || columns === 0) return;
  let row = 0;
  let column = 0;

  const say =
    watch.say ??
    ((i: number, j: number) =>
      `${isolated(spec.rows[i]!)} \u2192 ${isolated(spec.columns[j]!)}: ` +
      longNumber(spec.values[i]?.[j] ?? NaN));

  const look = (i: number, j: number): void => {
    row = i;
    column = j;
    map.mark(i, j);
    watch.look?.(i, j);
  };
  const leave = (): void => {
    map.unmark();
    hideTip();
    watch.look?.(null, null);
  };
  // A picture may be shown smaller or larger than it was laid out.
  const place = (event: PointerEvent) => {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    return cellAt(x, y, layout, rows, columns);
  };

  svg.addEventListener("pointermove", (event) => {
    const cell = place(event);
    if (!cell) return leave();
    look(cell.row, cell.column);
    showTip(say(cell.row, cell.column), event.clientX, event.clientY);
  });
  svg.addEventListener("pointerleave", leave);

  svg.setAttribute("tabindex", "0");
  svg.setAttribute("role", "application");
  svg.setAttribute("aria-roledescription", "heat map");
  svg.setAttribute(
    "aria-label",
    `${spec.name}. ${rows} rows, ${columns} columns. Arrow keys move.`,
  );
  svg.addEventListener("keydown", (event) => {
    const steps: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      Home: [0, -columns],
      End: [0, columns],
    };
    if (event.key === "Escape") return leave();
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const i = Math.min(rows - 1, Math.max(0, row + step[0]));
    const j = Math.min(columns - 1, Math.max(0, column + step[1]));
    look(i, j);
    const box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    const x = layout.left + (j + 1) * layout.cellWidth;
    const y = layout.top + (i + 1) * layout.cellHeight;
    showTip(say(i, j), box.left + x * scale, box.top + y * scale);
    announce(say(i, j));
  });
  svg.addEventListener("focus", () => {
    if (svg.matches(":focus-visible")) look(row, column);
  });
  svg.addEventListener("blur", leave);
}
