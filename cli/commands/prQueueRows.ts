import * as Effect from "effect/Effect";
import { type LeaseClock, leaseClockNow, lockState } from "../../effects/queue/lockState.ts";
import { Settings } from "../../effects/settings/Settings.ts";
import { readyForReview } from "../../src/queue/eligibility.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import type { RowView } from "../../src/queue/viewRow.ts";

/** Now and the age limit of claims, for everything that is computed from a row. */
export const leaseClock: Effect.Effect<LeaseClock, never, Settings> = Effect.gen(function* () {
  const { config } = yield* Settings;
  return yield* leaseClockNow(config.taken_lock_max_age_seconds);
});

/** A row with its lock and whether it may be reviewed. */
export const viewOf = (row: QueueRow, clock: LeaseClock): RowView => {
  const lock = lockState(row, clock);
  return { row, lock, ready: readyForReview(row, { leaseHeld: lock.held }) };
};
