import { parseTime } from "../time.ts";
import type { BootMoment, Claim, QueueRow } from "./row.ts";

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
  /** Now by the running time of the machine that asks; left out when it is not known. */
  readonly here?: BootMoment;
  readonly maxAgeSeconds: number;
  readonly ownerAlive: OwnerAlive;
}

/**
 * Seconds since a claim's last beat by the running time of one machine; null when another machine or another boot sent
 * it, or none is recorded. A beat from the future of this boot cannot be one of it, so it tells nothing either.
 */
const ageByUptime = (beat: BootMoment | undefined, here: BootMoment | undefined): number | null => {
  if (beat === undefined || here === undefined || beat.host !== here.host || beat.boot !== here.boot) return null;
  return beat.uptime_s <= here.uptime_s ? here.uptime_s - beat.uptime_s : null;
};

/**
 * Whether a review lease holds (spec 2, "Review claim").
 *
 * A live owner is never robbed by age and a dead one is reclaimed at once; age decides only about an owner out of
 * sight. On the machine that sent the last beat, and since the same boot, its running time tells that age and no clock
 * has a say. Anywhere else the clocks must do: a time counts by its distance from now, in either direction: a clock set back by less than the maximum
 * age frees nothing, and a time further ahead than that (a wrong clock, a forged file) is no evidence of life, so it
 * cannot block the row for years. The heartbeat is asked first, then the moment of the claim; without one of them
 * within the maximum age the lease has expired.
 */
export const leaseState = (facts: LeaseFacts): LeaseState => {
  if (facts.claim === null && facts.taken_at === null) return "free";
  if (facts.claim !== null && facts.ownerAlive !== "unknown") return facts.ownerAlive === "alive" ? "live" : "dead";
  const age = ageByUptime(facts.claim?.beat, facts.here);
  if (age !== null) return age < facts.maxAgeSeconds ? "live" : "expired";
  const maxAge = facts.maxAgeSeconds * 1000;
  const recent = [facts.last_heartbeat_at, facts.taken_at].some((text) => {
    const time = parseTime(text);
    return time !== null && Math.abs(facts.now - time) < maxAge;
  });
  return recent ? "live" : "expired";
};
