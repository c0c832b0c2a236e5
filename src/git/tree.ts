import { nulTokens } from "./tokens.ts";

/** What stands behind a path of a commit. `commit` is a submodule: its object is not in this repository. */
export type TreeEntryType = "blob" | "symlink" | "commit";

export interface TreeEntry {
  readonly path: string;
  /** Six octal digits as git stores them: 100644, 100755, 120000, 160000. */
  readonly mode: string;
  readonly type: TreeEntryType;
  readonly oid: string;
  /** Bytes of the blob; null for a submodule and for an object that this repository lacks. */
  readonly size: number | null;
}

/** Kind of a tree entry by its mode. */
export const entryType = (mode: string): TreeEntryType =>
  mode === "160000" ? "commit" : mode === "120000" ? "symlink" : "blob";

const line = /^(\d{6}) (?:blob|commit|tree) ([0-9a-f]+) +(\d+|-|BAD)\t([\s\S]+)$/;

/** Parses `git ls-tree -r -z --long`. Returns null when a record has another shape, so that nothing is lost in silence. */
export const parseTree = (output: Buffer): ReadonlyArray<TreeEntry> | null => {
  const entries: TreeEntry[] = [];
  for (const token of nulTokens(output)) {
    const [, mode, oid, size, path] = line.exec(token) ?? [];
    if (mode === undefined || oid === undefined || size === undefined || path === undefined) return null;
    entries.push({ path, mode, type: entryType(mode), oid, size: /^\d+$/.test(size) ? Number(size) : null });
  }
  return entries;
};
