import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { BlobReader, TreeChange, TreeEntry } from "../../../src/index/types.ts";

/** A tree in memory, with object ids as git gives them. */
export interface MemoryTree {
  readonly entries: ReadonlyArray<TreeEntry>;
  readonly blobs: BlobReader;
}

export type Content = string | Uint8Array;
export interface MemoryFile {
  readonly content: Content;
  readonly mode: string;
}

const bytesOf = (content: Content): Uint8Array => (typeof content === "string" ? Buffer.from(content) : content);

export const blobId = (content: Content): string => {
  const bytes = bytesOf(content);
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
};

const store = new Map<string, Uint8Array>();

export const memoryBlobs: BlobReader = {
  read: (oid) => {
    const content = store.get(oid);
    return Effect.succeed(
      content === undefined ? { type: "missing", oid } : { type: "blob", oid, size: content.length, content },
    );
  },
};

/** `{path: text}` or `{path: {content, mode}}` → a tree. */
export const memoryTree = (files: Readonly<Record<string, Content | MemoryFile>>): MemoryTree => {
  const entries = Object.entries(files).map(([path, file]): TreeEntry => {
    const { content, mode } =
      typeof file === "string" || file instanceof Uint8Array ? { content: file, mode: "100644" } : file;
    const oid = blobId(content);
    if (mode !== "160000") store.set(oid, bytesOf(content));
    return { path, mode, oid, size: mode === "160000" ? null : bytesOf(content).length };
  });
  return { entries, blobs: memoryBlobs };
};

const zero = "0".repeat(40);

/** What `git diff --raw --no-renames` says of two trees. */
export const changesBetween = (from: MemoryTree, to: MemoryTree): TreeChange[] => {
  const old = new Map(from.entries.map((entry) => [entry.path, entry]));
  const fresh = new Map(to.entries.map((entry) => [entry.path, entry]));
  const kind = (mode: string): string => mode.slice(0, 3);
  return [...new Set([...old.keys(), ...fresh.keys()])].sort().flatMap((path): TreeChange[] => {
    const a = old.get(path);
    const b = fresh.get(path);
    if (a?.oid === b?.oid && a?.mode === b?.mode) return [];
    const status = a === undefined ? "A" : b === undefined ? "D" : kind(a.mode) === kind(b.mode) ? "M" : "T";
    return [
      {
        path,
        status,
        oldMode: a?.mode ?? "000000",
        newMode: b?.mode ?? "000000",
        oldOid: a?.oid ?? zero,
        newOid: b?.oid ?? zero,
      },
    ];
  });
};

const root = mkdtempSync(join(tmpdir(), "adk-index-"));
process.on("exit", () => rmSync(root, { recursive: true, force: true }));

/** A folder that is removed when the process ends. */
export const temporaryFolder = (): string => mkdtempSync(join(root, "t-"));
