import type { PrepStatus } from "../queue/row.ts";
import type { IsoTime } from "../time.ts";

/** Steps of `adk pr-sync`, in order, with the phase each belongs to (spec 4, "sync-plan.json"). */
export const syncSteps = [
  { name: "pr-scan", phase: "discover" },
  { name: "pr-queue update --all", phase: "discover" },
  { name: "pr-queue clean", phase: "discover" },
  { name: "pr-task clean-orphans", phase: "discover" },
  { name: "plan", phase: "plan" },
  { name: "bases", phase: "bases" },
  { name: "prepare", phase: "prepare" },
  { name: "pr-queue remind", phase: "remind" },
  { name: "repo auto-bases clean", phase: "cleanup" },
] as const;
export type SyncStepName = (typeof syncSteps)[number]["name"];
export type SyncPhase = (typeof syncSteps)[number]["phase"];

export const stepStatuses = ["pending", "running", "ok", "warn", "failed", "skipped"] as const;
export type StepStatus = (typeof stepStatuses)[number];

export interface SyncStep {
  readonly name: string;
  readonly phase: SyncPhase;
  readonly status: StepStatus;
  readonly rc: number | null;
  readonly started_at: IsoTime | null;
  readonly completed_at: IsoTime | null;
  readonly summary: string | null;
}

/** What a long job reports for progress bars. */
export interface Progress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

export type BaseClass = "stale-user" | "stale-auto" | "fresh-user" | "fresh-auto" | "foreign" | "missing";
export type BaseAction = "none" | "refresh" | "create_auto" | "none_singleton";
export type Tier = 0 | 1 | 2;

export interface PlanFileBase {
  readonly repo: string;
  readonly branch: string;
  readonly class: BaseClass;
  readonly action: BaseAction;
  readonly created_by: "user" | "auto" | null;
  readonly auto_reason: string | null;
  readonly prs: ReadonlyArray<number>;
  readonly status: "pending" | "building" | "ready" | "failed";
  readonly progress: Progress | null;
  readonly started_at: IsoTime | null;
  readonly completed_at: IsoTime | null;
  readonly error: string | null;
}

export interface PlanFilePr {
  readonly pr_url: string;
  readonly repo: string;
  readonly number: number;
  readonly target_branch: string;
  readonly tier: Tier;
  /** Tier of the plan; `tier` moves to 2 when the base cannot be built. */
  readonly initial_tier: Tier;
  /** Branch of the base it is seeded from; null in tier 2. */
  readonly base: string | null;
  readonly prep_status: PrepStatus;
  readonly progress: Progress | null;
  readonly started_at: IsoTime | null;
  readonly completed_at: IsoTime | null;
  readonly error: string | null;
}

export interface SyncSummary {
  readonly bases_built: number;
  readonly ready: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly estimated_full_seconds: number;
  readonly saved_seconds: number;
  readonly chunks_embedded: number;
  readonly chunks_reused: number;
}

export type SyncStatus = "running" | "done" | "failed" | "interrupted";

/** sync-plan.json: what a sync shows of itself. A display, never read for recovery. */
export interface SyncPlanFile {
  readonly version: 1;
  readonly run_id: string;
  readonly pid: number;
  readonly queue: string;
  readonly argv: ReadonlyArray<string>;
  readonly started_at: IsoTime;
  readonly updated_at: IsoTime;
  readonly completed_at: IsoTime | null;
  readonly rc: number | null;
  readonly status: SyncStatus;
  readonly steps: ReadonlyArray<SyncStep>;
  readonly bases: ReadonlyArray<PlanFileBase>;
  readonly prs: ReadonlyArray<PlanFilePr>;
  readonly summary: SyncSummary;
  readonly notes: ReadonlyArray<string>;
}

export const emptySummary: SyncSummary = {
  bases_built: 0,
  ready: 0,
  failed: 0,
  skipped: 0,
  seconds: 0,
  estimated_full_seconds: 0,
  saved_seconds: 0,
  chunks_embedded: 0,
  chunks_reused: 0,
};

/** All steps, pending. */
export const initialSteps = (): ReadonlyArray<SyncStep> =>
  syncSteps.map(({ name, phase }) => ({
    name,
    phase,
    status: "pending",
    rc: null,
    started_at: null,
    completed_at: null,
    summary: null,
  }));

/** The plan file at the start of a sync. */
export const initialPlanFile = (run: {
  readonly run_id: string;
  readonly pid: number;
  readonly queue: string;
  readonly argv: ReadonlyArray<string>;
  readonly at: IsoTime;
}): SyncPlanFile => ({
  version: 1,
  run_id: run.run_id,
  pid: run.pid,
  queue: run.queue,
  argv: run.argv,
  started_at: run.at,
  updated_at: run.at,
  completed_at: null,
  rc: null,
  status: "running",
  steps: initialSteps(),
  bases: [],
  prs: [],
  summary: emptySummary,
  notes: [],
});
