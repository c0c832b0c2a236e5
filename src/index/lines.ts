/** A file's text by lines, with sizes in O(1): the chunker works in whole lines, so that every line is in some chunk. */
export interface Lines {
  readonly text: string;
  readonly count: number;
  /** Characters of lines `from` to `to` (both included, from 0) that are not white space. */
  readonly size: (from: number, to: number) => number;
  /** The lines' text without the last line end. */
  readonly slice: (from: number, to: number) => string;
  readonly line: (index: number) => string;
  readonly isBlank: (index: number) => boolean;
}

const visibleIn = (text: string, from: number, to: number): number => {
  let n = 0;
  for (let i = from; i < to; i++) if (text.charCodeAt(i) > 32) n += 1;
  return n;
};

export const linesOf = (text: string): Lines => {
  const starts: number[] = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  if (starts.length > 1 && starts.at(-1) === text.length) starts.pop();
  const count = text === "" ? 0 : starts.length;
  const endOf = (index: number): number => {
    const next = starts[index + 1];
    return next !== undefined ? next - 1 : text.endsWith("\n") ? text.length - 1 : text.length;
  };
  const sums = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) sums[i + 1] = (sums[i] ?? 0) + visibleIn(text, starts[i] ?? 0, endOf(i));
  const size = (from: number, to: number): number => (sums[to + 1] ?? 0) - (sums[from] ?? 0);
  const slice = (from: number, to: number): string => text.slice(starts[from] ?? 0, endOf(to));
  return { text, count, size, slice, line: (i) => slice(i, i), isBlank: (i) => size(i, i) === 0 };
};

/** Limits of a chunk: characters that are not white space, lines, and characters altogether. */
export const chunkLimits = { visible: 1400, lines: 80, characters: 8000 } as const;

export const fits = (lines: Lines, from: number, to: number): boolean =>
  to - from + 1 <= chunkLimits.lines && lines.size(from, to) <= chunkLimits.visible;
