// Takes the pictures of the page that the documentation shows, with a server
// that has the model in the box.
//
//   node pictures.mjs FOVEA OUT_FOLDER
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const [fovea, out] = process.argv.slice(2);
if (!out) {
  console.error("usage: node pictures.mjs FOVEA OUT_FOLDER");
  process.exit(2);
}

function listening(server) {
  return new Promise((done, failed) => {
    let said = "";
    server.stdout.on("data", (text) => {
      said += String(text);
      const found = /listening on (\S+)/.exec(said);
      if (found) done(found[1]);
    });
    server.on("exit", () => failed(new Error(`the server ended: ${said}`)));
  });
}

/** A word to point at shows where it looked. */
async function translated(page, word) {
  await page.locator(".primary:enabled").waitFor();
  await page.locator(`.live .word-button[data-index="${word}"]`).focus();
}

const kPictures = [
  {
    name: "server-light",
    text: "A black cat is sleeping on my bed.",
    size: { width: 1100, height: 970 },
    show: (page) => translated(page, 3),
  },
  {
    name: "heads-dark",
    text: "She gave me the book that she bought yesterday.",
    fragment: "view=head&layer=4&least=0.1",
    dark: true,
    size: { width: 900, height: 1000 },
    part: ".shell",
    show: (page) => translated(page, 4),
  },
  {
    name: "parts",
    text: "Where is the station? I would like a cup of coffee.\nThank you for your help.",
    size: { width: 1060, height: 1300 },
    part: ".live",
    show: (page) => translated(page, 8),
  },
  {
    name: "animation",
    text: "I am a student.",
    fragment: "view=animation&frame=11",
    size: { width: 900, height: 1000 },
    part: ".shell",
    show: (page) => page.locator(".primary:enabled").waitFor(),
  },
  {
    name: "laboratory",
    fragment: "part=laboratory&example=cosine&beta=4",
    size: { width: 1100, height: 1040 },
  },
  {
    name: "phone",
    text: "They live in a big house near the sea.",
    touch: true,
    size: { width: 390, height: 1290 },
    show: (page) => translated(page, 5),
  },
];

async function take(browser, address, spec) {
  const page = await browser.newPage({
    viewport: spec.size,
    colorScheme: spec.dark ? "dark" : "light",
    reducedMotion: "reduce",
    hasTouch: spec.touch ?? false,
  });
  const text = spec.text ? new URLSearchParams({ text: spec.text }) : "";
  await page.goto(`${address}/#${text}&${spec.fragment ?? ""}`);
  await spec.show?.(page);
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(300); // for the last frame
  const seen = spec.part ? page.locator(spec.part) : page;
  await seen.screenshot({ path: join(resolve(out), `${spec.name}.png`) });
  await page.close();
}

const server = spawn(fovea, ["serve", "--port", "0"], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const address = await listening(server);
  const browser = await chromium.launch({
    executablePath: process.env.FOVEA_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  for (const spec of kPictures) await take(browser, address, spec);
  await browser.close();
} finally {
  server.removeAllListeners("exit");
  server.kill();
}
