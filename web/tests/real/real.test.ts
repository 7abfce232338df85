// The pages with the model in the box: what the command writes and serves.
import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { download, launch, newPage, watchPage, type OpenOptions } from "../support/browser";

const command = process.env.FOVEA_COMMAND ?? "fovea";
const sentence = "The cat sleeps on the bed.";

let browser: Browser;
let server: ChildProcess;
let address = "";

function listening(process: ChildProcess): Promise<string> {
  return new Promise((done, failed) => {
    let said = "";
    process.stdout!.on("data", (text) => {
      said += String(text);
      const found = /listening on (\S+)/.exec(said);
      if (found) done(found[1]!);
    });
    process.on("exit", () => failed(new Error(`the server ended: ${said}`)));
  });
}

before(async () => {
  browser = await launch();
  server = spawn(command, ["serve", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  address = await listening(server);
});
after(async () => {
  await browser.close();
  server.removeAllListeners("exit");
  server.kill();
});

const ready = (page: Page) => page.locator(".primary:enabled").waitFor();

/** The page with a text, translated and explained. */
async function open(text: string, options: OpenOptions = {}) {
  const page = await newPage(browser, options);
  const seen = watchPage(page);
  await page.goto(`${address}/#${new URLSearchParams({ text })}&${options.fragment ?? ""}`);
  await ready(page);
  return { page, ...seen };
}

test("the server's page translates, explains and scores", async () => {
  const { page, requests, errors } = await open(sentence);
  const shown = await page.locator(".live .sentence").innerText();
  const answer = await fetch(`${address}/v1/translate`, {
    method: "POST",
    body: JSON.stringify({ texts: [sentence], beam_size: 1 }),
  });
  const { translations } = (await answer.json()) as { translations: { translation: string }[] };
  assert.equal(shown, translations[0]!.translation);
  await page.locator(".live .word-button").first().hover();
  assert.match(await page.locator(".live .step-note").innerText(), /looked at/);
  for (const tab of await page.getByRole("tab").all()) await tab.click();
  await page.getByLabel(/Your own translation/).fill("Le chat dort sur le lit.");
  await page.getByRole("button", { name: "Score it" }).click();
  const score = await page.locator(".score-note tbody tr").innerText();
  const sure = await post("/v1/score", { source: sentence, target: "Le chat dort sur le lit.", word_scores: true });
  const { log_probability, word_scores } = sure.scores[0]!;
  const mine = Number(/-?[\d.]+(?= \()/.exec(score)![0]);
  assert.ok(Math.abs(mine - log_probability) < 0.02, `${score} but ${log_probability}`);
  // The words of the view have the scores that the server gives words.
  await page.getByRole("tab", { name: "Words" }).click();
  await page.getByText("Numbers as a table").click();
  const rows = await page.getByRole("region", { name: "Probability of each word" }).locator("tbody tr").allInnerTexts();
  const logs = rows.map((row) => Number(row.split("\t")[1]!.replace("\u2212", "-")));
  [...word_scores.words, word_scores.end].forEach((log: number, i: number) =>
    assert.ok(Math.abs(log - logs[i]!) < 2e-3, `${log} but ${logs[i]}`));
  assert.deepEqual(errors, []);
  assert.ok(requests.every((url) => url.startsWith(address)));
  await page.close();
});

async function post(path: string, body: unknown) {
  const answer = await fetch(address + path, { method: "POST", body: JSON.stringify(body) });
  assert.equal(answer.status, 200);
  return (await answer.json()) as never as { scores: { log_probability: number; word_scores: { words: number[]; end: number } }[] };
}

test("a paragraph and two lines stand sentence by sentence, whatever the search", async () => {
  const paragraph = "The cat sleeps. Where is the station? I am tired. She likes tea.\nIt is late! Thank you.";
  for (const beam of ["1", "4"]) {
    const { page, errors } = await open(paragraph, { fragment: `beam=${beam}&piece=1` });
    const parts = page.locator(".live .picture > svg > g");
    assert.equal(await parts.count(), 6);
    const buttons = await page.locator(".live .word-button").count();
    const shown = await page.locator(".live .sentence").innerText();
    assert.equal(buttons, shown.split(/[ \n]+/).length + 6); // with end marks
    assert.match(await page.locator(".panel").innerText(), /station\?/);
    await page.getByRole("tab", { name: "Words" }).click();
    assert.match(await page.locator(".panel .sentence").innerText(), /^Where is the station\?$/);
    assert.deepEqual(errors, []);
    await page.close();
  }
});

test("a text longer than the model takes is shown and explained within seconds", async () => {
  const text = Array.from({ length: 40 }, () => "The cat sleeps on the bed and the dog eats.").join(" ");
  const begun = performance.now();
  const { page, errors } = await open(text);
  const spent = await page.evaluate(() => performance.now());
  assert.ok(spent < 20000, `${spent} ms, ${performance.now() - begun} with the browser`);
  assert.match(await page.locator("main").innerText(), /translated in \d+ parts/);
  assert.ok((await page.locator(".panel figure").count()) > 0);
  assert.deepEqual(errors, []);
  await page.close();
});

test("words that look like markup stay text, and are words", async () => {
  const text = "\u00c9mile likes <img src=x onerror=alert(1)> and <script>alert(2)</script>.";
  const { page, errors } = await open(text);
  assert.equal(await page.locator("main script, main img").count(), 0);
  const read = await page.locator(".live .picture g > text").allTextContents();
  assert.ok(read.includes("\u00c9mile") && read.includes("<script>alert(2)</script>."), read.join(" "));
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    assert.doesNotMatch(await page.locator(".panel").innerText(), /<0x/);
  }
  assert.deepEqual(errors, []);
  await page.close();
});

test("dark, on a phone, two models: nothing is too wide", async () => {
  for (const options of [{ dark: true }, { width: 390, height: 844, touch: true }]) {
    const { page, errors } = await open(sentence, { ...options, fragment: "model2=box" });
    assert.equal(await page.locator(".live").count(), 2);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(ground !== "rgb(255, 255, 255)", options.dark === true);
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${await tab.innerText()}: ${wide} px too wide`);
    }
    assert.deepEqual(errors, []);
    await page.close();
  }
});

test("pictures and numbers are saved", async () => {
  const { page } = await open(sentence);
  const svg = (await download(page, "Download translation as SVG")).toString();
  assert.ok(svg.startsWith("<svg") || svg.startsWith("<?xml"));
  assert.ok(svg.includes(">cat<") && svg.includes("data-weight"));
  const png = await download(page, "Download translation as PNG");
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  const rows = (await download(page, "Download translation as CSV")).toString().trim().split(/\r?\n/);
  const sums = rows.slice(1).map((row) =>
    row.split(",").slice(-(rows[0]!.split(",").length - 2)).map(Number).reduce((a, b) => a + b, 0));
  assert.ok(sums.every((sum) => Math.abs(sum - 1) < 1e-3), `${sums}`);
  await page.close();
});

test("the page is ready within a second", async () => {
  const spent: number[] = [];
  for (let i = 0; i < 5; ++i) {
    const page = await newPage(browser, {});
    const client = await page.context().newCDPSession(page);
    // The page's own work: other programs may be at work, too.
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(address);
    await page.locator(".primary").waitFor();
    const { metrics } = await client.send("Performance.getMetrics");
    spent.push(1000 * metrics.find((m) => m.name === "TaskDuration")!.value);
    await page.close();
  }
  const median = spent.sort((a, b) => a - b)[2]!;
  assert.ok(median > 0 && median < 1000, `${spent} ms`);
});

test("the page of fovea explain shows the model's own numbers", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fovea-real-"));
  const file = join(folder, "page.html");
  execFileSync(command, ["explain", "--html", file], { input: sentence + "\n" });
  const page = await newPage(browser, {});
  const { requests, errors } = watchPage(page);
  await page.goto(`file://${file}#view=neuron`);
  const layers = await page.getByLabel("Layer").locator("option").count();
  assert.ok(layers > 0);
  for (let i = 0; i < layers; ++i) {
    await page.getByLabel("Layer").selectOption(String(i));
    assert.match(await page.locator("figure .note").innerText(), /reproduces the model's weights/);
  }
  for (const tab of await page.getByRole("tab").all()) await tab.click();
  assert.deepEqual(errors, []);
  assert.equal(requests.length, 1);
  await page.close();
});
