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

function tokensOf(text: string): string[] {
  return [...text.split(/\s+/).filter(Boolean).map((w) => "\u2581" + w), "</s>"];
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(value));
}

export function mockDocument(body: Record<string, unknown>, seed = 3) {
  const source = tokensOf(String(body.source));
  const target = body.target ? tokensOf(String(body.target)) : undefined;
  return makeDocument({
    source, target, seed,
    name: String(body.model ?? "box"),
    attention: body.model !== "plain",
    layers: 1,
  });
}

async function stream(response: ServerResponse, text: string, delay: number, beam: number) {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const send = (event: string, data: unknown) =>
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const pause = () => new Promise((done) => setTimeout(done, delay));
  const source = tokensOf(text);
  // The translation is the text backwards.
  const target = tokensOf(text.split(/\s+/).reverse().join(" "));
  const doc = makeDocument({ source, target, layers: 1, heads: 1, seed: 5 });
  send("start", { source: { tokens: source, words: doc.source.words } });
  const written = doc.target!.text;
  for (let i = 0; i < target.length; ++i) {
    await pause();
    if (text.includes("fail") && i === 2) {
      send("error", { error: { message: "out of words" } });
      return response.end();
    }
    if (beam > 1) {
      send("hypothesis", { text: written.split(" ").slice(0, i + 1).join(" "), provisional: true });
      continue;
    }
    send("token", {
      index: i, token: target[i], text: written.split(" ").slice(0, i + 1).join(" "),
      weights: doc.alignment!.weights[i], log_probability: doc.target!.log_probabilities[i],
      alternatives: doc.alternatives[i],
    });
  }
  send("done", { translations: [{ translation: written, score: -1 }] });
  response.end();
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
        { id: "box", source: "en", target: "fr" },
        { id: "plain", source: null, target: null },
      ] });
    if (request.method === "POST") {
      const body = await bodyOf(request);
      bodies.push({ path, body });
      if (path === "/v1/translate")
        return stream(response, String((body.texts as string[])[0]), delay, Number(body.beam_size));
      if (path === "/v1/explain") return json(response, 200, mockDocument(body));
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
