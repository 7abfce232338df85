// A page in Chromium that notes every request and every error.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";

export const pageFolder = process.env.FOVEA_PAGE_FOLDER ?? "";

export async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.FOVEA_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
}

export interface Opened {
  page: Page;
  requests: string[];
  errors: string[];
}

export interface OpenOptions {
  width?: number;
  height?: number;
  dark?: boolean;
  fragment?: string;
  touch?: boolean;
  motion?: boolean; // words appear one by one, not at once
}

export function watchPage(page: Page): Omit<Opened, "page"> {
  const seen = { requests: [] as string[], errors: [] as string[] };
  page.on("request", (r) => {
    if (!/^(data|blob):/.test(r.url())) seen.requests.push(r.url());
  });
  page.on("pageerror", (e) => seen.errors.push(e.message));
  page.on("console", (m) => {
    if (m.type() === "error") seen.errors.push(m.text());
  });
  page.on("dialog", (d) => {
    seen.errors.push(`dialog: ${d.message()}`);
    void d.dismiss();
  });
  return seen;
}

export function newPage(browser: Browser, options: OpenOptions): Promise<Page> {
  return browser.newPage({
    viewport: { width: options.width ?? 1200, height: options.height ?? 900 },
    colorScheme: options.dark ? "dark" : "light",
    hasTouch: options.touch ?? false,
    reducedMotion: options.motion ? "no-preference" : "reduce",
    acceptDownloads: true,
  });
}

/** The explain page as the C++ side writes it. */
export async function openExplain(
  browser: Browser,
  documents: unknown,
  options: OpenOptions = {},
): Promise<Opened> {
  const json = JSON.stringify(documents).replace(/</g, "\\u003c");
  const html = readFileSync(join(pageFolder, "explain.html"), "utf8").replace(
    "@FOVEA_DOCUMENT@",
    () => json,
  );
  const folder = mkdtempSync(join(tmpdir(), "fovea-page-"));
  const file = join(folder, "page.html");
  writeFileSync(file, html);
  const page = await newPage(browser, options);
  const seen = watchPage(page);
  await page.goto(`file://${file}#${options.fragment ?? ""}`);
  return { page, ...seen };
}

/** What a click on a download button saves. */
export async function download(page: Page, button: string): Promise<Buffer> {
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button }).first().click(),
  ]);
  return readFileSync(await saved.path());
}
