// A button that copies the address, which holds the whole state of the page.
import { button } from "./controls";
import { announce } from "./dom";

export function linkButton(): HTMLElement | null {
  // Browsers give the clipboard to pages they trust only.
  if (!navigator.clipboard) return null;
  const node = button(
    "Copy link",
    () => {
      void navigator.clipboard.writeText(location.href).then(
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
