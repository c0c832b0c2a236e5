import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { Refused } from "../../src/errors.ts";
import { queueSchemaVersion } from "../../src/queue/row.ts";
import type { SkippedPr, SyncPlan } from "../../src/sync/planTypes.ts";
import { initialPlanFile, type SyncPlanFile, withNotes, withPlan } from "../../src/sync/syncPlanFile.ts";
import { newTotals, summaryOf, type WorkTotals } from "../../src/sync/workTotals.ts";
import { fileTime, formatTime } from "../../src/time.ts";
import { cleanAutoBases } from "../bases/cleanAutoBases.ts";
import { machineJobs } from "../bases/indexBranches.ts";
import { crashPoint } from "../engine/crashPoint.ts";
import { Home } from "../home/Home.ts";
import { Log } from "../log/Log.ts";
import { remindAfterMs, remindRows } from "../remind/remindRows.ts";
import { slackToken } from "../slack/caller.ts";
import { Locks } from "../store/Locks.ts";
import { QueueStore, queueReadOnly } from "../store/QueueStore.ts";
import { Terminal } from "../terminal/Terminal.ts";
import { discover, firstReasons } from "./discover.ts";
import type { SyncFacts } from "./gatherFacts.ts";
import { makePlan } from "./makePlan.ts";
import { openPlanBoard, type PlanBoard } from "./PlanBoard.ts";
import { pruneRuns } from "./pruneRuns.ts";
import { putBack } from "./putBack.ts";
import { recover } from "./recover.ts";
import { openSyncRun, type SyncRun } from "./SyncRun.ts";
import { counted, ok, skipped, tolerant } from "./stepEnds.ts";
import { work } from "./work.ts";

export interface SyncOptions {
  readonly prepare: boolean;
  readonly clean: boolean;
  readonly baseJobs?: number | undefined;
  readonly prepareJobs?: number | undefined;
  readonly rebuild: boolean;
  readonly planOnly: boolean;
  /** Look for new PRs in Slack, where it is set up. */
  readonly scan: boolean;
  /** Post the reminders that are due. */
  readonly remind: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly argv: ReadonlyArray<string>;
}

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

const remindStep = (env: NodeJS.ProcessEnv, board: PlanBoard) =>
  tolerant(
    Effect.gen(function* () {
      if (slackToken(env) === null) return skipped("Slack is not configured: no token");
      const { reminded, failed } = yield* remindRows({ thresholdMs: remindAfterMs, dryRun: false });
      const log = yield* Log;
      const reasons = failed.map(({ pr_url, error }) => `${pr_url}: ${error}`);
      yield* Effect.forEach(reasons, (reason) => log.warn(reason), { discard: true });
      board.change((file) => withNotes(file, firstReasons(reasons)));
      const summary = `${counted(reminded.length, "thread")} reminded, ${failed.length} failed`;
      return failed.length === 0 ? ok(summary) : { status: "warn" as const, rc: 1, summary };
    }),
  );

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
      const text = `put back after an earlier run: ${counted(recovered.rows, "row")}, ${counted(recovered.bases, "base")}`;
      board.change((file) => withNotes(file, [text]));
    }
    yield* discover(run, board, options);
    yield* run.phaseDone;

    yield* run.send({ type: "STEP_STARTED", step: "plan" });
    const { plan, facts, rows } = yield* makePlan({ rebuild: options.rebuild, register: true });
    input.remember(plan, facts);
    yield* crashPoint("sync.plan");
    board.change((file) => withNotes(withPlan(file, plan), facts.notes));
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
    yield* run.step(
      "pr-queue remind",
      options.remind ? remindStep(options.env, board) : Effect.succeed(skipped("--no-remind")),
    );
    yield* run.phaseDone;
    yield* crashPoint("sync.cleanup");
    yield* run.step(
      "repo auto-bases clean",
      options.clean
        ? tolerant(
            Effect.map(cleanAutoBases({ dryRun: false }), (report) => {
              const text = `auto-base cleanup: ${report.removed.length} removed`;
              if (report.removed.length > 0) board.change((file) => withNotes(file, [text]));
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
      const { schema_version } = yield* store.read;
      if (schema_version > queueSchemaVersion) return yield* queueReadOnly(home.queue, schema_version);
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
            skipped: plan?.skipped.length ?? 0,
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
      yield* pruneRuns;
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
