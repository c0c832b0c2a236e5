import * as Effect from "effect/Effect";
import { planSync } from "../../src/sync/planSync.ts";
import { leaseClockNow, leaseOf } from "../queue/lockState.ts";
import { Settings } from "../settings/Settings.ts";
import { QueueStore } from "../store/QueueStore.ts";
import { gatherFacts } from "./gatherFacts.ts";

/** Figures used until this machine has measured its own: the plan's example (seconds of one worker). */
const assumedRates = { full_seconds: 30, seeded_seconds: 3, refresh_seconds: 5 };

/** The plan for the rows as they are now. `register` makes unknown repositories of queued PRs known. */
export const makePlan = (options: { readonly rebuild: boolean; readonly register: boolean }) =>
  Effect.gen(function* () {
    const store = yield* QueueStore;
    const { config } = yield* Settings;
    const queue = yield* store.read;
    const facts = yield* gatherFacts(queue.prs, options);
    const clock = yield* leaseClockNow(config.taken_lock_max_age_seconds);
    const held = new Set(queue.prs.filter((row) => leaseOf(row, clock) === "live").map((row) => row.pr_url));
    const plan = planSync({
      rows: queue.prs,
      bases: facts.bases,
      repos: [...facts.repos.values()],
      tips: facts.tips,
      config: config.pr_sync,
      now: clock.nowMs,
      rebuild: options.rebuild,
      rates: { ...assumedRates, chunks_per_second: facts.chunksPerSecond },
      held,
    });
    return { plan, facts, rows: queue.prs };
  });
