// Entry of the page that `fovea explain --html` writes: documents inside the
// page, no server.
import { readDocuments, type Doc } from "./data/document";
import { el } from "./ui/dom";
import { emptyNote } from "./ui/host";
import { linkButton } from "./ui/link";
import { logo } from "./ui/logo";
import { Shell } from "./ui/shell";
import { pageState } from "./ui/state";
import { Theme } from "./ui/theme";

function documents(): Doc[] {
  const text = document.getElementById("document")?.textContent ?? "";
  return readDocuments(JSON.parse(text));
}

function sentences(docs: Doc[]): HTMLElement {
  const pairs = docs.map((doc) => {
    const written = doc.target?.text ?? doc.labels[0]?.label;
    return el(
      "div",
      { class: "pair" },
      el("p", { class: "sentence", dir: "auto" }, doc.source.text),
      written
        ? el("p", { class: "sentence strong", dir: "auto" }, written)
        : null,
      el(
        "p",
        { class: "quiet small" },
        `Model ${doc.model.name}`,
        doc.model.parameters
          ? `, ${(doc.model.parameters / 1e6).toFixed(1)} million parameters`
          : "",
      ),
    );
  });
  return el("div", { class: "sentences" }, ...pairs);
}

function start(): void {
  const theme = new Theme();
  const state = pageState();
  const page = document.getElementById("page")!;
  page.append(
    el(
      "header",
      { class: "top" },
      logo(),
      el("h1", {}, "Fovea"),
      el("span", { class: "spacer" }),
      linkButton(state),
      theme.button(),
    ),
  );
  let docs: Doc[];
  try {
    docs = documents();
  } catch {
    page.append(emptyNote("This page holds no explanation that can be read."));
    return;
  }
  const shell = new Shell(state, theme);
  page.append(el("main", {}, sentences(docs), shell.node));
  shell.show(docs);
  state.onOpen(() => shell.show(docs));
}

start();
