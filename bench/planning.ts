import { readFileSync, writeFileSync } from "node:fs";
import * as Effect from "effect/Effect";
import { Engine } from "../effects/engine/Engine.ts";
import { type PoolWork, type PrepareJob, runPools } from "../effects/sync/pools.ts";
import { defaultConfig } from "../src/config/config.ts";
import { identityKey } from "../src/names.ts";
import { newRow, type QueueRow } from "../src/queue/row.ts";
import type { BranchMeta } from "../src/repo/repoMeta.ts";
import { planSync } from "../src/sync/planSync.ts";
import type { PlannedBase, PlannedPr, SyncPlan } from "../src/sync/planTypes.ts";
import { memoryEngine } from "./memoryServices.ts";

export interface PlanningInput {
  readonly prs: number;
  /** Send every PR and base through its machine, on a queue in memory. */
  readonly machines: boolean;
}

export interface PlanningResult {
  readonly planSeconds: number;
  readonly seconds: number;
  readonly peakMb: number;
  readonly prepared: number;
  readonly built: number;
}

const at = "2026-01-02T03:04:05Z";
const now = Date.parse(at);

/** 50 repositories; of twenty PRs seventeen share the main branch, one has a branch to itself and two share another. */
const rowsOf = (count: number): ReadonlyArray<QueueRow> =>
  Array.from({ length: count }, (_, i): QueueRow => {
    const repo = `shop-${i % 50}`;
    const kind = Math.floor(i / 50) % 20;
    return {
      ...newRow({
        pr_url: `https://github.com/acme/${repo}/pull/${i + 1}`,
        platform: "github",
        host: "github.com",
        owner: "acme",
        repo,
        pr_number: i + 1,
      }),
      head_sha: i.toString(16).padStart(40, "0"),
      target_branch: kind < 17 ? "main" : kind === 17 ? `alone-${i}` : `release-${i % 100}`,
    };
  });

/** Main of every second repository is indexed and fresh: its PRs are tier 0, those of the others tier 1. */
const basesOf = (): Parameters<typeof planSync>[0]["bases"] =>
  Array.from({ length: 25 }, (_, i) => ({
    repoName: `shop-${i * 2}`,
    platform: "github",
    host: "github.com",
    owner: "acme",
    repo: `shop-${i * 2}`,
    branch: "main",
    indexReadable: true,
    foreign: false,
    tracked: true,
    meta: {
      schema_version: 1,
      branch: "main",
      slug: "main",
      last_indexed_sha: "f".repeat(40),
      last_indexed_at: at,
      provider: "builtin",
      embed_model: "m",
      dim: 256,
      chunker_version: 1,
      chunks: 20_000,
      created_by: "user",
      created_at: at,
      last_used_at: null,
      state: "fresh",
    } satisfies BranchMeta,
  }));

const makePlan = (rows: ReadonlyArray<QueueRow>, bases: ReturnType<typeof basesOf>): SyncPlan =>
  planSync({
    rows,
    bases,
    tips: new Map(),
    config: defaultConfig.pr_sync,
    now,
    rebuild: false,
    rates: { full_seconds: 30, seeded_seconds: 3, refresh_seconds: 5, chunks_per_second: null },
  });

const baseId = (base: { readonly repo: string; readonly branch: string }): string => `${base.repo}\n${base.branch}`;

type Jobs = Pick<PoolWork, "bases" | "prepares">;

const jobsOf = (plan: SyncPlan): Jobs => {
  const job = (pr: PlannedPr): PrepareJob => ({ key: pr.pr_url, tier: pr.tier, order: pr.order });
  const waiting = new Map<string, PrepareJob[]>();
  for (const base of plan.bases) if (base.event !== null) waiting.set(baseId(base), []);
  for (const pr of plan.prs) if (pr.tier === 1 && pr.base !== null) waiting.get(baseId(pr.base))?.push(job(pr));
  return {
    bases: [...waiting].map(([id, prs]) => ({ id, prs })),
    prepares: plan.prs.filter((pr) => pr.tier !== 1).map(job),
  };
};

interface Counts {
  prepared: number;
  built: number;
}

const emptyJobs = (counts: Counts): Pick<PoolWork, "buildBase" | "prepare"> => ({
  buildBase: () =>
    Effect.sync(() => {
      counts.built += 1;
      return "seed" as const;
    }),
  prepare: () =>
    Effect.sync(() => {
      counts.prepared += 1;
    }),
});

const seedMeta = (base: PlannedBase): BranchMeta => ({
  schema_version: 1,
  branch: base.branch,
  slug: base.branch,
  last_indexed_sha: null,
  last_indexed_at: null,
  provider: null,
  embed_model: null,
  dim: null,
  chunker_version: null,
  chunks: null,
  created_by: base.created_by ?? "auto",
  created_at: at,
  last_used_at: null,
  state: "missing",
});

/** The same jobs with the events that a sync sends for them: NEEDS_BASE, BUILD and BUILT, START and PREPARED. */
const machineJobs = (plan: SyncPlan, rows: ReadonlyArray<QueueRow>, counts: Counts) =>
  Effect.gen(function* () {
    const engine = yield* Engine;
    const planned = new Map(plan.prs.map((pr) => [pr.pr_url, pr]));
    const keys = new Map(rows.map((row) => [row.pr_url, identityKey(row)]));
    const bases = new Map(plan.bases.map((base) => [baseId(base), base]));
    const keyOf = (url: string): string => keys.get(url) ?? url;
    for (const pr of plan.prs)
      if (pr.tier === 1 && pr.base !== null)
        yield* engine.prep(keyOf(pr.pr_url), { type: "NEEDS_BASE", base: pr.base, at });
    const jobs: Pick<PoolWork, "buildBase" | "prepare"> = {
      buildBase: ({ id }) =>
        Effect.gen(function* () {
          const base = bases.get(id);
          if (base === undefined) return yield* Effect.dieMessage(`no base ${id}`);
          const where = { repo: base.repo, branch: base.branch, seed: seedMeta(base) };
          const { issued } = yield* engine.base(where, {
            type: "BUILD",
            created_by: base.created_by ?? "auto",
            auto_reason: base.auto_reason,
            rebuild: false,
            at,
          });
          const command = issued[0]?.id ?? "";
          const made = { sha: "a", provider: "builtin", model: "m", dim: 256, chunker_version: 1, chunks: 1 };
          yield* engine.base(where, { type: "BUILT", command, ...made, at });
          counts.built += 1;
          return "seed" as const;
        }).pipe(Effect.orDie),
      prepare: (job) =>
        Effect.gen(function* () {
          const pr = planned.get(job.key);
          const key = keyOf(job.key);
          const seed = job.tier === 2 ? null : (pr?.base ?? null);
          const { issued, row } = yield* engine.prep(key, { type: "START", tier: job.tier, seed, rebuild: false, at });
          yield* engine.prep(key, {
            type: "PREPARED",
            command: issued[0]?.id ?? "",
            head_sha: row.head_sha ?? "",
            base_ref: row.target_branch ?? "",
            merge_base: "m",
            used_base: null,
            at,
          });
          counts.prepared += 1;
        }).pipe(Effect.orDie),
    };
    return jobs;
  });

const procStatus = (field: string): number =>
  Number(new RegExp(`^${field}:\\s*(\\d+)`, "m").exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;

/** Resident memory now, and a way to ask for the peak above it since; Linux only, NaN elsewhere. */
const watchMemory = (): (() => number) => {
  (globalThis as { gc?: () => void }).gc?.();
  if (process.platform !== "linux") return () => Number.NaN;
  writeFileSync("/proc/self/clear_refs", "5");
  const before = procStatus("VmRSS");
  return () => procStatus("VmHWM") - before;
};

/** Plans and runs a sync of many PRs whose jobs do nothing: what adk itself costs. Run it in a process of its own. */
export const planning = async (input: PlanningInput): Promise<PlanningResult> => {
  const rows = rowsOf(input.prs);
  const bases = basesOf();
  const counts: Counts = { prepared: 0, built: 0 };
  const memory = memoryEngine(rows);
  const peak = watchMemory();
  const started = performance.now();
  const plan = makePlan(rows, bases);
  const planSeconds = (performance.now() - started) / 1000;
  const program = Effect.gen(function* () {
    const jobs = input.machines ? yield* machineJobs(plan, rows, counts) : emptyJobs(counts);
    yield* runPools({ ...jobsOf(plan), baseJobs: 2, prepareJobs: 4, ...jobs });
  });
  await Effect.runPromise(Effect.provide(Effect.orDie(program), memory.layer));
  const seconds = (performance.now() - started) / 1000;
  const ready = memory.rows().filter((row) => row.prep_status === "ready").length;
  if (counts.prepared !== input.prs || (input.machines && ready !== input.prs))
    throw new Error(`${counts.prepared} of ${input.prs} were prepared, ${ready} are ready`);
  return { planSeconds, seconds, peakMb: peak(), ...counts };
};
