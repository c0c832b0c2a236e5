import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pickBase, pickPrepare } from "../../../src/sync/pick.ts";
import { type ReadyJob, ReadyQueue } from "../../../src/sync/ReadyQueue.ts";

const job = (tier: 0 | 1 | 2, order: number): ReadyJob => ({ tier, order });
const idle = { total: 0, tier2: 0 };

describe("pickPrepare", () => {
  it("takes tier 0, then 1, then 2, oldest first", () => {
    expect(pickPrepare([job(2, 0), job(1, 1), job(0, 9), job(0, 4)], idle, 1)).toBe(3);
    expect(pickPrepare([job(2, 0), job(1, 1)], idle, 1)).toBe(1);
    expect(pickPrepare([job(2, 0)], idle, 1)).toBe(0);
  });

  it("keeps the last of two or more slots for tier 2 while a tier-2 PR waits", () => {
    const ready = [job(0, 0), job(2, 5)];
    expect(pickPrepare(ready, { total: 3, tier2: 0 }, 4)).toBe(1);
    expect(pickPrepare(ready, { total: 3, tier2: 1 }, 4)).toBe(0);
    expect(pickPrepare(ready, { total: 0, tier2: 0 }, 1)).toBe(0);
    expect(pickPrepare([job(0, 0)], { total: 3, tier2: 0 }, 4)).toBe(0);
  });

  it("takes none when all slots are taken or nothing waits", () => {
    expect(pickPrepare([job(0, 0)], { total: 2, tier2: 0 }, 2)).toBeNull();
    expect(pickPrepare([], idle, 2)).toBeNull();
  });
});

describe("pickBase", () => {
  const bases = [
    { waiting: 1, order: 0 },
    { waiting: 4, order: 8 },
    { waiting: 4, order: 2 },
  ];

  it("takes the base with the most waiting PRs, then the one with the oldest", () => {
    expect(pickBase(bases, 0, 2)).toBe(2);
  });

  it("takes none when all slots are taken or none waits", () => {
    expect(pickBase(bases, 2, 2)).toBeNull();
    expect(pickBase([], 0, 2)).toBeNull();
  });
});

describe("ReadyQueue", () => {
  it("takes the same jobs in the same order as pickPrepare over a list", () => {
    const jobs = fc.uniqueArray(
      fc.record({ tier: fc.constantFrom(0 as const, 1 as const, 2 as const), order: fc.nat() }),
      {
        selector: (one) => one.order,
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(jobs, fc.integer({ min: 1, max: 5 }), fc.nat(5), fc.nat(5), (all, slots, total, tier2) => {
        const running = { total, tier2: Math.min(total, tier2) };
        const queue = new ReadyQueue<ReadyJob>();
        for (const one of all) queue.add(one);
        const list = [...all];
        for (;;) {
          const index = pickPrepare(list, running, slots);
          const taken = queue.take(running, slots);
          expect(taken).toEqual(index === null ? undefined : list[index]);
          if (index === null) break;
          list.splice(index, 1);
          expect(queue.size).toBe(list.length);
        }
      }),
    );
  });

  it("gives back 10,000 jobs in order within a fraction of a second", () => {
    const queue = new ReadyQueue<ReadyJob>();
    const started = process.cpuUsage().user;
    for (let i = 0; i < 10_000; i += 1) queue.add(job(0, (i * 7919) % 10_007));
    let last = -1;
    for (let one = queue.take(idle, 1); one !== undefined; one = queue.take(idle, 1)) {
      expect(one.order > last).toBe(true);
      last = one.order;
    }
    expect(queue.size).toBe(0);
    expect((process.cpuUsage().user - started) / 1e6).toBeLessThan(0.5);
  });
});
