import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { LockFailed } from "../store/errors.ts";
import { Locks } from "../store/Locks.ts";

/**
 * One of `count` slots shared by all processes of a data home (spec 2): every verb that builds or prepares takes one, so
 * that two processes together respect the limit. Held until the scope closes; waits while all are taken.
 */
export const takeSlot = (
  kind: "base" | "prepare",
  count: number,
): Effect.Effect<void, LockFailed, Locks | Scope.Scope> =>
  Effect.gen(function* () {
    const locks = yield* Locks;
    for (;;) {
      for (let slot = 0; slot < count; slot += 1) {
        if (yield* locks.tryAcquire(`${kind}-slot-${slot}`, { verb: kind })) return;
      }
      yield* Effect.sleep("50 millis");
    }
  });
