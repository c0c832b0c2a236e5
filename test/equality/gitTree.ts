import { execFileSync } from "node:child_process";
import * as Effect from "effect/Effect";
import type { BlobReader, TreeChange, TreeEntry } from "../../src/index/types.ts";

const git = (repo: string, args: ReadonlyArray<string>): Buffer =>
  execFileSync("git", ["-C", repo, ...args], { maxBuffer: 1 << 28 });

/** Every entry of a commit, as `git ls-tree -r -l -z` gives it. */
export const treeAt = (repo: string, sha: string): TreeEntry[] =>
  git(repo, ["ls-tree", "-r", "-l", "-z", sha])
    .toString("utf8")
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => {
      const tab = line.indexOf("\t");
      const [mode = "", , oid = "", size = ""] = line.slice(0, tab).split(/ +/);
      return { path: line.slice(tab + 1), mode, oid, size: size === "-" ? null : Number(size) };
    });

/** `git diff --raw -z` of two commits; `renames` turns rename detection on, as adk must not. */
export const diffBetween = (repo: string, options: { from: string; to: string; renames?: boolean }): TreeChange[] => {
  const detection = options.renames === true ? "-M" : "--no-renames";
  const parts = git(repo, ["diff", "--raw", "-z", "--no-abbrev", detection, options.from, options.to])
    .toString("utf8")
    .split("\0");
  const changes: TreeChange[] = [];
  for (let i = 0; i + 1 < parts.length; ) {
    const [oldMode = "", newMode = "", oldOid = "", newOid = "", letter = ""] = (parts[i] ?? "").slice(1).split(" ");
    const renamed = letter.startsWith("R");
    const path = parts[i + (renamed ? 2 : 1)] ?? "";
    const status = renamed ? "M" : (letter as TreeChange["status"]);
    changes.push({ path, status, oldMode, newMode, oldOid, newOid });
    i += renamed ? 3 : 2;
  }
  return changes;
};

/** All blobs of a repository through one `git cat-file --batch`. */
export const blobsOf = (repo: string): BlobReader => {
  const bytes = git(repo, ["cat-file", "--batch", "--batch-all-objects", "--unordered"]);
  const blobs = new Map<string, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at);
    const [oid = "", type, size] = bytes.toString("utf8", at, end).split(" ");
    const from = end + 1;
    if (type === "blob") blobs.set(oid, bytes.subarray(from, from + Number(size)));
    at = from + Number(size) + 1;
  }
  return {
    read: (oid) => {
      const content = blobs.get(oid);
      return Effect.succeed(
        content === undefined ? { type: "missing", oid } : { type: "blob", oid, size: content.length, content },
      );
    },
  };
};
