// Labelled controls. Each has a real label, so that voices and tests find it.
import { el, newId, type Child } from "./dom";

export interface Option {
  value: string;
  label: string;
}

export function select(
  label: string,
  options: Option[],
  value: string,
  change: (value: string) => void,
): HTMLElement {
  const id = newId("select");
  const box = el("select", {
    id,
    on: { change: () => change(box.value) },
  });
  for (const option of options)
    box.append(el("option", { value: option.value }, option.label));
  box.value = value;
  return el("div", { class: "control" }, el("label", { for: id }, label), box);
}

export function checkbox(
  label: string,
  checked: boolean,
  change: (checked: boolean) => void,
): HTMLElement {
  const box = el("input", {
    type: "checkbox",
    on: { change: () => change(box.checked) },
  });
  box.checked = checked;
  return el("label", { class: "control check" }, box, label);
}

export interface Range {
  label: string;
  min: number;
  max: number;
  step: number;
  value: number;
  /** How the number is written beside the slider. */
  show?: (value: number) => string;
  change: (value: number) => void;
}

export function range(options: Range): HTMLElement {
  const id = newId("range");
  const show = options.show ?? ((x: number) => String(x));
  const output = el("output", { for: id }, show(options.value));
  const input = el("input", {
    id,
    type: "range",
    min: options.min,
    max: options.max,
    step: options.step,
    on: {
      input: () => {
        output.textContent = show(input.valueAsNumber);
        options.change(input.valueAsNumber);
      },
    },
  });
  input.valueAsNumber = options.value;
  return el(
    "div",
    { class: "control" },
    el("label", { for: id }, options.label, " ", output),
    input,
  );
}

export function numberField(
  label: string,
  value: number,
  change: (value: number) => void,
): HTMLInputElement {
  const input = el("input", {
    type: "number",
    step: "any",
    class: "number",
    "aria-label": label,
    on: {
      input: () => {
        if (Number.isFinite(input.valueAsNumber)) change(input.valueAsNumber);
      },
    },
  });
  input.value = String(value);
  return input;
}

export function button(
  label: Child,
  click: () => void,
  props: Record<string, unknown> = {},
): HTMLButtonElement {
  return el("button", { type: "button", on: { click }, ...props }, label);
}

/** Choice of one among few, all of them seen. */
export function segmented(
  label: string,
  options: Option[],
  value: string,
  change: (value: string) => void,
): HTMLElement {
  const name = newId("choice");
  const choices = options.map((option) => {
    const input = el("input", {
      type: "radio",
      name,
      value: option.value,
      on: { change: () => change(option.value) },
    });
    input.checked = option.value === value;
    return el("label", {}, input, el("span", {}, option.label));
  });
  return el(
    "fieldset",
    { class: "control segmented" },
    el("legend", {}, label),
    el("div", { class: "segments" }, ...choices),
  );
}

export function controls(...children: Child[]): HTMLElement {
  return el("div", { class: "controls" }, ...children);
}
