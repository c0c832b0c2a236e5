import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import { identityKey, taskName } from "../../src/names.ts";
import { isTerminal, type QueueFile, type QueueRow } from "../../src/queue/row.ts";
import { parseTime } from "../../src/time.ts";
import { Engine, findRow } from "../engine/Engine.ts";
import { Home } from "../home/Home.ts";
import { taskLock } from "../home/layout.ts";
import { Settings } from "../settings/Settings.ts";
import { Locks } from "../store/Locks.ts";
import { QueueStore } from "../store/QueueStore.ts";
import { rememberLocalNumber } from "./localNumbers.ts";
import { type LeaseClock, leaseClockNow, leaseOf } from "./lockState.ts";
import { hasTaskFolder, type Removal, removeTaskFolder, sweepLeftovers } from "./taskFolder.ts";

/** Which rows a clean-up is about: merged and closed ones, every one, or those that nothing has touched for so long. */
export type CleanMode = "terminal" | "all" | { readonly staleDays: number };

export interface CleanReport {
  /** pr_url of the rows that were dropped (with dryRun: would be). */
  readonly removed: ReadonlyArray<string>;
  readonly kept: ReadonlyArray<{ readonly pr_url: string; readonly why: string }>;
  /** Paths of the task folders that were deleted (with dryRun: would be). */
  readonly folders: ReadonlyArray<string>;
}

/** Milliseconds of the last thing that happened to a row, 0 when nothing is known. */
const lastTouched = (row: QueueRow): number =>
  Math.max(
    0,
    ...[
      row.added_at,
      row.last_checked_at,
      row.last_reviewed_at,
      row.last_reminded_at,
      row.prep_completed_at,
      row.last_heartbeat_at,
    ].map((time) => parseTime(time) ?? 0),
  );

const isMeant = (row: QueueRow, mode: CleanMode, nowMs: number): boolean => {
  if (mode === "all") return true;
  if (mode === "terminal") return isTerminal(row);
  return isTerminal(row) || nowMs - lastTouched(row) >= mode.staleDays * 86_400_000;
};

/** Why a row must stay although it is meant; null when it may go. */
const whyKept = (row: QueueRow, mode: CleanMode, clock: LeaseClock): string | null => {
  if (leaseOf(row, clock) === "live") return `under a live claim (${row.claim?.run_id ?? "unknown run"})`;
  return isMeant(row, mode, clock.nowMs) ? null : "changed meanwhile";
};

type Outcome =
  | { readonly kind: "removed"; readonly pr_url: string; readonly folder: string | null }
  | { readonly kind: "kept"; readonly pr_url: string; readonly why: string }
  | { readonly kind: "gone" };

/** Drops the row in one transaction that reads it again; the deletion of its folder comes after, never before. */
const dropRow = (key: string, mode: CleanMode, clock: LeaseClock) =>
  Effect.flatMap(Engine, (engine) =>
    engine.change<string | null | "gone", never>((queue: QueueFile) => {
      const row = findRow(queue, key);
      if (row === undefined) return Either.right({ queue, result: "gone" as const });
      const why = whyKept(row, mode, clock);
      if (why !== null) return Either.right({ queue, result: why });
      return Either.right({ queue: { ...queue, prs: queue.prs.filter((other) => other !== row) }, result: null });
    }),
  );

const folderOf = (row: QueueRow, removal: Removal, tasks: string): string | null =>
  removal === "removed" ? join(tasks, taskName(row)) : null;

const cleanRow = (row: QueueRow, mode: CleanMode, clock: LeaseClock) =>
  Effect.gen(function* () {
    const home = yield* Home;
    const locks = yield* Locks;
    const pr_url = row.pr_url;
    if (!(yield* locks.tryAcquire(taskLock(row), { verb: "pr-queue clean" }))) {
      return { kind: "kept", pr_url, why: "its task folder is in use" } satisfies Outcome;
    }
    yield* rememberLocalNumber(row);
    const refused = yield* dropRow(identityKey(row), mode, clock);
    if (refused === "gone") return { kind: "gone" } satisfies Outcome;
    if (refused !== null) return { kind: "kept", pr_url, why: refused } satisfies Outcome;
    const removal = yield* removeTaskFolder(home.tasks, taskName(row));
    return { kind: "removed", pr_url, folder: folderOf(row, removal, home.tasks) } satisfies Outcome;
  }).pipe(Effect.scoped);

const report = (outcomes: ReadonlyArray<Outcome>): CleanReport => ({
  removed: outcomes.flatMap((each) => (each.kind === "removed" ? [each.pr_url] : [])),
  kept: outcomes.flatMap((each) => (each.kind === "kept" ? [{ pr_url: each.pr_url, why: each.why }] : [])),
  folders: outcomes.flatMap((each) => (each.kind === "removed" && each.folder !== null ? [each.folder] : [])),
});

const wouldClean = (row: QueueRow, mode: CleanMode, clock: LeaseClock) =>
  Effect.gen(function* () {
    const home = yield* Home;
    const locks = yield* Locks;
    const why = whyKept(row, mode, clock);
    if (why !== null) return { kind: "kept", pr_url: row.pr_url, why } satisfies Outcome;
    if ((yield* locks.holder(taskLock(row))) !== null) {
      return { kind: "kept", pr_url: row.pr_url, why: "its task folder is in use" } satisfies Outcome;
    }
    const there = yield* hasTaskFolder(home.tasks, taskName(row));
    return {
      kind: "removed",
      pr_url: row.pr_url,
      folder: there ? join(home.tasks, taskName(row)) : null,
    } satisfies Outcome;
  });

/**
 * Drops rows and then their task folders (spec 3 `pr-queue clean`, spec 4 step A3). Never a row under a live claim nor
 * one whose task is being prepared; each row is read again, under its task's lock, right before it goes. Merged and
 * closed rows go in every mode. `dryRun` changes nothing at all.
 */
export const cleanRows = (options: { readonly mode: CleanMode; readonly dryRun: boolean }) =>
  Effect.gen(function* () {
    const home = yield* Home;
    const { config } = yield* Settings;
    const store = yield* QueueStore;
    const clock = yield* leaseClockNow(config.taken_lock_max_age_seconds);
    const queue = yield* store.read;
    const meant = queue.prs.filter((row) => isMeant(row, options.mode, clock.nowMs));
    const one = options.dryRun ? wouldClean : cleanRow;
    const outcomes: ReadonlyArray<Outcome> = yield* Effect.forEach(meant, (row) => one(row, options.mode, clock), {
      concurrency: 16,
    });
    if (!options.dryRun) yield* sweepLeftovers(home.tasks);
    return report(outcomes);
  });
