import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { PrepEvent } from "../../machines/prep.ts";
import type { QueueRow, UsedBase } from "../../src/queue/row.ts";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { isForeign } from "../bases/buildBase.ts";
import { machineJobs } from "../bases/indexBranches.ts";
import { Home } from "../home/Home.ts";
import { branchDir, codeIndexDir, taskDir } from "../home/layout.ts";
import { CodeIndex } from "../index/CodeIndex.ts";
import { Log } from "../log/Log.ts";
import { cloneUrl } from "../repos/cloneUrl.ts";
import { Repos } from "../repos/Repos.ts";
import type { ChunkCounts } from "./prepareIndex.ts";
import { runPreparation } from "./runPreparation.ts";

/** One line of `pr-task prepare` (spec 3). */
export interface PrepareResult {
  readonly pr_url: string;
  readonly task_dir: string;
  readonly outcome: "prepared" | "already" | "failed" | "skipped";
  readonly head_sha: string | null;
  readonly used_base: UsedBase | null;
  readonly seconds: number;
  readonly chunks: ChunkCounts;
  readonly error?: string;
}

const noChunks: ChunkCounts = { total: 0, embedded: 0, reused: 0, deleted: 0 };

/** The base to seed from: the target branch's own, when its index is usable and made by the present embedder. */
const seedFor = (repo: RepoMeta, row: QueueRow) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const index = yield* CodeIndex;
    const home = yield* Home;
    if (row.target_branch === null) return null;
    const base = yield* repos.base(repo.name, row.target_branch);
    if (base === null || base.last_indexed_sha === null) return null;
    const dir = codeIndexDir(branchDir(home, repo.name, base.branch));
    const health = yield* index.health({ dir });
    if (health.status !== "ok" && health.status !== "stale") return null;
    if (!(yield* isForeign(dir))) return { repo: repo.name, branch: base.branch };
    const log = yield* Log;
    yield* log.warn(
      `base ${base.branch} of ${repo.name} was made by another embedder or chunker, so the PR is indexed without it — rebuild it with: adk repo update ${repo.name} --branch ${base.branch}`,
    );
    return null;
  });

/** The event that brings a row to where START is accepted. A person may always try a failed row again. */
const toStart =
  (byHand: boolean) =>
  (row: QueueRow, at: string): PrepEvent | null => {
    if (row.prep_status === "failed") return { type: "RETRY", by: byHand ? "hand" : "sync", at };
    if (row.prep_status === "ready") return { type: "REBUILD", at };
    return row.prep_status === "skipped" ? { type: "PR_REOPENED", at } : null;
  };

const prepareOne = (
  row: QueueRow,
  options: {
    readonly byHand: boolean;
    readonly noBaseSeed: boolean;
    readonly scope: ReadonlyArray<string>;
    readonly rebuild: boolean;
    readonly slots: number;
  },
) =>
  Effect.gen(function* () {
    const repos = yield* Repos;
    const home = yield* Home;
    const started = yield* Clock.currentTimeMillis;
    const repo = yield* repos.register({ ...row, url: cloneUrl(row), default_branch: null });
    const seed = options.noBaseSeed || options.scope.length > 0 ? null : yield* seedFor(repo, row);
    const result = yield* runPreparation({
      row,
      repo,
      tier: seed === null ? 2 : 0,
      seed,
      rebuild: options.rebuild,
      fetched: false,
      scope: options.scope,
      slots: options.slots,
      toStart: toStart(options.byHand),
    });
    const seconds = Math.round(((yield* Clock.currentTimeMillis) - started) / 10) / 100;
    const shared = { pr_url: row.pr_url, task_dir: taskDir(home, row), seconds };
    if (result.outcome === "failed" || result.outcome === "skipped") {
      return {
        ...shared,
        outcome: result.outcome,
        head_sha: row.head_sha,
        used_base: null,
        chunks: noChunks,
        error: result.error,
      } satisfies PrepareResult;
    }
    const { state } = result;
    // Nothing was done now; the counts of the preparation that stands would read as work.
    const chunks =
      result.outcome === "already"
        ? { ...noChunks, total: state.chunks.total, reused: state.chunks.total }
        : state.chunks;
    return {
      ...shared,
      outcome: result.outcome,
      head_sha: state.head_sha,
      used_base: state.used_base,
      chunks,
    } satisfies PrepareResult;
  }).pipe(
    Effect.catchAll((error) =>
      Effect.map(Home, (home): PrepareResult => {
        const outcome = error._tag === "Refused" ? "skipped" : "failed";
        return {
          pr_url: row.pr_url,
          task_dir: taskDir(home, row),
          outcome,
          head_sha: row.head_sha,
          used_base: null,
          seconds: 0,
          chunks: noChunks,
          error: `${error.message} — ${error.hint}`,
        };
      }),
    ),
  );

/** Prepares rows outside a sync, as many at once as asked and allowed; one that fails does not stop the others. */
export const prepareRows = (options: {
  readonly rows: ReadonlyArray<QueueRow>;
  /** A person named the row: tries that a sync no longer makes are made. */
  readonly byHand: boolean;
  readonly noBaseSeed: boolean;
  readonly scope: ReadonlyArray<string>;
  readonly rebuild: boolean;
  readonly jobs?: number | undefined;
}) =>
  Effect.gen(function* () {
    const jobs = yield* machineJobs({ prepare: options.jobs });
    return yield* Effect.forEach(options.rows, (row) => prepareOne(row, { ...options, slots: jobs.prepare }), {
      concurrency: jobs.prepare,
    });
  });
