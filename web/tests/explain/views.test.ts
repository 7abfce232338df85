import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { download, launch, openExplain } from "../support/browser";
import { kFaithfulness, makeDocument } from "../support/fixture";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const pronoun = (word: string, seed: number) =>
  makeDocument({
    source: ["\u2581The", "\u2581nurse", "\u2581said", `\u2581${word}`, "\u2581slept", "</s>"],
    target: null, seed,
  });

test("the head view shows a chosen token's lines alone", async () => {
  const doc = makeDocument();
  const { page } = await openExplain(browser, doc, { fragment: "view=head&words=0&layer=1&heads=2&least=0" });
  const shown = () => page.locator('.lines path:not([visibility="hidden"])').evaluateAll((nodes) =>
    nodes.map((n) => [n.getAttribute("data-row"), n.getAttribute("data-column"), n.getAttribute("data-value")].map(Number)));
  const n = doc.source.tokens.length;
  assert.equal((await shown()).length, n * n);
  await page.getByRole("button", { name: "Query bird" }).press("Enter");
  const lines = await shown();
  assert.equal(lines.length, n);
  for (const [i, j, w] of lines as [number, number, number][]) {
    assert.equal(i, 2);
    assert.equal(w, doc.layers[1]!.weights[2]![i]![j]);
  }
  assert.match(await page.locator("[aria-live]").last().innerText(), /bird looks at: /);
  await page.close();
});

test("the neuron view's numbers add up", async () => {
  const doc = makeDocument();
  const { page } = await openExplain(browser, doc, { fragment: "view=neuron&neuron=5&neuronhead=1&query=3" });
  const csv = (await download(page, "Download decoder 1, cross, head 1: query mat as CSV")).toString();
  const rows = csv.trim().split("\r\n").slice(1).map((line) => line.split(","));
  const scale = doc.layers[5]!.vectors.scale;
  rows.forEach((row, j) => {
    const products = row.slice(17, 33).map(Number);
    const score = Number(row[33]);
    assert.ok(Math.abs(products.reduce((a, b) => a + b, 0) * scale - score) < 1e-5);
    assert.ok(Math.abs(Number(row[34]) - doc.layers[5]!.weights[1]![3]![j]!) < 1e-5);
  });
  assert.equal(rows.length, doc.source.tokens.length);
  assert.match(await page.locator(".note").first().innerText(), /reproduces the model's weights/);
  await page.close();
});

test("hidden special tokens are said to be, renormalised or not", async () => {
  const { page } = await openExplain(browser, makeDocument(), { fragment: "view=map" });
  const sums = () => page.locator(".sums text").allTextContents();
  assert.ok((await sums()).every((s) => s.includes("1.00")));
  await page.getByLabel("Special tokens").selectOption("hide");
  assert.match(await page.locator("figure .note").innerText(), /not renormalised/);
  assert.ok((await sums()).some((s) => !s.includes("1.00")));
  await page.getByLabel("Special tokens").selectOption("renormalise");
  assert.match(await page.locator("figure .note").innerText(), /renormalised to sum to 1/);
  assert.ok((await sums()).every((s) => s.includes("1.00")));
  await page.close();
});

test("a minimal pair shows differences and says that they prove nothing", async () => {
  const docs = [pronoun("she", 1), pronoun("he", 2)];
  const { page } = await openExplain(browser, docs, { fragment: "view=pair" });
  const shown = async () =>
    Number(await page.locator('.cells rect[data-row="0"][data-column="1"]').getAttribute("data-value"));
  const [a, b] = docs.map((d) => d.layers[0]!.weights[0]!);
  assert.equal(await page.locator("figcaption").innerText(), "\u2018she\u2019 less \u2018he\u2019");
  assert.ok(Math.abs((await shown()) - (a![3]![1]! - b![3]![1]!)) < 1e-12);
  await page.getByLabel("From the word").selectOption("slept");
  assert.equal(await page.locator("figcaption").innerText(), "From \u2018slept\u2019: \u2018she\u2019 less \u2018he\u2019");
  assert.ok(Math.abs((await shown()) - (a![4]![1]! - b![4]![1]!)) < 1e-12);
  assert.match(await page.locator(".panel").innerText(), /no causal proof/);
  await page.close();
});

test("the animation plays, pauses and steps, with and without attention", async () => {
  const docs = [makeDocument({ name: "with" }), makeDocument({ name: "without", attention: false })];
  const { page } = await openExplain(browser, docs, { fragment: "view=animation" });
  const frame = async () => Number((await page.locator(".frame-count").innerText()).split(" / ")[0]);
  assert.equal(await frame(), 1);
  await page.getByRole("button", { name: "Step on" }).click();
  assert.equal(await frame(), 2);
  await page.getByLabel("Pause between steps").fill("0.1");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => parseInt(document.querySelector(".frame-count")!.textContent!) > 10);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  const at = await frame();
  await page.waitForTimeout(300);
  assert.equal(await frame(), at);
  assert.match(await page.locator(".pane").nth(1).innerText(), /no attention|The encoder reads/);
  await page.close();
});

const sixtyWords = () => {
  const piece = (i: number) => (i % 3 === 0 ? [`\u2581word${i}`, "ly"] : [`\u2581word${i}`]);
  const tokens = [...Array.from({ length: 63 }, (_, i) => piece(i)).flat(), "</s>"];
  return makeDocument({ source: tokens, target: tokens, heads: 1, layers: 1, dimension: 4 });
};

/** Of what matches, the part that is out of its frame's sight, px. */
const outOfSight = (page: Page, selector: string) =>
  page.locator(`.picture ${selector}`).evaluateAll((nodes) =>
    nodes.map((node) => {
      const box = node.closest(".picture")!.getBoundingClientRect();
      const { left, right } = node.getBoundingClientRect();
      return Math.max(box.left - left, right - box.right);
    }));

test("the animation of 60 words has room, or follows what it is about", async () => {
  const doc = sixtyWords();
  const count = doc.source.tokens.length;
  const active = 'svg text[font-weight="700"]'; // what is read or written
  for (const width of [1200, 390])
    for (const frame of [0, 60, count - 1, count + 4 * 17 + 3, count + 4 * 83 + 3]) {
      const { page, errors } = await openExplain(browser, doc, { width, fragment: `view=animation&frame=${frame}` });
      await page.waitForTimeout(50);
      const seen = await outOfSight(page, active);
      assert.ok(seen.length === 1 && seen[0]! <= 1, `${width}, ${frame}: ${seen}`);
      const written = await outOfSight(page, ".written text");
      assert.ok(written.every((x) => x <= 1), `${width}, ${frame}: ${written}`);
      if (frame >= count) {
        // The token that is looked at most, and the context.
        const [most, out] = await page.evaluate(() => {
          const bars = [...document.querySelectorAll<SVGElement>("[data-weight]")];
          const weights = bars.map((b) => Number(b.dataset.weight));
          const bar = bars[weights.indexOf(Math.max(...weights))]!;
          const frame = bar.closest(".picture")!.getBoundingClientRect();
          const context = [...document.querySelectorAll(".picture text")].find((t) => t.textContent === "context")!;
          const out = (n: Element) =>
            Math.max(frame.left - n.getBoundingClientRect().left, n.getBoundingClientRect().right - frame.right);
          return [out(bar), out(context)];
        });
        assert.ok(most! <= 0 && out! <= 0, `${width}, ${frame}: ${most}, ${out}`);
        if (width === 1200) {
          const arcs = await outOfSight(page, "svg path");
          assert.ok(arcs.length > 0 && arcs.every((x) => x <= 0), `${frame}: ${arcs}`);
        }
      }
      assert.deepEqual(errors, []);
      await page.close();
    }
});

test("the animation scrolls smoothly, from where it was", async () => {
  const { page } = await openExplain(browser, sixtyWords(), { width: 390, motion: true, fragment: "view=animation&frame=50" });
  const left = () => page.locator(".picture").evaluate((n) => n.scrollLeft);
  const settled = () => page.waitForFunction(() => {
    const box = document.querySelector(".picture")!;
    return box.scrollLeft === Number(box.querySelector("svg")!.dataset.left) && box.scrollLeft > 0;
  });
  await settled();
  const before = await left();
  await page.getByRole("button", { name: "Step on" }).click();
  await settled();
  assert.ok((await left()) > before);
  await page.close();
});

test("the composition of words has pairs and the next layer, also of tokens", async () => {
  const doc = makeDocument();
  const { page, errors } = await openExplain(browser, doc, { fragment: "view=composition" });
  const labels = (name: string) =>
    page.locator("figure", { hasText: name }).first().locator("[data-label-row]").allTextContents();
  const words = ["The", "early", "bird", "catches", "the", "worm.", "</s>"];
  for (const name of ["Queries:", "Scores:", "Composites:", "Pairs:", "How much of each word"])
    assert.deepEqual(await labels(name), words, name);
  assert.match(await page.locator("figure", { hasText: "Pairs:" }).innerText(), /Strongest: \S+ \+ \S+ /);
  assert.match(await page.locator(".step").nth(7).innerText(), /bird after encoder 1, self \u2248 0\.\d\d \u00d7 bird/);
  const rows = await page.locator(".step").nth(7).locator(".cells rect").evaluateAll((nodes) => {
    const sums: number[] = [];
    for (const n of nodes as HTMLElement[])
      sums[Number(n.dataset.row)] = (sums[Number(n.dataset.row)] ?? 0) + Number(n.dataset.value);
    return sums;
  });
  assert.ok(rows.length === 7 && rows.every((sum) => Math.abs(sum - 1) < 1e-4), String(rows));
  await page.getByLabel("Units").selectOption("Tokens");
  assert.equal((await labels("Pairs:")).length, doc.source.tokens.length);
  assert.match(await page.getByLabel("Word", { exact: true }).innerText(), /catch\n.*es/);
  assert.deepEqual(errors, []);
  await page.close();
});

const kHebrew = ["\u2581\u05e9\u05dc\u05d5\u05dd", "\u2581\u05de\u05dc\u05da", "\u2581\u05d9\u05e4\u05d4", ".", "</s>"];

test("words from right to left stand so, and a note on them does not turn around", async () => {
  const doc = makeDocument({ source: kHebrew, target: kHebrew });
  const { page, errors } = await openExplain(browser, doc, { fragment: "view=animation&frame=20" });
  const lefts = await page.locator(".written text").evaluateAll((nodes) => nodes.map((n) => n.getBoundingClientRect().left));
  assert.ok(lefts.length >= 3 && lefts.every((x, i) => i === 0 || x < lefts[i - 1]!), String(lefts));
  const ends = await page.locator(".written text").last().evaluate((node) => {
    const text = node as SVGTextElement;
    const at = (letter: string) => text.getExtentOfChar(text.textContent!.indexOf(letter)).x;
    return { stop: at("."), first: at("\u05d9") };
  });
  assert.ok(ends.stop < ends.first); // a full stop ends the word
  await page.getByRole("tab", { name: "Heat map" }).click();
  await page.locator('.cells rect[data-row="0"][data-column="1"]').hover();
  // From, arrow, to: in that order on the screen.
  const order = await page.locator(".tip").evaluate((tip) => {
    const text = tip.firstChild!;
    const at = (needle: string) => {
      const range = document.createRange();
      range.setStart(text, text.textContent!.indexOf(needle));
      range.setEnd(text, text.textContent!.indexOf(needle) + 1);
      return range.getBoundingClientRect().left;
    };
    return [at("\u05e9"), at("\u2192"), at("\u05de"), at(":")];
  });
  assert.deepEqual(order, [...order].sort((a, b) => a - b));
  assert.deepEqual(errors, []);
  await page.close();
});

test("the toy follows its projections", async () => {
  const { page } = await openExplain(browser, makeDocument(), { fragment: "view=composition" });
  const weights = () => page.locator("figure", { hasText: "Weights of the toy" }).locator(".cells rect")
    .evaluateAll((nodes) => nodes.map((n) => Number(n.getAttribute("data-value"))));
  const before = await weights();
  for (const [i, j] of [[1, 1], [2, 2]])
    await page.getByLabel(`W_Q, row ${i}, column ${j}`).fill("0");
  const flat = await weights();
  assert.notDeepEqual(flat, before);
  assert.ok(flat.every((w) => Math.abs(w - 1 / 6) < 1e-9)); // no query, no preference
  await page.waitForURL(/toyquery=0_0_0_0/);
  await page.reload(); // a link keeps them
  assert.deepEqual(await weights(), flat);
  await page.getByLabel("Words of the toy").fill("one two");
  assert.equal((await weights()).length, 4);
  await page.getByRole("button", { name: "The late worm escapes the early bird." }).click();
  assert.equal((await weights()).length, 49);
  await page.close();
});

test("statistics sort by column and open a head", async () => {
  const doc = makeDocument();
  const { page } = await openExplain(browser, doc, { fragment: "view=statistics" });
  await page.getByRole("button", { name: "Entropy" }).click();
  const column = await page.locator("table.wide tbody tr td:nth-child(3)").allInnerTexts();
  const numbers = column.map(Number);
  assert.deepEqual(numbers, [...numbers].sort((a, b) => b - a));
  assert.equal(await page.locator('th[aria-sort="descending"]').innerText(), "Entropy \u2193");
  await page.locator("table.wide tbody tr").first().getByRole("button").click();
  assert.match(await page.locator("figcaption").innerText(), /head \d/);
  await page.close();
});

test("the head view draws lines of a pair of sentences only", async () => {
  const doc = makeDocument();
  const count = doc.source.tokens.length;
  const twoSentences = { ...doc, source: { ...doc.source, sentences: doc.source.tokens.map((_, i) => (i < 4 ? 0 : 1)) } };
  const { page, errors } = await openExplain(browser, twoSentences, { fragment: "view=head&words=0&least=0" });
  const ends = () => page.locator(".lines path").evaluateAll((nodes) =>
    nodes.map((n) => [Number(n.getAttribute("data-row")), Number(n.getAttribute("data-column"))] as const));
  const all = await ends();
  assert.ok(all.some(([i, j]) => i < 4 && j < 4) && count > 4);
  await page.getByLabel("Sentences").selectOption({ label: "2 \u2192 1" });
  const some = await ends();
  assert.ok(some.length > 0 && some.length < all.length);
  assert.ok(some.every(([i, j]) => i >= 4 && j < 4));
  assert.deepEqual(errors, []);
  await page.close();
});

test("a head view of one sentence offers no pairs", async () => {
  const { page } = await openExplain(browser, makeDocument(), { fragment: "view=head" });
  assert.equal(await page.getByLabel("Sentences").count(), 0);
  await page.close();
});

test("a map links to what was tested", async () => {
  const { page } = await openExplain(browser, makeDocument({ faithfulness: kFaithfulness }));
  await page.getByRole("button", { name: "What was tested" }).click();
  const text = await page.locator(".panel").innerText();
  assert.match(text, /explain its output in part only/);
  assert.match(text, /tau 0\.41/);
  await page.close();
});

test("a foveated word is as sharp as its weight", async () => {
  const { page } = await openExplain(browser, makeDocument(), { fragment: "view=foveated&focus=2" });
  const words = await page.locator(".panel svg text").evaluateAll((nodes) => nodes.map((n) => ({
    weight: Number(n.getAttribute("data-weight")), opacity: Number(n.getAttribute("opacity")),
    sharp: !n.hasAttribute("filter") })));
  const top = words.reduce((a, b) => (b.weight > a.weight ? b : a));
  assert.ok(top.sharp && top.opacity === 1);
  assert.ok(words.some((w) => !w.sharp));
  await page.close();
});

test("a classifier shows its pool, its label and its gates", async () => {
  const { page, errors } = await openExplain(browser, makeDocument({ target: null, gates: true }));
  assert.match(await page.locator("figcaption").innerText(), /^pool/);
  await page.getByRole("tab", { name: "Words" }).click();
  assert.match(await page.locator(".panel").innerText(), /positive/);
  await page.getByRole("tab", { name: "Gates" }).click();
  assert.match(await page.locator(".panel").innerText(), /6 of 9 gates are open/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("documents with pieces missing are shown as far as they go", async () => {
  for (const doc of [{}, { source: { text: "a", tokens: ["a"], words: [0] } }, [makeDocument(), {}]]) {
    const { page, errors } = await openExplain(browser, doc);
    for (const tab of await page.getByRole("tab").all()) await tab.click();
    assert.deepEqual(errors, []);
    await page.close();
  }
});

test("numbers can be read as a table", async () => {
  const doc = makeDocument();
  const { page } = await openExplain(browser, doc, { fragment: "view=map&words=0" });
  await page.getByText("Numbers as a table").click();
  const cell = await page.locator("figure table tbody tr").nth(2).locator("td").nth(3).innerText();
  assert.equal(cell, doc.alignment!.weights[2]![3]!.toFixed(4));
  await page.close();
});

test("every control has a name, and every picture", async () => {
  const { page } = await openExplain(browser, makeDocument({ gates: true, faithfulness: kFaithfulness }));
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    const nameless = await page.evaluate(() => {
      const named = (node: Element) =>
        node.getAttribute("aria-label") || node.textContent?.trim() ||
        (node as HTMLInputElement).labels?.length;
      const all = document.querySelectorAll("button,input,select,textarea,[role=button],svg:not([aria-hidden])");
      return [...all].filter((node) => !named(node)).map((node) => node.outerHTML.slice(0, 120));
    });
    assert.deepEqual(nameless, [], await tab.innerText());
  }
  await page.close();
});
