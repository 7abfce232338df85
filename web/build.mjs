// Bundles the page.
//
//   node build.mjs OUT_FOLDER
//
// Writes index.html, app.js and app.css (the server's page) and explain.html
// (one file; explain_page() puts the document into its template).
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (!out) {
  console.error("usage: node build.mjs OUT_FOLDER");
  process.exit(2);
}

const common = {
  absWorkingDir: here,
  bundle: true,
  write: false,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  target: ["es2021", "chrome100", "firefox100", "safari15"],
  logLevel: "warning",
};

async function bundle(entry, options = {}) {
  const result = await build({ ...common, entryPoints: [entry], ...options });
  return result.outputFiles[0].text;
}

/** Puts `text` where `mark` is, exactly once. */
function fill(page, mark, text) {
  const parts = page.split(mark);
  if (parts.length !== 2) throw new Error(`${mark} is there ${parts.length - 1} times`);
  return parts.join(text);
}

const source = (name) => readFileSync(join(here, "src", name), "utf8");
const style = await bundle("src/style/page.css");

const script = await bundle("src/explain.ts", { format: "iife" });
if (/<\/(script|style)/i.test(script + style))
  throw new Error("the bundle would end its own element");
let explain = source("explain.html");
explain = fill(explain, "/*STYLE*/", style);
explain = fill(explain, "/*SCRIPT*/", script);
if (explain.split("@FOVEA_DOCUMENT@").length !== 2)
  throw new Error("the place of the document must be there once");

mkdirSync(out, { recursive: true });
const write = (name, text) => writeFileSync(join(resolve(out), name), text);
write("explain.html", explain);
write("app.css", style);
write("app.js", await bundle("src/app.ts", { format: "iife" }));
write("index.html", source("index.html"));
