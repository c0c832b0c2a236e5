import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Option from "effect/Option";
import type { Failure } from "../../src/errors.ts";
import { Refused } from "../../src/errors.ts";
import { identityKey } from "../../src/names.ts";
import type { QueueRow } from "../../src/queue/row.ts";
import type { RepoMeta } from "../../src/repo/repoMeta.ts";
import { formatTime } from "../../src/time.ts";
import type { StageProgress } from "../bases/buildBase.ts";
import { Engine } from "../engine/Engine.ts";
import { taskLock } from "../home/layout.ts";
import { Log } from "../log/Log.ts";
import { Locks } from "../store/Locks.ts";
import { takeSlot } from "../sync/slots.ts";
import { type PreparedTask, prepareTask } from "./prepareTask.ts";

const now = Effect.map(Clock.currentTimeMillis, formatTime);

/** What went wrong, for the row: the failure's own words, or the defect's. Stack traces go to the log only. */
export const failureText = (cause: Cause.Cause<Failure>): string => {
  const failure = Option.getOrUndefined(Cause.failureOption(cause));
  if (failure !== undefined) return `${failure.message} — ${failure.hint}`;
  const defect = Cause.squash(cause);
  return `internal error: ${defect instanceof Error ? defect.message : String(defect)} — run again with -v and see the log`;
};

/**
 * One preparation through the machine: slot, task lock, START (durable, with its pending command), the work, then
 * PREPARED or FAILED; interrupted, the row goes back to pending. The outcome says what happened; it fails only when the
 * queue itself cannot be read or written.
 */
export const runPreparation = (options: {
  readonly row: QueueRow;
  readonly repo: RepoMeta;
  readonly tier: 0 | 1 | 2;
  readonly seed: { readonly repo: string; readonly branch: string } | null;
  readonly rebuild: boolean;
  readonly fetched: boolean;
  readonly scope?: ReadonlyArray<string>;
  readonly slots: number;
  readonly onStart?: Effect.Effect<void>;
  readonly onProgress?: (progress: StageProgress) => void;
}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const engine = yield* Engine;
      const locks = yield* Locks;
      const log = yield* Log;
      const key = identityKey(options.row);
      yield* takeSlot("prepare", options.slots);
      if (!(yield* locks.tryAcquire(taskLock(options.row), { verb: "pr-task prepare" }))) {
        return yield* new Refused({
          message: `${options.row.pr_url} is being prepared by another process`,
          hint: "wait for it, then run again",
        });
      }
      const started = yield* engine.prep(key, {
        type: "START",
        tier: options.tier,
        seed: options.seed,
        rebuild: options.rebuild,
        at: yield* now,
      });
      const command = started.issued[0]?.id ?? "";
      yield* options.onStart ?? Effect.void;
      const exit = yield* prepareTask({ ...options, row: started.row }).pipe(
        Effect.onInterrupt(() =>
          Effect.flatMap(now, (at) => engine.prep(key, { type: "INTERRUPTED", at })).pipe(
            Effect.catchAll((error) => log.warn(`${options.row.pr_url}: not put back: ${error.message}`)),
          ),
        ),
        Effect.exit,
      );
      if (Exit.isFailure(exit)) {
        if (Cause.isInterruptedOnly(exit.cause)) return yield* Effect.interrupt;
        const error = log.redact(failureText(exit.cause));
        yield* log.record("prepare.failed", { pr_url: options.row.pr_url, cause: Cause.pretty(exit.cause) });
        yield* engine.prep(key, { type: "FAILED", command, error, at: yield* now });
        return { outcome: "failed" as const, error };
      }
      const task: PreparedTask = exit.value;
      const { state } = task;
      const settled = yield* engine.prep(key, {
        type: "PREPARED",
        command,
        head_sha: state.head_sha,
        base_ref: state.base_ref,
        merge_base: state.merge_base,
        used_base: state.used_base,
        at: yield* now,
      });
      if (state.used_base !== null) {
        const at = yield* now;
        yield* engine
          .base(state.used_base, { type: "USED", at })
          .pipe(
            Effect.catchAll((error) =>
              log.warn(`base ${state.used_base?.branch ?? ""}: last use not recorded: ${error.message}`),
            ),
          );
      }
      return { outcome: task.outcome, state, folder: task.folder, row: settled.row };
    }),
  );
