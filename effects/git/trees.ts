import * as Effect from "effect/Effect";
import { type CensusFile, parseCensus, parseChanges, type TreeChange } from "../../src/git/changes.ts";
import { parseTree, type TreeEntry } from "../../src/git/tree.ts";
import { type GitContext, parsed } from "./context.ts";
import type { GitError } from "./errors.ts";

// Plumbing, and every setting that could shape its output said outright.
const diffOptions = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--ignore-submodules=none"];

/** Every file of a commit, in git's order. */
export const listTree = (
  git: GitContext,
  options: { readonly clone: string; readonly sha: string },
): Effect.Effect<ReadonlyArray<TreeEntry>, GitError> => {
  const args = ["ls-tree", "-r", "-z", "--long", "--full-tree", "--end-of-options", options.sha];
  const read = Effect.flatMap(git.run({ args, gitDir: options.clone }), ({ stdout }) =>
    parsed(args, parseTree(stdout)),
  );
  return Effect.map(git.facts.trees([options.clone, options.sha], read), (entries) => entries ?? []);
};

/** Paths that two commits have differently, without renames. */
export const changes = (
  git: GitContext,
  options: { readonly clone: string; readonly from: string; readonly to: string },
): Effect.Effect<ReadonlyArray<TreeChange>, GitError> => {
  const shape = ["diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev"];
  const args = [...shape, ...diffOptions, "--end-of-options", options.from, options.to, "--"];
  return Effect.flatMap(git.run({ args, gitDir: options.clone }), ({ stdout }) => parsed(args, parseChanges(stdout)));
};

interface Range {
  readonly clone: string;
  /** Merge base of the change request. */
  readonly base: string;
  readonly head: string;
}

/** Every changed file of `base`..`head` without renames, with line counts and kind; what hosts call `changed_files`. */
export const census = (git: GitContext, options: Range): Effect.Effect<ReadonlyArray<CensusFile>, GitError> => {
  const shape = ["diff-tree", "-r", "--raw", "--numstat", "-z", "--no-renames", "--no-abbrev"];
  const args = [...shape, ...diffOptions, "--end-of-options", options.base, options.head, "--"];
  return Effect.flatMap(git.run({ args, gitDir: options.clone }), ({ stdout }) => parsed(args, parseCensus(stdout)));
};

export interface DiffPatch {
  readonly patch: Buffer;
  /** True when the patch was cut at `maxBytes`; a cut patch must never lead to an approval. */
  readonly truncated: boolean;
}

/**
 * The unified diff of `base`..`head` with renames at git's default (50 %), as hosts show it: prefixes a/ and b/, three
 * lines of context, whole object names; the same bytes whatever anybody's diff settings are.
 */
export const diffPatch = (
  git: GitContext,
  options: Range & { readonly maxBytes: number },
): Effect.Effect<DiffPatch, GitError> =>
  Effect.map(
    git.run({
      args: [
        "diff-tree",
        "-r",
        "--patch",
        "--find-renames=50%",
        "-l1000",
        "--unified=3",
        "--inter-hunk-context=0",
        "--diff-algorithm=myers",
        "--indent-heuristic",
        "--full-index",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--submodule=short",
        "--ws-error-highlight=none",
        ...diffOptions,
        "--end-of-options",
        options.base,
        options.head,
        "--",
      ],
      gitDir: options.clone,
      maxBytes: options.maxBytes,
      cut: true,
    }),
    ({ stdout, truncated }) => ({ patch: stdout, truncated }),
  );

export type FileContent =
  | {
      readonly type: "blob";
      readonly oid: string;
      readonly mode: string;
      readonly size: number;
      readonly content: Buffer;
    }
  | { readonly type: "missing" }
  | { readonly type: "tooLarge"; readonly oid: string; readonly size: number };

/** Content of one path of a commit. `missing` for no such path, a folder, a submodule or a lost object. */
export const showFile = (
  git: GitContext,
  options: { readonly clone: string; readonly sha: string; readonly path: string; readonly maxBytes: number },
): Effect.Effect<FileContent, GitError> =>
  Effect.gen(function* () {
    const list = ["ls-tree", "-z", "--long", "--full-tree", "--end-of-options", options.sha, options.path];
    const { stdout } = yield* git.run({ args: list, gitDir: options.clone });
    const entries = yield* parsed(list, parseTree(stdout));
    const entry = entries.find(({ path }) => path === options.path);
    if (entry === undefined || entry.size === null) return { type: "missing" };
    const { oid, mode, size } = entry;
    if (size > options.maxBytes) return { type: "tooLarge", oid, size };
    const blob = yield* git.run({ args: ["cat-file", "blob", oid], gitDir: options.clone });
    return { type: "blob", oid, mode, size, content: blob.stdout };
  });
