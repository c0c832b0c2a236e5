import { chunkerVersion, type IndexMeta, type IndexOptions } from "./types.ts";

/** What must be equal for two indexes to be mixed. */
export interface IndexIdentity {
  readonly provider: string;
  readonly model: string;
  readonly dim: number;
  readonly options: IndexOptions;
}

const sameOptions = (a: IndexOptions, b: IndexOptions): boolean =>
  a.maxFileKb === b.maxFileKb && JSON.stringify([...a.exclude].sort()) === JSON.stringify([...b.exclude].sort());

/** Why an index cannot be seeded from, added to or searched by the present settings; null when it can. */
export const foreignReason = (
  meta: IndexMeta,
  mine: Omit<IndexIdentity, "options"> & { readonly options?: IndexOptions },
): string | null => {
  const theirs = `${meta.provider}/${meta.model} with ${meta.dim} dimensions`;
  const ours = `${mine.provider}/${mine.model} with ${mine.dim} dimensions`;
  if (theirs !== ours) return `was made by ${theirs}, the present embedder is ${ours}`;
  if (meta.chunker_version !== chunkerVersion)
    return `was made by chunker version ${meta.chunker_version}, the present one is ${chunkerVersion}`;
  if (mine.options !== undefined && !sameOptions(meta.options, mine.options))
    return "was made with other index options (index.max_file_kb, index.exclude)";
  return null;
};
