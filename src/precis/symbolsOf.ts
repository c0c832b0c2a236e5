import type { LineRange } from "../diff/changedRanges.ts";
import type { ChangedName } from "./callers.ts";

/** A chunk of the index, as far as the change map needs it. */
export interface ChunkPlace {
  readonly path: string;
  readonly line_start: number;
  readonly line_end: number;
  readonly symbol: string;
  readonly defs: ReadonlyArray<string>;
}

const overlaps = (chunk: ChunkPlace, range: LineRange): boolean =>
  chunk.line_start <= range.end && range.start <= chunk.line_end;

/** Symbols whose chunks hold changed lines, in file order, each once. */
export const changedSymbols = (
  chunks: ReadonlyArray<ChunkPlace>,
  ranges: ReadonlyArray<LineRange>,
): ReadonlyArray<string> => [
  ...new Set(
    chunks
      .filter((chunk) => ranges.some((range) => overlaps(chunk, range)))
      .sort((a, b) => a.line_start - b.line_start)
      .flatMap((chunk) => (chunk.symbol === "" ? chunk.defs : [chunk.symbol])),
  ),
];

/** Names that the changed chunks define: what to look up callers of. */
export const changedDefinitions = (
  chunks: ReadonlyArray<ChunkPlace>,
  ranges: ReadonlyArray<LineRange>,
): ReadonlyArray<ChangedName> => {
  const touched = chunks.filter((chunk) => ranges.some((range) => overlaps(chunk, range)));
  const names = touched.flatMap(({ path, symbol, defs }) =>
    defs.map((name) => ({ name, path, member: symbol !== "" && symbol !== name })),
  );
  return [...new Map(names.map((name) => [name.name, name])).values()];
};

/** Paths that changed together with the given ones in past commits, most often first. */
export const coChanged = (
  commits: ReadonlyArray<{ readonly files: ReadonlyArray<string> }>,
  changed: ReadonlySet<string>,
): ReadonlyArray<{ readonly path: string; readonly times: number }> => {
  const times = new Map<string, number>();
  for (const { files } of commits) {
    // A commit that touches half the tree says nothing about two files belonging together.
    if (files.length > 40 || !files.some((path) => changed.has(path))) continue;
    for (const path of files) if (!changed.has(path)) times.set(path, (times.get(path) ?? 0) + 1);
  }
  return [...times]
    .filter(([, count]) => count >= 2)
    .map(([path, count]) => ({ path, times: count }))
    .sort((a, b) => b.times - a.times || (a.path < b.path ? -1 : 1));
};
