import { createHash } from "node:crypto";
import { treeSpans } from "./chunkTree.ts";
import { markdownSpans, type Span, windows } from "./chunkWindows.ts";
import type { SyntaxNode } from "./definitions.ts";
import { chunkLimits, type Lines, linesOf } from "./lines.ts";
import { isMinified } from "./skip.ts";
import type { Chunk } from "./types.ts";

/** A name found in the syntax tree: where (line, from 0) something is defined or called. */
export interface NamedPlace {
  readonly name: string;
  readonly row: number;
}

/** What the parser found in a file; null members where the language has no grammar. */
export interface Syntax {
  readonly root: SyntaxNode;
  readonly defs: ReadonlyArray<NamedPlace>;
  readonly calls: ReadonlyArray<NamedPlace>;
}

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly lang: string;
  readonly syntax: Syntax | null;
}

const spansOf = (file: SourceFile, lines: Lines): Span[] => {
  if (lines.count === 0) return [];
  if (file.syntax !== null) return treeSpans(lines, file.syntax.root);
  if (file.lang === "markdown") return markdownSpans(lines);
  return windows(lines, { from: 0, to: lines.count - 1, symbol: "", kind: "text" });
};

/** Without blank lines at both ends; null when nothing is left. */
const trimmed = (lines: Lines, span: Span): Span | null => {
  let { from, to } = span;
  while (from <= to && lines.isBlank(from)) from += 1;
  while (to >= from && lines.isBlank(to)) to -= 1;
  return from > to ? null : { ...span, from, to };
};

/** Cuts text into pieces of at most `chunkLimits.characters`, never inside a surrogate pair. */
export const capped = (text: string): string[] => {
  const out: string[] = [];
  let start = 0;
  while (text.length - start > chunkLimits.characters) {
    let end = start + chunkLimits.characters;
    const code = text.charCodeAt(end - 1);
    if (code >= 0xd800 && code <= 0xdbff) end -= 1;
    out.push(text.slice(start, end));
    start = end;
  }
  out.push(text.slice(start));
  return out;
};

const namesIn = (places: ReadonlyArray<NamedPlace>, span: Span): string[] => {
  const names = new Set<string>();
  for (const { name, row } of places) {
    if (row < span.from) continue;
    if (row > span.to) break;
    names.add(name);
  }
  return [...names].sort();
};

const byRow = (places: ReadonlyArray<NamedPlace>): NamedPlace[] => [...places].sort((a, b) => a.row - b.row);

/** Cuts one decoded file into chunks, in order of lines. Depends on path and text only. */
export const chunkFile = (file: SourceFile): Chunk[] => {
  const out: Omit<Chunk, "id">[] = [];
  const { path, lang } = file;
  if (isMinified(path, file.text)) {
    const text = `${path}: minified, ${file.text.length} characters`;
    return withIds([{ path, line_start: 1, line_end: 1, symbol: "", kind: "stub", lang, text, defs: [], calls: [] }]);
  }
  const lines = linesOf(file.text);
  const defs = byRow(file.syntax?.defs ?? []);
  const calls = byRow(file.syntax?.calls ?? []);
  for (const whole of spansOf(file, lines)) {
    const span = trimmed(lines, whole);
    if (span === null) continue;
    const { symbol, kind } = span;
    const place = { path, line_start: span.from + 1, line_end: span.to + 1, symbol, kind, lang };
    const names = { defs: namesIn(defs, span), calls: namesIn(calls, span) };
    for (const text of capped(lines.slice(span.from, span.to))) out.push({ ...place, text, ...names });
  }
  return withIds(out);
};

/** Ids are free of line numbers, so that code that only moved keeps its id; a repeated text is told apart by its count. */
const withIds = (chunks: ReadonlyArray<Omit<Chunk, "id">>): Chunk[] => {
  const seen = new Map<string, number>();
  return chunks.map((chunk) => {
    const key = `${chunk.path}\0${chunk.symbol}\0${chunk.kind}\0${chunk.text}`;
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    const id = createHash("sha256").update(`${key}\0${nth}`, "utf8").digest("hex").slice(0, 32);
    return { id, ...chunk };
  });
};
