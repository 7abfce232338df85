// The pages with the model in the box: what the command writes and serves.
import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launch, newPage, watchPage } from "../support/browser";

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

test("the server's page translates, explains and scores", async () => {
  const page = await newPage(browser, {});
  const { requests, errors } = watchPage(page);
  await page.goto(address);
  await page.getByLabel("Text", { exact: true }).fill(sentence);
  await page.locator(".primary").click();
  await page.locator(".shell .tab").first().waitFor();
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
  await page.getByText(/Log probability of yours: -\d/).waitFor();
  assert.deepEqual(errors, []);
  assert.ok(requests.every((url) => url.startsWith(address)));
  await page.close();
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
