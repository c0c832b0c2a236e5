import * as Effect from "effect/Effect";
import type { Failure } from "../../src/errors.ts";
import { Log } from "../log/Log.ts";
import type { StepEnd } from "./SyncRun.ts";

export const ok = (summary: string): StepEnd => ({ status: "ok", rc: 0, summary });
export const skipped = (summary: string): StepEnd => ({ status: "skipped", rc: null, summary });

/** A step that fails is a warning; the sync goes on with what is known (spec 4, phase A). */
export const tolerant = <A, R>(body: Effect.Effect<StepEnd, A & Failure, R>): Effect.Effect<StepEnd, never, R | Log> =>
  Effect.catchAll(body, (error) =>
    Effect.gen(function* () {
      const log = yield* Log;
      yield* log.warn(`${error.message} — ${error.hint}`);
      return { status: "warn", rc: error.exitCode, summary: log.redact(error.message) } satisfies StepEnd;
    }),
  );

/** `1 row`, `3 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
