import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { type LeaseState, leaseState } from "../../src/queue/lease.ts";
import type { BootMoment, QueueRow } from "../../src/queue/row.ts";
import { parseTime } from "../../src/time.ts";
import { bootMoment } from "../proc/Uptime.ts";
import { ownerAlive } from "./owner.ts";

/** The `lock` of a row in JSON documents (spec 3): who holds the review, since when, for how many seconds. */
export interface LockDocument {
  readonly held: boolean;
  readonly run_id: string | null;
  readonly since: string | null;
  readonly age_s: number | null;
}

/** What the age of a claim is measured against. */
export interface LeaseClock {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** The same moment by this machine's running time. */
  readonly here: BootMoment;
  /** `taken_lock_max_age_seconds`. */
  readonly maxAgeSeconds: number;
}

/** Now, for everything that asks whether claims hold. `maxAgeSeconds` is `taken_lock_max_age_seconds`. */
export const leaseClockNow = (maxAgeSeconds: number): Effect.Effect<LeaseClock> =>
  Effect.map(Effect.all([Clock.currentTimeMillis, bootMoment]), ([nowMs, here]) => ({ nowMs, here, maxAgeSeconds }));

/** State of a row's claim now: `live` blocks, `dead` and `expired` may be taken over, `free` is no claim. */
export const leaseOf = (row: QueueRow, clock: LeaseClock): LeaseState =>
  leaseState({
    claim: row.claim,
    taken_at: row.taken_at,
    last_heartbeat_at: row.last_heartbeat_at,
    now: clock.nowMs,
    here: clock.here,
    maxAgeSeconds: clock.maxAgeSeconds,
    ownerAlive: ownerAlive(row.claim),
  });

/** The `lock` document of a row. `since` and `age_s` count from the claim, not from its last heartbeat. */
export const lockState = (row: QueueRow, clock: LeaseClock): LockDocument => {
  const held = leaseOf(row, clock) === "live";
  if (!held) return { held, run_id: null, since: null, age_s: null };
  const since = parseTime(row.taken_at);
  return {
    held,
    run_id: row.claim?.run_id ?? null,
    since: row.taken_at,
    age_s: since === null ? null : Math.max(0, Math.floor((clock.nowMs - since) / 1000)),
  };
};
