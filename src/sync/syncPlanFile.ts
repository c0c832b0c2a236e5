import { type PrepStatus, prepStatuses } from "../queue/row.ts";
import type { IsoTime } from "../time.ts";
import type { SyncPlan } from "./planTypes.ts";
import { isInteger, isNumber, isText, listOf, oneOf, orNull, shaped } from "./shape.ts";

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

/** Seconds as the plan file shows them: one decimal. */
export const tenths = (seconds: number): number => Math.round(seconds * 10) / 10;

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

/** The plan file once phase B is done: every base and PR pending, the estimates, the notes of what was left out. */
export const withPlan = (file: SyncPlanFile, plan: SyncPlan): SyncPlanFile => ({
  ...file,
  bases: plan.bases.map((base) => ({
    repo: base.repo,
    branch: base.branch,
    class: base.class,
    action: base.action,
    created_by: base.created_by,
    auto_reason: base.auto_reason,
    prs: base.prs,
    status: base.event === null && base.class !== "missing" ? "ready" : "pending",
    progress: null,
    started_at: null,
    completed_at: null,
    error: null,
  })),
  prs: plan.prs.map((pr) => ({
    pr_url: pr.pr_url,
    repo: pr.repo,
    number: pr.number,
    target_branch: pr.target_branch,
    tier: pr.tier,
    initial_tier: pr.tier,
    base: pr.base === null ? null : pr.base.branch,
    prep_status: "pending",
    progress: null,
    started_at: null,
    completed_at: null,
    error: null,
  })),
  summary: {
    ...file.summary,
    skipped: plan.skipped.length,
    estimated_full_seconds: tenths(plan.estimates.full_seconds),
    saved_seconds: tenths(plan.estimates.saved_seconds),
  },
});

/** One base changed. */
export const withBase = (
  file: SyncPlanFile,
  where: Pick<PlanFileBase, "repo" | "branch">,
  change: Partial<PlanFileBase>,
): SyncPlanFile => ({
  ...file,
  bases: file.bases.map((base) =>
    base.repo === where.repo && base.branch === where.branch ? { ...base, ...change } : base,
  ),
});

/** One PR changed; the others keep their objects, so that a change among 10,000 costs one copy of the list. */
export const withPr = (file: SyncPlanFile, pr_url: string, change: Partial<PlanFilePr>): SyncPlanFile => {
  const at = file.prs.findIndex((pr) => pr.pr_url === pr_url);
  const pr = file.prs[at];
  return pr === undefined ? file : { ...file, prs: file.prs.with(at, { ...pr, ...change }) };
};

/** Notes for people, in the order they came. */
export const withNotes = (file: SyncPlanFile, notes: ReadonlyArray<string>): SyncPlanFile =>
  notes.length === 0 ? file : { ...file, notes: [...file.notes, ...notes] };

const isProgress = orNull(shaped({ stage: isText, done: isNumber, total: isNumber }));
const times = { started_at: orNull(isText), completed_at: orNull(isText) };

const isPlanFile = shaped({
  version: oneOf(1),
  run_id: isText,
  pid: isInteger,
  queue: isText,
  argv: listOf(isText),
  started_at: isText,
  updated_at: isText,
  completed_at: orNull(isText),
  rc: orNull(isInteger),
  status: oneOf("running", "done", "failed", "interrupted"),
  steps: listOf(
    shaped({
      name: isText,
      phase: isText,
      status: oneOf(...stepStatuses),
      rc: orNull(isInteger),
      ...times,
      summary: orNull(isText),
    }),
  ),
  bases: listOf(
    shaped({
      repo: isText,
      branch: isText,
      class: oneOf("stale-user", "stale-auto", "fresh-user", "fresh-auto", "foreign", "missing"),
      action: oneOf("none", "refresh", "create_auto", "none_singleton"),
      created_by: oneOf("user", "auto", null),
      auto_reason: orNull(isText),
      prs: listOf(isInteger),
      status: oneOf("pending", "building", "ready", "failed"),
      progress: isProgress,
      ...times,
      error: orNull(isText),
    }),
  ),
  prs: listOf(
    shaped({
      pr_url: isText,
      repo: isText,
      number: isInteger,
      target_branch: isText,
      tier: oneOf(0, 1, 2),
      initial_tier: oneOf(0, 1, 2),
      base: orNull(isText),
      prep_status: oneOf(...prepStatuses),
      progress: isProgress,
      ...times,
      error: orNull(isText),
    }),
  ),
  summary: shaped(Object.fromEntries(Object.keys(emptySummary).map((name) => [name, isNumber]))),
  notes: listOf(isText),
});

/** The plan in a file's text, or null: a missing, half-written, corrupt or unknown plan is no plan (spec 4). */
export const decodeSyncPlan = (text: string | null | undefined): SyncPlanFile | null => {
  if (text === null || text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isPlanFile(value) ? (value as SyncPlanFile) : null;
  } catch {
    return null;
  }
};
