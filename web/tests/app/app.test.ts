import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { download, launch, newPage, pageFolder, watchPage, type OpenOptions } from "../support/browser";
import { startMock, type Mock } from "../support/mock_server";

let browser: Browser;
let mock: Mock;
before(async () => {
  browser = await launch();
  mock = await startMock(pageFolder);
});
after(async () => {
  await browser.close();
  await mock.close();
});

async function open(options: OpenOptions = {}) {
  const page = await newPage(browser, options);
  const seen = watchPage(page);
  await page.goto(`${mock.address}/#${options.fragment ?? ""}`);
  await page.getByRole("button", { name: "Translate", exact: true }).last().waitFor();
  return { page, ...seen };
}

async function translate(page: Page, text: string) {
  await page.getByLabel("Text", { exact: true }).fill(text);
  await page.locator(".primary").click();
  await page.locator(".shell .tab").first().waitFor();
}

test("a sentence is translated word by word, then all views open", async () => {
  const { page, requests, errors } = await open();
  await translate(page, "one two three four");
  assert.equal(await page.locator(".live .sentence").innerText(), "four three two one");
  assert.equal(await page.locator(".live .word-button").count(), 5);
  assert.ok((await page.locator(".live path[data-weight]").count()) > 3);
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    assert.ok((await page.locator(".panel").innerText()).length > 40);
  }
  assert.deepEqual(errors, []); // a breach of the policy would be one
  assert.ok(requests.every((url) => url.startsWith(mock.address)));
  await page.close();
});

test("words appear while the server is still at work", async () => {
  const slow = await startMock(pageFolder, { delay: 300 });
  const page = await newPage(browser, {});
  await page.goto(slow.address);
  await page.getByLabel("Text", { exact: true }).fill("a b c d e f");
  await page.locator(".primary").click();
  await page.locator(".live .word-button").nth(1).waitFor();
  assert.ok((await page.locator(".live .word-button").count()) < 7);
  assert.ok((await page.locator(".live path[data-weight]").count()) > 0);
  await page.getByRole("button", { name: "Stop" }).click();
  assert.match(await page.locator(".live .note").innerText(), /Stopped/);
  await page.close();
  await slow.close();
});

test("a word tells where it looked and what else it might have been", async () => {
  const { page } = await open();
  await translate(page, "one two three four");
  const all = await page.locator(".live path[data-weight]").count();
  await page.locator(".live .word-button").nth(1).hover();
  assert.match(await page.locator(".live .step-note").innerText(), /three with probability .*looked at/);
  assert.equal(await page.locator(".live .alternatives li").count(), 5);
  const weights = await page.locator(".live path[data-weight]").evaluateAll((nodes) =>
    nodes.map((n) => Number(n.getAttribute("data-weight"))));
  assert.ok(weights.every((w) => w >= 0.02) && weights.length !== all);
  await page.close();
});

test("your own translation is forced and scored", async () => {
  const { page } = await open();
  await translate(page, "one two");
  await page.getByLabel(/Your own translation/).fill("uno dos");
  await page.getByRole("button", { name: "Score it" }).click();
  await page.getByText(/Log probability of yours/).waitFor();
  const last = mock.bodies[mock.bodies.length - 1]!;
  assert.equal(last.path, "/v1/explain");
  assert.equal(last.body.target, "uno dos");
  await page.getByRole("tab", { name: "Words" }).click();
  assert.match(await page.locator(".panel .word-row").innerText(), /uno/);
  await page.close();
});

test("two models stand side by side, one of them without attention", async () => {
  const { page, errors } = await open();
  await page.getByLabel("Compare with").selectOption("plain");
  await translate(page, "one two three");
  assert.equal(await page.locator(".live").count(), 2);
  assert.equal(await page.locator(".panel .pane").count(), 2);
  assert.match(await page.locator(".panel").innerText(), /no attention over the source/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a wider beam shows provisional texts, then the words with their weights", async () => {
  const { page } = await open();
  await page.getByLabel("Search").selectOption("4");
  await translate(page, "one two three");
  assert.equal(await page.locator(".live .sentence").innerText(), "three two one");
  assert.equal(await page.locator(".live .word-button").count(), 4);
  await page.close();
});

test("a failure is said in one line", async () => {
  const { page } = await open();
  await page.getByLabel("Text", { exact: true }).fill("this will fail now");
  await page.locator(".primary").click();
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.equal(await alert.innerText(), "out of words");
  assert.ok(await page.locator(".primary").isEnabled());
  await page.close();
});

test("a server with keys is asked with the reader's", async () => {
  const guarded = await startMock(pageFolder, { key: "open sesame", loading: 1 });
  const page = await newPage(browser, {});
  await page.goto(guarded.address);
  await page.getByLabel("API key of this server").fill("wrong");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByLabel("That key was not accepted. API key").fill("open sesame");
  await page.keyboard.press("Enter");
  await page.getByText("the models are being loaded").waitFor();
  await translate(page, "one two");
  assert.equal(await page.locator(".live .sentence").innerText(), "two one");
  await page.close();
  await guarded.close();
});

test("a link brings text, model and view back", async () => {
  const { page } = await open();
  await translate(page, "caf\u00e9 & th\u00e9");
  await page.getByRole("tab", { name: "Heads" }).click();
  await page.waitForURL(/view=head/);
  const link = page.url();
  await page.close();
  const again = await newPage(browser, {});
  await again.goto(link);
  await again.locator(".shell .tab").first().waitFor();
  assert.equal(await again.getByLabel("Text", { exact: true }).inputValue(), "caf\u00e9 & th\u00e9");
  assert.equal(await again.getByRole("tab", { name: "Heads" }).getAttribute("aria-selected"), "true");
  await again.close();
});

test("the link is copied as it stands", async () => {
  const { page } = await open();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByLabel("Text", { exact: true }).fill("one two");
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.startsWith(mock.address) && link.includes("text=one+two"), link);
  await page.close();
});

test("malicious words stay text", async () => {
  const { page, errors } = await open();
  await translate(page, "<script>alert(1)</script> <img/src=x/onerror=alert(2)> x");
  assert.equal(await page.locator("main script, main img").count(), 0);
  assert.match(await page.locator(".live .sentence").innerText(), /<script>alert\(1\)<\/script>/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("the laboratory computes, and follows its sliders", async () => {
  const { page, errors } = await open({ fragment: "part=laboratory" });
  await page.getByRole("button", { name: "Boxes: an approximate match" }).click();
  assert.match(await page.locator("main").innerText(), /the output is 36\.000/);
  await page.getByRole("button", { name: "Why scores are scaled" }).click();
  assert.match(await page.locator("main").innerText(), /They sum to 1\.000/);
  const csv = (await download(page, "Download Weights of q1 as CSV")).toString();
  assert.match(csv, /k1,0\.8807970/);
  await page.getByLabel("Mechanism").selectOption("dot");
  const dot = (await download(page, "Download Weights of q1 as CSV")).toString();
  assert.match(dot, /k1,0\.9999998/);
  await page.getByLabel("Temperature").fill("2");
  const hot = (await download(page, "Download Weights of q1 as CSV")).toString();
  assert.match(hot, /k1,0\.53/);
  await page.waitForURL(/temperature=100/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("all works by keyboard", async () => {
  const { page } = await open();
  await page.getByLabel("Text", { exact: true }).fill("one two");
  await page.getByLabel("Text", { exact: true }).press("Control+Enter");
  await page.locator(".shell .tab").first().waitFor();
  await page.locator(".live .word-button").first().focus();
  assert.match(await page.locator(".live .step-note").innerText(), /two with probability/);
  assert.equal(await page.locator(".live [aria-live]").innerText(), "two one");
  await page.close();
});

test("a phone scrolls down only, light and dark", async () => {
  for (const part of ["translate", "laboratory"]) {
    const { page } = await open({ width: 390, height: 844, touch: true, dark: true, fragment: `part=${part}` });
    if (part === "translate") await translate(page, "one two three four five six seven eight nine ten");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${part}: ${wide} px too wide`);
    await page.close();
  }
});

test("the page is ready within a second", async () => {
  const page = await newPage(browser, {});
  await page.goto(mock.address);
  await page.locator(".primary").waitFor();
  const ready = await page.evaluate(() => performance.now());
  assert.ok(ready < 3000, `${ready} ms`); // under load; a quiet machine needs far less
  await page.close();
});
