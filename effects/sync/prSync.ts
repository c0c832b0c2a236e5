import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { Failure } from "../../src/errors.ts";
import { Refused } from "../../src/errors.ts";
import { identityKey } from "../../src/names.ts";
import { planSync } from "../../src/sync/planSync.ts";
import type { PlannedPr, SkippedPr, SyncPlan } from "../../src/sync/planTypes.ts";
import {
  initialPlanFile,
  type PlanFileBase,
  type PlanFilePr,
  type SyncPlanFile,
  type SyncSummary,
} from "../../src/sync/syncPlanFile.ts";
import { fileTime, formatTime } from "../../src/time.ts";
import { cleanAutoBases } from "../bases/cleanAutoBases.ts";
import { machineJobs } from "../bases/indexBranches.ts";
import { crashPoint } from "../engine/crashPoint.ts";
import { Engine } from "../engine/Engine.ts";
import { Home } from "../home/Home.ts";
import { Log } from "../log/Log.ts";
import { cleanOrphans } from "../queue/cleanOrphans.ts";
import { cleanRows } from "../queue/cleanRows.ts";
import { leaseOf } from "../queue/lockState.ts";
import { updateRows } from "../queue/updateRows.ts";
import { Settings } from "../settings/Settings.ts";
import { Locks } from "../store/Locks.ts";
import { QueueStore } from "../store/QueueStore.ts";
import { Terminal } from "../terminal/Terminal.ts";
import { gatherFacts, type SyncFacts } from "./gatherFacts.ts";
import { openPlanBoard, type PlanBoard } from "./PlanBoard.ts";
import { recover } from "./recover.ts";
import { openSyncRun, type StepEnd, type SyncRun } from "./SyncRun.ts";
import { newTotals, type WorkTotals, work } from "./work.ts";

export interface SyncOptions {
  readonly prepare: boolean;
  readonly clean: boolean;
  readonly baseJobs?: number | undefined;
  readonly prepareJobs?: number | undefined;
  readonly rebuild: boolean;
  readonly planOnly: boolean;
  readonly argv: ReadonlyArray<string>;
}

/** Figures used until this machine has measured its own: the plan's example (seconds of one worker). */
const assumedRates = { full_seconds: 30, seeded_seconds: 3, refresh_seconds: 5 };

const ok = (summary: string): StepEnd => ({ status: "ok", rc: 0, summary });
const skipped = (summary: string): StepEnd => ({ status: "skipped", rc: null, summary });

/** A step that fails is a warning; the sync goes on with what is known (spec 4, phase A). */
const tolerant = <A, R>(body: Effect.Effect<StepEnd, A & Failure, R>): Effect.Effect<StepEnd, never, R | Log> =>
  Effect.catchAll(body, (error) =>
    Effect.gen(function* () {
      const log = yield* Log;
      yield* log.warn(`${error.message} — ${error.hint}`);
      return { status: "warn", rc: error.exitCode, summary: log.redact(error.message) } satisfies StepEnd;
    }),
  );

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

const discover = (run: SyncRun, options: SyncOptions) =>
  Effect.gen(function* () {
    yield* run.step("pr-scan", Effect.succeed(skipped("Slack is not configured")));
    yield* run.step(
      "pr-queue update --all",
      tolerant(
        Effect.map(updateRows({ keys: "all" }), (report) => ({
          status: report.failed.length > 0 ? ("warn" as const) : ("ok" as const),
          rc: report.failed.length > 0 ? 1 : 0,
          summary: `${report.checked} checked, ${report.moved} moved, ${report.merged} merged, ${report.closed} closed, ${report.failed.length} failed`,
        })),
      ),
    );
    yield* run.step(
      "pr-queue clean",
      options.clean
        ? tolerant(
            Effect.map(cleanRows({ mode: "terminal", dryRun: false }), (report) =>
              ok(`${counted(report.removed.length, "row")} removed, ${report.kept.length} kept`),
            ),
          )
        : Effect.succeed(skipped("--no-clean")),
    );
    yield* run.step(
      "pr-task clean-orphans",
      options.clean
        ? tolerant(
            Effect.map(cleanOrphans({ dryRun: false }), (report) =>
              ok(`${counted(report.removed.length, "folder")} removed`),
            ),
          )
        : Effect.succeed(skipped("--no-clean")),
    );
  });

/** The plan for the rows as they are now. `register` makes unknown repositories of queued PRs known. */
export const makePlan = (options: { readonly rebuild: boolean; readonly register: boolean }) =>
  Effect.gen(function* () {
    const store = yield* QueueStore;
    const { config } = yield* Settings;
    const queue = yield* store.read;
    const facts = yield* gatherFacts(queue.prs, options);
    const now = yield* Clock.currentTimeMillis;
    const clock = { nowMs: now, maxAgeSeconds: config.taken_lock_max_age_seconds };
    const held = new Set(queue.prs.filter((row) => leaseOf(row, clock) === "live").map((row) => row.pr_url));
    const plan = planSync({
      rows: queue.prs,
      bases: facts.bases,
      repos: [...facts.repos.values()],
      tips: facts.tips,
      config: config.pr_sync,
      now,
      rebuild: options.rebuild,
      rates: { ...assumedRates, chunks_per_second: facts.chunksPerSecond },
      held,
    });
    return { plan, facts, rows: queue.prs };
  });

const boardBase = (base: SyncPlan["bases"][number]): PlanFileBase => ({
  repo: base.repo,
  branch: base.branch,
  class: base.class,
  action: base.action,
  created_by: base.created_by,
  auto_reason: base.auto_reason,
  prs: base.prs,
  status: base.class.startsWith("fresh") ? "ready" : "pending",
  progress: null,
  started_at: null,
  completed_at: null,
  error: null,
});

const boardPr = (pr: PlannedPr): PlanFilePr => ({
  pr_url: pr.pr_url,
  repo: pr.repo,
  number: pr.number,
  target_branch: pr.target_branch,
  tier: pr.tier,
  initial_tier: pr.tier,
  base: pr.base?.branch ?? null,
  prep_status: "pending",
  progress: null,
  started_at: null,
  completed_at: null,
  error: null,
});

const showPlan = (board: PlanBoard, plan: SyncPlan, notes: ReadonlyArray<string>) =>
  board.change((file) => ({
    ...file,
    bases: plan.bases.map(boardBase),
    prs: plan.prs.map(boardPr),
    summary: {
      ...file.summary,
      skipped: plan.skipped.length,
      estimated_full_seconds: Math.round(plan.estimates.full_seconds * 10) / 10,
      saved_seconds: Math.round(plan.estimates.saved_seconds * 10) / 10,
    },
    notes: [...file.notes, ...notes],
  }));

/** Totals as the plan file and `--json` show them; savings by the indexing speed measured in this run, else before it. */
const summaryOf = (input: {
  readonly totals: WorkTotals;
  readonly skipped: number;
  readonly seconds: number;
  readonly speedBefore: number | null;
}): SyncSummary => {
  const { totals } = input;
  const speed =
    totals.fullSeconds > 0 && totals.fullChunks > 0 ? totals.fullChunks / totals.fullSeconds : input.speedBefore;
  const chunks = totals.chunksOfPrs.reduce((sum, count) => sum + count, 0);
  const full = speed === null || totals.workSeconds === 0 ? 0 : chunks / speed;
  const tenths = (value: number): number => Math.round(value * 10) / 10;
  return {
    bases_built: totals.basesBuilt,
    ready: totals.ready,
    failed: totals.failed,
    skipped: input.skipped,
    seconds: tenths(input.seconds),
    estimated_full_seconds: tenths(full),
    saved_seconds: tenths(Math.max(0, full - totals.workSeconds)),
    chunks_embedded: totals.chunksEmbedded,
    chunks_reused: totals.chunksReused,
  };
};

/** Rows that wait for a base of this run go back to pending; those being prepared put themselves back. */
const putBack = (plan: SyncPlan | null) =>
  Effect.gen(function* () {
    const engine = yield* Engine;
    const store = yield* QueueStore;
    const log = yield* Log;
    const planned = new Set(plan?.prs.map((pr) => pr.pr_url) ?? []);
    const queue = yield* store.read;
    const at = formatTime(yield* Clock.currentTimeMillis);
    yield* Effect.forEach(
      queue.prs.filter((row) => row.prep_status === "waiting_for_base" && planned.has(row.pr_url)),
      (row) => engine.prep(identityKey(row), { type: "INTERRUPTED", at }),
      { concurrency: "unbounded", discard: true },
    ).pipe(Effect.catchAll((error) => log.warn(`not put back: ${error.message}`)));
  }).pipe(Effect.catchAll((error) => Effect.flatMap(Log, (log) => log.warn(`not put back: ${error.message}`))));

/** What a sync ends with, for `--json` and the last line. */
export interface SyncReport {
  readonly runId: string;
  readonly file: SyncPlanFile;
  readonly skipped: ReadonlyArray<SkippedPr>;
  readonly ready: ReadonlyArray<string>;
}

const takeSyncLock = Effect.gen(function* () {
  const locks = yield* Locks;
  if (yield* locks.tryAcquire("sync", { verb: "pr-sync" })) return;
  const holder = yield* locks.holder("sync");
  return yield* new Refused({
    message:
      holder === null
        ? "another pr-sync is running"
        : `another pr-sync is running: pid ${holder.pid} since ${holder.since}`,
    hint: "wait for it, or look at it in the sync plan; one sync runs per data home",
  });
});

const phases = (input: {
  readonly run: SyncRun;
  readonly board: PlanBoard;
  readonly options: SyncOptions;
  readonly totals: WorkTotals;
  readonly remember: (plan: SyncPlan, facts: SyncFacts) => void;
}) =>
  Effect.gen(function* () {
    const { run, board, options, totals } = input;
    const log = yield* Log;
    yield* run.send({ type: "START", plan_only: options.planOnly });
    yield* crashPoint("sync.discover");
    const recovered = yield* recover;
    if (recovered.rows + recovered.bases > 0) {
      board.change((file) => ({
        ...file,
        notes: [
          ...file.notes,
          `put back after an earlier run: ${counted(recovered.rows, "row")}, ${counted(recovered.bases, "base")}`,
        ],
      }));
    }
    yield* discover(run, options);
    yield* run.phaseDone;

    yield* run.send({ type: "STEP_STARTED", step: "plan" });
    const { plan, facts, rows } = yield* makePlan({ rebuild: options.rebuild, register: true });
    input.remember(plan, facts);
    yield* crashPoint("sync.plan");
    showPlan(board, plan, facts.notes);
    const built = plan.bases.filter((base) => base.event !== null).length;
    const planned = `${counted(plan.prs.length, "PR")} to prepare, ${counted(built, "base")} to build, ${plan.skipped.length} left as they are`;
    yield* log.step(`plan: ${planned}`);
    yield* run.send({ type: "STEP_ENDED", step: "plan", ...ok(planned) });
    yield* run.phaseDone;
    if (options.planOnly) return;

    yield* crashPoint("sync.work");
    if (!options.prepare) {
      yield* run.step("bases", Effect.succeed(skipped("--no-prepare")));
      yield* run.step("prepare", Effect.succeed(skipped("--no-prepare")));
    } else {
      const jobs = yield* machineJobs({ base: options.baseJobs, prepare: options.prepareJobs });
      yield* run.send({ type: "STEP_STARTED", step: "bases" });
      yield* run.send({ type: "STEP_STARTED", step: "prepare" });
      yield* work({
        plan,
        facts,
        rows,
        board,
        totals,
        rebuild: options.rebuild,
        baseJobs: jobs.base,
        prepareJobs: jobs.prepare,
      });
      yield* run.send({
        type: "STEP_ENDED",
        step: "bases",
        status: totals.basesFailed > 0 ? "warn" : "ok",
        rc: totals.basesFailed > 0 ? 1 : 0,
        summary: `${totals.basesBuilt} built, ${totals.basesFailed} failed`,
      });
      yield* run.send({
        type: "STEP_ENDED",
        step: "prepare",
        status: totals.failed > 0 ? "failed" : "ok",
        rc: totals.failed > 0 ? 1 : 0,
        summary: `${totals.ready} ready, ${totals.failed} failed`,
      });
    }
    yield* run.phaseDone;
    yield* crashPoint("sync.remind");
    yield* run.step("pr-queue remind", Effect.succeed(skipped("Slack is not configured")));
    yield* run.phaseDone;
    yield* crashPoint("sync.cleanup");
    yield* run.step(
      "repo auto-bases clean",
      options.clean
        ? tolerant(
            Effect.map(cleanAutoBases({ dryRun: false }), (report) => {
              const text = `auto-base cleanup: ${report.removed.length} removed`;
              if (report.removed.length > 0) board.change((file) => ({ ...file, notes: [...file.notes, text] }));
              return ok(text);
            }),
          )
        : Effect.succeed(skipped("--no-clean")),
    );
    yield* run.phaseDone;
    yield* crashPoint("sync.done");
  });

/**
 * `adk pr-sync` (spec 4): discover, plan, bases and preparations through the pools, clean-up. One sync per data home.
 * What was done is durable at every moment; interrupted, running jobs and waiting rows are put back and the plan file
 * says `interrupted`. Fails with `Refused` when another sync runs, and with the store's errors.
 */
export const prSync = (options: SyncOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      const home = yield* Home;
      const terminal = yield* Terminal;
      const store = yield* QueueStore;
      const log = yield* Log;
      yield* takeSyncLock;
      yield* store.read;
      const started = yield* Clock.currentTimeMillis;
      const runId = `sync-${fileTime(started)}-${process.pid}`;
      const board = yield* openPlanBoard(
        initialPlanFile({
          run_id: runId,
          pid: process.pid,
          queue: home.queue,
          argv: options.argv.map((word) => log.redact(word)),
          at: formatTime(started),
        }),
      );
      const run = yield* openSyncRun({ runId, board });
      const totals = newTotals();
      let plan: SyncPlan | null = null;
      let speedBefore: number | null = null;
      const finish = (status: SyncPlanFile["status"], rc: number) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis;
          const summary = summaryOf({
            totals,
            skipped: (plan?.skipped.length ?? 0) + totals.skipped,
            seconds: (now - started) / 1000,
            speedBefore,
          });
          board.change((file) => ({
            ...file,
            status,
            rc,
            completed_at: formatTime(now),
            // A plan that was only made keeps its own estimates.
            summary: options.planOnly ? { ...file.summary, seconds: summary.seconds } : summary,
          }));
          yield* terminal.clearProgress;
          yield* board.flush;
        });
      yield* phases({
        run,
        board,
        options,
        totals,
        remember: (made, facts) => {
          plan = made;
          speedBefore = facts.chunksPerSecond;
        },
      }).pipe(
        Effect.tapError((error) =>
          Effect.zipRight(
            log.warn(`the sync stopped: ${error.message}`),
            putBack(plan).pipe(
              Effect.zipRight(Effect.ignoreLogged(run.phaseFailed(log.redact(error.message)))),
              Effect.zipRight(finish("failed", error.exitCode)),
            ),
          ),
        ),
        Effect.onInterrupt(() =>
          putBack(plan).pipe(
            Effect.zipRight(Effect.ignoreLogged(run.send({ type: "INTERRUPT" }))),
            Effect.zipRight(finish("interrupted", 130)),
          ),
        ),
      );
      const failed = totals.failed > 0;
      yield* finish(failed ? "failed" : "done", failed ? 1 : 0);
      const ready = board
        .get()
        .prs.filter((pr) => pr.prep_status === "ready")
        .map((pr) => pr.pr_url);
      return {
        runId,
        file: board.get(),
        skipped: plan === null ? [] : (plan as SyncPlan).skipped,
        ready,
      } satisfies SyncReport;
    }),
  );
