import * as Effect from "effect/Effect";
import type { LockBusy, LockFailed } from "../store/errors.ts";
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
