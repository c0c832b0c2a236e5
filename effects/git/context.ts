import * as Effect from "effect/Effect";
import { type LockBusy, type LockFailed, type WriteFailed, writeFailed } from "../store/errors.ts";
import { type GitFailed, unreadable } from "./errors.ts";
import type { RunGit } from "./runGit.ts";

/** What the parts of the git service share. */
export interface GitContext {
  readonly run: RunGit;
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
