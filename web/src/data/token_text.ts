// Tokens and words as people read them: SentencePiece's word mark goes, bytes
// of one character are put together again.

const kByte = /^<0x([0-9A-Fa-f]{2})>$/;
// The blanks between words of the server's documents.
const kWord = /[^ \t\n\v\f\r]+/g;

export interface TextRange {
  begin: number;
  end: number;
}

/** The words of a text, in the order of their numbers. */
export function wordRanges(text: string): TextRange[] {
  return [...text.matchAll(kWord)].map((match) => ({
    begin: match.index,
    end: match.index + match[0].length,
  }));
}

export function wordsOf(text: string): string[] {
  return text.match(kWord) ?? [];
}

function byteOf(token: string | undefined): number | null {
  const match = kByte.exec(token ?? "");
  return match ? parseInt(match[1]!, 16) : null;
}

/** How many bytes a character has that begins with this one; 0: none does. */
function bytesFrom(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/** The character that the bytes at a place make, if they make one. */
function characterAt(tokens: string[], at: number): string[] {
  const first = byteOf(tokens[at]);
  const count = first === null ? 0 : bytesFrom(first);
  const bytes = tokens.slice(at, at + count).map(byteOf);
  if (count === 0 || bytes.length < count || bytes.includes(null)) return [];
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const text = decoder.decode(new Uint8Array(bytes as number[]));
    return /\p{Cc}/u.test(text) ? [] : Array<string>(count).fill(text);
  } catch {
    return [];
  }
}

function plainText(token: string): string {
  if (token.startsWith("\u2581")) return token.slice(1) || "\u2423";
  return token;
}

/** A token that stands alone. */
export function tokenText(token: string): string {
  return characterAt([token], 0)[0] ?? plainText(token);
}

/** Each token of a text; of a character in several bytes also which it is. */
export function tokenTexts(tokens: string[]): string[] {
  const texts: string[] = [];
  while (texts.length < tokens.length) {
    const character = characterAt(tokens, texts.length);
    if (character.length > 1)
      texts.push(...character.map((c, k) => `${c} ${k + 1}/${character.length}`));
    else texts.push(character[0] ?? plainText(tokens[texts.length]!));
  }
  return texts;
}

/** What tokens of one word spell. */
export function joinTokens(tokens: string[]): string {
  let text = "";
  for (let at = 0; at < tokens.length; ) {
    const character = characterAt(tokens, at);
    text += character[0] ?? tokens[at]!.replace(/^\u2581/, "");
    at += Math.max(1, character.length);
  }
  return text || "\u2423";
}
