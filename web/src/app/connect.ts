// Waits until the server has its models, and asks for a key if it wants one.
import { button } from "../ui/controls";
import { el, newId } from "../ui/dom";
import { ApiError, listModels, useKey, type ModelInfo } from "./api";

const kPause = 1000; // ms
const kUnauthorised = 401;

/** The reader's key; the form stays until one was given. */
function askForKey(place: HTMLElement, wrong: boolean): Promise<string> {
  return new Promise((done) => {
    const id = newId("key");
    const field = el("input", {
      id,
      type: "password",
      class: "wide-input",
      autocomplete: "off",
    });
    place.replaceChildren(
      el(
        "form",
        {
          class: "key-form",
          on: {
            submit: (event) => {
              event.preventDefault();
              done(field.value.trim());
            },
          },
        },
        el(
          "label",
          { for: id, class: "control-label" },
          wrong ? "That key was not accepted. API key" : "API key of this server",
        ),
        el(
          "div",
          { class: "force-row" },
          field,
          button("Continue", () => done(field.value.trim())),
        ),
      ),
    );
  });
}

export async function connect(place: HTMLElement): Promise<ModelInfo[]> {
  let tried = false;
  for (;;) {
    try {
      return await listModels();
    } catch (error) {
      const known = error instanceof ApiError;
      if (known && error.status === kUnauthorised) {
        useKey(await askForKey(place, tried));
        tried = true;
        continue;
      }
      const why = known ? error.message : String(error);
      place.replaceChildren(
        el("p", { class: "empty", role: "status" }, `Waiting: ${why} \u2026`),
      );
      await new Promise((done) => setTimeout(done, kPause));
    }
  }
}
