// The server's API, as far as the page uses it. All types of it live here.
import { readDocument, type Alternative, type Doc } from "../data/document";
import { EventReader } from "./sse";

export interface ModelInfo {
  name: string;
  title: string; // for people
}

export interface Start {
  tokens: string[];
  words: number[];
}

export interface TokenEvent {
  index: number;
  token: string;
  text: string; // all that is written so far
  weights: number[] | null;
  log_probability: number;
  alternatives: Alternative[];
}

export interface Watching {
  start(source: Start): void;
  token(token: TokenEvent): void;
  hypothesis(text: string): void;
}

export interface TranslateRequest {
  model: string;
  text: string;
  beam: number;
}

type Json = Record<string, unknown>;

export class ApiError extends Error {
  constructor(
    message: string,
    readonly status = 0, // 0: no answer at all
  ) {
    super(message);
  }
}

let key = "";

/** What a server with keys asks for; kept as long as the page is open. */
export function useKey(text: string): void {
  key = text;
}

function headers(): Record<string, string> {
  return {
    "Content-Type": "application/json",
    ...(key ? { Authorization: `Bearer ${key}` } : {}),
  };
}

function messageOf(value: unknown, otherwise: string): string {
  const error = (value as Json | null)?.error;
  if (typeof error === "string") return error;
  const message = (error as Json | undefined)?.message;
  return typeof message === "string" ? message : otherwise;
}

async function failure(answer: Response): Promise<ApiError> {
  const otherwise = `the server answered ${answer.status}`;
  try {
    const message = messageOf(await answer.json(), otherwise);
    return new ApiError(message, answer.status);
  } catch {
    return new ApiError(otherwise, answer.status);
  }
}

async function ask(path: string, options: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { ...options, headers: headers() });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError("the server does not answer");
  }
  if (!answer.ok) throw await failure(answer);
  return answer;
}

function post(path: string, body: unknown, signal?: AbortSignal) {
  return ask(path, { method: "POST", body: JSON.stringify(body), signal });
}

export async function listModels(): Promise<ModelInfo[]> {
  const answer = await ask("v1/models", {});
  const body = (await answer.json()) as Json;
  const list = (body.data ?? body.models) as unknown;
  return (Array.isArray(list) ? list : []).map((model: Json) => {
    const name = String(model.id ?? model.name ?? "");
    const { source, target } = model;
    const known = typeof source === "string" && typeof target === "string";
    return {
      name,
      title: known ? `${name} (${source} \u2192 ${target})` : name,
    };
  });
}

/** The best translation of whichever form of answer. */
export function textOf(answer: unknown): string {
  const o = (answer ?? {}) as Json;
  const all = (o.translations ?? o.results) as unknown;
  const first = (Array.isArray(all) ? all[0] : o) as Json | string;
  if (typeof first === "string") return first;
  return String(first?.translation ?? first?.text ?? "");
}

function tokenEvent(o: Json): TokenEvent {
  return {
    index: Number(o.index) || 0,
    token: String(o.token ?? ""),
    text: String(o.text ?? ""),
    weights: Array.isArray(o.weights) ? o.weights.map(Number) : null,
    log_probability: Number(o.log_probability) || 0,
    alternatives: Array.isArray(o.alternatives)
      ? o.alternatives.map((a: Json) => ({
          token: String(a.token ?? ""),
          probability: Number(a.probability) || 0,
        }))
      : [],
  };
}

function startOf(o: Json): Start {
  const source = (o.source ?? {}) as Json;
  const tokens = Array.isArray(source.tokens) ? source.tokens.map(String) : [];
  const words = Array.isArray(source.words) ? source.words.map(Number) : [];
  return { tokens, words: words.length === tokens.length ? words : tokens.map((_, i) => i) };
}

/** Streams a translation; gives its text. */
export async function translate(
  request: TranslateRequest,
  watching: Watching,
  signal: AbortSignal,
): Promise<string> {
  const answer = await post(
    "v1/translate",
    {
      ...(request.model ? { model: request.model } : {}),
      texts: [request.text],
      beam_size: request.beam,
      stream: true,
    },
    signal,
  );
  if (!answer.headers.get("Content-Type")?.includes("event-stream"))
    return textOf(await answer.json());
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  const events = new EventReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    for (const { event, data } of events.feed(decoder.decode(value, { stream: true }))) {
      const o = JSON.parse(data) as Json;
      if (event === "error") throw new ApiError(messageOf(o, "the server failed"));
      if (event === "start") watching.start(startOf(o));
      else if (event === "token") watching.token(tokenEvent(o));
      else if (event === "hypothesis") watching.hypothesis((text = String(o.text ?? "")));
      else if (event === "done") text = textOf(o);
      if (event === "token") text = String(o.text ?? "");
    }
  }
}

export async function explain(
  model: string,
  source: string,
  target: string,
  signal?: AbortSignal,
): Promise<Doc> {
  const answer = await post(
    "v1/explain",
    {
      ...(model ? { model } : {}),
      source,
      ...(target ? { target } : {}),
      vectors: true,
    },
    signal,
  );
  return readDocument(await answer.json());
}
