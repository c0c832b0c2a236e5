import { rm } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import * as Effect from "effect/Effect";
import { Git } from "../git/Git.ts";
import { docsDir } from "../home/layout.ts";
import { ensureDir, writeFileDurably } from "../store/durableFile.ts";

const maxDocs = 20;
const maxDocKb = 256;
const names = /^(readme|contributing|architecture|conventions|design|style)([._-][a-z0-9-]*)?\.(md|rst|txt|adoc)$/i;

const ancestors = (path: string): ReadonlyArray<string> => {
  const parent = posix.dirname(path);
  return parent === "." ? [""] : [parent, ...ancestors(parent)];
};

/** The repository's own documents that speak of the changed paths: nearest folders first, bounded. */
export const docPaths = (tree: ReadonlyArray<string>, changed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folders = new Set(changed.flatMap(ancestors));
  const depth = (path: string): number => path.split("/").length;
  return tree
    .filter(
      (path) => names.test(posix.basename(path)) && folders.has(posix.dirname(path) === "." ? "" : posix.dirname(path)),
    )
    .sort((a, b) => depth(b) - depth(a) || (a < b ? -1 : 1))
    .slice(0, maxDocs);
};

/**
 * Copies the base branch's documents for the changed paths into docs/ of the task. Project conventions come from the
 * base, never from the PR. Their folder structure becomes part of flat file names, so that no path of a repository
 * decides where adk writes.
 */
export const copyDocs = (options: {
  readonly clone: string;
  readonly folder: string;
  readonly sha: string;
  readonly paths: ReadonlyArray<string>;
}) =>
  Effect.gen(function* () {
    const git = yield* Git;
    const target = docsDir(options.folder);
    yield* Effect.promise(() => rm(target, { recursive: true, force: true }));
    yield* ensureDir(target);
    const tree = yield* git.listTree({ clone: options.clone, sha: options.sha });
    const files = new Map(tree.filter((entry) => entry.mode.startsWith("100")).map((entry) => [entry.path, entry.oid]));
    const wanted = docPaths([...files.keys()], options.paths);
    const copied: Array<{ readonly path: string; readonly file: string }> = [];
    if (wanted.length === 0) return copied;
    return yield* Effect.scoped(
      Effect.gen(function* () {
        const blobs = yield* git.blobs({ clone: options.clone });
        for (const path of wanted) {
          const blob = yield* blobs.read(files.get(path) ?? "");
          if (blob.type !== "blob" || blob.size > maxDocKb * 1024) continue;
          const file = join(target, path.replaceAll(/[^A-Za-z0-9._-]+/g, "__").replaceAll(/^\.+/g, "_"));
          if (dirname(file) !== target) continue;
          yield* writeFileDurably(file, blob.content, {});
          copied.push({ path, file });
        }
        return copied;
      }),
    );
  });
