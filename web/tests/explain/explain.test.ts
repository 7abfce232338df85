import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { makeDocument } from "../support/fixture";
import { download, launch, openExplain } from "../support/browser";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const evil = [
  "\u2581<script>alert(1)</script>",
  "\u2581</script><img/src=x/onerror=alert(2)>",
  "\u2581\u05e9\u05dc\u05d5\u05dd",
  "\u2581\u732b",
  "\u2581\u{1F431}",
  "</s>",
];

test("every view opens, nothing is requested, no error is logged", async () => {
  const { page, requests, errors } = await openExplain(browser, makeDocument({ gates: true }));
  const tabs = page.getByRole("tab");
  const count = await tabs.count();
  assert.ok(count >= 5);
  for (let i = 0; i < count; ++i) {
    await tabs.nth(i).click();
    assert.equal(await tabs.nth(i).getAttribute("aria-selected"), "true");
    await page.locator(".panel h2").waitFor();
    assert.ok((await page.locator(".panel").innerText()).length > 40);
  }
  assert.equal(requests.length, 1); // the file itself
  assert.deepEqual(errors, []);
  await page.close();
});

test("the numbers of the picture are those of the CSV and of the document", async () => {
  const doc = makeDocument();
  const { page } = await openExplain(browser, doc, { fragment: "view=map&words=0" });
  const shown = await page.locator(".cells rect").evaluateAll((nodes) =>
    nodes.map((n) => [n.getAttribute("data-row"), n.getAttribute("data-column"), n.getAttribute("data-value")].map(Number)));
  const csv = (await download(page, "Download Alignment (decoder 1, cross) as CSV")).toString();
  const rows = csv.trim().split("\r\n").slice(1).map((line) => line.split(",").slice(1).map(Number));
  assert.equal(shown.length, doc.alignment!.weights.length * doc.source.tokens.length);
  for (const [i, j, value] of shown as [number, number, number][]) {
    assert.equal(rows[i]![j], value);
    assert.equal(doc.alignment!.weights[i]![j], value);
  }
  await page.close();
});

test("tokens that look like HTML stay text, in every view", async () => {
  const { page, requests, errors } = await openExplain(browser,
    makeDocument({ source: evil, target: evil, name: "<b>model</b>" }));
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    assert.equal(await page.locator("main script, main img, main b").count(), 0);
  }
  await page.getByRole("tab", { name: "Heat map" }).click();
  assert.match(await page.locator(".panel svg").first().innerHTML(), /&lt;script&gt;/);
  assert.deepEqual(errors, []);
  assert.equal(requests.length, 1);
  await page.close();
});

test("hover tells a cell's tokens and weight", async () => {
  const doc = makeDocument();
  const { page } = await openExplain(browser, doc, { fragment: "view=map&words=0" });
  const cell = page.locator('.cells rect[data-row="2"][data-column="3"]');
  await cell.hover();
  const tip = await page.locator(".tip").innerText();
  assert.ok(tip.includes("oiseau \u2192 catch: " + doc.alignment!.weights[2]![3]!.toFixed(4)), tip);
  assert.match(await page.locator(".step-note").innerText(), /oiseau with probability/);
  await page.close();
});

test("the keyboard reaches tabs, cells and zoom", async () => {
  const { page } = await openExplain(browser, makeDocument());
  await page.getByRole("tab", { name: "Heat map" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Words");
  await page.keyboard.press("ArrowLeft");
  const map = page.getByRole("application");
  await map.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator("[aria-live]").last().innerText(), /matinal|L'oiseau/);
  const before = (await page.locator(".cells rect").first().boundingBox())!.width;
  await page.keyboard.press("+");
  const after = (await page.locator(".cells rect").first().boundingBox())!.width;
  assert.ok(after > 1.4 * before);
  await page.close();
});

test("dark follows the system, and the switch overrules it", async () => {
  const { page } = await openExplain(browser, makeDocument(), { dark: true });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await ground(), "rgb(20, 23, 28)");
  await page.getByRole("button", { name: "Switch to light colours" }).click();
  assert.equal(await ground(), "rgb(255, 255, 255)");
  await page.close();
});

test("a phone scrolls down only", async () => {
  const { page } = await openExplain(browser, makeDocument({ gates: true }), { width: 390, height: 844, touch: true });
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${await tab.innerText()} is ${wide} px too wide`);
  }
  await page.close();
});

test("200 x 200 tokens are drawn within 2 seconds", async () => {
  const many = (n: number) => [...Array.from({ length: n }, (_, i) => `\u2581w${i}`), "</s>"];
  const { page, errors } = await openExplain(browser,
    makeDocument({ source: many(199), target: many(199), heads: 1, layers: 1, dimension: 4 }),
    { fragment: "view=words" });
  // The best of three: others may use the machine.
  const took = await page.evaluate(async () => {
    const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const times = [];
    for (let i = 0; i < 3; ++i) {
      document.getElementById("tab-words")!.click();
      await drawn();
      const start = performance.now();
      document.getElementById("tab-map")!.click();
      await drawn();
      times.push(performance.now() - start);
    }
    return Math.min(...times);
  });
  assert.equal(await page.locator("image.cells").count(), 1);
  assert.ok(took < 2000, `${took} ms`);
  assert.deepEqual(errors, []);
  await page.close();
});

test("pictures are saved as SVG and PNG", async () => {
  const { page } = await openExplain(browser, makeDocument());
  const svg = (await download(page, "Download Alignment (decoder 1, cross) as SVG")).toString();
  assert.match(svg, /^<svg[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.match(svg, /catches/);
  const png = await download(page, "Download Alignment (decoder 1, cross) as PNG");
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.ok(png.length > 3000);
  await page.close();
});

test("every map carries the caution", async () => {
  const { page } = await openExplain(browser, makeDocument());
  for (const name of ["Heat map", "Words", "Heads", "Model", "Neurons", "Rollout", "Animation", "Foveated"]) {
    await page.getByRole("tab", { name, exact: true }).click();
    assert.match(await page.locator(".panel .caution").first().innerText(), /not by itself an explanation/, name);
  }
  await page.close();
});

test("a map has the name that cautions and the command call it by", async () => {
  const { page } = await openExplain(browser, makeDocument(), { fragment: "view=map" });
  const real = () => page.locator("figcaption .real-name").allInnerTexts();
  assert.deepEqual(await real(), ["decoder.layer.1.cross"]);
  await page.goto(page.url().replace(/#.*/, "#view=map&map=layer&layer=2&head=3"));
  assert.equal(await page.locator("figcaption").innerText(), "decoder 0, self, head 3 decoder.layer.0.self");
  assert.equal(await page.getByLabel("Head", { exact: true }).locator("option:checked").innerText(), "Head 3");
  await page.getByRole("tab", { name: "Heads" }).click();
  assert.deepEqual(await real(), ["decoder.layer.0.self"]);
  await page.getByRole("tab", { name: "Statistics" }).click();
  assert.equal(await page.locator("table.wide tbody button").first().getAttribute("title"), "encoder.layer.0.self");
  await page.close();
});

test("a thumbnail opens its head, and the address keeps it", async () => {
  const { page } = await openExplain(browser, makeDocument(), { fragment: "view=model" });
  await page.getByRole("button", { name: "Open decoder 0, cross, head 2" }).click();
  assert.match(await page.locator("figcaption").innerText(), /decoder 0, cross, head 2/);
  await page.waitForURL(/head=2.*view=map|view=map.*head=2/);
  await page.close();
});
