import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { identityKey } from "../../src/names.ts";
import type { SyncPlan } from "../../src/sync/planTypes.ts";
import { formatTime } from "../../src/time.ts";
import { Engine } from "../engine/Engine.ts";
import { Log } from "../log/Log.ts";
import { QueueStore } from "../store/QueueStore.ts";

/** Rows that wait for a base of this run go back to pending; those being prepared put themselves back. */
export const putBack = (plan: SyncPlan | null) =>
  Effect.gen(function* () {
    const engine = yield* Engine;
    const store = yield* QueueStore;
    const log = yield* Log;
    const planned = new Set(plan?.prs.map((pr) => pr.pr_url) ?? []);
    const queue = yield* store.read;
    const at = formatTime(yield* Clock.currentTimeMillis);
    yield* Effect.forEach(
      queue.prs.filter((row) => row.prep_status === "waiting_for_base" && planned.has(row.pr_url)),
      (row) => engine.prep(identityKey(row), { type: "INTERRUPTED", at }),
      { concurrency: "unbounded", discard: true },
    ).pipe(Effect.catchAll((error) => log.warn(`not put back: ${error.message}`)));
  }).pipe(Effect.catchAll((error) => Effect.flatMap(Log, (log) => log.warn(`not put back: ${error.message}`))));
