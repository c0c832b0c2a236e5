import type { Tier } from "./syncPlanFile.ts";

/** A preparation that may start: its tier and its place in the queue (lower is older). */
export interface ReadyJob {
  readonly tier: Tier;
  readonly order: number;
}

/** What runs now. */
export interface Running {
  readonly total: number;
  readonly tier2: number;
}

class OldestFirst<Job extends ReadyJob> {
  readonly #heap: Array<Job> = [];

  get size(): number {
    return this.#heap.length;
  }

  add(job: Job): void {
    const heap = this.#heap;
    let at = heap.push(job) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.order <= job.order) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = job;
  }

  take(): Job | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const rightWins = left !== undefined && right !== undefined && right.order < left.order;
      const child = rightWins ? right : left;
      if (child === undefined || child.order >= last.order) break;
      heap[at] = child;
      at = 2 * at + (rightWins ? 2 : 1);
    }
    heap[at] = last;
    return first;
  }
}

/**
 * Tier of the next preparation (spec 4, "Pool order"): 0, then 1, then 2; but while a tier-2 PR waits and there are two
 * slots or more, one of them is kept for tier 2. Null when every slot is taken or nothing waits.
 */
export const pickTier = (waiting: (tier: Tier) => number, running: Running, jobs: number): Tier | null => {
  if (running.total >= jobs) return null;
  const keptForTier2 = jobs >= 2 && waiting(2) > 0 && running.total - running.tier2 >= jobs - 1;
  if (keptForTier2) return 2;
  return waiting(0) > 0 ? 0 : waiting(1) > 0 ? 1 : waiting(2) > 0 ? 2 : null;
};

/** The preparations that may start, one queue a tier, oldest first within each; add and take cost O(log n). */
export class ReadyQueue<Job extends ReadyJob> {
  readonly #tiers = [new OldestFirst<Job>(), new OldestFirst<Job>(), new OldestFirst<Job>()] as const;

  get size(): number {
    return this.#tiers[0].size + this.#tiers[1].size + this.#tiers[2].size;
  }

  waiting(tier: Tier): number {
    return this.#tiers[tier].size;
  }

  add(job: Job): void {
    this.#tiers[job.tier].add(job);
  }

  /** Takes the next job to start, or undefined when the pool rules let none start now. */
  take(running: Running, jobs: number): Job | undefined {
    const tier = pickTier((of) => this.#tiers[of].size, running, jobs);
    return tier === null ? undefined : this.#tiers[tier].take();
  }
}
