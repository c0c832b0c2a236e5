import type { Chunk } from "./types.ts";

const runs = /[A-Za-z]+|[0-9]+/g;
const maxRun = 60;
const maxPart = 40;

const isUpper = (code: number): boolean => code >= 65 && code <= 90;

/** `parseJSONBody` → parse, JSON, Body: a cut before an upper-case letter after a lower-case one, or before the last of a run of capitals. */
const pushParts = (run: string, out: string[]): void => {
  let start = 0;
  for (let i = 1; i < run.length; i++) {
    if (!isUpper(run.charCodeAt(i))) continue;
    const afterLower = !isUpper(run.charCodeAt(i - 1));
    const beforeLower = i + 1 < run.length && !isUpper(run.charCodeAt(i + 1));
    if (!afterLower && !beforeLower) continue;
    if (i - start <= maxPart) out.push(run.slice(start, i).toLowerCase());
    start = i;
  }
  if (run.length - start <= maxPart) out.push(run.slice(start).toLowerCase());
};

/**
 * Identifier parts of a text, lower case (effects/index/embedder/MODEL.md, "Tokens"): runs of ASCII letters or of digits,
 * letter runs split at case changes; parts over 40 characters and runs over 60 are dropped.
 */
export const tokensOf = (text: string): string[] => {
  const out: string[] = [];
  for (const [run] of text.matchAll(runs)) {
    if (run.length <= maxRun) pushParts(run, out);
  }
  return out;
};

/** Light English stem: plural and the commonest verb endings, so that "requests" finds `request`. Never below three letters. */
export const lightStem = (word: string): string => {
  const n = word.length;
  if (n > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (n > 5 && word.endsWith("ing")) return word.slice(0, -3);
  if (n > 4 && word.endsWith("ed")) return word.slice(0, -2);
  if (n > 4 && word.endsWith("es") && /(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (n > 3 && word.endsWith("s") && !word.endsWith("ss") && !word.endsWith("us")) return word.slice(0, -1);
  return word;
};

const stemmed = (text: string): string[] => {
  const out: string[] = [];
  for (const token of tokensOf(text)) {
    if (token.length > 1) out.push(lightStem(token));
  }
  return out;
};

const pathBoost = 4;

/** The chunk's text for the full-text index: pre-split stems separated by spaces, path and symbol four times. */
export const searchTokens = (chunk: Pick<Chunk, "path" | "symbol" | "text">): string => {
  const head = stemmed(`${chunk.path} ${chunk.symbol}`).join(" ");
  const parts: string[] = Array.from({ length: pathBoost }, () => head);
  parts.push(stemmed(chunk.text).join(" "));
  return parts.join(" ");
};

/** A query in the form of `searchTokens`; empty when nothing in it can be searched. */
export const queryTokens = (text: string): string => [...new Set(stemmed(text.slice(0, 4000)))].slice(0, 256).join(" ");

/** What an embedder sees of a chunk: path and symbol three times, then the code (facts: worth 3 to 10 points of MRR). */
export const embeddingText = (chunk: Pick<Chunk, "path" | "symbol" | "text">): string => {
  const head = `${chunk.path} ${chunk.symbol}\n`;
  return `${head}${head}${head}${chunk.text}`;
};
