import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { identityKey } from "../../src/names.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import { formatTime } from "../../src/time.ts";
import { Engine } from "../engine/Engine.ts";
import { Git } from "../git/Git.ts";
import { Home } from "../home/Home.ts";
import { baseLock, branchDir, cloneDir, codeIndexDir, taskLock } from "../home/layout.ts";
import { CodeIndex } from "../index/CodeIndex.ts";
import { Log } from "../log/Log.ts";
import { Repos } from "../repos/Repos.ts";
import { Locks } from "../store/Locks.ts";
import { QueueStore } from "../store/QueueStore.ts";
import { quarantine } from "./quarantine.ts";

/** True when nobody holds the lock; it is free again when this returns. */
const isFree = (name: string) =>
  Effect.scoped(Effect.flatMap(Locks, (locks) => locks.tryAcquire(name, { verb: "recovery" })));

const recoverRow = (row: QueueRow) =>
  Effect.gen(function* () {
    const engine = yield* Engine;
    const log = yield* Log;
    // waiting_for_base belongs to a sync, and this process is the only one; preparing belongs to the task lock's holder.
    if (row.prep_status === "preparing" && !(yield* isFree(taskLock(row)))) return false;
    const at = formatTime(yield* Clock.currentTimeMillis);
    return yield* engine.prep(identityKey(row), { type: "INTERRUPTED", at }).pipe(
      Effect.zipRight(log.step(`${row.pr_url}: a preparation that was cut off is put back`)),
      Effect.as(true),
      Effect.catchTags({
        SnapshotUnreadable: (error) =>
          Effect.as(Effect.zipRight(log.warn(`${row.pr_url}: ${error.message}`), quarantine(row, error)), false),
        // Gone or moved on since it was read: nothing to put back.
        NotFound: () => Effect.succeed(false),
        IllegalEvent: () => Effect.succeed(false),
      }),
    );
  });

/** States of a base in which somebody is at work, or was when he was killed. */
const atWork: ReadonlySet<string> = new Set(["building", "refreshing", "deleting"]);

/** Removes what a killed build left beside a base's index, unless somebody is at work on it now. */
const sweepBase = (repo: string, branch: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const locks = yield* Locks;
      const index = yield* CodeIndex;
      const home = yield* Home;
      if (!(yield* locks.tryAcquire(baseLock(repo, branch), { verb: "recovery" }))) return;
      yield* index.sweep(codeIndexDir(branchDir(home, repo, branch)));
    }),
  );

/** Puts the bases of one repository back; what cannot be read is said and left alone. */
const recoverBases = (repo: string) =>
  Effect.gen(function* () {
    const engine = yield* Engine;
    const repos = yield* Repos;
    const log = yield* Log;
    let count = 0;
    for (const base of yield* repos.bases(repo)) {
      yield* sweepBase(repo, base.branch);
      if (!atWork.has(base.state) || !(yield* isFree(baseLock(repo, base.branch)))) continue;
      const at = formatTime(yield* Clock.currentTimeMillis);
      const done = yield* Effect.either(engine.base({ repo, branch: base.branch }, { type: "INTERRUPTED", at }));
      if (Either.isLeft(done)) yield* log.warn(`base ${repo} ${base.branch}: ${done.left.message}`);
      else {
        yield* log.step(`base ${repo} ${base.branch}: work that was cut off is put back`);
        count += 1;
      }
    }
    return count;
  }).pipe(
    Effect.catchAll((error) =>
      Effect.as(
        Effect.flatMap(Log, (log) => log.warn(`${repo}: its bases are not looked at: ${error.message}`)),
        0,
      ),
    ),
  );

/**
 * What a killed run left behind is put back (spec 4, "Locks and resuming"): rows `preparing` or `waiting_for_base`
 * without a live owner → pending; bases at work without one → where they were; worktrees without
 * adk's completion marker are removed. The caller holds the sync lock.
 */
export const recover = Effect.gen(function* () {
  const store = yield* QueueStore;
  const repos = yield* Repos;
  const git = yield* Git;
  const home = yield* Home;
  const log = yield* Log;
  const queue = yield* store.read;
  let rows = 0;
  for (const row of queue.prs) {
    if (row.prep_status !== "preparing" && row.prep_status !== "waiting_for_base") continue;
    if (yield* recoverRow(row)) rows += 1;
  }
  let bases = 0;
  for (const repo of yield* repos.list) {
    bases += yield* recoverBases(repo.name);
    yield* git
      .removeIncompleteWorktrees({ clone: cloneDir(home, repo.name), under: home.tasks })
      .pipe(Effect.catchAll((error) => log.warn(`${repo.name}: leftovers are not removed: ${error.message}`)));
  }
  return { rows, bases };
});
