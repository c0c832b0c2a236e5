import * as Effect from "effect/Effect";
import * as Queue from "effect/Queue";
import { compareBases } from "../../src/sync/pick.ts";
import { ReadyQueue, type Running } from "../../src/sync/ReadyQueue.ts";

/** One PR to prepare; `order` is its place among the rows, oldest first. */
export interface PrepareJob {
  readonly key: string;
  readonly tier: 0 | 1 | 2;
  readonly order: number;
}

/** One base to build or refresh, with the PRs that wait for it. */
export interface BaseJob {
  readonly id: string;
  readonly prs: ReadonlyArray<PrepareJob>;
}

export interface PoolWork {
  readonly bases: ReadonlyArray<BaseJob>;
  /** PRs that wait for nothing: tiers 0 and 2. */
  readonly prepares: ReadonlyArray<PrepareJob>;
  /** Numbers of workers; they are the limits. */
  readonly baseJobs: number;
  readonly prepareJobs: number;
  /** Builds one base; says what its PRs do next. A failed base sends them to tier 2, never to failure. */
  readonly buildBase: (base: BaseJob) => Effect.Effect<"seed" | "without-base">;
  readonly prepare: (job: PrepareJob) => Effect.Effect<void>;
}

/**
 * Runs bases and preparations to the end with fixed workers on ready queues (spec 1: the number of workers is the
 * limit). A tier-1 PR becomes ready the moment its own base is done; which ready PR goes next is `ReadyQueue`'s rule.
 * Interrupting the returned effect interrupts every running job.
 */
export const runPools = (work: PoolWork): Effect.Effect<void> =>
  Effect.gen(function* () {
    const waiting = work.bases.reduce((sum, base) => sum + base.prs.length, 0);
    let left = work.prepares.length + waiting;
    const ready = new ReadyQueue<PrepareJob>();
    let running: Running = { total: 0, tier2: 0 };
    const signals = yield* Queue.unbounded<"ready" | "end">();
    const offer = (job: PrepareJob) =>
      Effect.suspend(() => {
        ready.add(job);
        return Queue.offer(signals, "ready" as const);
      });
    const end = Queue.offerAll(
      signals,
      Array.from({ length: work.prepareJobs }, () => "end" as const),
    );

    const prepareWorker = Effect.gen(function* () {
      while ((yield* Queue.take(signals)) === "ready") {
        const job = ready.take(running, work.prepareJobs);
        if (job === undefined) continue;
        running = { total: running.total + 1, tier2: running.tier2 + (job.tier === 2 ? 1 : 0) };
        yield* work.prepare(job);
        running = { total: running.total - 1, tier2: running.tier2 - (job.tier === 2 ? 1 : 0) };
        left -= 1;
        if (left === 0) yield* end;
      }
    });

    const rank = (base: BaseJob) => ({
      waiting: base.prs.length,
      order: base.prs[0]?.order ?? Number.MAX_SAFE_INTEGER,
    });
    const bases = [...work.bases].sort((a, b) => compareBases(rank(a), rank(b)));
    const baseWorker = Effect.gen(function* () {
      for (let base = bases.shift(); base !== undefined; base = bases.shift()) {
        const next = yield* work.buildBase(base);
        yield* Effect.forEach(base.prs, (job) => offer(next === "seed" ? job : { ...job, tier: 2 }), { discard: true });
      }
    });

    yield* Effect.forEach(work.prepares, offer, { discard: true });
    if (left === 0) yield* end;
    yield* Effect.all(
      [
        ...Array.from({ length: Math.min(work.baseJobs, bases.length) }, () => baseWorker),
        ...Array.from({ length: work.prepareJobs }, () => prepareWorker),
      ],
      { concurrency: "unbounded", discard: true },
    );
  });
