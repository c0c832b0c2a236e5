import { it } from "@effect/vitest";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Ref from "effect/Ref";
import * as TestClock from "effect/TestClock";
import { describe, expect } from "vitest";
import { type PoolWork, type PrepareJob, runPools } from "../../../effects/sync/pools.ts";

const prs = (count: number, tier: 0 | 1 | 2): ReadonlyArray<PrepareJob> =>
  Array.from({ length: count }, (_, order) => ({ key: `pr-${order}`, tier, order }));

/** Runs the real scheduler on the test clock and gives the seconds that it took. */
const makespan = (work: PoolWork) =>
  Effect.gen(function* () {
    const done = yield* Ref.make<number | null>(null);
    const fiber = yield* Effect.fork(
      Effect.zipRight(
        runPools(work),
        Effect.flatMap(Clock.currentTimeMillis, (now) => Ref.set(done, now)),
      ),
    );
    for (let second = 0; second < 400 && (yield* Ref.get(done)) === null; second += 1)
      yield* TestClock.adjust("1 second");
    yield* Fiber.join(fiber);
    return ((yield* Ref.get(done)) ?? Number.NaN) / 1000;
  });

const example = (prepareJobs: number): PoolWork => ({
  bases: [{ id: "main", prs: prs(8, 1) }],
  prepares: [],
  baseJobs: 2,
  prepareJobs,
  buildBase: () => Effect.as(Effect.sleep("30 seconds"), "seed" as const),
  prepare: () => Effect.sleep("3 seconds"),
});

const unplanned = (prepareJobs: number): PoolWork => ({
  ...example(prepareJobs),
  bases: [],
  prepares: prs(8, 2),
  prepare: () => Effect.sleep("30 seconds"),
});

describe("runPools", () => {
  it.effect("takes 54 s with one job for the plan's example, against 240 s unplanned", () =>
    Effect.gen(function* () {
      expect(yield* makespan(example(1))).toBe(54);
    }),
  );
  it.effect("takes 36 s with four jobs", () =>
    Effect.gen(function* () {
      expect(yield* makespan(example(4))).toBe(36);
    }),
  );
  it.effect("takes 240 s unplanned with one job", () =>
    Effect.gen(function* () {
      expect(yield* makespan(unplanned(1))).toBe(240);
    }),
  );
  it.effect("takes 60 s unplanned with four jobs", () =>
    Effect.gen(function* () {
      expect(yield* makespan(unplanned(4))).toBe(60);
    }),
  );

  it.effect("starts tier 0 while a base builds, and tier 1 the moment its own base is done", () =>
    Effect.gen(function* () {
      const started = new Map<string, number>();
      yield* makespan({
        bases: [
          { id: "slow", prs: [{ key: "waits-long", tier: 1, order: 0 }] },
          { id: "fast", prs: [{ key: "waits-short", tier: 1, order: 1 }] },
        ],
        prepares: [{ key: "fresh", tier: 0, order: 2 }],
        baseJobs: 2,
        prepareJobs: 4,
        buildBase: (base) => Effect.as(Effect.sleep(base.id === "slow" ? "20 seconds" : "5 seconds"), "seed" as const),
        prepare: (job) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            started.set(job.key, now / 1000);
            return Effect.sleep("3 seconds");
          }),
      });
      expect(Object.fromEntries(started)).toEqual({ fresh: 0, "waits-short": 5, "waits-long": 20 });
    }),
  );

  it.effect("sends the PRs of a base that failed to tier 2, and forgets none", () =>
    Effect.gen(function* () {
      const seen: Array<PrepareJob> = [];
      yield* makespan({
        ...example(4),
        buildBase: () => Effect.as(Effect.sleep("1 second"), "without-base" as const),
        prepare: (job) => Effect.sync(() => void seen.push(job)),
      });
      expect(seen.map((job) => job.tier)).toEqual(Array.from({ length: 8 }, () => 2));
    }),
  );

  it.effect("keeps one slot for tier 2 while a tier-2 PR waits", () =>
    Effect.gen(function* () {
      const order: Array<string> = [];
      yield* makespan({
        bases: [],
        prepares: [
          ...Array.from({ length: 6 }, (_, at) => ({ key: `fresh-${at}`, tier: 0 as const, order: at })),
          { key: "whole", tier: 2, order: 99 },
        ],
        baseJobs: 1,
        prepareJobs: 2,
        buildBase: () => Effect.succeed("seed" as const),
        prepare: (job) =>
          Effect.zipRight(
            Effect.sync(() => order.push(job.key)),
            Effect.sleep("3 seconds"),
          ),
      });
      expect(order.slice(0, 2).sort()).toEqual(["fresh-0", "whole"]);
    }),
  );

  it.effect("never runs more than its jobs at once with 10,000 PRs, none twice, none forgotten", () =>
    Effect.gen(function* () {
      let running = 0;
      let most = 0;
      const runs = new Map<string, number>();
      const bases = Array.from({ length: 100 }, (_, base) => ({
        id: `base-${base}`,
        prs: Array.from({ length: 50 }, (_, at) => ({ key: `${base}-${at}`, tier: 1 as const, order: base * 50 + at })),
      }));
      const prepares = Array.from({ length: 5000 }, (_, at) => ({
        key: `free-${at}`,
        tier: at % 2 === 0 ? (0 as const) : (2 as const),
        order: at,
      }));
      yield* runPools({
        bases,
        prepares,
        baseJobs: 2,
        prepareJobs: 4,
        buildBase: () => Effect.as(Effect.yieldNow(), "seed" as const),
        prepare: (job) =>
          Effect.gen(function* () {
            running += 1;
            most = Math.max(most, running);
            runs.set(job.key, (runs.get(job.key) ?? 0) + 1);
            yield* Effect.yieldNow();
            running -= 1;
          }),
      });
      expect(most).toBeLessThanOrEqual(4);
      expect(runs.size).toBe(10_000);
      expect([...runs.values()].every((count) => count === 1)).toBe(true);
    }),
  );

  it.effect("ends at once when there is nothing to do", () =>
    Effect.gen(function* () {
      expect(yield* makespan({ ...example(4), bases: [], prepares: [] })).toBe(0);
    }),
  );
});
