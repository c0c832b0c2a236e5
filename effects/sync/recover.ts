import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { identityKey } from "../../src/names.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import { formatTime } from "../../src/time.ts";
import { Engine } from "../engine/Engine.ts";
import { Git } from "../git/Git.ts";
import { Home } from "../home/Home.ts";
import { baseLock, cloneDir, taskLock } from "../home/layout.ts";
import { Log } from "../log/Log.ts";
import { Repos } from "../repos/Repos.ts";
import { Locks } from "../store/Locks.ts";
import { QueueStore } from "../store/QueueStore.ts";

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
    yield* engine.prep(identityKey(row), { type: "INTERRUPTED", at });
    yield* log.step(`${row.pr_url}: a preparation that was cut off is put back`);
    return true;
  });

/**
 * What a killed run left behind is put back (spec 4, "Locks and resuming"): rows `preparing` or `waiting_for_base`
 * without a live owner → pending; bases `building` or `refreshing` without one → where they were; worktrees without
 * adk's completion marker are removed. The caller holds the sync lock.
 */
export const recover = Effect.gen(function* () {
  const store = yield* QueueStore;
  const engine = yield* Engine;
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
    for (const base of yield* repos.bases(repo.name)) {
      if (base.state !== "building" && base.state !== "refreshing") continue;
      if (!(yield* isFree(baseLock(repo.name, base.branch)))) continue;
      const at = formatTime(yield* Clock.currentTimeMillis);
      yield* engine.base({ repo: repo.name, branch: base.branch }, { type: "INTERRUPTED", at });
      yield* log.step(`base ${repo.name} ${base.branch}: a build that was cut off is put back`);
      bases += 1;
    }
    yield* git.removeIncompleteWorktrees({ clone: cloneDir(home, repo.name), under: home.tasks });
  }
  return { rows, bases };
});
