import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planSync } from "../../src/sync/planSync.ts";
import type { BaseFacts } from "../../src/sync/planTypes.ts";
import { base, daysAgo, input, pr } from "../src/sync/support.ts";
import { baseName, peak, simulate, type World } from "./simulate.ts";

const eight = Array.from({ length: 8 }, (_, i) => pr(i + 1));
const example = (jobs: number): World => ({
  baseSeconds: () => 30,
  baseFails: () => false,
  prepareSeconds: (_pr, tier) => (tier === 2 ? 30 : 3),
  baseJobs: 2,
  prepareJobs: jobs,
});

describe("the plan's example: 8 PRs on one base, 30 s full, 3 s seeded", () => {
  const plan = planSync(input({ rows: eight }));
  // Without a shared base every PR is a full index: what a planner that never builds a base would do.
  const unplanned = planSync(input({ rows: eight, config: { ...input({}).config, auto_base_threshold: 99 } }));

  it("takes 54 s with one job, against 240 s unplanned", () => {
    expect(simulate(plan, example(1)).makespan).toBe(54);
    expect(simulate(unplanned, example(1)).makespan).toBe(240);
  });

  it("takes 36 s with four jobs, against 60 s unplanned", () => {
    expect(simulate(plan, example(4)).makespan).toBe(36);
    expect(simulate(unplanned, example(4)).makespan).toBe(60);
  });

  it("estimates 186 s of work saved", () => {
    expect(plan.estimates).toEqual({ full_seconds: 240, planned_seconds: 54, saved_seconds: 186 });
  });
});

interface Scenario {
  readonly groups: ReadonlyArray<{
    readonly prs: number;
    readonly kind: "fresh" | "stale" | "missing";
    readonly full: number;
    readonly fails: boolean;
  }>;
  readonly seconds: ReadonlyArray<number>;
  readonly baseJobs: number;
  readonly prepareJobs: number;
}

const scenario: fc.Arbitrary<Scenario> = fc.record({
  groups: fc.array(
    fc.record({
      prs: fc.integer({ min: 1, max: 12 }),
      kind: fc.constantFrom("fresh" as const, "stale" as const, "missing" as const),
      full: fc.integer({ min: 10, max: 60 }),
      fails: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  seconds: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 7, maxLength: 7 }),
  baseJobs: fc.integer({ min: 1, max: 4 }),
  prepareJobs: fc.integer({ min: 1, max: 6 }),
});

const build = (shape: Scenario) => {
  const bases: Array<BaseFacts> = [];
  const branches = shape.groups.flatMap((group, index) => {
    const branch = `b${index}`;
    if (group.kind === "fresh") bases.push(base(branch));
    if (group.kind === "stale") bases.push(base(branch, { last_indexed_at: daysAgo(9), state: "stale" }));
    return Array.from({ length: group.prs }, () => branch);
  });
  // Rows of all groups interleaved, as they come in over a week.
  const rows = branches
    .map((target_branch, i) => ({ target_branch, key: (i * 7919) % 101 }))
    .sort((a, b) => a.key - b.key)
    .map(({ target_branch }, i) => pr(i + 1, { target_branch }));
  const groupOf = (branch: string) => shape.groups[Number(branch.slice(1))] ?? { full: 30, fails: false };
  const world: World = {
    baseSeconds: ({ branch, event }) => (event === "REFRESH" ? groupOf(branch).full / 3 : groupOf(branch).full),
    baseFails: ({ branch }) => groupOf(branch).fails,
    prepareSeconds: ({ number, target_branch }, tier) =>
      tier === 2 ? groupOf(target_branch).full : (shape.seconds[number % 7] ?? 3),
    baseJobs: shape.baseJobs,
    prepareJobs: shape.prepareJobs,
  };
  return { plan: planSync(input({ rows, bases })), rows, world };
};

describe("2,500 random syncs on a simulated machine", () => {
  it("stay near the lower bound, within every limit, and prepare each PR once and after its base", () => {
    const ratios: Array<number> = [];
    fc.assert(
      fc.property(scenario, (shape) => {
        const { plan, rows, world } = build(shape);
        const { jobs, makespan, lowerBound } = simulate(plan, world);
        const prepares = jobs.filter((job) => job.kind === "prepare");
        expect(prepares.map((job) => job.key).sort()).toEqual(rows.map((row) => row.pr_url).sort());
        expect(peak(jobs, "base")).toBeLessThanOrEqual(shape.baseJobs);
        expect(peak(jobs, "prepare")).toBeLessThanOrEqual(shape.prepareJobs);
        const built = new Map(jobs.filter((job) => job.kind === "base").map((job) => [job.key, job.ended]));
        expect(built.size).toBe(plan.bases.filter((one) => one.event !== null).length);
        for (const one of plan.prs) {
          const done = one.base === null || one.tier !== 1 ? 0 : built.get(baseName(one.base));
          const job = prepares.find(({ key }) => key === one.pr_url);
          expect(job?.started).toBeGreaterThanOrEqual(done ?? Number.POSITIVE_INFINITY);
        }
        const ratio = makespan / lowerBound;
        expect(ratio).toBeGreaterThanOrEqual(1 - 1e-9);
        expect(ratio).toBeLessThanOrEqual(3 - 1 / Math.max(shape.baseJobs, shape.prepareJobs) + 1e-9);
        ratios.push(ratio);
      }),
      { numRuns: 2500, seed: 20260320 },
    );
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
    expect(ratios.length).toBeGreaterThanOrEqual(2000);
    expect(mean).toBeLessThanOrEqual(1.15);
    console.info(`mean makespan ÷ lower bound: ${mean.toFixed(3)}, worst ${Math.max(...ratios).toFixed(3)}`);
  });
});
