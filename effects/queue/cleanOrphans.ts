import { lstat } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { taskName } from "../../src/names.ts";
import type { QueueFile } from "../../src/queue/row.ts";
import { Home } from "../home/Home.ts";
import { Locks } from "../store/Locks.ts";
import { QueueStore } from "../store/QueueStore.ts";
import { removeTaskFolder, sweepLeftovers, taskFolderNames } from "./taskFolder.ts";

export interface OrphanReport {
  /** Names of the folders that were deleted (with dryRun: would be). */
  readonly removed: ReadonlyArray<string>;
  readonly kept: ReadonlyArray<{ readonly name: string; readonly why: string }>;
}

/** What every task folder that adk ever made ends in: `_pr-<n>`, with a hash where the name loses something. */
const taskShape = /_pr-[1-9][0-9]*(~[0-9a-f]{10})?$/;

/** Names that a row's task folder has, or had before names carried owner and hash; folded, as file systems may. */
const claimedNames = (queue: QueueFile): ReadonlySet<string> =>
  new Set(queue.prs.flatMap((row) => [taskName(row), `${row.repo}_pr-${row.pr_number}`.toLowerCase()]));

const isFolder = (path: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    lstat(path).then(
      (info) => info.isDirectory(),
      () => false,
    ),
  );

type Outcome = { readonly removed: string } | { readonly kept: { readonly name: string; readonly why: string } } | null;

const cleanOne = (name: string, dryRun: boolean) =>
  Effect.gen(function* () {
    const home = yield* Home;
    const locks = yield* Locks;
    const store = yield* QueueStore;
    const keep = (why: string): Outcome => ({ kept: { name, why } });
    if (!taskShape.test(name)) return keep("is not the name of a task");
    if (!(yield* isFolder(join(home.tasks, name)))) return keep("is not a folder");
    const lock = `task-${name}`;
    if (dryRun) return (yield* locks.holder(lock)) === null ? { removed: name } : keep("is in use");
    if (!(yield* locks.tryAcquire(lock, { verb: "pr-task clean-orphans" }))) return keep("is in use");
    // Again under the lock: a row may have come since the names were read.
    if (claimedNames(yield* store.read).has(name.toLowerCase())) return null;
    const removal = yield* removeTaskFolder(home.tasks, name);
    if (removal === "absent") return null;
    return removal === "removed" ? { removed: name } : keep("is not a folder of the tasks folder");
  }).pipe(Effect.scoped);

/**
 * Deletes the task folders that belong to no row (spec 4 step A4). Hidden names, names that no task has, links, and
 * folders that another process works in are left alone. `dryRun` changes nothing at all.
 */
export const cleanOrphans = (options: { readonly dryRun: boolean }) =>
  Effect.gen(function* () {
    const home = yield* Home;
    const store = yield* QueueStore;
    const owned = claimedNames(yield* store.read);
    const names = (yield* taskFolderNames(home.tasks)).filter((name) => !owned.has(name.toLowerCase()));
    const outcomes: ReadonlyArray<Outcome> = yield* Effect.forEach(names, (name) => cleanOne(name, options.dryRun), {
      concurrency: 4,
    });
    if (!options.dryRun) yield* sweepLeftovers(home.tasks);
    return {
      removed: outcomes.flatMap((each) => (each !== null && "removed" in each ? [each.removed] : [])),
      kept: outcomes.flatMap((each) => (each !== null && "kept" in each ? [each.kept] : [])),
    } satisfies OrphanReport;
  });
