// A button that copies the address, which holds the whole state of the page.
import { button } from "./controls";
import { announce } from "./dom";
import { addressOf, type State } from "./state";

export function linkButton(state: State): HTMLElement | null {
  // Browsers give the clipboard to pages they trust only.
  if (!navigator.clipboard) return null;
  const node = button(
    "Copy link",
    () => {
      void navigator.clipboard.writeText(addressOf(state)).then(
        () => done("Copied"),
        () => done("Not copied"),
      );
    },
    { class: "quiet-button" },
  );
  const done = (text: string) => {
    node.textContent = text;
    announce(text);
    setTimeout(() => (node.textContent = "Copy link"), 1500);
  };
  return node;
}
