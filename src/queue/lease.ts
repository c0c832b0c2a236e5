import { parseTime } from "../time.ts";
import type { Claim, QueueRow } from "./row.ts";

/** What is known of the process that a claim names: seen running, proven gone, or out of sight (another host, a shell). */
export type OwnerAlive = "alive" | "dead" | "unknown";

/** `free`: nobody claims. `live`: hands off. `dead`: the owner is proven gone. `expired`: the owner is out of sight and silent too long. */
export type LeaseState = "free" | "live" | "dead" | "expired";

export interface LeaseFacts {
  readonly claim: Claim | null;
  readonly taken_at: QueueRow["taken_at"];
  readonly last_heartbeat_at: QueueRow["last_heartbeat_at"];
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly maxAgeSeconds: number;
  readonly ownerAlive: OwnerAlive;
}

/**
 * Whether a review lease holds (spec 2, "Review claim").
 *
 * A live owner is never robbed by age and a dead one is reclaimed at once; the clock decides only about an owner out
 * of sight. Then a time counts by its distance from now, in either direction: a clock set back by less than the maximum
 * age frees nothing, and a time further ahead than that (a wrong clock, a forged file) is no evidence of life, so it
 * cannot block the row for years. The heartbeat is asked first, then the moment of the claim; without one of them
 * within the maximum age the lease has expired.
 */
export const leaseState = (facts: LeaseFacts): LeaseState => {
  if (facts.claim === null && facts.taken_at === null) return "free";
  if (facts.claim !== null && facts.ownerAlive !== "unknown") return facts.ownerAlive === "alive" ? "live" : "dead";
  const maxAge = facts.maxAgeSeconds * 1000;
  const recent = [facts.last_heartbeat_at, facts.taken_at].some((text) => {
    const time = parseTime(text);
    return time !== null && Math.abs(facts.now - time) < maxAge;
  });
  return recent ? "live" : "expired";
};
