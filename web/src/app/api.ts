// The server's API, as far as the page uses it. All types of it live here.
import { readDocument, type Doc } from "../data/document";
import type { WrittenToken } from "../data/live_words";
import { EventReader } from "./sse";

export interface ModelInfo {
  name: string;
  title: string; // for people
  source: string | null; // language
  attention: boolean | null; // null: not known
}

export interface Start {
  tokens: string[];
  words: number[];
}

export type TokenEvent = WrittenToken;

/** What a translation is in the end. */
export interface Written {
  text: string;
  logProbability: number; // not a number: not known
  cutOff: boolean; // at the longest length
  tokens: WrittenToken[]; // if asked for; without their scores
  wordScores: number[]; // if asked for
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

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function numbers(value: unknown): number[] {
  return list(value).map(Number);
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
      source: known ? (source as string) : null,
      attention: typeof model.attention === "boolean" ? model.attention : null,
    };
  });
}

/** Tokens of an alignment, with the text as far as each of them goes. */
function alignedTokens(alignment: unknown, text: string): WrittenToken[] {
  const o = (alignment ?? {}) as Json;
  const characters = [...text];
  return list(o.target).map((piece, i) => ({
    token: String((piece as Json).token ?? ""),
    text: characters.slice(0, Number((piece as Json).end) || 0).join(""),
    weights: numbers(list(o.weights)[i]),
    logProbability: NaN,
    alternatives: [],
  }));
}

/** The best translation of whichever form of answer. */
export function writtenOf(answer: unknown): Written {
  const o = (answer ?? {}) as Json;
  const all = (o.translations ?? o.results) as unknown;
  const first = ((Array.isArray(all) ? all[0] : o) ?? {}) as Json | string;
  const best = typeof first === "string" ? { text: first } : first;
  const text = String(best.translation ?? best.text ?? "");
  const scores = best.word_scores as Json | undefined;
  const log = best.log_probability;
  return {
    text,
    logProbability: typeof log === "number" ? log : NaN,
    cutOff: best.cut_off === true,
    tokens: alignedTokens(best.alignment, text),
    wordScores: numbers(scores?.words),
  };
}

function tokenEvent(o: Json): TokenEvent {
  return {
    token: String(o.token ?? ""),
    text: String(o.text ?? ""),
    weights: numbers(o.weights),
    logProbability: Number(o.log_probability) || 0,
    alternatives: list(o.alternatives).map((a) => ({
      token: String((a as Json).token ?? ""),
      probability: Number((a as Json).probability) || 0,
    })),
  };
}

function startOf(o: Json): Start {
  const source = (o.source ?? {}) as Json;
  const tokens = list(source.tokens).map(String);
  const words = numbers(source.words);
  return { tokens, words: words.length === tokens.length ? words : tokens.map((_, i) => i) };
}

/** Streams a translation; gives what it is in the end. */
export async function translate(
  request: TranslateRequest,
  watching: Watching,
  signal: AbortSignal,
): Promise<Written> {
  const answer = await post(
    "v1/translate",
    {
      ...(request.model ? { model: request.model } : {}),
      texts: [request.text],
      beam_size: request.beam,
      stream: true,
      // A beam sends no tokens on the way.
      ...(request.beam > 1 ? { alignment: "tokens", word_scores: true } : {}),
    },
    signal,
  );
  if (!answer.headers.get("Content-Type")?.includes("event-stream"))
    return writtenOf(await answer.json());
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  const events = new EventReader();
  let written = writtenOf(null);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return written;
    for (const { event, data } of events.feed(decoder.decode(value, { stream: true }))) {
      const o = JSON.parse(data) as Json;
      if (event === "error") throw new ApiError(messageOf(o, "the server failed"));
      if (event === "start") watching.start(startOf(o));
      else if (event === "token") watching.token(tokenEvent(o));
      else if (event === "hypothesis") watching.hypothesis(String(o.text ?? ""));
      else if (event === "done") written = writtenOf(o);
    }
  }
}

export async function explain(
  model: string,
  source: string,
  target: string, // "": the model's own
  beam: number,
  signal?: AbortSignal,
): Promise<Doc> {
  const answer = await post(
    "v1/explain",
    {
      ...(model ? { model } : {}),
      source,
      ...(target ? { target } : { beam_size: beam }),
      vectors: true,
    },
    signal,
  );
  return readDocument(await answer.json());
}
