import { tierAfterFailure } from "../../src/sync/classifyBase.ts";
import { pickBase } from "../../src/sync/pick.ts";
import type { PlannedBase, PlannedPr, SyncPlan } from "../../src/sync/planTypes.ts";
import { type ReadyJob, ReadyQueue } from "../../src/sync/ReadyQueue.ts";
import type { Tier } from "../../src/sync/syncPlanFile.ts";

/** Job times of a simulated machine, in seconds, and the sizes of its two pools. */
export interface World {
  readonly baseSeconds: (base: PlannedBase) => number;
  readonly baseFails: (base: PlannedBase) => boolean;
  readonly prepareSeconds: (pr: PlannedPr, tier: Tier) => number;
  readonly baseJobs: number;
  readonly prepareJobs: number;
}

export interface Job {
  readonly kind: "base" | "prepare";
  readonly key: string;
  readonly tier: Tier | null;
  readonly started: number;
  readonly ended: number;
}

export interface Outcome {
  readonly makespan: number;
  readonly jobs: ReadonlyArray<Job>;
  /** max(longest base + prepare chain, base work ÷ base_jobs, prepare work ÷ prepare_jobs). */
  readonly lowerBound: number;
}

interface Ready extends ReadyJob {
  readonly pr: PlannedPr;
}

export const baseName = (base: { readonly repo: string; readonly branch: string }): string =>
  `${base.repo}:${base.branch}`;

const lowerBound = (plan: SyncPlan, world: World): number => {
  const builds = plan.bases.filter((base) => base.event !== null);
  const buildOf = new Map(builds.map((base) => [baseName(base), base]));
  let chain = 0;
  let work = 0;
  for (const pr of plan.prs) {
    const base = pr.tier === 1 && pr.base !== null ? buildOf.get(baseName(pr.base)) : undefined;
    const tier = base !== undefined && world.baseFails(base) ? tierAfterFailure(base.class) : pr.tier;
    const seconds = world.prepareSeconds(pr, tier);
    work += seconds;
    chain = Math.max(chain, seconds + (base === undefined ? 0 : world.baseSeconds(base)));
  }
  const baseWork = builds.reduce((sum, base) => sum + world.baseSeconds(base), 0);
  const longestBase = Math.max(0, ...builds.map(world.baseSeconds));
  return Math.max(chain, longestBase, baseWork / world.baseJobs, work / world.prepareJobs);
};

/** Runs a plan on a simulated machine: the planner's and the pools' own decisions, only the clock is made up. */
export const simulate = (plan: SyncPlan, world: World): Outcome => {
  const waitingBases = plan.bases.filter((base) => base.event !== null);
  const waitingPrs = new Map<string, Array<PlannedPr>>();
  const ready = new ReadyQueue<Ready>();
  for (const pr of plan.prs) {
    if (pr.tier === 1 && pr.base !== null) {
      const key = baseName(pr.base);
      waitingPrs.set(key, [...(waitingPrs.get(key) ?? []), pr]);
    } else ready.add({ tier: pr.tier, order: pr.order, pr });
  }
  const jobs: Array<Job> = [];
  const running: Array<Job & { readonly base?: PlannedBase }> = [];
  let now = 0;
  const startAll = () => {
    for (;;) {
      const busy = running.filter((job) => job.kind === "base").length;
      const index = pickBase(
        waitingBases.map((base) => ({ waiting: base.prs.length, order: base.order })),
        busy,
        world.baseJobs,
      );
      const base = index === null ? undefined : waitingBases.splice(index, 1)[0];
      if (base === undefined) break;
      const ended = now + world.baseSeconds(base);
      running.push({ kind: "base", key: baseName(base), tier: null, started: now, ended, base });
    }
    for (;;) {
      const preparing = running.filter((job) => job.kind === "prepare");
      const tier2 = preparing.filter((job) => job.tier === 2).length;
      const job = ready.take({ total: preparing.length, tier2 }, world.prepareJobs);
      if (job === undefined) break;
      const ended = now + world.prepareSeconds(job.pr, job.tier);
      running.push({ kind: "prepare", key: job.pr.pr_url, tier: job.tier, started: now, ended });
    }
  };
  for (startAll(); running.length > 0; startAll()) {
    now = Math.min(...running.map((job) => job.ended));
    for (const done of running.filter((job) => job.ended === now)) {
      running.splice(running.indexOf(done), 1);
      const { base, ...job } = done;
      jobs.push(job);
      if (base === undefined) continue;
      const tier = world.baseFails(base) ? tierAfterFailure(base.class) : 1;
      for (const pr of waitingPrs.get(done.key) ?? []) ready.add({ tier, order: pr.order, pr });
    }
  }
  return { makespan: now, jobs, lowerBound: lowerBound(plan, world) };
};

/** The most jobs of one kind that ran at the same time. */
export const peak = (jobs: ReadonlyArray<Job>, kind: Job["kind"]): number => {
  const edges = jobs
    .filter((job) => job.kind === kind)
    .flatMap((job) => [
      { time: job.started, change: 1 },
      { time: job.ended, change: -1 },
    ])
    .sort((a, b) => a.time - b.time || a.change - b.change);
  let level = 0;
  let most = 0;
  for (const edge of edges) {
    level += edge.change;
    most = Math.max(most, level);
  }
  return most;
};
