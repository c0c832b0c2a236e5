import { dirname } from "node:path";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { progressLines } from "../../src/sync/progressLines.ts";
import type { SyncPlanFile } from "../../src/sync/syncPlanFile.ts";
import { formatTime } from "../../src/time.ts";
import { Home } from "../home/Home.ts";
import { Log } from "../log/Log.ts";
import { ensureDir, writeFileDurably } from "../store/durableFile.ts";
import { Terminal } from "../terminal/Terminal.ts";

/** The live picture of one sync: sync-plan.json, and progress on a terminal. A display; nothing is recovered from it. */
export interface PlanBoard {
  readonly get: () => SyncPlanFile;
  /** Changes the picture; it reaches the file within 200 ms. Synchronous, so that progress callbacks may call it. */
  readonly change: (change: (plan: SyncPlanFile) => SyncPlanFile) => void;
  /** Writes the picture as it is now. */
  readonly flush: Effect.Effect<void>;
}

/** At most five writes a second (spec 4, "sync-plan.json"). */
const interval = "200 millis";

/**
 * Opens the board; a writer fiber runs until the scope closes. A plan file that cannot be written is a warning, once:
 * the sync is worth more than its picture.
 */
export const openPlanBoard = (
  first: SyncPlanFile,
): Effect.Effect<PlanBoard, never, Home | Log | Terminal | Scope.Scope> =>
  Effect.gen(function* () {
    const home = yield* Home;
    const log = yield* Log;
    const terminal = yield* Terminal;
    let plan = first;
    let dirty = true;
    let warned = false;
    const flush = Effect.gen(function* () {
      dirty = false;
      plan = { ...plan, updated_at: formatTime(yield* Clock.currentTimeMillis) };
      yield* ensureDir(dirname(home.syncPlan));
      yield* writeFileDurably(home.syncPlan, Buffer.from(`${log.redact(JSON.stringify(plan, null, 1))}\n`), {});
    }).pipe(
      Effect.catchAll((error) => {
        if (warned) return Effect.void;
        warned = true;
        return log.warn(`the sync plan is not shown: ${error.message}`);
      }),
    );
    yield* flush;
    const tick = Effect.gen(function* () {
      if (!dirty) return;
      yield* flush;
      yield* terminal.progress(progressLines(plan, terminal.columns));
    });
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(interval), tick)));
    return {
      get: () => plan,
      change: (change) => {
        plan = change(plan);
        dirty = true;
      },
      flush,
    };
  });
