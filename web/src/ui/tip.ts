// The small note beside the pointer.
import { el } from "./dom";

let tip: HTMLElement | null = null;

export function showTip(text: string, x: number, y: number): void {
  if (!tip) {
    tip = el("div", { class: "tip", role: "presentation" });
    document.body.append(tip);
  }
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = Math.min(x + 14, document.documentElement.clientWidth - box.width - 8);
  const below = y + 16 + box.height < document.documentElement.clientHeight;
  tip.style.setProperty("left", `${Math.max(8, left)}px`);
  tip.style.setProperty("top", `${below ? y + 16 : y - box.height - 10}px`);
}

export function hideTip(): void {
  if (tip) tip.hidden = true;
}
