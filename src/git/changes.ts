import { isNullObject, nulTokens } from "./tokens.ts";
import { entryType } from "./tree.ts";

/** A path that two commits have differently; renames are an addition and a deletion. */
export interface TreeChange {
  readonly path: string;
  /** Added, modified (content or mode), deleted, type changed (file ↔ symlink ↔ submodule). */
  readonly status: "A" | "M" | "D" | "T";
  /** 000000 on the side that has no such path. */
  readonly oldMode: string;
  readonly newMode: string;
  /** All zeros on the side that has no such path. */
  readonly oldOid: string;
  readonly newOid: string;
}

/**
 * How a changed file is reviewed. `submodule` and `symlink` when either side is one; `modeOnly` when the content is
 * the same; `binary` when git counts no lines.
 */
export type CensusKind = "text" | "binary" | "submodule" | "symlink" | "modeOnly";

export interface CensusFile extends TreeChange {
  /** Added lines; null for a binary file. */
  readonly additions: number | null;
  readonly deletions: number | null;
  readonly kind: CensusKind;
}

const rawHeader = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([AMDT])$/;
const countHeader = /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/;

interface Counts {
  readonly additions: number | null;
  readonly deletions: number | null;
}

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

const kindOf = (change: TreeChange, counts: Counts): CensusKind => {
  const types = [change.oldMode, change.newMode].map(entryType);
  if (types.includes("commit")) return "submodule";
  if (types.includes("symlink")) return "symlink";
  if (change.status === "M" && change.oldOid === change.newOid && !isNullObject(change.oldOid)) return "modeOnly";
  return counts.additions === null ? "binary" : "text";
};

interface RawListing {
  readonly changes: ReadonlyArray<TreeChange>;
  readonly counts: ReadonlyMap<string, Counts>;
}

const parseListing = (output: Buffer): RawListing | null => {
  const changes: TreeChange[] = [];
  const counts = new Map<string, Counts>();
  const tokens = nulTokens(output);
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? "";
    const [, oldMode, newMode, oldOid, newOid, status] = rawHeader.exec(token) ?? [];
    if (oldMode !== undefined && newMode !== undefined && oldOid !== undefined && newOid !== undefined) {
      at += 1;
      const path = tokens[at];
      if (path === undefined || path === "") return null;
      changes.push({ path, status: status as TreeChange["status"], oldMode, newMode, oldOid, newOid });
      continue;
    }
    const [, added, deleted, path] = countHeader.exec(token) ?? [];
    if (added === undefined || deleted === undefined || path === undefined) return null;
    const one: Counts = {
      additions: added === "-" ? null : Number(added),
      deletions: deleted === "-" ? null : Number(deleted),
    };
    // A type change may be counted as a deletion and an addition of the same path.
    const before = counts.get(path) ?? { additions: 0, deletions: 0 };
    counts.set(path, {
      additions: sum(before.additions, one.additions),
      deletions: sum(before.deletions, one.deletions),
    });
  }
  return { changes, counts };
};

/** Parses `--raw -z --no-renames`. Null when a record has another shape. */
export const parseChanges = (output: Buffer): ReadonlyArray<TreeChange> | null => parseListing(output)?.changes ?? null;

/** Parses `--raw --numstat -z --no-renames`. Null when a record has another shape or a file has no line count. */
export const parseCensus = (output: Buffer): ReadonlyArray<CensusFile> | null => {
  const listing = parseListing(output);
  if (listing === null) return null;
  const files: CensusFile[] = [];
  for (const change of listing.changes) {
    const counts = listing.counts.get(change.path);
    if (counts === undefined) return null;
    files.push({ ...change, ...counts, kind: kindOf(change, counts) });
  }
  return files;
};
