import { readyForReview } from "../../src/queue/eligibility.ts";
import type { QueueFile, QueueRow } from "../../src/queue/row.ts";
import { type LeaseClock, leaseOf } from "./lockState.ts";

/** Rows in the order in which they are handed out: oldest first, the file's order where no time is known. */
const oldestFirst = (rows: ReadonlyArray<QueueRow>): ReadonlyArray<QueueRow> =>
  [...rows].sort((a, b) => {
    const [left, right] = [a.added_at ?? "", b.added_at ?? ""];
    return left < right ? -1 : left > right ? 1 : 0;
  });

/** The rows that pass all five rules now, in the order in which they are handed out. */
export const eligibleRows = (queue: QueueFile, clock: LeaseClock): ReadonlyArray<QueueRow> =>
  oldestFirst(queue.prs.filter((row) => readyForReview(row, { leaseHeld: leaseOf(row, clock) === "live" })));
