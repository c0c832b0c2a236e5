import type { Effect } from "effect/Effect";

/** One entry of a commit's tree, as `git ls-tree -r -l` gives it. Modes: 100644, 100755, 120000 symlink, 160000 submodule. */
export interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly oid: string;
  /** Bytes of the blob, null where git does not know (submodules, missing objects). */
  readonly size: number | null;
}

/** One line of `git diff --raw -z --no-renames`: renames are a deletion and an addition. */
export interface TreeChange {
  readonly path: string;
  readonly status: "A" | "M" | "D" | "T";
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldOid: string;
  readonly newOid: string;
}

/** What a blob reader says of an object. */
export type BlobAnswer =
  | { readonly type: "blob"; readonly oid: string; readonly size: number; readonly content: Uint8Array }
  | { readonly type: "missing"; readonly oid: string }
  | { readonly type: "tooLarge"; readonly oid: string; readonly size: number };

/** Reads blobs from an object store; `E` is the store's own failure. */
export interface BlobReader<E = never> {
  readonly read: (oid: string) => Effect<BlobAnswer, E>;
}

/** The part of the configuration that decides what is indexed; recorded in meta.json, never mixed within one index. */
export interface IndexOptions {
  /** Files above this many KiB are skipped. */
  readonly maxFileKb: number;
  /** Globs of paths that are not indexed. */
  readonly exclude: ReadonlyArray<string>;
}

export type ChunkKind = "definition" | "container" | "code" | "section" | "text" | "stub";

/** A piece of one file. Depends on (path, content) only. */
export interface Chunk {
  /** 32 hex digits over path, symbol, kind, text and the occurrence of that text in its file; free of line numbers. */
  readonly id: string;
  readonly path: string;
  /** First and last line, from 1. */
  readonly line_start: number;
  readonly line_end: number;
  /** Scope and name, joined by dots; the heading in a document; empty where there is none. */
  readonly symbol: string;
  readonly kind: ChunkKind;
  readonly lang: string;
  readonly text: string;
  /** Names defined in the chunk. */
  readonly defs: ReadonlyArray<string>;
  /** Names called in the chunk. */
  readonly calls: ReadonlyArray<string>;
}

/** A chunk as one line of chunks.jsonl holds it. */
export interface ChunkRow extends Chunk {
  /** Object id of the blob that the chunk was cut from. */
  readonly oid: string;
}

export interface Skipped {
  readonly path: string;
  readonly reason: string;
}

/** code-index/meta.json (spec 2). */
export interface IndexMeta {
  readonly table: string;
  readonly provider: string;
  readonly model: string;
  readonly dim: number;
  readonly chunker_version: number;
  readonly rows: number;
  readonly head_sha: string;
  /** Commit that the base was indexed at, when the index was seeded from one. */
  readonly seeded_from?: string;
  readonly skipped: ReadonlyArray<Skipped>;
  readonly built_at: string;
  readonly seconds: number;
  readonly options: IndexOptions;
  /** Present while rows are being changed; an index that still carries it was interrupted and is broken. */
  readonly updating?: true;
}

export interface IndexReport {
  readonly rows: number;
  readonly embedded: number;
  readonly reused: number;
  readonly deleted: number;
  readonly skipped: ReadonlyArray<Skipped>;
  readonly seconds: number;
}

export type QueryMode = "hybrid" | "vector" | "text";

export interface Hit {
  readonly path: string;
  readonly line_start: number;
  readonly line_end: number;
  /** 0 to 1; higher is better. Comparable within one answer only. */
  readonly score: number;
  readonly symbol: string;
  readonly kind: string;
  readonly snippet: string;
  readonly source: "vector" | "text" | "both" | "symbol" | "calls";
}

export interface IndexHealth {
  readonly status: "ok" | "missing" | "broken" | "stale";
  readonly rows: number;
  readonly text_rows: number;
  readonly provider: string | null;
  readonly model: string | null;
  readonly dim: number | null;
  readonly head_sha: string | null;
  readonly issues: ReadonlyArray<string>;
}

/** Raised whenever chunk texts, ids, tokens or columns change: indexes of two versions are never mixed. */
export const chunkerVersion = 2;
