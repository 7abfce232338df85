// A translation while it is being written: tokens come one by one and are put
// together to words. A long text is read and written in parts, one by one.
import { axisOf } from "./axis";
import type { Alternative } from "./document";
import { joinTokens, wordRanges, wordsOf } from "./token_text";

export interface Source {
  text: string;
  tokens: string[];
  words: number[]; // word of each token, -1: a mark such as the end
}

export interface WrittenToken {
  token: string;
  text: string; // all that is written so far
  weights: number[] | null; // on all source tokens
  logProbability: number; // not a number: not known
  alternatives: Alternative[];
}

export interface ReadWord {
  text: string;
  tokens: number[];
  part: number;
  mark: boolean; // the end of a part
}

/** Never changed: a word that gets another token is another word. */
export interface WrittenWord {
  text: string;
  number: number; // in the text; -1: a mark
  part: number;
  tokens: WrittenToken[];
  logProbability: number; // not a number: not known
  weights: number[] | null; // on source words
}

/** The words of the source. The last token is the mark that ends each part. */
export function readWords(source: Source): ReadWord[] {
  const { labels, groups } = axisOf(source, { merge: true, special: "show" });
  const end = source.tokens[source.tokens.length - 1];
  let part = 0;
  return groups.map((tokens, i) => {
    const first = tokens[0]!;
    const mark = source.words[first] === -1 && source.tokens[first] === end;
    return { text: labels[i]!, tokens, mark, part: mark ? part++ : part };
  });
}

function isMark(token: string): boolean {
  return /^<\/?s>$/.test(token);
}

/** Pieces of a key are added, pieces of a query averaged (SPEC E2). */
function wordWeights(tokens: WrittenToken[], read: ReadWord[]) {
  const rows = tokens.map((t) => t.weights).filter((w) => w && w.length > 0);
  if (rows.length === 0) return null;
  return read.map(({ tokens: keys }) => {
    let sum = 0;
    for (const row of rows) for (const j of keys) sum += row![j] ?? 0;
    return sum / rows.length;
  });
}

/** Words so far, in the order in which they were written. */
export class Writing {
  readonly read: ReadWord[];
  readonly parts: number;
  readonly words: WrittenWord[] = [];
  private before = ""; // text before the next token
  private part = 0;

  constructor(readonly source: Source) {
    this.read = readWords(source);
    this.parts = 1 + Math.max(0, ...this.read.map((w) => w.part));
  }

  /** `word` is the token's word where that is known already. */
  add(token: WrittenToken, word?: number): void {
    const part = this.partOf(token);
    const number = isMark(token.token) ? -1 : (word ?? this.numberOf(token, part));
    const last = this.words[this.words.length - 1];
    const joins = last && number >= 0 && last.number === number && last.part === part;
    const tokens = joins ? [...last.tokens, token] : [token];
    if (joins) this.words.pop();
    this.words.push({
      text: wordsOf(token.text)[number] ?? joinTokens(tokens.map((t) => t.token)),
      number,
      part,
      tokens,
      logProbability: tokens.reduce((sum, t) => sum + t.logProbability, 0),
      weights: wordWeights(tokens, this.read),
    });
    this.before = token.text;
    this.part = number < 0 ? part + 1 : part;
  }

  /** What the server says of words that it sent without their tokens' scores. */
  score(scores: number[]): void {
    this.words.forEach((word, i) => {
      const score = scores[word.number];
      if (Number.isNaN(word.logProbability) && score !== undefined)
        this.words[i] = { ...word, logProbability: score };
    });
  }

  /** Gives the tokens of a part what only its explanation knows, if so. */
  complete(part: number, tokens: Omit<WrittenToken, "text" | "weights">[]): void {
    const mine = this.words.filter((w) => w.part === part);
    const known = mine.flatMap((w) => w.tokens.map((t) => t.logProbability));
    if (known.length !== tokens.length || !known.some(Number.isNaN)) return;
    let at = 0;
    for (const word of mine) {
      const whole = word.tokens.map((t) => ({ ...t, ...tokens[at++]! }));
      this.words[this.words.indexOf(word)] = {
        ...word,
        tokens: whole,
        logProbability: whole.reduce((sum, t) => sum + t.logProbability, 0),
      };
    }
  }

  /** A part's own piece of the source, and what was written for it. */
  partTexts(part: number): { source: string; target: string } {
    const ranges = wordRanges(this.source.text);
    const numbers = this.read
      .filter((w) => w.part === part && !w.mark)
      .map((w) => this.source.words[w.tokens[0]!]!)
      .filter((number) => number >= 0);
    const first = ranges[numbers[0] ?? -1];
    const last = ranges[numbers[numbers.length - 1] ?? -1];
    const mine = this.words.filter((w) => w.part === part && w.number >= 0);
    return {
      source: this.source.text.slice(first?.begin ?? 0, last?.end),
      target: mine.map((w) => w.text).join(" "),
    };
  }

  private partOf(token: WrittenToken): number {
    const row = token.weights ?? [];
    let most = -1;
    row.forEach((w, j) => {
      if (w > 0 && w > (row[most] ?? 0)) most = j;
    });
    const found = this.read.find((w) => w.tokens.includes(most))?.part;
    return found ?? Math.min(this.part, this.parts - 1);
  }

  private numberOf(token: WrittenToken, part: number): number {
    const last = this.words[this.words.length - 1];
    const starts =
      token.token.startsWith("\u2581") || !last || last.part !== part;
    return starts
      ? wordsOf(this.before).length
      : Math.max(0, wordsOf(token.text).length - 1);
  }
}
