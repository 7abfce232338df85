// E17: sequence to sequence, step by step; two models side by side show what
// attention changes.
import { framesOf, frameText, scoresOf } from "../data/animation";
import { alignmentShown, type Doc } from "../data/document";
import { tokenTexts } from "../data/token_text";
import { el } from "../ui/dom";
import { figure } from "../ui/figure";
import { emptyNote, panes, type Host, type Mounted, type View } from "../ui/host";
import { player } from "../ui/player";
import { animationPicture } from "./animation_picture";

function drawFrame(host: Host, doc: Doc, at: number, width: number) {
  const frames = framesOf(doc);
  const frame = frames[Math.min(at, frames.length - 1)];
  if (!frame || !doc.target) return emptyNote("There is no translation to show.");
  const exact = frame.step < 0 || scoresOf(doc, frame.step).exact;
  return figure(host, doc, {
    name: "Translation, step by step",
    title: frameText(doc, frame),
    note:
      frame.phase === "score" && !exact
        ? "The scores are logarithms of the weights: the scores up to a constant."
        : doc.alignment
          ? "A column is a state of the encoder, its first numbers from top to bottom."
          : "This model has no attention: every word is written from one vector.",
    picture: animationPicture(doc, frame, width, host.palette),
    shown: alignmentShown(doc),
    rows: () => [
      ["source token", ...tokenTexts(doc.target?.tokens ?? [])],
      ...tokenTexts(doc.source.tokens).map((token, j) => [
        token,
        ...(doc.alignment?.weights.map((row) => row[j] ?? 0) ?? []),
      ]),
    ],
  });
}

/**
 * Scrolls to what the frame is about. Frames are drawn anew, so each begins
 * where the last one was.
 */
function follow(body: HTMLElement, before: number[]): void {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  body.querySelectorAll<SVGElement>("svg[data-left]").forEach((svg, i) => {
    const box = svg.parentElement!;
    box.scrollLeft = before[i] ?? 0;
    const left = Number(svg.dataset.left);
    box.scrollTo({ left, behavior: still ? "auto" : "smooth" });
  });
}

function mount(host: Host): Mounted {
  const body = el("div");
  const all = host.docs.map(framesOf);
  const count = Math.max(1, ...all.map((f) => f.length));
  let at = host.state.index("frame", count);
  const draw = () => {
    const before = [...body.querySelectorAll(".picture")].map((p) => p.scrollLeft);
    body.replaceChildren(
      panes(host, (doc, width) => drawFrame(host, doc, at, width)),
    );
    // The first frame is drawn before it is on the page.
    requestAnimationFrame(() => follow(body, before));
  };
  const longest = host.docs[all.findIndex((f) => f.length === count)] ?? host.docs[0]!;
  const play = player({
    frames: count,
    frame: at,
    show: (frame) => {
      at = frame;
      host.state.set("frame", frame);
      draw();
    },
    say: (frame) => {
      const f = framesOf(longest)[frame];
      return f ? frameText(longest, f) : "";
    },
  });
  return { node: el("div", {}, play.node, body), draw, stop: () => play.stop() };
}

export const animationView: View = {
  id: "animation",
  title: "Animation",
  about:
    "The encoder reads, then the decoder scores, weighs, gathers and writes, " +
    "one word at a time. Space plays, arrows step.",
  missing: (docs) =>
    docs.some((d) => d.target && d.states.encoder.length > 0)
      ? null
      : "There is no translation to show.",
  mount,
};
