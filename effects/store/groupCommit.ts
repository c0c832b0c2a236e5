import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";

/** A request that waits for the next commit. `settle` decides its answer; the commit decides when. */
export interface Waiting<Request, Failure> {
  readonly request: Request;
  readonly fail: (failure: Failure) => void;
}

/**
 * Joins the requests of all fibers into one run of `commit`: the first starts it, those that come while it waits for
 * its lock are taken along. `commit` calls `taken` in the step in which it answers; a request that no step has taken
 * yet can be interrupted, one that was taken gets its answer. When the last waiting one leaves, the run ends too.
 */
export const makeGroupCommit = <Request, Failure>(
  commit: (taken: () => ReadonlyArray<Request>) => Effect.Effect<void, Failure>,
) => {
  let waiting: Array<Waiting<Request, Failure>> = [];
  let running: Fiber.RuntimeFiber<void> | null = null;

  const round: Effect.Effect<void> = Effect.suspend(() => {
    const early = new Set(waiting);
    return Effect.catchAll(
      commit(() => {
        const requests = waiting.map(({ request }) => request);
        waiting = [];
        return requests;
      }),
      (failure) =>
        Effect.sync(() => {
          // Who joined during the wait has not had its own full wait yet.
          for (const entry of waiting) if (early.has(entry)) entry.fail(failure);
          waiting = waiting.filter((entry) => !early.has(entry));
        }),
    );
  });

  const rounds: Effect.Effect<void> = Effect.suspend(() =>
    waiting.length === 0
      ? Effect.sync(() => {
          running = null;
        })
      : Effect.zipRight(round, rounds),
  );

  const start = Effect.suspend(() => {
    if (running !== null) return Effect.void;
    return Effect.map(Effect.forkDaemon(Effect.interruptible(Effect.zipRight(Effect.yieldNow(), rounds))), (fiber) => {
      running = fiber;
    });
  });

  const leave = (entry: Waiting<Request, Failure>): Effect.Effect<void> =>
    Effect.suspend(() => {
      waiting = waiting.filter((other) => other !== entry);
      if (waiting.length > 0 || running === null) return Effect.void;
      const fiber = running;
      running = null;
      return Fiber.interrupt(fiber);
    });

  /** Hands a request over and waits for its answer. */
  const submit = <A, E>(
    build: (answer: (exit: Exit.Exit<A, E | Failure>) => void) => Request,
    fail: (failure: Failure) => Exit.Exit<A, E | Failure>,
  ): Effect.Effect<A, E | Failure> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const answer = yield* Deferred.make<A, E | Failure>();
        const settle = (exit: Exit.Exit<A, E | Failure>): void => Deferred.unsafeDone(answer, exit);
        const entry: Waiting<Request, Failure> = {
          request: build(settle),
          fail: (failure) => settle(fail(failure)),
        };
        waiting.push(entry);
        yield* start;
        return yield* Effect.onInterrupt(restore(Deferred.await(answer)), () => leave(entry));
      }),
    );

  return { submit };
};
