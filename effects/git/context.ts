import * as Effect from "effect/Effect";
import type { CommitRecord } from "../../src/git/commits.ts";
import type { TreeEntry } from "../../src/git/tree.ts";
import { type LockBusy, type LockFailed, type WriteFailed, writeFailed } from "../store/errors.ts";
import { type GitFailed, unreadable } from "./errors.ts";
import { lastingFacts } from "./lastingFacts.ts";
import type { RunGit } from "./runGit.ts";

/**
 * What full object names stand for, which no push changes. Starting git costs 4 ms of the main thread each time, and a
 * sync asks for the same commits and trees again and again.
 */
export const makeGitFacts = () => ({
  /** Commit of an object name. */
  commits: lastingFacts<string>({ maxSize: 50_000, sizeOf: () => 1 }),
  /** Best common ancestor of two commits. */
  mergeBases: lastingFacts<string>({ maxSize: 50_000, sizeOf: () => 1 }),
  /** Files of a commit: base and head of a few PRs, 100,000 files at most. */
  trees: lastingFacts<ReadonlyArray<TreeEntry>>({ maxSize: 100_000, sizeOf: (entries) => entries.length + 1 }),
  /** Newest commits with their paths. */
  histories: lastingFacts<ReadonlyArray<CommitRecord>>({
    maxSize: 50_000,
    sizeOf: (commits) => commits.reduce((sum, commit) => sum + 1 + commit.files.length, 1),
  }),
});

/** What the parts of the git service share. */
export interface GitContext {
  readonly run: RunGit;
  readonly facts: ReturnType<typeof makeGitFacts>;
  /** Folder for the helper programs of single calls. */
  readonly helperFolder: string;
  /** Runs something that writes into a clone under that clone's lock. Not re-entrant. */
  readonly underLock: <A, E>(
    options: { readonly clone: string; readonly verb: string },
    body: Effect.Effect<A, E>,
  ) => Effect.Effect<A, E | LockBusy | LockFailed>;
}

/** A parser's answer, or an error when git printed something else than its manual promises. */
export const parsed = <A>(args: ReadonlyArray<string>, value: A | null): Effect.Effect<A, GitFailed> =>
  value === null ? Effect.fail(unreadable(args, "in a form that adk does not know")) : Effect.succeed(value);

/** File work at `path` whose failure (no space, no right) is a WriteFailed that names it. */
export const files = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, WriteFailed> =>
  Effect.uninterruptible(Effect.tryPromise({ try: work, catch: (cause) => writeFailed(path, cause) }));
