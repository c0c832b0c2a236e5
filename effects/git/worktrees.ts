import { mkdir } from "node:fs/promises";
import { dirname, relative } from "node:path";
import * as Effect from "effect/Effect";
import { checkoutPath, isSafeCheckoutPath } from "../../src/git/checkoutPaths.ts";
import type { TreeEntry } from "../../src/git/tree.ts";
import { runWriter } from "./cloneLock.ts";
import { files, type GitContext } from "./context.ts";
import { cloneUnusable, objectMissing, WorktreeOccupied } from "./errors.ts";
import { resolve } from "./history.ts";
import { listTree } from "./trees.ts";
import {
  adminOf,
  eraseWorktree,
  isComplete,
  knownWorktrees,
  markComplete,
  occupantOf,
  realParent,
} from "./worktreeAdmin.ts";

export interface WorktreeOptions {
  readonly clone: string;
  /** Where the checkout stands; its parent is made when missing. */
  readonly path: string;
  readonly sha: string;
}

const occupied = (path: string): WorktreeOccupied =>
  new WorktreeOccupied({
    message: `${path} holds something that adk did not make`,
    hint: "move it away and try again",
    path,
  });

const erase = (clone: string, path: string) => files(path, () => eraseWorktree(clone, path));

/** Lines for `update-index --index-info -z`: the files that may be written, under the names they are written with. */
const indexInfo = (entries: ReadonlyArray<TreeEntry>): Buffer =>
  Buffer.from(
    entries
      .filter(({ path, type }) => type !== "commit" && isSafeCheckoutPath(path))
      .map(({ mode, oid, path }) => `${mode} ${oid}\t${checkoutPath(path)}\0`)
      .join(""),
  );

/**
 * Fills an empty worktree from an index of our own making instead of the commit's tree: submodules and names that no
 * checkout may have are left out, agent configuration gets inert names before anything is written.
 */
const fill = (git: GitContext, options: WorktreeOptions & { readonly admin: string }) =>
  Effect.gen(function* () {
    const { clone, path, sha, admin } = options;
    const entries = yield* listTree(git, { clone, sha });
    const there = { gitDir: admin, workTree: path };
    yield* runWriter(git.run, clone, {
      ...there,
      args: ["update-index", "-z", "--index-info"],
      input: indexInfo(entries),
    });
    yield* runWriter(git.run, clone, {
      ...there,
      args: ["checkout-index", "--all", "--force", "--quiet"],
      timeoutMs: 600_000,
    });
  });

const make = (git: GitContext, options: WorktreeOptions) =>
  Effect.gen(function* () {
    const { clone, path } = options;
    const sha = yield* resolve(git, { clone, rev: options.sha });
    if (sha === null) return yield* objectMissing(options.sha);
    const occupant = yield* files(path, () => occupantOf(clone, path));
    if (occupant === "foreign") return yield* occupied(path);
    if (occupant === "worktree") {
      const before = yield* Effect.promise(() => adminOf(clone, path));
      if (before !== null && (yield* Effect.promise(() => isComplete(before, sha)))) return;
      yield* erase(clone, path);
    }
    yield* files(path, () => mkdir(dirname(path), { recursive: true, mode: 0o700 }));
    const add = ["worktree", "add", "--detach", "--no-checkout", "--force", "--quiet", "--end-of-options", path, sha];
    yield* runWriter(git.run, clone, { args: add, gitDir: clone });
    const admin = yield* Effect.promise(() => adminOf(clone, path));
    if (admin === null) return yield* cloneUnusable(clone, `made no worktree at ${path}`);
    yield* fill(git, { clone, path, sha, admin });
    yield* files(admin, () => markComplete(admin, sha));
  });

/**
 * A detached checkout of `sha` at `path`, under the clone's lock. Nothing to do when a complete one of that commit is
 * there; any other checkout of this clone at that place is replaced; anything else there is refused. Links are plain
 * files that hold their target, submodules are left out, agent configuration stands under inert names
 * (`checkoutPath`). When it fails or is interrupted, no complete worktree is left.
 */
export const addWorktree = (git: GitContext, options: WorktreeOptions) =>
  git.underLock({ clone: options.clone, verb: "make a worktree" }, make(git, options));

/** Removes a checkout of this clone, complete or not; nothing to do when there is none. */
export const removeWorktree = (git: GitContext, options: { readonly clone: string; readonly path: string }) =>
  git.underLock(
    { clone: options.clone, verb: "remove a worktree" },
    Effect.gen(function* () {
      const occupant = yield* files(options.path, () => occupantOf(options.clone, options.path));
      if (occupant === "foreign") return yield* occupied(options.path);
      if (occupant === "worktree") yield* erase(options.clone, options.path);
    }),
  );

/**
 * Removes every checkout of this clone below `under` whose making did not end (a killed run), and returns their paths.
 * A making that is going on holds the clone's lock, so it is never met here.
 */
export const removeIncompleteWorktrees = (
  git: GitContext,
  options: { readonly clone: string; readonly under: string },
) =>
  git.underLock(
    { clone: options.clone, verb: "clean up worktrees" },
    Effect.gen(function* () {
      const under = yield* Effect.promise(() => realParent(options.under));
      const all = yield* Effect.promise(() => knownWorktrees(options.clone));
      const removed: string[] = [];
      for (const { admin, path } of all) {
        const inside = relative(under, path);
        if (inside === "" || inside.startsWith("..") || (yield* Effect.promise(() => isComplete(admin)))) continue;
        yield* erase(options.clone, path);
        removed.push(path);
      }
      return removed;
    }),
  );
