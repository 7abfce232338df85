// Entry of the server's page: translation and the laboratory.
import { connect } from "./app/connect";
import { Laboratory } from "./app/laboratory";
import { Translate } from "./app/translate";
import { el } from "./ui/dom";
import { linkButton } from "./ui/link";
import { logo } from "./ui/logo";
import { pageState, type State } from "./ui/state";
import { Theme } from "./ui/theme";

interface Part {
  id: string;
  title: string;
  node: HTMLElement;
  shown?(): void;
}

function navigation(parts: Part[], state: State): HTMLElement {
  const wanted = () =>
    parts.find((p) => p.id === state.text("part"))?.id ?? parts[0]!.id;
  const nav = el("nav", { "aria-label": "Parts of the page" });
  const show = (id: string) => {
    for (const part of parts) part.node.hidden = part.id !== id;
    for (const link of nav.children)
      if ((link as HTMLElement).dataset.part === id)
        link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    parts.find((p) => p.id === id)?.shown?.();
  };
  nav.append(
    ...parts.map((part) =>
      el(
        "button",
        {
          type: "button",
          class: "nav-button",
          "data-part": part.id,
          on: {
            click: () => {
              state.set("part", part.id);
              show(part.id);
            },
          },
        },
        part.title,
      ),
    ),
  );
  show(wanted());
  state.onOpen(() => show(wanted()));
  return nav;
}

async function start(): Promise<void> {
  const theme = new Theme();
  const state = pageState();
  const page = document.getElementById("page")!;
  const lab = new Laboratory(state, theme);
  const translating = el("div");
  let translate: Translate | undefined;
  const parts: Part[] = [
    { id: "translate", title: "Translate", node: translating, shown: () => translate?.draw() },
    { id: "laboratory", title: "Laboratory", node: lab.node, shown: () => lab.draw() },
  ];
  const main = el("main", {}, ...parts.map((p) => p.node));
  const header = el(
    "header",
    { class: "top" },
    logo(),
    el("h1", {}, "Fovea"),
  );
  page.append(header, main);
  header.append(
    navigation(parts, state),
    el("span", { class: "spacer" }),
    linkButton(state) ?? "",
    theme.button(),
  );
  const made = new Translate(await connect(translating), state, theme);
  translating.replaceChildren(made.node);
  translate = made;
  made.begin();
  state.onOpen(() => made.begin());
}

void start();
