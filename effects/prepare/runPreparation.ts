import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Option from "effect/Option";
import type { PrepEvent } from "../../machines/prep.ts";
import type { Failure } from "../../src/errors.ts";
import { Refused } from "../../src/errors.ts";
import { identityKey } from "../../src/names.ts";
import { preparedAtKey } from "../../src/queue/eligibility.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { formatTime } from "../../src/time.ts";
import type { StageProgress } from "../bases/buildBase.ts";
import { crashPoint } from "../engine/crashPoint.ts";
import { Engine, findRow } from "../engine/Engine.ts";
import { Home } from "../home/Home.ts";
import { taskDir, taskLock } from "../home/layout.ts";
import { Log } from "../log/Log.ts";
import { Locks } from "../store/Locks.ts";
import { QueueStore } from "../store/QueueStore.ts";
import { takeSlot } from "../sync/slots.ts";
import { type PreparedTask, prepareTask } from "./prepareTask.ts";
import { readTaskState, type TaskState } from "./taskState.ts";

const now = Effect.map(Clock.currentTimeMillis, formatTime);

/** What went wrong, for the row: the failure's own words, or the defect's. Stack traces go to the log only. */
export const failureText = (cause: Cause.Cause<Failure>): string => {
  const failure = Option.getOrUndefined(Cause.failureOption(cause));
  if (failure !== undefined) return `${failure.message} — ${failure.hint}`;
  const defect = Cause.squash(cause);
  return `internal error: ${defect instanceof Error ? defect.message : String(defect)} — run again with -v and see the log`;
};

interface PreparationOptions {
  readonly row: QueueRow;
  readonly repo: RepoMeta;
  readonly tier: 0 | 1 | 2;
  readonly seed: { readonly repo: string; readonly branch: string } | null;
  readonly rebuild: boolean;
  readonly fetched: boolean;
  readonly scope?: ReadonlyArray<string>;
  readonly slots: number;
  /** The event that brings a row, as it stands under the task's lock, to where it may start; null when it may. */
  readonly toStart?: (row: QueueRow, at: string) => PrepEvent | null;
  readonly onStart?: Effect.Effect<void>;
  readonly onProgress?: (progress: StageProgress) => void;
}

/** `skipped`: somebody else decides about this row now; it was left as it is. */
export type PreparationOutcome =
  | { readonly outcome: "prepared" | "already"; readonly state: TaskState; readonly row: QueueRow }
  | { readonly outcome: "failed"; readonly error: string }
  | { readonly outcome: "skipped"; readonly error: string };

const currentRow = (key: string) =>
  Effect.gen(function* () {
    const store = yield* QueueStore;
    return findRow(yield* store.read, key);
  });

/** The state of a row that another process has made ready while this one waited; null when there is work to do. */
const readyMeanwhile = (row: QueueRow, options: PreparationOptions) =>
  Effect.gen(function* () {
    if (options.rebuild || options.toStart !== undefined || row.prep_status !== "ready" || !preparedAtKey(row))
      return null;
    const home = yield* Home;
    return yield* readTaskState(taskDir(home, row)).pipe(Effect.catchAll(() => Effect.succeed(null)));
  });

/** START … PREPARED, FAILED or INTERRUPTED: once START is durable, one of the three follows, whatever interrupts. */
const startAndSettle = (options: PreparationOptions) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const engine = yield* Engine;
      const log = yield* Log;
      const key = identityKey(options.row);
      const { tier, seed, rebuild } = options;
      const started = yield* engine.prep(key, { type: "START", tier, seed, rebuild, at: yield* now });
      const command = started.issued[0]?.id ?? "";
      const task = crashPoint("prepare.started").pipe(
        Effect.zipRight(options.onStart ?? Effect.void),
        Effect.zipRight(prepareTask({ ...options, row: started.row })),
      );
      const exit: Exit.Exit<PreparedTask, Failure> = yield* Effect.exit(restore(task));
      if (Exit.isFailure(exit)) {
        if (Cause.isInterruptedOnly(exit.cause)) {
          yield* engine
            .prep(key, { type: "INTERRUPTED", at: yield* now })
            .pipe(Effect.catchAll((error) => log.warn(`${options.row.pr_url}: not put back: ${error.message}`)));
          return yield* Effect.interrupt;
        }
        const error = log.redact(failureText(exit.cause));
        yield* log.record("prepare.failed", { pr_url: options.row.pr_url, cause: Cause.pretty(exit.cause) });
        yield* engine.prep(key, { type: "FAILED", command, error, at: yield* now });
        return { outcome: "failed", error } satisfies PreparationOutcome;
      }
      const { state, outcome } = exit.value;
      const settled = yield* engine.prep(key, {
        type: "PREPARED",
        command,
        head_sha: state.head_sha,
        base_ref: state.base_ref,
        merge_base: state.merge_base,
        used_base: state.used_base,
        at: yield* now,
      });
      if (settled.ignored) {
        const error = "its head, its target or its state moved meanwhile — the next sync looks at it again";
        return { outcome: "skipped", error } satisfies PreparationOutcome;
      }
      yield* crashPoint("prepare.settled");
      yield* recordUse(state);
      return { outcome, state, row: settled.row } satisfies PreparationOutcome;
    }),
  );

const recordUse = ({ used_base }: TaskState) =>
  Effect.gen(function* () {
    if (used_base === null) return;
    const engine = yield* Engine;
    const log = yield* Log;
    yield* engine
      .base(used_base, { type: "USED", at: yield* now })
      .pipe(Effect.catchAll((error) => log.warn(`base ${used_base.branch}: last use not recorded: ${error.message}`)));
  });

/**
 * One preparation through the machine: slot, task lock, START (durable, with its pending command), the work, then
 * PREPARED or FAILED; interrupted, the row goes back to pending. What stands in the queue is read again under the task's
 * lock: a row that a killed process left `preparing` is put back, one that another made ready meanwhile is given back,
 * one that is gone is left. Fails when the queue cannot be read or written, when another process holds the task
 * (`Refused`), and with `IllegalEvent` when the row may not start.
 */
export const runPreparation = (options: PreparationOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      const engine = yield* Engine;
      const locks = yield* Locks;
      const key = identityKey(options.row);
      yield* takeSlot("prepare", options.slots);
      if (!(yield* locks.tryAcquire(taskLock(options.row), { verb: "pr-task prepare" }))) {
        return yield* new Refused({
          message: `${options.row.pr_url} is being prepared by another process`,
          hint: "wait for it, then run again",
        });
      }
      const row = yield* currentRow(key);
      if (row === undefined) return { outcome: "skipped", error: "it has left the queue" } satisfies PreparationOutcome;
      const state = yield* readyMeanwhile(row, options);
      if (state !== null) return { outcome: "already", state, row } satisfies PreparationOutcome;
      const at = yield* now;
      // We hold the task's lock, so a state that says somebody is at work is the mark of a killed process.
      if (row.prep_status === "preparing") yield* engine.prep(key, { type: "INTERRUPTED", at });
      else {
        const event = options.toStart?.(row, at) ?? null;
        if (event !== null) yield* engine.prep(key, event);
      }
      return yield* startAndSettle(options);
    }),
  );
