// Bundles and runs tests.
//
//   node test.mjs unit|explain|app|real WORK_FOLDER PAGE_FOLDER
//
// PAGE_FOLDER is what build.mjs wrote. The real tests run the command that the
// variable FOVEA_COMMAND names.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [kind, work, page] = process.argv.slice(2);
if (!page) {
  console.error("usage: node test.mjs unit|explain|app|real WORK_FOLDER PAGE_FOLDER");
  process.exit(2);
}
const folder = join(here, "tests", kind);
const out = join(resolve(work), "tests", kind);
await build({
  absWorkingDir: here,
  entryPoints: readdirSync(folder)
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(folder, name)),
  outdir: out,
  outExtension: { ".js": ".cjs" },
  bundle: true,
  platform: "node",
  target: "node18",
  external: ["playwright-core"],
  logLevel: "warning",
});
// Node 18 takes files, not folders of any name.
const files = readdirSync(out)
  .filter((name) => name.endsWith(".test.cjs"))
  .map((name) => join(out, name));
const run = spawnSync(process.execPath, ["--test", ...files], {
  stdio: "inherit",
  env: {
    ...process.env,
    FOVEA_PAGE_FOLDER: resolve(page),
    NODE_PATH: join(here, "node_modules"),
  },
});
process.exit(run.status ?? 1);
