// A server with the API of fovea serve that makes its answers up. It sends the
// same Content-Security-Policy as the real one.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { makeDocument } from "./fixture";

const kPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; " +
  "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

const kTypes: Record<string, string> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

export interface Mock {
  address: string;
  bodies: { path: string; body: Record<string, unknown> }[];
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = "";
  for await (const piece of request) text += piece;
  return text ? JSON.parse(text) : {};
}

/** Two tokens a word that has more than six letters. */
function tokensOf(text: string): string[] {
  const words = text.split(/\s+/).filter(Boolean);
  return [...words.flatMap((w) => {
    const word = "\u2581" + w;
    return w.length > 6 && !w.includes("<") ? [word.slice(0, 4), word.slice(4)] : [word];
  }), "</s>"];
}

const backwards = (text: string) => text.split(/\s+/).reverse().join(" ");

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(value));
}

export function mockDocument(body: Record<string, unknown>, seed = 3) {
  const source = tokensOf(String(body.source));
  const target = tokensOf(String(body.target ?? backwards(String(body.source))));
  return makeDocument({
    source, target, seed,
    name: String(body.model ?? "box"),
    attention: body.model !== "plain",
    layers: 1,
  });
}

interface Row {
  token: string;
  text: string; // so far
  weights: number[];
  log_probability: number;
  alternatives: unknown[];
}

/** The translation is the text backwards, sentence by sentence. */
function translation(text: string, attention: boolean) {
  const docs = text.split(/(?<=[.!?])\s+/).map((part) => makeDocument({
    source: tokensOf(part), target: tokensOf(backwards(part)), layers: 1, heads: 1, seed: 5 }));
  const tokens = docs.flatMap((d) => d.source.tokens);
  const rows: Row[] = [];
  const words: number[] = [];
  let before = "";
  for (const doc of docs) {
    const first = words.length;
    const word = Math.max(-1, ...words) + 1;
    words.push(...doc.source.words.map((w) => (w < 0 ? -1 : w + word)));
    const target = doc.target!;
    target.tokens.forEach((token, i) => {
      const sofar = target.tokens.slice(0, i + 1).filter((t) => t !== "</s>").join("");
      const weights = tokens.map((_, j) => doc.alignment!.weights[i]![j - first] ?? 0);
      rows.push({ token, text: before + sofar.replace(/\u2581/g, " ").trim(),
        weights: attention ? weights : [], log_probability: target.log_probabilities[i]!,
        alternatives: doc.alternatives[i]! });
    });
    before += target.text + " ";
  }
  return { source: { tokens, words }, rows, text: before.trim() };
}

/** What "done" adds when it is asked for. */
function details({ rows, text }: ReturnType<typeof translation>, attention: boolean) {
  const scores: number[] = [];
  const target = rows.map((row) => {
    const word = row.text.split(" ").length - 1;
    if (row.token !== "</s>") scores[word] = (scores[word] ?? 0) + row.log_probability;
    return { token: row.token, end: [...row.text].length };
  });
  const all = rows.map((row) => row.weights);
  return { alignment: attention ? { target, weights: all } : null,
    word_scores: { words: scores, end: -0.1 }, translation: text };
}

async function stream(response: ServerResponse, body: Record<string, unknown>, delay: number) {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const send = (event: string, data: unknown) =>
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const text = String((body.texts as string[])[0]);
  const attention = body.model !== "plain";
  const all = translation(text, attention);
  send("start", { source: all.source });
  for (const [i, row] of all.rows.entries()) {
    if (delay > 0) await new Promise((done) => setTimeout(done, delay));
    if (text.includes("fail") && i === 2) {
      send("error", { error: { message: "out of words" } });
      return response.end();
    }
    if (Number(body.beam_size) > 1)
      send("hypothesis", { text: row.text, provisional: true });
    else send("token", { index: i, ...row });
  }
  const log = all.rows.reduce((sum, row) => sum + row.log_probability, 0);
  send("done", { translations: [{ translation: all.text, score: -1, log_probability: log,
    cut_off: text.includes("endless"),
    ...(body.alignment ? details(all, attention) : {}) }] });
  response.end();
}

/** As the server does for maps that would be too large. */
function explained(response: ServerResponse, body: Record<string, unknown>): void {
  for (const side of ["source", "target"]) {
    const count = tokensOf(String(body[side] ?? "")).length - 1;
    if (count > 256)
      return json(response, 413, { error: { message:
        `"${side}" has ${count} tokens, but 256 are the most` } });
  }
  json(response, 200, mockDocument(body));
}

export interface MockOptions {
  delay?: number; // ms between tokens
  key?: string;
  loading?: number; // so many times the models are not there yet
}

export async function startMock(folder: string, options: MockOptions = {}): Promise<Mock> {
  const bodies: Mock["bodies"] = [];
  const delay = options.delay ?? 5;
  let loading = options.loading ?? 0;
  const server = createServer(async (request, response) => {
    const path = request.url ?? "/";
    response.setHeader("Content-Security-Policy", kPolicy);
    if (path.startsWith("/v1/") && options.key &&
        request.headers.authorization !== `Bearer ${options.key}`)
      return json(response, 401, { error: { message: "a key is needed" } });
    if (path === "/v1/models" && --loading >= 0)
      return json(response, 503, { error: { message: "the models are being loaded" } });
    if (path === "/v1/models")
      return json(response, 200, { object: "list", data: [
        { id: "box", source: "en", target: "fr", attention: true },
        { id: "plain", source: null, target: null, attention: false },
      ] });
    if (request.method === "POST") {
      const body = await bodyOf(request);
      bodies.push({ path, body });
      if (path === "/v1/translate")
        return stream(response, body, delay);
      if (path === "/v1/explain") return explained(response, body);
    }
    const name = path === "/" ? "index.html" : path.slice(1);
    if (!["index.html", "app.js", "app.css"].includes(name))
      return json(response, 404, { error: { message: `no ${path}` } });
    response.writeHead(200, { "Content-Type": kTypes[name.split(".")[1]!] });
    response.end(readFileSync(join(folder, name)));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    close: () => new Promise((done) => {
      server.closeAllConnections?.();
      server.close(() => done());
    }),
  };
}
