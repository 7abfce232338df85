// Play, pause and step through frames; space and arrows work, too.
import { button, range } from "./controls";
import { announce, el } from "./dom";

export interface PlayerSpec {
  frames: number;
  frame: number;
  delay?: number; // ms
  show: (frame: number) => void;
  say?: (frame: number) => string;
}

export interface Player {
  node: HTMLElement;
  stop(): void;
}

export function player(spec: PlayerSpec): Player {
  let frame = Math.min(spec.frame, spec.frames - 1);
  let delay = spec.delay ?? 700;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const slider = el("input", {
    type: "range",
    min: 0,
    max: Math.max(0, spec.frames - 1),
    step: 1,
    "aria-label": "Step",
    class: "timeline",
    on: { input: () => go(slider.valueAsNumber) },
  });
  const count = el("span", { class: "quiet small frame-count" });
  const play = button("Play", () => (timer ? pause() : start()), {
    class: "play",
  });

  const go = (next: number): void => {
    frame = Math.min(spec.frames - 1, Math.max(0, next));
    slider.valueAsNumber = frame;
    count.textContent = `${frame + 1} / ${spec.frames}`;
    spec.show(frame);
  };
  const pause = (): void => {
    clearTimeout(timer);
    timer = undefined;
    play.textContent = "Play";
    if (spec.say) announce(spec.say(frame));
  };
  const tick = (): void => {
    if (frame + 1 >= spec.frames) return pause();
    go(frame + 1);
    timer = setTimeout(tick, delay);
  };
  const start = (): void => {
    if (frame + 1 >= spec.frames) go(0);
    play.textContent = "Pause";
    timer = setTimeout(tick, delay);
  };
  const step = (by: number): void => {
    pause();
    go(frame + by);
    if (spec.say) announce(spec.say(frame));
  };

  const node = el(
    "div",
    {
      class: "player",
      role: "group",
      "aria-label": "Animation",
      on: {
        keydown: (event) => {
          const target = event.target as HTMLElement;
          if (event.key === " " && target.tagName !== "BUTTON") {
            event.preventDefault();
            if (timer) pause();
            else start();
          } else if (target.tagName !== "INPUT") {
            if (event.key === "ArrowRight") step(1);
            else if (event.key === "ArrowLeft") step(-1);
          }
        },
      },
    },
    play,
    button("\u25c0", () => step(-1), { "aria-label": "Step back" }),
    button("\u25b6", () => step(1), { "aria-label": "Step on" }),
    slider,
    count,
    range({
      label: "Pause between steps, s",
      min: 0.1,
      max: 2,
      step: 0.1,
      value: delay / 1000,
      show: (x) => x.toFixed(1),
      change: (x) => (delay = 1000 * x),
    }),
  );
  go(frame);
  return { node, stop: () => clearTimeout(timer) };
}
