import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { autoBaseUse } from "../../src/sync/expiry.ts";
import { counted } from "../../src/text/counted.ts";
import { baseLock } from "../home/layout.ts";
import { Repos } from "../repos/Repos.ts";
import { Settings } from "../settings/Settings.ts";
import { Locks } from "../store/Locks.ts";
import { QueueStore } from "../store/QueueStore.ts";
import { deleteAutoBase } from "./deleteBase.ts";

export interface CleanedBases {
  readonly removed: ReadonlyArray<{ readonly repo: string; readonly branch: string }>;
  readonly kept: ReadonlyArray<{ readonly repo: string; readonly branch: string; readonly why: string }>;
}

/**
 * Removes auto bases that nobody uses (spec 2): zero users now and at least `auto_base_ttl_hours` since the later of
 * `created_at` and `last_used_at`. The queue is read again right before each deletion, under the base's lock; a base
 * that is being built is left alone. User bases are never touched. `force` names one auto base to remove whatever its age
 * and users.
 */
export const cleanAutoBases = (options: {
  readonly dryRun: boolean;
  readonly force?: { readonly repo: string; readonly branch: string };
}) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const store = yield* QueueStore;
    const locks = yield* Locks;
    const { config } = yield* Settings;
    const removed: Array<CleanedBases["removed"][number]> = [];
    const kept: Array<CleanedBases["kept"][number]> = [];
    for (const repo of yield* repos.list) {
      for (const base of yield* repos.bases(repo.name)) {
        const name = { repo: repo.name, branch: base.branch };
        const forced = options.force?.repo === repo.name && options.force.branch === base.branch;
        if (base.created_by !== "auto" || (options.force !== undefined && !forced)) continue;
        const why = yield* Effect.scoped(
          Effect.gen(function* () {
            if (!(yield* locks.tryAcquire(baseLock(repo.name, base.branch), { verb: "auto-bases clean" })))
              return "in use";
            const at = yield* Clock.currentTimeMillis;
            const queue = yield* store.read;
            // Read again under the lock: promoted, used or removed since it was listed.
            const current = yield* repos.base(repo.name, base.branch);
            if (current === null) return "gone already";
            if (current.created_by !== "auto") return "a user base now";
            const use = autoBaseUse({
              meta: current,
              repo: { ...repo, repoName: repo.name },
              rows: queue.prs,
              now: at,
              ttlHours: config.pr_sync.auto_base_ttl_hours,
            });
            if (!forced && !use.expired) {
              return use.users > 0
                ? `used by ${counted(use.users, "PR")}`
                : `kept until ${use.expires_at ?? "its times are readable"}`;
            }
            if (options.dryRun) return null;
            yield* deleteAutoBase(name);
            return null;
          }),
        );
        if (why === null) removed.push(name);
        else kept.push({ ...name, why });
      }
    }
    return { removed, kept } satisfies CleanedBases;
  });
