import { join } from "node:path";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import type { CensusFile, TreeChange } from "../../src/git/changes.ts";
import type { CommitRecord } from "../../src/git/commits.ts";
import type { LocalBranch, RemoteRefs } from "../../src/git/refs.ts";
import type { TreeEntry } from "../../src/git/tree.ts";
import { Home } from "../home/Home.ts";
import { Log } from "../log/Log.ts";
import type { LockBusy, LockFailed, WriteFailed } from "../store/errors.ts";
import { Locks } from "../store/Locks.ts";
import { type BlobOptions, type BlobReader, openBlobs } from "./blobReader.ts";
import { cloneLockDeadlineMs, cloneLockName, endOrphan } from "./cloneLock.ts";
import { type GitContext, makeGitFacts, parsed } from "./context.ts";
import type {
  GitError,
  NotARepository,
  ObjectMissing,
  RefMissing,
  ShallowSource,
  SourceIncomplete,
  UrlRefused,
  WorktreeOccupied,
} from "./errors.ts";
import * as history from "./history.ts";
import { type LocalRepository, localBranches, localRepository } from "./localRepositories.ts";
import { ensureClone, type FetchedRef, type FetchOptions, fetchRefs, type ListOptions, lsRemote } from "./remotes.ts";
import { makeRunGit } from "./runGit.ts";
import type { RemoteSource } from "./transport.ts";
import * as trees from "./trees.ts";
import { addWorktree, removeIncompleteWorktrees, removeWorktree, type WorktreeOptions } from "./worktrees.ts";

/** What a call that writes can end in besides git's own failures. */
export type WriteError = LockBusy | LockFailed | WriteFailed;

interface InClone {
  /** Absolute path of a bare clone of adk's. */
  readonly clone: string;
}

/**
 * git, and the only code that starts it (threats T5, T6, T8). Every call has fixed options and a fixed environment, a
 * time limit and an output cap; interruption ends its whole process group; what it prints is redacted before it gets
 * into an error. Object names and full refs go in, never short names.
 */
export class Git extends Context.Tag("adk/Git")<
  Git,
  {
    /** `2.43.7`. */
    readonly version: Effect.Effect<string, GitError>;
    /** Makes the bare clone when there is none; fetches nothing. Safe to repeat after a kill. */
    readonly ensureClone: (options: RemoteSource & InClone) => Effect.Effect<void, GitError | WriteError>;
    /** Default branch and refs of a remote; one round trip. */
    readonly lsRemote: (
      options: ListOptions & { readonly clone?: string },
    ) => Effect.Effect<RemoteRefs, GitError | UrlRefused | WriteFailed>;
    /** One fetch of many full refs, forced, whole history; what the remote lacks is `missing` (full remote names). */
    readonly fetchRefs: (
      options: FetchOptions,
    ) => Effect.Effect<
      { readonly fetched: ReadonlyArray<FetchedRef>; readonly missing: ReadonlyArray<string> },
      GitError | WriteError | UrlRefused | ShallowSource | SourceIncomplete | RefMissing
    >;
    /** Commit behind a full ref or object name; null when there is none. */
    readonly resolve: (options: InClone & { readonly rev: string }) => Effect.Effect<string | null, GitError>;
    /** Best common ancestor; null when the histories have none. */
    readonly mergeBase: (
      options: InClone & { readonly a: string; readonly b: string },
    ) => Effect.Effect<string | null, GitError | RefMissing>;
    readonly isAncestor: (
      options: InClone & { readonly ancestor: string; readonly descendant: string },
    ) => Effect.Effect<boolean, GitError | RefMissing>;
    /** Every file of a commit. */
    readonly listTree: (
      options: InClone & { readonly sha: string },
    ) => Effect.Effect<ReadonlyArray<TreeEntry>, GitError>;
    /** Paths that two commits have differently, without renames. */
    readonly changes: (
      options: InClone & { readonly from: string; readonly to: string },
    ) => Effect.Effect<ReadonlyArray<TreeChange>, GitError>;
    /** Changed files without renames, with line counts and kind; to be held against the host's `changed_files`. */
    readonly census: (
      options: InClone & { readonly base: string; readonly head: string },
    ) => Effect.Effect<ReadonlyArray<CensusFile>, GitError>;
    /** Unified diff with renames at 50 %, at most `maxBytes`. */
    readonly diffPatch: (
      options: InClone & { readonly base: string; readonly head: string; readonly maxBytes: number },
    ) => Effect.Effect<trees.DiffPatch, GitError>;
    /** Reads blobs through one git for as long as the scope is open. */
    readonly blobs: (options: BlobOptions) => Effect.Effect<BlobReader, GitError, Scope.Scope>;
    /** Detached checkout of a commit with inert agent configuration; idempotent. */
    readonly addWorktree: (
      options: WorktreeOptions,
    ) => Effect.Effect<void, GitError | WriteError | ObjectMissing | WorktreeOccupied>;
    /** Removes a checkout of this clone; nothing to do when there is none. */
    readonly removeWorktree: (
      options: InClone & { readonly path: string },
    ) => Effect.Effect<void, GitError | WriteError | WorktreeOccupied>;
    /** Removes checkouts below `under` that a killed run left half-made; returns their paths. */
    readonly removeIncompleteWorktrees: (
      options: InClone & { readonly under: string },
    ) => Effect.Effect<ReadonlyArray<string>, GitError | WriteError>;
    /** Commits reachable from `tip`, newest first, with the paths they changed. */
    readonly log: (options: history.LogOptions) => Effect.Effect<ReadonlyArray<CommitRecord>, GitError | RefMissing>;
    /** Content of one path of a commit. */
    readonly showFile: (
      options: InClone & { readonly sha: string; readonly path: string; readonly maxBytes: number },
    ) => Effect.Effect<trees.FileContent, GitError>;
    /** What stands at a path of the person's own; only read. */
    readonly localRepository: (path: string) => Effect.Effect<LocalRepository, GitError | NotARepository>;
    /** Branches of a repository of the person's own, by full ref. */
    readonly localBranches: (path: string) => Effect.Effect<ReadonlyArray<LocalBranch>, GitError | NotARepository>;
  }
>() {}

const versionOf = (git: GitContext) =>
  Effect.flatMap(git.run({ args: ["version"], cwd: "/", timeoutMs: 10_000 }), ({ stdout }) =>
    parsed(["version"], /^git version (\d+(?:\.\d+)+)/.exec(stdout.toString("utf8"))?.[1] ?? null),
  );

const make = Effect.gen(function* () {
  const home = yield* Home;
  const locks = yield* Locks;
  const log = yield* Log;
  const git: GitContext = {
    run: makeRunGit(log),
    facts: makeGitFacts(),
    helperFolder: join(home.cache, "git"),
    underLock: ({ clone, verb }, body) =>
      locks.withLock(
        cloneLockName(clone),
        { deadlineMs: cloneLockDeadlineMs, verb },
        Effect.zipRight(endOrphan(clone), body),
      ),
  };
  /** A token is a secret from the moment git gets it. */
  const known = <A extends RemoteSource>(options: A): A => {
    if (options.credential !== undefined) log.addSecret(options.credential.token);
    return options;
  };
  return Git.of({
    version: versionOf(git),
    ensureClone: (options) => ensureClone(git, options),
    lsRemote: (options) => Effect.suspend(() => lsRemote(git, known(options))),
    fetchRefs: (options) => Effect.suspend(() => fetchRefs(git, known(options))),
    resolve: (options) => history.resolve(git, options),
    mergeBase: (options) => history.mergeBase(git, options),
    isAncestor: (options) => history.isAncestor(git, options),
    listTree: (options) => trees.listTree(git, options),
    changes: (options) => trees.changes(git, options),
    census: (options) => trees.census(git, options),
    diffPatch: (options) => trees.diffPatch(git, options),
    blobs: (options) => openBlobs(log, options),
    addWorktree: (options) => addWorktree(git, options),
    removeWorktree: (options) => removeWorktree(git, options),
    removeIncompleteWorktrees: (options) => removeIncompleteWorktrees(git, options),
    log: (options) => history.log(git, options),
    showFile: (options) => trees.showFile(git, options),
    localRepository: (path) => localRepository(git, path),
    localBranches: (path) => localBranches(git, path),
  });
});

/** git as installed on this machine. */
export const layer: Layer.Layer<Git, never, Home | Locks | Log> = Layer.effect(Git, make);
