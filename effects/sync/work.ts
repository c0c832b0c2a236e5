import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { identityKey, repoKey } from "../../src/names.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import type { PlannedBase, PlannedPr, SyncPlan } from "../../src/sync/planTypes.ts";
import {
  type PlanFileBase,
  type PlanFilePr,
  type Progress,
  withBase,
  withNotes,
  withPr,
} from "../../src/sync/syncPlanFile.ts";
import type { WorkTotals } from "../../src/sync/workTotals.ts";
import { formatTime } from "../../src/time.ts";
import { runBase } from "../bases/runBase.ts";
import { crashPoint } from "../engine/crashPoint.ts";
import { Engine, type MachineFailure, type RowStepper, replaceRow } from "../engine/Engine.ts";
import { Log } from "../log/Log.ts";
import { type PreparationOutcome, runPreparation } from "../prepare/runPreparation.ts";
import { fetchRepository } from "../repos/fetchRepository.ts";
import type { SyncFacts } from "./gatherFacts.ts";
import type { PlanBoard } from "./PlanBoard.ts";
import { type BaseJob, type PrepareJob, runPools } from "./pools.ts";
import { withQuarantined } from "./quarantine.ts";

const now = Effect.map(Clock.currentTimeMillis, formatTime);

/** The events that bring a planned row to where START or NEEDS_BASE is accepted, in order. */
const towardsStart = (
  row: QueueRow,
  pr: PlannedPr,
  at: string,
  step: RowStepper,
): Either.Either<QueueRow, MachineFailure> => {
  const first = ((): Either.Either<QueueRow, MachineFailure> => {
    const sent = (type: "REBUILD" | "KEY_MOVED" | "PR_REOPENED") =>
      Either.map(step.prep(row, { type, at }), (done) => done.row);
    if (row.prep_status === "ready") return sent(pr.rebuild ? "REBUILD" : "KEY_MOVED");
    if (row.prep_status === "skipped") return sent("PR_REOPENED");
    if (row.prep_status === "failed")
      return Either.map(step.prep(row, { type: "RETRY", by: "sync", at }), (done) => done.row);
    return Either.right(row);
  })();
  if (pr.tier !== 1 || pr.base === null) return first;
  const { base } = pr;
  return Either.flatMap(first, (ready) =>
    Either.map(step.prep(ready, { type: "NEEDS_BASE", base, at }), (done) => done.row),
  );
};

/**
 * Puts every planned row where its tier starts, in one transaction. A row whose stored state cannot be read is
 * quarantined with the reason and left out; it never stops the others.
 */
const enter = (plan: SyncPlan) =>
  Effect.gen(function* () {
    const engine = yield* Engine;
    const at = yield* now;
    return yield* engine.change<ReadonlyMap<string, string>, never>((queue, step) => {
      const byUrl = new Map(queue.prs.map((row) => [row.pr_url, row]));
      const refused = new Map<string, string>();
      let next = queue;
      for (const pr of plan.prs) {
        const row = byUrl.get(pr.pr_url);
        if (row === undefined) {
          refused.set(pr.pr_url, "it left the queue");
          continue;
        }
        const moved = towardsStart(row, pr, at, step);
        if (Either.isRight(moved)) next = replaceRow(next, moved.right);
        else {
          refused.set(pr.pr_url, moved.left.message);
          if (moved.left._tag === "SnapshotUnreadable") {
            next = withQuarantined(next, row, moved.left);
          }
        }
      }
      return Either.right({ queue: next, result: refused });
    });
  });

const prOnBoard = (board: PlanBoard, url: string, change: Partial<PlanFilePr>): void =>
  board.change((file) => withPr(file, url, change));

const baseOnBoard = (board: PlanBoard, base: PlannedBase, change: Partial<PlanFileBase>): void =>
  board.change((file) => withBase(file, base, change));

const note = (board: PlanBoard, text: string): void => board.change((file) => withNotes(file, [text]));

/** Fetches what the plan needs, one fetch a repository; a failure shows in the rows that depend on it. */
const fetchAll = (plan: SyncPlan, facts: SyncFacts, rows: ReadonlyMap<string, QueueRow>, board: PlanBoard) =>
  Effect.gen(function* () {
    const log = yield* Log;
    const byName = new Map([...facts.repos.values()].map((repo) => [repo.name, repo]));
    const fetched = new Set<string>();
    const names = [...new Set(plan.prs.map((pr) => pr.repo))];
    yield* Effect.forEach(
      names,
      (name) => {
        const repo = byName.get(name);
        if (repo === undefined) return Effect.void;
        const prs = plan.prs.filter((pr) => pr.repo === name);
        return fetchRepository({
          repo,
          branches: prs.map((pr) => pr.target_branch),
          rows: prs.flatMap((pr) => rows.get(pr.pr_url) ?? []),
        }).pipe(
          Effect.tap(() => Effect.sync(() => fetched.add(name))),
          Effect.catchAll((error) => {
            note(board, `${name}: ${error.message}`);
            return log.warn(`${name}: ${error.message} — ${error.hint}`);
          }),
        );
      },
      { concurrency: 4, discard: true },
    );
    return fetched;
  });

/**
 * Phases C and D: bases and preparations through the pools (spec 4). Fails only when the store does; everything that
 * goes wrong with one PR or one base is on the board, in its row or its meta, and in the totals.
 */
export const work = (options: {
  readonly plan: SyncPlan;
  readonly facts: SyncFacts;
  readonly rows: ReadonlyArray<QueueRow>;
  readonly board: PlanBoard;
  readonly rebuild: boolean;
  readonly baseJobs: number;
  readonly prepareJobs: number;
  readonly totals: WorkTotals;
}) =>
  Effect.gen(function* () {
    const { plan, board, totals, facts } = options;
    const log = yield* Log;
    const rows = new Map(options.rows.map((row) => [row.pr_url, row]));
    const refused = yield* enter(plan);
    yield* crashPoint("sync.entered");
    for (const [url, error] of refused) {
      totals.failed += 1;
      prOnBoard(board, url, { prep_status: "failed", error, completed_at: yield* now });
    }
    const planned = new Map(plan.prs.filter((pr) => !refused.has(pr.pr_url)).map((pr) => [pr.pr_url, pr]));
    for (const pr of planned.values())
      if (pr.tier === 1) prOnBoard(board, pr.pr_url, { prep_status: "waiting_for_base" });
    const fetched = yield* fetchAll(plan, facts, rows, board);
    yield* crashPoint("sync.fetched");
    const repoOf = (row: QueueRow): RepoMeta | undefined => facts.repos.get(repoKey(row));
    const job = (pr: PlannedPr): PrepareJob => ({ key: pr.pr_url, tier: pr.tier, order: pr.order });
    const bases = new Map(
      plan.bases.filter((base) => base.event !== null).map((base) => [`${base.repo}\n${base.branch}`, base]),
    );

    const buildBase = (baseJob: BaseJob) =>
      Effect.gen(function* () {
        const base = bases.get(baseJob.id);
        const repo = [...facts.repos.values()].find((candidate) => candidate.name === base?.repo);
        if (base === undefined || repo === undefined) return "without-base" as const;
        const started = yield* Clock.currentTimeMillis;
        const at = formatTime(started);
        const result = yield* runBase({
          repo,
          branch: base.branch,
          createdBy: base.created_by ?? "user",
          autoReason: base.auto_reason,
          rebuild: options.rebuild,
          slots: options.baseJobs,
          stale: base.class === "stale-user" || base.class === "stale-auto",
          onStart: Effect.sync(() => baseOnBoard(board, base, { status: "building", started_at: at })),
          onProgress: (progress: Progress) => baseOnBoard(board, base, { progress }),
        }).pipe(Effect.catchAll((error) => Effect.succeed({ outcome: "failed" as const, error: error.message })));
        const ended = yield* Clock.currentTimeMillis;
        const completed_at = formatTime(ended);
        if (result.outcome === "built") {
          totals.basesBuilt += 1;
          totals.chunksEmbedded += result.built.embedded;
          totals.chunksReused += result.built.reused;
          totals.workSeconds += (ended - started) / 1000;
          if (base.event === "BUILD") {
            totals.fullChunks += result.built.chunks;
            totals.fullSeconds += (ended - started) / 1000;
          }
          baseOnBoard(board, base, { status: "ready", progress: null, completed_at });
          if (base.class === "foreign") {
            note(
              board,
              `base ${base.repo} ${base.branch} was made by another embedder or chunker and is rebuilt; the old index stays beside it`,
            );
          }
          yield* log.step(`base ${base.repo} ${base.branch}: ${result.built.chunks} chunks`);
          return "seed" as const;
        }
        totals.basesFailed += 1;
        baseOnBoard(board, base, { status: "failed", progress: null, completed_at, error: result.error });
        const stale = base.class === "stale-user" || base.class === "stale-auto";
        note(
          board,
          stale
            ? `base ${base.repo} ${base.branch} could not be refreshed; its PRs are seeded from the stale index: ${result.error}`
            : `base ${base.repo} ${base.branch} could not be built; its PRs are indexed without it: ${result.error}`,
        );
        yield* log.warn(`base ${base.repo} ${base.branch}: ${result.error}`);
        return stale ? ("seed" as const) : ("without-base" as const);
      });

    const prepare = (prepareJob: PrepareJob) =>
      Effect.gen(function* () {
        const pr = planned.get(prepareJob.key);
        const row = rows.get(prepareJob.key);
        const repo = row === undefined ? undefined : repoOf(row);
        if (pr === undefined || row === undefined || repo === undefined) return;
        const started = yield* Clock.currentTimeMillis;
        const seed = prepareJob.tier === 2 ? null : pr.base;
        const result = yield* runPreparation({
          row,
          repo,
          tier: prepareJob.tier,
          seed,
          rebuild: pr.rebuild,
          fetched: fetched.has(repo.name),
          slots: options.prepareJobs,
          onStart: Effect.map(now, (at) =>
            prOnBoard(board, pr.pr_url, {
              tier: prepareJob.tier,
              base: seed?.branch ?? null,
              prep_status: "preparing",
              started_at: at,
            }),
          ),
          onProgress: (progress: Progress) => prOnBoard(board, pr.pr_url, { progress }),
        }).pipe(
          Effect.catchAll((error) => {
            const { message } = error;
            return Effect.succeed<PreparationOutcome>(
              error._tag === "Refused" ? { outcome: "skipped", error: message } : { outcome: "failed", error: message },
            );
          }),
        );
        const ended = yield* Clock.currentTimeMillis;
        const completed_at = formatTime(ended);
        if (result.outcome === "skipped") {
          totals.skipped += 1;
          prOnBoard(board, pr.pr_url, { prep_status: "skipped", progress: null, error: result.error, completed_at });
          note(board, `${pr.pr_url} is left: ${result.error}`);
          return;
        }
        if (result.outcome === "failed") {
          totals.failed += 1;
          prOnBoard(board, pr.pr_url, { prep_status: "failed", progress: null, error: result.error, completed_at });
          yield* log.warn(`${pr.pr_url}: ${result.error}`);
          return;
        }
        const { chunks } = result.state;
        totals.ready += 1;
        totals.chunksOfPrs.push(chunks.total);
        if (result.outcome === "prepared") {
          totals.workSeconds += (ended - started) / 1000;
          totals.chunksEmbedded += chunks.embedded;
          totals.chunksReused += chunks.reused;
          if (result.state.used_base === null) {
            totals.fullChunks += chunks.total;
            totals.fullSeconds += (ended - started) / 1000;
          }
        }
        prOnBoard(board, pr.pr_url, { prep_status: "ready", progress: null, completed_at });
        yield* log.step(
          `${identityKey(row)} ready in ${((ended - started) / 1000).toFixed(1)} s (tier ${prepareJob.tier})`,
        );
      });

    const services = yield* Effect.context<
      Effect.Effect.Context<ReturnType<typeof buildBase>> | Effect.Effect.Context<ReturnType<typeof prepare>>
    >();
    yield* runPools({
      bases: [...bases.values()].map((base) => ({
        id: `${base.repo}\n${base.branch}`,
        prs: [...planned.values()]
          .filter((pr) => pr.tier === 1 && pr.base?.repo === base.repo && pr.base.branch === base.branch)
          .map(job),
      })),
      prepares: [...planned.values()].filter((pr) => pr.tier !== 1).map(job),
      baseJobs: options.baseJobs,
      prepareJobs: options.prepareJobs,
      buildBase: (base) => Effect.provide(buildBase(base), services),
      prepare: (prepareJob) => Effect.provide(prepare(prepareJob), services),
    });
  });
