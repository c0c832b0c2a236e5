import { pickTier, type ReadyJob, type Running } from "./ReadyQueue.ts";

/**
 * Index of the preparation to start next among those that may start, or null (spec 4, "Pool order"). One pass over the
 * list; a scheduler with many jobs keeps a `ReadyQueue`, which gives the same answers.
 */
export const pickPrepare = (ready: ReadonlyArray<ReadyJob>, running: Running, jobs: number): number | null => {
  const counts = [0, 0, 0];
  for (const job of ready) counts[job.tier] = (counts[job.tier] ?? 0) + 1;
  const tier = pickTier((of) => counts[of] ?? 0, running, jobs);
  if (tier === null) return null;
  let best: number | null = null;
  for (const [index, job] of ready.entries()) {
    if (job.tier !== tier) continue;
    if (best === null || job.order < (ready[best]?.order ?? Number.POSITIVE_INFINITY)) best = index;
  }
  return best;
};

/** A base that waits to be built: how many PRs wait for it, and the place of the oldest of them. */
export interface WaitingBase {
  readonly waiting: number;
  readonly order: number;
}

/** Order of base builds: the one with the most waiting PRs first, then the one with the oldest PR. */
export const compareBases = (a: WaitingBase, b: WaitingBase): number => b.waiting - a.waiting || a.order - b.order;

/** Index of the base to build next, or null when every slot is taken or none waits. */
export const pickBase = (bases: ReadonlyArray<WaitingBase>, running: number, jobs: number): number | null => {
  if (running >= jobs || bases.length === 0) return null;
  let best = 0;
  for (const [index, base] of bases.entries()) {
    const leader = bases[best];
    if (leader !== undefined && compareBases(base, leader) < 0) best = index;
  }
  return best;
};
