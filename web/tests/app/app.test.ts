import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import { download, launch, newPage, pageFolder, watchPage, type OpenOptions } from "../support/browser";
import { startMock, type Mock, type MockOptions } from "../support/mock_server";

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

const ready = (page: Page) => page.locator(".primary:enabled").waitFor({ state: "attached" });

/** A server of this test's own. */
async function own(t: TestContext, options: MockOptions): Promise<Mock> {
  const server = await startMock(pageFolder, options);
  t.after(() => server.close());
  return server;
}

async function translate(page: Page, text: string) {
  await page.getByLabel("Text", { exact: true }).fill(text);
  await page.locator(".primary").click();
  await ready(page);
}

/** The last request to a path. */
function asked(path: string): Record<string, unknown> {
  return mock.bodies.filter((b) => b.path === path).pop()!.body;
}

test("a sentence is translated word by word, then all views open", async () => {
  const { page, requests, errors } = await open();
  await translate(page, "one two three four");
  assert.equal(await page.locator(".live .sentence").innerText(), "four three two one");
  await page.locator(".live .word-button").nth(4).waitFor();
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

test("the first view shows an example, and others can be chosen", async () => {
  const { page } = await open();
  await ready(page);
  const chips = page.getByRole("group", { name: "Examples" }).getByRole("button");
  assert.ok((await chips.count()) >= 3);
  assert.ok((await page.locator(".live .word-button").count()) > 3);
  const second = await chips.nth(1).innerText();
  await chips.nth(1).click();
  await ready(page);
  assert.deepEqual(asked("/v1/translate").texts, [second]);
  assert.match(await page.locator(".about").first().innerText(), /neural network translates/);
  await page.close();
});

test("words appear one by one, and at once for who presses Escape", async (t) => {
  const quick = await own(t, { delay: 0 });
  const page = await newPage(browser, { motion: true });
  const words = Array.from({ length: 30 }, (_, i) => `w${i}`).join(" ");
  await page.goto(`${quick.address}/#text=${words}`);
  await page.locator(".live .word-button").nth(2).waitFor();
  const early = await page.locator(".live .word-button").count();
  assert.ok(early < 15, `${early} words at once`);
  assert.equal(await page.locator(".shell .tab").count(), 0); // the server is long done
  assert.ok(await page.getByRole("button", { name: "At once" }).isVisible());
  await page.keyboard.press("Escape");
  await ready(page);
  assert.equal(await page.locator(".live .word-button").count(), 31);
  assert.ok(await page.getByRole("button", { name: "At once" }).isHidden());
  await page.close();
});

test("a long text is drawn word by word without drawing the rest again, and explained in parts", async (t) => {
  const quick = await own(t, { delay: 0 });
  const page = await newPage(browser, { motion: true });
  const text = Array.from({ length: 40 }, (_, i) => `The cat number ${i} sleeps on beds.`).join(" ");
  await page.goto(`${quick.address}/#text=${text}`);
  const first = page.locator(".live .word-button").first();
  await first.waitFor();
  await first.evaluate((node) => node.setAttribute("data-mine", "1"));
  await page.evaluate(() => {
    const all = ((window as never as { tasks: number[] }).tasks = []) as number[];
    new PerformanceObserver((list) => all.push(...list.getEntries().map((e) => e.duration)))
      .observe({ entryTypes: ["longtask"] });
  });
  await page.locator(".live .word-button").nth(100).waitFor();
  const tasks = await page.evaluate(() => (window as never as { tasks: number[] }).tasks);
  assert.ok(tasks.every((ms) => ms < 400), `${tasks}`);
  await page.getByRole("button", { name: "At once" }).click();
  await ready(page);
  assert.equal(await page.locator(".live .word-button").count(), 40 * 8);
  assert.equal(await first.getAttribute("data-mine"), "1");
  assert.match(await page.locator("main").innerText(), /translated in 40 parts/);
  const explained = () => quick.bodies.filter((b) => b.path === "/v1/explain").pop()!.body;
  assert.deepEqual([explained().source, explained().target],
    ["The cat number 0 sleeps on beds.", "beds. on sleeps 0 number cat The"]);
  await Promise.all([
    page.waitForResponse(/explain/),
    page.getByLabel("Part", { exact: true }).selectOption("2"),
  ]);
  assert.equal(explained().source, "The cat number 2 sleeps on beds.");
  const link = await page.waitForURL(/piece=2/).then(() => page.url());
  const again = await newPage(browser, {});
  await again.goto(link);
  await ready(again);
  assert.equal(explained().source, "The cat number 2 sleeps on beds.");
  await page.close();
  await again.close();
});

test("lines and sentences have their own curves", async () => {
  const { page, errors } = await open();
  for (const beam of ["1", "4"]) {
    await page.getByLabel("Search").selectOption(beam);
    await translate(page, "One two. Three four!\nFive six seven? Eight. Nine ten. Eleven.");
    await page.locator(".live .word-button").nth(16).waitFor();
    assert.equal(await page.locator(".live .word-button").count(), 11 + 6);
    assert.equal(await page.locator(".live .picture > svg > g").count(), 6);
    assert.equal(await page.getByLabel("Part", { exact: true }).locator("option").count(), 6);
    await page.locator(".live .word-button").nth(3).hover();
    assert.match(await page.locator(".live .step-note").innerText(), /four! with probability .*looked at/s);
    const seen = await page.locator(".live .picture > svg > g").evaluateAll((parts) =>
      parts.map((p) => p.querySelectorAll("g.all[visibility=inherit]").length > 0));
    assert.deepEqual(seen, [true, false, true, true, true, true]); // its own part's only
  }
  assert.deepEqual(errors, []);
  await page.close();
});

test("a text that cannot be explained is still translated", async () => {
  const { page } = await open();
  await translate(page, Array.from({ length: 300 }, () => "w").join(" "));
  assert.match(await page.getByRole("alert").innerText(), /300 tokens, but 256 are the most/);
  assert.equal(await page.locator(".live .word-button").count(), 301);
  assert.doesNotMatch(await page.locator(".live").innerText(), /Stopped/);
  await page.close();
});

test("words appear while the server is still at work", async (t) => {
  const slow = await own(t, { delay: 300 });
  const page = await newPage(browser, { motion: true });
  await page.goto(`${slow.address}/#text=a+b+c+d+e+f`);
  await page.locator(".live .word-button").nth(1).waitFor();
  assert.ok((await page.locator(".live .word-button").count()) < 7);
  assert.ok((await page.locator(".live path[data-weight]").count()) > 0);
  await page.getByRole("button", { name: "Stop" }).click();
  assert.match(await page.locator(".live .note").innerText(), /Stopped/);
  await page.close();
});

test("a word tells where it looked and what else it might have been", async () => {
  const { page } = await open();
  await translate(page, "one two three four");
  const word = page.locator(".live .word-button").nth(1);
  const below = () => page.locator(".force-form").evaluate((n) => n.getBoundingClientRect().top + scrollY);
  const before = await below();
  await word.hover();
  assert.match(await page.locator(".live .step-note").innerText(), /three with probability .*looked at/);
  assert.equal(await page.locator(".live .alternatives li").count(), 5);
  const weights = await page.locator(".live .looked path").evaluateAll((nodes) =>
    nodes.map((n) => Number(n.getAttribute("data-weight"))));
  assert.ok(weights.length > 1 && weights.every((w) => w >= 0.02));
  assert.equal(await page.locator(".live g.all[visibility=inherit]").count(), 0);
  assert.equal(await below(), before, "the page moved");
  assert.match((await word.getAttribute("aria-label"))!, /^three with probability .*looked at/);
  assert.equal(await page.locator(".live .word-detail").getAttribute("aria-live"), "polite");
  await page.close();
});

test("a word of several tokens has them as detail", async () => {
  const { page } = await open();
  await translate(page, "one elephants two");
  await page.locator(".live .word-button").nth(3).waitFor();
  assert.deepEqual(await page.locator(".live .word-button text").allTextContents(),
    ["two", "elephants", "one", "</s>"]);
  await page.locator(".live .word-button").nth(1).hover();
  const chips = page.locator(".live .token-chip");
  assert.deepEqual((await chips.allTextContents()).map((t) => t.split(" ")[0]), ["ele", "phants"]);
  await chips.nth(1).hover();
  assert.equal(await page.locator(".live .alternatives .chosen").innerText().then((t) => t.split("\n")[0]), "phants");
  await page.close();
});

test("your own translation is forced and scored", async () => {
  const { page } = await open();
  await translate(page, "one two");
  await page.getByLabel(/Your own translation/).fill("uno dos");
  await page.getByRole("button", { name: "Score it" }).click();
  await page.locator(".score-note").waitFor();
  assert.equal(asked("/v1/explain").target, "uno dos");
  await page.getByRole("tab", { name: "Words" }).click();
  assert.match(await page.locator(".panel .word-row").innerText(), /uno/);
  await page.waitForURL(/target=uno\+dos/);
  // Another text is not translated so, nor by its link.
  await translate(page, "three four");
  assert.equal(await page.getByLabel(/Your own translation/).inputValue(), "");
  await page.waitForURL((url) => url.hash.includes("three") && !url.hash.includes("target"));
  await page.close();
});

test("both of two models score your own translation", async () => {
  const { page } = await open({ fragment: "text=one+two&target=uno+dos&model2=plain" });
  await page.locator(".score-note").waitFor();
  const rows = await page.locator(".score-note tbody tr").allInnerTexts();
  assert.equal(rows.length, 2);
  assert.match(rows[0]!, /box\s+-\d+\.\d\d \(-?\d.*a token\)\s+-\d+\.\d\d \(/);
  assert.match(rows[1]!, /plain\s+-\d+\.\d\d/);
  await page.close();
});

test("two models stand side by side, one of them without attention", async () => {
  const { page, errors } = await open();
  await page.getByLabel("Compare with").selectOption("plain");
  await translate(page, "one two three");
  assert.equal(await page.locator(".live").count(), 2);
  assert.equal(await page.locator(".panel .pane").count(), 2);
  assert.match(await page.locator(".panel").innerText(), /no attention over the source/);
  assert.match(await page.locator(".live").first().innerText(), /see where it looked/);
  assert.match(await page.locator(".live").nth(1).innerText(), /This model has no attention/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a wider beam shows provisional texts, then the words with their weights", async () => {
  const { page } = await open();
  await page.getByLabel("Search").selectOption("4");
  await translate(page, "one two three");
  assert.equal(await page.locator(".live .sentence").innerText(), "three two one");
  await page.locator(".live .word-button").nth(3).waitFor();
  assert.equal(await page.locator(".live .word-button").count(), 4);
  assert.ok((await page.locator(".live path[data-weight]").count()) > 0);
  await page.locator(".live .word-button").first().hover();
  assert.equal(await page.locator(".live .alternatives li").count(), 5);
  await page.close();
});

test("a translation that was cut off says so", async () => {
  const { page } = await open();
  const note = page.locator(".live p.note", { hasText: "Cut off" });
  await translate(page, "one endless story");
  await note.waitFor();
  await translate(page, "one two");
  await page.locator(".live .sentence", { hasText: "two one" }).waitFor();
  assert.equal(await note.count(), 0);
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

test("a server with keys is asked with the reader's", async (t) => {
  const guarded = await own(t, { key: "open sesame", loading: 1 });
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
  // A link that is opened in the same tab.
  await again.evaluate(() => (location.hash = "text=uno+dos&view=words"));
  await again.locator(".live .sentence", { hasText: "dos uno" }).waitFor();
  await ready(again);
  assert.equal(await again.getByLabel("Text", { exact: true }).inputValue(), "uno dos");
  assert.equal(await again.getByRole("tab", { name: "Words" }).getAttribute("aria-selected"), "true");
  await again.evaluate(() => (location.hash = "part=laboratory&example=boxes"));
  await again.getByText("the output is 36.000").waitFor();
  await again.close();
});

test("what was drawn unseen fits when it is seen", async () => {
  const { page } = await open({ width: 390, height: 844, touch: true, fragment: "part=laboratory&view=grid" });
  await ready(page);
  await page.getByRole("button", { name: "Translate", exact: true }).first().click();
  const wide = await page.locator(".live svg, .panel svg").evaluateAll((nodes) =>
    nodes.map((n) => n.getBoundingClientRect().width));
  assert.ok(wide.length > 1 && wide.every((w) => w < 390), `${wide}`);
  await page.close();
});

test("a link to the laboratory shows the same picture", async () => {
  const { page } = await open({ fragment: "part=laboratory" });
  await page.getByLabel("Normaliser").selectOption("sparsemax");
  await page.getByRole("checkbox", { name: "worm" }).uncheck();
  await page.getByText("Edit keys and queries").click();
  await page.getByLabel("Keys bird, number 1").fill("-1.5");
  const before = (await download(page, "Download Weights of the as CSV")).toString();
  await page.waitForURL(/keys=.*-1\.5/);
  const link = page.url();
  await page.close();
  const again = await newPage(browser, {});
  await again.goto(link);
  assert.equal((await download(again, "Download Weights of the as CSV")).toString(), before);
  assert.equal(await again.getByLabel("Normaliser").inputValue(), "sparsemax");
  assert.equal(await again.getByRole("checkbox", { name: "worm" }).isChecked(), false);
  await again.close();
});

test("the laboratory offers what has an effect", async () => {
  const { page } = await open({ fragment: "part=laboratory&example=boxes" });
  assert.equal(await page.getByLabel("Width w of the kernel").count(), 0);
  assert.equal(await page.getByLabel("Exponent p").count(), 1);
  await page.getByText("Gaussian", { exact: true }).click();
  assert.equal(await page.getByLabel("Width w of the kernel").count(), 1);
  assert.equal(await page.getByLabel("Exponent p").count(), 0);
  await page.waitForURL(/gaussian=1/);
  await page.getByRole("button", { name: "Cosine and sharpening" }).click();
  await page.getByLabel("Sharpening").fill("10");
  const scores = (await download(page, "Download Scores of q as CSV")).toString();
  assert.match(scores, /"?\(1, 0\)"?,10\n|"?\(1, 0\)"?,10\r/);
  assert.match(await page.locator("main").innerText(), /weights = softmax\(score \/ temperature\)/);
  await page.close();
});

test("headings go down one by one", async () => {
  for (const fragment of ["text=one+two&model2=plain&view=words", "part=laboratory"]) {
    const { page } = await open({ fragment });
    await ready(page);
    const levels = await page.locator("h1, h2, h3, h4").evaluateAll((nodes) => nodes
      .filter((n) => (n as HTMLElement).checkVisibility()).map((n) => Number(n.tagName[1])));
    assert.equal(levels[0], 1);
    levels.forEach((level, i) => assert.ok(i === 0 || level <= levels[i - 1]! + 1, `${levels}`));
    await page.close();
  }
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
  await ready(page);
  await page.getByLabel("Text", { exact: true }).press("Control+Enter");
  await page.locator(".live .sentence", { hasText: "two one" }).waitFor();
  await ready(page);
  await page.locator(".live .word-button").first().focus();
  assert.match(await page.locator(".live .step-note").innerText(), /two with probability/);
  assert.equal(await page.locator(".live > [aria-live]").innerText(), "two one");
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

test("wide pictures scroll within a phone, and long words break", async () => {
  const { page } = await open({ width: 390, height: 844, touch: true, fragment: "view=neuron" });
  await ready(page);
  const frame = page.locator(".panel .picture");
  assert.ok(await frame.evaluate((n) => n.scrollWidth > n.clientWidth));
  await frame.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector(".panel .picture")!.scrollLeft > 0);
  await translate(page, `a ${"long".repeat(40)} word`);
  await page.getByRole("tab", { name: "Foveated" }).click();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} px too wide`);
  await page.close();
});
