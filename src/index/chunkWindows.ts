import { fits, type Lines } from "./lines.ts";
import type { ChunkKind } from "./types.ts";

/** Lines `from` to `to` (both included, from 0) that become one chunk. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly symbol: string;
  readonly kind: ChunkKind;
}

/** FNV-1a, 32 bits, of a trimmed line: whether a line is a boundary depends on the line alone. */
const hashLine = (line: string): number => {
  let hash = 2166136261;
  const text = line.trim();
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return hash >>> 0;
};

const minLines = 8;

const isBoundary = (lines: Lines, index: number, from: number): boolean => {
  if (index - from < minLines || lines.isBlank(index)) return false;
  const hash = hashLine(lines.line(index));
  if (lines.isBlank(index - 1)) return hash % 3 === 0;
  return hash % 24 === 0;
};

/**
 * Content-defined windows: a new one begins at a line whose own hash says so (oftener after a blank line), or at the
 * size limit. A line added at the top moves the nearest boundary at most, not every one below (facts 2, trap 2).
 */
export const windows = (lines: Lines, range: Span): Span[] => {
  const out: Span[] = [];
  let from = range.from;
  for (let i = range.from + 1; i <= range.to; i++) {
    if (fits(lines, from, i) && !isBoundary(lines, i, from)) continue;
    out.push({ ...range, from, to: i - 1 });
    from = i;
  }
  if (from <= range.to) out.push({ ...range, from, to: range.to });
  return out;
};

interface Section {
  from: number;
  to: number;
  level: number;
  symbol: string;
}

const atx = /^ {0,3}(#{1,6})\s+(\S.*?)\s*#*\s*$/;
const fenceMark = /^ {0,3}(```+|~~~+)/;

const sectionsOf = (lines: Lines): Section[] => {
  const sections: Section[] = [{ from: 0, to: -1, level: 0, symbol: "" }];
  const trail: string[] = [];
  let fence: string | null = null;
  for (let i = 0; i < lines.count; i++) {
    const line = lines.line(i).slice(0, 400);
    const mark = fenceMark.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === null) fence = mark;
      else if (mark.startsWith(fence)) fence = null;
    }
    const heading = fence === null ? atx.exec(line) : null;
    if (heading !== null) {
      const level = heading[1]?.length ?? 1;
      trail.length = Math.min(trail.length, level - 1);
      while (trail.length < level - 1) trail.push("");
      trail.push((heading[2] ?? "").slice(0, 80));
      sections.push({ from: i, to: i, level, symbol: trail.filter((part) => part !== "").join(" > ") });
    }
    const current = sections.at(-1);
    if (current !== undefined) current.to = i;
  }
  return sections.filter((section) => section.to >= section.from);
};

/** Markdown by headings: small subsections stay with the section above them, long sections become windows. */
export const markdownSpans = (lines: Lines): Span[] => {
  const merged: Section[] = [];
  for (const section of sectionsOf(lines)) {
    const last = merged.at(-1);
    if (last !== undefined && section.level > Math.max(last.level, 2) && fits(lines, last.from, section.to))
      last.to = section.to;
    else merged.push({ ...section });
  }
  return merged.flatMap(({ from, to, symbol }) => {
    const span: Span = { from, to, symbol, kind: "section" };
    return fits(lines, from, to) ? [span] : windows(lines, span);
  });
};
